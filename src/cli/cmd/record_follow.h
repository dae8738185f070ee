/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that a recorded program leaves: weft record is their reaper, so that those
 * whose parents have ended (daemons) become its children, and it waits until none is left.
 */
#ifndef WEFT_CLI_CMD_RECORD_FOLLOW_H
#define WEFT_CLI_CMD_RECORD_FOLLOW_H

#include <stddef.h>
#include <sys/types.h>

struct record_following {
    const char *program, *output; /* for what is said */
    /*
     * Where a weft in front waits for the program's status (an int), to end with it while
     * this one goes on in the background, and writes what it has to say to the file
     * OUTPUT.report; -1: there is none.
     */
    int front;
    /*
     * Children that weft had before (those of a shell that became weft): not the program's.
     */
    pid_t *strangers;
    size_t n_strangers;
};

/* Become the reaper, and note who is there already.  Before the program is started. */
void record_follow_begin(struct record_following *following);
/*
 * The program has ended with STATUS, as the shell has it: wait for all that it started, or
 * until a signal (SIGINT, SIGTERM, SIGHUP, unless they are ignored) asks to end the
 * recording. Says on standard error for whom it waits.  The caller blocks these signals.
 */
void record_follow(struct record_following *following, int status);
void record_follow_end(struct record_following *following);

#endif
