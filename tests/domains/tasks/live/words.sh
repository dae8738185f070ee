#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# words.sh: the program of the thesis's figure 1.2a on each runtime that is here, in C and C++.
# Recorded, fib(3) is the DAG of its figure 1.3, and whatever the runtime, a larger one has as many
# tasks; not recorded, it does what it did.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
is_built omp || skip "this build does not record tasks"
WEFT_POOL=

check() { # NAME: the program of that name
    [ "$(timeout 60 "./$1" 14)" = 610 ] || fail "$1: not 610"
    timeout 60 "$WEFT" record --with omp --contract off -o run.weft -- "./$1" 3 >out 2>said ||
        fail "$1"
    [ "$(cat out)" = 3 ] || fail "$1: not 3"
    "$SUMS" run.weft >sums || fail "$1: no DAG"
    # 4 creations, 18 nodes: 4 create, 2 wait, 5 end, 2 section, 5 task
    [ "$(cut -d' ' -f1,9 sums)" = "4 18" ] || fail "$1: $(cat sums)"
    for line in $(grep -n 'create_task( ' "$SOURCE/task_words.c" | cut -d: -f1); do
        grep -q "task_words.c:$line\b" sums || fail "$1: no task of line $line: $(cat sums)"
    done
    case $1-$WEFT_POOL in
    serial*) on=calls ;;
    openmp*) on='LLVM OMP' ;;
    pool*-work) on="Weft's pool, work first" ;;
    pool*-help) on="Weft's pool, help first" ;;
    myth*) on=MassiveThreads ;;
    qthreads*) on=Qthreads ;;
    cilk*) on=OpenCilk ;;
    *) on=oneTBB ;;
    esac
    "$WEFT" info --details run.weft | grep -q "^runtime  *$on\$" || fail "$1: not on $on"
    "$WEFT" check run.weft >out || fail "$1: $(cat out)"
    rm -f run.weft
    timeout 60 "$WEFT" record --with omp -o run.weft -- "./$1" 14 >out 2>said
    "$SUMS" run.weft >sums || fail "$1: no DAG"
    [ "$(cut -d' ' -f1 sums)" = 1218 ] || fail "$1: $(cat sums)"
    rm -f run.weft
}

try() { # NAME COMPILER ARGUMENT...
    name=$1 compiler=$2
    shift 2
    command -v "$compiler" >/dev/null || return 0
    "$compiler" -g -O2 -Wall -Wextra -Werror -I"$INCLUDE" -o "$name" "$@" 2>said || {
        # Without the runtime's header or library there is nothing to test; else it is a fault.
        grep -qE 'omp\.h|tbb/|myth/|qthread/|cilk/|fopencilk|cannot find -l|unable to find library' said && {
            echo "$name is not here"
            return 0
        }
        fail "$name does not compile"
        return 0
    }
    case $name in
    pool*)
        for policy in work help; do
            for workers in 1 2 4; do
                WEFT_POOL=$policy WEFT_POOL_WORKERS=$workers
                export WEFT_POOL WEFT_POOL_WORKERS
                check "$name"
            done
        done ;;
    *) check "$name" ;;
    esac
    echo "$name"
}

c="-x c $SOURCE/task_words.c" cpp="-x c++ -std=c++11 $SOURCE/task_words.c"
# shellcheck disable=SC2086  # words: arguments
for family in gcc:g++ clang:clang++; do
    cc=${family%:*} cxx=${family#*:}
    try "serial-$cc" "$cc" -std=gnu11 $c
    try "serial-$cxx" "$cxx" $cpp
    try "openmp-$cc" "$cc" -fopenmp $c
    try "openmp-$cxx" "$cxx" -fopenmp $cpp
    try "pool-$cxx" "$cxx" -pthread -DWEFT_TASKS_POOL $cpp
    try "tbb-$cxx" "$cxx" -pthread -DWEFT_TASKS_TBB $cpp -ltbb
    # These are not packaged everywhere: the runtime itself where it is, and a stand-in always.
    try "myth-$cxx" "$cxx" -pthread -DWEFT_TASKS_MYTH $cpp -lmyth
    try "qthreads-$cxx" "$cxx" -pthread -DWEFT_TASKS_QTHREADS $cpp -lqthread
    try "cilk-$cxx" "$cxx" -fopencilk -DWEFT_TASKS_CILK $cpp
    try "myth-standin-$cxx" "$cxx" -pthread -I"$STANDINS" -DWEFT_TASKS_MYTH $cpp
    try "qthreads-standin-$cxx" "$cxx" -pthread -I"$STANDINS" -DWEFT_TASKS_QTHREADS $cpp
    try "cilk-standin-$cxx" "$cxx" -I"$STANDINS" -DWEFT_TASKS_CILK $cpp
done
exit $failed
