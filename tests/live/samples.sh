#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Samples of a program whose functions have known shares of its processor time: 60, 30 and 10 %
# (programs/shares.c).  A share may be off by 5 points, as there are some 1,000 samples; from what
# perf counts at the same time, if it is there, by 2.
set -u
: "${PROGRAMS:?names the folder of the programs of tests/live}"
. "$(dirname "$0")/lib.sh"

column() { # VIEW TRACE FUNCTION NUMBER: of the function's first row in a view's table
    "$WEFT" render "$1" "$2" --format csv >table.csv || stop "the table of $1"
    awk -F, -v f="$3" -v c="$4" '{ gsub(/"/, "") } $1 == f || $2 == f { print $c; exit }' table.csv
}
near() { # WHAT SEEN EXPECTED MOST
    awk -v a="${2:-none}" -v b="$3" -v m="$4" \
        'BEGIN { exit !(a != "none" && a - b <= m && b - a <= m) }' \
        || fail "$1: ${2:-nothing}, not $3"
}
shares() { # TRACE
    near "self of sixty in $1" "$(column hot-spots "$1" sixty 5)" 60 5
    near "self of thirty in $1" "$(column hot-spots "$1" thirty 5)" 30 5
    near "self of ten in $1" "$(column hot-spots "$1" ten 5)" 10 5
    near "threads in $1" "$(column hot-spots "$1" sixty 6)" 2 0
    column hot-spots "$1" sixty 2 | grep -q '^shares\.c:[1-9]' || fail "no line of sixty in $1"
    # Optimized, sixty() and thirty() have no frame of their own; ninety() called them.
    "$WEFT" render flame "$1" --format csv >flame.csv || stop "the table of flame"
    if [ "$(uname -m)" = x86_64 ]; then
        nineties=$(awk -F, '{ gsub(/"/, "") } $2 == "ninety" { s += $5 } END { print s }' flame.csv)
        near "ninety in the tree of $1" "$nineties" 90 5
    fi
    near "run in $1, self" "$(column hot-spots "$1" run 5)" 0 5
    total=$(column hot-spots "$1" run 4)
    [ "${total:-0}" -gt 800000000 ] || fail "total of run in $1: $total ns of 1 s"
}

"$WEFT" record -o a.weft -- "$PROGRAMS/live_shares" 2>said || stop "recording"
"$WEFT" info --details a.weft | grep 'no samples\|not observed' && skip "the kernel takes none"
shares a.weft
"$WEFT" check a.weft >problems || stop "problems: $(cat problems)"

# By line, no more and no less; in the tree, on both ways to it.
lines=$("$WEFT" render hot-spots a.weft --set by=line --format csv | awk -F, 'NR > 1 { s += $5 } END { print s }')
near "shares of all lines" "$lines" 100 1
"$WEFT" render flame a.weft --format csv >flame.csv || stop "the table of flame"
tops=$(awk -F, 'NR > 1 && $1 == 1 { s += $5 } END { print s }' flame.csv)
near "shares of the outermost" "$tops" 100 1
sixties=$(awk -F, '{ gsub(/"/, "") } $2 == "sixty" { s += $5 } END { print s }' flame.csv)
near "sixty in the tree" "$sixties" 60 5
thread=$("$WEFT" render hot-spots a.weft --set containers=run --format csv 2>said \
    | awk -F, '{ gsub(/"/, "") } $1 == "sixty" { print $5, $6 }')
near "sixty in one thread" "${thread% *}" 60 5
near "threads of one thread" "${thread#* }" 1 0

# Nothing is loaded into it.
if [ -x "$PROGRAMS/live_shares_static" ]; then
    "$WEFT" record -o s.weft -- "$PROGRAMS/live_shares_static" 2>said || stop "recording (static)"
    shares s.weft
fi

# It may be turned off, and its rate is checked.
"$WEFT" record --sample off -o off.weft -- "$PROGRAMS/live_shares" 0.1 2>said || stop "--sample off"
"$WEFT" dump off.weft | grep -q Sample && fail "samples, though they are off"
for rate in 0 -1 x 10001 99x ''; do
    "$WEFT" record --sample "$rate" -o bad.weft -- true 2>said
    [ $? = 2 ] || fail "--sample '$rate' is taken"
done
"$WEFT" record --sample 4000 -o fast.weft -- "$PROGRAMS/live_shares" 2>said || stop "--sample 4000"
n=$("$WEFT" dump fast.weft | grep -c '^Event.*, Sample,')
# The kernel's timer gives fewer on a busy machine; of 997 there would be at most 1,100.
[ "$n" -gt 1500 ] && [ "$n" -lt 4600 ] || fail "$n samples of 1 s with --sample 4000"

# perf, at the same time.
perf record -F 997 -e task-clock:u -o perf.data -- "$WEFT" record -o p.weft -- \
    "$PROGRAMS/live_shares" >said 2>&1 || exit $failed
perf report -i perf.data --stdio --comm live_shares --percentage relative -g none >report 2>said
for f in sixty thirty ten; do
    theirs=$(awk -v f=$f '$NF == f { sub(/%/, "", $1); print $1; exit }' report)
    [ -n "$theirs" ] || continue
    near "perf's $f" "$(column hot-spots p.weft $f 5)" "$theirs" 2
done
exit $failed
