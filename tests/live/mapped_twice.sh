#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An object in memory that is mapped twice is one object, whatever address it is used by, also to a
# program that has not initialized it (programs/mapped_twice.c).
set -u
: "${PROGRAMS:?names the folder of the programs}"
. "$(dirname "$0")/lib.sh"

"$WEFT" record -o run.weft -- "$PROGRAMS/live_mapped_twice" >own 2>said || stop "status $?"
"$WEFT" check run.weft >problems || fail "$(cat problems)"
"$WEFT" render lock-summary run.weft -o locks.csv || stop "no locks"
sed 1d locks.csv | awk -F, '{ print $2, $3 }' | sort >recorded
grep -v Semaphore own | sort | cmp -s - recorded || fail "locks: $(cat own recorded)"
"$WEFT" dump run.weft >text
for kind in Mutex 'Read-write lock' 'Spin lock' Semaphore Condition Barrier; do
    n=$(grep -c "^Container, .*, $kind, " text)
    [ "$n" = 1 ] || fail "$n times $kind"
done
exit "$failed"
