/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that threads have started, as the hooks of exec, spawn and system recorded:
 * links from the thread to the first thread of the child, and programs that were started
 * without being recorded.
 */
#ifndef WEFT_READ_RECORDING_PROCESS_STARTS_H
#define WEFT_READ_RECORDING_PROCESS_STARTS_H

#include "read/recording/join/join.h"

struct program_start {
    uint32_t stream; /* of the thread that starts it */
    uint32_t pid;    /* of the process that runs it; 0 if unknown */
    int64_t time;
    uint64_t site;
    const char *path;
    bool failed, seen; /* the start failed; its process image was found */
    uint32_t before;   /* index of the earlier start of the same pid, or WEFT_NONE */
};

/* In the pass before the join: take a WEFT_RECORD_PROGRAM or WEFT_RECORD_NO_PROGRAM. */
void programs_scan(struct recording *recording, const struct stream *stream,
                   const struct record *record);
/*
 * After programs_scan() of all records: find the start of each process that was not forked,
 * and mark the starts whose images were found.  Linear in processes and starts, unless
 * process ids are reused very often.
 */
void programs_relate(struct recording *recording);
/* Returns by which thread, when and where PROCESS was started; NULL if not recorded. */
const struct program_start *programs_start_of(const struct recording *recording,
                                              uint32_t process);
/* Report a problem for each program that was not recorded. */
void programs_report(struct join *join);

#endif
