#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Locks and waits of C++ are at the program's own lines, whatever is inlined.  The marks of the
# program say which lines.  COMPILERS: those of C++, or empty.
set -u
: "${COMPILERS:=}"
. "$(dirname "$0")/lib.sh"
source=$here/programs/places.cpp
[ -n "$COMPILERS" ] || skip "no compiler of C++"

# lines MARK: "LINE [WORD...]" for each line of the program with the mark
lines() { grep -n "// $1" "$source" | sed -n "s,^\\([0-9]*\\):.*// $1 *,\\1 ,p"; }

# in_locks MARK COLUMN: the marked locks have the place of the mark in a column of the table
in_locks() {
    lines "$1" | while read -r line locks; do
        for lock in $locks; do
            grep "^$lock," locks.csv | cut -d, -f"$2-" | grep -q "(places.cpp:$line)" \
                || echo "$lock $1 at $line: $(grep "^$lock," locks.csv | cut -d, -f11-)"
        done
    done
}

check() { # COMPILER OPTIONS...
    "$1" -std=c++17 -g -pthread $2 "$source" -o places || stop "$*"
    "$WEFT" record --no-switches -o r.weft -- ./places >/dev/null 2>said || stop "recording: $*"
    "$WEFT" render lock-summary r.weft --format csv >locks.csv
    "$WEFT" render wait-summary r.weft --format csv >waits.csv
    {
        in_locks held 11
        in_locks waits 12
        lines at | while read -r line rest; do
            grep -q "(places.cpp:$line)" waits.csv || echo "nothing waits at $line"
        done
        # A join in a future's end may be deeper in wrappers than the recorded stack.
        sed 1d waits.csv | grep -v -e 'places.cpp:' -e '^blocked on join'
    } >wrong
    [ -s wrong ] && fail "$* $(cat wrong)"
}

for compiler in $COMPILERS; do
    for level in -O0 -O1 -O2 -O3; do
        check "$compiler" "$level"
    done
    check "$compiler" "-O2 -fno-omit-frame-pointer"
done
exit $failed
