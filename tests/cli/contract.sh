#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/command-line.md says what is so: its commands and options, statuses, times and columns are
# taken from its tables and tried.
. "$(dirname "$0")/lib.sh"
page=$project/doc/command-line.md
small=$here/small.paje

# table HEADING: the rows of the first table below "## HEADING", a cell a tab, no backquotes
table() {
    awk -v heading="## $1" '
        /^## / { inside = $0 == heading; next }
        inside && n && !/^\|/ { exit }
        inside && /^\|/ && ++n > 2 {
            gsub(/^\| *| *\|$/, "")
            gsub(/ \| /, "\t")
            gsub(/`/, "")
            print
        }' "$page"
}
tab=$(printf '\t')

# Commands: the page's are the program's, with the options that the page shows.
table Commands | cut -f 1 >commands
awk '{ print $2 }' commands | sort >named
"$weft" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort >has
ok "the commands are those of weft help" cmp named has
while read -r _ command rest; do
    "$weft" help "$command" >out 2>err
    ok "weft help $command" test $? -eq 0
    for option in $(echo "$rest" | grep -oE -- '--[a-z][a-z-]*|-[a-z]\b'); do
        ok "weft $command has $option" grep -qE -- "^ +(-[a-z], )?$option( |,|\$)" out
    done
done <commands
for command in info check dump stats why views render view convert index; do
    "$weft" help $command >out
    ok "weft $command has --time-unit" grep -qe --time-unit out
    ok "weft $command has --ticks-per-second" grep -qe --ticks-per-second out
done

# Recorders: the page names those of the help.
"$weft" help record | sed -n '/^Recorders/,/^Options/s/^\([a-z][a-z-]*\): .*/\1/p' | sort >has
sed -n '/^- The `LIST` of `weft record --with`/,/^- A /p' "$page" | sed '$d' | tr '\n' ' ' |
    sed 's/`weft[^`]*`//g; s/`LIST`//' | grep -oE '`[a-z][a-z-]*`' | tr -d '`' | sort >named
ok "the recorders are those of weft help record" cmp named has
ok "there are some" test -s has

# What a request to the workbench may ask for: the help has the numbers of the page.
"$weft" help view | tr '\n' ' ' | tr -s ' ' >help
table "The workbench's server" | cut -f 1 >limits
ok "there are limits" test "$(wc -l <limits)" -gt 5
while read -r limit; do
    ok "weft help view says $limit" grep -qF "$limit" help
done <limits

# Exit statuses: each of the table is tried.
table "Exit statuses" | cut -f 1 | tr '\n' ' ' >statuses
ok "the statuses are 0 1 2 3 4 129 130 134 143" \
    test "$(cat statuses)" = "0 1 2 3 4 129 130 134 143 "
status 0 check "$small"
status 1 check "$here/faulty.paje"
status 2 render no-such-view "$small"
status 3 info no-such-file
status 4 convert "$small" -o no/such/folder.weft
{
    cat "$small"
    yes "11 11 V p1 3"
} 2>/dev/null | timeout --foreground --preserve-status -k 20 -s INT 1 "$weft" info - >out 2>err
ok "Ctrl-C ends with 130" test $? -eq 130
status 7 record -o r.weft -- sh -c 'exit 7'
status 143 record -o r.weft -- sh -c 'kill $$'
status 127 record -o r.weft -- ./no-such-program
: >no-program
status 126 record -o r.weft -- ./no-program
"$weft" help >out
for status in $(cat statuses); do
    ok "weft help names $status" grep -qE "^ +$status  " out
done

# Times: in small.paje's ten seconds all spellings are the same one.
"$weft" stats "$small" --range 5: --format csv >wanted
ok "there is something in that time" test "$(wc -l <wanted)" -gt 1
table Times | cut -f 1 >times
ok "the page has seven spellings" test "$(wc -l <times)" -eq 7
while read -r time; do
    status 0 stats "$small" --range "$time:" --format csv
    ok "$time is five seconds" cmp -s out wanted
done <times
for range in 5:10 5+5 5:10.0s; do
    status 0 stats "$small" --range $range --format csv
    ok "$range is the second half" cmp -s out wanted
done
status 2 stats "$small" --range 5:5

# Tables: a trace that fills each view, and its columns as CSV and as JSON.
fghc=$project/examples/fghc/primes.fghc
"$weft" fghc "$fghc" 'go(30,P)' --pes 2 -o tree.weft >out 2>err
"$weft" fghc "$fghc" 'go(30,P)' -o other.weft >out 2>err
messages=$project/tests/domains/messages/reference/traces/blocking.trf
executions=$project/tests/domains/messages/reference/traces/tasks.trf
tasks=$project/tests/domains/tasks/fuzz/corpus/dag/small.dag
arrays=$project/tests/domains/arrays/fuzz/corpus/ddv/requesters.ddv
locks=
if command -v gcc >/dev/null; then
    gcc -pthread "$project/examples/contended_lock.c" -o locks 2>err
    "$weft" record -o locks.weft -- ./locks >out 2>err
    locks=locks.weft
    "$weft" record --with memory -o memory.weft -- ./locks >out 2>err
    locks="$locks memory.weft"
fi
"${COLUMNS_OF_VIEWS:?the program columns.c}" >declared
grep '^| `[a-z-]*` | `[a-z_0-9,]*` |$' "$page" >written
ok "the page has the columns that the views declare" cmp written declared
cmp -s written declared || sed '1i# The rows of the table are, to be pasted:' declared
table Tables >columns
# keys: the names in a JSON array of objects, or in an object, in their order
keys() {
    python3 -c 'import json, sys
value = json.load(sys.stdin)
print(",".join(value[0] if isinstance(value, list) else value))' <out
}
# filling VIEW: the first trace, or two, that has what it needs
filling() {
    # In other traces that is the path of messages, with other columns.
    [ "$1" = critical-path ] && echo "$tasks" && return
    for traces in "$small" "$here/samples.paje" "$here/regions.paje" tree.weft $locks "$messages" "$executions" "$tasks" "$arrays" "tree.weft other.weft" "$messages $messages" "$tasks $tasks"; do
        # shellcheck disable=SC2086  # one trace, or two
        "$weft" render "$1" $traces --format csv >out 2>err && echo "$traces" && break
    done
}
while IFS=$tab read -r view columns; do
    traces=$(filling "$view")
    if [ -z "$traces" ] && [ -z "$locks" ]; then
        skip "$view" "gcc is not installed"
        continue
    fi
    ok "a trace of this test fills $view" test "$traces"
    # shellcheck disable=SC2086  # one trace, or two
    status 0 render "$view" $traces --format csv
    ok "$view has these columns" test "$(head -n 1 out)" = "$columns"
    # shellcheck disable=SC2086
    status 0 render "$view" $traces --format json
    ok "as JSON, too" test "$(keys)" = "$columns"
done <columns
summary=$(sed -n "s/^state-summary$tab//p" columns)
for by in value container type; do
    status 0 stats "$small" --by $by --format csv
    ok "by $by: the columns of state-summary" test "$(head -n 1 out)" = "$summary"
done
status 0 stats "$small" --by each --format csv
ok "by each: a container first" test "$(head -n 1 out)" = "container,$summary"
for case in "check $here/faulty.paje" "info $small"; do
    command=${case%% *}
    wanted=$(awk -v start="^.weft $command --json" '
        $0 ~ start { inside = 1 }
        inside && /,[a-z_]*,/ { gsub(/^`|`\.?$/, ""); print; exit }' "$page")
    # shellcheck disable=SC2086  # a command and its trace
    "$weft" $case --json >out 2>err
    ok "$command --json has these keys" test "$(keys)" = "$wanted"
done

# Dump: as many fields as the page says.
"$weft" dump "$small" >out
sed -n '/^## Dump/,$p' "$page" | grep -E '^[A-Z][a-z]+, ' >shapes
ok "five kinds of lines" test "$(wc -l <shapes)" -eq 5
while IFS=, read -r kind rest; do
    ok "$kind has as many fields" awk -F ', ' -v kind="$kind" \
        -v n="$(echo "$kind,$rest" | awk -F ', ' '{ print NF }')" '
        $1 == kind { found = 1; if (NF != n) wrong = 1 } END { exit !found || wrong }' out
done <shapes
finish
