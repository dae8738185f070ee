#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Switches of threads, and counters of --counters, are those that the kernel tells the thread itself
# (programs/switch_counts.c); also of a static program, that nothing is loaded into.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
command -v cc >/dev/null || skip "no compiler here"
command -v python3 >/dev/null || skip "no python3 here"
agrees() { # of trace.weft's table with what its program said
    python3 - <<'END'
import json
rows = {row["thread"]: row for row in json.load(open("table.json"))}
told = {line.split()[0]: [int(x) for x in line.split()[1:]] for line in open("out")}
processors = told.pop("processors")[0]
for name, (voluntary, preempted, ran) in told.items():
    row = rows[name]
    # It may be switched after it has asked, and counts as preempted when it is moved away.
    both = row["voluntary_switches"] + row["preemptions"]
    assert voluntary + preempted <= both <= voluntary + preempted + 20, name
    assert abs(row["voluntary_switches"] - voluntary) <= 60, name
    # The work of switching is counted at different places.
    assert ran < 1e8 or abs(row["counter_1"] - ran) < 0.05 * ran, name
    assert row["counter_2"] is not None, name
assert rows["sleeps"]["voluntary_switches"] >= 300
assert rows["shares"]["preemptions"] + rows["beside"]["preemptions"] >= 10
if processors > 1:
    assert 49 <= rows["moves"]["migrations"] <= 60
refused = "not-counted" in open("problems").read()
assert refused == (rows["sleeps"]["counter_3"] is None)
END
}

for link in "" -static; do
    cc -O1 $link -pthread "$PROGRAMS/switch_counts.c" -o counts 2>said || continue
    # On a busy machine threads are moved and switched by others, too: one of three runs must agree.
    for attempt in 1 2 3; do
        timeout 100 "$WEFT" record --counters task-clock,page-faults,cycles -o trace.weft -- \
            ./counts >out 2>said || stop "$link: status $?"
        "$WEFT" check trace.weft >problems
        grep -q 'no-switches' problems && skip "no switches here: $(cat problems)"
        "$WEFT" render threads trace.weft --format json -o table.json || stop "there is no table"
        agrees 2>differs && break
        [ $attempt -lt 3 ] ||
            fail "$link: not what the kernel counted: $(cat differs out problems table.json)"
    done
done
exit "$failed"
