#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# omp_losses.sh COMPILER...: constructs that lose time in a way that is known by construction
# (programs/omp_losses.c): region-summary has the line, and how much is lost.  Other programs may
# stop a thread for as long as they like; TOLERANCE=PERCENT wants work and losses as near as that,
# in one of ten runs.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
is_built omp || skip "this build does not record OpenMP"
[ $# -gt 0 ] || skip "no compiler here has an OpenMP runtime"
unit=${UNIT:-2000} # microseconds
tolerance=${TOLERANCE:-}

# lines FUNCTION: the first and the last one of a function of the program
lines() {
    awk -v start="^LOSS $1\\\\(" '
        $0 ~ start { inside = 1; print NR } inside && /^}/ { print NR; exit }' "$SOURCE"
}
# rows FUNCTION: those of region-summary at a function's lines, as "construct,count,most,mean,waited,
# imbalance,iterations,schedule,dispatches,dispatching" in steps
rows() {
    # shellcheck disable=SC2046  # two numbers
    set -- $(lines "$1")
    awk -F, -v first="$1" -v last="$2" -v unit="$unit" -v OFS=, '
        { line = $2; sub(/.*:/, "", line); line += 0; step = unit * 1000 }
        NR > 1 && line >= first && line <= last {
            print $1, $3, $7 / step, $6 / step, $9 / step, $10, $11, $12, $14, $15 / step }' regions
}
wrong() { # WHAT
    echo "$*" >>wrong
}
# most FUNCTION STEPS MEAN: the construct there has so much work in its slowest thread, and loses
# what the mean lacks of it
most() {
    rows "$1" | awk -F, -v most="$2" -v mean="$3" -v tolerance="$tolerance" '
        BEGIN { loss = 100 * (1 - mean / most) }
        # A loop has a row, and so has the region around it; GCC makes a static loop without the
        # runtime.  Work is without the time that the kernel took, or another program.
        $3 > best { best = $3; imbalance = $6 }
        END {
            if (best < 0.95 * most) print "most work", best, "of", most
            if (!tolerance) exit
            if (best > most * (1 + tolerance / 100)) print "long: most work", best, "of", most
            if (imbalance > loss + tolerance || imbalance < loss - tolerance)
                print "long: imbalance", imbalance, "of", loss
        }' | sed "s/^\(long: \)*/&$1: /" >>wrong
}
# waited FUNCTION CONSTRUCT STEPS: threads waited so long at its end
waited() {
    rows "$1" | awk -F, -v construct="$2" -v steps="$3" -v tolerance="$tolerance" '
        $1 ~ construct { waited += $5 }
        END {
            if (tolerance && (waited > steps * (1 + tolerance / 100) || waited < steps * (1 - tolerance / 100)))
                print "long: waited", waited, "of", steps
            if (waited <= 0) print "nobody waited of", steps
        }' | sed "s/^\(long: \)*/&$1: /" >>wrong
}
check() { # COMPILER
    : >wrong
    OMP_DYNAMIC=false timeout 100 "$WEFT" record --with omp -o run.weft -- "./losses_$1" "$unit" \
        2>said || wrong "it is not recorded"
    "$WEFT" check run.weft >>wrong
    "$WEFT" render region-summary run.weft --format csv >regions
    most slow_half 12 8
    most even 8 8
    most slow_each_other 12 8
    most one_long 9 5
    most too_large 10 6
    most no_wait 4 4
    most sections 6 4
    waited slow_half . 8
    waited single . 4
    waited barriers barrier 6
    # GCC's sections are loops for the runtime.
    rows sections | grep -q '^sections,1,' || wrong "no sections: $(rows sections)"
    rows sections | grep '^loop,' >>wrong
    # Each iteration is asked for, and each thread learns once that there are no more.
    rows tiny | grep -q '^loop,1,.*,100000,dynamic,100002,' || wrong "tiny: dispatches: $(rows tiny)"
    # All of that loop is to ask for iterations: nothing else is worth a step.
    rows tiny | awk -F, -v tolerance="$tolerance" '
        $1 == "loop" { work = 2 * $4; asking = $10 }
        END {
            if (!asking) print "tiny: no time of dispatches"
            if (tolerance && asking < 0.9 * work) print "long: tiny:", asking, "of", work
        }' >>wrong
}

for compiler; do
    "$compiler" -g -O1 -fopenmp "$SOURCE" -o "losses_$compiler" 2>errors || {
        echo "$compiler: $(head -1 errors)"
        continue
    }
    tries=0
    while
        check "$compiler"
        grep -q '^long:' wrong && [ $((tries += 1)) -lt 10 ]
    do :; done
    [ ! -s wrong ] || fail "by $compiler: $(cat wrong regions)"
done
exit $failed
