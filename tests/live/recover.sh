#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# weft record is killed while its program runs; the program goes on; weft recover joins all
# that it did, also from a file in the folder, and removes the folder.
set -u
. "$(dirname "$0")/lib.sh"
# Nobody takes its status in some containers.
is_gone() { ! grep -qv '^[0-9]* (.*) [ZX] ' "/proc/$1/stat" 2>/dev/null; }

mkfifo gate
"$WEFT" record -o run.weft -- \
    sh -c 'sleep 0; echo $$ >begun; read -r word <gate; sleep 0; : >ended' 2>said &
recorder=$!
wait_until "the program begins" test -s begun
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
[ ! -e run.weft ] || stop "a trace before the recording was joined"
echo go >gate
wait_until "the program goes on" test -e ended
wait_until "it ends" is_gone "$(cat begun)"
"$WEFT" recover run.weft.recording-*/recording 2>report || stop "recover: $(cat report)"
grep -q ' 0 lost' report || stop "the report is: $(cat report)"
[ -s run.weft ] || stop "no run.weft"
ls -d run.weft.recording-* 2>/dev/null && stop "the folder is still there"
# sh, and the two sleeps that it forked and that became another program.
"$WEFT" dump run.weft | grep -c '^Container, .*, Process,' | grep -qx 3 ||
    stop "not three processes: $("$WEFT" dump run.weft | grep '^Container')"
mkdir empty
"$WEFT" recover empty 2>report
[ $? = 3 ] || stop "an empty folder is not a recording, status 3"
[ -d empty ] || stop "what is not a recording was removed"

# What was recorded before a newer trace was made of the same name does not replace it.
"$WEFT" record --dir old.weft.recording-abcdef -- true 2>said || stop "a recording"
touch -d '1 minute ago' old.weft.recording-abcdef/recording
echo newer >old.weft
"$WEFT" recover old.weft.recording-abcdef 2>said
[ $? = 4 ] && grep -q 'old.weft: it is newer' said || stop "a newer trace is kept: status 4"
[ "$(cat old.weft)" = newer ] && [ -d old.weft.recording-abcdef ] || stop "both stay"
"$WEFT" recover old.weft.recording-abcdef -o old.weft 2>said && "$WEFT" check old.weft >said ||
    stop "unless it is named"
# An older one is what it was to replace.
"$WEFT" record --dir old.weft.recording-abcdef -- true 2>said || stop "a recording"
touch -d '1 minute ago' old.weft
"$WEFT" recover old.weft.recording-abcdef 2>said || stop "an older trace is replaced"

# A trace of what there was of a recording, while its program ran on, is replaced by the whole one.
"$WEFT" record -o part.weft -- sh -c 'echo $$ >running; exec sleep 60' 2>/dev/null &
recorder=$!
wait_until "the program runs" test -s running
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
"$WEFT" recover part.weft.recording-* 2>said
[ $? = 3 ] && [ -e part.weft ] || stop "a recording whose program runs on: status 3"
kill "$(cat running)"
wait_until "it has ended" is_gone "$(cat running)"
"$WEFT" recover part.weft.recording-* 2>said && [ ! -e part.weft.recording-* ] ||
    stop "it is joined again when that has ended"

# From inside, the trace goes beside the folder as well.
for given in . recording ../in.weft.recording-abcdef/./; do
    "$WEFT" record --dir in.weft.recording-abcdef -- true 2>said || stop "a recording"
    (cd in.weft.recording-abcdef && "$WEFT" recover "$given" 2>../said) || stop "recover $given"
    [ -s in.weft ] && [ ! -e in.weft.recording-abcdef ] || stop "recover $given: $(find in.weft*)"
    rm in.weft
done

# What is said to nobody ends nothing: of weft itself, not of its program.
mkfifo said-to
# Descriptor 4 is a pipe that nobody reads.
(exec 3<>said-to 4>said-to 3<&- && env --default-signal=PIPE "$WEFT" record -o unheard.weft -- sh -c 'exit 7' 2>&4)
[ $? = 7 ] && [ -s unheard.weft ] || stop "the report is said to nobody: status 7"
ls -d unheard.weft.recording-* 2>/dev/null && stop "the folder is still there"
(exec 3<>said-to 4>said-to 3<&- && env --default-signal=PIPE "$WEFT" record -o unheard.weft -- \
    sh -c 'echo >&4' 2>said)
[ $? = 141 ] || stop "a program that writes to nobody ends by SIGPIPE"
"$WEFT" record --dir unheard -- true 2>said || stop "a recording"
(exec 3<>said-to 4>said-to 3<&- && env --default-signal=PIPE "$WEFT" recover unheard -o again.weft 2>&4)
[ $? = 0 ] && [ -s again.weft ] && [ ! -e unheard ] || stop "recover says it to nobody"

# What lies behind a link in the folder is of no recording: it is not read, and not removed.
"$WEFT" record --dir linked -- true 2>said || stop "a recording"
mkdir elsewhere
cp linked/h-*/l* elsewhere/l1-0
echo notes >elsewhere/x2024-11
ln -s ../elsewhere linked/h-linked
"$WEFT" recover linked -o linked.weft 2>said
[ $? = 3 ] && grep -q 'h-linked' said || stop "a link is no folder of a machine: $(cat said)"
[ -s elsewhere/l1-0 ] && [ -s elsewhere/x2024-11 ] && [ -L linked/h-linked ] ||
    stop "what is behind a link was removed"

# The trace does not take the place of the program.
printf '#!/bin/sh\nexit 0\n' >program
chmod +x program
for given in ./program "$PWD/program"; do
    "$WEFT" record -o program -- "$given" 2>said
    [ $? = 2 ] && grep -q 'is the program itself' said && [ -x program ] || stop "$given was replaced"
done

# No trace is no success, whatever the program's; its own failure goes first, and the recording stays.
ln -s nosuch/folder/t.weft nowhere.weft
for given in 'exit 0' 'exit 7'; do
    "$WEFT" record -o nowhere.weft -- sh -c "$given" 2>said
    status=$?
    case $given/$status in 'exit 0/4' | 'exit 7/7') ;; *) stop "$given without a trace: $status" ;; esac
    grep -q 'the recording stays' said || stop "the recording stays: $(cat said)"
done

# What is no file is refused before the program runs.
"$WEFT" record -o . -- touch ran 2>said
[ ! -e ran ] && grep -q 'it is no regular file' said || stop "a folder is no output"

# So is a folder in which the name of a recording's facts is somebody's; one that others record into
# may not have them all yet.
mkdir taken
printf 'my notes' >taken/recording
"$WEFT" record --dir taken -- touch ran 2>said
[ $? = 4 ] && [ ! -e ran ] && [ "$(cat taken/recording)" = 'my notes' ] &&
    grep -q 'its file "recording" is of no recording' said || stop "a file called recording"
printf 'WEFT rec' >taken/recording
"$WEFT" record --dir taken -- touch ran 2>said && [ -e ran ] || stop "a recording that begins"

# Statuses: of a program that is not there, cannot run, is killed.
"$WEFT" record -o x.weft -- ./nosuch 2>/dev/null
[ $? = 127 ] || stop "no such program: 127"
: >plain
"$WEFT" record -o x.weft -- ./plain 2>/dev/null
[ $? = 126 ] || stop "not a program: 126"
"$WEFT" record -o x.weft -- sh -c 'kill -TERM $$' 2>/dev/null
[ $? = 143 ] || stop "signal 15: 143"
# Also where the system was told not to keep the ends of children.
env --ignore-signal=CHLD "$WEFT" record -o ignored.weft -- sh -c 'exit 5' 2>said
[ $? = 5 ] || stop "with SIGCHLD ignored: 5"
"$WEFT" info --details ignored.weft | grep -q '^exit status  *5$' || stop "the trace has it"
env --ignore-signal=CHLD "$WEFT" record -o ignored.weft -- env --list-signal-handling true 2>list
grep -q '^CHLD .*IGNORE' list || stop "the program is given what weft was given: $(cat list)"
"$WEFT" record -- true 2>/dev/null && "$WEFT" record -- true 2>/dev/null
[ -e true-1.weft ] && [ -e true-2.weft ] || stop "PROGRAM-N.weft"
# Recordings that begin at the same time have names of their own.
for try in 1 2 3 4 5 6 7 8 9 10; do
    mkdir "together$try" && (
        cd "together$try" || exit 1
        for _ in 1 2 3 4; do "$WEFT" record -- true 2>>said & done
        wait
        [ "$(find . -name 'true-*.weft' | wc -l)" = 4 ]
    ) || stop "four recordings at once, try $try"
done
# A child that is killed says nothing of its end, and nobody waits for it: the trace says so.
"$WEFT" record -o child.weft -- sh -c 'sh -c "kill -KILL \$\$; true" & exec sleep 0.2' 2>/dev/null
"$WEFT" check child.weft >said
grep -q '^note .*unknown-end .*1 process ended without a word' said || fail "a child that was killed"
mkdir true-3.weft.recording-abcdef # left by one that was killed, and its name with it
"$WEFT" record -- true 2>/dev/null && [ -e true-4.weft ] && [ ! -e true-3.weft ] ||
    stop "names of recordings that are not joined are taken"
# What is no recording is not said to stay as one.
mkdir none
"$WEFT" recover none 2>said
[ $? = 3 ] && grep -q 'not a recording' said && ! grep -q 'stays' said || stop "a folder that is no recording"
# A link to a recording is what it leads to.
"$WEFT" record --dir behind.weft.recording-1 -- true 2>said || stop "--dir"
ln -s behind.weft.recording-1 link
"$WEFT" recover link -o link.weft 2>said && [ -e link.weft ] || stop "a link to a recording"
[ -L link ] && [ ! -e link ] && [ ! -e link-joined ] && [ ! -e behind.weft.recording-1-joined ] ||
    stop "the recording behind a link is gone, and nothing else: $(ls)"
# A path for which the recorder has no room is refused before the program starts.
deep=$(printf '%0120d/%0120d/%0120d/%0120d' 1 2 3 4)
mkdir -p "$deep"
"$WEFT" record -o "$deep/x.weft" -- touch deep 2>said
[ $? = 4 ] && grep -q 'bytes is too long' said || stop "-o in a folder that is too deep"
[ -z "$(ls "$deep")" ] || stop "it leaves $(ls "$deep")"
"$WEFT" record --dir "$deep/x" -- touch deep 2>said
[ $? = 4 ] && grep -q 'bytes is too long' said || stop "--dir in a folder that is too deep"
[ -z "$(ls "$deep")" ] && [ ! -e deep ] || stop "it leaves $(ls "$deep")"
echo ok
