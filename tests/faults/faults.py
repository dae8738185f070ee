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
import http.client
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

CALLS = {  # and with which errors: ENOSPC, EIO, ENOMEM, EACCES, ENOLCK, EMLINK, EINTR
    "write": [28, 5, 4], "read": [5, 4], "open": [13, 24], "rename": [28], "link": [28, 31],
    "fsync": [5], "truncate": [28], "seek": [5], "lock": [37], "mmap": [12], "malloc": [12],
}
STATUSES = {3, 4, 134}
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
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
        self.right, self.said = None, ""

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
        subprocess.run(["zstd", "-q", self.path("trace.paje")], check=True)
        subprocess.run([self.weft, "convert", "trace.paje", "-o", "trace.weft"],
                       cwd=self.folder, check=True, env=self.environment({}),
                       stderr=subprocess.DEVNULL)  # the trace has faults

    def environment(self, faults):
        return {**{k: v for k, v in os.environ.items() if not k.startswith("FAIL_")},
                "WEFT_CACHE": self.path("cache"), "TMPDIR": self.path("temporary"),
                "HOME": self.folder, "XDG_STATE_HOME": self.path("state"), "XDG_CONFIG_HOME": self.path("config"), **faults}

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

    def kill(self, name, faults, seconds):
        process = self.start(faults)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        if self.output and self.result(out) not in (None, self.right):
            fault(name, "left something half under the final name")

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
        self.right, self.said = self.result(out), err
        self.whole = self.dump("trace.paje")
        assert self.right and not self.left_over()

    def check(self, name, status, out, err, system={}):
        """After a run with faults: what it says, and what is there.  SYSTEM stays as it is."""
        err = err.removeprefix(self.said)  # of the trace, as without faults
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


class Join(Command):
    """The join of a recording, which stays until its store is there."""

    def inputs(self):
        super().inputs()
        near = os.path.join(os.path.dirname(self.weft), "..")
        libraries = [os.path.join(near, "record", f"libweft-record-{name}.so")
                     for name in ("core", "threads", "annotate")]
        with open(os.path.join(SOURCES, "src/format/recording_layout.h")) as text:
            magic = re.search(r'RECORDING_MAGIC "(.*)"', text.read())[1]
        os.mkdir(self.path("kept"))
        with open(self.path("kept/recording"), "w") as out:
            out.write(magic + "\n")
        subprocess.run([os.path.join(near, "../tests/live/live_annotate"), "rounds", "300"],
                       check=True, stdout=subprocess.DEVNULL,
                       env={**self.environment({}), "WEFT_RECORD_DIR": self.path("kept"),
                            "LD_PRELOAD": ":".join(map(os.path.abspath, libraries))})
        shutil.copytree(self.path("kept"), self.path("recording"))

    def clear(self):
        super().clear()
        self.put_recording()

    def put_recording(self):
        shutil.rmtree(self.path("recording"), ignore_errors=True)
        shutil.copytree(self.path("kept"), self.path("recording"))

    def run(self, faults, prepare=None):
        if not os.path.exists(self.path("recording")):
            self.put_recording()
        return super().run(faults, prepare)

    def untouched(self):
        return subprocess.run(["diff", "-r", "kept", "recording"], cwd=self.folder,
                              capture_output=True).returncode == 0

    def check(self, name, status, out, err, system={}):
        first, _, rest = err.partition("\n")
        stays = re.search("weft recover (joins|makes)", first)
        part = "not all of it could be read" in err
        found = self.result(out)
        if found != self.right and not self.untouched():
            fault(name, "the recording is not as it was, and there is no whole trace")
        if status in STATUSES and rest and (stays or found == self.right):
            err = rest  # the first line says where it stays, or what is in the trace
        if part and status != 3:
            fault(name, f"ends with {status} of a part: {err.strip()}")
        if part:
            err = "weft: what could be read is in the trace\n"
        if part and found != self.right:
            os.remove(self.path(self.output))
        if found == self.right:  # what is left of the recording is of no use any more
            self.put_recording()
        super().check(name, status, out, err, system)


class Run(Join):
    """The recording of a run of weft fghc, which stays until its store is there."""

    def inputs(self):
        Command.inputs(self)
        os.makedirs(self.path("run/x.weft"))  # a folder, in place of which no store can be put
        program = os.path.join(SOURCES, "examples/fghc/primes.fghc")
        subprocess.run([self.weft, "fghc", program, "go(200,P)", "--pes", "2", "-o", "x.weft"],
                       cwd=self.path("run"), capture_output=True, env=self.environment({}))
        left, = (name for name in os.listdir(self.path("run")) if ".recording-" in name)
        shutil.move(self.path(f"run/{left}"), self.path("kept"))
        self.put_recording()

    def put_recording(self):
        shutil.copy(self.path("kept"), self.path("recording"))
class Fghc(Command):
    """A run that is recorded: the recording stays until its trace is there.  Times differ from
    run to run, so a trace is the number of reductions and the problems that it has."""

    PROGRAM = """go(N, R) :- N > 0, M := N - 1 | R = [N|S], go(M, S).
go(0, R) :- R = [].
"""

    def inputs(self):
        super().inputs()
        with open(self.path("count.fghc"), "w") as out:
            out.write(self.PROGRAM)

    def dump(self, path):
        status, out = super().dump(path)
        if not path.startswith("out/") and self.folder + "/out" not in path:
            return status, out
        problems = subprocess.run([self.weft, "check", path], cwd=self.folder, text=True,
                                  capture_output=True, env=self.environment({})).stdout
        return status, out.count(b"\nState"), problems

    def run(self, faults, prepare=None):
        status, out, err = super().run(faults, prepare)
        lines = [line for line in err.splitlines(True) if " suspensions, " not in line]
        return status, out, "".join(lines)

    def recordings(self):
        return [n for n in os.listdir(self.path("out")) if ".recording-" in n]

    def check(self, name, status, out, err, system={}):
        found, stays = self.result(out), self.recordings()
        for recording in stays:
            if recording not in err and status != 134:  # without memory there is one line only
                fault(name, f"{recording} stays, and nothing says so: {err.strip()!r}")
        if found != self.right and status == 0:
            fault(name, f"ends with 0 and has {found}: {err.strip()}")
        elif found not in (None, self.right) and "until then" not in err:
            fault(name, f"has a part of the run, and says nothing: {err.strip()}")
        if status and "weft recover makes" in err and not stays:
            fault(name, f"there is no recording: {err.strip()}")
        for recording in stays:
            os.remove(self.path("out/" + recording))
        last = err.splitlines(True)[-1:]  # those before say what stays, or what is in the trace
        if found not in (None, self.right):
            os.remove(self.path(self.output))
        super().check(name, status, out, "".join(last) if status else err, system)

    def kill(self, name, faults, seconds):
        process = self.start(faults)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        if self.result(out) not in (None, self.right):
            fault(name, "left something half under the final name")
        for recording in self.recordings():
            os.remove(self.path("out/" + recording))


class View(Command):
    """The server: it starts, is asked for pictures, tables and marks, and is ended."""

    PATHS = ["view/space-time.svg?trace=1&width=600&height=400",
             "view/overview.packed?trace=0&width=300&height=200", "view/space-time.rows?trace=0",
             "view/state-summary.csv?trace=1", "trace?trace=0", "marks?trace=1"]
    MARK = b"+5\t10\tnew\n"
    OLD, NEW = "7\t1\told\n", "7\t1\told\n5\t10\tnew\n"

    def clear(self):
        super().clear()
        with open(self.path("trace.weft.marks"), "w") as out:
            out.write(self.OLD)

    def ask(self, base, path, body=None):
        """Status and content; None when there is no answer."""
        url, token = base.split("?token=")
        request = urllib.request.Request(url + path, data=body)
        request.add_header("Authorization", "Bearer " + token)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except (OSError, http.client.HTTPException):
            return None

    def ask_all(self, base):
        answers = {path: self.ask(base, path) for path in self.PATHS}
        answers["POST"] = self.ask(base, "marks?trace=1", self.MARK)
        return answers

    def start(self, faults, prepare=None):
        process = super().start(faults, prepare)
        killer = threading.Timer(20, process.kill)  # a start that takes so long is a fault
        killer.start()
        process.base = process.stdout.readline().decode().strip()
        killer.cancel()
        return process

    def run(self, faults, prepare=None):
        process = self.start(faults, prepare)
        answers = self.ask_all(process.base) if "?token=" in process.base else {}
        if answers:
            process.terminate()
        _, err = process.communicate(timeout=60)
        return process.returncode, answers, err.decode(errors="replace")

    def result(self, out):
        return out

    def learn(self):
        self.clear()
        status, answers, err = self.run({})
        assert status == 0, f"{self.name} fails by itself: {err}"
        self.right = answers
        self.whole = self.dump("trace.paje")
        for path, answer in answers.items():
            assert answer and answer[0] == 200, (path, answer)

    def marks(self):
        with open(self.path("trace.weft.marks")) as text:
            return text.read()

    def left_over(self):
        return super().left_over() + [n for n in os.listdir(self.folder) if ".marks" in n[1:]
                                      and n != "trace.weft.marks"]

    def is_right(self, path, answer):
        if path.startswith("marks"):
            return answer in (self.right[path], self.right["POST"])
        if not path.startswith("trace?"):
            return answer == self.right[path]
        # How far reading was depends on whether there is an index; and a failure is an answer.
        told, right = json.loads(answer[1]), json.loads(self.right[path][1])
        return (told.get("state") == "failed" and "error" in told
                or {**told, "done": 0, "total": 0} == {**right, "done": 0, "total": 0})

    def check_answers(self, name, answers):
        for path, answer in answers.items():
            if answer is None or answer[0] < 400 and self.is_right(path, answer):
                continue
            if answer[0] < 400 or not answer[1].startswith(b'{"error"'):
                fault(name, f"{path}: a wrong answer: {answer[0]} {answer[1][:200]!r}")
        if self.marks() not in (self.OLD, self.NEW):
            fault(name, f"the marks are now {self.marks()!r}")
        if (answers.get("POST") or [0])[0] == 200 and self.marks() != self.NEW:
            fault(name, "marks that were answered with 200 are not there")

    def check(self, name, status, out, err, system={}):
        if status not in STATUSES | {0}:
            fault(name, f"ends with {status}: {err.strip()}")
        elif status and (not err.startswith("weft: ") or err.count("\n") != 1):
            fault(name, f"ends with {status} and says: {err.strip()!r}")
        self.check_answers(name, out)
        self.check_next(name, system)

    def check_next(self, name, faults):
        status, answers, err = self.run(faults)
        if status != 0 or None in answers.values() or len(answers) != len(self.right):
            fault(name, f"the next run ends with {status}: {err.strip()}")
        self.check_answers(name + ", the next run", answers)
        if self.left_over():
            fault(name, f"left over after the next run: {self.left_over()}")

    def kill(self, name, faults, seconds):
        process = super(View, self).start(faults)
        killer = threading.Timer(seconds, process.kill)
        killer.start()
        base = process.stdout.readline().decode().strip()
        if "?token=" in base:
            self.ask_all(base)
        killer.join()
        process.communicate()
        if self.marks() not in (self.OLD, self.NEW):
            fault(name, f"the marks are now {self.marks()!r}")


def memory():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def commands(weft):
    return [
        Command(weft, "convert", ["convert", "trace.paje", "-o", "out/x.weft"], "out/x.weft"),
        Command(weft, "unpack", ["convert", "trace.paje.gz", "-o", "out/x.weft"], "out/x.weft"),
        Command(weft, "unpack-xz", ["convert", "trace.paje.xz", "-o", "out/x.weft"],
                "out/x.weft"),
        Command(weft, "unpack-zst", ["convert", "trace.paje.zst", "-o", "out/x.weft"],
                "out/x.weft"),
        Command(weft, "write", ["convert", "trace.paje", "-o", "out/x.paje"], "out/x.paje"),
        Command(weft, "copy", ["convert", "trace.weft", "-o", "out/x.weft"], "out/x.weft"),
        Command(weft, "index", ["index", "trace.paje"]),
        Command(weft, "stats", ["stats", "trace.paje", "--format", "csv"]),
        Command(weft, "dump", ["dump", "trace.paje"]),
        Command(weft, "render", ["render", "space-time", "trace.paje", "--format", "csv"]),
        Join(weft, "join", ["recover", "recording", "-o", "out/x.weft"], "out/x.weft"),
        Run(weft, "run", ["recover", "recording", "-o", "out/x.weft"], "out/x.weft"),
        Fghc(weft, "fghc", ["fghc", "count.fghc", "go(2000,_)", "-o", "out/x.weft"],
             "out/x.weft"),
        View(weft, "view", ["view", "--no-browser", "trace.paje", "trace.weft"]),
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
        name = f"{command.name}, killed ({i})"
        command.kill(name, named, chance.random() * longest)
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
    every = commands(weft)
    tried = [c for c in every if arguments.only in (None, c.name)]
    try:
        for i, command in enumerate(tried):
            before = failures
            command.learn()
            failing_calls(command, library, arguments.most, arguments.step)
            short_calls(command, library)
            small_disks(command, [0, 100, 4096, 10000, 100000][:: 1 if arguments.step == 1 else 2])
            kills(command, library, -(-arguments.kills // len(tried)), i)
            print(f"{'ok' if failures == before else 'not ok'} {i + 1} - {command.name}", flush=True)
    finally:
        for command in every:
            shutil.rmtree(command.folder)
    print(f"# {cases} runs with a fault, {failures} of them wrong")
    print(f"1..{len(tried)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
