#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that unpack to much more than they are, and files that change while they are read.

Compressed with each packer, behind the beginning of a trace of each format or behind nothing:
zeros, empty lines, a line without an end, one good record again and again.  Every command ends with
a good answer, or with one line and a status that the command line's page has, and needs less than a
GiB.  Then a text that grows, shrinks, is overwritten or replaced while it is read: the result is of
what was there before or after, or it is refused with a word; no index says anything else.

    bombs.py WEFT [--size BYTES]     unpacked; "make faults" takes 3 GB
"""
import argparse
import gzip
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

MAX_MEMORY = 1 << 30  # bytes
MEMBER = 4 << 20       # bytes that each member of a compressed file unpacks to
PAJE = b"""%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 5
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
1 C 0 Process
2 S C State
5 0 p C 0 process
"""
HEADS = {"none": b"", "paje": PAJE, "vista": b"2\n1 1 0 1 0 0\n",
         "picl": b"-3 -901 0.0 0 0 0\n-3 -21 0.1 0 0 3 2 8 1 0\n-4 -21 0.2 0 0 0\n"}
RECORDS = {"none": b"1 2 3\n", "paje": b"6 1 S p busy\n", "vista": b"2 1 1 7 0 1\n",
           "picl": b"-3 -21 0.3 0 0 3 2 8 1 0\n-4 -21 0.3 0 0 0\n"}
UNITS = {"zeros": lambda head: b"\0", "newlines": lambda head: b"\n", "endless": lambda head: b"7",
         "record": lambda head: RECORDS[head]}
failures = cases = 0


def fault(name, what):
    global failures
    failures += 1
    print(f"#   {name}: {what}", flush=True)


def zstd(text):
    return subprocess.run(["zstd", "-qc"], input=text, stdout=subprocess.PIPE, check=True).stdout


PACKERS = {"gz": lambda text: gzip.compress(text, mtime=0), "xz": lambda text: lzma.compress(text, preset=1)}
if shutil.which("zstd"):
    PACKERS["zst"] = zstd
else:
    print("# no zstd to pack with")


def make_bomb(path, ending, head, unit, size):
    pack = PACKERS[ending]
    member = pack(unit * (MEMBER // len(unit)))
    with open(path, "wb") as out:
        out.write(pack(HEADS[head]) if HEADS[head] else b"")
        for _ in range(max(1, size // MEMBER)):
            out.write(member)


def memory_of(pid):
    """Bytes that are no mapped file's; 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/status") as status:
            found = re.search(r"^RssAnon:\s*(\d+) kB", status.read(), re.MULTILINE)
        return int(found[1]) * 1024 if found else 0
    except (FileNotFoundError, ProcessLookupError):
        return 0


class Place:
    def __init__(self, weft):
        self.weft, self.folder = weft, tempfile.mkdtemp(prefix="weft-bombs-")
        self.environment = {**os.environ, "WEFT_CACHE": self.path("cache"), "HOME": self.folder,
                            "XDG_STATE_HOME": self.path("state"), "TMPDIR": self.folder}

    def path(self, name):
        return os.path.join(self.folder, name)

    def forget(self):
        shutil.rmtree(self.path("cache"), ignore_errors=True)
        for name in os.listdir(self.folder):
            if name.startswith("made."):
                os.remove(self.path(name))

    def start(self, arguments):
        return subprocess.Popen([self.weft, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=open(self.path("out"), "wb"), stderr=open(self.path("err"), "wb"),
                                env=self.environment)

    def run(self, arguments):
        """Status and errors; the status is None when it needed too much."""
        process = self.start(arguments)
        while process.poll() is None:
            if memory_of(process.pid) > MAX_MEMORY:
                process.kill()
                process.wait()
                return None, ""
            time.sleep(0.02)
        with open(self.path("err"), errors="replace") as err:
            return process.returncode, err.read()


def check(name, status, err, good):
    """GOOD: the statuses besides that of an error, which is 3."""
    global cases
    cases += 1
    if status is None:
        fault(name, f"needs more than {MAX_MEMORY >> 20} MiB")
    elif status not in good and status != 3:
        fault(name, f"ends with {status}: {err.strip()!r}")
    elif status == 3 and (not err.startswith("weft: ") or err.count("\n") != 1):
        fault(name, f"says {err.strip()!r}")


def try_bombs(place, size):
    for head in HEADS:
        for payload, unit in UNITS.items():
            # Good records are kept, so that there are as many as the disk has room for.
            bytes_now = size // 10 if payload == "record" else size
            for ending in PACKERS:
                name = f"{payload}.{head}.{ending}"
                make_bomb(place.path("bomb." + ending), ending, head, unit(head), bytes_now)
                commands = [["convert", "bomb." + ending, "-o", "made.weft"]]
                if ending == "gz":
                    commands += [["stats", "bomb.gz"], ["info", "bomb.gz"], ["check", "bomb.gz"]]
                for command in commands:
                    place.forget()
                    status, err = place.run(command)
                    check(f"{command[0]} of {name}", status, err, {0, 1} if command[0] == "check" else {0})
                if ending == "gz":
                    place.forget()
                    view(place, name)
                os.remove(place.path("bomb." + ending))


def view(place, name):
    """The server refuses the file when it starts, or when it has read it, or shows it."""
    global cases
    cases += 1
    process = place.start(["view", "--no-browser", "--port", "0", "bomb.gz"])
    address = None
    try:
        while True:
            with open(place.path("out")) as out:
                address = address or re.search(r"(http://[^/\s]+)/\S*token=(\w+)", out.read())
            if memory_of(process.pid) > MAX_MEMORY:
                return fault(f"view of {name}", f"needs more than {MAX_MEMORY >> 20} MiB")
            if process.poll() is not None:
                with open(place.path("err")) as err:
                    said = err.read()
                return check(f"view of {name}", process.returncode, said, set())
            if address:
                with urllib.request.urlopen(f"{address[1]}/trace?trace=0&token={address[2]}") as answer:
                    facts = json.load(answer)
                if facts["state"] in ("ready", "failed"):
                    if facts["state"] == "failed" and not facts.get("error"):
                        fault(f"view of {name}", "fails without a word")
                    return None
            time.sleep(0.05)
    finally:
        process.terminate()
        process.wait()


def long_text(n):
    return PAJE + b"".join(b"6 %d S p v%d\n" % (i, i * i % 9) for i in range(n))


def reading(process, name):
    """Until the process has begun to read the file; then it is stopped."""
    while process.poll() is None:
        try:
            for number in os.listdir(f"/proc/{process.pid}/fd"):
                if os.readlink(f"/proc/{process.pid}/fd/{number}").endswith("/" + name):
                    with open(f"/proc/{process.pid}/fdinfo/{number}") as facts:
                        if int(re.search(r"pos:\s*(\d+)", facts.read())[1]) > 1 << 20:
                            process.send_signal(signal.SIGSTOP)
                            return True
        except (FileNotFoundError, ProcessLookupError):
            pass
    return False


def dump(place, path):
    return subprocess.run([place.weft, "dump", path], cwd=place.folder, capture_output=True,
                          env=place.environment).stdout


def try_changes(place):
    global cases
    before, after = long_text(250000), long_text(200000)
    half = before[:len(before) // 2]

    def write(path, text, how="wb"):
        with open(path, how) as out:
            out.write(text)

    def replace(path):
        write(path + ".new", after)
        os.rename(path + ".new", path)

    changes = {
        "grows": lambda path: write(path, b"6 250001 S p v1\n", "ab"),
        "shrinks": lambda path: os.truncate(path, len(half)),
        "is emptied": lambda path: os.truncate(path, 0),
        "is written over": lambda path: write(path, after, "r+b"),
        "is replaced": replace,
        "is removed": os.remove,
    }
    for how, change in changes.items():
        for command in (["convert", "text.paje", "-o", "made.weft"], ["index", "text.paje"]):
            name, path = f"{command[0]} of a text that {how}", place.path("text.paje")
            cases += 1
            place.forget()
            write(path, before)
            right = {dump(place, "text.paje")}
            place.forget()
            process = place.start(command)
            if not reading(process, "text.paje"):
                fault(name, "was over before it began")
                continue
            change(path)
            process.send_signal(signal.SIGCONT)
            status = process.wait()
            with open(place.path("err")) as err:
                said = err.read()
            if status not in (0, 3) or (status == 3 and said.count("\n") != 1):
                fault(name, f"ends with {status}: {said.strip()!r}")
            if os.path.exists(path):
                # Whatever was cached is of the file as it is now.
                cached = dump(place, "text.paje")
                made = place.path("made.weft")
                kept = dump(place, "made.weft") if os.path.exists(made) else None
                place.forget()
                now = dump(place, "text.paje")
                right.add(now)
                if cached != now:
                    fault(name, "what is read through the cache is another trace")
                if kept is not None and kept not in right:
                    fault(name, "the store is neither of the old text nor of the new one")
            if status == 3 and os.path.exists(place.path("made.weft")):
                fault(name, "fails, and leaves a store")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("--size", type=int, default=24 << 20)
    arguments = parser.parse_args()
    place = Place(os.path.abspath(arguments.weft))
    try:
        try_changes(place)
        try_bombs(place, arguments.size)
    finally:
        shutil.rmtree(place.folder)
    print(f"{'not ok' if failures else 'ok'}: {cases} runs, {failures} faults")
    sys.exit(failures > 0)


main()
