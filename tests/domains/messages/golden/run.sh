#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Golden tables of PICL: the samples of examples/picl.  NAME.table is what the simulation counted
# that made them (examples/picl/generate.py): messages and bytes by source and destination, and the
# microseconds that each processor spent in each call.  The same must come out of the trace, and
# the trace, written again, must be the same bytes.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../cli/lib.sh"
project=$(cd "$here/../../../.." && pwd)

table() { # table TRACE: what its dump and its messages say, in the words of NAME.table
    "$weft" dump "$1" >dump
    awk -F ', ' '$1 == "State" && $3 == "call" && $8 != "" {
            time[$2 " " $8] += $6
        }
        END { for (call in time) printf "time %s %.0f\n", call, time[call] * 1e6 }' dump
    # The dump has no fields: bytes stand in the records of the sends.
    awk '$1 == -3 && ($2 == -21 || $2 == -27) { n[$4 " " $10]++; bytes[$4 " " $10] += $8 }
        END { for (pair in n) print "messages", pair, n[pair], bytes[pair] }' "$1" >sent
    awk -F ', ' '$1 == "Link" { n[$8 " " $9]++ }
        END { for (pair in n) print pair, n[pair] }' dump | sort >linked
    awk '{ print $2, $3, $4 }' sent | sort | cmp -s - linked && cat sent
}

of_entities='^(# )?(container|state|event|link|value) '
for trace in "$project"/examples/picl/*.trf; do
    sample=$(basename "$trace" .trf)
    status 0 check "$trace"
    table "$trace" | sort >found
    sort "$here/$sample.table" >wanted
    ok "$sample: as the simulation counted" cmp -s found wanted
    status 0 convert "$trace" -o again.trf
    ok "$sample: written again" cmp -s "$trace" again.trf
    status 0 convert "$trace" --order node -o node.trf
    "$weft" dump node.trf | sort >by_node
    sort dump | cmp -s - by_node
    ok "$sample: the same in order of nodes" test $? -eq 0
    # As Paje text it keeps what its names mean, and says all that it said; others read it, too.
    "$weft" convert "$trace" -o paje.paje
    status 0 check paje.paje
    silent
    for view in comm-matrix utilization-summary utilization-count traffic \
        message-queues space-time; do
        "$weft" render $view "$trace" --format csv >wanted 2>err
        "$weft" render $view paje.paje --format csv >given 2>err
        ok "$sample: the same $view as Paje" cmp -s given wanted
    done
    if command -v pj_dump >/dev/null; then
        ok "$sample: pj_dump reads it" env -u MALLOC_PERTURB_ pj_dump -q paje.paje
    else
        skip "$sample: pj_dump reads it" "pj_dump (package pajeng) is not installed"
    fi
    "$weft" info paje.paje --roles | grep -E "$of_entities" | sort >given
    "$weft" info "$trace" --roles | grep -E "$of_entities" | sort >wanted
    ok "$sample: the same roles as Paje" cmp -s given wanted
    "$weft" convert "$trace" -o store.weft
    "$weft" convert store.weft -o again.trf
    ok "$sample: written again from a store" cmp -s "$trace" again.trf
done
ok "there are six samples" test "$(ls "$project"/examples/picl/*.trf | wc -l)" -eq 6
if command -v python3 >/dev/null; then
    mkdir made
    python3 "$project/examples/picl/generate.py" made
    for trace in made/*.trf; do
        ok "$(basename "$trace") is what its program makes" \
            cmp -s "$trace" "$project/examples/picl/$(basename "$trace")"
    done
else
    skip "the samples are made again" "python3 is not installed"
fi
finish
