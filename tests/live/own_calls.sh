#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# own_calls.sh LIBRARY...: no library of the recorder calls a function that the family of threads
# interposes: it would record that as a call or a wait of the program.  Functions that it finds
# behind the hooks, and system calls, are not among those that a library's symbols name.
set -u
command -v nm >/dev/null || {
    echo "no nm here"
    exit 77
}
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-own-calls-XXXXXX")
trap 'rm -rf "$folder"' EXIT
names() { # WHICH LIBRARY: without versions
    nm -D "$1" "$2" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u
}
threads=
for library; do
    case $library in *-threads.so) threads=$library ;; esac
done
names --defined-only "${threads:?the library of threads is not among them}" >"$folder/hooks"
for known in read write poll nanosleep pthread_mutex_lock pthread_cond_wait; do
    grep -qx $known "$folder/hooks" || {
        echo "FAILED: $known is not seen among the hooks"
        exit 1
    }
done
failed=0
for library; do
    names --undefined-only "$library" >"$folder/called"
    # The C library's own: without them the symbols were not read.
    [ -s "$folder/called" ] || {
        echo "FAILED: $library calls nothing"
        failed=1
    }
    comm -12 "$folder/hooks" "$folder/called" >"$folder/both"
    [ ! -s "$folder/both" ] || {
        echo "FAILED: ${library##*/} calls $(paste -sd' ' "$folder/both")"
        failed=1
    }
done
exit $failed
