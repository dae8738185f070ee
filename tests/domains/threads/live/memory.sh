#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Memory, recorded: programs whose allocations are known (programs/memory.c, and C++), and real
# programs, which do what they do otherwise.
set -u
. "$(dirname "$0")/../../../live/lib.sh"
record() { # TRACE COMMAND...
    trace=$1
    shift
    rm -f "$trace"
    timeout 100 "$WEFT" record --with memory -o "$trace" -- "$@" >out 2>said || fail "$*: status $?"
    # Notes are no faults: a child that ends by _exit is seen by the family of threads alone.
    "$WEFT" check "$trace" >problems
    grep -v '^note' problems && fail "$*: $(cat problems)"
    grep -q ' 0 lost' said || fail "$*: events were lost"
}

# rows PROGRAM: what its functions allocated, in words, without times
rows() { # TRACE FILE
    "$WEFT" render memory "$1" --format json -o table.json || stop "there is no table"
    python3 - "$2" <<'END'
import json, re, sys
for row in json.load(open("table.json")):
    site = re.match(r"(\w+) \(" + re.escape(sys.argv[1]), row["site"] or "")
    if site or not row["site"]:
        print(row["program"], row["what"], site.group(1) if site else "-",
              *[row[name] for name in ("allocations", "frees", "frees_elsewhere", "refusals",
                                       "bytes", "live_peak_bytes", "live_end_bytes")],
              row["largest_bytes"] if row["allocations"] else "-")
END
}

# Worked out from the program.  The peak is at the second `large`: beside its 1,000,000 bytes the
# ten small blocks and the leaked one are live.  realloc makes 17 blocks of 1, 2, 4 ... 65,536 bytes,
# reallocarray 100 of 8 * (1 + ... + 100).  Of ten pages one is unmapped, four become twenty, which
# is the peak of mapped memory, and five stay.  Two children free a block of their parent's, and
# one of them executes the program again.
cat >expected <<'END'
memory heap - 0 1 0 0 0 0 0 -
memory heap - 0 1 0 0 0 0 0 -
memory heap aligned 1 1 0 0 512 0 0 512
memory heap array 100 100 0 0 40400 0 0 800
memory heap before_main 1 1 0 0 11 0 0 11
memory heap before_main 1 1 0 0 11 0 0 11
memory heap grown 17 17 0 0 131071 0 0 65536
memory heap in_child 1 0 0 0 44 44 44 44
memory heap in_child 1 0 0 0 44 44 44 44
memory heap in_handler 1 1 0 0 22 0 0 22
memory heap large 2 2 0 0 2000000 1000000 0 1000000
memory heap leaked 1 0 0 0 70 70 70 70
memory heap leaked 1 0 0 0 70 70 70 70
memory heap of_thread 4000 4000 2000 0 132000 0 0 33
memory heap older 1 1 0 0 100 0 0 100
memory heap posix 1 1 0 0 200 0 0 200
memory heap refused 0 0 0 1 0 0 0 -
memory heap small 10 10 0 0 100 100 0 10
memory mapped memory mapped 1 0 0 0 40960 20480 20480 40960
memory mapped memory remapped 1 1 0 0 81920 81920 0 81920
END
command -v cc >/dev/null || skip "no compiler here"
command -v python3 >/dev/null || skip "no python3 here"
for level in -O0 -O2; do
    cc $level -g -fno-builtin -pthread "$PROGRAMS/memory.c" -o memory 2>said ||
        stop "memory.c: not compiled"
    record memory.weft ./memory
    rows memory.weft memory.c | sort >found
    cmp -s expected found || fail "$level: $(diff expected found)"
    "$WEFT" render memory memory.weft -o memory.svg || fail "$level: no picture"
done
# With the family of threads, too: its own blocks are not the program's.
timeout 100 "$WEFT" record --with memory,threads -o both.weft -- ./memory 2>said || fail "with threads"
rows both.weft memory.c | sort >found
cmp -s expected found || fail "with threads: $(diff expected found)"
# Only when it is asked for.
"$WEFT" record -o without.weft -- ./memory 2>said || fail "without memory"
"$WEFT" render memory without.weft --format csv >out 2>said && fail "memory is recorded unasked"

# C++: new and delete by their own places, and one that throws.  The peak is at the end, when puts
# has a buffer.
if command -v c++ >/dev/null; then
    for level in -O0 -O2; do
        c++ -std=c++17 $level -g -pthread "$PROGRAMS/memory.cpp" -o objects 2>said ||
            stop "memory.cpp: not compiled"
        ./objects >bare || stop "memory.cpp: status $?"
        record objects.weft ./objects
        cmp -s bare out || fail "memory.cpp $level: other output: $(cat out)"
        rows objects.weft memory.cpp | grep -v ' - ' | sort >found
        cmp -s found - <<'END' || fail "memory.cpp $level: $(cat found)"
objects heap make_aligned 1 1 0 0 256 0 0 256
objects heap make_array 3 3 0 0 3000 0 0 1000
objects heap make_leaked 2 0 0 0 48 48 48 24
objects heap make_one 5 5 0 0 40 0 0 8
objects heap make_too_large 0 0 0 1 0 0 0 -
END
    done
fi

# A program with an allocator of its own in a library: the hooks call that one.
cc -O2 -shared -fPIC -fno-builtin "$PROGRAMS/own_allocator.c" -o libown.so 2>said &&
    cc -O2 -g -fno-builtin "$PROGRAMS/own_user.c" -L. -lown -Wl,-rpath,"$PWD" -o own 2>said ||
    stop "own_allocator.c: not compiled"
./own >bare || stop "own_user.c: status $?"
record own.weft ./own
cmp -s bare out || fail "own allocator: $(cat out) instead of $(cat bare)"
rows own.weft own_user.c | grep -v ' - ' >found
cmp -s found - <<'END' || fail "own allocator: $(cat found)"
own heap make 500 250 0 0 50000 50000 25000 100
END

# Real programs.
i=0
while [ $i -lt 20000 ]; do
    echo "$(((i * 7919) % 20011)) line"
    i=$((i + 1))
done >lines
unharmed() { # COMMAND...
    command -v "$1" >/dev/null || return
    "$@" >bare 2>/dev/null
    record real.weft "$@"
    cmp -s bare out || fail "$*: other output"
    "$WEFT" render memory real.weft --format csv >table.csv || fail "$*: no table"
    [ "$(wc -l <table.csv)" -gt 1 ] || fail "$*: nothing was allocated"
}
unharmed sort --parallel=2 lines
# The lines' bytes at the peak are those of the curve, which is exact there.
if [ -f real.weft ]; then
    curve=$("$WEFT" dump real.weft |
        awk -F', ' '/^Variable, sort, Heap/ && $NF > most { most = $NF } END { print most + 0 }')
    lines=$("$WEFT" render memory real.weft --format json |
        python3 -c 'import json, sys
print(sum(row["live_peak_bytes"] for row in json.load(sys.stdin) if row["what"] == "heap"))')
    [ "$curve" = "$lines" ] || fail "sort: a peak of $curve bytes, the lines have $lines"
fi
unharmed bash -c 'for i in 1 2 3; do echo $i | cat; done; x=$(printf "%s" {1..1000}); echo ${#x}'
unharmed python3 -c 'import json, threading
def work(): json.dumps([list(range(100)) for _ in range(100)])
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sum(map(len, [str(i) for i in range(10000)])))'
exit "$failed"
