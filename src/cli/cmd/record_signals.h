/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that somebody sends to weft while a program runs under it, and means for the
 * program.
 */
#ifndef WEFT_CLI_CMD_RECORD_SIGNALS_H
#define WEFT_CLI_CMD_RECORD_SIGNALS_H

#include <signal.h>
#include <sys/types.h>

/* The earlier action of each signal that was taken over, by signal number. */
struct record_signals {
    struct sigaction of[_NSIG];
};

/*
 * The signals that are passed on to the program: all that end or stop a process, but for
 * faults, and SIGWINCH.
 */
void record_list_signals(sigset_t *passed);
/* Take them, and pass them on from now on. */
void record_pass_signals(struct record_signals *before);
/* The process to pass them on to; 0: none, and they are dropped. */
void record_signals_go_to(pid_t process);
void record_give_signals_back(const struct record_signals *before);

#endif
