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
all="short-threads locks raw-fork seccomp-kill seccomp-refuse file environment daemon jemalloc redis nginx mariadb chromium
     go rust busybox python java node postgres rocksdb fio make openmp"
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

needs_go() { has go; }
run_go() {
    cat >worker.go <<'END'
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

func main() {
	jobs := make(chan int)
	var all sync.WaitGroup
	var lock sync.Mutex
	sum := 0
	for w := 0; w < 4; w++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for job := range jobs {
				x := 0
				for i := 0; i < 2000000; i++ {
					x += i ^ job
				}
				time.Sleep(3 * time.Millisecond)
				lock.Lock()
				sum += x & 1
				lock.Unlock()
			}
		}()
	}
	for job := 0; job < 100; job++ {
		jobs <- job
	}
	close(jobs)
	all.Wait()
	file, _ := os.Create("written")
	file.WriteString("text")
	file.Sync()
	fmt.Println("sum", sum)
}
END
    [ -x worker_go ] || GOCACHE=$PWD/cache GO111MODULE=off go build -o worker_go worker.go || return 1
    "$@" ./worker_go
}

# Built once, in the home of whoever runs this: other users may have no Rust.
build_rust() {
    has rustc || return
    cat >"$BUILT/worker.rs" <<'END'
use std::sync::{mpsc, Arc, Mutex};
use std::{thread, time::Duration};
fn main() {
    let (send, receive) = mpsc::channel::<u64>();
    let receive = Arc::new(Mutex::new(receive));
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let receive = receive.clone();
            thread::spawn(move || {
                let mut sum = 0u64;
                loop {
                    let job = match receive.lock().unwrap().recv() {
                        Ok(job) => job,
                        Err(_) => return sum,
                    };
                    thread::sleep(Duration::from_millis(3));
                    sum += job;
                }
            })
        })
        .collect();
    for job in 0..200 {
        send.send(job).unwrap();
        thread::sleep(Duration::from_millis(1));
    }
    drop(send);
    println!("{}", workers.into_iter().map(|w| w.join().unwrap()).sum::<u64>());
}
END
    rustc -O -g -o "$BUILT/worker_rust" "$BUILT/worker.rs"
}
needs_rust() { [ -x "$BUILT/worker_rust" ]; }
run_rust() { "$@" "$BUILT/worker_rust"; }

needs_busybox() { has busybox; } # of busybox-static: no library can be preloaded
run_busybox() {
    "$@" busybox sh -c 'busybox seq 200000 | busybox sort -n | busybox gzip | busybox md5sum
        busybox sleep 0.3; busybox cat /etc/passwd | busybox wc -l'
}

needs_python() { has python3; }
run_python() {
    "$@" python3 -c '
import queue, threading, time
jobs, lock, sums = queue.Queue(), threading.Lock(), []
def work():
    while (job := jobs.get()) is not None:
        time.sleep(0.005)
        with lock: sums.append(sum(range(job)))
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[jobs.put(2000 + n) for n in range(200)]
[jobs.put(None) for _ in threads]
[t.join() for t in threads]
print(sum(sums))'
}

needs_java() { has java && has javac; }
run_java() {
    cat >Worker.java <<'END'
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
public class Worker {
    static synchronized void add(AtomicLong sum, long x) { sum.addAndGet(x); }
    public static void main(String[] unused) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        AtomicLong sum = new AtomicLong();
        for (int job = 0; job < 200; job++) {
            final int number = job;
            pool.submit(() -> {
                try { Thread.sleep(4); } catch (InterruptedException e) { return; }
                add(sum, number);
            });
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println(sum);
    }
}
END
    [ -f Worker.class ] || javac Worker.java || return 1
    "$@" java -Xmx256m Worker
}

needs_node() { has node; }
run_node() {
    cat >worker.js <<'END'
const { Worker, isMainThread, parentPort } = require('worker_threads');
const fs = require('fs');
if (isMainThread) {
    let sum = 0, left = 3;
    for (let n = 0; n < 3; n++)
        new Worker(__filename).on('message', x => (sum += x)).on('exit', () => {
            if (--left === 0) setTimeout(() => console.log(sum), 100);
        });
} else {
    let x = 0;
    for (let i = 0; i < 3e6; i++) x += i % 7;
    fs.writeFileSync('written' + x, 'text');
    parentPort.postMessage(x);
}
END
    "$@" node worker.js
}

# The programs of PostgreSQL are in the path only where its common wrappers are.
needs_postgres() {
    local bin
    for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
    has initdb && has postgres && has pgbench
}
run_postgres() {
    local port=$((20000 + RANDOM % 20000))
    needs_postgres
    [ -d pg ] || initdb -D pg -A trust -U weft >/dev/null 2>&1 || return 1
    "$@" postgres -D pg -p $port -k "$PWD" -h '' >postgres.log 2>&1 &
    until_true psql -h "$PWD" -p $port -U weft -c 'select 1' postgres
    pgbench -h "$PWD" -p $port -U weft -i -s 1 postgres >/dev/null 2>&1
    pgbench -h "$PWD" -p $port -U weft -c 4 -j 2 -t 200 postgres 2>/dev/null |
        grep 'actually processed'
    pg_ctl -D pg stop -m fast >/dev/null
    wait $! && echo ended
}

needs_rocksdb() { has db_bench; }
run_rocksdb() {
    rm -rf rocks
    "$@" db_bench --benchmarks=fillrandom,readrandom --num=40000 --threads=4 --db=rocks \
        --sync=0 --write_buffer_size=1000000 >rocks.log 2>&1 && echo done
}

needs_fio() { has fio; }
run_fio() {
    "$@" fio --name=writes --directory=. --size=4M --rw=randwrite --bs=4k --fsync=16 --numjobs=3 \
        --thread --output=fio.log >/dev/null && echo done
}

needs_make() { has make && has gcc; }
run_make() {
    local n
    rm -f part*.o
    for n in 1 2 3 4 5 6 7 8; do
        echo "#include <stdio.h>
int part$n(int x) { printf(\"%d\\n\", x); return x * $n; }" >part$n.c
    done
    printf 'all: %s\n%%.o: %%.c\n\tgcc -O2 -c $< -o $@\n' "$(echo part{1..8}.o)" >parts.make
    "$@" make -s -j4 -f parts.make && echo part*.o
}

needs_openmp() { has gcc; }
run_openmp() {
    cat >loop.c <<'END'
#include <stdio.h>
int main(void)
{
    double sum = 0;
    for (int round = 0; round < 20; round++) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (int i = 0; i < 2000; i++)
            for (int j = 0; j < i; j++)
                sum += (i * j) % 3;
    }
    printf("%.0f\n", sum);
    return 0;
}
END
    [ -x loop ] || gcc -O1 -g -fopenmp -o loop loop.c || return 1
    OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive "$@" ./loop
}

# How much longer or shorter the states of all threads of t.weft last than these lived, in ns.
# (Rows of `threads` may stand for several short threads.)
wrong_sums() {
    {
        "$WEFT" dump t.weft | awk -F ', ' '$1 == "Container" && $3 == "Thread" { printf "%.0f\n", $6 * 1e9 }'
        "$WEFT" render threads t.weft --format csv | awk -F , '
            NR == 1 { for (n = 1; n <= NF; n++) if ($n == "sum_ns") c = NF - n; next }
            { printf "-%s\n", $(NF - c) }'
    } | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# How much of the time in waits of a millisecond or more has a cause, in percent: 100 if the waits
# are shorter than 20 ms in all.
percent_with_cause() {
    "$WEFT" info t.weft --details | awk '
        /^blocked for 1 ms or more/ { long = $NF }
        /^cause known from/ { known += $NF }
        END { printf "%.0f\n", long < 2e7 ? 100 : known }'
}

# one NAME: in this folder, by this user; called by attempt.
one() {
    local name=$1 function=${1//-/_} kind report sums causes
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
    sums=$(wrong_sums)
    causes=$(percent_with_cause)
    if [ "$kind" -le 1 ] && [ "$sums" != 0 -o "$causes" -lt 90 ]; then
        echo "the states of threads differ by $sums ns from their lives;" \
            "$causes % of the time in waits has a cause"
        return 1
    fi
    report=$(sed -n 's/^weft: t.weft: \([0-9]* events of [0-9]* threads\{0,1\} in [0-9]* process[es]*\),.*/\1/p' with.err)
    case $kind in
    0) echo "whole: ${report:-$(head -n 1 with.err)}; $causes % of waits have a cause" ;;
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
    [ -z "${KEEP-}" ] || cp "$place/t.weft" "$KEEP/$2-$1.weft" 2>/dev/null
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
export BUILT=$folder/built
mkdir "$BUILT"
for name in ${*:-$all}; do
    if declare -F "build_$name" >/dev/null; then "build_$name"; fi
    if [ "$(id -u)" = 0 ]; then
        attempt root "$name"
        attempt nobody "$name"
    else
        attempt "$(id -un)" "$name"
    fi
done
exit $failures
