#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Six small runs of message-passing programs, simulated, as PICL traces.

    generate.py FOLDER            write ring.trf, stencil.trf ... there
    generate.py FOLDER --tables   and what the simulation itself counted, NAME.table

A program is a generator of steps; a step costs what the constants say.  A message is there when its
send has begun and LATENCY and its bytes have passed.  Times are whole microseconds.
"""
import heapq
import os
import random
import sys

SEND_COST, BEGIN_COST, RECEIVE_COST = 4, 2, 3  # microseconds
LATENCY, BYTES_PER_MICROSECOND, COLLECTIVE = 10, 200, 15
SEND, SEND_BEGIN, SEND_WAIT = -21, -27, -31
RECEIVE, RECEIVE_BLOCK, RECEIVE_BEGIN, RECEIVE_WAIT = -51, -52, -57, -61
BARRIER, ALL_REDUCE, ALL_TO_ALL, BROADCAST, SPLIT, TRACING = -402, -782, -783, -785, -812, -901
NAMES = {SEND: 'send', SEND_BEGIN: 'sendbegin', SEND_WAIT: 'sendendblock', RECEIVE: 'rcv',
         RECEIVE_BLOCK: 'rcvblock', RECEIVE_BEGIN: 'rcvbegin', RECEIVE_WAIT: 'rcvendblock',
         BARRIER: 'barrier', ALL_REDUCE: 'allreduce', ALL_TO_ALL: 'alltoall',
         BROADCAST: 'bcast', SPLIT: 'commsplit'}


class Processor:
    def __init__(self, number, program):
        self.number, self.program, self.now, self.step = number, program, 0, None
        self.records, self.requests, self.next_request, self.done = [], {}, 0, False

    def put(self, kind, key, *values):
        self.records.append((self.now, kind, key, values))


class Run:
    def __init__(self, n, program):
        self.n, self.mail, self.gathering = n, {}, {}
        self.messages, self.times = {}, {}
        self.processors = [Processor(i, program(i, n)) for i in range(n)]
        for p in self.processors:
            p.put(-3, TRACING)
            self.advance(p, None)
        while True:
            ready = [(at, p.number, p) for p in self.processors
                     if not p.done and (at := self.ready_at(p)) is not None]
            if not ready:
                break
            at, _, p = min(ready)
            self.perform(p, at)
        assert all(p.done for p in self.processors), 'a deadlock'
        for p in self.processors:
            p.put(-4, TRACING)

    def advance(self, p, answer):
        try:
            p.step = p.program.send(answer)
        except StopIteration:
            p.done = True

    # A message that waits for its receive: (there at, source, tag, bytes).
    def waiting(self, p, source, tag):
        fits = [m for m in self.mail.get(p.number, [])
                if source in (-1, m[1]) and tag in (-1, m[2])]
        # Those of one source come in order; of several the one that is there first.
        first = {}
        for m in fits:
            first.setdefault(m[1], m)
        return min(first.values(), default=None)

    def ready_at(self, p):
        """When the step of a processor can be done; None: others must do something first."""
        kind, *rest = p.step
        if kind == 'receive':
            message = self.waiting(p, rest[0], rest[1])
        elif kind == 'wait' and p.requests[rest[0]][0] == 'receive':
            message = self.waiting(p, *p.requests[rest[0]][1:])
        elif kind == 'together':
            key, _, _, group, members = rest
            arrived = self.gathering.setdefault((group, tuple(members)), {})
            arrived.setdefault(p.number, p.now)
            return None if len(arrived) < len(members) else p.now
        else:
            return p.now
        return None if message is None else max(p.now, message[0])

    def spend(self, p, key, begin):
        name = (p.number, NAMES[key])
        self.times[name] = self.times.get(name, 0) + p.now - begin

    def send(self, p, key, to, tag, size, cost, request=None):
        begin = p.now
        p.put(-3, key, size, tag, to)
        self.mail.setdefault(to, []).append(
            (begin + LATENCY + size // BYTES_PER_MICROSECOND, p.number, tag, size))
        count, total = self.messages.get((p.number, to), (0, 0))
        self.messages[p.number, to] = count + 1, total + size
        p.now += cost
        p.put(-4, key, *([] if request is None else [request]))
        self.spend(p, key, begin)

    def receive(self, p, key, at, message, *asked):
        begin = p.now
        self.mail[p.number].remove(message)
        p.put(-3, key, *asked)
        p.now = at + RECEIVE_COST
        p.put(-4, key, message[3], message[2], message[1])
        self.spend(p, key, begin)
        return message[1:]

    def request(self, p, *what):
        number = p.next_request
        p.next_request += 1
        p.requests[number] = what
        return number

    def perform(self, p, at):
        kind, *rest = p.step
        answer, begin = None, p.now
        if kind == 'compute':
            p.now += rest[0]
        elif kind in ('begin', 'mark'):
            p.put(-3 if kind == 'begin' else -2, rest[0], *rest[1:])
        elif kind == 'end':
            p.put(-4, rest[0], *rest[1:])
        elif kind == 'data':  # tracedata: event, number of the data, values
            p.put(-6, rest[0], *rest[1:])
        elif kind == 'send':
            self.send(p, SEND, *rest, SEND_COST)
        elif kind == 'send begin':
            answer = self.request(p, 'send')
            self.send(p, SEND_BEGIN, *rest, BEGIN_COST, answer)
        elif kind == 'receive':
            key = RECEIVE if at == p.now else RECEIVE_BLOCK
            answer = self.receive(p, key, at, self.waiting(p, *rest), rest[1], rest[0])
        elif kind == 'receive begin':
            answer = self.request(p, 'receive', *rest)
            p.put(-3, RECEIVE_BEGIN, rest[1], rest[0])
            p.now += BEGIN_COST
            p.put(-4, RECEIVE_BEGIN, answer)
            self.spend(p, RECEIVE_BEGIN, begin)
        elif kind == 'wait':
            what = p.requests.pop(rest[0])
            if what[0] == 'receive':
                self.receive(p, RECEIVE_WAIT, at, self.waiting(p, *what[1:]), rest[0])
            else:
                p.put(-3, SEND_WAIT, rest[0])
                p.now += BEGIN_COST
                p.put(-4, SEND_WAIT)
                self.spend(p, SEND_WAIT, begin)
        elif kind == 'together':
            self.together(*rest)
            return
        elif kind == 'split':
            group, members = rest
            p.put(-3, SPLIT, -1)
            p.now += COLLECTIVE
            p.put(-4, SPLIT, group, len(members))
            p.put(-202, SPLIT, group, *members)
            self.spend(p, SPLIT, begin)
        self.advance(p, answer)

    def together(self, key, size, root, group, members):
        """All members are there: they leave when the last has come."""
        arrived = self.gathering.pop((group, tuple(members)))
        end = max(arrived.values()) + COLLECTIVE + size // BYTES_PER_MICROSECOND
        for number in members:
            p = self.processors[number]
            begin = p.now
            entry = [group] if key == BARRIER else [size, root, group] if root >= 0 \
                else [size, group]
            p.put(-3, key, *entry)
            p.now = end
            p.put(-4, key, *([] if key == BARRIER else [size]))
            self.spend(p, key, begin)
            self.advance(p, None)

    def write(self, path):
        """In order of time; ties by key and kind, both falling, as ParaGraph's guide sorts."""
        heap = []
        for p in self.processors:
            at, kind, key, values = p.records[0]
            heap.append((at, -key, -kind, p.number, 0))
        heapq.heapify(heap)
        with open(path, 'w', encoding='ascii') as out:
            while heap:
                at, key, kind, number, index = heapq.heappop(heap)
                records = self.processors[number].records
                values = records[index][3]
                time = f'{at / 1e6:.6f}'.rstrip('0').rstrip('.')
                text = f'{len(values)} 2 ' + ' '.join(map(str, values)) if values else '0'
                print(-kind, -key, time, number, 0, text, file=out)
                if index + 1 < len(records):
                    at, kind, key, _ = records[index + 1]
                    heapq.heappush(heap, (at, -key, -kind, number, index + 1))

    def write_table(self, path):
        """Messages and bytes by source and destination, microseconds by processor and call."""
        with open(path, 'w', encoding='ascii') as out:
            for (source, destination), (count, size) in sorted(self.messages.items()):
                print('messages', source, destination, count, size, file=out)
            for (number, name), time in sorted(self.times.items()):
                print('time', number, name, time, file=out)


def ring(me, n):
    """A token goes round; each processor works on it, the first a little longer."""
    for lap in range(3):
        if me or lap:
            yield 'receive', (me - 1) % n, 1
        yield 'begin', 0
        work = 30 + 10 * (me == 0)
        yield 'compute', work
        yield 'end', 0, work
        yield 'send', (me + 1) % n, 1, 800
    if me == 0:
        yield 'receive', n - 1, 1


def stencil(me, n):
    """A 4 x 4 mesh: halos while the inner points are computed, then a sum; one row is slow."""
    side = 4
    row, column = divmod(me, side)
    near = [(row + y) * side + column + x for y, x in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= row + y < side and 0 <= column + x < side]
    for step in range(4):
        requests = []
        for other in near:
            requests.append((yield 'receive begin', other, 7))
        for other in near:
            requests.append((yield 'send begin', other, 7, 1600))
        yield 'begin', 1
        work = 60 + 40 * (row == 2)
        yield 'compute', work
        yield 'end', 1, work
        for request in requests:
            yield 'wait', request
        yield 'begin', 2
        yield 'compute', 15
        yield 'end', 2, 15
        yield 'together', ALL_REDUCE, 8, -1, -1, list(range(n))
        if me == 0:
            yield 'mark', step


def all_to_all(me, n):
    """Everybody to everybody, all at once, in halves, and pair by pair."""
    half = list(range(n // 2)) if me < n // 2 else list(range(n // 2, n))
    group = 1 + (me >= n // 2)
    yield 'compute', 20 + me
    yield 'together', ALL_TO_ALL, 400, -1, -1, list(range(n))
    yield 'split', group, half
    yield 'together', ALL_TO_ALL, 200, -1, group, half
    yield 'together', BROADCAST, 1000, half[1], group, half
    for distance in range(1, n):
        other = me ^ distance
        yield 'begin', distance
        if me < other:
            yield 'send', other, distance, 600
            yield 'receive', other, distance
        else:
            yield 'receive', other, distance
            yield 'send', other, distance, 600
        yield 'end', distance
    yield 'together', BARRIER, 0, -1, -1, list(range(n))


def tree(me, n):
    """Values are added up a binary tree, and the sum goes down again, three times."""
    children = [child for child in (2 * me + 1, 2 * me + 2) if child < n]
    for turn in range(3):
        yield 'begin', turn
        yield 'compute', 25 + 5 * (me % 3)
        yield 'end', turn, 25 + 5 * (me % 3)
        for child in children:
            yield 'receive', child, 10 + turn
            yield 'compute', 4
        if me:
            yield 'send', (me - 1) // 2, 10 + turn, 64
            yield 'receive', (me - 1) // 2, 20 + turn
        for child in children:
            yield 'send', child, 20 + turn, 64


def master_worker(me, n):
    """The master gives work to whoever asks; pieces differ by a factor of ten."""
    pieces = random.Random(4)
    sizes = [pieces.randrange(20, 200) for _ in range(40)]
    if me == 0:
        left = n - 1
        while left:
            worker, _, _ = yield 'receive', -1, 1
            yield 'compute', 2
            if sizes:
                yield 'send', worker, 2, sizes.pop()
            else:
                yield 'send', worker, 3, 0
                left -= 1
        return
    while True:
        yield 'send', 0, 1, 16
        _, tag, size = yield 'receive', 0, -1  # work, whose bytes say how much, or the end
        if tag == 3:
            return
        yield 'begin', 5
        yield 'compute', size
        yield 'end', 5, size


def hypercube(me, n):
    """Partners along each dimension exchange what they have, which doubles."""
    size = 200
    for dimension in range(n.bit_length() - 1):
        yield 'begin', dimension
        yield 'compute', 20 + 10 * dimension
        other = me ^ 1 << dimension
        request = yield 'receive begin', other, dimension
        yield 'send', other, dimension, size
        yield 'wait', request
        yield 'end', dimension, size
        size *= 2
    yield 'together', BARRIER, 0, -1, -1, list(range(n))


PROGRAMS = {'ring': (ring, 8), 'stencil': (stencil, 16), 'all_to_all': (all_to_all, 8),
            'tree': (tree, 15), 'master_worker': (master_worker, 9),
            'hypercube': (hypercube, 16)}


def main():
    folder = sys.argv[1]
    for name, (program, n) in PROGRAMS.items():
        run = Run(n, program)
        run.write(os.path.join(folder, name + '.trf'))
        if '--tables' in sys.argv[2:]:
            run.write_table(os.path.join(folder, name + '.table'))


if __name__ == '__main__':
    main()
