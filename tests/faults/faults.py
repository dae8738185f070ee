#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What weft does when calls fail, files may not grow, and it is killed.

For each command and each kind of call: the n-th call fails, for n = 1, 2, ... (fail.c), alone or
with all that follow it.  Then weft ends with a status that the command line's page has and one line
of error, or it got along, and the result is that of a run without faults.  Nothing half has a final
name, nothing is left over after the next run, and no index is short: what is read through the cache
afterwards is whole.
"""
import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CALLS = {  # and with which errors: ENOSPC, EIO, ENOMEM, EACCES, ENOLCK, EMLINK, EINTR
    "write": [28, 5, 4], "read": [5, 4], "open": [13, 24], "rename": [28], "link": [28, 31],
    "fsync": [5], "truncate": [28], "seek": [5], "lock": [37], "mmap": [12], "malloc": [12],
}
STATUSES = {3, 4, 134}
cases = failures = 0


def fault(name, what):
    global failures
    failures += 1
    print(f"#   {name}: {what}", flush=True)


class Command:
    """A command of weft in a folder of its own: its inputs, its output and what that must be."""

    def __init__(self, weft, name, arguments, output=None):
        self.weft, self.name, self.arguments, self.output = weft, name, arguments, output
        self.folder = tempfile.mkdtemp(prefix="weft-faults-", dir=memory())
        for folder in ("out", "cache", "temporary"):
            os.mkdir(self.path(folder))
        self.inputs()
        self.right = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def inputs(self):
        source = os.path.join(os.path.dirname(__file__), "../cli/small.paje")
        head = open(source).read()
        body = "".join(f"8 {11 + i} S p{1 + i % 2} {('run', 'wait', 'idle')[i % 3]}\n"
                       f"13 {11 + i} L 0 p{1 + i % 2} data more{i}\n" for i in range(400))
        at = head.index("7 10 P p1")
        text = head[:at] + body + head[at:].replace("7 10 P", "7 500 P")
        with open(self.path("trace.paje"), "w") as out:
            out.write(text)
        subprocess.run(["gzip", "-kn", self.path("trace.paje")], check=True)
        subprocess.run(["xz", "-k", self.path("trace.paje")], check=True)
        subprocess.run([self.weft, "convert", "trace.paje", "-o", "trace.weft"],
                       cwd=self.folder, check=True, env=self.environment({}))

    def environment(self, faults):
        return {**{k: v for k, v in os.environ.items() if not k.startswith("FAIL_")},
                "WEFT_CACHE": self.path("cache"), "TMPDIR": self.path("temporary"),
                "HOME": self.folder, "XDG_CONFIG_HOME": self.path("config"), **faults}

    def clear(self):
        for folder in ("out", "cache", "temporary"):
            for name in os.listdir(self.path(folder)):
                os.remove(os.path.join(self.path(folder), name))

    def start(self, faults, prepare=None):
        return subprocess.Popen([self.weft, *self.arguments], cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=prepare,
                                env=self.environment(faults))

    def run(self, faults, prepare=None):
        process = self.start(faults, prepare)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err.decode(errors="replace")

    def dump(self, path):
        got = subprocess.run([self.weft, "dump", path], cwd=self.folder, capture_output=True,
                             env=self.environment({}))
        return got.returncode, got.stdout

    def result(self, out):
        """What a run produced: its output file, or what it printed; the whole index, too."""
        if self.output:
            path = self.path(self.output)
            return self.dump(path) if os.path.exists(path) else None
        if self.arguments[0] == "index":
            return self.dump(out.decode().strip()) if out else None
        return out

    def left_over(self):
        names = [f"out/{n}" for n in os.listdir(self.path("out"))]
        names += [f"cache/{n}" for n in os.listdir(self.path("cache")) if n.startswith(".")]
        names += [f"temporary/{n}" for n in os.listdir(self.path("temporary"))]
        return [n for n in names if n != self.output]

    def learn(self):
        status, out, err = self.run({})
        assert status == 0, f"{self.name} fails by itself: {err}"
        self.right = self.result(out)
        self.whole = self.dump("trace.paje")
        assert self.right and not self.left_over()

    def check(self, name, status, out, err, system={}):
        """After a run with faults: what it says, and what is there.  SYSTEM stays as it is."""
        if status == 0:
            if self.result(out) != self.right:
                fault(name, "ends with 0 and another result")
        elif status not in STATUSES:
            fault(name, f"ends with {status}: {err.strip()}")
        elif not err.startswith("weft: ") or err.count("\n") != 1:
            fault(name, f"ends with {status} and says: {err.strip()!r}")
        elif self.output and self.result(out) not in (None, self.right):
            fault(name, "left something half under the final name")
        self.check_next(name, system)

    def check_next(self, name, faults):
        status, out, err = self.run(faults)
        if status != 0 or self.result(out) != self.right:
            fault(name, f"the next run ends with {status}: {err.strip()}")
        if self.left_over():
            fault(name, f"left over after the next run: {self.left_over()}")
        if self.dump("trace.paje") != self.whole:
            fault(name, "what is read through the cache is another trace")


def memory():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def commands(weft):
    return [
        Command(weft, "convert", ["convert", "trace.paje", "-o", "out/x.weft"], "out/x.weft"),
        Command(weft, "unpack", ["convert", "trace.paje.gz", "-o", "out/x.weft"], "out/x.weft"),
        Command(weft, "unpack-xz", ["convert", "trace.paje.xz", "-o", "out/x.weft"],
                "out/x.weft"),
        Command(weft, "write", ["convert", "trace.paje", "-o", "out/x.paje"], "out/x.paje"),
        Command(weft, "copy", ["convert", "trace.weft", "-o", "out/x.weft"], "out/x.weft"),
        Command(weft, "index", ["index", "trace.paje"]),
        Command(weft, "stats", ["stats", "trace.paje", "--format", "csv"]),
        Command(weft, "check", ["dump", "trace.paje"]),
        Command(weft, "render", ["render", "space-time", "trace.paje", "--format", "csv"]),
    ]


def without_names(library):
    """A file system that has no files without names."""
    return {"FAIL_CALL": "none", "FAIL_NAMED": "1", "LD_PRELOAD": library}


def count(command, faults, library):
    """How many such calls the command makes."""
    path = command.path("calls")
    command.clear()
    status, _, err = command.run({**faults, "FAIL_COUNT": path, "LD_PRELOAD": library})
    if status == 77:
        print("1..0 # SKIP no filters of system calls here")
        sys.exit(77)
    if status != 0:
        fault(command.name, f"fails under the library that counts: {err}")
        return 0
    with open(path) as text:
        return int(text.read())


def failing_calls(command, library, most, step):
    global cases
    for call, errors in CALLS.items():
        for on in (0, 1):
            base = {"FAIL_CALL": call, "FAIL_ON": str(on)}
            calls = min(most, count(command, base, library))
            for n in range(1, calls + 1, step):
                number = errors[n % len(errors)]
                if on and number == 4:
                    number = errors[0]  # interrupted for ever would be no fault of weft's
                named = n % 2
                cases += 1
                command.clear()
                replaces = command.output and n % 3 == 0
                if replaces:  # the file is there already, so that it must be replaced
                    command.run({})
                name = (f"{command.name}, {call} {n}{' and on' if on else ''}, error {number}"
                        f"{', named' if named else ''}{', replacing' if replaces else ''}")
                command.check(name, *command.run(
                    {**base, "FAIL_AT": str(n), "FAIL_ERRNO": str(number),
                     "FAIL_NAMED": str(named), "LD_PRELOAD": library}),
                    without_names(library) if named else {})


def short_calls(command, library):
    """Every read or write moves one byte only: slower, and right."""
    global cases
    for call in ("read", "write"):
        cases += 1
        command.clear()
        name = f"{command.name}, short {call}s"
        status, out, err = command.run({"FAIL_CALL": call, "FAIL_AT": "1", "FAIL_ON": "1",
                                        "FAIL_SHORT": "1", "LD_PRELOAD": library})
        if status != 0 or command.result(out) != command.right:
            fault(name, f"ends with {status}: {err.strip()}")


def small_disks(command, sizes):
    """No file may grow beyond a size."""
    global cases
    for size in sizes:
        cases += 1
        command.clear()
        name = f"{command.name}, files of {size} bytes at most"
        command.check(name, *command.run(
            {}, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))))


def kills(command, library, number, seed):
    """SIGKILL at any moment."""
    global cases
    chance = random.Random(seed)
    begun = time.monotonic()
    command.clear()
    command.run({})
    longest = time.monotonic() - begun
    for i in range(number):
        cases += 1
        if i % 4 == 0:
            command.clear()
        named = without_names(library) if i // 10 % 2 else {}
        process = command.start(named)
        time.sleep(chance.random() * longest)
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate()
        name = f"{command.name}, killed ({i})"
        if command.output and command.result(out) not in (None, command.right):
            fault(name, "left something half under the final name")
        if i % 10 == 9:
            command.check_next(name, named)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("library")
    parser.add_argument("--most", type=int, default=300, help="the last call that fails")
    parser.add_argument("--step", type=int, default=1, help="only every STEP-th")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--only", help="the command of that name")
    arguments = parser.parse_args()
    weft, library = os.path.abspath(arguments.weft), os.path.abspath(arguments.library)
    tried = [c for c in commands(weft) if arguments.only in (None, c.name)]
    for i, command in enumerate(tried):
        before = failures
        try:
            command.learn()
            failing_calls(command, library, arguments.most, arguments.step)
            short_calls(command, library)
            small_disks(command, [0, 100, 4096, 10000, 100000][:: 1 if arguments.step == 1 else 2])
            kills(command, library, arguments.kills // len(tried), i)
        finally:
            shutil.rmtree(command.folder)
        print(f"{'ok' if failures == before else 'not ok'} {i + 1} - {command.name}", flush=True)
    print(f"# {cases} runs with a fault, {failures} of them wrong")
    print(f"1..{len(tried)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
