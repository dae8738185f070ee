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
