#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The names of functions that a compiler makes of a part of another one: lambdas, by file and line,
# as threads and in samples; bodies of OpenMP, by function and line.  The recorder's own
# functions are in no sample.  COMPILERS: those of C++, or empty; OPENMP: those of C.
set -u
: "${COMPILERS:=}" "${OPENMP:=}"
. "$(dirname "$0")/lib.sh"
source=$here/programs/labels.cpp
[ -n "$COMPILERS" ] || skip "no compiler of C++"

# labels MARK: of the lambdas with the mark
labels() { grep -n "// .*$1" "$source" | sed -n 's,^\([0-9]*\):.*\[.*,lambda at labels.cpp:\1,p' | sort; }
# column N: of a table, without its head
column() { sed 1d | tr -d '"' | cut -d, -f"$1" | sort; }

no_recorder() { # TRACE
    "$WEFT" dump "$1" | grep '^Event.*, Sample,' >samples
    grep -e hook_ -e weft_ -e libweft samples && fail "$1: the recorder is sampled"
}

check() { # COMPILER LEVEL
    "$1" -std=c++17 -g "$2" -pthread "$source" -o labels || stop "$*"
    "$WEFT" record -o r.weft -- ./labels >/dev/null 2>said || stop "recording: $*"
    labels thread >right
    "$WEFT" render threads r.weft --format csv | column 1 | grep -v '^labels$' >got
    cmp -s got right || fail "$*: threads are called $(tr '\n' ';' <got)"
    "$WEFT" info --details r.weft | grep -q 'no samples\|not observed' && return
    for view in hot-spots flame; do
        "$WEFT" render $view r.weft --format csv >$view.csv || stop "$view: $*"
        grep -e '{lambda[^{}]*}::operator()' -e '::\$_[0-9]*::operator()' $view.csv && fail "$*: lambdas by number in $view"
        labels works | while read -r label; do
            grep -q "$label," $view.csv || echo "$label"
        done >missing
        [ -s missing ] && fail "$*: not in $view: $(tr '\n' ';' <missing)"
    done
    no_recorder r.weft
}

for compiler in $COMPILERS; do
    for level in -O0 -O2; do
        check "$compiler" $level
    done
done

echo 'int main(void) { return 0; }' >empty.c
line=$(grep -n '/\* here \*/' "$here/programs/labels.c" | cut -d: -f1)
for compiler in $OPENMP; do
    "$compiler" -fopenmp empty.c -o empty 2>/dev/null || continue
    for level in -O0 -O2; do
        "$compiler" -g $level -fopenmp "$here/programs/labels.c" -o labels || stop "$compiler"
        "$WEFT" record --with threads -o omp.weft -- ./labels >/dev/null 2>said || stop "$compiler"
        "$WEFT" info --details omp.weft | grep -q 'no samples\|not observed' && continue
        "$WEFT" render hot-spots omp.weft --format csv >hot.csv || stop "hot-spots: $compiler"
        grep -e omp_fn -e omp_outlined hot.csv && fail "$compiler $level: bodies of OpenMP"
        # clang's body begins a line below, in a function of its own, unless optimized.
        grep -q -e "^sum at labels.c:$line," -e "^sum at labels.c:$((line + 1))," hot.csv \
            || fail "$compiler $level: $(cat hot.csv)"
    done
done
exit $failed
