#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How locks, conditions, semaphores and barriers are called: as the marks of the programs say
# (programs/lock_names.c), each once.  PROGRAM is that of C; COMPILERS: those of C++, or empty.
set -u
: "${PROGRAM:?names the program to record}" "${COMPILERS:=}"
. "$(dirname "$0")/lib.sh"
include=$(cd "$here/../../include" && pwd)

# marked FILE: the names that its marks say
marked() {
    awk -v file="$(basename "$1")" '
        match($0, /\/[\/*] (is|called): .*/) {
            mark = substr($0, RSTART + 3, RLENGTH - 3)
            sub(/ *\*\/.*/, "", mark)
            called = mark ~ /^called: /
            sub(/^[a-z]*: /, "", mark)
            n = called ? 0 : split(mark, kinds, /, /)
            for (i = 1; i <= n; i++) print kinds[i] " of " file ":" NR
            if (called) print mark
        }' "$1" | sort
}

# named TRACE: the names of its objects
named() {
    "$WEFT" dump "$1" \
        | sed -n -E 's/^Container, [^,]*, (Mutex|Read-write lock|Spin lock|Condition|Semaphore|Barrier),( [^,]*,){3} //p' \
        | sort
}

compare() { # SOURCE TRACE WHAT
    marked "$1" >right
    named "$2" >got
    [ -s right ] || stop "no marks in $1"
    cmp -s right got || fail "names of $3: $(diff right got)"
}

"$WEFT" record --no-switches -o c.weft -- "$PROGRAM" 2>said || stop "recording $PROGRAM"
compare "$here/programs/lock_names.c" c.weft "$PROGRAM"
"$WEFT" record --no-switches -o again.weft -- "$PROGRAM" 2>said || stop "recording $PROGRAM"
compare "$here/programs/lock_names.c" again.weft "$PROGRAM, again"

for compiler in $COMPILERS; do
    for options in -O0 -O1 -O2 -O3 "-O2 -fno-omit-frame-pointer"; do
        "$compiler" -std=c++17 -g -pthread -I "$include" $options \
            "$here/programs/lock_names.cpp" -o cpp || stop "$compiler $options"
        "$WEFT" record --no-switches -o cpp.weft -- ./cpp 2>said || stop "recording: $options"
        compare "$here/programs/lock_names.cpp" cpp.weft "$compiler $options"
    done
done
[ -n "$COMPILERS" ] || echo "# no compiler of C++"
exit $failed
