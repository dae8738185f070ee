#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording adds to a thread that does nothing, and to pairs of lock and unlock of many
# locks in turn; bare and recorded in the same run.  And what of it weft itself reports.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
[ -x "$BUILD/bench/record_threads" ] || ninja -C "$BUILD" bench/record_threads >/dev/null
program=$(cd "$BUILD" && pwd)/bench/record_threads
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ "$BENCH_SCALE" = small ]; then threads=2000; else threads=20000; fi

weft() { "$WEFT" record -o "$folder/threads.weft" -- "$program" "$@" 2>"$folder/said"; }
added() { awk "BEGIN { printf \"%.2f\", $2 - $1 }"; }

# The least of three: a thread costs what the kernel is busy with besides.
least() { sort -g | head -n 1; }
bare=$(for _ in 1 2 3; do "$program" threads "$threads"; done | least)
with=$(for _ in 1 2 3; do weft threads "$threads"; done | least)
echo "record-thread-added $(added "$bare" "$with") us (ratio to bare: $(awk "BEGIN { printf \"%.2f\", $with / $bare }"))"
sed -n 's/.* took about \([0-9.e+]*\) ms.*/\1/p' "$folder/said" |
    awk "{ printf \"record-thread-reported %.2f us\n\", \$1 * 1000 / $threads }"
one=$(added "$("$program" locks 1)" "$(weft locks 1)")
many=$(added "$("$program" locks 5000)" "$(weft locks 5000)")
echo "record-lock-in-turn-5000-added $many ns (ratio to one lock, $one ns: $(awk "BEGIN { printf \"%.2f\", $many / $one }"))"
