#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrays: profiles of some 10^9 references, a stencil of 4096 x 4096 and an elimination of 908 x 908,
# and 500,000 irregular patterns, whose distributions over 64 processors are ranked (the limit is
# 10 s); and frames of the stencil (the limit is 16 ms).
set -eu
: "${BUILD:=build}" "${BENCH_SCALE:=full}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
side=4096 columns=908
[ "$BENCH_SCALE" = small ] && side=512 columns=128

"$BUILD/bench/array_bench" stencil $side 12 "$scratch/stencil.weft"
"$BUILD/bench/array_bench" lu $columns $columns "$scratch/lu.weft"
"$BUILD/bench/array_bench" irregular 1000 10 "$scratch/irregular.weft"
names=$("${WEFT:-$BUILD/src/cli/weft}" info "$scratch/stencil.weft" |
    sed -n 's/^arrays  *[0-9]* (\(.*\))$/\1/p' | tr ',' '\n' | awk '{ print $1 }')
directives=$(
    echo "PROCESSORS P(8,8)"
    for name in $names; do echo "DISTRIBUTE $name(CYCLIC(4),BLOCK) ONTO P"; done
)
"$BUILD/bench/array_frames" "$scratch/stencil.weft" "$directives"
