#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A moment has one table, however it is come to: the tables of all views that have a moment, asked
of one server backwards from the end, forwards, and in random order, are those of `weft render --at`,
a new process each time.  On random traces of message passing.  TAP.  WEFT and GENERATE name the
program and the generator of traces."""
import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

WEFT, GENERATE = os.environ['WEFT'], os.environ['GENERATE']
TRACES = [(11, 5, []), (12, 9, ['ties']), (13, 16, ['skew'])]
MOMENTS = 8


class Server:
    def __init__(self, trace, environment):
        self.process = subprocess.Popen([WEFT, 'view', '--no-browser', '--port', '0', trace],
                                        stdout=subprocess.PIPE, text=True, env=environment)
        self.parts = urllib.parse.urlsplit(self.process.stdout.readline().strip())

    def get(self, path, query=''):
        address = f'{self.parts.scheme}://{self.parts.netloc}/{path}?{self.parts.query}{query}'
        with urllib.request.urlopen(address) as answer:
            return answer.read().decode()

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def orders(moments):
    shuffled = moments[:]
    random.shuffle(shuffled)
    return {'backwards': moments[::-1], 'forwards': moments, 'in random order': shuffled}


def main():
    random.seed(41)
    cases = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, 'WEFT_CACHE': folder, 'XDG_STATE_HOME': folder,
                       'XDG_DATA_HOME': folder}
        for seed, processors, kind in TRACES:
            trace = os.path.join(folder, f'{seed}.trf')
            with open(trace, 'w', encoding='ascii') as out:
                subprocess.run([GENERATE, str(seed), str(processors), '80', *kind], check=True, stdout=out)
            server = Server(trace, environment)
            facts = json.loads(server.get('trace', '&trace=0'))
            while facts['state'] != 'ready':
                facts = json.loads(server.get('trace', '&trace=0'))
            end = int(facts['end']) - int(facts['begin'])
            moments = sorted({end, *(random.randrange(end + 1) for _ in range(MOMENTS))})
            views = [v['name'] for v in json.loads(server.get('catalogue'))['views']
                     if v['moment'] != 'none' and v['name'] in facts['fills']]
            for view in views:
                fresh = {at: subprocess.run([WEFT, 'render', view, trace, '--at', f'{at}ns', '--format', 'csv'],
                                            capture_output=True, text=True, check=True, env=environment).stdout
                         for at in moments}
                wrong = [f'{way} at {at}' for way, order in orders(moments).items() for at in order
                         if server.get(f'view/{view}.csv', f'&at={at}ns') != fresh[at]]
                cases += 1
                failed += bool(wrong)
                print(f'{"not ok" if wrong else "ok"} {cases} - {view}, trace {seed}, {len(moments)} moments', flush=True)
                for one in wrong[:3]:
                    print('#', one)
            server.close()
    print(f'1..{cases}')
    return 1 if failed or not cases else 0


if __name__ == '__main__':
    sys.exit(main())
