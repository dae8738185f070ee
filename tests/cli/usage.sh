#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong usage, help and version: what needs no trace.
. "$(dirname "$0")/lib.sh"

commands="record recover info check dump stats views render play convert index map"

status 0 --version
prints '^weft [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]+(-dirty)?\))?$'
ok "on one line" test "$(wc -l <out)" -eq 1
for form in --help -h help; do
    status 0 $form
    silent
    for command in $commands; do
        prints "^  $command +[a-z]"
    done
done

for command in $commands; do
    status 0 help "$command"
    cp out first
    prints "^Usage: weft $command"
    prints "--help"
    ok "lines of at most 80 columns" test "$(awk 'length > m { m = length } END { print m }' out)" -le 80
    status 0 "$command" --help
    ok "--help prints the same" cmp -s first out
    status 2 "$command" --no-such-option
    one_error
    says "unknown option --no-such-option"
done

status 2
ok "no command: the help is an error" grep -q '^Usage:' err
status 2 inof
one_error
says "did you mean weft info"
status 2 --infos
one_error
status 2 help nonsense
one_error
for command in recover info check dump stats convert index map render play record; do
    status 2 "$command"
    one_error
done
status 2 info a b
one_error
says "too many"
status 2 info --jsn x
says "did you mean --json"
status 2 render space-time x --size
says "needs a value"

# Views are explained, too.
for view in $("$weft" views | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p'); do
    status 0 help "$view"
    prints "^Usage: weft render $view TRACE"
    prints "^It needs "
    "$weft" views | sed -n "/^$view /,/^[a-z]/s/^    --set \([a-z_]*\)=.*/\1/p" >settings
    while read -r setting; do
        prints "^  $setting "
    done <settings
    ok "lines of at most 80 columns" test "$(awk 'length > m { m = length } END { print m }' out)" -le 80
done
status 2 help lock-sumary
one_error
says "is it the view lock-summary"

# What is recorded is a .weft: another ending promises another format.
status 2 record -o x.csv -- true
one_error
says 'written as .weft'
status 2 recover -o x.csv nowhere
one_error

status 0 help --man
for command in $commands; do
    prints "^\.SS \"weft $command"
done
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww out >/dev/null 2>err
    ok "groff has no complaint" test ! -s err
else
    skip "groff has no complaint" "groff is not installed"
fi

status 0 help --completion
cp out completion
if command -v bash >/dev/null; then
    ok "bash reads the completion" bash -n completion
    complete() { # complete WORD... : the words that it offers for the last
        bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weft
            printf "%s\n" "${COMPREPLY[@]}"' - "$@" >out
    }
    complete weft re
    ok "it offers commands" test "$(tr '\n' ' ' <out)" = "record recover render "
    complete weft info --j
    ok "it offers options" test "$(cat out)" = "--json"
    PATH=$(dirname "$weft"):$PATH complete weft render ""
    { "$weft" views | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p' && echo all; } >wanted
    ok "it offers all views" cmp out wanted
else
    skip "completion in bash" "bash is not installed"
fi

# Somebody who has read enough is no error.
"$weft" help --man 2>err | true
ok "a closed pipe is quiet" test ! -s err
if [ -w /dev/full ]; then
    "$weft" --help >/dev/full 2>err
    got=$?
    : >out
    ok "a full disk behind standard output ends with 4" test "$got" -eq 4
    one_error
fi
finish
