#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The five displays of examples/displays, on the command line and from the server, at random moments
in random order: their tables against the state that the lines of the trace leave, read here.  TAP."""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

WEFT, DISPLAYS, EXAMPLES = (os.environ[name] for name in ('WEFT', 'DISPLAYS', 'EXAMPLES'))
DATA = '-6'


def records(path, until):
    """(event, data, processor, time in us, values) of the data records up to UNTIL us."""
    with open(path, encoding='ascii') as file:
        for line in file:
            kind, event, time, processor, _, *values = line.split()
            time = round(float(time) * 1e6)
            if kind == DATA and time <= until:
                yield int(event), int(values[2]), int(processor), time, list(map(int, values[3:]))


def sorting(lines, _):
    held = {}
    for _, processor, _, _, values in lines:
        held[processor] = values
    # As the display: a processor that said nothing holds nothing.
    return [[p, i, item] for p in sorted(held) for i, item in enumerate(held[p])]


def transposition(lines, _):
    place = {}
    n = 0
    for _, what, _, _, values in lines:
        if what == 0:
            n = values[0]
            place = {(i, j): (i, j) for i in range(n) for j in range(n)}
            continue
        row, column, size = values
        old = dict(place)
        for i in range(size):
            for j in range(size):
                low, right = i >= size // 2, j >= size // 2
                if what == 1:
                    place[row + i, column + j] = old[row + j, column + i]
                elif low and not right:
                    place[row + i, column + j] = old[row + i - size // 2, column + j + size // 2]
                elif right and not low:
                    place[row + i, column + j] = old[row + i + size // 2, column + j - size // 2]
    return [[i, j, *place[i, j]] for i in range(n) for j in range(n)]


def matrix(lines, _):
    count = {}
    for _, what, processor, _, values in lines:
        if what == 0:
            count = {(i, j): [0, 0, -1] for i in range(values[0]) for j in range(values[1])}
            continue
        row, column, rows, columns = values
        for at, element in count.items():
            if row <= at[0] < row + rows and column <= at[1] < column + columns:
                element[what - 1] += 1
                if what == 2:
                    element[2] = processor
    return [[*at, *element] for at, element in sorted(count.items())]


def graph(lines, _):
    reached = []
    for _, what, processor, time, values in lines:
        if what == 0:
            reached = [[v, -1, -1, None] for v in range(values[0])]
        if what == 2:
            reached[values[0]] = [values[0], values[1], processor, time * 1000]
    return reached


def operations(lines, until):
    done = {}
    for _, kind, processor, _, values in lines:
        done[processor, kind] = done.get((processor, kind), 0) + values[0]
    return [[*key, n, n / (until * 1e-6) if until else 0] for key, n in sorted(done.items())]


PROGRAMS = [sorting, transposition, matrix, graph, operations]


def length(path):
    with open(path, encoding='ascii') as file:
        return max(round(float(line.split()[2]) * 1e6) for line in file)


def same(text, wanted):
    found = list(csv.reader(io.StringIO(text)))[1:]
    return len(found) == len(wanted) and all(
        len(a) == len(b) and all(
            (x == '' and y is None) or (x != '' and y is not None
                                        and abs(float(x) - y) <= 1e-9 * abs(y))
            for x, y in zip(a, b))
        for a, b in zip(found, wanted))


class Server:
    def __init__(self, trace, display, environment):
        self.process = subprocess.Popen(
            [WEFT, 'view', '--no-browser', '--port', '0', '--display', display, trace],
            stdout=subprocess.PIPE, text=True, env=environment)
        self.address = self.process.stdout.readline().strip()

    def table(self, view, until):
        parts = urllib.parse.urlsplit(self.address)
        query = parts.query + f'&at={until}us'
        with urllib.request.urlopen(f'{parts.scheme}://{parts.netloc}/view/{view}.csv?{query}') as answer:
            return answer.read().decode()

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def main():
    random.seed(20261128)
    cases, failed = 0, 0

    def check(name, ok):
        nonlocal cases, failed
        cases += 1
        failed += not ok
        print('ok' if ok else 'not ok', cases, '-', name, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, 'WEFT_CACHE': folder, 'XDG_STATE_HOME': folder,
                       'XDG_DATA_HOME': folder}
        subprocess.run([sys.executable, os.path.join(EXAMPLES, 'generate.py'), folder], check=True)
        for program in PROGRAMS:
            name = program.__name__
            trace, display = os.path.join(folder, name + '.trf'), os.path.join(DISPLAYS, name + '.so')
            end = length(trace)
            table = subprocess.run([WEFT, 'render', name, trace, '--display', display, '--format', 'csv'],
                                   capture_output=True, text=True, check=True, env=environment).stdout
            check(f'{name}: its table of the whole run', same(table, program(records(trace, end), end)))
            for ending in ('png', 'svg', 'pdf'):
                out = os.path.join(folder, f'{name}.{ending}')
                subprocess.run([WEFT, 'render', name, trace, '--display', display, '-o', out],
                               check=True, env=environment)
                check(f'{name}: a picture as {ending}', os.path.getsize(out) > 2000)
            server = Server(trace, display, environment)
            moments = [0, end, *(random.randrange(end + 1) for _ in range(30))]
            random.shuffle(moments)
            wrong = [at for at in moments
                     if not same(server.table(name, at), program(records(trace, at), at))]
            check(f'{name}: 32 moments, forwards and backwards; wrong: {wrong}', not wrong)
            server.close()
    print(f'1..{cases}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
