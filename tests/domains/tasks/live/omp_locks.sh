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
            $2 ~ /^waits for a (critical section|lock)/ { waits += $3; waited += $4 }
            END {
                if (sections != n) print "not each is there"
                if (held < n * 2e6) print "sections are shorter than the sleep in them"
                # Who is alone waits for nobody; of four, one or more wait while three sleep.
                if (threads == 1 && waits > 0) print "it waits for itself"
                if (threads == 4 && waited < n / 4 * 2e6) print "nobody waits for others"
            }' stats >wrong
        [ ! -s wrong ] || fail "by $compiler on $threads: $(cat wrong stats)"
        # The directive, or what it is about: as compilers count lines.
        line=$(grep -n 'omp critical' "$SOURCE" | cut -d: -f1)
        "$WEFT" render lock-summary run.weft --format csv >locks.csv
        grep -qE "^critical section of omp_locks.c:($line|$((line + 1))),Critical section,$((threads * rounds))," \
            locks.csv || fail "by $compiler on $threads: the critical section: $(cat locks.csv)"
        # The lock and the nested lock, which is taken twice, are variables.
        for lock in plain nested; do
            grep -q "^$lock,OpenMP lock,$((threads * rounds))," locks.csv ||
                fail "by $compiler on $threads: $lock: $(cat locks.csv)"
        done
        "$WEFT" render wait-summary run.weft --format csv | grep '^waits for' >waits
        [ "$threads" = 1 ] || [ "$(grep -c 'omp_locks.c:' waits)" = 3 ] ||
            fail "by $compiler on $threads: lines of waits: $(cat waits)"
        # What waits is not at work: the four parts are all of the workers' time.
        "$WEFT" render dag-stats run.weft --format csv 2>/dev/null | awk -F, -v threads="$threads" '
            { of[$1] = $2 }
            END {
                sum = of["work_ns"] + of["waiting_ns"] + of["delay_ns"] + of["nowork_ns"]
                if (sum - of["workers"] * of["elapsed_ns"] > of["workers"] * 2 ||
                    of["workers"] * of["elapsed_ns"] - sum > of["workers"] * 2)
                    print "the parts are", sum, "of", of["workers"] * of["elapsed_ns"]
                if ((threads == 1) != (of["waiting_ns"] == 0)) print "waiting", of["waiting_ns"]
            }' >wrong
        [ ! -s wrong ] || fail "by $compiler on $threads: $(cat wrong)"
    done
done
exit $failed
