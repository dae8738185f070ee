/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for the processes that a recorded program leaves.  weft record is their subreaper,
 * so that orphans (daemons) become its children, and it waits until none is left.
 */
#ifndef WEFT_CLI_CMD_RECORD_DESCENDANTS_H
#define WEFT_CLI_CMD_RECORD_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The waiting for the processes that a recorded program leaves.  The caller sets program,
 * output and front; record_follow_begin() sets the rest.
 */
struct record_following {
    /* for messages: the program as it was named, and the path of the trace; borrowed */
    const char *program, *output;
    /*
     * The write end of a pipe, or -1: none.  A weft in front reads the program's status (an
     * int) from it and ends, while this process goes on in the background and writes its
     * messages to the file OUTPUT.report.
     */
    int front;
    /* Children that weft had before the program ran, as those of a shell that exec'd weft;
       they are not waited for. */
    pid_t *strangers;
    size_t n_strangers;
};

/*
 * Makes weft the subreaper (orphaned descendants become its children), for good, and notes
 * its present children in FOLLOWING, until record_follow_end().  Call it before the program
 * starts.
 */
void record_follow_begin(struct record_following *following);
/*
 * After the program ended with STATUS (exit status, or 128 + signal): waits until all
 * processes that it started have ended, or a signal (SIGINT, SIGTERM, SIGHUP, unless
 * ignored) asks to end the recording.  If some have not ended after 0.2 s, says on standard
 * error which; and if following->front is a pipe, goes on in the background: writes STATUS
 * to the pipe, closes it, and standard error becomes OUTPUT.report.  The caller must block
 * these signals.  Reaps all children.
 */
void record_follow(struct record_following *following, int status);
/* Frees what record_follow_begin() noted. */
void record_follow_end(struct record_following *following);

#endif
