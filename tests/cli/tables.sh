#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The numbers: expected values are worked out by hand in the comment of small.paje.
. "$(dirname "$0")/lib.sh"
small=$here/small.paje
second=000000000
columns=type,value,count,total_ns,self_ns,mean_ns,p50_ns,p95_ns,p99_ns,max_ns,share_pct

row() { # row VALUE COLUMN NUMBER: in the CSV in out
    awk -F, -v value="$1" -v column="$2" -v wanted="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["value"] == value { found = 1; good = $at[column] == wanted
            if (!good) print "# " value "." column " is " $at[column] }
        END { exit !(found && good) }' out
}
row_is() { ok "$1: $2 is $3" row "$1" "$2" "$3"; }

status 0 stats "$small" --format csv
ok "the columns are those that people count on" test "$(head -n 1 out | tr -d '\r')" = $columns
row_is Running count 2
row_is Running total_ns 15$second
row_is Running self_ns 13$second
row_is Running max_ns 10$second
row_is Waiting count 1
row_is Waiting total_ns 2$second
row_is Waiting self_ns 2$second
row_is Idle total_ns 5$second
cp out whole
status 0 render state-summary "$small" --format csv
ok "stats is the state summary" cmp -s whole out

# Only selected states: the first container, whose Waiting is inside its Running; then short ones.
status 0 stats "$small" --where 'row = first' --format csv
row_is Running count 1
row_is Running total_ns 10$second
row_is Running self_ns 8$second
row_is Running share_pct 100.00
row_is Waiting total_ns 2$second
ok "no Idle of the first" test "$(grep -c Idle out)" -eq 0
status 0 stats "$small" --where 'duration < 6s and not Waiting' --format csv
row_is Running count 1
row_is Running total_ns 5$second
row_is Running self_ns 5$second
row_is Idle total_ns 5$second
ok "no Waiting" test "$(grep -c Waiting out)" -eq 0
status 2 stats "$small" --where 'Running and rwo = first'
ok "the error names the word and its place" grep -q "character 13, 'rwo'.*did you mean row?" err

# What a selection means, one by one: the longest first, and how many are left out.
status 0 render instances "$small" --set where=Running --set most=1 --format csv
ok "one row" test "$(sed 1d out | cut -d , -f 1-4)" = "state,first,State,Running"
ok "of two" grep -q "2 match, of which these are the 1 longest" err
status 0 render histogram "$small" --set where=Running --set scale=linear --set bins=2 --format csv
ok "5 s and 10 s in bins of 5 s" test "$(sed 1d out)" = "5000000000,10000000000,1,5000000000
10000000000,15000000000,1,10000000000"

# Types of one name are told apart by what they are of; others keep their names.
cat >twice.paje <<'E'
%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 3
% Time date
% Type string
% Container string
% Value string
%EndEventDef
0 A 0 Mutex
0 B 0 Spin
0 C 0 Thread
1 SA A Lock
1 SB B Lock
1 SC C State
2 0 a A 0 a
2 0 b B 0 b
2 0 c C 0 c
3 0 SA a held
3 0 SB b held
3 0 SC c runs
3 1 SA a free
3 2 SB b free
3 4 SC c ends
E
status 0 stats twice.paje --format csv
for row in 'Lock of Mutex,held,1,1' 'Lock of Spin,held,1,2' 'Lock of Mutex,free,1,3' 'Lock of Spin,free,1,2' \
           'State,runs,1,4'; do
    ok "a row $row" grep -q "^$row$second," out
done

# The rows of a picture are those of its table.
status 0 render space-time "$small" --set rows=SECOND --format csv
ok "two states of the second" test "$(sed 1d out | cut -d, -f1-3 | tr '\n' ';')" = \
    'second one,State,Running;second one,State,Idle;'
status 0 render space-time "$small" --set rows=all --format csv
ok "four of both" test "$(wc -l <out)" = 5
status 2 render space-time "$small" --set rows=third --format csv
one_error
says "no container matches rows=third"

# [3, 5): p1 runs all of it, waiting inside from 4; p2 runs.
for range in 3:5 3s:5s 3000ms:5000000us 30%:50% 3000000000ns:5 3+2 3s+2s @3:@5; do
    status 0 stats "$small" --format csv --range $range
    row_is Running total_ns 4$second
    row_is Running self_ns 3$second
    row_is Waiting self_ns 1$second
    row_is Running max_ns 10$second
done
# Either side may be left out.
status 0 stats "$small" --format csv --range :5
row_is Running total_ns 10$second
status 0 stats "$small" --format csv --range 5:
row_is Running total_ns 5$second
row_is Idle total_ns 5$second

# Containers: by name, by path, by number or alias.
for under in first p1; do
    status 0 stats "$small" --format csv --under $under
    row_is Running total_ns 10$second
    row_is Running self_ns 8$second
done
status 0 stats "$small" --format csv --under "second one"
row_is Running total_ns 5$second
ok "no state of the other" sh -c '! grep -q Waiting out'

# Time units, and compression and standard input, change nothing but what they should.
status 0 stats "$small" --format csv --time-unit ms
row_is Running total_ns 15000000
gzip -c "$small" >a.gz
status 0 stats a.gz --format csv
ok ".gz reads the same" cmp -s whole out
for tool in xz zstd; do
    if command -v $tool >/dev/null; then
        $tool -c "$small" >a.$tool
        status 0 stats a.$tool --format csv
        ok "$tool reads the same" cmp -s whole out
    else
        skip "$tool reads the same" "$tool is not installed"
    fi
done
"$weft" stats - --format csv <"$small" >out 2>err
ok "standard input reads the same" cmp -s whole out
"$weft" convert "$small" -o a.weft
status 0 stats a.weft --format csv
ok ".weft reads the same" cmp -s whole out

status 0 stats "$small" --format json
ok "JSON has the same columns" test "$(grep -o '"[a-z0-9_]*":' out | awk '!seen[$0]++' |
    tr -d '":' | paste -sd,)" = $columns
status 0 stats "$small"
prints "Running"
ok "a text table has no escapes" sh -c '! grep -q "$(printf "\033")" out'

# info
key() { # key NAME VALUE: in the JSON in out, whatever its spacing
    tr -d ' \n' <out | grep -qE "\"$1\":$2[,}]"
}
status 0 info "$small" --json
for pair in 'format "paje"' "states 4" "instants 1" "variable_samples 2" "links 1" \
    "problems 0" "duration_ns 10$second" "start_ns 0"; do
    ok "info --json: $pair" key ${pair% *} "${pair#* }"
done
for name in events containers resolution_ns models views; do
    ok "info --json has $name" grep -q "\"$name\"" out
done
ok "views is a list with space-time" sh -c 'tr -d "\n" <out | grep -q "\"views\": *\[[^]]*\"space-time\""'
status 0 info "$small"
prints "paje"
# What people ask first is short, and the first of all that is known.
cp out short
ok "info is a screen" test "$(wc -l <short)" -le 24
status 0 info --details "$small"
ok "with details there is more" test "$(wc -l <out)" -gt "$(wc -l <short)"
for line in format duration problems containers events states links views; do
    ok "both have $line" test "$(grep -c "^$line " short)$(grep -c "^$line " out)" = 11
done
prints '^begins at '
prints '^  state +State'

# Raw time: without clocks nothing changes; other words are refused.
status 0 stats "$small" --format csv --clock raw
ok "raw times of a trace without clocks are its times" cmp -s whole out
status 2 stats "$small" --clock wall
says "corrected and raw"

# The index of a foreign file: built once, again when the file changes.
cp "$small" changing.paje
status 0 index changing.paje
index=$(cat out)
ok "index prints where it is" test -f "$index"
status 0 stats changing.paje --format csv
ok "and it reads the same" cmp -s whole out
"$weft" info changing.paje --json >before
printf '8 10 S p1 idle\n8 10 S p2 idle\n' >>changing.paje
status 0 info changing.paje --json
ok "a changed file is read again" sh -c 'cmp -s out before; test $? -eq 1'
for file in "$WEFT_CACHE"/*; do
    [ -f "$file" ] && head -c 100 /dev/urandom >"$file"
done
cp "$small" changing.paje
status 0 stats changing.paje --format csv
ok "a damaged index is made again" cmp -s whole out

# A state without length at the last instant is one state more.
{ head -n -2 "$small"; printf '9 10 S p1 wait\n10 10 S p1\n7 10 P p1\n7 10 P p2\n'; } >instant.paje
status 0 stats instant.paje --format csv
prints "^State,Waiting,2,2000000000,"

# Very many values that occur once each need some bytes each, not a histogram each.
awk -v small="$small" 'BEGIN {
    while ((getline line <small) > 0)
        if (line !~ /^7 /)
            print line
    for (i = 0; i < 200000; i++)
        print 8, 10 + i / 1000, "S p1 value" i }' >many.paje
(
    ulimit -v 1500000
    "$weft" stats many.paje --format csv >out 2>err
)
ok "200,000 values need no 3 GB" test "$(wc -l <out)" -gt 200000
# The legend names few of them; to find out which must not take the square of their number (minutes).
ok "a picture of 200,000 values" timeout 60 "$weft" render space-time many.paje -o many.svg

# Fields whose names are those of a recording's, and that hold something else than there.
cat >kinds.paje <<'END'
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 5
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 6
% Time date
% Type string
% Container string
% Value string
% holder int
% object int
% site int
%EndEventDef
1 T 0 Thread
1 L 0 Mutex
2 S L "Lock state"
2 A T "Thread state"
5 0 l L 0 lock
5 0 t T 0 thread
6 1 S l held 1000000000 1000000000 1000000000
6 1 A t "blocked on mutex" 1000000000 1000000000 1000000000
6 2 S l free 1000000000 1000000000 1000000000
6 3 A t running 1000000000 1000000000 1000000000
END
status 0 render all kinds.paje -o kinds
status 0 render all kinds.paje -o kinds --format csv
status 3 render lock-summary kinds.paje --format csv
says "cannot fill lock-summary"

status 0 views
for view in space-time state-summary overview; do
    prints "$view"
done
status 0 views "$small"
prints "space-time"
# A processor is named by its number, as in tables of messages.
workers=$project/examples/picl/master_worker.trf
status 0 why "$workers" --row 2
cp out named
status 0 why "$workers" --row "processor 2"
ok "--row by number" cmp -s named out
status 0 stats "$workers" --under 2 --format csv
cp out named
status 0 stats "$workers" --under "processor 2" --format csv
ok "--under by number" cmp -s named out
status 2 why "$workers" --row "processor 99"
finish
