#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Threads that spin for a known time, and threads that compute in loops as small
# (programs/spins.c), by each compiler at each level of optimization: the former are spinning as
# long as they had a processor, to 5 % and a few samples, the latter never are.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "only code of x86-64 is examined"
"$WEFT" record -o a.weft -- true 2>said || stop "weft record true"
"$WEFT" info --details a.weft | grep 'no samples\|not observed' && skip "the kernel takes none"
# Prints what differs between `known` and table.csv.  A counter on the stack is not followed:
# unoptimized, the bounded loop may stay running.
compare() {
    awk -F, -v level=$level '
        FILENAME == "known" { split($0, w, " "); known[w[1]] = w[2] * 1000; next }
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        !($1 in known) { next }
        { seen++; spun = $column["spinning_ns"] }
        $1 ~ /^work/ && spun > 0 { print $1 " computes, and spins " spun " ns" }
        $1 ~ /^spin/ && !($1 == "spin-bounded" && level == 0 && spun == 0) {
            off = spun - known[$1]; if (off < 0) off = -off
            if (off > known[$1] * 0.05 + 5000000) print $1 " spun " known[$1] " ns, not " spun }
        END { if (seen != 16) print seen + 0 " threads" }' known table.csv
}

any=
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    any=1
    for level in 0 2; do
        name=$compiler-O$level
        $compiler -O$level -pthread "$PROGRAMS/spins.c" -o spins || stop "$name does not compile"
        # A machine below that takes a processor away (steal) lengthens what is known: one of three
        # runs must agree.  A thread that computes never spins.
        for attempt in 1 2 3; do
            timeout 100 "$WEFT" record -o a.weft -- ./spins >known 2>said ||
                stop "$name: status $?"
            "$WEFT" render threads a.weft --format csv >table.csv || stop "$name has no table"
            compare >wrong
            if [ ! -s wrong ] || grep -q ' computes, ' wrong; then break; fi
        done
        [ ! -s wrong ] || fail "$name: $(cat wrong)"
        lacking=$(awk -F, 'NR > 1 { sum = 0; for (i = 3; i < 14; i++) sum += $i
                           if (sum != $14) print $1 }' table.csv)
        [ -z "$lacking" ] || fail "$name: the states are not the life of $lacking"
        "$WEFT" check a.weft | grep -E '^(error|warning)' && fail "$name: problems"
    done
done
[ -n "$any" ] || skip "no compiler here"
exit $failed
