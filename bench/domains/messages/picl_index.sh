#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PICL text to index: records a second on one processor, in order of time and of nodes, beside
# wc -lw, which looks at the same bytes for lines and words and does nothing else, and beside Paje
# text of the same run; processor time, because it is what a core does; the best of 5.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
records=2000000
[ "$BENCH_SCALE" = small ] && records=200000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WEFT_CACHE="$scratch/cache" WEFT_THREADS=1

seconds() { # seconds COMMAND...: processor time, of the program and of the system for it
    for _ in 1 2 3 4 5; do
        rm -rf "$WEFT_CACHE"
        sh -c '"$@" >/dev/null; times' - "$@" | tail -n 1 | tr 'ms' '  ' |
            awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }'
    done | sort -n | head -n 1
}

rate() { # rate RECORDS SECONDS: in millions a second
    echo "$1 $2" | awk '{ printf "%.2f", $1 / $2 / 1e6 }'
}

ratio() {
    echo "$1 $2" | awk '{ printf "%.2f", $1 / $2 }'
}

for order in time node; do
    for processors in 64 4096; do
        trace="$scratch/$order.trf"
        "$BUILD/bench/picl_generate" $records $processors $order >"$trace"
        n=$(wc -l <"$trace")
        ours=$(seconds "$WEFT" index "$trace")
        theirs=$(seconds wc -lw "$trace")
        echo "picl_index.$order.$processors.records_per_s $(rate "$n" "$ours") M/s" \
            "(ratio to wc -lw: $(ratio "$theirs" "$ours"))"
        rm -f "$trace"
    done
done
trace="$scratch/run.paje"
"$BUILD/bench/paje_generate" $records 64 >"$trace"
paje=$(seconds "$WEFT" index "$trace")
echo "picl_index.paje.64.lines_per_s $(rate "$(wc -l <"$trace")" "$paje") M/s (the reader of Paje, one thread)"
