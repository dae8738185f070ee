/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for the processes that a recorded program leaves.  weft record is their subreaper,
 * so that orphans (daemons) become its children, and it waits until none is left.
 */
#ifndef WEFT_CLI_CMD_RECORD_FOLLOW_H
#define WEFT_CLI_CMD_RECORD_FOLLOW_H

#include <stddef.h>
#include <sys/types.h>

struct record_following {
    const char *program, *output; /* names, for messages */
    /*
     * The write end of a pipe, or -1. A weft in front reads the program's status (an int)
     * from it and ends, while this process goes on in the background and writes its
     * messages to the file OUTPUT.report.
     */
    int front;
    /* Children that weft had before the program ran, as those of a shell that exec'd weft.
     */
    pid_t *strangers;
    size_t n_strangers;
};

/*
 * Makes weft the subreaper (orphaned descendants become its children) and notes its
 * present children in FOLLOWING, until record_follow_end().  Call it before the program
 * starts.
 */
void record_follow_begin(struct record_following *following);
/*
 * Waits for all processes that the program started, after it ended with STATUS (exit
 * status, or 128 + signal), or until a signal (SIGINT, SIGTERM, SIGHUP, unless ignored)
 * asks to end the recording.  Says on standard error for which processes it waits.  If
 * following->front is a pipe, it then goes on in the background: writes STATUS to the
 * pipe, and standard error becomes OUTPUT.report.  The caller blocks these signals.
 */
void record_follow(struct record_following *following, int status);
void record_follow_end(struct record_following *following);

#endif
