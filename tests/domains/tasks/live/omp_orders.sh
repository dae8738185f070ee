#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# omp_orders.sh COMPILER...: critical paths and places of tasks that are ordered, by construction
# (programs/omp_orders.c), whichever compiler and however many threads.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
is_built omp || skip "this build does not record OpenMP"
[ $# -gt 0 ] || skip "no compiler here has an OpenMP runtime"

# The critical path is LEAST ms at least: others may stop a task for as long as they like.
check() { # PROGRAM WHAT LEAST THREADS
    OMP_NUM_THREADS=$4 OMP_DYNAMIC=false OMP_CANCELLATION=true timeout 100 "$WEFT" record \
        --no-switches --with omp --contract off -o run.weft -- "./$1" "$2" >out 2>said || {
        fail "$1 $2 on $4: $(cat said)"
        return
    }
    "$WEFT" check run.weft >problems || fail "$1 $2 on $4: $(cat problems)"
    path=$("$WEFT" render dag-stats run.weft --format csv | sed -n 's/^critical_path_ns,//p')
    [ "$path" -ge "${3}000000" ] || fail "$1 $2 on $4: a critical path of $path ns, not $3 ms"
    "$WEFT" render dag-tasks run.weft --format csv >tasks
    ! grep -qE '^[^,]*(libomp|libgomp|\+0x)' tasks || fail "$1 $2 on $4: $(cat tasks)"
}

for compiler; do
    "$compiler" -g -O1 -fopenmp "$SOURCE" -o "orders_$compiler" 2>errors || {
        echo "$compiler: $(head -1 errors)"
        continue
    }
    for threads in 2 3; do
        check "orders_$compiler" chain 100 $threads
        check "orders_$compiler" diamond 60 $threads
        # One writes, two read, one writes: four lines between tasks.
        "$WEFT" render dag run.weft --format svg >picture
        [ "$(grep -o '<polyline[^>]*stroke-dasharray="4"' picture | grep -c .)" = 4 ] ||
            fail "$compiler: the picture has no four orders"
        check "orders_$compiler" groups 40 $threads
        check "orders_$compiler" exclusive 60 $threads
        check "orders_$compiler" included 40 $threads
        check "orders_$compiler" in_final 60 $threads
        check "orders_$compiler" waits 40 $threads
        check "orders_$compiler" taskloop 20 $threads
        grep -q '^taskloop (omp_orders.c:[0-9]*),4,' tasks ||
            fail "$compiler: taskloop's place: $(cat tasks)"
        check "orders_$compiler" many 0 $threads
        check "orders_$compiler" cancelled 0 $threads
    done
done

# A detached task: clang's program is recorded, and GCC's, which LLVM's runtime cannot run, runs as
# it does without Weft, and its threads are recorded.
for compiler; do
    "$compiler" -g -O1 -fopenmp -DDETACH "$SOURCE" -o "detach_$compiler" 2>errors || continue
    OMP_NUM_THREADS=2 timeout 100 "$WEFT" record --with omp -o run.weft -- "./detach_$compiler" \
        detached >out 2>said || fail "$compiler detached: $(cat said)"
    case $compiler in
    gcc*) grep -q 'tasks with the clause detach (omp_fulfill_event)' said ||
        fail "$compiler: nothing is said of detach: $(cat said)" ;;
    *) "$WEFT" check run.weft >problems || fail "$compiler detached: $(cat problems)" ;;
    esac
done
exit $failed
