#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Task DAGs: parallelism over time of 18 x 10^6 nodes (prepared once, then any window), where
# workers' time went, and two runs of 10^6 nodes against each other.
set -eu
: "${BUILD:=build}" "${BENCH_SCALE:=full}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $BENCH_SCALE in
small) nodes=300000 ;;
*) nodes=18000000 ;;
esac
TMPDIR=$scratch "$BUILD/bench/dag_profile_bench" "$nodes" "$scratch"
