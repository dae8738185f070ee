#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# weft distribute and traces of distributed arrays: the elimination of the DDV report.
. "$(dirname "$0")/lib.sh"

# TRACE of the report's elimination (CIS-TR-93-21, figures 5.2 and 5.3) as a trace file for the
# distribution of figure 5.1: owner of (i, j) is processor (i mod 2, j mod 8).
python3 - >gauss.ddv <<'PROGRAM'
MAX = 10
step = 0
def trace(j, col, row, column, op):
    owner, element = (j % 2, col % 8), (row % 2, column % 8)
    print(step, *element, row, column, op, "local" if owner == element else "remote", *owner)
def row(i, j):
    for col in range(MAX):
        trace(j, col, i, j, "read")
        trace(j, col, j, col, "read")
        trace(j, col, i, col, "read")
        trace(j, col, i, col, "write")
for j in range(MAX):
    for col in range(MAX):
        trace(j, col, j, j, "read")
        trace(j, col, j, col, "read")
        trace(j, col, j, col, "write")
    step += 1
    for i in range(j + 1, MAX):
        row(i, j)
        step += 1
for j in reversed(range(MAX)):
    for i in reversed(range(j)):
        row(i, j)
        step += 1
PROGRAM
status 0 info gauss.ddv
prints '^format +ddv$'
prints '^arrays +1 \(array 10 x 10\)$'
prints '^steps +100$'
status 0 check gauss.ddv
status 0 convert gauss.ddv --requesters -o again.ddv
ok "what is written again is the same" sh -c 'grep -v "^#" again.ddv | sort >a; sort gauss.ddv >b; cmp a b'
status 2 convert gauss.ddv --requesters -o again.paje
says '^weft: convert: --array, --distribution'

# A program's own profile, when there is a compiler: the advice is better than the report's.
if command -v gcc >/dev/null && [ -f "$project/examples/arrays/gauss.c" ]; then
    gcc -I"$project/include" "$project/examples/arrays/gauss.c" -lm -o gauss 2>err
    status 0 record -o gauss.weft -- ./gauss
    printf 'PROCESSORS P(2,8)\nDISTRIBUTE B(CYCLIC,CYCLIC) ONTO P\n' >report.hpf
    # A ranking of what is left of a trace says so.
    status 0 record --dir cut -- ./gauss
    for log in cut/h-*/l*; do
        truncate -s -5000 "$log"
    done
    status 3 recover cut -o cut.weft
    status 0 distribute cut.weft --array B --processors 2
    says '^weft: cut.weft: .*cut off'
    status 0 distribute gauss.weft --array B --processors 16 --rank imbalance --beside report.hpf --format csv
    ok "its columns" test "$(head -n 1 out)" = \
        "distribution,remote_pct,max_over_mean_load,messages,bytes,estimated_ns"
    best=$(python3 -c 'import csv; print(list(csv.DictReader(open("out")))[0]["max_over_mean_load"])')
    own=$(python3 -c 'import csv
print([r for r in csv.DictReader(open("out")) if r["distribution"].startswith("report.hpf")][0]["max_over_mean_load"])')
    ok "the best is better balanced ($best) than the report's ($own)" \
        awk -v best="$best" -v own="$own" 'BEGIN { exit !(best < own) }'
    status 0 distribute gauss.weft --array B --processors 16 --explain -o best.hpf
    prints '^costs: an access 1 ns, a message 1000 ns, a byte 0.1 ns'
    prints 'against .*less$'
    status 0 convert gauss.weft --array B --distribution best.hpf -o best.ddv
    status 0 check best.ddv
    status 2 convert gauss.weft --array B -o best.ddv
    says 'how is the array distributed'
    status 2 distribute gauss.weft --array nobody --processors 16
    printf 'PROCESSORS P(3)\n\nDISTRIBUTE B(BLOCK(3),*) ONTO P\n' >small.hpf
    status 3 distribute gauss.weft --array B --processors 16 --beside small.hpf
    says '^weft: small.hpf:3: BLOCK\(3\) is too small'
    status 3 render distribution-map gauss.weft --set distribution=small.hpf --set array=B -o x.png
    says '^weft: small.hpf:3: BLOCK\(3\) is too small'
else
    skip "a program's own profile" "gcc is not installed"
fi
status 2 distribute gauss.ddv
says 'processors N is missing'
status 2 distribute gauss.ddv --processors 0
status 2 distribute gauss.ddv --processors 16 --rank luck
status 2 distribute gauss.ddv --processors 16 --byte-ns -1
status 2 distribute gauss.ddv --processors 16 --message-ns 1e308
says '10\^15 at most'
status 3 distribute "$here/small.paje" --processors 16
says 'no references to arrays'
status 3 distribute gauss.ddv --processors 16
says 'on behalf'
finish
