#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FGHC: reductions a second on one PE beside the same algorithm in C; what recording costs; how
# much faster two PEs are beside how much faster two processes of that C program are than one
# (what the machine's processors can do together).  Best of five each, in turns.
set -eu
: "${BUILD:=build}" "${WEFT:=build/src/cli/weft}" "${BENCH_SCALE:=full}"
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
length=3000 numbers=100000 levels=14 queens=11 disks=20 times=5
[ "$BENCH_SCALE" = small ] && length=500 numbers=5000 levels=8 queens=7 disks=12 times=2

# run NAME PROGRAM GOAL OPTION...: reductions and seconds into the file NAME.
run() {
    name=$1
    shift
    "$WEFT" fghc "$@" 2>&1 >/dev/null |
        sed -n 's/^weft: \([0-9]*\) reductions.* in \([0-9.]*\) s$/\1 \2/p' >>"$scratch/$name"
}
native() {
    "$BUILD/bench/fghc_native" $length >>"$scratch/$1"
}
best() { sort -k 2 -n "$scratch/$1" | head -n 1 | cut -d ' ' -f 2; }
count() { head -n 1 "$scratch/$1" | cut -d ' ' -f 1; }

i=0
while [ $((i += 1)) -le $times ]; do
    native native
    run reverse "$here/fghc.fghc" "reverse($length,X)"
    run reverse.recorded "$here/fghc.fghc" "reverse($length,X)" -o "$scratch/x.vista"
    run sort "$here/fghc.fghc" "sort($numbers,X)"
    run sort.recorded "$here/fghc.fghc" "sort($numbers,X)" -o "$scratch/x.vista"
    native two.a &
    native two.b
    wait
    for pes in 1 2; do
        run tree.$pes "$here/fghc.fghc" "tree($levels,X)" --pes $pes
        run queens.$pes "$here/../examples/fghc/queens.fghc" "go($queens,X)" --pes $pes
        run hanoi.$pes "$here/../examples/fghc/hanoi.fghc" "go($disks,X)" --pes $pes
        run sort.pes.$pes "$here/fghc.fghc" "sort($numbers,X)" --pes $pes
    done
done

limit=$(awk "BEGIN { print $(count native) / $(best native) / 1e6 }")
for name in reverse sort; do
    awk -v n="$(count $name)" -v s="$(best $name)" -v limit="$limit" -v name=$name '
        BEGIN { printf "fghc.%s %.1f M/s (ratio to the C program: %.2f)\n", name, n / s / 1e6,
                    n / s / 1e6 / limit }'
    awk -v s="$(best $name)" -v r="$(best $name.recorded)" -v name=$name '
        BEGIN { printf "fghc.%s.recorded %.3f s (ratio to not recorded: %.2f)\n", name, r, r / s }'
done
one=$(best native)
a=$(best two.a)
b=$(best two.b)
machine=$(awk "BEGIN { print 2 * $one / ($a > $b ? $a : $b) }")
for name in tree queens hanoi sort.pes; do
    awk -v a="$(best $name.1)" -v b="$(best $name.2)" -v m="$machine" -v name=$name '
        BEGIN { printf "fghc.%s.two_pes %.2f x (ratio to two C programs: %.2f)\n", name, a / b,
                    a / b / m }'
done
