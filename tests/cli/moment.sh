#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A moment, --at T: what is there then follows from the comment of small.paje.
. "$(dirname "$0")/lib.sh"
small=$here/small.paje
tree=$here/small.vista

# At 4.5 s p1 waits inside running, p2 runs.
for at in 4.5 4.5s 4500ms 4500000us 4500000000ns 45% @4.5; do
    status 0 render space-time "$small" --at $at --format csv
    silent
    ok "three states" test "$(cut -d, -f3 out | tail -n +2 | paste -sd' ')" = "Running Waiting Running"
done
status 0 render overview "$small" --at 7 --format csv
ok "at 7 s one runs and one is idle" test "$(tail -n +2 out | sort | paste -sd' ')" = \
    "7000000000,Idle,1.000 7000000000,Running,1.000"
status 0 render space-time "$small" --at 100% --format csv
ok "nothing is open at the end" test "$(wc -l <out)" -eq 1

# Pictures: a line with its time, where the range has it.
for view in space-time overview; do
    status 0 render $view "$small" --at 45% --format svg
    prints '>4\.5 s<'
    cp out with
    status 0 render $view "$small" --format svg
    ok "without a moment there is no line in $view" test "$(wc -c <out)" -lt "$(wc -c <with)"
done
status 0 render space-time "$small" --at 4.5 --range 4:6 --format svg
prints '>4\.5 s<'
status 0 render space-time "$small" --at 4.5 --range 6:8 --format svg
ok "outside of the range it is not drawn" test -z "$(grep '>4\.5 s<' out)"

# Trees as they were then: reductions at 0, 10, 20, 20 and 30 us.
set -- 0us:1 9us:1 10us:2 20us:4 30us:5 100%:5
for step; do
    status 0 render reduction-tree "$tree" --at "${step%:*}" --format csv
    ok "at ${step%:*} there are ${step#*:} nodes" test "$(tail -n +2 out | wc -l)" -eq "${step#*:}"
done
status 0 render reduction-tree "$tree" --at 10us --format svg
prints ', at 10.* µs<'
status 0 render tree-parallelism "$tree" --at 10us --format csv
ok "one row" test "$(wc -l <out)" -eq 2
status 2 render reduction-tree "$tree" --set until=50%
one_error
says "no setting 'until'"

# What is of the whole trace says so.
for view in tree-levels reduction-tree; do
    status 2 render $view "$tree" --under '#0' --format csv
    one_error
    says "$view is of the whole trace"
done

# What has no moment says so, and wrong times are told.
status 2 render state-summary "$small" --at 5 --format csv
one_error
says "state-summary has no moment"
for view in tree-levels tree-nodes tree-pes; do
    status 2 render $view "$tree" --at 5us --format csv
    one_error
    says "$view has no moment"
done
for at in soon 5minutes '' -1s 11s 101%; do
    status 2 render space-time "$small" --at "$at"
    one_error
done
says "nothing is there at 101%: the trace is 10.0 s long"
status 0 render all "$small" --at 45% -o every --format csv
status 0 render state-summary "$small" --format csv
ok "among all, summaries are as without" cmp -s out every.state-summary.csv
ok "and timelines have the moment" test "$(wc -l <every.space-time.csv)" -eq 4
status 0 help render
prints 'summaries, such as state-summary'
status 0 views
prints '    --at T  mark this moment'
prints '    --at T  show this moment'
status 2 stats "$small" --at 5
one_error
says "unknown option --at"
finish
