#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The server trusts nobody: who may ask, what may be asked, and what must be refused."""
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

from harness import FOLDER, WEFT, Server, equal, main, test, traces


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
    kept = file + ".kept"
    os.rename(file, kept)
    os.makedirs(file + "/inside")  # nothing can be put there
    done = subprocess.run([WEFT, "view", "--no-browser", "--new-token", path], capture_output=True, text=True, timeout=20, check=False)
    equal((done.returncode, done.stdout), (4, ""))
    assert "the old secret stays: cannot write" in done.stderr, done.stderr
    shutil.rmtree(file)
    os.rename(kept, file)
    state, os.environ["XDG_STATE_HOME"] = os.environ["XDG_STATE_HOME"], "/dev/null"
    fourth = Server(path)
    os.environ["XDG_STATE_HOME"] = state
    assert "for this run only" in fourth.process.stderr.readline()
    fourth.close()


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
                 "view/space-time.svg?rang=0:1ms", "view/state-summary.csv?trace=0&tagz=maybe",
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
def the_address_that_it_prints_can_be_asked(s):
    path = os.path.join(FOLDER, "runs", "small.paje")
    for address in ("127.0.0.2", "127.0.0.1", "0.0.0.0"):  # all of them lead here
        other = Server(path, "--host", address)
        try:
            equal(other.get("catalogue")[0], 200)
            equal(other.get("catalogue", headers={"Origin": other.base.rstrip("/")})[0], 200)
            equal(other.get("catalogue", headers={"Host": f"127.0.0.3:{other.port}"})[0], 403)
        finally:
            other.close()


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
def a_table_is_whole_or_refused(s):
    def states(n):
        return traces.HEAD + "5 0 p P 0 proc\n5 0 a T p alpha\n" + "".join(f"6 {i} S a v{i % 2}\n" for i in range(n)) + f"6 {n} S a v\n"

    few, many = (traces.write(FOLDER, name, states(n)) for name, n in (("few.paje", 199999), ("many.paje", 200001)))
    other = Server(few, many)
    try:
        status, _, body = other.get("view/space-time.text?trace=0")
        equal((status, body.count(b"\n")), (200, 200001))  # its head, and all rows
        status, _, body = other.get("view/space-time.text?trace=1")
        equal(status, 400)
        assert "more than 200000 rows" in json.loads(body)["error"], body
        status, _, body = other.get("view/space-time.text?trace=1&limit=200000")
        equal((status, body.count(b"\n")), (200, 200001))
        status, _, body = other.get("view/space-time.csv?trace=1")
        equal((status, body.count(b"\n")), (200, 200003))
    finally:
        other.close()


@test
def what_of_a_folder_is_left_out_is_told(s):
    inside = os.path.join(FOLDER, "deep")
    os.makedirs(inside + "/a/b/c/d")
    traces.write(inside, "near.paje", traces.SMALL)
    traces.write(inside + "/a/b/c/d", "far.paje", traces.SMALL)
    other = Server(inside)
    try:
        remark = "1 folder deeper than 3 was not looked into"
        equal(other.process.stderr.readline(), f"weft: {remark}\n")
        catalogue = json.loads(other.get("catalogue")[2])
        equal(([t["name"] for t in catalogue["traces"]], catalogue["remark"]), (["near.paje"], remark))
    finally:
        other.close()
    equal(json.loads(s.get("catalogue")[2])["remark"], "")


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


sys.exit(main())
