#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# omp_locks.sh COMPILER...: critical sections and locks of OpenMP.  To have one is not to wait for
# it; who waits for it does so at its line.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
is_built omp || skip "this build does not record OpenMP"
[ $# -gt 0 ] || skip "no compiler here has an OpenMP runtime"

rounds=20
for compiler; do
    "$compiler" -g -O1 -fopenmp "$SOURCE" -o locks || {
        echo "$compiler does not compile it"
        continue
    }
    for threads in 1 4; do
        OMP_NUM_THREADS=$threads OMP_DYNAMIC=false timeout 100 "$WEFT" record --with omp \
            -o run.weft -- ./locks $rounds 2>said || fail "by $compiler"
        "$WEFT" check run.weft >said || fail "by $compiler on $threads"
        "$WEFT" stats run.weft --format csv >stats 2>said
        # 2 ms at a time in each of three that one thread at a time may be in.
        awk -F, -v n=$((threads * rounds)) -v threads="$threads" '
            $2 == "critical section" { sections = $3; held = $4 }
            $2 == "waits for a critical section" { waits = $3; waited += $4 }
            $2 == "waits for a lock" { locks = $3; waited += $4 }
            END {
                if (sections != n || waits != n || locks != 3 * n) print "not each is there"
                if (held < n * 2e6) print "sections are shorter than the sleep in them"
                # Who is alone waits for nobody; of four, one or more wait while three sleep.
                if (threads == 1 && waited > held / 2) print "it waits for itself"
                if (threads == 4 && waited < n / 4 * 2e6) print "nobody waits for others"
            }' stats >wrong
        [ ! -s wrong ] || fail "by $compiler on $threads: $(cat wrong stats)"
        "$WEFT" render wait-summary run.weft --format csv | grep '^waits for' >waits
        # The directive, or what it is about: as compilers count lines.
        line=$(grep -n 'omp critical' "$SOURCE" | cut -d: -f1)
        [ "$(grep -cE "section,.*omp_locks.c:($line|$((line + 1)))\)" waits)" = 1 ] ||
            fail "by $compiler on $threads: the critical section's line: $(cat waits)"
        # One line each for the lock and the two of the nested lock, and nothing else.
        [ "$(grep -c 'a lock,.*omp_locks.c:' waits)" = 3 ] && [ "$(wc -l <waits)" = 4 ] ||
            fail "by $compiler on $threads: lines of locks: $(cat waits)"
    done
done
exit $failed
