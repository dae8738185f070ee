/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which program was started by which thread, as the hooks of exec, spawn and system wrote: the
 * links from that thread to the child's first, and the programs that were started and of which
 * nothing was recorded.
 */
#ifndef WEFT_READ_RECORDING_PROGRAMS_H
#define WEFT_READ_RECORDING_PROGRAMS_H

#include "read/recording/join/join.h"

struct program_start {
    uint32_t stream; /* of the thread that says so */
    uint32_t pid;    /* that becomes the program; 0: not known */
    int64_t time;
    uint64_t site;
    const char *path;
    bool failed, seen; /* it did not; an image that it can be was found */
    uint32_t before;   /* the one before it of the same key, or WEFT_NONE */
};

/* In the first reading: a WEFT_RECORD_PROGRAM or WEFT_RECORD_NO_PROGRAM. */
void programs_scan(struct recording *recording, const struct stream *stream,
                   const struct record *record);
/*
 * After it: find for each process that was neither forked nor the first of all who started it,
 * and mark what was seen.  Linear in processes and starts, as long as numbers of processes are
 * not given out again and again.
 */
void programs_relate(struct recording *recording);
/* Who started the process, at which time and place; NULL: nobody said. */
const struct program_start *programs_start_of(const struct recording *recording,
                                              uint32_t process);
/* One problem for each program that was not recorded. */
void programs_report(struct join *join);

#endif
