#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables of utilization and communication: those worked out by hand beside each trace, and those
# of the slow second implementation (paragraph.py), against Weft's; the latter also over random
# windows, at random moments, and on random traces.  WEFT names the program, GENERATE the one that
# makes traces.  REFERENCE_TRACES says how many random ones, REFERENCE_SEED which.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${GENERATE:?the generator of traces}" "${REFERENCE_TRACES:=8}" "${REFERENCE_SEED:=1}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C WEFT_CACHE="$scratch/cache" XDG_CONFIG_HOME="$scratch/config"

# Of few and of many processors; every fourth with several records of a processor at one time,
# and every fourth with clocks that are wrong.
i=0
while [ $i -lt "$REFERENCE_TRACES" ]; do
    seed=$((REFERENCE_SEED * 1000 + i))
    processors=$((1 + i * 7 % 17 + i % 5 * 4))
    case $((i % 4)) in 1) kind=skew ;; 3) kind=ties ;; *) kind= ;; esac
    "$GENERATE" $seed $processors $((100 + 50 * (i % 3))) $kind \
        >"$scratch/random-$seed-$processors${kind:+-$kind}.trf"
    i=$((i + 1))
done
set -- "$here"/traces/*.trf
shared=${WEFT_SHARED:-"$here/../../../../../shared"}
for trace in "$shared"/corpus/picl/*.trf; do
    [ ! -e "$trace" ] || set -- "$@" "$trace"
done
[ "$REFERENCE_TRACES" -eq 0 ] || set -- "$@" "$scratch"/random-*.trf
"$here"/compare.py "$REFERENCE_SEED" "$@"
