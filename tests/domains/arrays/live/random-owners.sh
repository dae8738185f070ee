#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No read of random programs has a wrong owner by hooks; most of those that have one are told.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
command -v python3 >where || { echo "there is no python3" && exit 77; }

first=${FIRST:-1} last=${LAST:-8} compilers=
for compiler in gcc clang; do
    command -v "$compiler" >where || continue
    echo 'int main(void) { return 0; }' >nothing.c
    "$compiler" -fsanitize=thread -c nothing.c -o nothing.o 2>said && compilers="$compilers $compiler"
done
[ -n "$compilers" ] || { echo "no compiler here has -fsanitize=thread" && exit 77; }

: >all
seed=$first
while [ "$seed" -le "$last" ]; do
    python3 "$HERE/random_owners.py" "$seed" program || fail "program $seed: not written"
    "${CC:-cc}" -w -O1 -I"$INCLUDE" program_s.c "$LIBRARY" -lm -o simulate 2>said ||
        fail "program $seed: not compiled"
    ./simulate | sort >wanted
    for compiler in $compilers; do
        flags=
        [ "$compiler" = clang ] && flags="-mllvm -tsan-instrument-read-before-write=1"
        for level in -O0 -O2 -O3; do
            what="program $seed, $compiler $level"
            # shellcheck disable=SC2086
            "$compiler" -w "$level" -g -fsanitize=thread $flags -I"$INCLUDE" -c program_h.c \
                -o program.o 2>said && "$compiler" program.o "$LIBRARY" -lm -o program 2>said ||
                fail "$what: not compiled"
            rm -f run.weft
            timeout 60 "$WEFT" record --with arrays -o run.weft -- ./program >out 2>said ||
                fail "$what: not recorded"
            "$SUMS" run.weft all | sort >found
            # Compilers may leave out references, but add none; an owner must be the right one.
            comm -13 wanted found | grep -v ' -$' >wrong
            [ -s wrong ] && fail "$what: $(wc -l <wrong) wrong owners: $(head -3 wrong)"
            comm -12 wanted found | grep '^read.*[0-9]$' | wc -l >>all
            grep '^read.*[0-9]$' wanted | wc -l >>all
        done
    done
    seed=$((seed + 1))
done
awk 'NR % 2 { right += $1; next } { of += $1 }
    END { printf "%d of %d owners told\n", right, of; exit right < 0.7 * of }' all ||
    fail "too few owners are told"

exit "$failed"
