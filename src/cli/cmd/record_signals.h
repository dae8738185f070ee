/* SPDX-License-Identifier: Apache-2.0 */
/* Passes on signals that are sent to weft but meant for the program that it runs. */
#ifndef WEFT_CLI_CMD_RECORD_SIGNALS_H
#define WEFT_CLI_CMD_RECORD_SIGNALS_H

#include <signal.h>
#include <sys/types.h>

/*
 * The earlier action of each signal that was taken over, by signal number; others are not
 * set.
 */
struct record_signals {
    struct sigaction of[_NSIG];
};

/*
 * Sets *PASSED to the signals that are passed on to the program: SIGINT, SIGTERM, SIGHUP,
 * SIGQUIT, SIGUSR1 and 2, SIGCONT, SIGWINCH, SIGIO, SIGPWR, SIGSTKFLT, those that stop a
 * process except SIGSTOP, those of timers and the real-time ones; not faults, SIGPIPE,
 * SIGXFSZ and SIGCHLD.
 */
void record_list_signals(sigset_t *passed);
/*
 * Installs a handler that passes on the signals of record_list_signals() to the process of
 * record_signals_go_to(), with the value of sigqueue(), and keeps their earlier actions in
 * *BEFORE.  A signal from the terminal, which the program gets anyway, is not passed on;
 * one that stops a process also stops weft, unless weft ignored it before.
 */
void record_pass_signals(struct record_signals *before);
/*
 * Sets the process to which the handler of record_pass_signals() passes signals on; 0 or
 * less: it drops them.
 */
void record_signals_go_to(pid_t process);
/* Restores the actions that record_pass_signals() kept in *BEFORE. */
void record_give_signals_back(const struct record_signals *before);

#endif
