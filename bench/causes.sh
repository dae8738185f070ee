#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Causes: what weft why and the view causes take on a recording of threads that fight for a lock,
# beside a table that reads every state once, in the same run.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
ninja -C "$BUILD" examples/histogram >/dev/null
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ "$BENCH_SCALE" = small ]; then runs=1; else runs=3; fi
"$WEFT" record -o "$folder/a.weft" -- "$BUILD/examples/histogram" 8 >"$folder/log" 2>&1

least() { # COMMAND...: the least time of some runs [ms]
    best=
    for _ in $(seq $runs); do
        begin=$(date +%s%N)
        "$@" >/dev/null 2>>"$folder/log"
        took=$((($(date +%s%N) - begin) / 1000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    awk "BEGIN { printf \"%.1f\", $best / 1000 }"
}

reads=$(least "$WEFT" render wait-summary "$folder/a.weft" --format csv)
line() { # NAME MS: with its ratio to the table
    awk "BEGIN { printf \"%s %.1f ms (ratio to wait-summary: %.2f)\n\", \"$1\", $2, $2 / $reads }"
}
line why-longest "$(least "$WEFT" why "$folder/a.weft")"
line why-run "$(least "$WEFT" why "$folder/a.weft" --run)"
line causes-2000-waits "$(least "$WEFT" render causes "$folder/a.weft" --format csv)"
line causes-all-waits \
    "$(least "$WEFT" render causes "$folder/a.weft" --format csv --set most=1000000)"
"$WEFT" info "$folder/a.weft" | awk '$1 == "states" { print "causes-states " $2 }'
