#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What observing from outside costs: a program with about 10^4 switches of threads a second,
# bare, recorded without and with the kernel's switches, and under perf record with the same
# events, in turns in the same run.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
[ -x "$BUILD/bench/switch_pair" ] || ninja -C "$BUILD" bench/switch_pair >/dev/null
program=$BUILD/bench/switch_pair
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ "$BENCH_SCALE" = small ]; then turns=1 rounds=500; else turns=5 rounds=3000; fi

measure() { # NAME COMMAND...: adds the median of a run to the file of that name
    name=$1
    shift
    "$@" "$program" 5 "$rounds" 2>>"$folder/log" | awk 'NF == 2 { print $2 }' >>"$folder/$name"
}
median() { sort -n "$folder/$1" | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'; }

for turn in $(seq "$turns"); do
    measure bare env
    measure inside "$WEFT" record --no-switches --with annotations -o "$folder/a.weft" --
    measure both "$WEFT" record --with annotations -o "$folder/b.weft" --
    if command -v perf >/dev/null; then
        measure perf perf record -q --switch-events -e dummy:u -o "$folder/perf.data" --
    fi
done
bare=$(median bare) inside=$(median inside) both=$(median both)
switches=$("$WEFT" info --details "$folder/b.weft" | awk '$1 == "switches" { print $2 }')
peer="perf is not installed"
[ ! -s "$folder/perf" ] ||
    peer=$(awk "BEGIN { printf \"perf record: %.1f\", 100 * ($(median perf) / $bare - 1) }")
awk "BEGIN {
    printf \"observe-round-bare %.1f us (%d switches a second)\n\", $bare, \
        $switches / (5 * $rounds * $both * 1e-6)
    printf \"observe-cost %.1f %% (without switches: %.1f; $peer)\n\", \
        100 * ($both / $bare - 1), 100 * ($inside / $bare - 1)
}"
