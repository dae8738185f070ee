#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Waits of 0.2 s in GCC's OpenMP (programs/gnu_openmp.c): each has its kind, line, length and, where
# a thread ends it, that thread.  Also in a library that a program loads for itself, and with another
# runtime in place of GCC's, where the other recorder alone says what is waited for.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
command -v gcc >/dev/null || skip "no gcc here"
command -v python3 >/dev/null || skip "no python3 here"
source=$PROGRAMS/gnu_openmp.c
gcc -O1 -g -fopenmp "$source" -o cases 2>said || skip "gcc has no OpenMP here"
gcc -O1 -g -fopenmp -fPIC -shared -Dmain=run_case "$source" -o libcases.so || stop "no library"
cat >host.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen("./libcases.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "run_case") : 0;
    return run ? run(argc, argv) : 1;
}
END
gcc host.c -o host || stop "no host"

# Checks, in a recording by $families, that the waits of KIND are COUNT of about MS each, at one line,
# for an object whose name has NAME in it, and that WAKER ends them ("": whoever).
# A machine below that takes processors away makes waits longer: one of three runs must be right.
waits() { # PROGRAM CASE KIND COUNT MS WAKER NAME
    for attempt in 1 2 3; do
        timeout 60 "$WEFT" record --with "$families" -o trace.weft -- "./$1" "$2" >said 2>&1 \
            || fail "$1 $2: status $?"
        "$WEFT" check trace.weft >problems || fail "$1 $2: $(cat problems)"
        "$WEFT" dump trace.weft >dump
        "$WEFT" render wait-summary trace.weft --format json -o waits.json || stop "no table"
        agrees "$@" 2>differs && return
    done
    fail "$1 $2: $(tail -1 differs) $(cat waits.json)"
}

agrees() { # as for waits
    python3 - "$@" <<'END'
import json, sys
program, case, kind, count, ms, waker, name = sys.argv[1:]
count, ms = int(count), float(ms)
fields = (line.split(", ") for line in open("dump"))
lengths = [float(f[5]) * 1e3 for f in fields
           if f[0] == "State" and len(f) > 7 and f[7].strip() == kind]
long = [length for length in lengths if length > 0.4 * ms]
assert len(long) == count, (len(long), lengths)
assert all(0.97 * ms <= length <= 1.1 * ms + 5 for length in long), long
rows = [row for row in json.load(open("waits.json"))
        if row["wait"] == kind and row["max_ns"] / 1e6 > 0.4 * ms]
assert len(rows) == 1, rows
assert "gnu_openmp.c:" in rows[0]["site"], rows
assert waker in ("", rows[0]["usual_waker"]), rows
assert name in (rows[0]["object"] or ""), rows
END
}

families=threads
export OMP_WAIT_POLICY=passive
# With -O2 the barrier at the end of a region's function is a jump: its place is that function.
cat >jump.c <<'END'
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    usleep(200000);
    return 0;
}
END
gcc -O2 -g -fopenmp jump.c -o jump || stop "no jump"
timeout 60 "$WEFT" record --with threads -o trace.weft -- ./jump >said 2>&1 || fail "jump: status $?"
"$WEFT" render wait-summary trace.weft --format csv >waits.csv || stop "no table"
grep '^blocked on barrier,.*jump\.c:' waits.csv >said || fail "jump: $(cat waits.csv)"
grep libweft waits.csv >said && fail "jump: a place in the recorder: $(cat said)"
for program in cases host; do
    waits $program region_end "blocked on barrier" 2 200 $program ""
    waits $program between "waiting for work" 2 200 "" ""
    waits $program barrier "blocked on barrier" 2 200 "thread 1" ""
    waits $program loop "blocked on barrier" 2 200 "" ""
    waits $program sections "blocked on barrier" 1 200 "" ""
    waits $program critical "blocked on mutex" 1 200 "" "critical section"
    waits $program named "blocked on mutex" 1 200 "" "critical section ledger"
    waits $program lock "blocked on mutex" 1 200 "" "heap"
    waits $program ordered "waiting for its turn" 1 250 "" ""
    waits $program tasks "waiting for tasks" 1 200 "" ""
    waits $program nested "blocked on barrier" 2 150 "" ""
done

# LLVM's runtime in GCC's place: its recorder alone says what is waited for.
if is_built omp; then
    families=threads,omp
    waits cases region_end "implicit barrier" 2 200 "" ""
    waits cases critical "waits for a critical section" 1 200 cases "critical section"
    waits cases tasks "taskwait" 1 200 "" ""
    grep -q '"waiting for tasks"' waits.json && fail "a wait stands there twice"
fi
exit "$failed"
