#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What goes wrong ends with the status that is promised, and one line that names it.
. "$(dirname "$0")/lib.sh"
small=$here/small.paje

# Nothing to read: 3, for every command that reads.
for command in "info" "check" "dump" "stats" "views" "convert -o x.weft" "index" \
    "render space-time -o x.png"; do
    status 3 $command absent.paje
    one_error
    says "absent.paje"
    : >empty
    status 3 $command empty
    one_error
done
head -c 4096 /dev/urandom >garbage
status 3 info garbage
one_error
says "garbage"
status 3 info "$(printf 'a\nb')"
one_error

# The stores that the fuzzer begins with are of the version that is read: else it tries nothing.
for store in "$here"/../fuzz/corpus/weft/*.weft; do
    status 0 info "$store"
done

# A block that is damaged (the first one lies behind the header page): what can be read is
# printed, and 3 says that it is not all; check lists it.
cp "$here/../fuzz/corpus/weft/links.weft" hurt.weft
printf '\377' | dd of=hurt.weft bs=1 seek=4105 conv=notrunc 2>/dev/null
for command in "dump" "convert -o hurt.paje" "convert -o hurt-too.weft" "render space-time -o hurt.svg"; do
    status 3 $command hurt.weft
    says "^weft: .*damaged"
done
ok "the picture says that it is damaged" grep -q "damaged part" hurt.svg
# Also of files that were written before an error, which says something else.
status 0 convert "$small" -o hurt-states.weft
printf '\377' | dd of=hurt-states.weft bs=1 seek=4105 conv=notrunc 2>/dev/null
mkdir every.overview.csv
status 4 render all hurt-states.weft -o every --format csv
ok "one view was written" test -s every.space-time.csv
says "^weft: hurt-states.weft: damaged: the answer leaves out"
says "^weft: .*every.overview.csv"
rm -r every.*
status 1 check hurt.weft
prints "damaged-block  a block of .* of .* from .* s to .* s, at byte 4096 of the store"

# The same of the index of a text: it is removed, and the next command answers.
status 0 index "$small"
index=$(cat out)
printf '\377' | dd of="$index" bs=1 seek=4105 conv=notrunc 2>/dev/null
status 3 dump "$small"
says "its cached index was damaged"
status 0 dump "$small"
status 0 check "$small"

# A folder that is not there leaves no recording behind, and a shot is a PNG or nothing.
status 3 recover absent-folder
one_error
says "absent-folder"
status 2 view --no-browser --shot shot.svg "$small"
one_error
says "shot.png"
status 2 view --no-browser --panel gant --shot shot.png "$small"
one_error
says "did you mean gantt"
status 2 view --no-browser --panel gantt --layout some.json "$small"
ok "no shot was taken" test ! -e shot.png

# Truncated and damaged files.
gzip -c "$small" >small.gz
head -c 200 small.gz >cut.gz
"$weft" info cut.gz >out 2>err
ok "a cut .gz is no success in silence" sh -c 'test $? -ne 0 -o -s out'
status 0 convert "$small" -o whole.weft
for size in 10 100 1000; do
    head -c $size whole.weft >cut.weft
    status 3 info cut.weft
    one_error
done

# Faults in the content: everything opens, check lists them with their lines and ends with 1.
status 0 info "$here/faulty.paje"
status 0 stats "$here/faulty.paje"
status 1 check "$here/faulty.paje"
prints "33"
prints "35"
# Names may hold anything, and none of it makes a terminal do something or forges a line.
escape=$(printf '\033')
sed "s/second one/sec${escape}[31mond\x7f \xc2\x9bone/; s/^\(1 [^ ]* 0 \)\(.*\)/\1\"ki${escape}]0;nd\"/" "$small" >escapes.paje
printf '5 1 p1 "no%s[2Jpe" S\n' "$escape" >>escapes.paje
for command in "info" "info --details" "info --roles" check dump stats views "stats --by container"; do
    # shellcheck disable=SC2086
    "$weft" $command escapes.paje >out 2>err
    cat err >>out
    ok "$command of names with escapes has lines of text" sh -c 'test -s out && ! grep -q "[[:cntrl:]]" out && ! grep -q "$(printf "\302\233")" out'
done
# What is lost before it is read is told by all that make something of a trace, too.
gzip -c "$here/small.paje" | head -c 500 >cut.paje.gz
for faulty in "$here/faulty.paje" cut.paje.gz; do
    status 0 dump "$faulty"
    says '^weft: .*problems \(weft check lists them\), one: '
    status 0 index "$faulty"
    says '^weft: .*problems \(weft check lists them\), one: '
    status 0 convert "$faulty" -o faulty.weft
    says '^weft: faulty.weft: .*problems \(weft check lists them\), one: '
    status 1 check faulty.weft
    status 0 convert "$faulty" -o faulty.trace
    says '^weft: .*problems \(weft check lists them\), one: '
done
status 1 check "$here/faulty.paje" --json
ok "check --json is an array or object" grep -q '^[[{]' out
status 0 check "$small"

# A store whose table of problems is damaged does not become one without problems.
status 0 convert "$here/faulty.paje" -o faulty.weft
lose faulty.weft "the table of problems"
prints "damaged-table  the table of problems"
for command in info "info --json" views; do
    # shellcheck disable=SC2086
    status 3 $command lost.weft
    says "^weft: lost.weft: damaged: the answer leaves out what 1 of its parts held"
done

# Wrong usage beyond the table of options: 2.
status 2 render no-such-view "$small" -o x.png
one_error
says "no-such-view"
status 2 render space-tiem "$small" -o x.png
says "space-time"
status 2 render space-time "$small" -o x.tiff
one_error
status 2 render space-time "$small" -o x.png --size 0x10x0x20
says 'bad size'
status 2 stats "$small" --time-unit ''
says 'unknown time unit'
for ticks in '' 0 00 -1 abc 1.5 1e9; do
    status 2 stats "$small" --ticks-per-second "$ticks"
    says 'no number of ticks per second'
done
status 2 record -o '' touch ran
says 'written as .weft'
ok "and nothing was run" test ! -e ran
status 2 render space-time "$small" -o x.png --size huge
one_error
status 2 render space-time "$small" -o x.png --theme pink
one_error
status 2 render space-time "$small" -o x.png --set no-such-setting=1
one_error
# A setting that nobody takes is no slip to be silent about.
status 2 stats "$small" --set nonsense=1
one_error
says "has no setting 'nonsense'"
status 2 stats "$small" --set by=colour
one_error
status 0 stats "$small" --by container --format csv
cp out by-container
status 0 stats "$small" --set by=container --format csv
ok "a setting of stats is that of its view" cmp -s out by-container
status 0 stats "$small" --set by=value --by container --format csv
ok "and --by wins" cmp -s out by-container
status 2 views --set colour=1
one_error
status 2 views "$small" --set colour=1
one_error
status 2 render all "$small" -o every --format csv --set nonsense=1
one_error
says "no view of this trace has a setting 'nonsense'"
status 2 render all "$small" -o every --format csv --set by=colour
one_error
ok "nothing was written" sh -c '! ls | grep ^every'
mkdir into
status 0 render all "$small" -o into --format csv
ok "a folder gets the files" test -s into/state-summary.csv
status 0 render all "$small" -o every --format csv --set by=container
ok "what one view of all has is for that one" cmp -s every.state-summary.csv by-container
# Nor is a trace that a view leaves out.
status 2 render space-time "$small" "$small" --format csv
one_error
says "space-time is of one trace"
status 2 render all "$small" "$small" "$small" -o every --format csv
one_error
says "no view is of these 3 traces together"
status 2 render space-time "$small" -o x.png --under nobody
one_error
says "nobody"
for range in 5 5:2 5s:5s a:b 1:2:3 ''; do
    status 2 stats "$small" --range "$range"
    one_error
done
status 2 stats "$small" --format xls
one_error
status 2 stats "$small" --by colour
one_error
ok "nothing was written" test ! -e x.png
status 2 convert "$small" -o x.unknown
one_error

# Cancelling: an endless trace on standard input.
{
    cat "$small"
    yes "11 11 V p1 3"
} 2>/dev/null | timeout --foreground --preserve-status -s INT 1 "$weft" convert - -o endless.weft >out 2>err
ok "Ctrl-C ends with 130" test $? -eq 130
ok "and leaves nothing" test -z "$(ls -A | grep endless)"

# Recorders: one that there is not, and one of the two.
status 2 record --with threads,quantum -o r.weft -- true
says '"quantum"'
says 'threads, annotations'
ok "nothing was recorded" test ! -e r.weft
status 0 record --with annotations -o r.weft -- true
"$weft" info --details r.weft >out
prints '^recorded +annotations$'
status 0 record --with annotations,threads -o r.weft -- true
"$weft" info --details r.weft >out
prints '^recorded +threads, annotations$'

# The program's own status.
status 0 record -o r.weft -- true
status 7 record -o r.weft -- sh -c 'exit 7'
status 137 record -o r.weft -- sh -c 'kill -9 $$'
status 127 record -o r.weft -- ./no-such-program
: >not-executable
status 126 record -o r.weft -- ./not-executable
finish
