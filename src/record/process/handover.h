/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable of the environment by which a program hands its log to one that it executes:
 *
 *     WEFT_RECORD_LOG=<descriptor>:<device>:<inode>:<forbidden>
 *
 * The descriptor stays open over exec.  It is handed over if the next program may not make
 * a log of its own (the process has changed its user or its root); else it is 0.
 * <forbidden> are the calls that filters forbid, which exec keeps, too: bits by enum
 * weft_need.
 */
#ifndef WEFT_RECORD_HANDOVER_H
#define WEFT_RECORD_HANDOVER_H

#include "record/core/core.h"

enum { WEFT_HANDOVER_TEXT = 128 }; /* bytes of the variable: its name and four numbers */

/* The entry of the environment by which this process hands its log to the next program. */
struct weft_handover {
    char entry[WEFT_HANDOVER_TEXT]; /* NAME=VALUE; empty: nothing to hand over */
    bool log; /* the log's descriptor is handed over: keep it open over exec */
};

/*
 * Sets *HANDOVER to the entry WEFT_RECORD_LOG=... for the program that this process
 * executes next; it is empty if that needs neither the log's descriptor nor a list of
 * forbidden calls.  MAY_ASK: the process is recorded and has errno, so that system calls
 * may be made to find out whether the log is needed; else it is not handed over.
 */
WEFT_HIDDEN void weft_handover_make(struct weft_handover *handover, bool may_ask);

/*
 * The numbers of the variable WEFT_RECORD_LOG: descriptor of the log, device and inode of
 * its file (all 0: no log), and the system calls that filters forbid (bits 1 << enum
 * weft_need).
 */
struct weft_handed {
    uint64_t descriptor, device, inode, forbidden;
};

/*
 * Returns the numbers of the variable WEFT_RECORD_LOG that this program was given; all 0 if
 * there is none, or it is malformed.
 */
WEFT_HIDDEN struct weft_handed weft_handover_read(void);

#endif
