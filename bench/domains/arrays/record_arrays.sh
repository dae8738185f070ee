#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording references to arrays by hooks costs: some 10^9 references to arrays of 4096 x 4096,
# by the same program at -O1 plain, with hooks that do not record, and recorded; the least
# processor time of some runs each.  A call that does nothing at each reference is measured, too:
# no hook can cost less.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
gcc -O1 -g -Iinclude bench/domains/arrays/record_arrays.c -o "$folder/plain"
gcc -O1 -g -fsanitize=thread -Iinclude -c bench/domains/arrays/record_arrays.c -o "$folder/hooks.o" 2>"$folder/log" ||
    {
        echo "record-arrays: skipped, gcc has no -fsanitize=thread"
        exit 0
    }
gcc "$folder/hooks.o" "$BUILD/src/domains/arrays/libweft-array.a" -o "$folder/hooks"
echo 'void __tsan_init(void) {} void __tsan_func_entry(void *p) { (void)p; }
void __tsan_func_exit(void) {} void __tsan_read8(void *p) { (void)p; }
void __tsan_write8(void *p) { (void)p; } long __tsan_atomic64_load(const volatile long *p, int order)
{ (void)order; return *p; } void __tsan_atomic64_store(volatile long *p, long value, int order)
{ (void)order; *p = value; }' >"$folder/empty.c"
gcc -O2 "$folder/hooks.o" "$folder/empty.c" -o "$folder/empty"
if [ "$BENCH_SCALE" = small ]; then runs=1 part=6; else runs=3 part=1; fi

recorded() {
    rm -f "$folder/run.weft"
    /usr/bin/env time -f %M -o "$folder/memory" "$WEFT" record --with arrays -o "$folder/run.weft" \
        -- "$@" 2>>"$folder/log"
}
for kind in stencil elimination; do
    sweeps=$((12 / part))
    [ $kind = stencil ] || sweeps=$((15 / part))
    # In turn, so that all see the same machine.
    for _ in $(seq $runs); do
        "$folder/plain" $kind $sweeps >>"$folder/plain.times"
        "$folder/empty" $kind $sweeps >>"$folder/empty.times"
        "$folder/hooks" $kind $sweeps >>"$folder/hooks.times"
        recorded "$folder/hooks" $kind $sweeps >>"$folder/recorded.times"
    done
    least() { sort -n "$folder/$1.times" | head -1 | cut -d' ' -f1; }
    references=$(head -1 "$folder/plain.times" | cut -d' ' -f2)
    for how in plain empty hooks recorded; do
        echo "$how $(least $how) $(least plain) $references"
    done | awk -v kind=$kind '{
        ratio = $1 == "plain" ? "" : sprintf(" (ratio to plain: %.1f)", $2 / $3)
        printf "record-arrays-%s-%s %.2f ns%s\n", kind, $1, $2 / $4 * 1e9, ratio }'
    echo "record-arrays-$kind-references $references references"
    echo "record-arrays-$kind-size $(wc -c <"$folder/run.weft") bytes"
    [ ! -s "$folder/memory" ] || echo "record-arrays-$kind-memory $(cat "$folder/memory") KiB \
(the program's own arrays are 262144 KiB)"
    rm -f "$folder"/*.times
done
