#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Threads that are woken while another one spins on their processor (programs/woken.c): how long each
# was ready, and ran, is what the kernel counted of it.  "Blocked otherwise" is where the kernel took
# a thread off for a reason of its own.  When nothing spins, a thread that is woken still has to wait
# until its idle processor has woken up, too, which the kernel does not count.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
command -v cc >/dev/null || skip "no compiler here"
command -v python3 >/dev/null || skip "no python3 here"
grep -q '[1-9]' /proc/thread-self/schedstat 2>/dev/null || skip "no schedstat here"
cc -O1 -pthread "$PROGRAMS/woken.c" -o woken || stop "the program does not compile"
# Compares trace.weft, of the run HOW, with what the kernel counted (out).
agrees() { # HOW
    python3 - "$1" <<'END'
import json, sys
rows = {row["thread"]: row for row in json.load(open("table.json"))}
quiet = sys.argv[1] == "quiet"
for line in open("out"):
    name, ran, ready = line.split()
    row, ran, ready = rows[name], int(ran), int(ready)
    assert row["ready_ns"] <= 1.03 * ready + (0.1 * row["sum_ns"] if quiet else 2e6), line
    assert row["ready_ns"] + row["otherwise_ns"] >= 0.97 * ready - 2e6, line
    assert abs(row["running_ns"] - ran) < 0.03 * ran + 2e6, line
    parts = [key for key in row if key.endswith("_ns")
             and key not in ("sum_ns", "spinning_ns", "system_ns")]
    assert sum(row[key] for key in parts) == row["sum_ns"], line
END
}

# The main thread waits longest for a thread that waits for the spinner.
blames() {
    "$WEFT" why trace.weft --row woken/woken >why 2>said || fail "weft why: $?"
    grep -q 'ready: a processor was missing' why
}

: >why
for how in "" quiet; do
    # A machine below that takes the processor away meanwhile (steal) makes both differ: one of
    # three runs must be without.
    for attempt in 1 2 3; do
        timeout 100 "$WEFT" record -o trace.weft -- ./woken $how >out 2>said || stop "status $?"
        "$WEFT" check trace.weft >problems
        grep -q '^[^n].*switches' problems && skip "no switches here: $(cat problems)"
        "$WEFT" render threads trace.weft --format json -o table.json || stop "there is no table"
        agrees "$how" 2>differs && { [ "$how" ] || blames; } && break
        [ $attempt -lt 3 ] || fail "$how: not what the kernel counted: $(cat differs out table.json why)"
    done
done
exit "$failed"
