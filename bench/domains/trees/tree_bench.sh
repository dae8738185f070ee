#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trees of reductions: reading a VISTA trace, its tree with its layout, the first picture's
# scene and others after it; of as many records as the thesis's largest run, and of 10^7.  The
# ratio is to VISTA's own 45 s and 4 s for 15,419 records (Park 1991, page 24).
set -eu
: "${BUILD:=build}" "${BENCH_SCALE:=full}"
large=10000000
[ "$BENCH_SCALE" = small ] && large=100000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for shape in "15419 5 random" "$large 8 random" "$large 8 quick"; do
    # shellcheck disable=SC2086  # three words
    "$BUILD/bench/vista_generate" $shape >"$scratch/trace.vista"
    "$BUILD/bench/tree_bench" "$scratch/trace.vista" "$scratch" | awk -v shape="${shape##* }" '
        $1 ~ /^tree\.15419\.read$/ { $0 = $0 " (ratio to VISTA: " (45000 / $2) ")" }
        $1 ~ /^tree\.15419\.redraw/ { $0 = $0 " (ratio to VISTA: " (4000 / $2) ")" }
        { sub(/^tree\./, "tree." shape "."); print }'
done
