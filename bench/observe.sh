#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What observing from outside costs: a program with some 10^4 switches of threads a second,
# bare; recorded without the kernel's switches, with them, and with samples, too; and under
# perf record with the same events; in turns in the same run.
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
    measure switches "$WEFT" record --sample off --with annotations -o "$folder/b.weft" --
    measure samples "$WEFT" record --with annotations -o "$folder/c.weft" --
    if command -v perf >/dev/null; then
        measure perf perf record -q --switch-events -e dummy:u -o "$folder/perf.data" --
        measure perf-samples perf record -q --switch-events -e task-clock:u -F 997 -g \
            -o "$folder/perf.data" --
    fi
done
switches=$("$WEFT" info --details "$folder/b.weft" | awk '$1 == "switches" { print $2 }')
cost() { # NAME: per cent more than bare
    [ -s "$folder/$1" ] || { echo "not installed"; return; }
    awk "BEGIN { printf \"%.1f %%\", 100 * ($(median "$1") / $(median bare) - 1) }"
}
awk "BEGIN { printf \"observe-round-bare %.1f us (%d switches a second)\n\", $(median bare), \
    $switches / (5 * $rounds * $(median switches) * 1e-6) }"
echo "observe-cost-switches $(cost switches) (perf record: $(cost perf); none: $(cost inside))"
echo "observe-cost-samples $(cost samples) (perf record: $(cost perf-samples))"
