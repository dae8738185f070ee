/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing the clocks of hosts. */
#include "record/mpi/mpi.h"

void weft_mpi_align_clocks(void) {}
