/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that threads have started, as the hooks of exec, spawn and system recorded:
 * links from the thread to the first thread of the child, and programs that were started
 * without being recorded.
 */
#ifndef WEFT_READ_RECORDING_PROCESS_STARTS_H
#define WEFT_READ_RECORDING_PROCESS_STARTS_H

#include "read/recording/join/join.h"

/*
 * The start of a program by exec, spawn or system, as a thread recorded it: an element of
 * recording->program_starts.
 */
struct program_start {
    uint32_t stream;   /* index of the stream of the thread that starts it */
    uint32_t pid;      /* of the process that runs it; 0 if unknown */
    int64_t time;      /* ns */
    uint64_t site;     /* return address of the call, or 0 */
    const char *path;  /* of the program; in the recording's arena */
    bool failed, seen; /* the start failed; its process image was found */
    uint32_t before;   /* index of the previous start with the same pid (if 0, by the same
                          process), or WEFT_NONE; set by programs_relate() */
};

/*
 * In the pass over all records before the join, stream by stream: adds the start of a
 * program that STREAM's thread recorded (WEFT_RECORD_PROGRAM), or marks the thread's latest
 * one as failed (WEFT_RECORD_NO_PROGRAM).  RECORD is one of these two.
 */
void programs_scan(struct recording *recording, const struct stream *stream,
                   const struct record *record);
/*
 * After programs_scan() of all records: find the start of each process that was not forked,
 * and mark the starts whose images were found.  Linear in processes and starts, unless
 * process ids are reused very often.
 */
void programs_relate(struct recording *recording);
/*
 * Returns by which thread, when and where the first program of PROCESS (index into
 * recording->processes) was started; NULL if it was forked, or that was not recorded.
 */
const struct program_start *programs_start_of(const struct recording *recording,
                                              uint32_t process);
/*
 * Reports a problem for each path whose program was started, but is not in the recording,
 * with the number of starts and the reason if it is known.
 */
void programs_report(struct join *join);

#endif
