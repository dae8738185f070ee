#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# weft record follows what its program leaves behind: it waits for it, says so, is told to end, or
# goes on in the background; and it follows programs that are started without its variables.
set -u
. "$(dirname "$0")/lib.sh"
trap 'touch "$folder/go"; rm -rf "$folder"' EXIT # so that nothing goes on that a test left
# What is waited for in "said" must not be there from before: a job opens the file when it runs.
processes() { "$WEFT" dump "$1" | sed -n 's/^Container, [^,]*, Process, .*, //p' | sort; }
# Leaves a process of a session of its own, which does something when there is a file "go", says
# so by a file "done", and ends; the program itself ends with 3.
cat >leaver <<'END'
#!/bin/sh
setsid sh -c 'while [ ! -e go ]; do sleep 0.02; done; ls >/dev/null; : >done' >/dev/null 2>&1 &
exit 3
END
chmod +x leaver

# It waits until the last process has ended, and says for which.
"$WEFT" record -o a.weft -- ./leaver 2>said &
recorder=$!
wait_until "it says who goes on" grep -q 'leaver ended; .*go.* on: .*sh [0-9].*; Ctrl-C' said
[ ! -e a.weft ] || stop "a trace, though a process goes on"
touch go
wait "$recorder"
[ $? = 3 ] || stop "the status is the program's own: 3"
processes a.weft | grep -qx ls || stop "what came later is not in the trace: $(processes a.weft)"
processes a.weft | grep -qx leaver || stop "the program has its own name: $(processes a.weft)"
"$WEFT" check a.weft >problems || stop "problems: $(cat problems)"
rm -f go done

# A signal ends the recording, not the process; the trace says that it is not whole.
rm said
env --default-signal=INT "$WEFT" record -o b.weft -- ./leaver 2>said &
recorder=$!
wait_until "it says who goes on" grep -q 'Ctrl-C (or kill -TERM [0-9]*) ends' said
kill -INT "$recorder"
wait "$recorder"
[ $? = 3 ] || stop "the status is the program's own when the recording is ended, too"
grep -q 'the recording ends, and .*go.* on: .*sh [0-9]' said || stop "it says who goes on without it"
grep -q 'went on when the recording was joined (.*sh [0-9]' said || stop "the report says so"
"$WEFT" check b.weft | grep -q unfinished-recording || stop "check says so"
ls -d b.weft.recording-* 2>/dev/null && stop "the folder is still there"
[ ! -e done ] || stop "the process was ended, too"
touch go
wait_until "the process goes on by itself" test -e done
rm -f go done

# Whatever a process calls itself, also when weft has children from before, as a shell's exec leaves.
cat >renamer <<'END'
#!/bin/sh
setsid sh -c 'printf "a)\nb" >/proc/self/comm; printf "a)\nb" >/proc/$$/comm; while [ ! -e go ]; do sleep 0.02; done; ls >/dev/null' >/dev/null 2>&1 &
while [ "$(cat /proc/$!/comm | wc -l)" != 2 ]; do sleep 0.02; done
END
chmod +x renamer
rm said
sh -c 'sleep 100 & echo $! >sleeper; exec "$0" record -o r.weft -- ./renamer' "$WEFT" 2>said &
recorder=$!
wait_until "a process of a strange name is waited for" grep -q 'renamer ended; .*go.* on: .*a)?b' said
touch go
wait "$recorder"
kill "$(cat sleeper)"
processes r.weft | grep -qx ls || stop "what it did is not in the trace: $(processes r.weft)"
rm -f go

# In the background: it ends at once, with the program's status, and the trace comes later.
"$WEFT" record --detach -o c.weft -- ./leaver 2>said
[ $? = 3 ] || stop "the status is the program's own with --detach"
grep -q 'in the background until .*kill -INT [0-9]*, and becomes c.weft' said || stop "how to end it"
[ ! -e c.weft ] || stop "a trace, though a process goes on in the background"
touch go
wait_until "the trace comes when the process has ended" test -e c.weft
grep -q 'c.weft.report then says' said || stop "where the report is"
wait_until "the report follows" grep -q '^weft: c.weft: .* events\{0,1\} of .* 0 lost' c.weft.report
processes c.weft | grep -qx ls || stop "what came later is in the trace"
rm -f go done
"$WEFT" record --detach -o d.weft -- ./leaver 2>said
kill -INT "$(sed -n 's/.*kill -INT \([0-9]*\).*/\1/p' said)" || stop "it runs in the background"
wait_until "it ends when it is told to" test -e d.weft
wait_until "the report says who goes on" grep -q 'the recording ends, and .*go.* on: .*sh [0-9]' d.weft.report
wait_until "and that something is missing" grep -q 'went on when the recording was joined' d.weft.report
"$WEFT" check d.weft | grep -q unfinished-recording || stop "and says that it is not whole"
touch go
wait_until "the process goes on by itself" test -e done
rm -f go done
"$WEFT" record --detach -o e.weft -- sh -c 'exit 5' 2>said
[ $? = 5 ] && [ -e e.weft ] && [ ! -e e.weft.report ] && grep -q 'e.weft: ' said ||
    stop "with nobody left --detach changes nothing"
# What goes wrong in the background is said there, too.
mkdir away
"$WEFT" record --detach -o away/i.weft -- ./leaver 2>said
[ $? = 3 ] || stop "the status is the program's own"
mkdir away/i.weft
touch go
wait_until "the report says what failed" grep -q 'i.weft' away/i.weft.report
wait_until "and where the recording is" grep -q 'weft recover joins it' away/i.weft.report
rm -rf go done away

# weft record itself is killed; what it has recorded so far is joined while others go on.
rm said
"$WEFT" record -o h.weft -- ./leaver 2>said &
recorder=$!
wait_until "it says who goes on" grep -q 'Ctrl-C (or kill -TERM [0-9]*) ends' said
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
"$WEFT" recover h.weft.recording-* 2>said
[ $? = 3 ] && grep -q 'stays, for programs are still recorded into it' said ||
    stop "recover while a process goes on"
"$WEFT" check h.weft | grep -q unfinished-recording || stop "recover says that it is not whole"
touch go
wait_until "the process goes on by itself" test -e done
# What it did after that is there, too; the trace that was made before does not go without a word.
until "$WEFT" recover h.weft.recording-* -o i.weft 2>said; do
    grep -q 'programs are still recorded into it' said || stop "recover when all have ended"
    sleep 0.05
done
"$WEFT" check i.weft >said || stop "it is whole then"
ls -d h.weft.recording-* 2>/dev/null && stop "its recording stays"
rm -f go done

# What ends in a moment is not worth a word.  A machine that has much to do may take longer than
# a moment for it, but not each time.
tries=0
until "$WEFT" record -o f.weft -- sh -c 'sleep 0.02 & :' 2>said && ! grep -q Ctrl-C said; do
    tries=$((tries + 1))
    [ "$tries" -lt 20 ] || stop "a word for a moment"
done

# Programs that are started without the environment, and one that is not to be followed.
cat >cleared <<'END'
#!/bin/sh
env -i "$(command -v ls)" >/dev/null
LD_PRELOAD= ls >/dev/null
unset WEFT_RECORD_DIR LD_PRELOAD
ls >/dev/null
WEFT_RECORD_DIR= LD_PRELOAD= cat /dev/null
END
chmod +x cleared
"$WEFT" record --no-switches -o g.weft -- ./cleared 2>said || stop "a script that clears its environment"
[ "$(processes g.weft | grep -c '^ls')" = 3 ] || stop "not three ls: $(processes g.weft)"
processes g.weft | grep -q cat && stop "followed, though it has an empty WEFT_RECORD_DIR"
# A signal that somebody sends to weft alone goes on to the program.
cat >taker <<'END'
#!/bin/sh
trap "echo got $1; exit 7" $1
: >ready
tries=0
while [ $tries -lt 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
END
chmod +x taker
for signal in HUP INT QUIT USR1 USR2 ALRM TERM CONT WINCH PROF RTMIN; do
    for detach in '' --detach; do
        rm -f ready
        env --default-signal=HUP,INT,QUIT "$WEFT" record $detach -o s.weft -- bash ./taker $signal >got 2>said &
        recorder=$!
        wait_until "a program that takes $signal" test -e ready
        kill -$signal "$recorder"
        wait "$recorder"
        [ $? = 7 ] && grep -qx "got $signal" got || stop "$signal to weft $detach: $(cat got)"
    done
done
# One that both were told to ignore stops neither.
rm -f ready
env --ignore-signal=TSTP "$WEFT" record -o s.weft -- bash ./taker TERM >got 2>said &
recorder=$!
wait_until "a program that ignores TSTP" test -e ready
kill -TSTP "$recorder"
kill -TERM "$recorder"
wait_until "weft does not stop where TSTP is ignored" grep -qx 'got TERM' got
wait "$recorder"
[ $? = 7 ] || stop "the status after a TSTP that was ignored"
# The status is there also when the system was told not to keep it.
env --ignore-signal=CHLD "$WEFT" record --detach -o i.weft -- sh -c 'exit 5' 2>said
[ $? = 5 ] || stop "--detach with SIGCHLD ignored: 5"
echo ok
