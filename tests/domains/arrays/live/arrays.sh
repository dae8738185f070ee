#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# References to arrays, recorded: what programs say by TRACE, and what hooks see, count the same.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
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

# Without hooks in it, a program is told so; what it says is recorded all the same.
record asked.weft --with arrays -- ./gauss
expect 'no hooks' 'gauss --with arrays: it does not say that there are no hooks'
cmp -s loose sums || fail "gauss --with arrays: other references"

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
    "$WEFT" check plain.weft | grep -q 'nothing refers to them' ||
        fail "$compiler: no word that nothing refers to the array"
    "$SUMS" plain.weft >sums 2>&1 && [ -s sums ] && fail "$compiler: hooks recorded without being asked"
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

# ---- Children of a thread that forks while another one says steps go on, too.
"$compiler" -g -I"$INCLUDE" "$PROGRAMS/array_forks.c" -pthread -o forks || fail "forks: not compiled"
timeout 100 "$WEFT" record --with arrays -o forks.weft -- ./forks >out 2>said
[ "$(cat out)" = "all ended" ] || fail "forks: a child does not end"

# ---- Handlers of signals say steps while one is said, and jump out of it.
"$compiler" -g -I"$INCLUDE" "$PROGRAMS/array_signals.c" -o signals || fail "signals: not compiled"
for how in step jump fork; do
    timeout 60 "$WEFT" record -o signals.weft -- ./signals "$how" >out 2>said
    [ "$(cat out)" = "1000 signals" ] || fail "signals: $how: $(cat out)"
done

# ---- Without a name or a shape there is no array, and no fault.
"$compiler" -g -I"$INCLUDE" "$PROGRAMS/nulls.c" -o nulls || fail "nulls: not compiled"
timeout 60 "$WEFT" record -o nulls.weft -- ./nulls >out 2>said
[ "$(cat out)" = "-1 -1 0" ] || fail "nulls: $(cat out)"
"$WEFT" check nulls.weft | grep -q '^warning.*2 declarations of arrays have no shape' ||
    fail "nulls: $("$WEFT" check nulls.weft)"
"$WEFT" dump nulls.weft | grep -q 'behind them' || fail "nulls: what follows is not there"

# ---- Threads refer to what one thread does, in the same steps; a forked child goes on.
"$compiler" -O1 -g -fsanitize=thread -I"$INCLUDE" -c "$PROGRAMS/array_threads.c" -o threads.o &&
    "$compiler" threads.o "$LIBRARY" -pthread -o threads || fail "threads: not compiled"
record one.weft --with arrays -- ./threads 1
cp sums one.sums
[ "$(grep -c '^step 5 to ' sums)" = 3968 ] || fail "threads: $(grep -c '^step 5 to ' sums) elements"
[ "$(grep -c '^step 2 seen ' sums)" = 4 ] || fail "fork: $(grep seen sums)"
for n in 2 4; do
    record several.weft --with arrays -- ./threads "$n"
    cmp -s sums one.sums || fail "$n threads: $(diff sums one.sums | head -5)"
done

# ---- A shared library has hooks of its own.
"$compiler" -O1 -g -fPIC -fsanitize=thread -I"$INCLUDE" -Dmain=lu_main -c "$EXAMPLES/lu.c" -o shared.o &&
    "$compiler" -shared shared.o "$LIBRARY" -o liblu.so &&
    echo 'int lu_main(void); int main(void) { return lu_main(); }' >main.c &&
    "$compiler" main.c -L. -llu -Wl,-rpath,"$folder" -o shared || fail "shared: not compiled"
record shared.weft --with arrays -- ./shared
cmp -s sums annotated.sums || fail "shared library: $(diff sums annotated.sums | head -5)"

# ---- Fortran: by columns in memory, the same elements.
if command -v gfortran >where; then
    gfortran -O1 -g -c "$INCLUDE/weft/weft_array.f90" && gfortran -O1 -g -I. -fsanitize=thread \
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
