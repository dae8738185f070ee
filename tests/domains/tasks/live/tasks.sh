#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tasks.sh COMPILER...: the kernels of examples/tasks, recorded.  Each counts its own tasks; and
# whatever a schedule does, work, delay and what is neither fill the time of all workers.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
is_built omp || skip "this build does not record OpenMP"
[ $# -gt 0 ] || skip "no compiler here has an OpenMP runtime"

# With all nodes kept: the DAG has as many tasks as the kernel counted, and one for each thread.
check() { # KERNEL COMPILER THREADS CONTRACT
    rm -f run.weft
    OMP_NUM_THREADS=$3 OMP_DYNAMIC=false timeout 100 "$WEFT" record --with omp \
        --contract "$4" -o run.weft -- "$PROGRAMS/task_$1_$2" "$size" >out 2>said || {
        fail "$1 by $2 on $3: it is not recorded"
        return
    }
    grep -q ', right$' out || fail "$1 by $2 on $3: $(cat out)"
    "$WEFT" check run.weft >problems || fail "$1 by $2 on $3: $(cat problems)"
    counted=$(sed -n 's/.*: \([0-9]*\) tasks.*/\1/p' out)
    "$SUMS" run.weft >sums || fail "$1 by $2 on $3: no DAG"
    awk -v counted="$counted" -v threads="$3" -v contract="$4" '{
        if ($1 != counted + threads) print "tasks", $1 - threads, "of", counted
        whole = $5 * $4; parts = $2 + $6 + $7
        if (parts < 0.999 * whole || parts > 1.001 * whole)
            print "work, delay, no work: not all of the time of the workers"
        # What is contracted lasts through delays, in which its worker runs something else.
        if (contract == "off" && $8 > $5) print $8, "nodes run on", $5, "workers"
        if ($3 > $4) print "a critical path longer than the run"
        if ($3 > $2) print "a critical path of more than the work"
        if ($5 > threads) print "too many workers"
    }' sums >wrong
    [ ! -s wrong ] || fail "$1 by $2 on $3, contraction $4: $(cat wrong sums)"
}

n=0
while read -r kernel size; do
    for compiler; do
        for threads in 1 2 4; do
            check "$kernel" "$compiler" "$threads" off
            check "$kernel" "$compiler" "$threads" on
            n=$((n + 2))
        done
    done
done <<'END'
alignment 12
fft 4096
fib 13
floorplan 5
health 3
nqueens 6
sort 20000
sparselu 8
strassen 128
uts 30
END
echo "$n recordings"
# GCC's OpenMP is replaced in the program that is started, not in what that starts: it is told.
if [ -x "$PROGRAMS/task_fib_gcc" ]; then
    "$WEFT" record --with omp -o run.weft -- "$PROGRAMS/task_fib_gcc" 5 >/dev/null 2>said
    "$WEFT" check run.weft >problems || fail "GCC's, started: $(cat problems)"
    "$WEFT" record --with omp -o run.weft -- sh -c '"$0" 5; true' "$PROGRAMS/task_fib_gcc" >/dev/null 2>said
    "$WEFT" check run.weft | grep -q "unseen-openmp.*GCC's OpenMP" || fail "GCC's, started by a shell"
fi
# Where tasks are created is known.
for compiler; do
    "$WEFT" record --with omp --contract off -o run.weft -- "$PROGRAMS/task_fib_$compiler" 5 \
        >out 2>said
    "$SUMS" run.weft >sums
    for line in $(grep -n 'pragma omp task ' "$SOURCE/fib.c" | cut -d: -f1); do
        # By the directive, by what it is about, or by what follows: as compilers count lines.
        grep -qE "fib.c:($((line - 1))|$line|$((line + 1))|$((line + 2)))( |\$)" sums ||
            fail "by $compiler: no task of fib.c:$line in $(cat sums)"
    done
done
# What follows a wait begins at the wait, not where the task was created; but for a wait at the
# end of a function, which is left by a jump: the runtime then sees the function's caller.
for compiler; do
    OMP_NUM_THREADS=2 "$WEFT" record --with omp --contract off -o run.weft -- \
        "$PROGRAMS/task_sort_$compiler" 20000 >out 2>said
    "$SUMS" run.weft >sums
    for line in $(awk 'wait && !/^ *}/ { print NR - 1 } { wait = /pragma omp taskwait/ }' \
        "$SOURCE/sort.c"); do
        grep -qE "after:[^ ]*sort.c:($line|$((line + 1))|$((line + 2)))( |\$)" sums ||
            fail "by $compiler: nothing goes on behind sort.c:$line in $(cat sums)"
    done
done
# Each counter counts, or it is said why it does not; only what is no counter is refused.
for compiler; do
    "$WEFT" record --with omp --counters task-clock,cycles,page-faults -o run.weft -- \
        "$PROGRAMS/task_sort_$compiler" 200000 >out 2>said || fail "by $compiler: not counted"
    "$WEFT" render dag-stats run.weft --format csv >stats 2>/dev/null
    for counter in task-clock cycles page-faults; do
        grep -q "$counter: not counted: ." said && told=1 || told=0
        grep -qE "^$counter,[1-9]" stats && counted=1 || counted=0
        [ $((told + counted)) = 1 ] || fail "by $compiler: $counter: $(cat stats)"
        awk -F, -v name="$counter" '
            $1 == name { all = $2 } $1 == "critical_" name { critical = $2 }
            END { exit critical > all }' stats || fail "by $compiler: $counter: $(cat stats)"
    done
    grep -q '^counters *task-clock,cycles,page-faults$' <<INFO || fail "no counters in the notes"
$("$WEFT" info --details run.weft)
INFO
    # On what they ran.
    "$WEFT" render dag-breakdown run.weft --format csv | sed 1d >rows
    grep -q "^task_sort_$compiler,[A-Za-z]" rows || fail "no runtime: $(cat rows)"
    # The threads have used some of the time of the workers, and not more than there was.
    awk -F, '{ exit !($10 > 0 && $10 <= 1.05 * $3 * $8) }' rows ||
        fail "by $compiler: processor time: $(cat rows)"
done
# What the recorder reads of its counters and of its own files, the program does not read.
readings() { "$WEFT" dump run.weft | grep -c '^State, [^,]*, Thread state, .*, reading$'; }
for compiler; do
    OMP_NUM_THREADS=2 "$WEFT" record --with threads -o run.weft -- \
        "$PROGRAMS/task_sort_$compiler" 20000 >out 2>said
    without=$(readings)
    for counters in '' '--counters task-clock,cycles,page-faults'; do
        # shellcheck disable=SC2086
        OMP_NUM_THREADS=2 "$WEFT" record --with threads,omp $counters -o run.weft -- \
            "$PROGRAMS/task_sort_$compiler" 20000 >out 2>said
        [ "$(readings)" -le "$without" ] ||
            fail "by $compiler: with '$counters' it reads $(readings) times, else $without"
    done
done
for wrong in '--with omp --counters seconds' '--with omp --counters cycles,cycles' \
    '--with omp --counters cycles,' '--contract off' \
    '--with omp --counters cycles,instructions,branches,branch-misses,page-faults' \
    '--with omp --contract least=soon' '--with omp --contract most=1ms,leaves=4'; do
    # shellcheck disable=SC2086
    "$WEFT" record $wrong -o wrong.weft -- true >out 2>said
    [ $? = 2 ] || fail "weft record $wrong is not refused"
    [ -e wrong.weft ] && fail "weft record $wrong writes a trace"
done
# A recording without tasks says that there are some; one that contracted them, where that hides.
for compiler; do
    "$WEFT" record -o plain.weft -- "$PROGRAMS/task_fib_$compiler" 8 >out 2>said
    [ "$(grep -c 'OpenMP: --with threads,omp' said)" = 1 ] || fail "by $compiler: $(cat said)"
    "$WEFT" record --with omp -o run.weft -- "$PROGRAMS/task_fib_$compiler" 14 >out 2>said
    grep -q 'OpenMP: --with' said && fail "by $compiler: it is recorded: $(cat said)"
    "$WEFT" diff run.weft run.weft >out 2>said
    [ "$(grep -c -- '--contract off' said)" = 1 ] || fail "diff of contracted runs"
    # Whatever is contracted, each of its two lines has created half of its tasks.
    for contract in on off leaves=40 least=1s; do
        OMP_NUM_THREADS=4 "$WEFT" record --with omp --contract $contract -o run.weft -- \
            "$PROGRAMS/task_fib_$compiler" 18 >out 2>said
        half=$(($(sed -n 's/.*: \([0-9]*\) tasks.*/\1/p' out) / 2))
        "$WEFT" render dag-tasks run.weft --format csv >out 2>said
        [ -s said ] && fail "tasks by line, contraction $contract"
        awk -F, -v half=$half '/^fib/ { n += $2 == half } END { exit !(n == 2) }' out ||
            fail "tasks by line, contraction $contract: not $half in each: $(cat out)"
        grep -q '^outside of tasks,1,' out || fail "the initial task is not named: $(cat out)"
    done
    "$WEFT" stats run.weft >out 2>said
    grep -q 'contracted tasks and sections last through delays' said || fail "stats say nothing"
    # When creations are over is known where another task comes behind each, on one thread.
    for threads in 1 4; do
        OMP_NUM_THREADS=$threads "$WEFT" record --with omp -o run.weft -- \
            "$PROGRAMS/task_fib_$compiler" 14 >out 2>said
        "$WEFT" render dag-breakdown run.weft --format csv >out 2>said
        awk -F, -v threads=$threads 'NR == 2 { exit !(threads == 1 ? $9 > 0 : $9 == "") }' out ||
            fail "delay of creations on $threads threads: $(cat out)"
    done
    "$WEFT" record --with omp --contract off -o run.weft -- "$PROGRAMS/task_fib_$compiler" 8 >out 2>said
    "$WEFT" diff run.weft run.weft >out 2>said
    [ ! -s said ] || fail "diff of whole runs"
done
"$WEFT" record -o plain.weft -- true >out 2>said
grep -q OpenMP said && fail "true has no OpenMP"
# Less is one node the more is contracted.
"$WEFT" record --with omp --contract leaves=40 -o few.weft -- "$PROGRAMS/task_fib_$1" 12 >out 2>said ||
    fail "leaves=40 is refused"
"$SUMS" few.weft >sums
awk '{ exit !($9 > 2 && $9 < 400) }' sums || fail "leaves=40 keeps $(cat sums)"
exit $failed
