/* SPDX-License-Identifier: Apache-2.0 */
/* Passes on signals that are sent to weft but meant for the program that it runs. */
#ifndef WEFT_CLI_CMD_RECORD_SIGNALS_H
#define WEFT_CLI_CMD_RECORD_SIGNALS_H

#include <signal.h>
#include <sys/types.h>

/* The earlier action of each signal that was taken over, by signal number. */
struct record_signals {
    struct sigaction of[_NSIG];
};

/*
 * Lists the signals that are passed on to the program: all that end or stop a process,
 * except faults, and SIGWINCH.
 */
void record_list_signals(sigset_t *passed);
/* Takes over the signals of record_list_signals(), to pass them on; sets *BEFORE. */
void record_pass_signals(struct record_signals *before);
/* Sets the process to which these signals are passed on; 0: they are dropped. */
void record_signals_go_to(pid_t process);
/* Restores the earlier actions. */
void record_give_signals_back(const struct record_signals *before);

#endif
