#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Joining: recordings of pairs of lock and unlock, by one thread and by many, made by the recorder
# without weft record, and what weft recover takes for each.  Two events a pair.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
[ -x "$BUILD/bench/record_pair" ] || ninja -C "$BUILD" bench/record_pair >/dev/null
libraries=$(cd "$BUILD/src/record" && pwd)
program=$PWD/$BUILD/bench/record_pair
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ "$BENCH_SCALE" = small ]; then pairs=1000000 runs=1; else pairs=20000000 runs=3; fi

record() { # FOLDER COMMAND...: as weft record does, and the folder stays
    mkdir -p "$1"
    sed -n 's/.*WEFT_RECORDING_MAGIC "\(.*\)".*/\1/p' src/format/recording_layout.h >"$1/recording"
    into=$1
    shift
    WEFT_RECORD_DIR=$into \
        LD_PRELOAD=$libraries/libweft-record-core.so:$libraries/libweft-record-threads.so:$libraries/libweft-record-annotate.so \
        "$@" >/dev/null
}
join() { # FOLDER: the best time of some joins [ms]
    best=
    for _ in $(seq $runs); do
        cp -rl "$1" "$folder/copy"
        begin=$(date +%s%N)
        "$WEFT" recover "$folder/copy" -o "$folder/t.weft" 2>>"$folder/log"
        took=$((($(date +%s%N) - begin) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
        rm -rf "$folder/copy" "$folder/t.weft"
    done
    echo "$best"
}

record "$folder/one" "$program" locks 1 "$pairs"
one=$(join "$folder/one")
echo "join-one-thread $one ms"
awk "BEGIN { printf \"join-event %.1f ns\\n\", $one * 1e6 / (2 * $pairs) }"
