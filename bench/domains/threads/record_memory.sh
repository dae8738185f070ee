#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording adds to a pair of malloc and free, beside the bare program, and heaptrack where it
# is installed; and how fast the records are joined.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}"
[ -x "$BUILD/bench/record_memory" ] || ninja -C "$BUILD" bench/record_memory >/dev/null
program=$(cd "$BUILD" && pwd)/bench/record_memory
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

least() { sort -g | head -n 1; }
ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }
three() { for _ in 1 2 3; do "$@"; done | least; }
recorded() { "$WEFT" record --with memory --dir "r$1-$(date +%N)" -- "$program" "$1" 2>said; }

for threads in 1 2; do
    bare=$(three "$program" $threads)
    with=$(three recorded $threads)
    echo "record-memory-pair-added-$threads $(awk "BEGIN { printf \"%.2f\", $with - $bare }") ns (ratio to bare: $(ratio "$with" "$bare"))"
done
tracked() { heaptrack -o heap "$program" 1 2>/dev/null | grep -E '^[0-9.]+$'; }
if command -v heaptrack >/dev/null; then
    with=$(three recorded 1) peer=$(three tracked)
    echo "record-memory-pair $with ns (ratio to heaptrack: $(ratio "$with" "$peer"))"
fi
one=$(find . -maxdepth 1 -name 'r1-*' | head -n 1)
begin=$(date +%s.%N)
"$WEFT" recover "$one" -o pairs.weft >/dev/null 2>said
end=$(date +%s.%N)
echo "join-memory $(awk "BEGIN { printf \"%.1f\", ($end - $begin) * 1e9 / 800000 }") ns/record"
