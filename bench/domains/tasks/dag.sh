#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Task DAGs: a store with as many nodes as the largest DAG of the thesis on DAGViz (Health,
# 17,796,837): bytes a node, opening it when nothing of it is in memory, nodes on the way down
# and at random, memory.  And reading a file of DAG Recorder's, 432 bytes a node, with the peak of
# the memory that is not mapped files.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
nodes=18000000 file_nodes=2000000 compared=1000000
[ "$BENCH_SCALE" = small ] && nodes=200000 && file_nodes=50000 && compared=50000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WEFT_CACHE="$scratch/cache"

seconds() { # seconds COMMAND...: how long it takes
    from=$(date +%s%N)
    "$@" >/dev/null
    to=$(date +%s%N)
    echo "$from $to" | awk '{ printf "%.4f\n", ($2 - $1) / 1e9 }'
}

echo "dag.write_store $(seconds "$BUILD/bench/dag_generate" $nodes "$scratch/health.weft") s"
# What was written is on the disk before the kernel is asked to forget it.
sync -f "$scratch"
"$BUILD/bench/dag_bench" "$scratch/health.weft"
"$BUILD/bench/dag_profile_bench" "$scratch/health.weft"
"$BUILD/bench/dag_frames" "$scratch/health.weft"
rm -f "$scratch/health.weft"

for run in 1 2; do
    "$BUILD/bench/dag_generate" $compared "$scratch/$run.weft" $run
done
"$BUILD/bench/dag_profile_bench" "$scratch/1.weft" "$scratch/2.weft"

"$BUILD/bench/dag_generate" $file_nodes "$scratch/health.dag"
rm -rf "$WEFT_CACHE"
"$WEFT" index "$scratch/health.dag" >/dev/null &
peak=0
from=$(date +%s%N)
while kill -0 $! 2>/dev/null; do
    now=$(awk '/^RssAnon/ { print $2 }' "/proc/$!/status" 2>/dev/null || true)
    [ "${now:-0}" -gt "$peak" ] && peak=$now
    sleep 0.01
done
to=$(date +%s%N)
echo "$file_nodes $from $to" |
    awk '{ printf "dag.read.nodes_per_s %.2f M/s\n", $1 / ($3 - $2) * 1e3 }'
echo "dag.read.peak_rss_anon $((peak / 1024)) MiB"
