# SPDX-License-Identifier: Apache-2.0
# For the scripts beside this one: each check is one TAP case.  A script sources this, calls
# the checks, and ends with "finish".  WEFT names the program; the current folder is fresh.
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
weft=${WEFT:?the program to test}
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
export WEFT_CACHE="$scratch/cache" XDG_CACHE_HOME="$scratch/cache"
export XDG_CONFIG_HOME="$scratch/config" XDG_STATE_HOME="$scratch/state"
export XDG_DATA_HOME="$scratch/data"
cd "$scratch" || exit 99
cases=0
failures=0

ok() { # ok NAME CONDITION...: the command CONDITION succeeds
    cases=$((cases + 1))
    name=$1
    shift
    if "$@"; then
        echo "ok $cases - $name"
    else
        failures=$((failures + 1))
        echo "not ok $cases - $name"
        echo "#   wanted: $*"
        [ -f out ] && head -n 5 out | sed 's/^/#   out: /'
        [ -f err ] && head -n 5 err | sed 's/^/#   err: /'
    fi
}

lose() { # lose STORE WHAT: lost.weft is STORE, of which WHAT is damaged, as weft check says in out
    at=$(wc -c <"$1")
    : >out
    until grep -q "$2" out || [ "$at" -le 4096 ]; do
        at=$((at - 8))
        cp "$1" lost.weft
        printf '\377\377\377\377' | dd of=lost.weft bs=1 seek="$at" conv=notrunc 2>/dev/null
        "$weft" check lost.weft >out 2>err
    done
}

skip() { # skip NAME REASON
    cases=$((cases + 1))
    echo "ok $cases - $1 # SKIP $2"
}

# status N ARGUMENT...: weft ends with N.  Its output is then in out, its errors in err.
status() {
    wanted=$1
    shift
    "$weft" "$@" >out 2>err </dev/null
    got=$?
    ok "weft $* ends with $wanted" test "$got" -eq "$wanted"
}

says() { ok "it says: $1" grep -qE -- "$1" err; }
prints() { ok "it prints: $1" grep -qE -- "$1" out; }
silent() { ok "nothing on standard error" test ! -s err; }
# An error is one line on standard error, by our name, and nothing else is said anywhere.
one_error() {
    ok "one line of error" test "$(wc -l <err)" -eq 1
    ok "which begins with weft:" grep -q '^weft: ' err
    ok "and no output" test ! -s out
}

# has_used PID HUNDREDTHS: has the process used so much processor time?
has_used() {
    read -r line <"/proc/$1/stat" || return 1
    # shellcheck disable=SC2086  # words: what follows the name, which may hold anything
    set -- "$2" ${line##*)}
    [ $((${13} + ${14})) -ge "$1" ]
}

# until_busy PID HUNDREDTHS: until the process has used so much processor time, or has ended.
until_busy() {
    until has_used "$1" "$2"; do
        [ -e "/proc/$1" ] || break
        sleep 0.05
    done 2>/dev/null
}

# until_waits PID: until it catches signals, and sleeps: it waits for its input.  Where another of its
# threads waits, the first may look for work all the time: then until it has used 0.2 s.
until_waits() {
    until grep -q '^SigCgt:.*[4567cdef]...$' "/proc/$1/status" \
        && { grep -q '^State:.S' "/proc/$1/status" || has_used "$1" 20; }; do
        [ -e "/proc/$1" ] || break
        sleep 0.02
    done 2>/dev/null
}

finish() {
    echo "1..$cases"
    [ "$failures" -eq 0 ]
    exit
}
