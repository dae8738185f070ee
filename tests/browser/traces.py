# SPDX-License-Identifier: Apache-2.0
"""Traces for the browser tests, each so small that what must be seen follows by reasoning."""
import gzip
import os

HEAD = """%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEventType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineVariableType 3
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 4
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 5
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePushState 7
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 8
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeNewEvent 9
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeSetVariable 10
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeStartLink 11
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink 12
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
%EventDef PajeDestroyContainer 13
% Time date
% Type string
% Name string
%EndEventDef
0 P 0 Process
0 T P Thread
1 S T State
2 E T Event
3 V P Load
4 L P T T Message
"""

# Ten seconds.  alpha: running 0 to 4, waiting 4 to 6, running 6 to 10.  beta: waiting 0 to 5,
# running 5 to 10.  gamma: io 0 to 10, compute 2 to 4 within it, a ping at 3.  One message
# from alpha at 4 to beta at 5.  The load is 0, from 5 on 2.
SMALL = HEAD + """5 0 p P 0 proc
5 0 a T p alpha
5 0 b T p beta
5 0 c T p gamma
10 0 V p 0
6 0 S a running
6 0 S b waiting
7 0 S c io
7 2 S c compute
9 3 E c ping
8 4 S c
6 4 S a waiting
11 4 L p wake a k1
12 5 L p wake b k1
6 5 S b running
10 5 V p 2
6 6 S a running
13 10 T a
13 10 T b
13 10 T c
13 10 P p
"""

EVIL = "<img src=x onerror=window.hacked=1>"
MARKUP = HEAD + f"""5 0 p P 0 "{EVIL}"
5 0 a T p "</script><b>bold</b>"
6 0 S a "{EVIL}"
6 1 S a "tab\\t\x01\x1b[31mred"
9 1 E a "<svg onload=window.hacked=1>"
13 2 T a
13 2 P p
"""

EMPTY = HEAD
ONE_EVENT = HEAD + "5 0 p P 0 proc\n5 0 a T p alpha\n9 1 E a only\n"
# A pop of an empty stack in line 5 after the head, and a use of what was never created.
FAULTY = HEAD + """5 0 p P 0 proc
5 0 a T p alpha
6 0 S a running
8 1 S a
8 2 S a
6 3 S nobody running
13 4 T a
13 4 P p
"""

# Calls in calls.  alpha: main 0 to 10, in it load 1 to 3 and solve 4 to 9, in that step 5 to 6
# and step 7 to 8.  beta: serve 0 to 10, in it reply 6.5 to 7.5.  The first step sends a message
# that arrives in reply.
NESTED = HEAD + """5 0 p P 0 proc
5 0 a T p alpha
5 0 b T p beta
7 0 S a main
7 0 S b serve
7 1 S a load
8 3 S a
7 4 S a solve
7 5 S a step
11 5.5 L p ask a k1
8 6 S a
7 6.5 S b reply
12 6.75 L p ask b k1
7 7 S a step
8 7.5 S b
8 8 S a
8 9 S a
8 10 S a
8 10 S b
13 10 T a
13 10 T b
13 10 P p
"""



def many(rows):
    """ROWS threads, each running for a second and then waiting for one."""
    lines = [HEAD, "5 0 p P 0 proc\n"]
    lines += [f"5 0 t{i} T p thread-{i}\n6 0 S t{i} running\n" for i in range(rows)]
    lines += [f"6 1 S t{i} waiting\n" for i in range(rows)]
    lines += [f"13 2 T t{i}\n" for i in range(rows)]
    return "".join(lines)


def slow(path, copies=4000):
    """A file whose reading takes seconds: gzip members, the same one again and again."""
    chunk = gzip.compress(b"6 1 S a running\n6 1 S a waiting\n" * 4000, 6)
    with open(path, "wb") as file:
        file.write(gzip.compress((HEAD + "5 0 p P 0 proc\n5 0 a T p alpha\n").encode()))
        for _ in range(copies):
            file.write(chunk)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path
