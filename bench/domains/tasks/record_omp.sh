#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording adds to an OpenMP task: fib by tasks that do nothing else, bare and recorded, on
# LLVM's runtime both times, and what a node of its task DAG takes on the disk.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
clang -O2 -fopenmp -o "$folder/record_omp" bench/domains/tasks/record_omp.c 2>"$folder/log" || {
    echo "record-omp: skipped, there is no clang with OpenMP (libomp-dev)"
    exit 0
}
# Short rounds fit a thread's buffer; long ones are written out on the way.
if [ "$BENCH_SCALE" = small ]; then short=200 long=2; else short=4000 long=10; fi

run() { # THREADS ROUNDS N COMMAND...: least and median of a task's nanoseconds
    threads=$1 rounds=$2 n=$3
    shift 3
    OMP_NUM_THREADS=$threads "$@" "$folder/record_omp" "$rounds" "$n" 2>>"$folder/log" |
        grep -E '^[0-9.]+ [0-9.]+$'
}
recorded() { rm -f "$folder/run.weft"; "$WEFT" record --with omp -o "$folder/run.weft" -- "$@"; }
field() { cut -d' ' -f"$1" "$2"; }
difference() { awk "BEGIN { printf \"%.1f\", $1 - $2 }"; }

for threads in 1 2; do
    run "$threads" "$short" 12 env >"$folder/bare"
    run "$threads" "$short" 12 recorded >"$folder/weft"
    least=$(difference "$(field 1 "$folder/weft")" "$(field 1 "$folder/bare")")
    echo "record-omp-task-added-$threads $least ns (a task takes $(field 1 "$folder/bare") ns bare)"
done
run 1 "$long" 22 env >"$folder/bare"
run 1 "$long" 22 recorded >"$folder/weft"
echo "record-omp-task-added-sustained $(difference "$(field 1 "$folder/weft")" \
    "$(field 1 "$folder/bare")") ns (long rounds, written out on the way)"
rm -f "$folder/run.weft"
OMP_NUM_THREADS=1 "$WEFT" record --with omp --contract off -o "$folder/run.weft" -- \
    "$folder/record_omp" 1 22 >/dev/null 2>>"$folder/log"
# fib(22): for a call with tasks 2 create, wait, section; for every task also end and task.
wc -c <"$folder/run.weft" | awk '{
    calls = 28656; tasks = 57312
    printf "record-omp-node %.1f bytes (contraction off)\n", $1 / (4 * calls + 2 * tasks)
}'
