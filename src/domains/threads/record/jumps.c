/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jumps: a signal handler may leave a hook, or a call that waits, for good.  What the thread
 * was in below the place where it goes on is over.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* with it one of these names stands for another */
#include "record/core/jumps.h"
#include "domains/threads/record/threads.h"

static void jumps(const struct __jmp_buf_tag *environment)
{
    uintptr_t target = weft_jump_target(environment);

    if (weft_record_self && target) {
        weft_jump_heals(target);
        weft_waiting_jumps(target);
    }
}

WEFT_INTERPOSE_JUMPS(jumps)
