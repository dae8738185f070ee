/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program hands over to the one that it executes, by a variable of the environment:
 *
 *     WEFT_RECORD_LOG=<descriptor>:<device>:<inode>:<forbidden>
 *
 * The log, as a descriptor that stays open, when the process may not make one any more (it has
 * changed its user or its root); 0: none.  And what filters forbid, which stay as well: bits by
 * enum weft_need.
 */
#ifndef WEFT_RECORD_HANDOVER_H
#define WEFT_RECORD_HANDOVER_H

#include "record/core/core.h"

enum { WEFT_HANDOVER_TEXT = 128 }; /* bytes of the variable: its name and four numbers */

struct weft_handover {
    char entry[WEFT_HANDOVER_TEXT]; /* empty: there is nothing to hand over */
    bool log;
};

/*
 * What the next program needs.  MAY_ASK: the process is recorded, and the kernel may be asked
 * what it may do, for which errno has to be there.
 */
WEFT_HIDDEN void weft_handover_make(struct weft_handover *handover, bool may_ask);

struct weft_handed {
    uint64_t descriptor, device, inode, forbidden;
};

/* What this program was given; all 0: nothing. */
WEFT_HIDDEN struct weft_handed weft_handover_read(void);

#endif
