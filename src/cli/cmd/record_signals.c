/* SPDX-License-Identifier: Apache-2.0 */
/* Passes signals on to the recorded program. */
#define _GNU_SOURCE
#include "cli/cmd/record_signals.h"

#include <errno.h>
#include <stdbool.h>

static volatile sig_atomic_t receiver;
static volatile sig_atomic_t is_ignored[_NSIG]; /* ignored by weft from its start */

static bool stops(int number)
{
    return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool is_passed(int number)
{
    static const int those[] = { SIGHUP,  SIGINT,  SIGQUIT,   SIGUSR1,   SIGUSR2, SIGALRM,
                                 SIGTERM, SIGCONT, SIGTSTP,   SIGTTIN,   SIGTTOU, SIGPROF,
                                 SIGIO,   SIGPWR,  SIGSTKFLT, SIGVTALRM, SIGWINCH };

    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if (those[i] == number)
            return true;
    return number >= SIGRTMIN && number <= SIGRTMAX;
}

/* Returns true for a signal of the terminal, which the program gets, too.  A signal sent by
   another process reaches weft alone. */
static bool comes_to_both(int number, const siginfo_t *info)
{
    return info->si_code > 0
           && (number == SIGINT || number == SIGQUIT || number == SIGWINCH
               || number == SIGCONT || stops(number));
}

/* Stops weft itself by the default action, until it is continued. */
static void stop_as_well(int number)
{
    struct sigaction usual = { .sa_handler = SIG_DFL }, before;
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, number);
    sigaction(number, &usual, &before);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    sigprocmask(SIG_BLOCK, &one, NULL);
    sigaction(number, &before, NULL);
}

static void pass_on(int number, siginfo_t *info, void *unused)
{
    int saved = errno;

    (void)unused;
    if (receiver > 0 && !comes_to_both(number, info)) {
        if (info->si_code == SI_QUEUE)
            sigqueue((pid_t)receiver, number, info->si_value);
        else
            kill((pid_t)receiver, number);
    }
    if (stops(number) && !is_ignored[number])
        stop_as_well(number);
    errno = saved;
}

void record_list_signals(sigset_t *passed)
{
    sigemptyset(passed);
    for (int number = 1; number < _NSIG; number++)
        if (is_passed(number))
            sigaddset(passed, number);
}

void record_pass_signals(struct record_signals *before)
{
    struct sigaction pass = { .sa_sigaction = pass_on,
                              .sa_flags = SA_SIGINFO | SA_RESTART };

    for (int number = 1; number < _NSIG; number++)
        if (is_passed(number)) {
            /*
             * Read the old action first, so that the handler knows it if the signal comes
             * at once.
             */
            sigaction(number, NULL, &before->of[number]);
            is_ignored[number] = before->of[number].sa_handler == SIG_IGN;
            sigaction(number, &pass, NULL);
        }
}

void record_signals_go_to(pid_t process)
{
    receiver = process;
}

void record_give_signals_back(const struct record_signals *before)
{
    for (int number = 1; number < _NSIG; number++)
        if (is_passed(number))
            sigaction(number, &before->of[number], NULL);
}
