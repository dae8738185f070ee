#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Displays of utilization and communication: frames at random moments, after what is prepared for
# them, and the memory that they take, for 512 processors and 10^7 messages.  BENCH_SCALE=large
# also has 16,384 processors and 10^8 records, which takes minutes and 5 GB of the disk in TMPDIR.
# The trace is MPICL text that goes through a pipe; how fast it is read is a figure, too.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

measure() { # measure RECORDS PROCESSORS LIMIT-IN-MS
    trace="$scratch/$2.weft"
    from=$(date +%s%N)
    "$BUILD/bench/picl_generate" "$1" "$2" | "$WEFT" convert - -o "$trace"
    to=$(date +%s%N)
    echo "$1 $from $to" |
        awk -v n="$2" '{ printf "messages.%s.read %.2f M records/s\n", n, $1 / ($3 - $2) * 1e3 }'
    echo "messages.$2.size $(stat -c %s "$trace" | awk '{ printf "%.0f", $1 / 1e6 }') MB"
    "$BUILD/bench/messages_bench" "$2" "$3" "$trace"
    rm -f "$trace"
}

# A message is seven records, with its share of the steps' tasks.
case $BENCH_SCALE in
small) measure 700000 512 16 ;;
*) measure 70000000 512 16 ;;
esac
if [ "$BENCH_SCALE" = large ]; then
    measure 100000000 16384 50
fi
