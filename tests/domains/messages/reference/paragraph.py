#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The slow, obvious second implementation of tables that Weft makes of message-passing runs.

It is written from the guide of ParaGraph (Heath and Finger 2003) alone and shares nothing with
Weft.  It replays a PICL trace as ParaGraph did, from the first record to the last.

    paragraph.py TABLE TRACE [--at NS] [--range NS:NS] [--queue incoming|outgoing]
                             [--processor N] [--collectives data|messages|none]
                             [--overhead win|loss] [--distance hamming|torus-1d]
                             [--smoothing NS] [--show auto|bytes|messages]
                             [--value elapsed|work|speed] [--most N] [--kind all|messages]

How it reads the guide where the guide leaves a choice:

* The run is from the first record of a processor to the last.  Before its first record a
  processor is busy, after its last it is idle.
* The innermost call that has a class decides; tasks, tracing, files, and what begins and ends a
  program (-11, -401, -501 to -503) have none.
* A message is pending from the send's entry to the exit of what completes its receive.
  A send that is never received is pending to the end.  A tachyon is never pending.  All of
  them are sent, so totals have them.
* Of the messages with one sender, receiver and tag the first that is sent is for the receive
  that was begun first: MPI does not let messages overtake each other.
* The k-th collective call of each member of a group belongs to one operation.  A group that no
  record defines has all processors.  Roots are numbers of processors, as sources are.
* Of records of one time those go last that end a receive or a collective operation, as the
  guide's sort puts sends before receives; but those of one processor stay in the order in which
  it wrote them.
* A task begins at its entry and ends at its exit, whose first value is its work.  A processor is
  in the task that it entered last of those that have not ended.  Work is done evenly from entry to
  exit; without time between them, at once.
* A trace is told event by event in order of time; at one time by processors; of one processor what it
  receives, its calls, its tasks, what it sends, then its marks; messages by their partners.
* What is said of a moment holds after the records of that moment.
"""
import argparse
import csv
import sys
from collections import defaultdict
from decimal import Decimal

HOST = 32767
MARK, ENTRY, EXIT, SUBSET = -2, -3, -4, -202

SENDS = {-21, -22, -23, -24, -27, -33, -39, -45}
BLOCKING_RECEIVES = {-51, -52}
RECEIVE_BEGIN = -57
RECEIVE_ENDS = {-58, -60, -61}

BARRIER = -402
TO_EACH_OTHER = {-402, -780, -782, -783, -791}  # barrier, allgather, allreduce, alltoall ...
FROM_ROOT = {-785, -793}  # broadcast, scatter
TO_ROOT = {-786, -790}  # gather, reduce
SCAN = -792
COLLECTIVES = TO_EACH_OTHER | FROM_ROOT | TO_ROOT | {SCAN}

# Calls that wait: those named ...BLOCK, synchronous sends, a user who says that it is idle.
IDLE_KEYS = {-31, -37, -43, -49, -52, -56, -61, -23, -601} | COLLECTIVES
# All other calls between two, on communicators, of packing; and what a user says is overhead.
OVERHEAD_KEYS = set(range(-61, -20)) - IDLE_KEYS | {
    -804, -805, -806, -812, -826, -827, -841, -846, -849, -756, -773, -602, -603}
TRACING = {-901, -904, -911}  # they begin and end what is recorded, and are no calls
BUSY, OVERHEAD, IDLE = "busy", "overhead", "idle"
CLASSES = (BUSY, OVERHEAD, IDLE)


def class_of(key):
    """The class of a call, or None when it has none: then what is around it decides."""
    return IDLE if key in IDLE_KEYS else OVERHEAD if key in OVERHEAD_KEYS else None


class Record:
    def __init__(self, words):
        self.type, self.key = int(words[0]), int(words[1])
        self.time = int((Decimal(words[2]) * 1000000000).to_integral_value())
        self.node = int(words[3])
        self.values = []
        if len(words) > 7 and words[5].isdigit() and int(words[5]) > 0:
            self.values = words[7:7 + int(words[5])]  # words[6] says of what type they are

    def value(self, i):
        return int(self.values[i])


class Execution:
    """A processor's part of a task."""

    def __init__(self, task, begin, end):
        self.task, self.begin, self.end, self.work = task, begin, end, None

    def speed(self):
        """Work in a second, or None."""
        length = self.end - self.begin
        return None if self.work is None or not length else self.work * 1e9 / length


class Message:
    """From a sender to a receiver; sent and received are positions in the run, or None."""

    def __init__(self, source, destination, size, sent, received, collective):
        self.source, self.destination, self.size = source, destination, size
        self.sent, self.received, self.collective = sent, received, collective


def merged(records):
    """The records of one time: one after the other of those that are next in each processor.

    The guide's sort, "sort +2n -3 +1rn -2 +0rn -1", puts keys in falling order, and entries
    before exits: so sends, receives, then what begins and what ends collective calls.  What
    neither sends nor receives holds up nothing."""
    def rank(record):
        if record.key in COLLECTIVES:
            return 3 if record.type == EXIT else 2
        return int(record.type == EXIT and record.key in BLOCKING_RECEIVES | RECEIVE_ENDS)

    queues = defaultdict(list)
    for record in records:
        queues[record.node].append(record)
    while queues:
        node = min(queues, key=lambda n: (rank(queues[n][0]), n))
        yield queues[node].pop(0)
        if not queues[node]:
            del queues[node]


class Run:
    def __init__(self, path, collectives="data"):
        with open(path) as file:
            lines = [line.split() for line in file]
        everything = [Record(words) for words in lines if words]
        self.groups = {}
        for record in everything:
            if record.type == SUBSET:
                self.groups[record.value(0)] = [int(v) for v in record.values[1:]]
        mine = sorted((r for r in everything if 0 <= r.node < HOST), key=lambda r: r.time)
        self.records = []
        for time in sorted({r.time for r in mine}):
            self.records += merged([r for r in mine if r.time == time])
        self.start, self.end = self.records[0].time, self.records[-1].time
        self.nodes = sorted({r.node for r in self.records})
        self.n = len(self.nodes)
        for position, record in enumerate(self.records):
            record.position = position
        self.of_node = {p: [r for r in self.records if r.node == p] for p in self.nodes}
        self.changes = {p: self.class_changes(p) for p in self.nodes}
        self.executions = {p: self.task_executions(p) for p in self.nodes}
        self.tasks = sorted({e.task for list_ in self.executions.values() for e in list_})
        self.messages = self.point_to_point()
        # A barrier sends nothing: its messages count only if one asks for them.
        self.messages += [m for m in self.collective_messages() if collectives == "messages" or
                          collectives == "data" and self.records[m.sent].key != BARRIER]

    # ---- Messages ----

    def sends(self):
        """(source, destination, tag) -> sends, in order."""
        found = defaultdict(list)
        for record in self.records:
            if record.type == ENTRY and record.key in SENDS:
                size, tag, destination = (record.value(i) for i in range(3))
                to = [destination]
                if destination == -1:  # PICL's ALL: to everybody else
                    to = [p for p in self.nodes if p != record.node]
                for p in to:
                    if p in self.of_node:
                        found[record.node, p, tag].append((record, size))
        return found

    def receives(self):
        """(source, destination, tag) -> exits that complete receives, in the order in which
        the receives were begun."""
        found = defaultdict(list)
        for records in self.of_node.values():
            begun = {}  # request -> position
            entry = {}  # key -> entry that is open
            for record in records:
                if record.type == ENTRY:
                    entry[record.key] = record
                elif record.type == EXIT and record.key == RECEIVE_BEGIN:
                    begun[record.value(0)] = entry[record.key].position
                elif record.type == EXIT and len(record.values) >= 3:
                    if record.key in BLOCKING_RECEIVES:
                        since = entry[record.key].position
                    elif record.key in RECEIVE_ENDS:
                        since = begun[entry[record.key].value(0)]
                    else:
                        continue  # a probe
                    tag, source = record.value(1), record.value(2)
                    found[source, record.node, tag].append((since, record))
        return {channel: [record for _, record in sorted(list_, key=lambda pair: pair[0])]
                for channel, list_ in found.items()}

    def point_to_point(self):
        messages, receives = [], self.receives()
        for (source, destination, tag), sends in self.sends().items():
            exits = receives.get((source, destination, tag), [])
            for i, (send, size) in enumerate(sends):
                received = exits[i].position if i < len(exits) else None
                messages.append(
                    Message(source, destination, size, send.position, received, False))
        return messages

    def collective_messages(self):
        calls = defaultdict(lambda: defaultdict(list))  # group -> node -> (entry, exit)
        for node, records in self.of_node.items():
            entry = {}
            for record in records:
                if record.key not in COLLECTIVES:
                    continue
                if record.type == ENTRY:
                    entry[record.key] = record
                elif record.type == EXIT:
                    group = int(entry[record.key].values[-1])
                    calls[group][node].append((entry[record.key], record))
        messages = []
        for group, of_node in calls.items():
            members = self.groups.get(group, self.nodes)
            for k in range(max(len(list_) for list_ in of_node.values())):
                part = {p: of_node[p][k] for p in members if k < len(of_node[p])}
                messages += self.operation(part, members)
        return messages

    @staticmethod
    def operation(part, members):
        """The messages of one operation.  PART: member -> (entry, exit)."""
        messages = []
        for sender, (entry, _) in part.items():
            for receiver, (_, exit_) in part.items():
                if sender == receiver:
                    continue
                key = entry.key
                root = entry.value(1) if key in FROM_ROOT | TO_ROOT else None
                if (key in TO_EACH_OTHER
                        or key in FROM_ROOT and sender == root
                        or key in TO_ROOT and receiver == root
                        or key == SCAN and members.index(sender) < members.index(receiver)):
                    size = 0 if key == BARRIER else entry.value(0)
                    messages.append(Message(sender, receiver, size, entry.position,
                                            exit_.position, True))
        return messages

    # ---- Tasks ----

    def task_executions(self, node):
        """In order of their entries."""
        made, open_ = [], []
        for record in self.of_node[node]:
            if record.key < 0 or record.type not in (ENTRY, EXIT):
                continue
            if record.type == ENTRY:
                made.append(Execution(record.key, record.time, self.of_node[node][-1].time))
                open_.append(made[-1])
            else:
                ended = [e for e in open_ if e.task == record.key][-1]
                open_.remove(ended)
                ended.end = record.time
                ended.work = float(record.values[0]) if record.values else None
        return made

    def task_stretches(self, node):
        """[(since, until, execution)]: what the processor is in; of no length where an execution
        has none."""
        executions = self.executions[node]
        times = sorted({t for e in executions for t in (e.begin, e.end)})
        found = [(e.begin, e.end, e) for e in executions if e.begin == e.end]
        for since, until in zip(times, times[1:]):
            inside = [e for e in executions if e.begin <= since and e.end >= until]
            if inside and not any(e.begin == until == e.end for e in inside):
                found.append((since, until, inside[-1]))
        found.sort(key=lambda s: (s[0], s[1], executions.index(s[2])))
        return found

    # ---- Utilization ----

    def class_changes(self, node):
        """[(time, class)]: what the processor is from then on."""
        changes, stack = [(self.start, BUSY)], []
        records = self.of_node[node]
        for record in records:
            if record.type == ENTRY and record.key < 0:
                stack.append(record.key)
            elif record.type == EXIT and record.key < 0:
                stack.reverse()
                stack.remove(record.key)  # the innermost of that key
                stack.reverse()
            classes = [class_of(key) for key in stack if class_of(key)]
            changes.append((record.time, classes[-1] if classes else BUSY))
        changes.append((records[-1].time if records else self.start, IDLE))
        return changes

    def class_at(self, node, time):
        return [c for since, c in self.changes[node] if since <= time][-1]

    def stretches(self, node, until, names):
        """[(since, until, name)]: NAMES are those of the classes; neighbours of one name are
        one stretch, and what lasts no time is none."""
        changes = [(time, c) for time, c in self.changes[node] if time < until]
        found = []
        for (since, c), (after, _) in zip(changes, changes[1:] + [(until, None)]):
            name = names[CLASSES.index(c)]
            if since == after:
                continue
            if found and found[-1][2] == name:
                found[-1] = (found[-1][0], after, name)
            else:
                found.append((since, after, name))
        return found

    def counts_at(self, time):
        classes = [self.class_at(p, time) for p in self.nodes]
        return [classes.count(c) for c in CLASSES]

    def times(self, begin, after):
        """BEGIN, and the times of all records after it in the window."""
        return sorted({begin} | {r.time for r in self.records if begin <= r.time < after})

    # ---- Pending messages ----

    def replay(self, until, chosen):
        """Yields (record, pending messages) after each record up to a time."""
        sent, received = defaultdict(list), defaultdict(list)
        for m in chosen:
            if m.received is None or m.received > m.sent:  # else it is a tachyon
                sent[m.sent].append(m)
                received[m.received].append(m)
        pending = []
        for position, record in enumerate(self.records):
            if record.time > until:
                break
            pending = [m for m in pending if m not in received[position]] + sent[position]
            yield record, pending

    def pending_at(self, time, chosen):
        pending = []
        for _, pending in self.replay(time, chosen):
            pass
        return pending


# ---- The tables ----


def utilization_count(run, options):
    yield ["time_ns", "busy", "overhead", "idle"]
    times = [options.at] if options.at is not None else run.times(*options.window)
    for time in times:
        yield [time - run.start] + run.counts_at(time)


def utilization_meter(run, options):
    yield ["busy", "overhead", "idle"]
    yield [100 * count / run.n for count in run.counts_at(options.at)]


def gantt(run, options):
    yield ["processor", "start_ns", "end_ns", "state"]
    begin, end = options.window
    for p in run.nodes:
        for since, until, state in run.stretches(p, end, CLASSES):
            if until > begin:
                yield [p, max(since, begin) - run.start, until - run.start, state]


def streak(run, options):
    yield ["processor", "kind", "length_ns", "longest_win_ns", "longest_loss_ns"]
    until = options.at if options.at is not None else run.end
    kinds = ("win", options.overhead, "loss")
    for p in run.nodes:
        stretches = run.stretches(p, until, kinds)
        longest = {"win": 0, "loss": 0}
        for since, after, kind in stretches:
            longest[kind] = max(longest[kind], after - since)
        # At the moment at which a streak ends it is the current one still.
        now = kinds[CLASSES.index(run.class_at(p, until))]
        since, after, kind = stretches[-1] if stretches else (until, until, now)
        yield [p, kind, after - since, longest["win"], longest["loss"]]


def until_now(run, options):
    """The window of what is accumulated: to the moment, where there is one."""
    return options.window if options.at is None else (run.start, options.at)


def utilization_summary(run, options):
    yield ["processor", "busy_pct", "overhead_pct", "idle_pct"]
    begin, end = until_now(run, options)
    times = run.times(begin, end) + [end]
    for p in run.nodes:
        spent = dict.fromkeys(CLASSES, 0)
        for time, following in zip(times, times[1:]):
            spent[run.class_at(p, time)] += following - time
        yield [p] + [100 * spent[c] / (end - begin) for c in CLASSES]


def concurrency_profile(run, options):
    yield ["k", "busy_pct", "overhead_pct", "idle_pct"]
    begin, end = until_now(run, options)
    times = run.times(begin, end) + [end]
    spent = [[0, 0, 0] for _ in range(run.n + 1)]
    for time, following in zip(times, times[1:]):
        for i, k in enumerate(run.counts_at(time)):
            spent[k][i] += following - time
    for k in range(run.n + 1):
        yield [k] + [100 * ns / (end - begin) for ns in spent[k]]


def comm_matrix(run, options):
    yield ["src", "dst", "messages", "bytes"]
    if options.at is not None:
        chosen = run.pending_at(options.at, run.messages)
    else:  # what was sent in the window; the last moment of the run belongs to it
        begin, end = options.window
        chosen = [m for m in run.messages
                  if begin <= run.records[m.sent].time < end + (end == run.end)]
    for source in run.nodes:
        for destination in run.nodes:
            sizes = [m.size for m in chosen
                     if m.source == source and m.destination == destination]
            if sizes:
                yield [source, destination, len(sizes), sum(sizes)]


def fullest(run, options, size):
    """The moment, else the first in the window at which the most is pending, or its end."""
    if options.at is not None:
        return options.at
    begin, end = options.window
    after = {run.start: 0}
    for record, pending in run.replay(run.end, run.messages):
        after[record.time] = size(pending)
    sizes = {t: after[max(s for s in after if s <= t)]
             for t in run.times(begin, end + (end == run.end))}
    most = max(sizes.values(), default=0)
    return min(t for t in sizes if sizes[t] == most) if most else end


def bytes_of(messages):
    return sum(m.size for m in messages)


def message_queues(run, options):
    yield ["processor", "messages", "bytes", "high_messages", "high_bytes"]
    until = options.at if options.at is not None else options.window[1]
    now = fullest(run, options, len)
    for p in run.nodes:
        chosen = [m for m in run.messages
                  if p == (m.destination if options.queue == "incoming" else m.source)]
        high_messages = high_bytes = 0
        for _, pending in run.replay(until, chosen):
            high_messages = max(high_messages, len(pending))
            high_bytes = max(high_bytes, sum(m.size for m in pending))
        pending = run.pending_at(now, chosen)
        yield [p, len(pending), bytes_of(pending), high_messages, high_bytes]


def traffic(run, options):
    yield ["time_ns", "messages", "bytes"]
    chosen = [m for m in run.messages if options.processor in (None, m.destination)]
    times = [options.at] if options.at is not None else run.times(*options.window)
    after = {record.time: pending for record, pending in run.replay(times[-1], chosen)}
    for time in times:
        pending = after[max(t for t in after if t <= time)]
        yield [time - run.start, len(pending), sum(m.size for m in pending)]


def comm_meter(run, options):
    yield ["messages", "bytes", "max_messages", "max_bytes", "pct"]
    at_all_times = [pending for _, pending in run.replay(run.end, run.messages)]
    most = max(len(pending) for pending in at_all_times)
    most_bytes = max(sum(m.size for m in pending) for pending in at_all_times)
    pending = run.pending_at(fullest(run, options, len), run.messages)
    yield [len(pending), sum(m.size for m in pending), most, most_bytes,
           100 * len(pending) / most if most else 0]


def hops(run, options, a, b):
    """Between places in the order of the numbers."""
    a, b = run.nodes.index(a), run.nodes.index(b)
    if options.distance == "torus-1d":
        return min(abs(a - b), run.n - abs(a - b))
    return bin(a ^ b).count("1")  # a hypercube


def least_mean_most(values):
    return [min(values), sum(values) / len(values), max(values)] if values else ["", "", ""]


def rounded(values):
    """The mean of times, to a nanosecond, halves away from 0."""
    least, mean, most = values
    if mean != "":
        mean = int(abs(mean) + 0.5) * (-1 if mean < 0 else 1)
    return [least, mean, most]


def of_messages(run, options, chosen):
    """Nine numbers: of lengths, of distances, of times on the way."""
    times = [run.records[m.received].time - run.records[m.sent].time
             for m in chosen if m.received is not None]
    return (least_mean_most([m.size for m in chosen])
            + least_mean_most([hops(run, options, m.source, m.destination) for m in chosen])
            + rounded(least_mean_most(times)))


def statistics(run, options):
    names = [f"{way}_{what}_{part}{unit}" for way in ("out", "in")
             for what, unit in (("size", ""), ("distance", ""), ("time", "_ns"))
             for part in ("min", "mean", "max")]
    yield ["processor", "busy_pct", "overhead_pct", "idle_pct", "sent_messages", "sent_bytes",
           "received_messages", "received_bytes", "high_queue_messages",
           "high_queue_bytes"] + names
    begin, end = until_now(run, options)

    def is_in(time):  # the moment belongs to it, and so does the run's last
        return begin <= time < end or time == end and (end == run.end
                                                       or options.at is not None)

    sent = [m for m in run.messages if is_in(run.records[m.sent].time)]
    received = [m for m in run.messages
                if m.received is not None and is_in(run.records[m.received].time)]
    shares = list(utilization_summary(run, options))[1:]
    until = argparse.Namespace(at=end, queue=options.queue)
    queues = list(message_queues(run, until))[1:]
    for p, share, queue in zip(run.nodes, shares, queues):
        mine = [m for m in sent if m.source == p]
        got = [m for m in received if m.destination == p]
        yield (share + [len(mine), sum(m.size for m in mine), len(got),
                        sum(m.size for m in got)] + queue[3:]
               + of_messages(run, options, mine) + of_messages(run, options, got))
    means = [sum(share[i] for share in shares) / run.n for i in (1, 2, 3)]
    yield (["all"] + means + [len(sent), sum(m.size for m in sent), len(received),
                              sum(m.size for m in received)]
           + [max(queue[i] for queue in queues) for i in (3, 4)]
           + of_messages(run, options, sent) + of_messages(run, options, received))


def integral(steps, begin, end):
    """Of a function that is constant from each (time, value) of STEPS to the next, in order."""
    return sum(value * (min(end, after) - max(begin, time))
               for (time, value), (after, _) in zip(steps, steps[1:] + [(end, None)])
               if time < end and after > begin)


def phase_portrait(run, options):
    yield ["time_ns", "utilization_pct", "communication_pct"]

    in_bytes = options.show == "bytes" or options.show == "auto" and any(
        m.size for _, pending in run.replay(run.end, run.messages) for m in pending)

    def amount(pending):
        return sum(m.size for m in pending) if in_bytes else len(pending)

    times = run.times(run.start, run.end + 1)
    busy = [(time, run.counts_at(time)[0]) for time in times]
    replayed = [(record.time, amount(pending))
                for record, pending in run.replay(run.end, run.messages)]
    pending = sorted(dict(replayed).items())  # the last of each time
    most = max(value for _, value in replayed)
    if options.at is not None:
        points = [options.at]
    else:  # sixteen in an interval, 200 to 20,000 in the range, the last at its end
        begin, end = options.window
        n = min(max(16 * (end - begin) // options.smoothing, 200), 20000)
        step = max((end - begin) // n, 1)
        points = [end - k * step for k in range((end - begin) // step, -1, -1)]
        points = [time for time in points if time > run.start]
    for time in points:
        since = max(run.start, time - options.smoothing)
        row = ["", ""]
        if time > since:
            row[0] = 100 * integral(busy, since, time) / (run.n * (time - since))
            if most:
                row[1] = 100 * integral(pending, since, time) / (most * (time - since))
        yield [time - run.start] + row


def task_at(run, node, time):
    inside = [s[2].task for s in run.task_stretches(node) if s[0] <= time < s[1]]
    return inside[-1] if inside else ""


def is_met(begin, end, window, run):
    """Whether a part of it is in the window, to which the run's last moment belongs."""
    if begin == end:
        return window[0] <= begin < window[1] or begin == window[1] == run.end
    return begin < window[1] and end > window[0]


def cut(begin, end, window):
    return max(begin, window[0]), min(end, window[1])


def life(run, task):
    mine = [e for list_ in run.executions.values() for e in list_ if e.task == task]
    return min(e.begin for e in mine), max(e.end for e in mine)


def task_count(run, options):
    yield ["task", "processors"]
    for task in run.tasks:
        if options.at is not None:
            yield [task, sum(task_at(run, p, options.at) == task for p in run.nodes)]
            continue
        begin, end = life(run, task)
        mine = [(p, s) for p in run.nodes for s in run.task_stretches(p) if s[2].task == task]
        if begin == end:
            yield [task, len({p for p, s in mine if is_met(s[0], s[1], options.window, run)})]
            continue
        since, until = cut(begin, end, options.window)
        spent = 0
        for _, s in mine:
            a, b = cut(s[0], s[1], options.window)
            spent += max(b - a, 0)
        yield [task, spent / (until - since) if until > since else 0]


def task_rows(run, options):
    for p in run.nodes:
        for since, until, execution in run.task_stretches(p):
            if options.at is not None:
                if since <= options.at < until:
                    yield p, since - run.start, until - run.start, execution
            elif is_met(since, until, options.window, run):
                a, b = cut(since, until, options.window)
                yield p, a - run.start, b - run.start, execution


def task_gantt(run, options):
    yield ["processor", "start_ns", "end_ns", "task"]
    for p, since, until, execution in task_rows(run, options):
        yield [p, since, until, execution.task]


def or_empty(value):
    return "" if value is None else value


def task_speed(run, options):
    yield ["processor", "start_ns", "end_ns", "task", "work", "speed"]
    for p, since, until, execution in task_rows(run, options):
        yield [p, since, until, execution.task, or_empty(execution.work),
               or_empty(execution.speed())]


def task_status(run, options):
    yield ["task", "state"]
    lives = [life(run, task) for task in run.tasks]
    time = options.at
    if time is None:  # the first at which most are in progress
        time = min((begin for begin, _ in lives),
                   key=lambda t: (-sum(begin <= t < end for begin, end in lives), t))
    for task, (begin, end) in zip(run.tasks, lives):
        yield [task, "not begun" if time < begin else "in progress" if time < end
               else "completed"]


def task_summary(run, options):
    yield ["task", "start_ns", "end_ns", "share_pct"]
    for task in run.tasks:
        begin, end = life(run, task)
        yield [task, begin - run.start, end - run.start,
               100 * (end - begin) / (run.end - run.start) if run.end > run.start else 0]


def task_surface(run, options):
    yield ["processor", "task", "value"]
    window = until_now(run, options)
    for p in run.nodes:
        for task in run.tasks:
            mine = [e for e in run.executions[p]
                    if e.task == task and e.begin <= window[1] and e.end >= window[0]]
            worked = [e for e in mine if e.work is not None and e.end <= window[1]]
            # Each nanosecond counts once, also where the task is in itself.
            spent, since = 0, window[0]
            for e in mine:
                a, b = cut(max(e.begin, since), e.end, window)
                spent += max(b - a, 0)
                since = max(since, b)
            length = sum(e.end - e.begin for e in worked)
            if options.value == "elapsed" and mine:
                yield [p, task, spent]
            elif options.value == "work" and worked:
                yield [p, task, sum(e.work for e in worked)]
            elif options.value == "speed" and length:
                yield [p, task, sum(e.work for e in worked) * 1e9 / length]


def task_work(run, options):
    yield ["time_ns", "rate", "cumulative"]
    mine = [e for p in run.nodes for e in run.executions[p]
            if options.processor in (None, p) and e.work is not None]
    begin, end = options.window
    times = [options.at]
    if options.at is None:
        times = sorted({begin} | {t for e in mine for t in (e.begin, e.end)
                                  if begin <= t < end or t == end == run.end})
    for time in times:
        rate = sum(e.speed() for e in mine if e.begin <= time < e.end)
        done = sum(e.work if e.end <= time else
                   e.work * (time - e.begin) / (e.end - e.begin) if e.begin < time else 0
                   for e in mine)
        yield [time - run.start, rate, done]


def processor_status(run, options):
    yield ["processor", "state", "task", "sending_bytes", "awaiting_bytes"]
    any_bytes = any(bytes_of(pending) for _, pending in run.replay(run.end, run.messages))
    time = fullest(run, options, bytes_of if any_bytes else len)
    pending = run.pending_at(time, run.messages)
    for p in run.nodes:
        yield [p, run.class_at(p, time), task_at(run, p, time),
               sum(m.size for m in pending if m.source == p),
               sum(m.size for m in pending if m.destination == p)]


def idle_before(run, node, limit):
    """The last idle stretch that ends at a time or before, or None."""
    stretches = [s for s in run.stretches(node, limit + 1, CLASSES)
                 if s[2] == IDLE and s[1] <= limit]
    return stretches[-1] if stretches else None


def message_path(run, options):
    yield ["t0_ns", "t1_ns", "kind", "from_processor", "to_processor"]
    at = min(run.nodes, key=lambda p: (-run.of_node[p][-1].time, p))
    time = limit = run.of_node[at][-1].time
    parts, left = [], {}
    while True:
        wait = idle_before(run, at, limit)
        if not wait:
            break
        begin, end, _ = wait
        senders = []
        for m in run.messages:
            if m.destination == at and m.received is not None and m.source != at:
                sent = run.records[m.sent].time
                if run.records[m.received].time == end and begin < sent <= end and not (
                        sent == end and left.get(m.source) == end):
                    senders.append((-sent, m.source))
        if not senders:
            limit = begin
            continue
        sent, sender = -min(senders)[0], min(senders)[1]
        parts += [(end, time, at, at), (sent, end, sender, at)]
        left[at] = end
        at, time, limit = sender, sent, sent
    parts.append((run.start, time, at, at))
    begin, end = options.window
    for t0, t1, a, b in reversed(parts):
        met = t0 < end + (end == run.end) and (t1 > begin or t0 >= begin)
        if options.at is not None:
            met = t0 <= options.at < t1 or t0 == options.at
        if met and (a != b or t1 > t0):
            yield [t0 - run.start, t1 - run.start, "processor" if a == b else "message", a, b]


def clock(run, options):
    yield ["time_ns", "share_pct"]
    time = options.window[1] if options.at is None else options.at
    yield [time - run.start, 100 * (time - run.start) / (run.end - run.start)]


def events_of(run, node):
    """[(time, place in order, kind, partner, bytes, tag)]: all that is said of a processor."""
    found, edges = [], {}
    for record in run.of_node[node]:
        row = (None, None, None)
        if record.type not in (ENTRY, EXIT) or record.key in TRACING:
            found.append((record.time, 4, "event", *row))  # marks, groups, notes
        else:
            edges.setdefault(record.time, ([], []))[record.key >= 0].append(
                "begin" if record.type == ENTRY else "end")
    for time, (calls, tasks) in edges.items():
        # As recorded; calls and tasks are told apart, and what ends comes before what begins.
        while calls or tasks:
            turn = next((each for each in (calls, tasks) if each and each[0] == "end"),
                        calls or tasks)
            found.append((time, 1, turn.pop(0), None, None, None))
    for m in run.messages:
        if m.collective:
            continue
        sent = run.records[m.sent]
        tag = sent.value(1)
        if m.source == node:
            found.append((sent.time, 3, "send", m.destination, m.size, tag))
        if m.destination == node and m.received is not None:
            found.append((run.records[m.received].time, 0, "receive", m.source, m.size, tag))
    # Messages of one time by their partners; all else as it is recorded.
    return sorted(found, key=lambda row: (*row[:2], -1 if row[3] is None else row[3]))


def trace(run, options):
    yield ["time_ns", "processor", "kind", "name", "partner", "bytes", "tag", "id"]
    nodes = run.nodes if options.processor is None else [options.processor]
    rows = [(row[0], node, *row[2:]) for node in nodes for row in events_of(run, node)
            if options.kind == "all" or (row[1] in (0, 3)) == (options.kind == "messages")]
    rows.sort(key=lambda row: row[:2])
    begin, end = options.window
    if options.at is not None:
        until = [row for row in rows if row[0] <= options.at]
        rows = until[-((options.most + 1) // 2):] + rows[len(until):][:options.most // 2]
    else:
        rows = [row for row in rows if begin <= row[0] < end + (end == run.end)][:options.most]
    for time, node, kind, *message in rows:
        partner, size, tag = ("" if v is None else v for v in message)
        yield [time - run.start, node, kind, "", partner, size, tag, ""]


TABLES = {"utilization-count": utilization_count, "gantt": gantt, "streak": streak,
          "utilization-summary": utilization_summary, "utilization-meter": utilization_meter,
          "concurrency-profile": concurrency_profile, "comm-matrix": comm_matrix,
          "comm-meter": comm_meter, "message-queues": message_queues, "traffic": traffic,
          "statistics": statistics, "phase-portrait": phase_portrait,
          "processor-status": processor_status, "clock": clock, "trace": trace,
          "message-path": message_path,
          "task-count": task_count,
          "task-gantt": task_gantt, "task-speed": task_speed, "task-status": task_status,
          "task-summary": task_summary, "task-surface": task_surface, "task-work": task_work}


def parser():
    """Times are counted from the start of the run."""
    made = argparse.ArgumentParser(add_help=False)
    made.add_argument("--at", type=int)
    made.add_argument("--range")
    made.add_argument("--queue", default="incoming", choices=["incoming", "outgoing"])
    made.add_argument("--processor", type=int)
    made.add_argument("--overhead", default="win", choices=["win", "loss"])
    made.add_argument("--distance", default="hamming", choices=["hamming", "torus-1d"])
    made.add_argument("--smoothing", type=int)
    made.add_argument("--value", default="elapsed", choices=["elapsed", "work", "speed"])
    made.add_argument("--show", default="auto", choices=["auto", "bytes", "messages"])
    made.add_argument("--most", type=int, default=1000)
    made.add_argument("--kind", default="all", choices=["all", "messages"])
    made.add_argument("--collectives", default="data", choices=["data", "messages", "none"])
    return made


def counted(name, options):
    """Which collectives are messages: a path goes through barriers, too."""
    through = name == "message-path" and options.collectives == "data"
    return "messages" if through else options.collectives


def table(name, run, options):
    """All rows of a table, the first of them its names.  Changes the times in OPTIONS."""
    begin, end = (int(t) for t in options.range.split(":")) if options.range else (
        0, run.end - run.start)
    options.window = (run.start + begin, run.start + end)
    if options.at is not None:
        options.at += run.start
    return list(TABLES[name](run, options))


def main():
    arguments = parser()
    arguments.add_argument("table", choices=list(TABLES))
    arguments.add_argument("trace")
    options = arguments.parse_args()
    run = Run(options.trace, counted(options.table, options))
    csv.writer(sys.stdout, lineterminator="\n").writerows(table(options.table, run, options))


if __name__ == "__main__":
    main()
