#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ten idioms of C++20: locks and waits are at the program's own lines, threads are called by the
# lambda that they run, whatever is inlined.  The marks of programs/idioms.cpp say which lines.
# COMPILERS: those of C++, or empty; LEVELS: of optimization, one if not set.
set -u
: "${COMPILERS:=}" "${LEVELS:=-O2}"
. "$(dirname "$0")/lib.sh"
source=$here/programs/idioms.cpp
[ -n "$COMPILERS" ] || skip "no compiler of C++"

# marks WORD: "FILE:LINE NAME" for each line with the mark; the name is that of a lock, or empty
marks() {
    for file in "$source" "$here/programs/guarded.hpp"; do
        sed -n "=;s,.*[;{] // \\(held [A-Za-z]* \\)\\{0\,1\\}$1 *,mark ,p" "$file" \
            | awk -v f="$(basename "$file")" '/^mark/ { print f ":" n, $2; next } { n = $1 }'
    done
}
# in_locks WORD COLUMN: the marked locks have the place of the mark in a column of the table
in_locks() {
    marks "$1" | while read -r place lock; do
        [ "$lock" = Guarded ] && lock=guarded.lock_
        grep "^$lock," locks.csv | cut -d, -f"$2-" | grep -q "($place)" \
            || echo "$lock $1 at $place: $(grep "^$lock," locks.csv | cut -d, -f11-)"
    done
}
# foreign FILE: rows of a table with places that are not the program's
foreign() {
    sed -e 1d -e 's/([a-z]*\.cpp:[0-9]*)//g' -e 's/(guarded\.hpp:[0-9]*)//g' "$1" \
        | grep -e '([^()]*:[0-9]*)' -e '(lib[^()]*)' -e '+0x'
}

look() { # of a recording; what is wrong goes into the file "wrong"
    "$WEFT" record -o r.weft -- ./idioms >/dev/null 2>said || stop "recording"
    for view in lock-summary wait-summary threads; do
        "$WEFT" render $view r.weft --format csv >$view.csv || stop "the table of $view"
    done
    mv lock-summary.csv locks.csv
    {
        in_locks held 11
        in_locks waits 12
        foreign locks.csv | grep -v "^\($known\),"
        foreign wait-summary.csv
        marks thread | while read -r place name; do
            grep -q "^lambda at $place," threads.csv || echo "no thread $place"
        done
        grep '{lambda' threads.csv
        # Without the kernel's switches nobody looks at a futex.
        "$WEFT" info --details r.weft | grep -q 'not observed' \
            || marks at | while read -r place name; do
                grep -q "($place)" wait-summary.csv || echo "nothing waits at $place"
            done
    } >wrong
    ! [ -s wrong ]
}

check() { # COMPILER LEVEL
    "$1" -std=c++20 -g "$2" -pthread "$source" -o idioms 2>said || {
        echo "# $1 has no C++20"
        return
    }
    # On a busy machine a wait may be over before it is looked at.
    look || look || look || fail "$* $(cat wrong)"
}

known=none
for compiler in $COMPILERS; do
    for level in $LEVELS; do
        check "$compiler" "$level"
    done
done
exit $failed
