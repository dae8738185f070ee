/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of longjmp: a signal handler may leave a hook, or a call that waits, for good.
 * Hooks of the thread below the target of the jump are over.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* it would redirect longjmp() to another function */
#include "record/core/longjmp_hooks.h"
#include "domains/threads/record/hook_helpers.h"

static void jumps(const struct __jmp_buf_tag *environment)
{
    uintptr_t target = weft_jump_target(environment);

    if (weft_record_self && target) {
        weft_jump_heals(target);
        weft_waiting_jumps(target);
    }
}

WEFT_INTERPOSE_JUMPS(jumps)
