#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces in the vocabulary of each tool, as small as they can be: NAME.events, behind the
# definitions, must have the roles of NAME.roles (worked out by hand), by the table NAME; and
# which views they fill follows from these.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../cli/lib.sh"

rules() { # rules FILE: its rules, each with single blanks between its words
    grep -E '^(# )?(container|state|value|event|variable|link|field) ' "$1" | tr -s ' '
}

for events in "$here"/*.events; do
    tool=$(basename "$events" .events)
    cat "$here/definitions" "$events" >"$tool.paje"
    [ "$tool" = starpu ] || status 0 check "$tool.paje"
    status 0 info "$tool.paje" --roles
    rules out >given
    rules "$here/$tool.roles" >wanted
    ok "$tool: the roles are as worked out" diff wanted given
    status 0 info "$tool.paje"
    prints "^tool +$tool\$"
    prints "^role tables +([a-z-]+, )*$tool(,|\$)"
    # What was printed is a map that changes nothing.
    "$weft" info "$tool.paje" --roles >mine
    "$weft" info "$tool.paje" --map mine --roles >again
    ok "$tool: its own rules change nothing" cmp -s mine again
    # The store keeps them.
    status 0 convert "$tool.paje" -o kept.weft
    "$weft" info kept.weft --roles >again
    ok "$tool: a store has the same roles" cmp -s mine again
done

fills() { # fills NAME VIEW: the trace has what the view needs
    ok "$1 fills $2" sh -c "'$weft' views $1.paje | grep -qE '^$2 +[A-Z]'"
}
wants() { # wants NAME VIEW NEED: it has not, and is told what that would be
    ok "$1 lacks something for $2" \
        sh -c "'$weft' views $1.paje | grep -qE '^$2 +\(cannot be filled: needs .*$3'"
}
for tool in smpi starpu weft-recording weft-reductions score-p; do
    fills $tool space-time
    fills $tool state-summary
done
fills weft-recording lock-summary
fills smpi wait-summary
wants smpi lock-summary lock
wants starpu lock-summary lock
wants weft-reductions lock-summary lock
fills weft-reductions reduction-tree
fills weft-reductions tree-pes
fills score-p reduction-tree
for view in utilization-count gantt kiviat streak utilization-summary utilization-meter \
    concurrency-profile; do
    fills smpi $view
    fills eztrace $view
    fills weft-recording $view
done
wants smpi reduction-tree calls
wants starpu reduction-tree calls

# StarPU writes milliseconds, which is said unless the user says what the times are.
status 1 check starpu.paje
prints "^note .*time-unit .*--time-unit ms"
status 0 check starpu.paje --time-unit ms
ok "a unit that is given is no problem" sh -c '! grep -q time-unit out'
status 0 check smpi.paje
ok "times in seconds are none" sh -c '! grep -q time-unit out'
finish
