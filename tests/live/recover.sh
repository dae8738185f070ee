#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# weft record is killed while its program runs; the program goes on; weft recover joins all
# that it did, also from a file in the folder, and removes the folder.
set -u
: "${WEFT:?names the weft to test}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-recover-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
fail() { echo "not ok: $*"; exit 1; }

"$WEFT" record -o run.weft -- sh -c 'sleep 1; : >ended; sleep 0.1' 2>said &
recorder=$!
sleep 0.3
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
[ ! -e run.weft ] || fail "a trace before the recording was joined"
tries=0
while [ ! -e ended ]; do
    sleep 0.1
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || fail "the program did not go on: $(cat said)"
done
sleep 0.5
"$WEFT" recover run.weft.recording-*/recording 2>report || fail "recover: $(cat report)"
grep -q ' 0 lost' report || fail "the report is: $(cat report)"
[ -s run.weft ] || fail "no run.weft"
ls -d run.weft.recording-* 2>/dev/null && fail "the folder is still there"
# sh, and the two sleeps that it forked and that became another program.
"$WEFT" dump run.weft | grep -c '^Container, .*Process' | grep -qx 3 ||
    fail "not three processes: $("$WEFT" dump run.weft | grep '^Container')"
mkdir empty
"$WEFT" recover empty 2>report
[ $? = 3 ] || fail "an empty folder is not a recording, status 3"
[ -d empty ] || fail "what is not a recording was removed"

# Statuses: of a program that is not there, cannot run, is killed.
"$WEFT" record -o x.weft -- ./nosuch 2>/dev/null
[ $? = 127 ] || fail "no such program: 127"
: >plain
"$WEFT" record -o x.weft -- ./plain 2>/dev/null
[ $? = 126 ] || fail "not a program: 126"
"$WEFT" record -o x.weft -- sh -c 'kill -TERM $$' 2>/dev/null
[ $? = 143 ] || fail "signal 15: 143"
"$WEFT" record -- true 2>/dev/null && "$WEFT" record -- true 2>/dev/null
[ -e true-1.weft ] && [ -e true-2.weft ] || fail "PROGRAM-N.weft"
echo ok
