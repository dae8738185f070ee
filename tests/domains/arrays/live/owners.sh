#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On behalf of which elements reads are made, by hooks: each reference of three kernels, with and
# without conditional writes, is compared with a simulation; so is each row of the ranking.
set -u
. "$(dirname "$0")/../../../live/lib.sh"

cat >rank.py <<'PROGRAM'
# rank.py REFERENCES RANKING: the rows of the ranking have the remote share that each reference, one
# after the other, gives them, and the least is the first.
import csv, re, sys

N = 20
references = [line.split() for line in open(sys.argv[1])]
pairs = [(int(e), int(o)) for _, e, o in references if o != "-"]

def owners(form, n, parts):
    if form == "*":
        return [0] * n
    m = re.match(r"CYCLIC(?:\((\d+)\))?$", form)
    size = -(-n // parts) if form == "BLOCK" else int(m.group(1) or 1)
    return [i // size % parts for i in range(n)]

rows = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) > 20, "too few rows"
before = -1
for row in rows:
    forms, grid = re.match(r"\((.*)\) ONTO P\((.*)\)", row["distribution"]).groups()
    forms, grid = forms.split(", "), [int(x) for x in grid.split(",")]
    shape = [1 if form == "*" else grid.pop(0) for form in forms]
    rank = [owners(form, N, parts) for form, parts in zip(forms, shape)]
    owner = [rank[0][e // N] * shape[1] + rank[1][e % N] for e in range(N * N)]
    remote = 100 * sum(owner[e] != owner[o] for e, o in pairs) / len(pairs)
    if abs(remote - float(row["remote_pct"])) > 0.0051:
        sys.exit("%s: %s %% remote, not %.2f" % (row["distribution"], row["remote_pct"], remote))
    if remote < before - 1e-9:
        sys.exit("%s is not in its place" % row["distribution"])
    before = remote
PROGRAM

# The references of array_calls.c.
awk 'BEGIN {
    n = 20
    for (sweep = 0; sweep < 5; sweep++) {
        for (i = 0; i < n; i++) {
            for (j = 0; j < n; j++) {
                print "read", i * n + j, i
                print "read", j, i
            }
            print "write", i, i
            print "read", i, "-"
            print "read", i, i
            print "write", i, i
        }
        for (i = 1; i < n; i++)
            for (j = 1; j < n; j++) {
                print "read", (i - 1) * n + j, i * n + j
                print "read", i * n + j - 1, i * n + j
                print "write", i * n + j, i * n + j
            }
    }
}' | sort >calls.wanted

"${CC:-cc}" -O1 -DSIMULATE -I"$INCLUDE" "$PROGRAMS/array_kernels.c" -lm -o simulate ||
    fail "the simulation: not compiled"
# A function with more reads and writes than Weft reads of one: 1,100 conditional assignments, of
# which each second one writes.  The next write is often that of another statement.
awk 'BEGIN {
    print "#include \"weft/weft_array.h\""
    print "enum { N = 1100 };"
    print "static double a[N], b[N];"
    print "__attribute__((noinline)) static void large(void)"
    print "{"
    for (k = 0; k < 1100; k++)
        printf "    if (b[%d] > 0.5) a[%d] = b[%d];\n", k, (k * 7 + 3) % 1100, k
    print "}"
    print "int main(void)"
    print "{"
    print "    for (int k = 0; k < N; k++) b[k] = k % 2;"
    print "    weft_array(\"a\", 1, (const size_t[]){ N });"
    print "    weft_array_at(a, sizeof a[0]);"
    print "    weft_array(\"b\", 1, (const size_t[]){ N });"
    print "    weft_array_at(b, sizeof b[0]);"
    print "    for (int i = 0; i < 10; i++) large();"
    print "    weft_array_step();"
    print "    return 0;"
    print "}"
}' >large.c
# A function with a table of jumps, as compilers make of this switch at -O1 and above: of 7,000
# iterations 1,000 read b[i] and write nothing, so that the next write is another iteration's.
cat >table.c <<'END'
#include "weft/weft_array.h"
enum { N = 7000 };
static double a[N], b[N];
volatile int kinds[N];
__attribute__((noinline)) static double table(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        switch (kinds[i]) {
        case 0: a[i] = b[i] + 1; break;
        case 1: a[i] = b[i] * 3; break;
        case 2: a[i] = b[i] - 7; break;
        case 3: a[i] = 2 / (b[i] + 3); break;
        case 4: a[i] = b[i] * b[i]; break;
        case 5: a[i] = 5 - b[i]; break;
        default: sum += b[i]; break;
        }
    return sum;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        kinds[i] = i * 5 % 7;
    weft_array("a", 1, (const size_t[]){ N });
    weft_array_at(a, sizeof a[0]);
    weft_array("b", 1, (const size_t[]){ N });
    weft_array_at(b, sizeof b[0]);
    double sum = table();
    weft_array_step();
    return sum > 1e300;
}
END

compilers=
for compiler in gcc clang; do
    command -v "$compiler" >where || continue
    flags=
    [ "$compiler" = clang ] && flags="-mllvm -tsan-instrument-read-before-write=1"
    for level in -O0 -O2; do
        # shellcheck disable=SC2086
        "$compiler" "$level" -g -fsanitize=thread $flags -I"$INCLUDE" -c \
            "$PROGRAMS/array_kernels.c" -o kernels.o 2>said &&
            "$compiler" kernels.o "$LIBRARY" -lm -o kernels 2>said ||
            { echo "$compiler has no -fsanitize=thread" && continue; }
        compilers="$compilers $compiler"
        # shellcheck disable=SC2086
        "$compiler" "$level" -g -fsanitize=thread $flags -I"$INCLUDE" -c \
            "$PROGRAMS/array_calls.c" -o calls.o 2>said &&
            "$compiler" calls.o "$LIBRARY" -lm -o calls 2>said || fail "calls: not compiled"
        rm -f calls.weft
        timeout 60 "$WEFT" record --with arrays -o calls.weft -- ./calls >out 2>said
        "$SUMS" calls.weft all | sort >found
        cmp -s calls.wanted found ||
            fail "$compiler $level calls: $(diff calls.wanted found | head -5)"
        "$WEFT" info calls.weft | grep -q '^reads for nobody  100 of 7810 (1.3 %)$' ||
            fail "$compiler $level calls: $("$WEFT" info calls.weft | grep '^reads for')"
        # Two copies of 30 elements are to other memory, for nobody; one is for as many of b.
        # shellcheck disable=SC2086
        "$compiler" "$level" -g -fsanitize=thread $flags -I"$INCLUDE" -c \
            "$PROGRAMS/array_copies.c" -o copies.o 2>said &&
            "$compiler" copies.o "$LIBRARY" -o copies 2>said || fail "copies: not compiled"
        rm -f copies.weft
        timeout 60 "$WEFT" record --with arrays -o copies.weft -- ./copies >out 2>said
        "$SUMS" copies.weft all | awk '{ n[$1 ($3 == "-" ? " nobody" : $3 == $2 ? "" : " other")]++ }
            END { exit n["read nobody"] != 60 || n["read"] != 30 || n["write"] != 60 }' ||
            fail "$compiler $level copies: $("$SUMS" copies.weft all | sort | uniq -c | head -5)"
        # shellcheck disable=SC2086
        "$compiler" "$level" -g -fsanitize=thread $flags -I"$INCLUDE" -c large.c -o large.o \
            2>said && "$compiler" large.o "$LIBRARY" -o large 2>said || fail "large: not compiled"
        rm -f large.weft
        timeout 60 "$WEFT" record --with arrays -o large.weft -- ./large >out 2>said
        "$SUMS" large.weft all | awk '{ n[$1 ($3 == "-" ? " nobody" : $3 == $2 ? "" : " other")]++ }
            END { exit n["read nobody"] < 11000 || n["read"] || n["read other"] || n["write"] != 5500 }' ||
            fail "$compiler $level large: $("$SUMS" large.weft all | sort | uniq -c | head -5)"
        # shellcheck disable=SC2086
        "$compiler" "$level" -g -fsanitize=thread $flags -I"$INCLUDE" -c table.c -o table.o \
            2>said && "$compiler" table.o "$LIBRARY" -o table 2>said || fail "table: not compiled"
        rm -f table.weft
        timeout 60 "$WEFT" record --with arrays -o table.weft -- ./table >out 2>said
        "$SUMS" table.weft all | awk '{ n[$1 ($3 == "-" ? " nobody" : $3 == $2 ? "" : " other")]++ }
            END { exit n["read other"] || n["read"] + n["read nobody"] < 7000 || n["read nobody"] < 1000 ||
                n["write"] != 6000 }' ||
            fail "$compiler $level table: $("$SUMS" table.weft all | sort | uniq -c | sort -rn | head -5)"
        for kernel in floyd lu red; do
            for how in "" conditional; do
                what="$compiler $level $kernel $how"
                ./simulate $kernel $how 2>sum | sort >wanted
                rm -f run.weft
                # shellcheck disable=SC2086
                timeout 60 "$WEFT" record --with arrays -o run.weft -- ./kernels $kernel $how \
                    >out 2>said || fail "$what: not recorded"
                "$SUMS" run.weft all | sort >found
                cmp -s wanted found ||
                    fail "$what: $(diff wanted found | grep -c '^[<>]') lines differ:" \
                        "$(diff wanted found | head -5)"
                "$WEFT" distribute run.weft --processors 4 --rank remote --format csv >ranking ||
                    fail "$what: not ranked"
                python3 rank.py wanted ranking 2>said || fail "$what: ranked otherwise"
            done
        done
    done
done
[ -n "$compilers" ] || { echo "no compiler here has -fsanitize=thread" && exit 77; }

exit "$failed"
