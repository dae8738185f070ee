#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Waits and locks that a program makes through a library are at the program's own lines, though the
# library has no symbols: GLib and libuv, where these are installed.  The marks of the programs say
# which lines.  PROGRAMS_OF: programs that were built, or empty.
set -u
: "${PROGRAMS_OF:=}"
. "$(dirname "$0")/lib.sh"
[ -n "$PROGRAMS_OF" ] || skip "neither GLib nor libuv to build with"

# marks WORD: "FILE:LINE" for each line with the mark
marks() { sed -n "/[/][*] .*\\b$1\\b.* [*][/]$/=" "$source" | sed "1,2{/^[12]$/d;};s/^/$(basename "$source"):/"; }

look() { # of a recording; what is wrong goes into the file "wrong"
    "$WEFT" record -o r.weft -- "$program" >/dev/null 2>said || stop "recording"
    for view in lock-summary wait-summary; do
        "$WEFT" render $view r.weft --format csv >$view.csv || stop "the table of $view"
    done
    observed=yes
    "$WEFT" info --details r.weft | grep -q 'not observed' && observed=
    {
        [ -z "$observed" ] || for place in $(marks waits); do
            grep -q "($place)" wait-summary.csv || echo "nothing waits at $place"
        done
        for place in $(marks held); do
            grep -q "($place)" lock-summary.csv || echo "nothing holds at $place"
        done
    } >wrong
    ! [ -s wrong ]
}

for program in $PROGRAMS_OF; do
    source=$here/programs/$(basename "$program" | sed 's/live_//').c
    [ "$(marks waits | wc -l)" -gt 8 ] || stop "no marks in $source"
    # On a busy machine a wait may be over before it is looked at.
    look || look || look || fail "$(basename "$program"): $(cat wrong)"
done
exit $failed
