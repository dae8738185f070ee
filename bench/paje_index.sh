#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Paje text to index: lines a second, against pj_dump (reads and prints, to /dev/null) and
# pj_dump -q (reads and simulates) on the same file in the same run, with all processors and with
# one thread; median of 3, of pj_dump one run each; and the peak of the memory that is not
# mapped files.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
lines=10000000
[ "$BENCH_SCALE" = small ] && lines=300000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WEFT_CACHE="$scratch/cache"

seconds() { # seconds COMMAND...: how long it takes
    from=$(date +%s%N)
    "$@" >/dev/null 2>&1
    to=$(date +%s%N)
    echo "$from $to" | awk '{ printf "%.4f\n", ($2 - $1) / 1e9 }'
}

index_once() {
    rm -rf "$WEFT_CACHE"
    "$WEFT" index "$1"
}

peak_anonymous() { # in MiB, looked at every 5 ms
    rm -rf "$WEFT_CACHE"
    "$WEFT" index "$1" >/dev/null &
    peak=0
    while kill -0 $! 2>/dev/null; do
        now=$(awk '/^RssAnon/ { print $2 }' "/proc/$!/status" 2>/dev/null || true)
        [ "${now:-0}" -gt "$peak" ] && peak=$now
        sleep 0.005
    done
    echo $((peak / 1024))
}

rate() { # rate LINES SECONDS: in millions of lines a second
    echo "$1 $2" | awk '{ printf "%.2f", $1 / $2 / 1e6 }'
}

ratio() {
    echo "$1 $2" | awk '{ printf "%.1f", $1 / $2 }'
}

for containers in 64 4096; do
    trace="$scratch/$containers.paje"
    "$BUILD/bench/paje_generate" $lines $containers >"$trace"
    n=$(wc -l <"$trace")
    all=$(for _ in 1 2 3; do seconds index_once "$trace"; done | sort -n | sed -n 2p)
    export WEFT_THREADS=1
    one=$(for _ in 1 2 3; do seconds index_once "$trace"; done | sort -n | sed -n 2p)
    unset WEFT_THREADS
    name=paje_index.$containers
    if command -v pj_dump >/dev/null; then
        for option in '' -q; do
            theirs=$(seconds pj_dump $option "$trace")
            peer="ratio to pj_dump${option:+ }$option"
            echo "$name.lines_per_s $(rate "$n" "$all") M/s ($peer: $(ratio "$theirs" "$all"))"
        done
        echo "$name.lines_per_s.one_thread $(rate "$n" "$one") M/s" \
            "($peer: $(ratio "$theirs" "$one"))"
    else
        echo "$name.lines_per_s $(rate "$n" "$all") M/s (pj_dump is not installed)"
        echo "$name.lines_per_s.one_thread $(rate "$n" "$one") M/s (pj_dump is not installed)"
    fi
    echo "$name.peak_rss_anon $(peak_anonymous "$trace") MiB"
    rm -f "$trace"
done
