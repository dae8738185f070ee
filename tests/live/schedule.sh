#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernel says when threads ran, whatever is in the program (programs/blocks.c, busy.c):
# each call that blocks is named, for as long as its thread measured it; a program that
# nothing can be loaded into has the same states; all states of a thread sum to its life.
set -u
: "${PROGRAMS:?names the folder of the programs}"
. "$(dirname "$0")/lib.sh"

cat >states <<'END'
epoll polling
eventfd reading
fgets reading
flock blocked on file lock
fprintf writing
fread reading
futex blocked on futex
idle waiting for work
msgrcv reading
open opening
pclose waiting for a child
poll polling
readv reading
recvmsg reading
select polling
semop blocked on semaphore
send writing
sendmsg writing
splice reading
system waiting for a child
usleep sleeping
writev writing
END

compare() { # TRACE SLACK: the time in the state of each call, beside what its thread measured;
            # SLACK: ns that they may differ by, beside 2 %
    "$WEFT" stats "$1" --by each --format csv | awk -F, -v slack="$2" '
        FILENAME == "states" { split($0, w, " "); state[w[1]] = substr($0, length(w[1]) + 2); next }
        FILENAME == "waited" { split($0, w, " "); waited[w[1]] = w[2]; next }
        $2 == "Thread state" && ($1 in state) && state[$1] == $3 { found[$1] = $5 }
        END { for (name in state) {
                  off = waited[name] - found[name]
                  if (off < 0) off = -off
                  # A thread that is preempted at the call measures it, too.
                  if (off > waited[name] * 0.02 + slack)
                      print name ": measured", waited[name], "ns,", state[name], found[name] + 0
              } }' states waited -
}

places() { # TRACE: calls that are not in the function that the thread runs, "do_CALL"
    "$WEFT" render wait-summary "$1" --format csv | awk -F, '
        FILENAME == "states" { split($0, w, " "); known[w[1]] = 1; next }
        NR == FNR { next }
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        ($column["worst_waiter"] in known) && $column["total_ns"] > 200000000 {
            call = $column["worst_waiter"]
            seen[call] = 1
            sub(/^(us|fp)/, call ~ /^us/ ? "s" : "p", call)
            call = call == "idle" ? "runtime.findRunnable" : "do_" call
            if (index($column["site"], call " (blocks.c:") != 1) print $0 }
        END { for (call in known) if (!seen[call]) print call ": no wait" }' states -
}

lives() { # TRACE: threads whose states do not sum to their lives
    "$WEFT" render threads "$1" --format csv | awk -F, 'NR > 1 {
        sum = 0
        for (i = 3; i < 14; i++) sum += $i
        if (sum != $14 || $13 > 1000000) print $1 ": " $0 }'
}

"$WEFT" record -o a.weft -- true 2>said || stop "weft record true"
if "$WEFT" check a.weft | grep -q no-switches; then
    skip "the kernel does not tell when threads ran"
fi

for program in live_blocks live_blocks_static; do
    [ -x "$PROGRAMS/$program" ] || continue
    "$WEFT" record -o a.weft -- "$PROGRAMS/$program" >waited 2>said || stop "$program: $?"
    compare a.weft 30000000 >wrong
    [ ! -s wrong ] || fail "$program: $(cat wrong)"
    places a.weft >wrong
    [ ! -s wrong ] || fail "$program: places: $(cat wrong)"
    lives a.weft >wrong
    [ ! -s wrong ] || fail "$program: the states of a thread are not its life: $(cat wrong)"
    "$WEFT" check a.weft | grep -qE '^(error|warning)' && fail "$program: $("$WEFT" check a.weft)"
done

# A processor that is shared, a mutex whose holder was preempted, a page that came late, a
# process that was stopped (programs/turns.c).
turns() { # says what Weft has wrong of one run
    "$WEFT" record -o a.weft -- "$PROGRAMS/live_turns" >known 2>said || stop "live_turns: $?"
    "$WEFT" render threads a.weft --format csv >times
    "$WEFT" render lock-summary a.weft --format csv >locks.csv
    "$WEFT" stats a.weft --by each --format csv >stats.csv
    awk -F, '
        function near(name, is, wanted) {
            off = is - wanted; if (off < 0) off = -off
            if (is == "" || off > wanted * 0.02 + 10000000)
                print name ": " is + 0 " ns, not " wanted }
        FILENAME == "times" { ran[$1] = $3; ready[$1] = $4; next }
        FILENAME == "locks.csv" && FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        FILENAME == "locks.csv" { if ($1 == "mutex") { held = $column["hold_total_ns"]
                                  late = $column["hold_ready_ns"] } next }
        FILENAME == "stats.csv" { if ($3 == "waiting for a page" && $1 == "page") page = $5
                                  if ($3 == "stopped") stopped += $5; next }
        { split($0, w, " "); n++ }
        w[1] ~ /^pair/ { near(w[1] " ran", ran[w[1]], w[2])
                         near(w[1] " was ready", ready[w[1]], w[3] - w[2]) }
        w[1] == "mutex" { near("held and ready", late, w[2]); near("held", held, w[3]) }
        w[1] == "page" { near("waited for a page", page, w[2]) }
        w[1] == "stopped" { near("stopped", stopped, w[2]) }
        END { if (n < 4) print "the program says " n " things" }' \
        times locks.csv stats.csv known >wrong
}
# A machine below that takes the processors away meanwhile makes both differ: one of three runs
# must be without.
for attempt in 1 2 3; do
    turns
    [ -s wrong ] || break
done
[ ! -s wrong ] || fail "turns: $(cat wrong)"

# Eight threads that do not wait: what the kernel counts for each is what it ran, also where no
# recorder notices threads.  What the machine below took away in between, the kernel's switches
# do not tell.
stolen() { awk '$1 == "cpu" { printf "%.0f", $9 * 10000000 }' /proc/stat; } # ns, of all processors
for with in threads annotations; do
    before=$(stolen)
    "$WEFT" record --with $with -o a.weft -- "$PROGRAMS/live_spinning" >counted 2>said ||
        stop "spinning"
    taken=$(($(stolen) - before))
    "$WEFT" render threads a.weft --format csv >times
    while read -r name ns; do
        awk -F, -v name="$name" -v ns="$ns" -v taken="$taken" '$1 == name {
            n++
            off = $3 - ns
            if (off > ns * 0.01 + 4000000 + taken || -off > ns * 0.01 + 4000000)
                print name ": the kernel counts", ns, "ns, running_ns is", $3 }
            END { if (n != 1) print name " has " n + 0 " rows" }' times
    done <counted >wrong
    [ "$(wc -l <counted)" = 8 ] || fail "not eight threads: $(cat counted)"
    [ ! -s wrong ] || fail "running, with $with: $(cat wrong)"
done

# A process that is killed: what its threads did after their last records is known, too.
for with in threads annotations; do
    "$WEFT" record --with $with -o a.weft -- "$PROGRAMS/live_killed" >out 2>said
    "$WEFT" render threads a.weft --format csv | awk -F, 'NR > 1 {
        n++
        if ($3 > 1200000000) print $1 " ran for " $3 " ns" }
        END { if (n != 2) print n " threads" }' >wrong
    [ ! -s wrong ] || fail "killed, with $with: $(cat wrong)"
done

# Where the kernel refuses: threads that are blocked are seen all the same, 10 ms later.
for program in live_blocks live_blocks_static; do
    [ -x "$PROGRAMS/$program" ] || continue
    # A busy machine may stop the recorder as long as a wait lasts: one of three runs must be right.
    for attempt in 1 2 3; do
        "$PROGRAMS/live_no_perf" "$WEFT" record -o a.weft -- "$PROGRAMS/$program" >waited 2>said \
            || stop "$program without perf_event_open: $?"
        # Without mappings the stack of an idle worker is not known.
        sed -i 's/^idle .*/idle blocked on futex/' states
        compare a.weft 150000000 >wrong
        [ -s wrong ] || break
    done
    [ ! -s wrong ] || fail "$program without perf_event_open: $(cat wrong)"
    [ "$("$WEFT" check a.weft | grep -c no-switches)" = 1 ] || fail "not one line of the refusal"
done
"$PROGRAMS/live_no_perf" "$WEFT" record -o a.weft -- "$PROGRAMS/live_spinning" >counted 2>said
"$WEFT" render threads a.weft --format csv | awk -F, 'FNR > 1 && $1 ~ /^spin/ {
    n++; if ($3 + $4 + $13 != $14) print }
    END { if (n != 8) print n " threads spin" }' >wrong
[ ! -s wrong ] || fail "spinning threads wait: $(cat wrong)"

# Without /proc it says so, in one line.
if unshare -rm sh -c 'mount -t tmpfs none /proc' 2>said; then
    unshare -rm sh -c "mount -t tmpfs none /proc; exec '$WEFT' record -o b.weft -- true" 2>said
    [ "$(cat said)" = "weft: weft record needs /proc: No such file or directory" ] \
        || fail "without /proc: $(cat said)"
fi

# Without: as the recorder inside the program sees it.
"$WEFT" record --no-switches -o a.weft -- true 2>said || stop "weft record --no-switches"
"$WEFT" dump a.weft | grep -q ', Processor, ' && fail "processors without switches"
"$WEFT" record --no-switches -o a.weft -- "$PROGRAMS/live_blocks" >waited 2>said || stop "$?"
grep -E '^(readv|writev|send|sendmsg|recvmsg|poll|select|epoll|usleep) ' states >hooked
mv hooked states
compare a.weft 30000000 >wrong
[ ! -s wrong ] || fail "without switches: $(cat wrong)"
exit $failed
