#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fortran.sh openmpi|mpich: calls of Fortran are at the program's lines, by each of MPI's
# three interfaces.
set -u
kind=$1
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
run="mpirun.$kind"
[ "$kind" = mpich ] || run="$run --oversubscribe"
. "$(dirname "$0")/../../../live/lib.sh"
is_built "mpi-$kind" || skip "this build does not record MPI with $kind"
for tool in "mpif90.$kind" "mpirun.$kind"; do
    command -v "$tool" >/dev/null || skip "$tool is not here: $kind is not tested"
done
source=$here/programs/places.f90
line() { grep -n "$1" "$source" | sed -n "$2s/:.*//p"; }
for interface in USE_MPIF USE_MPI USE_F08; do
    for level in -O0 -O2; do
        "mpif90.$kind" -cpp -g "$level" -D$interface -ffree-line-length-none \
            "$source" -o places 2>said || stop "building with $interface"
        # shellcheck disable=SC2086
        timeout 200 "$WEFT" record --with mpi -o run.weft -- $run -n 2 ./places 2>said \
            || stop "recording $interface $level"
        "$WEFT" render wait-summary run.weft --format csv >waits.csv
        for place in "MPI_Recv 1" "MPI_Send 1" "MPI_Bcast 1" "MPI_Bcast 2"; do
            call=${place% *}
            grep "^$call," waits.csv | grep -q "(places.f90:$(line "$call" "${place#* }"))" \
                || fail "$interface $level: $place: $(cut -d, -f1,6 waits.csv | tr '\n' ' ')"
        done
    done
done
exit $failed
