#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Four times as many threads as processors (programs/crowd.c): without the kernel's switches they
# seem to run for longer than the processors have, and weft says so; with them they do not.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
command -v cc >/dev/null || skip "no compiler here"
cc -O1 -pthread "$PROGRAMS/crowd.c" -o crowd || stop "the program does not compile"
[ "$(getconf _NPROCESSORS_ONLN)" -le 64 ] || skip "too many processors to have so many threads"
beyond='threads are running for .* processors\{0,1\} ha.* only .*: it is not known when they had one'
timeout 100 "$WEFT" record --no-switches -o a.weft -- ./crowd 2>said || stop "status $?"
"$WEFT" info a.weft >info || stop "weft info"
grep -q "^running  *$beyond\$" info || fail "weft info does not say it: $(cat info)"
"$WEFT" render threads a.weft -o a.svg || stop "no picture"
grep -q 'threads are running for' a.svg || fail "the picture does not say it"
timeout 100 "$WEFT" record -o b.weft -- ./crowd 2>said || stop "with switches: status $?"
"$WEFT" check b.weft | grep -q no-switches && exit $failed
"$WEFT" info b.weft >info || stop "weft info"
grep -q "$beyond" info && fail "with switches, too: $(cat info)"
"$WEFT" render threads b.weft -o b.svg || stop "no picture with switches"
grep -q 'threads are running for' b.svg && fail "the picture, with switches, too"
exit $failed
