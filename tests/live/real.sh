#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# real.sh [PROGRAM...]: real programs that are hard to record, each without and with the recorder,
# by root (when that is who runs this) and by an ordinary user.  Each must do what it does without,
# and its trace must be whole or say what is missing.  A line each; those that are not installed, or
# do not run here without the recorder either, are named.  The status is the number of failures.
set -u
: "${WEFT:?names the weft to test}" "${PROGRAMS:?names the folder of the programs of tests/live}"
seconds=180 # that a program may take, recorded
nobody=65534
all="short-threads locks raw-fork seccomp-kill seccomp-refuse file environment daemon jemalloc redis nginx mariadb chromium"
failures=0
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-real-XXXXXX")
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

has() { command -v "$1" >/dev/null 2>&1; }
until_true() { # COMMAND...: for half a minute
    for ((i = 0; i < 300; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    return 1
}

# Each program NAME has needs_NAME, whether it can be run, and run_NAME [RECORDER...], which runs it
# below the recorder, uses it, ends it, and prints what it did.
run_short_threads() { "$@" "$PROGRAMS/live_short_threads" 100000 && echo done; }
run_locks() { "$@" "$PROGRAMS/live_short_threads" 1 5000 && echo done; }
run_raw_fork() { "$@" "$PROGRAMS/live_changed" clone && echo done; }
run_seccomp_kill() { "$@" "$PROGRAMS/live_changed" filter && echo done; }
run_seccomp_refuse() { "$@" "$PROGRAMS/live_changed" refuse && echo done; }

needs_file() { has file; }
run_file() { "$@" file /etc/passwd /bin/sh; } # gives itself a filter of system calls

run_environment() { "$@" sh -c 'env -i "$(command -v ls)" /etc/passwd; LD_PRELOAD= ls /etc/group'; }

needs_daemon() { has python3; }
run_daemon() {
    rm -f ended
    "$@" python3 -c '
import os, threading, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for n in range(3): os.close(n)
def work():
    for _ in range(1000): lock.acquire(); lock.release()
lock = threading.Lock()
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
open("ended", "w").close()'
    until_true test -e ended && echo ended
}

jemalloc=$(ldconfig -p 2>/dev/null | sed -n 's/.*libjemalloc.so.2 .* => //p' | head -n 1)
needs_jemalloc() { [ -n "$jemalloc" ]; }
run_jemalloc() {
    seq 1000000 -1 1 >numbers
    LD_PRELOAD=$jemalloc "$@" sort --parallel=4 -S 100M -n numbers | md5sum
}

needs_redis() { has redis-server && has redis-cli; }
run_redis() {
    rm -f redis.sock
    "$@" redis-server --port 0 --unixsocket "$PWD/redis.sock" --save "" --daemonize no \
        --io-threads 2 >/dev/null &
    until_true redis-cli -s redis.sock ping
    for ((n = 0; n < 50; n++)); do redis-cli -s redis.sock set "key$n" "$n" >/dev/null; done
    redis-cli -s redis.sock get key49
    redis-cli -s redis.sock shutdown nosave
    wait $! && echo ended
}

needs_nginx() { has nginx && has python3; }
run_nginx() {
    local port=$((20000 + RANDOM % 20000))
    cat >nginx.conf <<END
worker_processes 2;
pid nginx.pid;
error_log nginx.log;
events { worker_connections 64; }
http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;
       uwsgi_temp_path t4; scgi_temp_path t5;
       server { listen 127.0.0.1:$port; location / { return 200 "it works"; } } }
END
    [ "$(id -u)" = 0 ] && sed -i '1i user nobody nogroup;' nginx.conf
    rm -f nginx.pid
    "$@" nginx -p "$PWD/" -c nginx.conf &
    until_true test -s nginx.pid
    ask() { python3 -c "import urllib.request as r; print(r.urlopen('http://127.0.0.1:$port/').read().decode())"; }
    until_true ask
    ask
    nginx -p "$PWD/" -c nginx.conf -s quit 2>/dev/null
    wait $! && echo ended
}

needs_mariadb() { has mariadbd && has mariadb-install-db && has mariadb; }
run_mariadb() {
    local user
    user=$(id -un)
    if [ "$user" = root ]; then
        user=mysql
        mkdir -p data && chown mysql data && chmod 755 .
    fi
    [ -d data/mysql ] || mariadb-install-db --no-defaults --user="$user" --datadir="$PWD/data" \
        --auth-root-authentication-method=normal --skip-test-db >/dev/null 2>&1
    "$@" sh -c 'exec "$@" 2>maria.log' sh mariadbd --no-defaults --user="$user" \
        --datadir="$PWD/data" --skip-networking --socket="$PWD/data/maria.sock" \
        --pid-file="$PWD/data/maria.pid" >/dev/null &
    ask() { mariadb --no-defaults -u root --socket="$PWD/data/maria.sock" -Ne "$1"; }
    until_true ask 'select 1'
    ask 'create database if not exists d; use d; drop table if exists t; create table t (n int);
         insert into t select seq from seq_1_to_1000; select sum(n) from t'
    ask shutdown
    wait $! && echo ended
}

needs_chromium() { has chromium; }
run_chromium() {
    local sandbox=
    [ "$(id -u)" = 0 ] && sandbox=--no-sandbox
    rm -rf profile
    "$@" sh -c 'exec "$@" 2>/dev/null' sh chromium --headless $sandbox --disable-gpu --no-first-run \
        --user-data-dir="$PWD/profile" \
        --dump-dom 'data:text/html,<p id=a>x</p><script>a.textContent=6*7</script>'
}

# one NAME: in this folder, by this user; called by attempt.
one() {
    local name=$1 function=${1//-/_} kind
    if declare -F "needs_$function" >/dev/null && ! "needs_$function"; then
        echo "skipped: it is not installed"
        return 0
    fi
    ("run_$function") >without 2>without.err </dev/null
    echo "status $?" >>without
    if ! grep -qv '^status [1-9]' without || [ "$(tail -n 1 without)" != "status 0" ]; then
        echo "skipped: it does not run here without the recorder: $(tail -n 1 without.err | cut -c1-100)"
        return 0
    fi
    ("run_$function" timeout -k 10 "$seconds" "$WEFT" record -o t.weft --) >with 2>with.err </dev/null
    echo "status $?" >>with
    until_true test -e t.weft
    if ! cmp -s without with; then
        echo "it does not do what it does without: $(diff without with | head -n 3 | tr '\n' ' ')" \
            "$(grep '^weft' with.err | head -n 2 | tr '\n' ' ')"
        return 1
    fi
    "$WEFT" check t.weft >problems 2>&1
    kind=$?
    report=$(sed -n 's/^weft: t.weft: \([0-9]* events of [0-9]* threads\{0,1\} in [0-9]* process[es]*\),.*/\1/p' with.err)
    case $kind in
    0) echo "whole: ${report:-$(head -n 1 with.err)}" ;;
    1) echo "says what is missing: ${report:-no event}; $(sed 's/^[a-z]* *t.weft *//' problems | head -n 3 | cut -c1-160 | tr '\n' ';')" ;;
    *)
        echo "no trace that can be read: $(tail -n 1 with.err)"
        return 1
        ;;
    esac
}

attempt() { # USER NAME
    local place=$folder/$1-$2 said status
    mkdir "$place"
    if [ "$1" = nobody ]; then
        chown $nobody:$nobody "$place"
        said=$(cd "$place" && setpriv --reuid=$nobody --regid=$nobody --clear-groups \
            env HOME="$place" TMPDIR="$place" XDG_RUNTIME_DIR="$place" \
            bash "$script" --one "$2")
    else
        said=$(cd "$place" && HOME=$place bash "$script" --one "$2")
    fi
    status=$?
    if [ $status = 0 ]; then
        printf '%-14s %-8s %s\n' "$2" "$1" "$said"
    else
        printf '%-14s %-8s FAILED: %s\n' "$2" "$1" "$said"
        failures=$((failures + 1))
    fi
    rm -rf "$place"
}

script=$(realpath "$0")
if [ "${1-}" = --one ]; then
    rmdir "$folder" 2>/dev/null
    one "$2"
    exit
fi
for name in ${*:-$all}; do
    if [ "$(id -u)" = 0 ]; then
        attempt root "$name"
        attempt nobody "$name"
    else
        attempt "$(id -un)" "$name"
    fi
done
exit $failures
