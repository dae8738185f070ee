#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares tables: those worked out by hand, those of paragraph.py, and those of Weft.

    compare.py SEED TRACE...

Beside NAME.trf may be NAME.txt with tables that were worked out by hand; those of paragraph.py and
of Weft must be the same.  Then all tables of Weft are compared with those of paragraph.py over
windows and at moments that SEED chooses.  In the end Weft writes the trace as PICL, in order of
time and of nodes: paragraph.py must find the same in it.  Prints TAP.  WEFT names the program; without it only
paragraph.py is compared with what was worked out.  REFERENCE_VIEWS may name the only tables to
look at.

Integers are equal; percentages are as near as the digits of what Weft prints; tables over time
are equal as step functions; pairs of processors without messages may be listed or not.
"""
import csv
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

import paragraph

WEFT = os.environ.get("WEFT")
VIEWS = os.environ.get("REFERENCE_VIEWS", " ".join(paragraph.TABLES)).split()
STEPS = ("utilization-count", "traffic")
# Settings of the reference -> settings of Weft's view.
SETTINGS = {"queue": "queue", "processor": "processor", "collectives": "collectives",
            "overhead": "overhead", "distance": "distance", "show": "show", "value": "value",
            "most": "most", "kind": "kind"}


class Cases:
    def __init__(self):
        self.n = self.failed = 0

    def check(self, name, difference):
        self.n += 1
        print(f"{'not ok' if difference else 'ok'} {self.n} - {name}")
        if difference:
            self.failed += 1
            for line in difference:
                print(f"#   {line}")

    def finish(self):
        print(f"1..{self.n}")
        sys.exit(self.failed > 0)


# ---- Tables ----


def reference(trace, view, options, cache={}):
    """The table of paragraph.py, as rows of texts."""
    words = [f"--{name}={value}" for name, value in options.items()]
    parsed = paragraph.parser().parse_args(words)
    key = (trace, paragraph.counted(view, parsed))
    if key not in cache:
        if len(cache) == 4:
            cache.clear()
        cache[key] = paragraph.Run(*key)
    return [[str(cell) for cell in row] for row in paragraph.table(view, cache[key], parsed)]


def weft(trace, view, options):
    command = [WEFT, "render", view, trace, "--format", "csv"]
    for name, value in options.items():
        if name == "at":
            command += ["--at", f"{value}ns"]
        elif name == "range":
            command += ["--range", ":".join(f"{t}ns" for t in value.split(":"))]
        elif name == "smoothing":
            command += ["--set", f"smoothing={value}ns"]
        else:
            command += ["--set", f"{SETTINGS[name]}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return [[f"{shlex.join(command)} ended with {done.returncode}: {done.stderr.strip()}"]]
    return list(csv.reader(done.stdout.splitlines()))


def plain(view, rows, end):
    """Without what two right tables may differ in."""
    rows = rows[1:]
    if view in STEPS:
        of_time = {row[0]: row[1:] for row in rows if end is None or int(row[0]) < end}
        steps = []
        for time in sorted(of_time, key=int):
            if not steps or steps[-1][1:] != of_time[time]:
                steps.append([time] + of_time[time])
        return steps
    if view == "comm-matrix":
        return sorted((row for row in rows if row[2] != "0"),
                      key=lambda row: (int(row[0]), int(row[1])))
    if view == "trace":  # the reference has no names of calls, and no ids
        return [row[:3] + row[4:7] for row in rows]
    return rows


def same(mine, theirs):
    if re.fullmatch(r"-?\d+", mine) and re.fullmatch(r"-?\d+", theirs):
        return mine == theirs
    try:
        digits = len(theirs.partition(".")[2])
        near = 0.5001 * 10.0 ** -digits + 1e-9 + 1e-12 * abs(float(theirs))
        return abs(float(mine) - float(theirs)) <= near
    except ValueError:
        return mine == theirs


def difference(view, options, mine, theirs):
    """Lines that say where they differ; none when they are the same."""
    if mine[0] != theirs[0]:
        return [f"columns {','.join(theirs[0])}, not {','.join(mine[0])}"]
    end = None
    if "at" not in options:
        end = int(options["range"].split(":")[1]) if "range" in options else options["end"]
    left, right = plain(view, mine, end), plain(view, theirs, end)
    for i in range(max(len(left), len(right))):
        a = left[i] if i < len(left) else ["(nothing)"]
        b = right[i] if i < len(right) else ["(nothing)"]
        if len(a) != len(b) or not all(same(x, y) for x, y in zip(a, b)):
            return [f"{','.join(b)}, not {','.join(a)}"]
    return []


def name_of(trace, view, options):
    said = "".join(f" {name}={value}" for name, value in options.items() if name != "end")
    return f"{os.path.basename(trace)}: {view}{said}"


# ---- By hand ----


def sections(path):
    """(view, options, rows) of a text, in which '== VIEW NAME=VALUE...' begins a table."""
    with open(path) as file:
        lines = file.read().splitlines() + [""]
    for i, line in enumerate(lines):
        if line.startswith("== "):
            words = line.split()[1:]
            after = next(k for k in range(i, len(lines)) if not lines[k])
            yield (words[0], dict(word.split("=") for word in words[1:]),
                   [row.split(",") for row in lines[i + 1:after]])


def by_hand(cases, trace, run):
    path = trace[:-len(".trf")] + ".txt"
    if not os.path.exists(path):
        return
    for view, options, rows in sections(path):
        name = name_of(trace, view, options)
        within = dict(options, end=run.end - run.start)
        cases.check(f"{name}, the reference",
                    difference(view, within, rows, reference(trace, view, options)))
        if WEFT and view in VIEWS:
            cases.check(f"{name}, Weft",
                        difference(view, within, rows, weft(trace, view, options)))


# ---- Swept ----


def questions(run):
    """Tables to ask for: views with options."""
    length = run.end - run.start
    times = sorted({r.time - run.start for r in run.records})

    def moment():
        # Where something happens, right before it, or anywhere.
        time = random.choice(times + [random.randint(0, length)])
        return max(0, time - random.choice([0, 0, 1]))

    windows = [{}]
    while length >= 2 and len(windows) < 4:
        begin, end = sorted((moment(), moment()))
        if begin < end:
            windows.append({"range": f"{begin}:{end}"})
    moments = [{"at": moment()} for _ in range(4)] + [{"at": 0}, {"at": length}]
    for view in ("utilization-summary", "concurrency-profile"):
        for when in windows + [moment for moment in moments if moment["at"]]:
            yield view, when
    for window in windows:
        yield "gantt", window
    for when in [{}] + moments:
        for overhead in ("win", "loss"):
            yield "streak", when | {"overhead": overhead}
    for when in moments:
        yield "utilization-meter", when
    for when in windows + moments:
        yield "utilization-count", when
        yield "comm-meter", when
        for collectives in ({}, {"collectives": "messages"}, {"collectives": "none"}):
            yield "comm-matrix", when | collectives
            yield "traffic", when | collectives
        yield "traffic", when | {"processor": random.choice(run.nodes)}
    for when in windows + moments:
        for queue in ("incoming", "outgoing"):
            yield "message-queues", when | {"queue": queue}
    for when in windows + [moment for moment in moments if moment["at"]]:
        yield "statistics", when
    for when in windows + moments:
        # Wide enough that a range has 200 points.
        smoothing = random.randint(length // 12 + 1, length // 2 + 2)
        yield "phase-portrait", when | {"smoothing": smoothing}
        yield "phase-portrait", when | {"smoothing": smoothing, "show": "messages",
                                        "collectives": "none"}
    for when in windows + moments:
        yield "processor-status", when
        if length:
            yield "clock", when
    if run.tasks:
        yield "task-summary", {}
        for when in windows + moments:
            yield "task-count", when
            yield "task-gantt", when
            yield "task-speed", when
            yield "task-status", when
            yield "task-work", when
            yield "task-work", when | {"processor": random.choice(run.nodes)}
            for value in ("elapsed", "work", "speed"):
                yield "task-surface", when | {"value": value}
    for when in windows + moments:
        yield "message-path", when
    yield "message-path", {"collectives": "none"}
    for when in windows + moments:
        yield "trace", when
        yield "trace", when | {"most": random.randint(1, 20)}
        yield "trace", when | {"most": random.randint(1, 9), "processor": random.choice(run.nodes)}
        yield "trace", when | {"most": random.randint(1, 9), "kind": "messages"}
    yield "processor-status", {"collectives": "none"}
    for when in windows:
        yield "statistics", when | {"collectives": "messages"}
    for when in moments:
        yield "comm-meter", when | {"collectives": "messages"}
        yield "message-queues", when | {"collectives": "messages"}
    yield "statistics", {"queue": "outgoing", "distance": "torus-1d", "collectives": "none"}


def swept(cases, trace, run):
    for view, options in list(questions(run)):
        if view not in VIEWS:
            continue
        within = dict(options, end=run.end - run.start)
        cases.check(name_of(trace, view, options),
                    difference(view, within, reference(trace, view, options),
                               weft(trace, view, options)))


def written(cases, trace, run):
    with tempfile.TemporaryDirectory() as folder:
        for order in ("time", "node"):
            copy = os.path.join(folder, f"{order}.trf")
            subprocess.run([WEFT, "convert", trace, "--order", order, "-o", copy], check=True)
            for view in ("utilization-summary", "traffic", "comm-matrix", "message-queues"):
                found = difference(view, {"end": run.end - run.start}, reference(trace, view, {}),
                                   reference(copy, view, {}))
                cases.check(f"{os.path.basename(trace)}: {view}, written by {order}", found)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    random.seed(sys.argv[1])
    cases = Cases()
    for trace in sys.argv[2:]:
        run = paragraph.Run(trace)
        by_hand(cases, trace, run)
        if WEFT:
            swept(cases, trace, run)
            written(cases, trace, run)
    cases.finish()


if __name__ == "__main__":
    main()
