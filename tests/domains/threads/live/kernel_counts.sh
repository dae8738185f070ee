#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the kernel counts of a thread: a thread in system calls, and threads that touch pages, one of
# which is still there when the program ends (programs/kernel_counts.c).  The same of a static
# program, of which only the observer outside tells: page faults to a user who may watch the kernel.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
command -v cc >/dev/null || skip "no compiler here"
command -v python3 >/dev/null || skip "no python3 here"

record() { # FAULTS: "known", or "" if the page faults of threads may be unknown
    timeout 100 "$WEFT" record -o trace.weft -- ./counts >out 2>said || stop "status $?"
    "$WEFT" render threads trace.weft --format json -o table.json || stop "there is no table"
    # A thread's stack, its storage, and the recorder's buffer of 16 pages are touched, too.
    python3 - "$(cat out)" "$1" <<'END' || fail "the counts are wrong: $(cat table.json)"
import json, sys
rows = {row["thread"]: row for row in json.load(open("table.json"))}
system = rows["calls"]["system_ns"]
assert abs(system - 1000 * int(sys.argv[1])) <= 0.05 * system, system
assert 1.8e9 < system < 2.2e9, system
for name, pages in ("touches", 5000), ("stays) 1 2", 3000):
    faults = rows[name]["page_faults"]
    assert faults is None and not sys.argv[2] or pages <= faults <= pages + 50, name
    assert rows[name]["system_ns"] is None, name  # too short for the kernel's ticks
END
}

cc -O1 -pthread "$PROGRAMS/kernel_counts.c" -o counts || stop "the program does not compile"
record known
# A part of a thread's life has no counts.
"$WEFT" render threads trace.weft --format json -o part.json --range 500ms:1s ||
    stop "there is no table of a part"
python3 - <<'END' || fail "a part has counts: $(cat part.json)"
import json
for row in json.load(open("part.json")):
    assert row["system_ns"] is None and row["page_faults"] is None, row
END

cc -O1 -static -pthread "$PROGRAMS/kernel_counts.c" -o counts 2>said || exit $failed
"$WEFT" record -o trace.weft -- true 2>said
"$WEFT" check trace.weft | grep -q no-switches && exit $failed
record "$([ "$(id -u)" = 0 ] && echo known)"
exit $failed
