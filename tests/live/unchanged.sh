#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# unchanged.sh: programs that a recorder could make fail, or wait for ever, do and say what they do
# without it.
set -u
: "${PROGRAMS:?names the folder of the programs}"
. "$(dirname "$0")/lib.sh"

same() { # COMMAND...
    timeout 60 "$@" >bare 2>&1
    bare=$?
    [ "$bare" = 0 ] || fail "$*: status $bare without the recorder: $(cat bare)"
    timeout 60 "$WEFT" record -o run.weft -- "$@" >recorded 2>said
    recorded=$?
    [ "$recorded" = "$bare" ] || fail "$*: status $recorded, without the recorder $bare"
    diff bare recorded >difference || fail "$*: it says something else: $(cat difference)"
    rm -f run.weft
}

same "$PROGRAMS/live_unchanged" filter
same "$PROGRAMS/live_unchanged" strict
same "$PROGRAMS/live_unchanged" refused
grep -q ' 0 lost' said || fail "what is refused stops the recording"
same "$PROGRAMS/live_unchanged" lost
same "$PROGRAMS/live_unchanged" protected
same "$PROGRAMS/live_unchanged" new-code "$PROGRAMS/liblive_late.so"
same "$PROGRAMS/live_unchanged" new-memory
# Each mapping is asked for when its lock is made, and not again each time.
"$WEFT" record --dir mappings -- "$PROGRAMS/live_unchanged" many-mappings 2>said || fail "many mappings"
asked=$(cat mappings/h-*/l* | grep -ao '/dev/zero (deleted)' | wc -l)
[ "$asked" -ge 100 ] && [ "$asked" -lt 1000 ] || fail "100 mappings are told $asked times"
exit $failed
