#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A trace that is cut or replaced while a command reads it: one error and status 3, whatever was
# printed before, and no file of half a trace.
. "$(dirname "$0")/lib.sh"

# A store of some hundred kilobytes; its dump is longer than any pipe holds.
{
    cat <<'HEAD'
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 5
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
1 C 0 Process
2 S C State
5 0 p C 0 process
HEAD
    awk 'BEGIN { for (i = 0; i < 60000; i++) printf "6 %d S p v%d\n", i, i * i % 9 }'
} >long.paje
status 0 convert long.paje -o whole.weft
size=$(wc -c <whole.weft)
mkfifo pipe

# changed COMMAND...: dump store.weft into a pipe; COMMAND runs when the first line has come, and
# the dump waits until then, since the pipe is full.
changed() {
    cp whole.weft store.weft
    "$weft" dump store.weft >pipe 2>err &
    dump=$!
    exec 3<pipe
    IFS= read -r line <&3
    "$@"
    cat <&3 >rest
    exec 3<&-
    wait $dump
    got=$?
    ok "$* while it is read ends with 3" test $got -eq 3
    ok "one line of error" test "$(wc -l <err)" -eq 1
    says '^weft: .*changed while it was read'
}

changed truncate -s 4096 store.weft
changed truncate -s $((size / 2)) store.weft
changed truncate -s 0 store.weft
changed cp long.paje store.weft

# Replaced as weft itself does it, the old file stays whole for whoever reads it.
cp whole.weft store.weft
cp whole.weft other.weft
"$weft" dump store.weft >pipe 2>err &
exec 3<pipe
IFS= read -r line <&3
mv other.weft store.weft
cat <&3 >rest
exec 3<&-
wait $!
ok "a file that is replaced as a whole is read to its end" test $? -eq 0
finish
