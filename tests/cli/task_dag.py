#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a small file of DAG Recorder: task_dag.py WORKERS OUT [TICKS [SECOND]]: the end takes TICKS
longer, and the second worker has the number SECOND (1).

A task creates two tasks and waits for them.  On one worker they run one after the other, on two
side by side.  Times are in ticks; each leaf has a line of its own in program.c.
"""
import struct
import sys

CREATE, WAIT, OTHER, END, SECTION, TASK = range(6)
EDGE_END, EDGE_CREATE, EDGE_CREATE_CONT, EDGE_WAIT_CONT = range(4)
workers = int(sys.argv[1])
two = workers > 1
longer = int(sys.argv[3]) if len(sys.argv) > 3 else 0
second = int(sys.argv[4]) if len(sys.argv) > 4 else 1

# kind, edge that made it ready, ready, begin, end, worker, line; children or created
nodes = [
    dict(kind=TASK, children=(1, 3)),
    dict(kind=SECTION, children=(3, 6)),
    dict(kind=END, edge=EDGE_END, times=(90, 100, 120 + longer) if two else (150, 160, 180 + longer), worker=0),
    dict(kind=CREATE, edge=EDGE_CREATE, times=(0, 0, 10), worker=0, child=6),
    dict(kind=CREATE, edge=EDGE_CREATE_CONT, times=(10, 10, 20), worker=0, child=7),
    dict(kind=WAIT, edge=EDGE_CREATE_CONT, times=(20, 20, 30), worker=0),
    dict(kind=TASK, children=(8, 9)),
    dict(kind=TASK, children=(9, 10)),
    dict(kind=END, edge=EDGE_CREATE, times=(10, 30, 90), worker=0),
    dict(kind=END, edge=EDGE_CREATE, times=(20, 25, 85) if two else (20, 90, 150), worker=second * two),
]


def leaves(i):
    """The leaves inside a node, with those of the tasks that it made."""
    node = nodes[i]
    if "children" not in node:
        made = [node["child"]] if "child" in node else []
        return [i] + [leaf for task in made for leaf in leaves(task)]
    return [leaf for child in range(*node["children"]) for leaf in leaves(child)]


def here(i):
    """How many nodes are inside a node, itself and the tasks that its creates made included."""
    n = 1
    for child in range(*nodes[i].get("children", (0, 0))):
        n += here(child) + (here(nodes[child]["child"]) if "child" in nodes[child] else 0)
    return n


def pos(time, worker, line):
    return struct.pack("<Q4qiiQqq", time, 0, 0, 0, 0, worker, 0, 0, 0, line)


body = b""
for i, node in enumerate(nodes):
    inside = [nodes[k] for k in (leaves(i) if "children" in node else [i])]
    first = nodes[min(leaves(i), key=lambda k: nodes[k]["times"][1])] if "children" in node else node
    last = max(inside, key=lambda n: n["times"][2])
    used = {n["worker"] for n in inside}
    ready = [0] * 5
    for n in inside:
        ready[n["edge"]] += n["times"][1] - n["times"][0]
    counts = [sum(n["kind"] == kind for n in inside) for kind in range(4)]
    work = sum(n["times"][2] - n["times"][1] for n in inside)
    end = node["times"][2] if "times" in node else nodes[range(*node["children"])[-1]].get(
        "times", last["times"])[2]
    worker = used.pop() if len(used) == 1 else -1
    path = min(work, 120)
    body += pos(first["times"][1], first["worker"], 10 + i) + pos(end, last["worker"], 10 + i)
    body += struct.pack("<5Q", first["times"][1], work, path, min(n["times"][0] for n in inside),
                        max(n["times"][1] for n in inside))
    body += struct.pack("<5Q", *ready) + struct.pack("<4q", *counts) + struct.pack("<5q", *[0] * 5)
    body += struct.pack("<3q", here(i), 1, sum(n["kind"] == CREATE for n in inside))
    body += struct.pack("<4i", worker, 0, node["kind"], first["edge"]) + b"\0" * 80
    if "children" in node:
        body += struct.pack("<2q", node["children"][0] - i, node["children"][1] - i)
    else:
        body += struct.pack("<2q", node.get("child", i) - i, 0)

chars = b"program.c\0"
strings = struct.pack("<5q", 1, 32 + 8 + len(chars), 0, 0, 0) + chars
with open(sys.argv[2], "wb") as out:
    out.write(b"DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n")
    out.write(struct.pack("<4q", len(nodes), 0, 0, workers) + body + strings)
