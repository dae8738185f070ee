#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording adds to a call of MPI: pairs of MPI_Send and MPI_Recv on 4 ranks, bare, recorded
# by Weft, and by eztrace where that is installed; same program, same run, with Open MPI, which
# Debian's eztrace is for.
set -eu
: "${BUILD:=build}" "${WEFT:=$PWD/$BUILD/src/cli/weft}" "${BENCH_SCALE:=full}"
command -v mpicc.openmpi >/dev/null && command -v mpirun.openmpi >/dev/null || {
    echo "record-mpi: skipped, Open MPI is not installed"
    exit 0
}
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
mpicc.openmpi -O2 -o "$folder/record_mpi" bench/domains/messages/record_mpi.c
# Short rounds, of which many find their processor free, and as few that the peer keeps all.
if [ "$BENCH_SCALE" = small ]; then rounds=20; else rounds=200; fi
pairs=500

run() { # what is put before mpirun, and what before the program
    # shellcheck disable=SC2086
    $1 mpirun.openmpi --allow-run-as-root --oversubscribe -n 4 $2 "$folder/record_mpi" \
        "$rounds" "$pairs" 2>>"$folder/log" | grep -E '^[0-9.]+ [0-9.]+$'
}
least() { cut -d' ' -f1 "$1"; }
difference() { awk "BEGIN { printf \"%.1f\", ($1 - $2) / 2 }"; }

run "" "" >"$folder/bare"
run "$WEFT record --with mpi -o $folder/run.weft --" "" >"$folder/weft"
added=$(difference "$(least "$folder/weft")" "$(least "$folder/bare")")
ratio="no peer here: eztrace is not installed"
if command -v eztrace >/dev/null; then
    (cd "$folder" && run "" "eztrace -t openmpi -o eztrace" >eztrace.said) || true
    if [ -s "$folder/eztrace.said" ]; then
        peer=$(difference "$(least "$folder/eztrace.said")" "$(least "$folder/bare")")
        ratio=$(awk "BEGIN { printf \"ratio to eztrace, %.0f ns: %.2f\", $peer, $added / $peer }")
    else
        ratio="no peer: eztrace did not run"
    fi
fi
echo "record-mpi-call-added $added ns ($ratio)"
