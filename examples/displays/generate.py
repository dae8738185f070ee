#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of five programs that say by tracedata what they do, simulated, as PICL traces for the
displays in this folder.

    generate.py FOLDER    write sorting.trf, transposition.trf ... there

The events of each are described in the display's file (sorting.c ...).
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'picl'))
from generate import Run  # noqa: E402  (beside this folder)

SORTING, TRANSPOSITION, MATRIX, GRAPH, OPERATIONS = 1, 2, 3, 4, 5
PROCESSORS, ITEMS = 8, 6  # of the sort
ORDER, BLOCK = 16, 2      # of the transposed matrix; blocks that are no longer divided
ROWS = 12                 # of the factorised matrix
VERTICES = 40


def sorting():
    """Odd-even transposition: neighbours exchange their items, and keep the lower or upper half."""
    numbers = list(range(PROCESSORS * ITEMS))
    random.Random(11).shuffle(numbers)
    held = [sorted(numbers[p * ITEMS:(p + 1) * ITEMS]) for p in range(PROCESSORS)]
    first = [numbers[p * ITEMS:(p + 1) * ITEMS] for p in range(PROCESSORS)]
    sent = {}

    def program(me, n):
        yield 'data', SORTING, me, *first[me]
        yield 'begin', 0
        yield 'compute', 30 + 3 * me
        yield 'end', 0
        yield 'data', SORTING, me, *held[me]
        for phase in range(n):
            other = me + 1 if (me + phase) % 2 == 0 else me - 1
            if not 0 <= other < n:
                continue
            sent[me, phase] = list(held[me])
            yield 'send', other, phase, 4 * ITEMS
            yield 'receive', other, phase
            yield 'begin', 1
            yield 'compute', 12
            both = sorted(held[me] + sent[other, phase])
            held[me] = both[:ITEMS] if me < other else both[ITEMS:]
            yield 'end', 1
            yield 'data', SORTING, me, *held[me]
    return program, PROCESSORS


def transposition():
    """Four processors hold a quarter of the matrix each: the two beside the diagonal exchange
    theirs; then each transposes its own, quarter by quarter, in the same way."""
    half = ORDER // 2

    def within(row, column, size):
        if size <= BLOCK:
            yield 'compute', 3
            yield 'data', TRANSPOSITION, 1, row, column, size
            return
        part = size // 2
        yield 'compute', 2 * part
        yield 'data', TRANSPOSITION, 2, row, column, size
        for down in (0, part):
            for right in (0, part):
                yield from within(row + down, column + right, part)

    def program(me, n):
        row, column = me // 2 * half, me % 2 * half
        if me == 0:
            yield 'data', TRANSPOSITION, 0, ORDER, n
        yield 'compute', 5
        if row != column:
            yield 'send', 3 - me, 1, 8 * half * half
            yield 'receive', 3 - me, 1
            if me == 1:
                yield 'data', TRANSPOSITION, 2, 0, 0, ORDER
                yield 'send', 2, 2, 0
            else:
                yield 'receive', 1, 2
        yield from within(row, column, half)
    return program, 4


def matrix():
    """LU factorisation without pivoting; rows are dealt out to the processors in turn."""
    def program(me, n):
        if me == 0:
            yield 'data', MATRIX, 0, ROWS, ROWS
        for k in range(ROWS - 1):
            if k % n == me:
                for other in range(n):
                    if other != me:
                        yield 'send', other, k, 8 * (ROWS - k)
            else:
                yield 'receive', k % n, k
            yield 'begin', 2
            for row in range(k + 1, ROWS):
                if row % n != me:
                    continue
                yield 'data', MATRIX, 1, k, k, 1, ROWS - k
                yield 'compute', ROWS - k
                yield 'data', MATRIX, 2, row, k, 1, ROWS - k
            yield 'end', 2
    return program, 4


def edges_of_graph():
    """A ring with chords, so that all vertices can be reached."""
    chords = random.Random(5)
    edges = {(v, (v + 1) % VERTICES) for v in range(VERTICES)}
    while len(edges) < VERTICES * 3 // 2:
        u, v = sorted(chords.sample(range(VERTICES), 2))
        edges.add((u, v))
    return sorted(edges)


def graph():
    """Breadth-first search from vertex 0, level by level; vertices are dealt out in turn."""
    edges = edges_of_graph()
    near = {v: [] for v in range(VERTICES)}
    for u, v in edges:
        near[u].append(v)
        near[v].append(u)
    level = {0: 0}
    levels = [[0]]
    while levels[-1]:
        reached = sorted({w for v in levels[-1] for w in near[v] if w not in level})
        level.update({w: len(levels) for w in reached})
        levels.append(reached)

    def program(me, n):
        if me == 0:
            yield 'data', GRAPH, 0, VERTICES
            for edge in edges:
                yield 'data', GRAPH, 1, *edge
        for depth, vertices in enumerate(levels[:-1]):
            yield 'begin', depth
            for v in vertices:
                if v % n == me:
                    yield 'compute', 4 + 2 * len(near[v])
                    yield 'data', GRAPH, 2, v, depth
            yield 'end', depth
            for other in range(n):
                if other != me:
                    yield 'send', other, depth, 4 * len(vertices)
            for other in range(n):
                if other != me:
                    yield 'receive', other, depth
    return program, 4


def operations():
    """Steps of a simulation; particles move from the first processors to the last ones."""
    def program(me, n):
        for step in range(20):
            particles = 10 + step * me
            flops = 50 * particles
            yield 'begin', 0
            yield 'compute', particles
            yield 'end', 0, flops
            yield 'data', OPERATIONS, 0, flops
            yield 'data', OPERATIONS, 1, particles
            if step % 5 == 4:
                yield 'data', OPERATIONS, 2, 1
            if me + 1 < n:
                yield 'send', me + 1, step, 100 * particles
            if me:
                yield 'receive', me - 1, step
    return program, 6


def main():
    for make in (sorting, transposition, matrix, graph, operations):
        program, n = make()
        Run(n, program).write(os.path.join(sys.argv[1], make.__name__ + '.trf'))


if __name__ == '__main__':
    main()
