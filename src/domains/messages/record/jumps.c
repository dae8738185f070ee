/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jumps out of a call of MPI, as error handlers make them.  Without these, calls that the program
 * makes later from deeper in its stack would be taken for MPI's own.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* with it one of these names stands for another */
#include "record/core/jumps.h"
#include "domains/messages/format/records.h"
#include "domains/messages/record/entries.h"

static void jumps(const struct __jmp_buf_tag *environment)
{
    uintptr_t target = weft_jump_target(environment);

    if (target == 0)
        return;
    weft_jump_heals(target);
    if (weft_mpi_inside != 0 && weft_frame_is_left(weft_mpi_inside, target))
        weft_mpi_left(0);
}

WEFT_INTERPOSE_JUMPS(jumps)
