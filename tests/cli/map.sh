#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What people say of their own traces: --map, weft map, and where both are kept.
. "$(dirname "$0")/lib.sh"
small="$here/small.paje"

role() { # role "SUBJECT NAME" TRACE ARGUMENT...: its role, as weft info --roles prints it
    thing=$1
    shift
    "$weft" info "$@" --roles | tr -s ' ' | sed -n "s|^$thing ||p"
}
is() { # is WANTED "SUBJECT NAME" TRACE ARGUMENT...
    wanted=$1
    shift
    ok "$1 of $2 is $wanted ($*)" test "$(role "$@")" = "$wanted"
}

# A trace of nobody's tool.
sed -e '96s/Process/Kiste/; 97s/State/Zustand/; 100s/Message/Faden/' "$small" >own.paje
cat >mine.roles <<'END'
# my own tool
container  Kiste       worker
state      Zustand     activity    # what a box does
value      Zustand/Run* computing
link       Faden       message
END
"$weft" info own.paje --roles >template
ok "what is not known is printed to be edited" grep -qE '^# container +Kiste +none$' template
is worker "container Kiste" own.paje --map mine.roles
is "" "container Kiste" own.paje
status 0 info own.paje --map mine.roles
prints '^map +mine.roles$'
status 0 info own.paje --map mine.roles --json
prints '"subject": "container", "type": "", "name": "Kiste", "role": "worker"'
ok "the JSON is one" python3 -c 'import json; json.load(open("out"))'

# A rule that is about nothing in the trace is told, and the others are used.
sed 's/Kiste/Kisten/; s/Run\*/Rum*/' mine.roles >slips.roles
for command in "info own.paje" "stats own.paje" "check own.paje" "convert own.paje -o x.weft"; do
    # shellcheck disable=SC2086
    status 0 $command --map slips.roles
    says 'weft: slips.roles:2: nothing in the trace .* \(and 1 more rule\)$'
done
is activity "state Zustand" own.paje --map slips.roles
printf 'container Kiste/p1 rank\ncontainer Kiste/p99 rank\n' >single.roles
status 0 info own.paje --map single.roles
says 'single.roles:2: nothing in the trace is called as in this rule$'
status 0 info own.paje --map mine.roles
silent

# Wherever a trace is opened.
for command in "check own.paje" "dump own.paje" "stats own.paje" "views own.paje" \
    "render overview own.paje -o x.svg" "convert own.paje -o x.weft" \
    "convert own.paje -o x.paje"; do
    # shellcheck disable=SC2086
    status 0 $command --map mine.roles
    # shellcheck disable=SC2086
    status 3 $command --map none.roles
    one_error
    says 'none.roles'
done
status 3 view own.paje --no-browser --map none.roles
one_error
printf 'state Zustand activity\nvalue Zustand/run comput\n' >bad.roles
status 3 info own.paje --map bad.roles
one_error
says 'bad.roles:2: unknown role .comput. \(did you mean computing\?\)'
printf 'needs state MPI_STATE\nlink * message\n' >other.roles
status 3 info own.paje --map other.roles
one_error
says 'other.roles:1: '
status 3 info own.paje --map .
one_error
# A slip is told before anything is read: the trace is not even there.
status 3 info missing.paje --map bad.roles
says 'bad.roles:2'

# A store keeps roles, and people's override those in it.
status 0 convert own.paje --map mine.roles -o own.weft
is worker "container Kiste" own.weft
printf 'container Kiste rank\n' >again.roles
is rank "container Kiste" own.weft --map again.roles
is worker "container Kiste" own.weft
status 0 convert own.weft --map again.roles -o changed.weft
is rank "container Kiste" changed.weft
is activity "state Zustand" changed.weft
status 0 check changed.weft
"$weft" dump own.paje | sort >wanted
"$weft" dump changed.weft | sort >given
ok "and nothing else has changed" cmp -s wanted given
cp own.weft same.weft
status 0 convert own.weft --map again.roles -o own.weft
is rank "container Kiste" own.weft
# A map that does not fit replaces nothing.
status 3 convert own.paje --map other.roles -o own.weft
is rank "container Kiste" own.weft

# Kept for the traces of a format and tool.
status 0 map own.paje
one_error
says 'no map is kept for such traces'
status 3 map own.paje bad.roles
says 'bad.roles:2'
status 0 map own.paje mine.roles
kept=$(cat out)
ok "kept as the format is called" test "$kept" = "$XDG_CONFIG_HOME/weft/maps/paje.roles"
ok "a copy" cmp -s mine.roles "$kept"
status 0 map own.paje
prints '/paje.roles$'
is worker "container Kiste" own.paje
status 0 info own.paje
prints "^map +$kept\$"
is "" "container Kiste" own.paje --map ''
is rank "container Kiste" own.paje --map again.roles
status 0 convert own.paje -o kept.weft
is worker "container Kiste" kept.weft --map ''
cat "$project/tests/golden/roles/definitions" "$project/tests/golden/roles/smpi.events" >smpi.paje
printf 'container MPI process\n' >smpi.roles
is rank "container MPI" smpi.paje
status 0 map smpi.paje smpi.roles
prints '/paje-smpi.roles$'
is process "container MPI" smpi.paje
is worker "container Kiste" own.paje
# A kept map for other traces is left out; a wrong one is told, and can be taken away.
cp other.roles "$kept"
is "" "container Kiste" own.paje
cp bad.roles "$kept"
status 3 stats own.paje
one_error
says 'paje.roles:2: unknown role'
echo old >replaced.weft
status 3 convert own.paje -o replaced.weft
says 'paje.roles:2: unknown role'
ok "nothing is replaced then" grep -qx old replaced.weft
status 0 map own.paje --forget
ok "it is gone" test ! -e "$kept"
status 0 map own.paje --forget
says 'no map is kept for such traces'
status 0 stats own.paje
export XDG_CONFIG_HOME=/proc/nowhere
status 4 map own.paje mine.roles
one_error

# What can be said is listed; every role is in the documentation, with the same words.
status 0 map --list
ok "as many as there are" test "$(wc -l <out)" -ge 90
page="$project/doc/roles.md"
while read -r subject name sentence; do
    ok "doc/roles.md has $name" grep -qxF "| \`$name\` | $sentence |" "$page"
done <out
ok "and no others" test "$(grep -cE '^\| `[a-z-]+` \|' "$page")" -eq "$(wc -l <out)"

# A recording written as Paje text has the same types with roles.
types() { # types TRACE: those without a role
    "$weft" info "$1" --roles |
        grep -E '^# (container|state|event|variable|link) .* none$' | tr -s ' ' | sort
}
if command -v gcc >/dev/null; then
    # In every run a thread waits for the lock: Paje keeps no field that nothing carries.
    cat >locks.c <<'PROGRAM'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&table);
    pthread_mutex_unlock(&table);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&table);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    usleep(200000);
    pthread_mutex_unlock(&table);
    return pthread_join(thread, NULL);
}
PROGRAM
    gcc -pthread locks.c -o locks 2>err
    # All recorders but those that this build lacks.
    all=$("$weft" help record | sed -n '/^Recorders/,/^Options/s/^\([a-z][a-z-]*\): .*/\1/p' |
        while read -r name; do
            "$weft" record --with "$name" -o one.weft -- true >one 2>&1
            grep -q 'this build records no' one || echo "$name"
        done | paste -s -d , -)
    status 0 record --with "$all" -o locks.weft -- ./locks
    status 0 convert locks.weft -o locks.paje
    types locks.weft >wanted
    types locks.paje >found
    ok "the roles of a recording's types outlive Paje" cmp wanted found
    for view in threads wait-summary lock-summary utilization-summary flame state-summary; do
        "$weft" render $view locks.weft --format csv >wanted 2>err
        "$weft" render $view locks.paje --format csv >found 2>err
        ok "and so does $view" cmp wanted found
    done
    if command -v pj_dump >/dev/null; then
        ok "pj_dump reads it" env -u MALLOC_PERTURB_ pj_dump -q locks.paje
    else
        skip "pj_dump reads it" "pj_dump (package pajeng) is not installed"
    fi
else
    skip "the roles of a recording's types outlive Paje" "gcc is not installed"
fi

status 2 map --list own.paje
status 2 map
one_error
status 2 map own.paje mine.roles --forget
finish
