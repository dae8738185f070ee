#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Work that grows by the square of what a trace holds.

A trace is made large in one way (containers, values, types, calls inside each other, messages,
processors, ...), once and then four times as large.  Every command and view, as table and picture,
may take four times as long for it, with something for logarithms and caches, and not sixteen times.
What ends soon counts as right.

    growth.py WEFT [WAY...]     "make faults" tries all ways
"""
import os
import resource
import subprocess
import sys
import tempfile

TIMES = 4        # as large
MOST = 9         # times as long: between linear and square
SOON = 0.5       # seconds of a processor
LIMIT = 120      # seconds of a processor, after which it is ended
EVENTS = {
    "DefineContainerType 0": "Alias Type Name", "DefineVariableType 1": "Alias Type Name",
    "DefineStateType 2": "Alias Type Name", "DefineEventType 3": "Alias Type Name",
    "DefineLinkType 4": "Alias Type StartContainerType EndContainerType Name",
    "CreateContainer 5": "Time Alias Type Container Name", "SetVariable 6": "Time Type Container Value",
    "PushState 7": "Time Type Container Value", "PopState 8": "Time Type Container",
    "NewEvent 9": "Time Type Container Value",
    "StartLink 10": "Time Type Container StartContainer Value Key",
    "EndLink 11": "Time Type Container EndContainer Value Key",
}
FIELD_TYPES = {"Time": "date", "Value": "string"}


def paje_head():
    for event, fields in EVENTS.items():
        yield "%EventDef Paje" + event
        for field in fields.split():
            kind = "double" if (event[:3], field) == ("Set", "Value") else FIELD_TYPES.get(field, "string")
            yield f"% {field} {kind}"
        yield "%EndEventDef"


def paje_run(containers, entities, values):
    """Entities of every kind, which go round the containers and values."""
    yield from paje_head()
    yield "0 M 0 machine\n0 T M thread\n2 S T state\n1 V T load\n3 E T mark\n4 L M T T message\n5 0 m M 0 m"
    for c in range(containers):
        yield f"5 0 c{c} T m \"thread {c}\""
    for i in range(entities):
        c, v = i % containers, i % values
        yield f"7 {i}.0 S c{c} \"state {v}\"\n6 {i}.2 V c{c} {v}\n9 {i}.3 E c{c} \"mark {v}\"\n8 {i}.5 S c{c}"
        yield f"10 {i}.4 L m c{c} \"message {v}\" {i}\n11 {i}.6 L m c{(7 * c + 1) % containers} \"message {v}\" {i}"


def paje_types(n):
    yield from paje_head()
    yield "0 T 0 thread\n5 0 c T 0 c"
    for i in range(n):
        yield f"2 S{i} T \"state {i}\"\n1 V{i} T \"load {i}\"\n3 E{i} T \"mark {i}\""
        yield f"7 {i}.0 S{i} c on\n6 {i}.2 V{i} c 1\n9 {i}.3 E{i} c on\n8 {i}.5 S{i} c"


def paje_nested_calls(n):
    yield from paje_head()
    yield "0 T 0 thread\n2 S T state\n5 0 c T 0 c"
    for i in range(n):
        yield f"7 {i} S c \"call {i % 7}\""


def vista(pes, n, parent, clauses=5):
    """N reductions in turn on all PEs; PARENT(i) is that of the i-th."""
    def name(i):
        return f"{i % pes} {i // pes + 1}"
    yield str(pes)
    for i in range(n):
        yield f"{100 + 10 * i} {i % clauses + 1} {name(i)} {name(parent(i)) if i else '0 0'}"


def picl(ranks, n, tags=1, received=True):
    for rank in range(ranks):
        yield f"-3 -901 {rank / 1e6:.6f} {rank} 0 0"
    for i in range(n):
        rank, to, tag, at = i % ranks, (i + 1) % ranks, i % tags, 1 + i / 1e4
        yield f"-3 -21 {at:.6f} {rank} 0 3 2 100 {tag} {to}\n-4 -21 {at + 1e-5:.6f} {rank} 0 0"
        if received:
            yield f"-3 -52 {at + 2e-5:.6f} {to} 0 2 2 {tag} {rank}"
            yield f"-4 -52 {at + 4e-5:.6f} {to} 0 3 2 100 {tag} {rank}"


def ddv(n, processors, rows, steps):
    for i in range(n):
        yield f"{i % processors} 0 {i % rows} {i // rows % 300} {i % steps} read {'remote' if i % 2 else 'local'}"


WAYS = {  # name: (format, size, lines of a trace of that size)
    "containers": ("paje", 50000, lambda n: paje_run(n, n, 5)),
    "values": ("paje", 50000, lambda n: paje_run(8, n, n)),
    "links": ("paje", 100000, lambda n: paje_run(8, n, 5)),
    "types": ("paje", 5000, paje_types),
    "nested-calls": ("paje", 100000, paje_nested_calls),
    "PEs": ("vista", 16000, lambda n: vista(n, n, lambda i: 0)),
    "chain": ("vista", 100000, lambda n: vista(8, n, lambda i: i - 1)),
    "children": ("vista", 100000, lambda n: vista(8, n, lambda i: 0)),
    "tree": ("vista", 100000, lambda n: vista(8, n, lambda i: (i - 1) // 2)),
    "clauses": ("vista", 50000, lambda n: vista(8, n, lambda i: (i - 1) // 2, n)),
    "ranks": ("picl", 8000, lambda n: picl(n, n)),
    "messages": ("picl", 100000, lambda n: picl(8, n)),
    "tags": ("picl", 50000, lambda n: picl(8, n, tags=n)),
    "never-received": ("picl", 50000, lambda n: picl(8, n, received=False)),
    "processors": ("ddv", 8000, lambda n: ddv(n, n, 100, 5)),
    "rows": ("ddv", 8000, lambda n: ddv(n, 4, n, 5)),
    "elements": ("ddv", 100000, lambda n: ddv(n, 4, 300, 5)),
    "steps": ("ddv", 100000, lambda n: ddv(n, 4, 100, n)),
}
ENDINGS = ["paje", "trf", "dot", "vista", "ddv"]


def seconds_of(command):
    """Of a processor, and what went wrong; status 2 is that the trace has nothing of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wrong = ended.stderr.strip() if ended.returncode not in (0, 1, 2, 3) else ""
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wrong


def commands_of(weft, trace, folder):
    listed = subprocess.run([weft, "views", trace], stdout=subprocess.PIPE, text=True, check=False).stdout
    for command in ("info", "check", "dump", "stats"):
        yield command, [weft, command, trace]
    for ending in ENDINGS:
        yield "convert to " + ending, [weft, "convert", trace, "-o", os.path.join(folder, "out." + ending)]
    for line in listed.splitlines():
        view = line.split()[0]
        if "cannot be filled" not in line:
            for ending in ("csv", "svg"):
                yield f"{view} as {ending}", [weft, "render", view, trace, "-o", os.path.join(folder, "out." + ending)]


def try_way(weft, way, folder):
    """How many commands were tried, and which grow too much."""
    ending, size, lines = WAYS[way]
    traces, tried, found = [], 0, []
    for times in (1, TIMES):
        text = os.path.join(folder, f"{times}.{ending}")
        with open(text, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in lines(size * times))
        traces.append((text, os.path.join(folder, f"{times}.weft")))
    pairs = [("reading it", *([weft, "convert", text, "-o", store] for text, store in traces))]
    taken = [seconds_of(command) for command in pairs[0][1:]]
    for (name, small), (_, large) in zip(commands_of(weft, traces[0][1], folder), commands_of(weft, traces[1][1], folder)):
        pairs.append((name, small, large))
    for name, small, large in pairs:
        of_large, wrong = taken[1] if name == "reading it" else seconds_of(large)
        tried += 1
        if wrong:
            found.append(f"{name}: {wrong}")
        if of_large < SOON:
            continue
        of_small = taken[0][0] if name == "reading it" else seconds_of(small)[0]
        if of_large > MOST * of_small:
            found.append(f"{name}: {of_small:.2f} s, then {of_large:.2f} s")
    return tried, found


def main():
    weft, ways = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(WAYS)
    print(f"1..{len(ways)}", flush=True)
    failed = 0
    for number, way in enumerate(ways, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["WEFT_CACHE"] = os.path.join(folder, "cache")
            tried, found = try_way(weft, way, folder)
        for what in found:
            print(f"#   {way}, {what}", flush=True)
        right = tried > len(ENDINGS) + 5 and not found
        failed += not right
        print(f"{'ok' if right else 'not ok'} {number} - {way}: {tried} commands", flush=True)
    return failed > 0


sys.exit(main())
