#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile requests over a real socket, the same ones for the same SEED: heads, addresses,
parameters and bodies that are cut, repeated, huge or nonsense, some left before their end, while
the trace is cut and put back.  After every few hundred the server must be alive, answer a good
request with a good picture, and not have grown.  TAP on standard output.

    COUNT=100000 SEED=7 tests/serve/hostile.py
"""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import traces  # noqa: E402

WEFT = os.environ["WEFT"]
# What fontconfig and Pango keep for the life of a process is no leak of the server's.
suppressed = tempfile.NamedTemporaryFile("w", suffix=".lsan")
suppressed.write("leak:libfontconfig\nleak:libpango\n")
suppressed.flush()
os.environ["LSAN_OPTIONS"] = f"suppressions={suppressed.name}:print_suppressions=0"
COUNT = int(os.environ.get("COUNT", "3000"))
SEED = int(os.environ.get("SEED", "1"))
LOOK = 250  # requests between two looks at the server
# A sanitizer keeps what was freed for a while.
MAX_MEGABYTES = 2500 if os.environ.get("WEFT_SANITIZED") else 600

LISTED = subprocess.run([WEFT, "views"], check=True, stdout=subprocess.PIPE, text=True).stdout
VIEWS = re.findall(r"^([a-z][a-z-]*) ", LISTED, re.MULTILINE) + ["nothing", ""]
ENDINGS = ["packed", "packed", "packed", "rows", "rows", "csv", "json", "svg", "png", "pdf", "eps", "exe", ""]
ROUTES = ["", "catalogue", "trace", "containers", "detail", "source", "search", "search/next", "search/x",
          "marks", "settings", "reload", "cancel", "point/space-time", "point/overview", "point/reduction-tree",
          "workbench.png", "workbench.svg", "workbench.pdf", "workbench.", "view/", "view", "../x", "%2e%2e/x"]
NAMES = ["trace", "with", "begin", "end", "range", "at", "width", "height", "shown_height", "shown_begin", "shown_end",
         "bare", "under", "theme", "sort", "direction", "offset", "limit", "id", "row", "step", "q", "backward", "site",
         "around", "key", "panel", "save", "point_x", "point_y", "rows", "close", "closed", "unfolded", "pinned",
         "order", "scroll", "row_height", "color", "links", "root", "node", "zoom", "x", "y", "containers", "by",
         "type", "rings", "layout", "until", "relevance", "token", "messages", "distance", "aspect", "numbering",
         "collectives", "processor", "queue", "show", "network", "routing", "smoothing", "overhead", "state", "hottest"]
VALUES = ["", "0", "1", "-1", "2", "7", "16", "100", "640", "5000", "16384", "99999999999999999999", "1e308", "-1e308",
          "nan", "inf", "0x10", "#0", "#1", "#5+", "#4294967295", "#0-4294967295", "t0:0-99999999999", "t1:1,3,5",
          "t4294967295:18446744073709551615", "@" + "0" * 32, "@" + "a" * 31, "#1<#2,#2<#1", "*", "?", "[", "**" * 200,
          "a<b", "1s:2s", "50%", "2s", ":", "1s", "-5ns", "9e9s", "up", "down", "duration_ns", "value", "on", "off",
          "light", "mono", "proc", "alpha", "/", "a" * 3000, "\u2603", "\x00", "\xff\xfe", "%", "%zz", "'\"<>&", "next",
          "previous", "281474976710655", "18446744073709551615", "18446744073709551614", "1099511627776"]
# What every picture or table can be asked with, and values of which many are right.
COMMON = {"trace": ["0", "0", "1", "2", "3", "4", "5"], "range": ["10%:50%", "0:100%", "1s:2s", "99%:"], "at": ["1s", "50%", "0"],
          "width": ["1", "60", "640", "3000"], "height": ["1", "40", "400", "2000"], "bare": ["0", "1"], "theme": ["light", "dark", "mono"],
          "under": ["proc", "alpha", "#1", "#2"], "limit": ["1", "7", "1000"], "offset": ["0", "3"], "begin": ["0", "1000000000"], "end": ["5000000000"]}
DIRECTIVES = ["PROCESSORS P(2,3)\nDISTRIBUTE A(BLOCK,CYCLIC) ONTO P", "PROCESSORS P(4)\nDISTRIBUTE A(*,CYCLIC(2)) ONTO P\nSTEP 2\nREDISTRIBUTE A(BLOCK,*)",
              "PROCESSORS P(70000)\nDISTRIBUTE A(CYCLIC,*) ONTO P", "MAP A\n0 1 2", "ALIGN A(I 44444444444444444444) WITH A(I)", "0 0.5 0.5\n1 0.1 2\n"]
PARAMETERS = {}  # of each view, as the catalogue has them
FILLED = {}  # traces that fill a view
POSTED = ["workbench.png", "workbench.svg", "workbench.pdf", "workbench.svg", "marks", "marks", "settings", "reload", "cancel"]
dice = random.Random(SEED)


def right(parameter):
    """A value that the parameter may take, most likely."""
    kind, choices = parameter["kind"], parameter["choices"]
    if choices and dice.random() < 0.8:
        return dice.choice(choices.split("|"))
    if kind in ("file", "text"):
        return dice.choice(DIRECTIVES + ["thread*", "2x3", "a", "running"])
    if parameter["maximum"] > parameter["minimum"]:
        return repr(dice.choice([parameter["minimum"], parameter["maximum"], dice.uniform(parameter["minimum"], parameter["maximum"])]))
    return dice.choice(VALUES[:40])


def view_query(view):
    """What the view knows; one of it may be wrong."""
    pairs = [(name, dice.choice(values)) for name, values in COMMON.items() if dice.random() < 0.3]
    if view in FILLED and dice.random() < 0.8:
        pairs = [("trace", dice.choice(FILLED[view]))] + [pair for pair in pairs if pair[0] != "trace"]
    pairs += [(p["name"], right(p)) for p in PARAMETERS[view] if dice.random() < 0.25]
    if pairs and dice.random() < 0.3:
        at = dice.randrange(len(pairs))
        pairs[at] = (pairs[at][0], dice.choice(VALUES))
    return "&".join(name + "=" + urllib.parse.quote(value) for name, value in pairs)


def query(view=None):
    if view in PARAMETERS and dice.random() < 0.8:
        return view_query(view)
    n = dice.choice([0, 1, 2, 3, 4, 8, 8, 40]) if dice.random() < 0.98 else dice.choice([127, 129, 600, 3000])
    parts = []
    for _ in range(n):
        value = dice.choice(VALUES) if dice.random() < 0.9 else str(dice.randrange(-2 ** 63, 2 ** 64))
        value = urllib.parse.quote(value) if dice.random() < 0.95 else value
        parts.append(dice.choice(NAMES) + dice.choice(["=", "=", "=", "=", "", "=="]) + value)
    return "&".join(parts)


def sheet():
    lines = [" ".join(dice.choice(["0", "-5", "100", "800", "16384", "x", "1e9"]) for _ in range(2)) + " " + dice.choice(["light", "dark", "neon", ""])]
    for _ in range(dice.choice([0, 1, 2, 5, 70])):
        view = dice.choice(VIEWS)
        lines.append(" ".join(dice.choice(["0", "-1e9", "50", "300", "nan", "x"]) for _ in range(2)) + " "
                     + " ".join(dice.choice(["0", "50", "400", "-3", "99999"]) for _ in range(2)) + " " + view + "?" + query(view))
    return "\n".join(lines)


def marks():
    return "\n".join(dice.choice("+-+-x") + f"{dice.choice(VALUES[:20])}\t{dice.choice(['0', '5', '-1', 'x'])}\t" + dice.choice(VALUES) for _ in range(dice.randrange(8)))


def body():
    kind = dice.randrange(5)
    data = (sheet() if kind < 2 else marks() if kind == 2 else query()).encode("utf-8", "surrogatepass")
    if kind == 4:
        data = bytes(dice.randrange(256) for _ in range(dice.randrange(300)))
    return data


def address(posts):
    if posts and dice.random() < 0.8:
        path, asked = dice.choice(POSTED), query()
    elif dice.random() < 0.7:
        view = dice.choice(VIEWS)
        path, asked = "view/" + view + "." + dice.choice(ENDINGS), query(view)
    else:
        path, asked = dice.choice(ROUTES), query()
    return "/" + path + ("?" + asked if dice.random() < 0.8 else "")


def request(port, token):
    """The bytes of a request, most of them well formed enough to reach a route."""
    data = body() if dice.random() < 0.25 else b""
    method = dice.choice(["GET"] * 9 + ["POST"] if not data else ["POST", "POST", "POST", "PUT", "GET", "BREW"])
    heads = [f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}"]
    if data or method == "POST":
        heads.append(f"Content-Length: {len(data)}")
    odd = dice.random()
    if odd < 0.1:
        heads.append(dice.choice(["Host: evil", "Content-Length: 7", "Content-Length: -1", "Content-Length: 99999999999999999999",
                                  "Transfer-Encoding: chunked", "Transfer-Encoding: x", "Origin: null", "Expect: 100-continue",
                                  "Connection: upgrade", "Range: bytes=0-", "Cookie: " + "a=b;" * 50, "X" * 5000 + ": y", ": z", "\x00: q",
                                  "Accept-Encoding: gzip\r\n folded"]))
    elif odd < 0.13:
        heads[dice.randrange(len(heads))] = dice.choice(["Host:", "Authorization: Bearer", "X: y", "Host: \xff", ""])
    version = dice.choice(["HTTP/1.1"] * 20 + ["HTTP/1.0", "HTTP/9.9", "", "HTTP/1.1 x"])
    raw = f"{method} {address(method == 'POST')} {version}\r\n".encode("utf-8", "surrogatepass") + "\r\n".join(heads).encode("latin-1", "replace") + b"\r\n\r\n" + data
    if dice.random() < 0.05:  # some bytes are others
        raw = bytearray(raw)
        for _ in range(dice.randrange(1, 6)):
            raw[dice.randrange(len(raw))] = dice.randrange(256)
        raw = bytes(raw)
    return raw


class Server:
    def __init__(self, arguments):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([WEFT, "view", "--no-browser", "--port", "0", *arguments], stdout=subprocess.PIPE, stderr=self.errors, text=True)
        url = self.process.stdout.readline().strip()
        self.port, self.token = urllib.parse.urlsplit(url).port, url.split("token=")[1]

    def send(self, raw, seconds):
        """What comes back within so many seconds; None when the server does not end its answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
            answer = b""
            try:
                s.sendall(raw)
            except ConnectionError:
                pass  # refused before all of it was sent; why can still be read
            s.settimeout(seconds)
            try:
                while part := s.recv(1 << 20):
                    answer += part
            except TimeoutError:
                return None
            except ConnectionError:
                pass
            return answer

    def get(self, address):
        raw = f"GET /{address} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\nConnection: close\r\n\r\n"
        answer = self.send(raw.encode(), 60)
        assert answer is not None, "no answer to " + address
        head, _, content = answer.partition(b"\r\n\r\n")
        return int(head[9:12]), content

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"RssAnon:\s+(\d+)", file.read())[1]) / 1024

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")[-3000:]


def one(server, statuses):
    raw = request(server.port, server.token)
    leaves = dice.random()
    if leaves < 0.2:  # half a request, or a whole one whose answer is not waited for
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as s:
            try:
                s.sendall(raw[:dice.randrange(len(raw) + 1)] if leaves < 0.1 else raw)
            except ConnectionError:
                pass
        statuses["left"] = statuses.get("left", 0) + 1
        return
    # What waits for more of a head or body is not waited for.
    answer = server.send(raw.replace(b"\r\n", b"\r\nConnection: close\r\n", 1), 0.4)
    status = "open" if answer is None else answer[9:12].decode("latin-1") or "closed"
    statuses[status] = statuses.get(status, 0) + 1


def facts_of(server, number):
    for _ in range(1200):
        facts = json.loads(server.get(f"trace?trace={number}")[1])
        if facts["state"] == "ready":
            return facts
        time.sleep(0.05)
    raise AssertionError(f"trace {number} does not open")


def reload_trace(server):
    server.send(f"POST /reload?trace=0 HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode(), 60)
    facts_of(server, 0)


def look(server, path_of_trace, good):
    assert server.process.poll() is None, "the server has ended: " + server.said()
    said = server.said()
    assert "ERROR: " not in said and "runtime error" not in said, said
    if server.get("trace?trace=0")[0] == 410 or not os.path.getsize(path_of_trace) == len(good):
        with open(path_of_trace, "wb") as file:
            file.write(good)
        reload_trace(server)
    status, content = server.get("view/space-time.rows?sort=duration_ns&direction=down")
    assert status == 200 and json.loads(content)["total"] > 3, (status, content[:200])
    assert server.memory() < MAX_MEGABYTES, f"{server.memory()} MB"


def main():
    folder = tempfile.mkdtemp(prefix="weft-hostile-")
    os.environ["WEFT_CACHE"], os.environ["XDG_STATE_HOME"] = os.path.join(folder, "cache"), os.path.join(folder, "state")
    text = traces.write(folder, "small.paje", traces.SMALL)
    trace = os.path.join(folder, "runs.weft")
    subprocess.run([WEFT, "convert", text, "-o", trace], check=True)
    here = os.path.dirname(os.path.abspath(__file__))
    tree = os.path.join(here, "..", "cli", "small.vista")
    messages = os.path.join(here, "..", "..", "examples", "picl", "stencil.trf")
    arrays, tasks = (os.path.join(here, "..", "domains", *name)
                     for name in (("arrays", "fuzz", "corpus", "ddv", "figure.ddv"),
                                  ("tasks", "fuzz", "corpus", "dag", "nested.dag")))
    with open(trace, "rb") as file:
        good = file.read()
    server, statuses, most = Server([trace, tree, text, messages, arrays, tasks]), {}, 0
    print("1..1", flush=True)
    try:
        reload_trace(server)
        PARAMETERS.update((view["name"], view["parameters"]) for view in json.loads(server.get("catalogue")[1])["views"])
        for number in range(6):
            for view in facts_of(server, number)["fills"]:
                FILLED.setdefault(view, []).append(str(number))
        for wrong in ("distribution=nonsense", "distribution=ALIGN%20A(I%2044444444444444444444)"):
            status, content = server.get("view/distribution-map.csv?trace=4&" + wrong)
            assert status == 400, (wrong, status, content[:200])
        for i in range(COUNT):
            one(server, statuses)
            if dice.random() < 0.002:  # somebody writes over the trace while it is open
                with open(trace, "r+b") as file:
                    file.truncate(dice.randrange(len(good)))
            if i % LOOK == LOOK - 1:
                most = max(most, server.memory())
                look(server, trace, good)
        look(server, trace, good)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0, server.said()
        print(f"# {COUNT} requests: " + ", ".join(f"{k} {v}" for k, v in sorted(statuses.items())) + f"; at most {most:.0f} MB")
        print("ok 1 - hostile requests are survived")
        return 0
    except Exception as error:  # noqa: BLE001  whatever it is, it is said as TAP
        print("not ok 1 - hostile requests are survived")
        for line in (f"seed {SEED}, statuses {statuses}\n{type(error).__name__}: {error}\n" + server.said()).splitlines():
            print("# " + line[:400])
        server.process.kill()
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(main())
