#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Output: the formats, and that a file appears whole or not at all.
. "$(dirname "$0")/lib.sh"
small=$here/small.paje
begins() { # begins FILE TEXT
    test "$(head -c ${#2} "$1" | tr '\0' '?')" = "$2"
}

for theme in light dark grey mono cvd; do
    status 0 render space-time "$small" -o "$theme.svg" --theme $theme
    silent
    ok "$theme is SVG" grep -q '<svg' $theme.svg
done
ok "light and dark differ" sh -c '! cmp -s light.svg dark.svg'

status 0 render space-time "$small" -o x.png --size 640x360
ok "PNG by its magic" test "$(head -c 8 x.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a
ok "of the size asked for" \
    test "$(tail -c +17 x.png | head -c 8 | od -An -tx1 | tr -d ' \n')" = 0000028000000168
# A picture that is larger than memory shall be is refused, whatever its format; a long one is not.
for name in huge.png huge.svg huge.pdf; do
    status 2 render overview "$small" -o $name --size 32767x32767
    one_error
    says 'at most 80 million pixels'
done
ok "nothing was written" sh -c '! ls | grep ^huge'
status 0 render overview "$small" -o long.png --size 32767x200
status 0 render space-time "$small" -o x.pdf
ok "PDF by its magic" begins x.pdf %PDF-
for view in space-time state-summary overview; do
    status 0 render $view "$small" -o x.csv
    ok "$view has more than a header line" test "$(wc -l <x.csv)" -gt 1
    status 0 render $view "$small" --format csv
    ok "-o and standard output agree" cmp -s out x.csv
    status 0 render $view "$small" --format json
    ok "$view is JSON" begins out "["
done
# The ending decides, --format wins.
status 0 render space-time "$small" -o picture --format svg
ok "--format wins over the name" grep -q '<svg' picture
status 0 render space-time "$small" --format svg
ok "SVG to standard output" grep -q '<svg' out
cp out first.svg
status 0 render space-time "$small" -o again.svg
ok "the same picture every time" cmp -s first.svg again.svg

# A picture's text is nothing for a terminal; a table is, and -o - is asked for.
if command -v script >/dev/null; then
    on_terminal() { # on_terminal N COMMAND: what it prints is in out
        script -qec "$2" /dev/null >out 2>err </dev/null
        ok "$2 ends with $1 on a terminal" test $? -eq "$1"
    }
    on_terminal 2 "'$weft' render overview '$small'"
    prints 'a terminal cannot show svg .right: -o FILE.png, or --format text'
    ok "and no picture" sh -c '! grep -q "<svg" out'
    on_terminal 2 "'$weft' render overview '$small' --format scene"
    on_terminal 0 "'$weft' render overview '$small' --format text"
    prints '^ *time_ms'
    on_terminal 0 "'$weft' render overview '$small' -o - --format svg"
    prints '<svg'
    on_terminal 0 "'$weft' render overview '$small' >into.svg"
else
    skip "a terminal gets no picture" "script is not installed"
fi

# Slips in names that only the trace or the view knows.
status 2 stats "$small" --under secnd-one
one_error
says "no container is called 'secnd-one' .did you mean 'second one'\?"
status 2 stats "$small" --under nobody-like-this
says "a name, a PATH/NAME or #INDEX"
status 2 render space-time "$small" --set colr=value
one_error
says "has no setting 'colr' .did you mean color"
status 2 render space-time "$small" --set color
says "has no value .right: color=\.\.\."
status 2 render space-time "$small" --set zzzzzz=1
says "it has: rows, "

status 0 render all "$small" -o every --format csv
for view in space-time state-summary overview; do
    ok "render all writes $view" test -s every.$view.csv
done

# Whole or not at all.
echo precious >kept.svg
mkdir folder.svg
for target in folder.svg no/such/x.svg "$small/x.svg"; do
    status 4 render space-time "$small" -o "$target"
    one_error
done
ok "no temporary files stay" test -z "$(ls -A | grep '^\..*svg')"
if (trap '' XFSZ) 2>/dev/null; then
    # A disk that is full after one block.
    for target in kept.svg kept.weft; do
        echo precious >$target
        command="render space-time $small -o $target"
        [ $target = kept.weft ] && command="convert $small -o $target"
        (
            trap '' XFSZ
            ulimit -f 1
            exec "$weft" $command >/dev/null 2>"$scratch/message"
        )
        got=$?
        cp message err
        : >out
        ok "a full disk ends with 4 ($target)" test $got -eq 4
        ok "and the old file stays" grep -q '^precious$' $target
    done
    ok "no temporary files stay" test -z "$(ls -A | grep '^\..*kept')"
fi
if [ -w /dev/full ]; then
    for command in "stats $small" "info $small" "dump $small" \
        "render space-time $small --format svg" "check $here/faulty.paje"; do
        "$weft" $command >/dev/full 2>err
        got=$?
        : >out
        case $command in check*) wanted=1 ;; *) wanted=4 ;; esac
        ok "$command with a full disk behind it" test $got -eq 4 -o $got -eq $wanted
        ok "which is said" grep -qE 'No space left on device$' err
    done
fi
# A part that could not be printed is missing, also when what follows it could be.
fail=${BUILD:?}/tests/faults/libfail.so
{
    sed '/^7 10/,$d' "$small"
    awk 'BEGIN { for (i = 11; i < 111; i++) print "8", i, "S", "nobody" i, "run" }'
} >many.paje
"$weft" index many.paje >out 2>err
if [ -e "$fail" ] && LD_PRELOAD=$fail "$weft" --version >out 2>err; then
    for command in check dump; do
        FAIL_CALL=write FAIL_AT=1 FAIL_ERRNO=11 LD_PRELOAD=$fail "$weft" $command many.paje >part 2>err
        got=$?
        : >out
        ok "$command with a part that could not be printed ends with 4" test $got -eq 4
        one_error
    done
else
    skip "a part that could not be printed" "no filters of system calls here"
fi
"$weft" dump "$small" 2>err | head -n 1 >/dev/null
ok "a closed pipe is quiet" test ! -s err

# convert: both ways, and what comes back is the same trace.
status 0 convert "$small" -o a.weft
status 0 convert a.weft -o b.paje
status 0 convert b.paje -o c.weft
"$weft" dump a.weft | sort >a.dump
"$weft" dump c.weft | sort >c.dump
"$weft" dump "$small" | sort >small.dump
ok "Paje to .weft keeps every entity" cmp -s small.dump a.dump
ok ".weft to Paje and back too" cmp -s a.dump c.dump
status 0 convert "$project/tests/domains/tasks/fuzz/corpus/dag/small.dag" -o dag.paje
ok "what Paje has no place for is said" grep -q "^weft: dag.paje: Paje has no place for 28 nodes of the task DAG, " err
status 0 convert "$small" -o whole.paje
ok "and nothing where it has a place for all" test ! -s err
# A signal ends the drawing of a large picture long before it is drawn, and nothing appears.  How
# long that takes is measured, since machines differ and may be loaded.
large="render space-time $small --size 9000x9000 -o large.png"
began=$(date +%s%N)
# shellcheck disable=SC2086  # words
status 0 $large
alone=$(($(date +%s%N) - began))
rm large.png
for signal in INT:130 TERM:143; do
    # shellcheck disable=SC2086
    env --default-signal=INT,TERM "$weft" $large >out 2>err &
    until_busy $! 20
    began=$(date +%s%N)
    kill -"${signal%:*}" $!
    wait $!
    got=$?
    took=$(($(date +%s%N) - began))
    ok "${signal%:*} ends a large picture with $got" test $got -eq "${signal#*:}"
    ok "in $((took / 1000000)) ms; it takes $((alone / 1000000))" test $((took * 4)) -lt $alone
    one_error
    ok "nothing is left" sh -c '! ls -A | grep large'
done

# Nor is a command held by a reader who reads no more.
awk '!/^7 10/ { print } END { for (i = 11; i < 20000; i++) print "8", i, "S", "p1", i % 2 ? "run" : "wait" }' \
    "$small" >many.paje
for command in "dump many.paje" "render space-time many.paje --format csv" "convert many.paje -o stalled.paje"; do
    rm -f stalled.paje
    mkfifo stalled.paje
    sleep 60 <stalled.paje &
    reader=$!
    # shellcheck disable=SC2086
    case $command in
    convert*) env --default-signal=TERM "$weft" $command 2>err & ;;
    *) env --default-signal=TERM "$weft" $command 2>err >stalled.paje & ;;
    esac
    writer=$!
    until_waits $writer
    kill -TERM $writer
    wait $writer
    got=$?
    : >out
    ok "TERM ends $command, which waits for a reader" test $got -eq 143
    one_error
    kill $reader
done
# What is read is not replaced.
cp many.paje kept.csv
status 2 render space-time kept.csv -o kept.csv
one_error
says 'kept.csv is the trace itself'
cp many.paje kept.trace
ln kept.trace other.trace
status 2 convert kept.trace -o other.trace
cp many.paje text.weft
status 2 convert text.weft -o text.weft
says 'text.weft is the trace itself'
status 2 distribute kept.trace -o kept.trace
for command in "convert - -o kept.trace" "render space-time - -o kept.csv" "distribute - --processors 2 -o kept.csv"; do
    # shellcheck disable=SC2086  # words
    "$weft" $command <"${command##* }" >out 2>err
    got=$?
    ok "$command, which is standard input, ends with 2" test $got -eq 2
    one_error
    says 'is the trace itself'
done
ok "it is as it was" sh -c 'cmp -s many.paje kept.csv && cmp -s many.paje kept.trace && cmp -s many.paje text.weft'
# Nor is what is read beside it.
"$weft" info "$small" --roles >map.trf
cp map.trf map.csv
cp map.trf map.was
printf 'PROCESSORS P(2)\nDISTRIBUTE A(BLOCK) ONTO P\n' >directives.ddv
cp directives.ddv directives.was
status 2 render space-time "$small" --map map.csv -o map.csv
one_error
says 'map.csv is read, too'
status 2 convert "$small" --map map.trf -o map.trf
says 'map.trf is read, too'
status 2 convert "$small" --distribution directives.ddv -o directives.ddv
says 'directives.ddv is read, too'
status 2 distribute "$small" --processors 2 --beside directives.ddv -o directives.ddv
says 'directives.ddv is read, too'
status 2 convert "$here/small.vista" --set source=directives.ddv -o directives.ddv
says 'directives.ddv is read, too'
ok "they are as they were" sh -c 'cmp -s map.was map.csv && cmp -s map.was map.trf && cmp -s directives.was directives.ddv'
# What the shell has open, it writes on: that file is not replaced.
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 /dev/fd/3 /dev/stderr; do
    {
        echo before
        # shellcheck disable=SC2261  # the same file behind all of them
        "$weft" render state-summary "$small" -o $name --format csv 3>&1 2>&1
        got=$?
        echo behind
    } >shared.txt
    : >out
    ok "-o $name ends with 0" test $got -eq 0
    ok "and the file has all that was written" \
        sh -c 'test "$(sed -n "1p;\$p" shared.txt | tr "\n" " ")" = "before behind " -a "$(wc -l <shared.txt)" -gt 3'
done
status 4 render state-summary "$small" -o /dev/fd/9 --format csv
one_error
# With a standard descriptor closed, no file is opened in its place: nothing is said into it.
dag=$project/tests/domains/tasks/fuzz/corpus/dag/contracted.dag
status 0 render state-summary "$dag" -o wanted.csv
says 'contracted tasks'
"$weft" render state-summary "$dag" -o got.csv <&- 2>&-
ok "what is said is not in the file" cmp wanted.csv got.csv
"$weft" fghc "$project/examples/fghc/primes.fghc" 'go(50, P)' -o got.weft 2>err >&- <&-
ok "what cannot be printed ends with 4" test $? -eq 4
ok "and is not in the recording" "$weft" check got.weft
# Where a link leads, the file is made; the link stays.
ln -s target.csv dangling.csv
status 0 render state-summary "$small" -o dangling.csv
ok "the file is made where the link leads" test -L dangling.csv -a -s target.csv
# A shot takes its place as other outputs do.  The browser here draws no page, only the end of a PNG,
# and says which signals are blocked and ignored.
export PICTURE='picture\nIEND\0256B`\0202'
mkdir fakebin
cat >fakebin/chromium <<'END'
#!/bin/bash
for word in "$@"; do
    case $word in --screenshot=*) printf '%b' "$PICTURE" >"${word#--screenshot=}" ;; esac
done
grep -E 'SigBlk|SigIgn' /proc/self/status >"$SIGNALS"
END
cp fakebin/chromium fakebin/xdg-open
chmod +x fakebin/*
take() { # take OUT.png [TRACE]: its status is in $got
    PATH=$scratch/fakebin:$PATH SIGNALS=$scratch/signals env --default-signal "$weft" view --shot "$1" "${2:-$small}" >out 2>err
    got=$?
}
mkdir shots
echo mine >shots/shot.png.part.png
echo old >shots/behind.png
ln -s behind.png shots/link.png
take shots/shot.png
ok "a shot ends with 0" test $got -eq 0
ok "and has what the browser drew" grep -aq '^picture$' shots/shot.png
as_given() { # the signals of a program that a shell starts: none of those below 32 is blocked or ignored
    # The highest of 32 bits is of signal 32, which is the C library's own.
    ok "$1 gets signals as usual" test "$(grep -c '[0-9a-f]*[08]0000000$' signals)" -eq 2
}
as_given "the browser"
echo left >shots/shot.png.weft-shot-abcdef.png
mkdir shots/weft-shot-abcdef
echo left >shots/weft-shot-abcdef/deep
exec 7<shots/weft-shot-abcdef
flock 7
TMPDIR=$scratch/shots take shots/shot.png
ok "what another shot still uses stays" test -e shots/weft-shot-abcdef/deep
exec 7<&-
TMPDIR=$scratch/shots take shots/shot.png
ok "what killed shots left is removed" test ! -e shots/weft-shot-abcdef -a ! -e shots/shot.png.weft-shot-abcdef.png
PICTURE=half take shots/half.png
ok "half a picture is none" test $got -eq 4
one_error
says 'the browser took half a picture'
take shots/link.png
ok "through a link, the file behind it is replaced" test $got -eq 0 -a -L shots/link.png -a "$(head -n 1 shots/behind.png)" = picture
ok "nothing else was written" test "$(ls -A shots | tr '\n' ' ')" = "behind.png link.png shot.png shot.png.part.png "
ok "what lay beside it stays" grep -q '^mine$' shots/shot.png.part.png
mkfifo shots/pipe.png
cat shots/pipe.png >shots/piped &
reader=$!
take shots/pipe.png
ok "a pipe is written to" test $got -eq 0 -a -p shots/pipe.png
wait $reader
ok "and has the picture" grep -aq '^picture$' shots/piped
rm signals
take shots/no/shot.png
ok "a shot that cannot be written ends with 4" test $got -eq 4
one_error
says 'cannot write shots/no/shot.png: No such file'
cp "$small" shots/trace.png
take shots/trace.png shots/trace.png
ok "a shot over the trace ends with 2" test $got -eq 2
says 'is the trace itself'
ok "and no browser was started" test ! -e signals
# A browser that is to be looked at is started by a program of its own, which is no part of Weft.
mkfifo told
DISPLAY=none PATH=$scratch/fakebin:$PATH SIGNALS=$scratch/told env --default-signal "$weft" view --port 0 "$small" >out 2>err &
server=$!
cat told >signals
as_given "the program that opens addresses"
kill $server
wait $server
# Where stacks are small, Weft's is not.
(
    ulimit -s 64
    "$weft" render space-time "$small" -o small.pdf >out 2>err
)
ok "a small stack draws" test $? -eq 0 -a -s small.pdf
finish
