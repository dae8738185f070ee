/* SPDX-License-Identifier: Apache-2.0 */
/* The table of MPI's calls: names, roles, and what they begin. */
#include "domains/messages/join/mpi_join.h"

/* The pattern of a collective operation, by what its call begins. */
#define PATTERN_NONE             WEFT_ROLE_NONE
#define PATTERN_LATER            WEFT_ROLE_NONE
#define PATTERN_PARTS            WEFT_ROLE_NONE
#define PATTERN_ONE_TO_ALL       WEFT_ROLE_ONE_TO_ALL
#define PATTERN_ALL_TO_ONE       WEFT_ROLE_ALL_TO_ONE
#define PATTERN_ALL_TO_ALL       WEFT_ROLE_ALL_TO_ALL
#define PATTERN_PREFIX           WEFT_ROLE_PREFIX
#define PATTERN_BARRIER          WEFT_ROLE_ALL_WAIT
#define PATTERN_NEIGHBORS        WEFT_ROLE_NEIGHBORS
#define PATTERN_ONE_TO_ALL_LATER WEFT_ROLE_ONE_TO_ALL
#define PATTERN_ALL_TO_ONE_LATER WEFT_ROLE_ALL_TO_ONE
#define PATTERN_ALL_TO_ALL_LATER WEFT_ROLE_ALL_TO_ALL
#define PATTERN_PREFIX_LATER     WEFT_ROLE_PREFIX
#define PATTERN_BARRIER_LATER    WEFT_ROLE_ALL_WAIT
#define PATTERN_NEIGHBORS_LATER  WEFT_ROLE_NEIGHBORS
#define PATTERN_PUT              WEFT_ROLE_NONE
#define PATTERN_GET              WEFT_ROLE_NONE
#define PATTERN_EXCHANGE         WEFT_ROLE_NONE

#define ROW(name, role, begins)                                                            \
 { "MPI_" #name, WEFT_ROLE_##role, MPI_BEGINS_##begins, PATTERN_##begins },
const struct mpi_call mpi_calls[WEFT_MPI_N_CALLS] = { WEFT_MPI_CALLS(ROW) };
