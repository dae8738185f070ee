/* SPDX-License-Identifier: Apache-2.0 */
/* The variable of handover.h, written and read. */
#include <stdlib.h>

#include "record/core/system.h"
#include "record/process/handover.h"
#include "record/process/process.h"
#include "record/process/seccomp_filters.h"

void weft_handover_make(struct weft_handover *handover, bool may_ask)
{
    const struct weft_file *file = &weft_process.file;
    uint64_t descriptor = may_ask ? weft_file_to_hand_over(file) : 0;
    uint64_t forbidden = weft_sandbox_forbidden();
    char *to = handover->entry;

    *to = 0;
    handover->log = descriptor != 0;
    if (descriptor == 0 && forbidden == 0)
        return;
    to = weft_text_copy(to, WEFT_RECORD_LOG_VARIABLE "=");
    to = weft_text_copy(weft_text_number(to, descriptor), ":");
    to = weft_text_copy(weft_text_number(to, descriptor ? file->device : 0), ":");
    to = weft_text_copy(weft_text_number(to, descriptor ? file->inode : 0), ":");
    weft_text_number(to, forbidden);
}

struct weft_handed weft_handover_read(void)
{
    struct weft_handed handed = { 0 };
    uint64_t *const numbers[] = { &handed.descriptor, &handed.device, &handed.inode,
                                  &handed.forbidden };
    const char *at = weft_variable(WEFT_RECORD_LOG_VARIABLE);

    for (size_t i = 0; at && i < sizeof numbers / sizeof *numbers; i++)
        at = weft_text_read(at, numbers[i]);
    return at ? handed : (struct weft_handed){ 0 };
}
