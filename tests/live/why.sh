#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# weft why of a chain of known causes (programs/chain.c): the consumer's wait of 90 ms is 30 ms of the
# producer's sleep and 60 ms of the holder's; the parts add up exactly.
set -u
: "${PROGRAMS:?names the folder of the programs}"
. "$(dirname "$0")/lib.sh"

"$WEFT" record -o chain.weft -- "$PROGRAMS/live_chain" 2>said || stop "live_chain: $?"
"$WEFT" why chain.weft --row consumer --format csv >why.csv 2>said || stop "weft why: $?"

# sum CONDITION: ticks of the rows of the table for which an awk condition on its columns holds
sum() { awk -F, "NR > 1 && ($1) { s += \$9 } END { print s + 0 }" why.csv; }

wait=$("$WEFT" render wait-summary chain.weft --format csv | awk -F, '$3 == "full" { print $14 }')
[ "$(sum 1)" = "$wait" ] || fail "the parts are $(sum 1) ns of $wait: $(cat why.csv)"
producer=$(sum '$3 == "producer" && $5 == "sleeping"')
holder=$(sum '$3 == "holder" && $5 == "sleeping"')
[ "$producer" -ge 30000000 ] || fail "the producer slept $producer: $(cat why.csv)"
# The consumer may come late to its wait, never the holder's sleep be longer than that.
[ "$((producer + holder))" -le "$wait" ] || fail "sleeps beyond the wait"
[ "$((holder * 10))" -ge "$(((wait - producer) * 8))" ] || fail "of the holder only $holder"
grep -q 'woken by,producer,outside,sleeping,,producer (chain.c:[0-9]*)' why.csv ||
    fail "the line where the producer slept: $(cat why.csv)"
grep -q 'woken by,holder,outside,sleeping,,holder (chain.c:[0-9]*)' why.csv ||
    fail "the line where the holder slept: $(cat why.csv)"
# Woken, it was ready until it had a processor, if the kernel tells when that was.
grep -Eq ',producer,(ready,ready|on its way,blocked on mutex),lock,' why.csv || fail "the lock: $(cat why.csv)"

# The critical path of the run is as long as the run, and goes through both sleeps.
"$WEFT" why chain.weft --run --format csv >why.csv 2>said || stop "weft why --run: $?"
length=$("$WEFT" dump chain.weft | awk -F', ' '$1 == "Container" { print $6; exit }')
awk -F, -v s="$length" 'NR > 1 { t += $9 } END { exit !(t - s * 1e9 < 1 && s * 1e9 - t < 1) }' \
    why.csv || fail "the path is not the run of $length s: $(cat why.csv)"
[ "$(sum '$3 == "holder" && $5 == "sleeping"')" -ge 60000000 ] || fail "path: $(cat why.csv)"

"$WEFT" why chain.weft --row consumer >text 2>said || stop "weft why as text: $?"
head -n 1 text | grep -q '^consumer: blocked on condition full at consumer (chain.c:' ||
    fail "$(cat text)"
grep -q '^woken by holder:$' text || fail "$(cat text)"
"$WEFT" why chain.weft --row nobody >text 2>said && fail "a row that is none"
grep -q "no container is called 'nobody'" said || fail "a row that is none"

# Two runs: the holder sleeps 50 ms longer in the second, and that is the largest change of what was
# not a wait for somebody.  A run compared with itself has no changes.
"$WEFT" record -o longer.weft -- "$PROGRAMS/live_chain" 110 2>said || stop "live_chain 110: $?"
"$WEFT" diff chain.weft longer.weft --format csv >diff.csv 2>said
[ $? -eq 1 ] || stop "weft diff: $(cat said)"
change=$(awk -F, '$2 == "sleeping" && $4 == "holder" { print $8 }' diff.csv)
[ "${change:-0}" -ge 45000000 ] || fail "changes: $(cat diff.csv)"
# The consumer waits for the holder meanwhile.
"$WEFT" diff chain.weft longer.weft --by cause --format csv >diff.csv 2>said
[ $? -eq 1 ] || stop "weft diff --by cause: $(cat said)"
change=$(awk -F, '$2 == "sleeping" && $4 == "holder" { print $8 }' diff.csv)
[ "${change:-0}" -ge 45000000 ] || fail "changes of causes: $(cat diff.csv)"
"$WEFT" diff chain.weft chain.weft --format csv >diff.csv 2>said || fail "no change: $(cat said)"
awk -F, 'NR > 1 && $8 != 0 { bad = 1 } END { exit bad }' diff.csv || fail "itself: $(cat diff.csv)"
# A thread that polls memory for 0.3 s, until another one has slept: nobody tells who wrote it, so its
# time is unseen, never work; and no function is charged with it, or with its samples.
if [ "$(uname -m)" = x86_64 ] && command -v cc >/dev/null; then
    cat >polls.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int flag;
static void *late(void *unused)
{
    usleep(300000);
    atomic_store(&flag, 1);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, late, NULL);
    while (!atomic_load(&flag))
        ;
    return pthread_join(thread, NULL);
}
END
    cc -O2 -g -pthread polls.c -o polls || stop "polls.c"
    "$WEFT" record -o polls.weft -- ./polls 2>said || stop "polls: $?"
    "$WEFT" why polls.weft --run --format csv >why.csv 2>said || stop "weft why polls: $?"
    "$WEFT" diff polls.weft polls.weft --format csv >diff.csv 2>said
    if grep -q ',spinning,' why.csv; then
        [ "$(sum '$5 == "spinning" && $4 != "unseen"')" = 0 ] || fail "who spins: $(cat why.csv)"
        [ "$(sum '$4 == "work"')" -lt 100000000 ] || fail "work: $(cat why.csv)"
        awk -F, '($2 == "spinning" || $2 == "running") && $5 != "" { bad = 1 }
            END { exit bad }' diff.csv || fail "functions of what spins: $(cat diff.csv)"
    fi
fi
exit "$failed"
