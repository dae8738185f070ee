/* SPDX-License-Identifier: Apache-2.0 */
/*
 * longjmp out of a call of MPI, as error handlers do it.  Unseen, it would have later calls
 * from deeper frames skipped as nested.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* it renames longjmp */
#include "record/core/longjmp_hooks.h"
#include "domains/messages/format/records.h"
#include "domains/messages/record/hook_interface.h"

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
