#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# omp_shapes.sh COMPILER...: programs whose tasks, critical paths and work are known by construction
# (programs/omp_shapes.c), by each compiler, on 1, 2 and 4 threads, contracted and not.  Other
# programs may stop a task for as long as they like, so paths and work are these at least;
# TOLERANCE=PERCENT also wants them no longer than that, in one of ten runs.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
is_built omp || skip "this build does not record OpenMP"
[ $# -gt 0 ] || skip "no compiler here has an OpenMP runtime"
unit=${UNIT:-2000} # microseconds

# once PROGRAM NAME TASKS PATH WORK REGIONS THREADS CONTRACT: what is wrong is in the file `wrong`
once() {
    rm -f run.weft
    OMP_NUM_THREADS=$7 OMP_DYNAMIC=false timeout 100 "$WEFT" record --no-switches --with omp \
        --contract "$8" -o run.weft -- "./$1" "$2" "$unit" >out 2>said || {
        echo "it is not recorded: $(cat said)" >wrong
        return
    }
    "$WEFT" check run.weft >wrong || return
    "$SHAPE" run.weft >shape || return
    awk -v tasks=$(($3 + $7 * $6)) -v path="$4" -v work="$5" -v unit="$unit" -v contract="$8" -v threads="$7" \
        -v tolerance="${TOLERANCE:-}" '{
        if ($1 != tasks) print $1, "tasks of", tasks
        # The clocks of the processor and of the recording may differ a little.
        if ($2 < path * unit * 990) print "a path of", $2 / 1e6, "ms, not", path, "steps"
        if ($3 < work * unit * 990) print "work of", $3 / 1e6, "ms, not", work, "steps"
        if (contract == "off" && $4 != $2) print "a path of", $2, "of which the slow one is", $4
        if ($5 > 0 || $5 < 0) print $5, "ticks are in no part"
        most = 1 + tolerance / 100
        # On one thread, contraction makes one node of all, with what came before the region.
        if (contract == "on" && threads == 1) tolerance = 0
        if (tolerance && $2 > path * unit * 1000 * most) print "long: a path of", $2 / 1e6, "ms of", path, "steps"
    }' shape >wrong
}

n=0
for compiler; do
    "$compiler" -g -O1 -fopenmp "$SOURCE" -o "shapes_$compiler" 2>errors ||
        "$compiler" -g -O1 -fopenmp -DNO_SET "$SOURCE" -o "shapes_$compiler" 2>errors || {
        echo "$compiler: $(head -1 errors)"
        continue
    }
    "./shapes_$compiler" >shapes
    while read -r name tasks path work regions; do
        for threads in ${THREADS:-1 2 4}; do
            for contract in off on; do
                tries=0
                while
                    once "shapes_$compiler" "$name" "$tasks" "$path" "$work" "$regions" \
                        "$threads" "$contract"
                    grep -q '^long:' wrong && [ $((tries += 1)) -lt 10 ]
                do :; done
                [ ! -s wrong ] || fail "$name by $compiler on $threads, contraction $contract: $(cat wrong)"
                n=$((n + 1))
            done
        done
    done <shapes
done
echo "$n recordings"
exit $failed
