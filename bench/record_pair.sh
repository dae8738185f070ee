#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording costs: a pair of annotations and a pair of lock and unlock, bare, recorded by
# Weft, and by eztrace's pthread recorder where that is installed (same program, same run).
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
[ -x "$BUILD/bench/record_pair" ] || ninja -C "$BUILD" bench/record_pair >/dev/null
program=$(cd "$BUILD" && pwd)/bench/record_pair # eztrace runs it from another folder
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ "$BENCH_SCALE" = small ]; then rounds=10 long=2; else rounds=100 long=20; fi
# Short rounds fit the buffer: warm pages.  Long ones are written out on the way.
short_pairs=2000 long_pairs=1000000

measure() { # what prefix... : "least median" of the short rounds, then of the long ones
    what=$1
    shift
    "$@" "$program" "$what" "$rounds" "$short_pairs" 2>>"$folder/log" | head -1
    "$@" "$program" "$what" "$long" "$long_pairs" 2>>"$folder/log" | head -1
}
weft() { "$WEFT" record -o "$folder/pair.weft" -- "$@"; }
least() { sed -n 1p "$1" | cut -d' ' -f1; }
median() { sed -n 2p "$1" | cut -d' ' -f2; }
difference() { awk "BEGIN { printf \"%.1f\", $1 - $2 }"; }

for what in annotations locks; do
    measure "$what" env >"$folder/bare.$what"
    measure "$what" weft >"$folder/weft.$what"
done
ratio="no peer here: eztrace is not installed"
if command -v eztrace >/dev/null; then
    eztrace=$(command -v eztrace)
    # A million pairs an event: the peer's trace of more would fill its buffers on disk.
    long=1
    (cd "$folder" && measure locks "$eztrace" -t pthread -o "$folder/eztrace" \
        >"$folder/eztrace.locks") || true
fi

warm=$(difference "$(least "$folder/weft.annotations")" "$(least "$folder/bare.annotations")")
sustained=$(difference "$(median "$folder/weft.annotations")" "$(median "$folder/bare.annotations")")
added=$(difference "$(median "$folder/weft.locks")" "$(median "$folder/bare.locks")")
if [ -s "$folder/eztrace.locks" ]; then
    peer=$(difference "$(median "$folder/eztrace.locks")" "$(median "$folder/bare.locks")")
    ratio=$(awk "BEGIN { printf \"ratio to eztrace, %.0f ns: %.3f\", $peer, $added / $peer }")
fi
echo "record-annotation-absent $(median "$folder/bare.annotations") ns"
echo "record-pair-warm $warm ns"
echo "record-pair-sustained $sustained ns"
echo "record-lock-pair-added $added ns ($ratio)"

# Bytes of a pair: what a run of long * 10^6 pairs wrote, by weft's own report.
bytes=$("$WEFT" record -o "$folder/pair.weft" -- "$program" annotations 1 1000000 \
    2>&1 >/dev/null | sed -n 's/.* lost, \([0-9]*\) \([a-zA-Z]*\);.*/\1 \2/p')
echo "$bytes" | awk '{ scale = $2 == "MB" ? 1e6 : $2 == "kB" ? 1e3 : 1;
    printf "record-pair-size %.1f bytes\n", $1 * scale / 1e6 }'
