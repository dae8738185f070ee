#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# counted.sh [ROUNDS [SEED]]: programs of threads, locks and processes that do what chance says
# (programs/counted.c).  What the trace counts is what they have counted themselves.
set -u
: "${PROGRAMS:?names the folder of the programs}"
. "$(dirname "$0")/lib.sh"
rounds=${1:-12} seed=${2:-1}

for round in $(seq "$seed" $((seed + rounds - 1))); do
    one=''
    [ $((round % 3)) = 0 ] && one='taskset 1' # all on one processor
    # shellcheck disable=SC2086  # words
    timeout 100 "$WEFT" record -o run.weft -- $one "$PROGRAMS/live_counted" "$round" >own 2>said \
        || stop "seed $round: status $?"
    "$WEFT" check run.weft >problems || fail "seed $round: $(cat problems)"
    "$WEFT" render lock-summary run.weft -o locks.csv || stop "seed $round: no locks"
    sort own >counted
    { sed -n 's/.* events of \([0-9]*\) threads in .* 0 lost.*/threads \1/p' said
      # Locks of one use have no name of their own, but their place.
      sed 1d locks.csv | awk -F, '{ sub(/^mutex( [0-9]+)? of counted.c:[0-9]+$/, "own", $1); had[$1] += $3 }
                                  END { for (lock in had) print lock, had[lock] }'
    } | sort >recorded
    cmp -s counted recorded || fail "seed $round: $(diff counted recorded)"
done
exit "$failed"
