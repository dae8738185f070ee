#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the server survives: large requests, clients that leave, signals, files that never end,
locks, traces that change, garbage; and that it does not grow."""
import fcntl
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

from harness import FOLDER, MORE, WEFT, Server, equal, main, test, traces


def ask_for_sheet(server, body):
    """A connection on which a sheet was asked for, and nothing was read."""
    c = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    c.sendall(b"POST /workbench.png HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
              b"Connection: close\r\nContent-Length: %d\r\n\r\n" % (server.port, server.token.encode(), len(body)) + body)
    return c


def until_busy(server, seconds):
    """Until it has taken so much more processor time: it is at work."""
    begin = server.busy()
    while server.busy() - begin < seconds:
        time.sleep(0.005)


# What one takes when it is left alone is measured, since machines differ and may be loaded.
# All pictures that are made at a time have at most 160 million pixels: four of these.
LARGE_SHEET = b"6000 6000 light\n0 0 1500 1500 space-time?\n"


def cost_of_a_large_sheet(server):
    before, began = server.busy(), time.monotonic()
    with ask_for_sheet(server, LARGE_SHEET) as c:
        answer = c.recv(12)
        while c.recv(1 << 20):
            pass
    equal(answer, b"HTTP/1.1 200")
    return server.busy() - before, time.monotonic() - began


@test
def leaving_clients_end_large_pictures(s):
    other = Server(os.path.join(FOLDER, "runs", "small.paje"))
    try:
        cost, _ = cost_of_a_large_sheet(other)
        assert cost > 0.2, f"the sheet takes {cost} s: too little to see that its work ends"
        before = other.busy()
        waiting = [ask_for_sheet(other, LARGE_SHEET) for _ in range(12)]  # more than are worked on at a time
        until_busy(other, cost / 10)
        for c in waiting:
            c.close()
        while True:  # until it rests
            now = other.busy()
            time.sleep(0.5)
            if other.busy() - now < 0.05:
                break
        spent = other.busy() - before
        assert spent < 12 * cost / 4, f"{spent} s for 12 sheets that nobody waited for; each takes {cost} s"
        assert other.is_alive()
    finally:
        other.close()


@test
def a_signal_ends_large_pictures(s):
    other = Server(os.path.join(FOLDER, "runs", "small.paje"))
    cost, alone = cost_of_a_large_sheet(other)
    waiting = [ask_for_sheet(other, LARGE_SHEET) for _ in range(12)]
    until_busy(other, cost / 10)
    other.process.send_signal(signal.SIGTERM)
    told = time.monotonic()
    equal(other.process.wait(60), 0)
    took = time.monotonic() - told
    for c in waiting:
        c.close()
    other.process.stdout.close()
    other.process.stderr.close()
    # Four are made at a time: all would take three times as long as one alone, or longer.
    assert took < alone, f"{took} s until it ended; one sheet takes {alone} s when it is alone"


@test
def marks_files_that_never_end_stop_nobody(s):
    path = traces.write(FOLDER, "marked.paje", traces.SMALL)
    marks = path + ".marks"
    other = Server(path)

    def refused(why):
        for _ in range(12):  # more than are worked on at a time
            for body in (None, b"+5\t1\tlost\n"):
                status, _, answer = other.get("marks?trace=0", body=body)
                equal(status, 500)
                assert why in answer and b"marked.paje.marks" in answer, answer
        assert other.is_alive()
        os.unlink(marks)

    try:
        other.get("view/space-time.svg")
        before = other.memory()
        os.mkfifo(marks)
        refused(b"not a regular file")
        os.symlink("/dev/zero", marks)
        refused(b"leads out of its folder")
        os.symlink(FOLDER, marks)
        refused(b"leads out of its folder")
        with open(marks, "wb") as file:
            file.truncate(8 << 30)  # sparse, without a line's end
        refused(b"longer than 64 MiB")
        with open(marks, "wb") as file:
            file.write(b"5\t1\tmine\n")
            file.truncate(1000)
        refused(b":2: a NUL byte")
        with open(marks, "wb") as file:
            file.write(b"5\t1\tmine\n" + b"x" * 100000)
        refused(b":2: a line of more than 64 KiB")
        grown = other.memory() - before
        assert grown < 64 * MORE, f"{grown} MB for files of marks that were refused"
        equal(other.get("marks?trace=0", body=b"+5\t1\tkept\n")[0], 200)
    finally:
        other.close()


@test
def a_locked_folder_stops_nobody(s):
    inside = os.path.join(FOLDER, "locked")
    os.makedirs(inside)
    other = Server(traces.write(inside, "small.paje", traces.SMALL))
    change = (b"POST /marks?trace=0 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
              b"Connection: close\r\nContent-Length: 9\r\n\r\n+5\t1\tone\n" % (other.port, other.token.encode()))

    def ask():
        c = socket.create_connection(("127.0.0.1", other.port), timeout=60)
        c.sendall(change)
        return c

    lock = os.open(inside, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = [ask() for _ in range(12)]
        # While they wait, others are answered; those that leave are forgotten.
        assert other.is_alive()
        equal(other.get("view/space-time.svg")[0], 200)
        equal(json.loads(other.get("marks?trace=0")[2]), [])
        for c in waiting[4:]:
            c.close()
        for c in waiting[:4]:
            answer = b""
            while part := c.recv(65536):
                answer += part
            equal(answer[9:12], b"503")
            assert b"locked" in answer, answer
            c.close()
        assert not os.path.exists(inside + "/small.paje.marks")
        late = ask()
        time.sleep(0.1)
        fcntl.flock(lock, fcntl.LOCK_UN)
        equal(late.recv(12)[9:12], b"200")
        late.close()
    finally:
        os.close(lock)
        other.close()


@test
def reloading_takes_no_memory_for_ever(s):
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "fghc", "primes.fghc")
    run, store = os.path.join(FOLDER, "primes.vista"), os.path.join(FOLDER, "primes.weft")
    subprocess.run([WEFT, "fghc", program, "go(2000,P)", "--pes", "4", "-o", run], check=True, capture_output=True)
    subprocess.run([WEFT, "convert", run, "--set", "source=" + program, "-o", store], check=True)
    other = Server(store)
    other.get("view/space-time.packed")
    views = json.loads(other.get("trace?trace=0")[2])["fills"]
    assert len(views) > 3, views  # some are of trees, which are prepared and kept

    def reload():
        for question in [f"view/{view}.packed?width=1600&height=900" for view in views] + ["search?q=go"]:
            equal(other.get(question)[0], 200)
        os.utime(store)
        equal(other.get("reload?trace=0", body=b"", method="POST")[0], 200)

    def mappings():
        with open(f"/proc/{other.process.pid}/maps", encoding="ascii") as file:
            return len(file.readlines())

    try:
        for _ in range(15):  # until the allocator has what it keeps
            reload()
        memory, mapped = other.memory(), mappings()
        for _ in range(30):
            reload()
        grown, more = other.memory() - memory, mappings() - mapped
        # A trace that is kept has three mappings, and what is prepared of this one 4 MB.
        assert grown < 40 * MORE, f"{grown} MB more after 30 reloads"
        assert MORE > 1 or more < 30, f"{more} mappings more after 30 reloads"
    finally:
        other.close()


@test
def a_pipe_among_the_sources_holds_nobody(s):
    inside = os.path.join(FOLDER, "pipes")
    os.makedirs(inside)
    os.mkfifo(os.path.join(inside, "pipe.c"))
    head = traces.HEAD.replace("%EventDef PajeSetState 6\n% Time date\n% Type string\n% Container string\n% Value string\n",
                               "%EventDef PajeSetState 6\n% Time date\n% Type string\n% Container string\n% Value string\n% File string\n% Line int\n")
    path = traces.write(FOLDER, "pipes.paje", head + "5 0 p P 0 proc\n5 0 a T p alpha\n" + '6 1 S a v "pipe.c" 1\n6 2 S a w "pipe.c" 1\n')
    other = Server(path, "--source-root", inside)
    try:
        for _ in range(10):  # more than there are workers
            equal(other.get("source?site=0")[0], 404)
        assert other.is_alive()
    finally:
        other.close()


@test
def without_descriptors_it_waits_and_goes_on(s):
    other = Server(os.path.join(FOLDER, "runs", "small.paje"))
    try:
        other.get("view/space-time.svg")
        open_now = len(os.listdir(f"/proc/{other.process.pid}/fd"))
        soft, hard = resource.prlimit(other.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(other.process.pid, resource.RLIMIT_NOFILE, (open_now + 4, hard))
        waiting = [socket.create_connection(("127.0.0.1", other.port)) for _ in range(30)]
        time.sleep(0.3)
        for c in waiting:
            c.close()
        assert other.is_alive()
        resource.prlimit(other.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
        assert other.is_alive()
    finally:
        other.close()


@test
def a_trace_that_is_cut_or_rewritten_kills_nobody(s):
    path = traces.write(FOLDER, "cut.paje", traces.SMALL)
    store = os.path.join(FOLDER, "cut.weft")
    subprocess.run([WEFT, "convert", path, "-o", store], check=True)
    with open(store, "rb") as file:
        good = file.read()
    other = Server(store)
    try:
        for size in (0, 10, 4096, 5000, len(good) // 2, len(good) - 1):
            equal(other.get("view/space-time.packed")[0], 200)
            with open(store, "r+b") as file:  # the same file: cut while it is mapped
                file.truncate(size)
            for view in ("space-time.packed", "state-summary.rows", "overview.png"):
                status, _, body = other.get("view/" + view)
                equal(status, 410)
                assert b"changed while it was open; reload" in body
            with open(store, "wb") as file:
                file.write(good)
            equal(other.get("view/space-time.packed")[0], 410)  # until it is reloaded
            equal(other.get("reload?trace=0", body=b"", method="POST")[0], 200)
        assert other.is_alive()
    finally:
        other.close()


@test
def garbage_is_survived(s):
    dice = random.Random(7)
    for _ in range(200):
        data = bytes(dice.randrange(256) for _ in range(dice.randrange(1, 400)))
        with socket.create_connection(("127.0.0.1", s.port)) as c:
            c.sendall(data)
    names = ["trace", "begin", "end", "width", "height", "rows", "close", "closed", "pinned", "order", "scroll", "row_height", "under", "id", "q", "x", "y", "point_x", "point_y"]
    paths = ["view/space-time.packed", "view/state-summary.json", "view/overview.svg", "point/space-time", "detail", "search", "search/next", "containers", "source", "trace"]
    values = ["", "0", "-1", "1e308", "nan", "#0", "#5+", "#4294967295", "*", "[", "a<b", "#1<#2,#2<#1", "%00", "99999999999999999999", "\u2603", "' OR 1", "../x"]
    for _ in range(300):
        query = urllib.parse.urlencode({n: dice.choice(values) for n in dice.sample(names, 4)})
        status = s.get(dice.choice(paths) + "?" + query)[0]
        assert status < 500, (status, query)
    assert s.is_alive()


@test
def a_thousand_slow_connections_keep_nobody_out(s):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    for _ in range(3):
        s.get("view/space-time.svg")
    before = s.memory()
    slow = []
    try:
        for i in range(1000):
            c = socket.create_connection(("127.0.0.1", s.port))
            c.sendall(b"GET /catalogue HTTP/1.1\r\nHost: 127" if i % 2 else b"POST /marks?trace=0 HTTP/1.1\r\nX")
            slow.append(c)
        began = time.time()
        equal(s.get("catalogue")[0], 200)
        equal(s.get("view/space-time.svg")[0], 200)
        # Before any of them is given up for being idle.
        if time.time() - began > 5:
            for c in slow:
                c.setblocking(False)
                try:
                    assert c.recv(1) != b"", "slow connections hold others up"
                except BlockingIOError:
                    pass
        grown = s.memory() - before
        assert grown < 64 * MORE, f"{grown} MB for 1000 slow connections"
    finally:
        for c in slow:
            c.close()
    time.sleep(0.5)
    equal(s.get("catalogue")[0], 200)


@test
def memory_stays_steady(s):
    for _ in range(20):
        s.get("view/space-time.packed?width=1600&height=900")
    before = s.memory()
    for i in range(300):
        s.get(f"view/space-time.packed?width={1000 + i}&height=900&begin={i * 1000}&end={i * 1000 + 10 ** 9}")
        s.get(f"search?q=text{i}")
    grown = s.memory() - before
    assert grown < 24 * MORE, f"{grown} MB more after 600 requests"


@test
def one_request_cannot_take_all_memory(s):
    sheet = b"16384 16384 light\n" + b"0 0 16384 16384 space-time?\n" * 20
    equal(s.get("workbench.png", body=sheet, method="POST")[0], 413)
    sheet = b"100 100 light\n" + b"0 0 16384 16384 space-time?\n" * 20
    equal(s.get("workbench.png", body=sheet, method="POST")[0], 413)
    equal(s.get("view/space-time.png?width=16384&height=16384")[0], 413)
    for side in ("16385", "99999999999999999999", "wide", "1e3", "640.5"):
        equal(s.get("view/space-time.png?width=" + side)[0], 400)
        equal(s.get("view/space-time.png?height=" + side)[0], 400)
    equal(s.get("view/space-time.png?width=0&height=-5")[0], 200)
    equal(s.get("workbench.png", body=b"100 100 light\n" + b"0 0 16 16 space-time?\n" * 100, method="POST")[0], 400)
    assert s.memory() < 300 * MORE, s.memory()


sys.exit(main())
