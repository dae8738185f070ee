#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Golden tables of Paje: NAME.paje must dump as NAME.dump (worked out by hand); what weft
# writes as Paje must dump the same, and pj_dump must read it; and every trace that pj_dump
# accepts, here and in $WEFT_SHARED/corpus, must dump as pj_dump does.
#
# The traps of pj_dump: it cuts its output at the time of the last line (-e far away), refuses
# old names of fields (-n) and half links (-z).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../cli/lib.sh"
shared=${WEFT_SHARED:-$here/../../../../shared}

same() { # same WANTED: the dump in out has these lines, in any order
    sort "$1" >wanted
    sort out | diff wanted - >difference || { sed 's/^/#   /' difference; return 1; }
}

round_trip() { # round_trip TRACE: written and read again it dumps as in out
    sort out >wanted
    "$weft" convert "$1" -o again.paje && "$weft" dump again.paje | sort | cmp -s wanted -
}

kinds() { # kinds: how many records of each kind are in the dump that is read
    cut -d, -f1 | sort | uniq -c
}

for_pj_dump() { # for_pj_dump NAME: again.paje, which weft wrote, read without options
    if ! command -v pj_dump >/dev/null; then
        skip "$1: pj_dump reads what weft writes" "pj_dump (package pajeng) is not installed"
        return
    fi
    env -u MALLOC_PERTURB_ pj_dump again.paje >strict.out 2>&1
    ok "$1: pj_dump reads what weft writes" test $? = 0
    kinds <out >wanted.kinds
    kinds <strict.out | cmp -s wanted.kinds -
    ok "$1: and has all records of it" test $? = 0
}

as_pj_dump() { # as_pj_dump TRACE NAME
    if ! command -v pj_dump >/dev/null || ! command -v python3 >/dev/null; then
        skip "$2: as pj_dump" "pj_dump (package pajeng) or python3 is not installed"
    # meson perturbs fresh memory, which shows that pj_dump reads some before it writes.
    elif ! env -u MALLOC_PERTURB_ pj_dump -n -z -e 1000000000000 "$1" >pj_dump.out \
        2>/dev/null; then
        skip "$2: as pj_dump" "pj_dump refuses it"
    else
        ok "$2: as pj_dump" "$here/compare_dumps" out pj_dump.out
    fi
}

for trace in "$here"/*.paje; do
    trace_name=$(basename "$trace" .paje)
    status 0 dump "$trace"
    ok "$trace_name: as worked out" same "$here/$trace_name.dump"
    ok "$trace_name: written and read again" round_trip "$trace"
    for_pj_dump "$trace_name"
    as_pj_dump "$trace" "$trace_name"
done
found=
for trace in "$shared"/corpus/paje/*/*.trace; do
    [ -f "$trace" ] || continue
    found=1
    trace_name=$(basename "$trace")
    status 0 dump "$trace"
    ok "$trace_name: written and read again" round_trip "$trace"
    for_pj_dump "$trace_name"
    as_pj_dump "$trace" "$trace_name"
done
[ "$found" ] || skip "the corpus of Paje traces" "there is none at $shared (WEFT_SHARED)"
finish
