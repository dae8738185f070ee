#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# unchanged.sh: programs that a recorder could make fail, or wait for ever, do and say what they do
# without it.
set -u
: "${PROGRAMS:?names the folder of the programs}"
. "$(dirname "$0")/lib.sh"

same() { # COMMAND...
    timeout 60 "$@" >bare 2>&1
    bare=$?
    [ "$bare" = 0 ] || fail "$*: status $bare without the recorder: $(cat bare)"
    timeout 60 "$WEFT" record -o run.weft -- "$@" >recorded 2>said
    recorded=$?
    [ "$recorded" = "$bare" ] || fail "$*: status $recorded, without the recorder $bare"
    diff bare recorded >difference || fail "$*: it says something else: $(cat difference)"
    rm -f run.weft
}

same "$PROGRAMS/live_unchanged" filter
same "$PROGRAMS/live_unchanged" strict
same "$PROGRAMS/live_unchanged" refused
grep -q ' 0 lost' said || fail "what is refused stops the recording"
same "$PROGRAMS/live_unchanged" lost
same "$PROGRAMS/live_unchanged" protected
same "$PROGRAMS/live_unchanged" new-code "$PROGRAMS/liblive_late.so"
same "$PROGRAMS/live_unchanged" new-memory
same "$PROGRAMS/live_unchanged" long-arguments
same "$PROGRAMS/live_unchanged" bad-pointers
same "$PROGRAMS/live_own_clock"
same "$PROGRAMS/live_unchanged" clock
grep -q '[1-9] events.* are lost' said || fail "what is done without a clock is lost, and that is said"
same "$PROGRAMS/live_unchanged" starts
same "$PROGRAMS/live_unchanged" executes
same "$PROGRAMS/live_unchanged" pages
same "$PROGRAMS/live_unchanged" no-shell
grep -q 'is not recorded' said && fail "shells that were not started are said to have been"
same "$PROGRAMS/live_variables"
same "$PROGRAMS/live_own_cache"
same "$PROGRAMS/live_own_getenv"
same "$PROGRAMS/live_coroutine"
# A library may have a function clone of its own, whose result is more than an int.
cat >copies.c <<'END'
#include <stdlib.h>
struct shape { int kind; };
struct shape *clone(const struct shape *shape);
struct shape *clone(const struct shape *shape)
{
    struct shape *copy = malloc(1 << 20); /* far away, in memory of its own */
    *copy = *shape;
    return copy;
}
END
cat >shape.c <<'END'
#include <stdio.h>
struct shape { int kind; } *clone(const struct shape *shape);
int main(void)
{
    struct shape shape = { 7 };
    printf("%d\n", clone(&shape)->kind);
    return 0;
}
END
${CC:-cc} -shared -fPIC -fno-builtin -o libcopies.so copies.c && ${CC:-cc} -fno-builtin -o shape shape.c ./libcopies.so ||
    fail "copies.c"
same ./shape
# Each mapping is asked for when its lock is made, and not again each time.
"$WEFT" record --dir mappings -- "$PROGRAMS/live_unchanged" many-mappings 2>said || fail "many mappings"
asked=$(cat mappings/h-*/l* | grep -ao '/dev/zero (deleted)' | wc -l)
[ "$asked" -ge 100 ] && [ "$asked" -lt 1000 ] || fail "100 mappings are told $asked times"

# What musl's dynamic linker would start, and could not with the recorder, is refused with a word.
echo 'int main(void) { return 0; }' >musl.c
${CC:-cc} -o musl musl.c -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 || fail "musl.c"
"$WEFT" record -o musl.weft -- ./musl 2>said
[ $? = 126 ] && grep -q 'C library musl' said || fail "a program of musl's"

# What a recorded program starts, and could not bear the recorder, does not get it: the linker of
# musl (this one has its name only), a sanitizer, which must come first, and scripts that they
# interpret.  Other libraries stay, and what that starts is not recorded.
mkdir targets
ln -s /lib64/ld-linux-x86-64.so.2 ld-musl-here.so
cat >target.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    const char *preload = getenv("LD_PRELOAD");
    printf("%s\n", preload && strstr(preload, "libweft-record") ? "with it" : preload ? preload : "none");
    return 0;
}
END
${CC:-cc} -o targets/musl target.c "-Wl,--dynamic-linker=$PWD/ld-musl-here.so" || fail "target.c"
${CC:-cc} -o targets/usual target.c || fail "target.c"
printf '#!%s/targets/musl\n' "$PWD" >targets/script
chmod +x targets/script
programs="musl script"
${CC:-cc} -fsanitize=address -o targets/sanitized target.c 2>/dev/null && ./targets/sanitized >/dev/null 2>&1 &&
    programs="$programs sanitized"
for program in $programs; do
    PATH="$PWD/targets:$PATH" same "$PROGRAMS/live_targets" "$PWD/targets" "$program"
    [ "$(grep -c '^none$' recorded)" = 10 ] || fail "$program: $(cat recorded)"
    [ "$program" = sanitized ] && continue # beside another library it does not start at all
    PATH="$PWD/targets:$PATH" LD_PRELOAD=libm.so.6 same "$PROGRAMS/live_targets" "$PWD/targets" "$program"
    [ "$(grep -c '^libm.so.6$' recorded)" = 10 ] || fail "$program beside another library: $(cat recorded)"
done
sanitizer=$(${CC:-cc} -print-file-name=libasan.so)
if [ -e targets/sanitized ] && [ -e "$sanitizer" ]; then
    same sh -c "LD_PRELOAD=$sanitizer ./targets/usual"
    (LD_PRELOAD=$sanitizer exec "$WEFT" record -o no.weft -- ./targets/usual) >recorded 2>said
    [ $? = 126 ] && grep -q 'LD_PRELOAD names a sanitizer' said || fail "a preloaded sanitizer is refused with a word"
fi
PATH="$PWD/targets:$PATH" "$WEFT" record -o usual.weft -- "$PROGRAMS/live_targets" "$PWD/targets" usual >recorded 2>said
[ "$(grep -c 'with it' recorded)" = 10 ] || fail "a usual program is not recorded: $(cat recorded)"

# Nor does one that could not read the recorder's libraries: they are in another root, or another user's.
mkdir -p moved/bin moved/lib
cp "$WEFT" moved/bin/weft
cp "$(dirname "$WEFT")"/../record/libweft-record-*.so moved/lib/
PATH="$PWD/targets:$PATH" moved/bin/weft record -o moved.weft -- "$PROGRAMS/live_targets" "$PWD/targets" usual moved/lib gone >recorded 2>said
[ "$(grep -c '^none$' recorded)" = 10 ] && ! grep -q 'cannot be preloaded' said || fail "libraries that cannot be read: $(cat recorded)"
grep -q 'could not read its libraries' said || fail "why programs are not recorded that cannot read its libraries"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then # which keeps capabilities until exec
    cp targets/usual usual
    mv gone moved/lib
    chmod 755 .
    chmod 700 moved
    moved/bin/weft record -o moved.weft -- setpriv --reuid=65534 --clear-groups "$PWD/usual" >recorded 2>&1
    grep -q '^none$' recorded && ! grep -q 'cannot be preloaded' recorded || fail "libraries of another user: $(cat recorded)"
fi

# That a signal ended the program is said, as a shell does, which sees weft end.
"$WEFT" record -o ended.weft -- sh -c 'kill -SEGV $$' 2>said
[ $? = 139 ] && grep -q 'was ended by signal 11' said || fail "a program that a signal ends"
"$WEFT" record -o ended.weft -- sh -c 'exit 139' 2>said
[ $? = 139 ] && ! grep -q 'was ended by' said || fail "a status that only looks like a signal's"

# Weft finds its libraries in a folder whose name is a pattern, too.
mkdir -p 'in[st]all*/bin' 'in[st]all*/lib'
cp "$WEFT" 'in[st]all*/bin/weft'
cp "$(dirname "$WEFT")"/../record/libweft-record-*.so 'in[st]all*/lib/'
'./in[st]all*/bin/weft' record -o pattern.weft -- true 2>said || fail "a folder whose name is a pattern"

# With few descriptors the log takes none of the program's first three.
for few in 40 20; do
    (ulimit -n $few && exec "$WEFT" record --dir few$few -- "$PROGRAMS/live_unchanged" prints <&- >&-) 2>few ||
        fail "$few descriptors"
    printf '%s\n' 'the next file is 0' '0 is open' '1 is closed' '2 is open' | diff - few >said ||
        fail "$few descriptors: $(cat few)"
done

# What goes on when the recording has been joined writes no more into what nobody can see.
echo >dots
env --default-signal=INT "$WEFT" record -o on.weft -- "$PROGRAMS/live_unchanged" goes-on dots 2>said &
recorder=$!
wait_until "it says who goes on" grep -q 'Ctrl-C (or kill' said
process=$(sed -n 's/.* on: live_unchanged \([0-9]*\);.*/\1/p' said)
kill -INT "$recorder"
wait "$recorder"
removed() { # bytes of the log that has no name any more
    for file in "/proc/$process/fd"/*; do
        case $(readlink "$file") in *'(deleted)') stat -L -c %s "$file" && return ;; esac
    done
    echo none
}
before=$(removed)
dots=$(wc -c <dots)
wait_until "it goes on" eval "[ \$(wc -c <dots) -gt $((dots + 20)) ]"
after=$(removed)
rm dots
[ "$before" = none ] && fail "the log cannot be seen"
[ "$((after - before))" -lt 4000000 ] || fail "the log that was removed goes on: $before, $after bytes"
exit $failed
