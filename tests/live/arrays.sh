#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# References to arrays, recorded: what programs say by TRACE, and what hooks see, count the same.
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-arrays-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
fail() {
    echo "FAILED: $*"
    [ -f said ] && sed 's/^/    /' said
    failed=1
}
record() { # TRACE OPTION... -- PROGRAM ARGUMENT...
    trace=$1
    shift
    rm -f "$trace"
    timeout 60 "$WEFT" record -o "$trace" "$@" >out 2>said || fail "not recorded: $*"
    "$WEFT" check "$trace" >problems || fail "$*: $(cat problems)"
    "$SUMS" "$trace" steps >sums || fail "$*: there is no profile"
}
expect() { # PATTERN WHAT: the last command's error says it
    grep -q -- "$1" said || fail "$2"
}

# ---- TRACE: nothing is linked, and nothing is asked for.
cc -O2 -g -I"$INCLUDE" "$EXAMPLES/gauss.c" -lm -o gauss 2>said || fail "gauss: not compiled"
./gauss >out || fail "gauss: $(cat out)"
record gauss.weft -- ./gauss
# Each of 10 scalings has 20 reads and 10 writes, each of 90 additions 30 and 10.
awk '!/^step/ { r += $3; w += $4 } END { exit r != 2900 || w != 1000 }' sums ||
    fail "gauss: $(awk '!/^step/ { r += $3; w += $4 } END { print r, "reads", w, "writes" }' sums)"
[ "$(awk '/^step/ { print $2 }' sums | sort -un | wc -l)" = 100 ] || fail "gauss: steps"
# The row 3 is scaled in the step 10 + 9 + 8 = 27: its element (3,3) is read by all 10, and by itself.
grep -q '^step 27 B 33 11 1 ' sums || fail "gauss: $(grep '^step 27 B 33 ' sums)"
cp sums loose
record strict.weft -- ./gauss strict
sed 's/ [0-9a-f]*$//' loose >a
sed 's/ [0-9a-f]*$//' sums >b
cmp -s a b || fail "gauss strict: other elements than those of the report's"
cmp -s loose sums && fail "gauss strict: the same owners as the report's"
record both.weft -- ./gauss both
awk '/^B/ { b += $4 } /^M/ { m += $4 } END { exit b != 1000 || m != 1000 }' sums || fail "both"

# ---- Hooks see what TRACE says, whichever compiler puts them in.
cc -O1 -g -DANNOTATED -I"$INCLUDE" "$EXAMPLES/lu.c" -o annotated || fail "lu: not compiled"
record annotated.weft -- ./annotated
cp sums annotated.sums
[ -s annotated.sums ] || fail "lu: nothing was recorded"
compilers=
for compiler in gcc clang; do
    command -v "$compiler" >where || continue
    # clang leaves out the read when the same element is written next, unless it is told.
    if [ "$compiler" = clang ]; then
        flags="-mllvm -tsan-instrument-read-before-write=1"
    else
        flags=
    fi
    # shellcheck disable=SC2086
    "$compiler" -O1 -g -fsanitize=thread $flags -I"$INCLUDE" -c "$EXAMPLES/lu.c" -o lu.o \
        2>said || { echo "$compiler has no -fsanitize=thread" && continue; }
    "$compiler" lu.o "$LIBRARY" -o "lu_$compiler" 2>said || { fail "$compiler: lu" && continue; }
    [ "$("./lu_$compiler")" = "$(./annotated)" ] || fail "$compiler: another determinant"
    record hooks.weft --with arrays -- "./lu_$compiler"
    cmp -s sums annotated.sums ||
        fail "$compiler: hooks count otherwise: $(diff sums annotated.sums | head -5)"
    # Without being named, the family keeps what programs say, and these say nothing.
    rm -f plain.weft
    "$WEFT" record -o plain.weft -- "./lu_$compiler" >out 2>said || fail "$compiler: plain"
    "$SUMS" plain.weft >sums
    [ -s sums ] && fail "$compiler: hooks recorded without being asked"
    compilers="$compilers $compiler"
done
[ -n "$compilers" ] || { echo "no compiler here has -fsanitize=thread" && exit "$((failed ? 1 : 77))"; }
set -- $compilers
compiler=$1

# ---- An array that the command line names.
sed 's/weft_array[a-z_]*([^;]*;//' "$EXAMPLES/lu.c" >named.c
"$compiler" -O1 -g -fsanitize=thread -I"$INCLUDE" -c named.c -o named.o &&
    "$compiler" named.o "$LIBRARY" -o named || fail "named: not compiled"
record named.weft --with arrays --array A:48x48:double -- ./named
[ "$("$SUMS" named.weft | wc -l)" = 2304 ] || fail "named: not all elements"
refuse() { # ARRAY PATTERN
    "$WEFT" record --with arrays --array "$1" -o no.weft -- ./named >out 2>said
    [ $? = 2 ] || fail "--array $1: it is taken"
    expect "$2" "--array $1: it does not say $2"
    [ -e no.weft ] && fail "--array $1: there is a trace"
}
refuse B:48x48:double 'no variable B; it has A (18432 bytes)'
refuse A:48x40:double '48x48'
refuse A:48x48:float '48x96'
refuse A:48x48:quad 'no such type'
refuse A:48y48:double 'with an x between'
refuse A 'lacks a name or a shape'
refuse A:0x48:double 'numbers from 1'
"$WEFT" record --array A:48x48:double -o no.weft -- ./named >out 2>said
expect '--with arrays' '--array without --with'

# ---- One that is linked with the sanitizer's own library is not started.
if "$compiler" -fsanitize=thread named.o -o sanitized 2>said; then
    "$WEFT" record --with arrays -o no.weft -- ./sanitized >out 2>said && fail "sanitized"
    expect '-lweft-array' 'with the sanitizer: it does not say what to link'
fi

# ---- Atomic operations do what they did, and are references.
"$compiler" -O1 -g -fsanitize=thread -I"$INCLUDE" -c "$PROGRAMS/array_atomics.c" -o atomics.o &&
    "$compiler" atomics.o "$LIBRARY" -pthread -o atomics || fail "atomics: not compiled"
./atomics >out || fail "atomics: $(cat out)"
record atomics.weft --with arrays -- ./atomics
grep -q '^counters 0 40000 40000 ' sums || fail "atomics: $(head -3 sums)"

# ---- Fortran: by columns in memory, the same elements.
if command -v gfortran >where; then
    gfortran -O1 -g -c "$INCLUDE/weft_array.f90" && gfortran -O1 -g -I. -fsanitize=thread \
        -c "$EXAMPLES/transpose.f90" -o transpose.o &&
        gfortran weft_array.o transpose.o "$LIBRARY" -o transpose || fail "Fortran: not compiled"
    record said.weft -- ./transpose said
    cp sums said.sums
    grep -q '^step 1 b 23 0 1 ' sums || fail "Fortran: $(grep '^step 1 b 23 ' sums)"
    # The print at the end is a reference of its own, in a step of its own.
    record fortran.weft --with arrays -- ./transpose
    grep '^step [01] ' sums >a
    grep '^step [01] ' said.sums >b
    cmp -s a b || fail "Fortran: $(diff a b | head -5)"
fi
exit "$failed"
