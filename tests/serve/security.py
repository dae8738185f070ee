#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The server trusts nobody: requests that must be refused, and what it must survive.  Only
the Python library; nothing here but 127.0.0.1 is spoken to.  TAP on standard output."""
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import traces  # noqa: E402

WEFT = os.environ["WEFT"]
FOLDER = tempfile.mkdtemp(prefix="weft-serve-")
os.environ["WEFT_CACHE"] = os.path.join(FOLDER, "cache")
os.environ["XDG_STATE_HOME"] = os.path.join(FOLDER, "state")
TESTS = []
# A sanitizer keeps what was freed for a while.
MORE = 8 if os.environ.get("WEFT_SANITIZED") else 1


def test(run):
    TESTS.append(run)
    return run


def equal(a, b):
    assert a == b, f"{a!r} is not {b!r}"


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([WEFT, "view", "--no-browser", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, cwd=FOLDER)
        url = self.process.stdout.readline().strip()
        self.base, self.token = url.split("?token=")
        self.port = urllib.parse.urlsplit(url).port

    def get(self, path, token=None, headers=None, body=None, method=None):
        """Status, headers and body of an answer."""
        request = urllib.request.Request(self.base + path, data=body, method=method)
        request.add_header("Authorization", "Bearer " + (self.token if token is None else token))
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def raw(self, data, seconds=5):
        """What comes back for raw bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as s:
            answer = b""
            try:
                s.sendall(data)
                while True:
                    part = s.recv(65536)
                    if not part:
                        break
                    answer += part
            except (ConnectionError, socket.timeout):
                pass
            return answer

    def is_alive(self):
        return self.process.poll() is None and self.get("catalogue")[0] == 200

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"RssAnon:\s+(\d+)", file.read())[1]) / 1024

    def busy(self):
        """Seconds of processor time that it has taken."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


@test
def the_right_token_opens(s):
    equal(s.get("catalogue")[0], 200)
    status, headers, body = s.get("")
    assert status in (200, 501), status
    if status == 200:
        assert body[:2] == b"\x1f\x8b"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, policy
    with urllib.request.urlopen(s.base + "catalogue?token=" + s.token) as answer:
        equal(answer.status, 200)


@test
def a_wrong_or_no_token_is_refused(s):
    for token in ("", "x", s.token[:-1], s.token + "0", s.token.upper() + "g", "0" * 32):
        for path in ("", "catalogue", "view/space-time.svg", "trace?trace=0", "nothing"):
            status, _, body = s.get(path, token=token)
            equal(status, 401)
            assert s.token.encode() not in body
    equal(s.raw(b"GET /catalogue HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n\r\n" % s.port)[9:12], b"401")


@test
def a_foreign_host_is_refused(s):
    for host in ("evil.example", f"evil.example:{s.port}", "127.0.0.1", f"127.0.0.1:{s.port + 1}",
                 f"127.0.0.1:{s.port}.evil.example", f"localhost.evil:{s.port}", ""):
        status, _, _ = s.get("catalogue", headers={"Host": host})
        assert status in (400, 403), (host, status)
    for host in (f"localhost:{s.port}", f"[::1]:{s.port}", f"LOCALHOST:{s.port}"):
        equal(s.get("catalogue", headers={"Host": host})[0], 200)
    answer = s.raw(b"GET /catalogue?token=%s HTTP/1.0\r\n\r\n" % s.token.encode())
    assert answer[9:12] in (b"400", b"403"), answer[:60]


@test
def a_foreign_origin_is_refused(s):
    for origin in ("http://evil.example", "null", "https://127.0.0.1", f"http://127.0.0.1:{s.port + 1}",
                   f"http://127.0.0.1:{s.port}.evil.example", f"ftp://127.0.0.1:{s.port}", "http://"):
        equal(s.get("catalogue", headers={"Origin": origin})[0], 403)
    equal(s.get("catalogue", headers={"Origin": f"http://127.0.0.1:{s.port}"})[0], 200)


@test
def no_path_leads_to_a_file(s):
    secret = os.path.join(FOLDER, "secret.txt")
    with open(secret, "w", encoding="ascii") as file:
        file.write("the secret\n")
    os.symlink(secret, os.path.join(FOLDER, "runs", "link.txt"))
    tricks = ["../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "view/../../secret.txt", "/" + secret,
              secret.lstrip("/"), "view/..%2f..%2fsecret.txt.svg", "runs/link.txt", "link.txt", "view/%00.svg",
              "view/space-time.svg/../../../secret.txt", "file://" + secret, "marks/../secret.txt",
              "view/" + "A" * 6000 + ".svg", "view/" + secret + ".svg", "source?site=../secret.txt",
              "source?site=0&file=" + secret, "trace?trace=../secret", "detail?id=%2e%2e", "..%5csecret.txt",
              "view/....//....//secret.txt.svg", "%252e%252e%252fsecret.txt", "workbench.../secret.txt"]
    for trick in tricks:
        data = b"GET /%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n" % (
            trick.encode(), s.port, s.token.encode())
        answer = s.raw(data)
        assert b"the secret" not in answer, trick
        assert answer[9:10] in (b"4", b""), (trick, answer[:80])
    assert s.is_alive()


@test
def sources_outside_the_roots_stay_closed(s):
    # A trace may name any file: only those below the roots are read, links looked through.
    inside = os.path.join(FOLDER, "src")
    os.makedirs(inside)
    with open(os.path.join(FOLDER, "outside.c"), "w", encoding="ascii") as file:
        file.write("int secret;\n")
    os.symlink(os.path.join(FOLDER, "outside.c"), os.path.join(inside, "link.c"))
    with open(os.path.join(inside, "good.c"), "w", encoding="ascii") as file:
        file.write("int one;\nint two;\n")
    head = traces.HEAD.replace("%EventDef PajeSetState 6\n% Time date\n% Type string\n% Container string\n% Value string\n",
                               "%EventDef PajeSetState 6\n% Time date\n% Type string\n% Container string\n% Value string\n% File string\n% Line int\n")
    names = ["good.c", "link.c", os.path.join(FOLDER, "outside.c"), "../outside.c", "src/../../outside.c", "/etc/passwd", "/dev/zero", "/proc/self/environ"]
    lines = [head, "5 0 p P 0 proc\n5 0 a T p alpha\n"]
    lines += [f'6 {i} S a v{i} "{name}" 1\n' for i, name in enumerate(names)]
    path = traces.write(FOLDER, "sites.paje", "".join(lines))
    other = Server(path, "--source-root", inside)
    try:
        found = {}
        for site in range(len(names) + 1):
            status, _, body = other.get(f"source?site={site}")
            if status == 200:
                answer = json.loads(body)
                found[answer["file"]] = answer["lines"]
                assert "secret" not in str(answer["lines"]) and "root:" not in str(answer["lines"])
        equal(list(found), ["good.c"])
        equal(found["good.c"], ["int one;", "int two;"])
    finally:
        other.close()


@test
def huge_heads_and_bodies_are_refused(s):
    host = b"Host: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n" % (s.port, s.token.encode())
    answer = s.raw(b"GET /catalogue HTTP/1.1\r\n" + host + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n")
    assert answer == b"" or answer[9:10] == b"4", answer[:60]
    answer = s.raw(b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n" + host + b"\r\n")
    assert answer == b"" or answer[9:10] == b"4", answer[:60]
    answer = s.raw(b"POST /marks?trace=0 HTTP/1.1\r\n" + host + b"Content-Length: 9999999999\r\n\r\n")
    equal(answer[9:12], b"413")
    chunked = b"POST /marks?trace=0 HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n"
    answer = s.raw(chunked + (b"10000\r\n" + b"a" * 0x10000 + b"\r\n") * 64)
    assert answer == b"" or answer[9:10] == b"4", answer[:60]
    query = "&".join(f"p{i}={i}" for i in range(500)).encode()
    answer = s.raw(b"GET /catalogue?" + query + b" HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n")
    assert answer == b"" or answer[9:10] in (b"2", b"4"), answer[:60]
    assert s.is_alive()


def status_of(answer):
    return answer[9:12].decode()


@test
def too_many_parameters_get_an_answer(s):
    head = b" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n" % (s.port, s.token.encode())
    for n, right in ((128, ("200",)), (129, ("400", "414")), (800, ("414",)), (2000, ("414",)), (5000, ("414",)), (100000, ("414",))):
        query = "&".join(f"p{i}={i}" for i in range(n)).encode()
        answer = s.raw(b"GET /catalogue?" + query + head)
        assert status_of(answer) in right, (n, answer[:60])
    assert s.is_alive()


@test
def what_can_be_read_in_two_ways_is_refused(s):
    mine = b"Host: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n" % (s.port, s.token.encode())
    smuggled = b"GET /catalogue HTTP/1.1\r\n" + mine + b"\r\n"
    for odd in (b"Host: evil.example\r\n", b"Host: 127.0.0.1:%d\r\n" % s.port, b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"Content-Length: 5\r\nContent-Length: 6\r\n",
                b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"):
        for method in (b"GET", b"POST"):
            answer = s.raw(method + b" /marks?trace=0 HTTP/1.1\r\n" + mine + odd + b"\r\n0\r\n\r\n" + smuggled, seconds=2)
            equal(status_of(answer), "400")
            equal(answer.count(b"HTTP/1.1"), 1)  # what follows is not taken for a request
    assert s.is_alive()


@test
def bytes_that_end_texts_are_refused(s):
    path = os.path.join(FOLDER, "runs", "small.paje.marks")
    with open(path, "w", encoding="ascii") as file:
        file.write("5\t1\tkept\n")
    for body in (b"\0", b"-5\t1\tkept\n\0", b"\0-5\t1\tkept\n"):
        equal(s.get("marks?trace=0", body=body, method="POST")[0], 400)
    equal(s.get("settings", body=b"a\0b", method="POST")[0], 400)
    for query in ("q=a%00b", "q%00=b", "%00"):
        equal(s.get("containers?" + query)[0], 400)
    equal(json.loads(s.get("marks?trace=0")[2])[0]["note"], "kept")
    os.unlink(path)


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


@test
def a_hundred_thousand_scattered_ids_can_be_asked_for(s):
    text = "t1:" + ",".join(str(7 * i) for i in range(100000))
    status, _, body = s.get("settings", body=text.encode(), method="POST")
    equal(status, 200)
    key = json.loads(body)["key"]
    equal(json.loads(s.get("settings?key=" + key)[2])["text"], text)
    # Of containers there are few, which may be named as often as one likes.
    status, _, body = s.get("settings", body=("#2," * 100000 + "#3").encode(), method="POST")
    key = json.loads(body)["key"]
    equal(s.get("view/space-time.svg?pinned=" + key)[2], s.get("view/space-time.svg?pinned=%232,%233")[2])


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
        refused(b"not a regular file")
        os.symlink(FOLDER, marks)
        refused(b"not a regular file")
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
def the_token_and_the_address_stay(s):
    path = traces.write(FOLDER, "stays.paje", traces.SMALL)
    first = Server(path)
    base, token = first.base, first.token
    first.close()
    equal(token, s.token)  # of the person, not of the trace
    second = Server(path)
    equal((second.base, second.token), (base, token))
    beside = Server(path)  # its port is taken: another
    assert beside.port != second.port and beside.token == token
    beside.close()
    second.close()
    file = os.path.join(FOLDER, "state", "weft", "token")
    equal(os.stat(file).st_mode & 0o777, 0o600)
    os.chmod(file, 0o644)
    done = subprocess.run([WEFT, "view", "--no-browser", path], capture_output=True, text=True, timeout=20, check=False)
    equal(done.returncode, 3)
    assert "--new-token" in done.stderr, done.stderr
    third = Server(path, "--new-token")
    assert third.token != token
    third.close()


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
def wrong_methods_and_wrong_values_are_sentences(s):
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        equal(s.get("catalogue", method=method)[0], 405)
    equal(s.get("cancel?trace=0")[0], 405)
    equal(s.get("catalogue", body=b"x")[0], 405)
    for path in ("view/nothing.svg", "view/space-time.exe", "trace?trace=99", "trace?trace=-1", "detail?id=18446744073709551615",
                 "detail?id=99999999999999", "source?site=4000000000", "search", "point/nothing", "workbench.svg"):
        status, _, body = s.get(path)
        assert 400 <= status < 500, (path, status)
        assert "error" in json.loads(body), path
    for path in ("view/space-time.svg?range=x", "view/space-time.svg?begin=5&end=1", "view/space-time.svg?color=purple",
                 "view/space-time.svg?theme=neon", "view/space-time.svg?under=nobody", "view/space-time.svg?closed=%23999999",
                 "view/space-time.svg?row_height=-5", "view/space-time.svg?order=abc",
                 "view/space-time.svg?at=soon", "view/space-time.svg?at=99999s", "view/space-time.svg?at=-1ns",
                 "view/state-summary.svg?at=50%25", "detail?row=%230&step=next", "detail?row=%230&step=next&at=soon"):
        equal(s.get(path)[0], 400)
    equal(s.get("view/space-time.svg?at=50%25")[0], 200)
    equal(s.get("view/space-time.svg?begin=-2305843009213693951&end=2305843009213693951")[0], 200)
    equal(s.get("view/space-time.svg?begin=9223372036854775807&end=-1")[0], 400)
    for body in (b"", b"x", b"100 100 light\nx", b"100 100 light\n0 0 50 50 nothing?", b"99999 1 light\n", b"\xff\xfe\x01"):
        equal(s.get("workbench.png", body=body, method="POST")[0], 400)
    for body in (b"x\n", b"1\t2\n", b"1\t-2\tx\n", b"\xff" * 5000):
        equal(s.get("marks?trace=0", body=body, method="POST")[0], 400)
    assert s.is_alive()


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
def it_works_behind_a_prefix_and_another_name(s):
    path = os.path.join(FOLDER, "runs", "small.paje")
    other = Server(path, "--prefix", "/user/me/proxy/8080/", "--allow-host", "hub.example.org")
    try:
        assert "/user/me/proxy/8080/?" in other.base + "?", other.base
        equal(other.get("catalogue", headers={"Host": "hub.example.org"})[0], 200)  # with it
        other.base = f"http://127.0.0.1:{other.port}/"
        equal(other.get("catalogue")[0], 200)  # some proxies take it off
        equal(other.get("catalogue", headers={"Origin": "https://hub.example.org"})[0], 200)
        equal(other.get("catalogue", headers={"Host": "nub.example.org"})[0], 403)
    finally:
        other.close()


@test
def it_listens_on_the_loopback_interface_only(s):
    with open("/proc/net/tcp", encoding="ascii") as file:
        local = [line.split()[1] for line in file if line.split()[3] == "0A"]
    mine = [a for a in local if int(a.split(":")[1], 16) == s.port]
    equal(mine, ["0100007F:%04X" % s.port])


@test
def pictures_and_tables_have_their_addresses(s):
    for ending, start in (("svg", b"<svg "), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("csv", b"container,"), ("json", b"["), ("scene", b"{"), ("packed", b"weftscn2")):
        status, headers, body = s.get(f"view/space-time.{ending}?range=1s:4s&width=400&height=300")
        equal((status, body[:len(start)]), (200, start))
        equal(headers["X-Content-Type-Options"], "nosniff")
    rows = json.loads(s.get("view/state-summary.json")[2])
    # As in the browser's tests: 13 s of running, 7 of waiting, 10 of io with 2 of compute.
    equal({r["value"]: r["total_ns"] / 1e9 for r in rows}, {"running": 13, "waiting": 7, "io": 10, "compute": 2})


@test
def it_ends_when_told(s):
    other = Server(os.path.join(FOLDER, "runs", "small.paje"))
    equal(other.close(), 0)
    os.mkfifo(FOLDER + "/pipe")
    for arguments, status in ((["/nonexistent"], 3), ([FOLDER + "/pipe"], 3), (["/dev/zero"], 3), ([FOLDER + "/empty"], 3), ([os.path.join(FOLDER, "runs"), "--port", "99999"], 2),
                              ([os.path.join(FOLDER, "runs"), "--host", "nonsense"], 2), ([os.path.join(FOLDER, "runs"), "--layout", "/nonexistent"], 3)):
        os.makedirs(FOLDER + "/empty", exist_ok=True)
        done = subprocess.run([WEFT, "view", "--no-browser", *arguments], capture_output=True, text=True, timeout=20, check=False)
        equal((arguments, done.returncode), (arguments, status))
        assert done.stderr.startswith("weft: ") and done.stdout == "", done


def main():
    os.makedirs(os.path.join(FOLDER, "runs"))
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    server = Server(path)
    print(f"1..{len(TESTS)}", flush=True)
    failed = 0
    for number, run in enumerate(TESTS, 1):
        name = run.__name__.replace("_", " ")
        try:
            run(server)
            print(f"ok {number} - {name}", flush=True)
        except Exception:  # noqa: BLE001  whatever it is, the next tests must run
            failed += 1
            print(f"not ok {number} - {name}", flush=True)
            for line in traceback.format_exc().splitlines()[-8:]:
                print("# " + line[:300], flush=True)
            if server.process.poll() is not None:
                print("# the server had ended: " + server.process.stderr.read()[-500:], flush=True)
                server = Server(path)
    server.close()
    shutil.rmtree(FOLDER, ignore_errors=True)
    return 1 if failed else 0


sys.exit(main())
