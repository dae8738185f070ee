#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Task DAGs from outside: numbers worked out by hand of a task that creates two others, on one
# worker and on two (task_dag.py).
. "$(dirname "$0")/lib.sh"
small=$here/small.paje
python3 "$here/task_dag.py" 1 one.dag
python3 "$here/task_dag.py" 2 two.dag

# count KIND: its number in the table of dag-stats
count() {
    sed -n "s/^$1,//p" out
}
status 0 render dag-stats two.dag --format csv
for row in create,2 wait,1 end,3 section,1 task,3 materialized,10 workers,2 steals,1 \
    work_ns,170 elapsed_ns,120 delay_ns,25 nowork_ns,45; do
    ok "dag-stats has $row" test "$(count "${row%,*}")" = "${row#*,}"
done
# A clock of 10^6 ticks a second: each is a microsecond.
status 0 render dag-stats two.dag --ticks-per-second 1000000 --format csv
ok "ticks are as long as is said" test "$(count work_ns)" = 170000

# A file of DAG Recorder is written as it was read, places and edges, too.
status 0 convert two.dag -o again.dag
status 0 check again.dag
for view in dag dag-stats dag-steals; do
    "$weft" render "$view" two.dag --format csv >first 2>/dev/null
    status 0 render "$view" again.dag --format csv
    ok "$view of what was written" cmp -s first out
done
# Readers take a worker's number as an index below the number of workers: gaps are closed.
python3 "$here/task_dag.py" 2 gap.dag 0 5
status 0 render dag-stats gap.dag --set workers=on --format csv
ok "workers may have gaps" grep -q '^edge_create 0>5,1$' out
status 0 convert gap.dag -o again.dag
says "no place for the gaps between numbers of workers"
status 0 render dag-stats again.dag --set workers=on --format csv
ok "written files have none" grep -q '^edge_create 0>1,1$' out
ok "and as many workers" grep -q '^workers,2$' out
status 0 render dag-steals gap.dag --format csv
sed 's/,5,/,1,/' out >first
status 0 render dag-steals again.dag --format csv
ok "steals of what was written without gaps" cmp -s first out
status 0 render dag-stats two.dag --set workers=on --format csv
# 170 of work are 85 for each of two workers; the file says a critical path of 120.
for row in nodes,10 compression,1.000000 work_by_workers_ns,85.000 greedy_ns,205.000 greedy_speedup,0.829 \
    observed_speedup,1.417 observed_by_greedy,1.708 task_granularity_ns,85.000; do
    ok "dag-stats has $row" test "$(count "${row%,*}")" = "${row#*,}"
done
ok "the second task went from one worker to the other" grep -q '^edge_create 0>1,1$' out

# Two runs side by side, the one on one worker first: it worked as much.
status 0 render dag-breakdown two.dag one.dag --set app=pair --set type=py --format csv
ok "one worker" grep -q '^pair,py,1,170,0,10,0,180,[0-9]*,,0,one.dag$' out
ok "two workers" grep -q '^pair,py,2,170,0,25,45,120,' out
status 0 render dag-speedup two.dag one.dag two.dag --set app=pair --format csv
ok "half as fast again" test "$(grep -c '^pair,,2,120,1.5000,two.dag$' out)" = 2
# Runs alike: the best or the middle one on one worker is the measure.
python3 "$here/task_dag.py" 1 slow.dag 100
python3 "$here/task_dag.py" 1 slower.dag 300
status 0 render dag-speedup two.dag slow.dag one.dag slower.dag --set app=pair --format csv
ok "by the best" grep -q '^pair,,2,120,1.5000,two.dag$' out
status 0 render dag-speedup two.dag slow.dag one.dag slower.dag --set app=pair \
    --set repeated=median --format csv
ok "by the median" grep -q '^pair,,2,120,2.3333,two.dag$' out
ok "the best is better than that" grep -q '^pair,,1,180,1.5556,one.dag$' out
status 0 render dag-speedup two.dag slow.dag one.dag slower.dag --format svg
ok "what the curve is of is said" grep -q 'the best of up to 3 alike' out
status 0 render dag-speedup two.dag --format csv
ok "there is no speedup without a run on one worker" grep -q '^,,2,120,,two.dag$' out
# The program without tasks takes 150 ns: 20 less than all workers together, 1.25 times as long as two.
status 0 render dag-breakdown two.dag --set serial=1.5e-7 --format csv
ok "work beyond that of the serial program" grep -q '^,,2,170,20,25,45,120,' out
status 0 render dag-speedup two.dag --set serial=1.5e-7 --format csv
ok "the speedup over it" grep -q '^,,2,120,1.2500,two.dag$' out
status 2 render dag-speedup two.dag --set serial=fast
says "serial=fast: seconds are right"
cp two.dag other.dag
status 0 render dag-breakdown two.dag other.dag --format svg
ok "runs alike are told apart by their files" grep -q '2 workers · other.dag<' out
status 1 diff two.dag one.dag --format csv
status 0 render dag-compare two.dag one.dag --format svg
ok "and those of a comparison" grep -q 'two.dag 120 ns, then one.dag 180 ns' out

status 0 render parallelism two.dag --at 30ns --format csv
ok "two run at 30" grep -q '^30,2,0,0,0,0,0$' out
status 0 render dag-tasks two.dag one.dag --set below=100 --format csv
ok "the tasks are too small" grep -q '^program.c:.*,100.00,' out
ok "what no task did has a name" grep -q '^outside of tasks,1,' out
cp out in_order
status 0 render dag-tasks one.dag two.dag --set below=100 --format csv
ok "the run on one worker is the one to compare with, wherever it stands" cmp -s in_order out

# A region of 4 s by two threads: the first works 1 s in a loop and waits 2 s, the other works 3 s,
# in one of which it had no processor, and 1 s after the loop as the first does.
status 0 render region-summary "$here/regions.paje" --format csv
ok "the region" grep -q '^parallel region,,1,2,2000000000,2500000000,3000000000,1000000000,0,16.67,,,,,$' out
ok "the loop" grep -q '^loop,,1,2,1000000000,1500000000,2000000000,1000000000,0,25.00,,,,,$' out
ok "the barrier" grep -q '^barrier,,,,,,,,2000000000,,,,,,$' out

# What is missing in one of two traces is told, whichever it is.
cut=$project/tests/domains/tasks/fuzz/corpus/dag/cut.dag
for command in "1 diff $cut two.dag" "1 diff two.dag $cut" "0 render dag-tasks two.dag $cut --format csv" "0 views $cut"; do
    # shellcheck disable=SC2086
    status $command
    says "^weft: $cut: .*cut short"
    ok "once" test "$(grep -c 'cut short' err)" -eq 1
done
status 2 render dag-tasks one.dag two.dag one.dag --format csv
one_error
says "dag-tasks is of one trace, or of two"
status 0 render all one.dag two.dag -o every --format csv
ok "all views of two traces are those that compare" \
    test "$(ls every.* | tr '\n' ' ')" = "every.dag-breakdown.csv every.dag-compare.csv every.dag-speedup.csv every.dag-tasks.csv every.time-compare.csv "

# The help of each view of tasks names all columns of its table, in their order, and says what each is.
for view in $("$weft" views | sed -n 's/^\([a-z-]*\)  *Tasks\. .*/\1/p'); do
    "$weft" help "$view" >help
    sed -n '/^Columns of its table/,/^$/p' help | sed -n 's/^  \([a-z0-9_][a-z0-9_]*\)  *[^ ].*/\1/p' |
        paste -sd, >named
    others=
    [ "$view" = dag-compare ] && others=one.dag
    # shellcheck disable=SC2086
    status 0 render "$view" two.dag $others --format csv
    ok "weft help $view names the columns of its table" test "$(sed -n 1p out)" = "$(cat named)"
    documented=$(sed -n "s/^| \`$view\` | \`\(.*\)\` |\$/\1/p" "$project/doc/command-line.md")
    ok "so does the documentation of $view" test "$documented" = "$(cat named)"
done
status 0 help dag-breakdown
ok "the delay of creations is explained" grep -q '^  create_delay_ns  *the part of the delay' out

# The longest way: 10 until the second creation, 10 more, its task of 60, and 20 at the end; every
# leaf has a line of its own.  This run went another way: its first task began late, at 30.
status 0 render critical-path two.dag --format csv
ok "by work" test "$(awk -F, 'NR > 1 { sum += $4 } END { print sum }' out)" = 100
ok "no line of the first task" test "$(grep -c ':18' out)" = 0
status 0 render critical-path two.dag --set way=time --format csv
ok "by time: all of it" \
    test "$(awk -F, 'NR > 1 { sum += $4 + $5 } END { print sum }' out)" = 120
ok "the first task, which had to wait for 20" grep -q '^program.c:18,program.c:18,1,60,20,' out
status 0 render critical-path one.dag --set way=time --format csv
ok "on one worker, too" test "$(awk -F, 'NR > 1 { sum += $4 + $5 } END { print sum }' out)" = 180
status 0 render dag-steals two.dag --format csv
ok "the second task is stolen at 25" grep -q '^9,7,create,0,1,20,25,5,60,program.c:19$' out
ok "and nothing else" test "$(wc -l <out)" = 2
status 0 render dag-steals two.dag --range 30ns: --format csv
ok "later, nothing" test "$(wc -l <out)" = 1
# Longer than nanoseconds can be counted.
python3 "$here/task_dag.py" 1 far.dag 4000000000000000000
status 0 render dag-tasks far.dag --ticks-per-second 1 --format csv
ok "a mean is no longer than the longest" \
    grep -q '^outside of tasks,1,9223372036854775807,9223372036854775807,' out

status 0 render dag-steals one.dag --format csv
ok "nobody steals from himself" test "$(wc -l <out)" = 1

status 0 diff one.dag one.dag --format csv
ok "a run does not differ from itself" grep -q ',,run,all of it,.*,same,0,0,$' out
ok "what is unchanged is counted, not listed" \
    test "$(sed 1,2d out)" = ',,unchanged,not listed: 4,,,,,,,,,,,,,0'
status 0 render dag-compare one.dag one.dag --format svg
ok "the picture says so" grep -q 'not shown: 4 unchanged' out
status 1 diff one.dag two.dag --format csv
# One worker takes 180, of which 170 are work; two take 120 each: 170, 25 of delay and 45 without work.
ok "the sums come first" test "$(sed -n 2p out)" = ',,run,all of it,,170,0,10,15,0,45,180,-60,same,0,0,'
ok "the same structure" test "$(grep -c ',same,0,0,' out)" = 5
# Each change counts once: 15 of delay and 45 without work; rows round halves.
ok "the sum of own changes" test "$(awk -F, '$1 != "" && NR > 1 { sum += $17 } END { print (sum >= 59 && sum <= 62) }' out)" = 1
ok "the root waits longer, and idles" \
    grep -q '^0,0,task,[^,]*,0,170,0,10,15,0,45,180,-60,same,0,0,[0-9]*$' out
status 1 diff one.dag two.dag --set only=differing --format csv
ok "nothing differs, but the sums, and four others have all changes of time" \
    test "$(sed 1,2d out)" = ',,others,not listed: 4,,,,,,,,,,,,,60'
status 1 diff one.dag two.dag --set most=1 --format csv
ok "changes that are not listed are counted and added up" \
    test "$(sed -n '4,$p' out)" = ',,others,not listed: 3,,,,,,,,,,,,,30'
# By words each moment of each worker counts once: 180 on one, 120 on each of two.
status 1 diff one.dag two.dag --by state --format csv
ok "the time of all workers" test "$(awk -F, '{ one += $6; two += $7 } END { print one, two }' out)" = "180 240"
status 0 diff two.dag two.dag --by all --range 0:50% --second 0:50% --format csv
status 1 diff two.dag two.dag --by all --range 0:50% --second 0:25% --format csv
status 1 diff one.dag "$small" --by state --format csv
status 2 diff one.dag two.dag --range 0:10ns
says "task DAGs are compared as a whole: a range needs --by"
status 2 diff one.dag two.dag --by cause
says "it needs two traces with states that are waits"
status 2 diff one.dag two.dag --by noise
says "bad --by 'noise'"
for view in dag dag-box dag-stats dag-breakdown dag-speedup dag-tasks critical-path; do
    status 2 render "$view" one.dag --range 10ns:20ns --format csv
    says "$view is of the whole run"
done
status 2 diff one.dag "$small"
status 2 diff one.dag two.dag --format xml
status 2 diff one.dag two.dag --set no=1
status 2 render parallelism one.dag two.dag one.dag --format csv

# What a trace has none of may be what is missing: in one with problems, and where a table is lost.
status 0 convert two.dag -o two.weft
lose two.weft "the table of nodes of the task DAG"
prints "the table of nodes of the task DAG"
for trace in lost.weft "$here/faulty.paje"; do
    for command in "render dag" "render dag-compare one.dag" "convert -o x.dot" "convert -o x.vista" \
        "convert -o x.ddv" "distribute --processors 2"; do
        # shellcheck disable=SC2086
        status 3 $command "$trace"
        says '; something of it may be missing: weft check lists what$'
    done
    status 2 diff one.dag "$trace"
    says '; something of it may be missing: weft check lists what$'
done
status 3 convert "$small" -o x.dot
says '^weft: the trace has no task DAG$'
finish
