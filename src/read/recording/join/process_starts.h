/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that threads have started, as the hooks of exec, spawn and system recorded.
 * They say which thread started which process, and which programs were started without
 * being recorded.
 */
#ifndef WEFT_READ_RECORDING_PROCESS_STARTS_H
#define WEFT_READ_RECORDING_PROCESS_STARTS_H

#include "read/recording/join/join.h"

/*
 * The start of a program by exec, spawn or system, as a thread recorded it: an element of
 * recording->program_starts.
 */
struct program_start {
    uint32_t stream;  /* index of the stream of the thread that starts it */
    uint32_t pid;     /* of the process that runs it: an exec's own; 0 if unknown */
    int64_t time;     /* ns, of the call */
    uint64_t site;    /* return address of the call, or 0 */
    const char *path; /* of the program, cut to 240 bytes: absolute, or a name without a
                         slash that was searched in $PATH; "" if unknown; in the arena */
    /* The call failed, so no program was started; the program's process image was found. */
    bool failed, seen;
    uint32_t before; /* set by programs_relate(): index in program_starts of the previous
                        start with the same pid (if 0, by the same process), or WEFT_NONE;
                        unset for an exec */
};

/*
 * In the pass over all records before the join, stream by stream: adds the start of a
 * program that STREAM's thread recorded (WEFT_RECORD_PROGRAM), or marks the thread's latest
 * one as failed if it has the same pid (WEFT_RECORD_NO_PROGRAM).  RECORD is one of these
 * two, and may be reused afterwards.
 */
void programs_scan(struct recording *recording, const struct stream *stream,
                   const struct record *record);
/*
 * After programs_scan() of all records: sorts recording->program_starts by time, finds the
 * start of each process that was not forked by recorded code (process->start), and marks
 * the starts whose images were found.  Beside the sort linear in processes and starts,
 * unless process ids are reused very often.
 */
void programs_relate(struct recording *recording);
/*
 * Returns the start of the first program of PROCESS (index into recording->processes): by
 * which thread, when and where.  Returns NULL if PROCESS was forked, or its start was not
 * recorded.  Call it after programs_relate().
 */
const struct program_start *programs_start_of(const struct recording *recording,
                                              uint32_t process);
/*
 * Adds a problem (a warning) to the trace for each path whose program was started without
 * failing, but is not in the recording: with the number of starts, and the reason if the
 * program's file shows one.
 */
void programs_report(struct join *join);

#endif
