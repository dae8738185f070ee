#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --filters: what is grouped and hidden is so in dumps, tables and pictures.
. "$(dirname "$0")/lib.sh"

# Four threads of 1 s; thread K begins at K/2 s and is blocked in its last quarter of a second.
{
    cat <<'EOF'
%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
0 T 0 Thread
1 S T State
2 0.0 a T 0 "thread 0"
4 0.0 S a running
2 0.5 b T 0 "thread 1"
4 0.5 S b running
4 0.75 S a blocked
3 1.0 T a
2 1.0 c T 0 "thread 2"
4 1.0 S c running
4 1.25 S b blocked
3 1.5 T b
2 1.5 d T 0 "thread 3"
4 1.5 S d running
4 1.75 S c blocked
3 2.0 T c
4 2.25 S d blocked
3 2.5 T d
EOF
} >short.paje

filters() { printf '%s\n' "$@" >f; }
count() { ok "$1 lines of $2" test "$(grep -cE -- "$2" out)" -eq "$1"; }

filters 'group pair = thread 1, thread 2' 'hide blocked' '# nothing' 'off hide running'
status 0 dump short.paje --filters f
count 2 '^Container, pair, '
count 4 '^State'
count 0 'blocked'

# Threads 2 and 3 run 0.75 s each.
filters 'hide row = "thread 0" or row = "thread 1"'
status 0 stats short.paje --format csv --filters f
prints '^State,running,2,1500000000,'
status 0 dump short.paje --filters f
count 2 '^Container, .*thread'

# A group stands where its first member stood, and the rows beside it where they stood.
filters 'group pair = thread 1, thread 3'
status 0 render space-time short.paje --format svg --filters f
grep -oE '>(pair|thread [0-3])<' out | tr -d '><' >names
printf '%s\n' 'thread 0' pair 'thread 1' 'thread 3' 'thread 2' >wanted
ok "the group stands at its first member's place" cmp names wanted

# Two live at once, so two rows are enough.
filters reuse
status 0 render space-time short.paje --format svg --filters f
ok "two rows for four threads" test "$(grep -o '>thread [01] and 1 more<' out | wc -l)" -eq 2

filters 'color running = #123456' 'name running = "on the way"'
status 0 render space-time short.paje --format svg --filters f
prints '>on the way'
prints '#123456'

# Thread 1 runs from 0.5 to 1.25 s, thread 2 from 1 to 1.75 s: both for 0.25 of 2.5 s, one for 1 s.
filters 'group pair = thread 1, thread 2' 'reduce pair as shades of running'
status 0 render groups short.paje --format csv --filters f
tail -n +2 out >rows
printf 'pair,%s\n' 0,2,50.000,1250000000 1,2,40.000,1000000000 2,2,10.000,250000000 >wanted
ok "the reduction's numbers" cmp rows wanted
status 0 render groups short.paje --at 1.1s --format csv --filters f
prints '^pair,2,2,100.000,'
status 0 render space-time short.paje --format svg --filters f
prints '>pair \(2\)<'
prints '>all running<'

# Of four threads two lived at once.
filters 'group all = thread*' 'reduce groups'
status 0 render space-time short.paje --format svg --filters f
prints '>all \(4, 2 at once\)<'
filters 'reduce all'
status 2 render space-time short.paje --filters f
says "no row is called 'all'"
filters 'reduce depth 1 as pie'
status 2 dump short.paje --filters f
says 'right: reduce ROW, ROW'

# Four running states and the legend have the colour, but what is dimmed has not.
strong() { ok "$1 marks have the colour" test "$(grep -o 'fill="#123456"' out | wc -l)" -eq "$1"; }
filters 'color running = #123456'
status 0 render space-time short.paje --format svg --filters f
strong 5
filters 'color running = #123456' 'dim row = "thread 0" or row = "thread 3"' 'height thread 1 = 100'
status 0 render space-time short.paje --format svg --filters f
strong 3
prints '<rect [^>]*height="99"'

filters '' 'hide runing'
status 2 dump short.paje --filters f
says 'filters, line 2: .*runing'
status 2 render space-time short.paje --format svg --filters f
filters 'hode running'
status 2 stats short.paje --filters f
says "'hode' is no filter \(did you mean hide\?\)"
status 3 dump short.paje --filters none
says 'none'

finish
