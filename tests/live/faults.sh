#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# faults.sh LIBRARY...: what becomes of a recording whose join fails or is killed.  Nothing half has
# the final name, the folder stays, and joining it later gives all that was recorded.
set -u
: "${PROGRAMS:?names the folder of the programs}"
libraries=
for library; do libraries=$libraries${libraries:+:}$(realpath "$library"); done
. "$(dirname "$0")/lib.sh"

mkdir whole
echo "WEFT recording $(sed -n 's/^#define WEFT_RECORDING_MAGIC "WEFT recording \(.*\)"/\1/p' "$LAYOUT")" >whole/recording
WEFT_RECORD_DIR=$folder/whole LD_PRELOAD=$libraries "$PROGRAMS/live_annotate" rounds 300000 ||
    stop "live_annotate"
same() { # FOLDER: nothing of the recording was touched
    diff -r whole "$1" >/dev/null || stop "$1 was changed"
}
instants() { "$WEFT" dump "$1" | grep -c ', tick$'; }

# A limit on the size of files is a disk that is full.
for blocks in 0 1 8 64 512; do
    cp -r whole small
    # Through a pipe, for a file of messages would have that limit, too.
    (ulimit -f "$blocks" && "$WEFT" recover small -o small.weft 2>&1; echo "status $?") | cat >said
    grep -q 'status 4' said || stop "the status with $blocks blocks"
    [ ! -e small.weft ] || stop "half a trace with $blocks blocks"
    grep -q 'stays in small (weft recover joins it)' said || stop "where the recording is"
    same small
    rm -r small
done
# What the program writes itself is limited, too: then the reason is that, and no other.
"$WEFT" record -o limited.weft -- sh -c 'ulimit -f 8; exec "$0" rounds 5' "$PROGRAMS/live_annotate" \
    2>said || stop "a program with a limit"
grep -q 'ended before it did\|could not write there' said || stop "the reason"
grep -q 'it makes none of the calls' said && stop "another reason"

# Threads and processes that found no room are counted: those of the trace, those that are told of,
# and processes without a log are all that the program counts (programs/counted.c).
counts() { # BLOCKS SEED
    "$WEFT" record -o counted.weft -- sh -c "ulimit -f $1; exec \"\$0\" $2" "$PROGRAMS/live_counted" \
        >own 2>said || stop "a counting program with $1 blocks"
    "$WEFT" check counted.weft >problems
    there=$(sed -n 's/.* events\{0,1\} of \([0-9]*\) threads\{0,1\} in .*/\1/p' said)
    told=$(sed -n 's/.*lost-threads *\([0-9]*\) of the .*/\1/p' problems | paste -sd+ | sed 's/^$/0/')
    alone=$(grep -c 'not-recorded *process' problems)
    # A process that found no room may have been recorded from the program on that it executed.
    twice=$((${there:-0} + $told + alone - $(sed -n 's/^threads //p' own)))
    [ "$twice" -ge 0 ] && [ "$twice" -le "$(grep -c 'lost-threads *1 of the 1 ' problems)" ] ||
        fail "$(cat own) with $1 blocks: $there are there, $told told of, $alone processes: $(cat problems)"
    [ "$told" = 0 ] || grep -q 'recording-ended .*File too large' problems || fail "no reason with $1 blocks"
}
for blocks in 64 128 150 200 300 400 600 900 1200 2000 4000; do
    counts "$blocks" 2
done

# The disk may be full of the program's own file, while its status is passed on.
"$WEFT" record -o nosuch/folder/t.weft -- true 2>said
[ $? = 4 ] || stop "a folder that is not there: 4"

# Killed at any moment: then joined as if nothing had been.
moment=1
while [ "$moment" -le 12 ]; do
    cp -r whole killed
    "$WEFT" recover killed -o killed.weft 2>said &
    recorder=$!
    sleep "$(echo "$moment" | awk '{ printf "%.3f", $1 * $1 / 400 }')"
    kill -9 "$recorder" 2>/dev/null
    wait "$recorder" 2>/dev/null
    if [ -e killed.weft ]; then
        "$WEFT" check killed.weft >said || stop "a trace that is not whole, killed at $moment"
    else
        same killed
        "$WEFT" recover killed -o killed.weft 2>said || stop "cannot be joined after $moment"
    fi
    [ "$(instants killed.weft)" = 300000 ] || stop "instants: $(instants killed.weft)"
    rm -rf killed killed.weft
    moment=$((moment + 1))
done

# What cannot be read is told, and stays.
cp -r whole odd
for log in odd/h-*/[tl]*; do
    rm "$log"
    mkdir "$log"
    break
done
"$WEFT" recover odd -o odd.weft 2>said
[ $? = 3 ] || stop "a file that is a folder"
grep -q 'odd stays, for not all of it could be read (weft recover joins it again)' said || stop "what was not read is kept"
"$WEFT" check odd.weft | grep -q unread-file || stop "check says so"
[ -d odd ] || stop "the folder is gone"

# A log that was cut, cleared or emptied is told, with its name, and stays as it is.
mkdir good
cp whole/recording good
WEFT_RECORD_DIR=$folder/good LD_PRELOAD=$libraries "$PROGRAMS/live_annotate" rounds 3000 ||
    stop "live_annotate"
clear() { dd if=/dev/zero of="$log" bs=64 seek="$1" count="$2" conv=notrunc 2>/dev/null; }
scribble() { dd if="$WEFT" of="$log" bs=4096 skip=9 seek="$1" count="$2" conv=notrunc 2>/dev/null; }
cut_to() { truncate -s "$1" "$log"; }
damaged() { # COMMAND...: what is done to the log
    rm -rf bad kept bad.weft
    cp -r good bad
    log=$(echo bad/h-*/l*)
    "$@"
    cp -r bad kept
    "$WEFT" recover bad -o bad.weft 2>said
    [ $? = 3 ] || stop "recover after $*"
    grep -q 'bad stays, for not all of it could be read (weft recover joins it again)' said ||
        stop "it is not said after $*"
    grep -q 'nothing of the recorder was loaded' said && stop "the wrong reason after $*"
    diff -r kept bad >/dev/null || stop "the recording was changed after $*"
    "$WEFT" check bad.weft >said
    [ $? = 1 ] || stop "check after $*"
    grep -q "$log" said || stop "check names no log after $*"
}
log=$(echo good/h-*/l*)
size=$(wc -c <"$log")
damaged clear 0 1
damaged clear 0 64
damaged clear 0 $((size / 64 + 1))
damaged clear 64 128 # the headers of the process and its threads
damaged clear 64 1
damaged clear 128 1
damaged clear 192 1 # the head of the buffer
damaged clear 300 64 # records in its middle
damaged clear $((size / 128)) $((size / 128 + 1))
damaged scribble 5 1
damaged scribble 2 1
damaged cut_to 0
damaged cut_to 100
damaged cut_to 4096
damaged cut_to 12288
damaged cut_to $((size / 2))
damaged cut_to $((size - 5000))
damaged cut_to $((size - 100))
# What has no log any more is not taken for a program that nothing was seen of, and stays.
cp -r good none
rm none/h-*/l*
"$WEFT" recover none -o none.weft 2>said
[ $? = 3 ] && grep -q 'none stays, for no process is in it' said && [ -d none ] ||
    stop "a recording without logs"
grep -q 'nothing of the recorder was loaded' said && stop "and the reason is not known"
# A folder that others have files in is theirs, and so are the files.
cp -r good theirs
mkdir -p theirs/src/deep
echo 'int main(void) { return 0; }' | tee theirs/src/deep/a.c >theirs/notes
echo text >"$(echo theirs/h-*/)own"
# Names that begin as those of logs, beside the recording and in folders that are called like a machine's.
for name in x264.txt l2norm.c l1-0 x1-5 x86- l2-1a recording.txt; do echo precious >"theirs/$name"; done
mkdir theirs/h-notes theirs/h-empty
for name in x2.dat l7 l1- x-3 recording; do echo precious >"theirs/h-notes/$name"; done
# Not what an earlier removal left, either.
mkdir theirs-joined
echo precious >theirs-joined/l3.txt
(cd theirs && find . -type f ! -name recording ! -path './h-*/l[0-9]*-[0-9]*' -o -path ./h-notes/recording) |
    sort >before
"$WEFT" recover theirs -o theirs.weft 2>said || stop "a folder of somebody"
(cd theirs && find . -type f) | sort >after
[ "$(wc -l <before)" = 15 ] && diff before after >said ||
    stop "what is of no recording is gone: $(find theirs)"
[ -d theirs/h-empty ] || stop "a folder of somebody is gone"
[ -f theirs-joined/l3.txt ] || stop "a folder beside it is not emptied"
"$WEFT" check theirs.weft >said || stop "what is of no recording is told to be damaged"
# Beside a folder that would go as a whole there may be one of somebody's under the name that it
# gets for that.
cp -r good beside
mkdir beside-joined
echo precious >beside-joined/l3.txt
"$WEFT" recover beside -o beside.weft 2>said && [ ! -e beside ] || stop "the recording beside it"
[ "$(cat beside-joined/l3.txt)" = precious ] || stop "a folder beside it is emptied"
[ ! -e theirs/recording ] && ! ls theirs/h-*/l[0-9]*-[0-9]* 2>/dev/null || stop "the recording is not removed"
# Joined again when it is whole again.
"$WEFT" recover good -o good.weft 2>said || stop "the whole one"
[ ! -e good ] && "$WEFT" check good.weft >said || stop "the whole one is told to be damaged"
echo ok
