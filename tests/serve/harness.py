# SPDX-License-Identifier: Apache-2.0
"""What tests of the server share: a server, its client, and a run of all tests with TAP on standard
output.  Only the Python library; nothing but 127.0.0.1 is spoken to."""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import traces  # noqa: E402
from checks import equal, run_tests  # noqa: E402,F401  equal: for those who import this

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


def main():
    """Run the tests, each with one server; the status of the program."""
    os.makedirs(os.path.join(FOLDER, "runs"))
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    server = Server(path)

    def one(run):
        nonlocal server
        try:
            run(server)
        except Exception:  # noqa: BLE001
            if server.process.poll() is not None:
                print("# the server had ended: " + server.process.stderr.read()[-500:], flush=True)
                server = Server(path)
            raise

    failed = run_tests(TESTS, sys.argv[1:], one)
    server.close()
    shutil.rmtree(FOLDER, ignore_errors=True)
    return 1 if failed else 0
