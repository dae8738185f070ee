#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# omp_schedules.sh COMPILER...: the schedule and the chunk of each loop, at its line; and where
# threads wait that go on behind a loop.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
is_built omp || skip "this build does not record OpenMP"
[ $# -gt 0 ] || skip "no compiler here has an OpenMP runtime"

# lines FUNCTION: the first and the last one of a function of the program
lines() {
    awk -v start="^LOOP $1\\\\(" '
        $0 ~ start { inside = 1; print NR } inside && /^}/ { print NR; exit }' "$SOURCE"
}
# rows CONSTRUCT FUNCTION: those of region-summary at a function's lines
rows() {
    # shellcheck disable=SC2046  # two numbers
    set -- "$1" $(lines "$2")
    awk -F, -v construct="$1" -v first="$2" -v last="$3" '
        { line = $2; sub(/.*:/, "", line); line += 0 }
        $1 == construct && line >= first && line <= last' regions
}
# is FUNCTION SCHEDULE CHUNK EXECUTIONS: the loop of this function has these, and all iterations
is() {
    rows loop "$1" >row
    [ "$(wc -l <row)" = 1 ] || fail "$name: $(wc -l <row) rows of the loop of $1: $(cat regions)"
    [ "$(cut -d, -f3,11-13 row)" = "$4,$((64 * $4)),$2,$3" ] || fail "$name: $1: $(cat row)"
}
# unknown FUNCTION: the compiler's code does without the runtime, and the region has no schedule
unknown() {
    [ -z "$(rows loop "$1")" ] || fail "$name: $1 is a loop now: $(rows loop "$1")"
    [ "$(rows 'parallel region' "$1" | cut -d, -f3,11-)" = 1,,,,, ] ||
        fail "$name: the region of $1: $(rows 'parallel region' "$1")"
}

for compiler; do
    for level in 0 2; do
        name="by $compiler -O$level"
        "$compiler" -g -O$level -fopenmp "$SOURCE" -o schedules || {
            echo "$compiler does not compile it"
            continue
        }
        OMP_NUM_THREADS=2 OMP_DYNAMIC=false timeout 100 "$WEFT" record --with omp \
            -o run.weft -- ./schedules 2>said || fail "$name: it does not run"
        "$WEFT" check run.weft >said || fail "$name: it has problems"
        "$WEFT" render region-summary run.weft --format csv >regions
        case $compiler in
        *clang*)
            is static_whole static '' 1
            is static_by_4 static 4 1
            is automatic auto '' 1
            ;;
        *)
            unknown static_whole
            unknown static_by_4
            unknown automatic
            ;;
        esac
        is dynamic_by_1 dynamic 1 1
        is dynamic_by_8 dynamic 8 1
        is guided_by_2 guided 2 1
        is ordered_by_2 'ordered dynamic' 2 1
        is as_told guided 3 1
        is as_told_each_time several '' 2
        is without_a_barrier dynamic 3 1
        is of_unsigned dynamic 5 1
        is at_once guided 7 1
        # The end of the region is the only barrier there, and the second thread waits at it.
        [ "$(rows loop without_a_barrier | cut -d, -f9)" = 0 ] ||
            fail "$name: threads wait at a loop with nowait: $(cat regions)"
        rows 'parallel region' without_a_barrier | awk -F, '
            { waited += $9 } END { exit !(waited > 0) }' ||
            fail "$name: nobody waits for the first thread: $(cat regions)"
    done
done
# Libraries that a program loads each for itself, each with its own runtime, go on with that one.
libraries=
for compiler; do
    "$compiler" -g -O1 -fopenmp -fPIC -shared -Dmain=run "$SOURCE" -o "$PWD/$compiler.so" &&
        libraries="$libraries $PWD/$compiler.so"
done
if command -v python3 >/dev/null; then
    name="loaded:$libraries"
    # shellcheck disable=SC2086  # several files
    OMP_NUM_THREADS=2 OMP_DYNAMIC=false timeout 100 "$WEFT" record --with omp -o run.weft -- \
        python3 -c 'import ctypes, sys
sys.exit(any([ctypes.CDLL(library).run() for library in sys.argv[1:]]))' $libraries 2>said ||
        fail "$name: they do not run"
    case $libraries in
    *clang*)
        "$WEFT" render region-summary run.weft --format csv >regions
        is dynamic_by_8 dynamic 8 1
        is as_told guided 3 1
        is at_once guided 7 1
        ;;
    esac
fi
exit $failed
