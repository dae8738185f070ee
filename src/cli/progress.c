/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one job that a command shows: a bar on a terminal, cancelled by Ctrl-C. The handler
 * only sets the job's flag; the command then cleans up and ends with status 128 + the
 * signal's number.  A second Ctrl-C ends the program at once.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"

enum {
    FIRST_MS = 300, /* shorter work needs no bar */
    EVERY_MS = 100, /* between two drawings */
    MAX_BAR = 40,   /* columns of the bar itself */
    HURRY_MS = 30,  /* see weft_progress_hurry */
};

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { N_SIGNALS = sizeof signals / sizeof *signals };

/* Global, because a signal handler is given no argument.  There is one job at a time. */
static struct {
    struct weft_job job;
    bool active;
    bool terminal;
    bool shown;
    char text[64];
    struct timespec start;
    _Atomic int64_t next_ms;
    pthread_mutex_t drawing;
    struct sigaction before[N_SIGNALS];
    volatile sig_atomic_t signal; /* the first that came; 0: none */
    volatile sig_atomic_t hurries;
    const char *volatile made; /* with hurries: the file to remove, or NULL */
} progress = { .drawing = PTHREAD_MUTEX_INITIALIZER };

/* SIGALRM: the work has not noticed its cancellation in time. */
static void end_now(int number)
{
    static const char bar_gone[] = "\r\033[K", text[] = "weft: cancelled\n";
    (void)number;
    if (progress.made)
        unlink(progress.made);
    if (progress.shown)
        (void)!write(STDERR_FILENO, bar_gone, sizeof bar_gone - 1);
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(128 + progress.signal);
}

static void set_alarm(suseconds_t milliseconds)
{
    const struct itimerval soon = { .it_value = { .tv_usec = milliseconds * 1000 } };
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void cancel(int number)
{
    progress.signal = number;
    atomic_store_explicit(&progress.job.cancelled, true, memory_order_relaxed);
    signal(number, SIG_DFL);
    if (progress.hurries)
        set_alarm(HURRY_MS);
}

void weft_progress_hurry(bool hurries, const char *made)
{
    if (!hurries) { /* first, so that no alarm is set from here on */
        progress.hurries = false;
        set_alarm(0);
        progress.made = NULL;
        return;
    }
    signal(SIGALRM, end_now);
    progress.made = made;
    progress.hurries = true;
    if (progress.signal) /* it came just before, and set no alarm */
        set_alarm(HURRY_MS);
}

static int64_t elapsed_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)(now.tv_sec - progress.start.tv_sec) * 1000
           + (now.tv_nsec - progress.start.tv_nsec) / 1000000;
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* "9 s", "3 min 20 s", "2 h 5 min" */
static void time_text(int64_t seconds, char *out, size_t size)
{
    if (seconds < 60)
        snprintf(out, size, "%d s", (int)seconds);
    else if (seconds < 3600)
        snprintf(out, size, "%d min %d s", (int)(seconds / 60), (int)(seconds % 60));
    else
        snprintf(out, size, "%d h %d min", (int)(seconds / 3600), (int)(seconds / 60 % 60));
}

static void draw(int64_t ms, uint64_t done, uint64_t total)
{
    char time[32];
    if (total == 0) {
        time_text(ms / 1000, time, sizeof time);
        fprintf(stderr, "\r\033[K%s  %s", progress.text, time);
    } else {
        double share = done >= total ? 1 : (double)done / (double)total;
        int bar = terminal_width() - (int)strlen(progress.text) - 30;
        bar = bar > MAX_BAR ? MAX_BAR : bar < 4 ? 4 : bar;
        int full = (int)(share * bar);
        double left_ms = share > 0.005 ? (double)ms * (1 - share) / share : -1;
        fprintf(stderr, "\r\033[K%s  [%.*s%*s] %3d %%", progress.text, full,
                "########################################", bar - full, "",
                (int)(share * 100));
        if (left_ms >= 0) {
            time_text((int64_t)(left_ms / 1000) + 1, time, sizeof time);
            fprintf(stderr, "  %s left", time);
        }
    }
    fflush(stderr);
    progress.shown = true;
}

/* Runs in a worker's thread, perhaps in several at once. */
static void step(struct weft_job *job, void *unused)
{
    (void)unused;
    int64_t ms = elapsed_ms();
    if (ms < atomic_load_explicit(&progress.next_ms, memory_order_relaxed)
        || pthread_mutex_trylock(&progress.drawing) != 0)
        return;
    atomic_store_explicit(&progress.next_ms, ms + EVERY_MS, memory_order_relaxed);
    draw(ms, atomic_load_explicit(&job->done, memory_order_relaxed),
         atomic_load_explicit(&job->total, memory_order_relaxed));
    pthread_mutex_unlock(&progress.drawing);
}

struct weft_job *weft_progress_begin(const char *text)
{
    WEFT_REQUIRE(!progress.active, "two progress bars at once");
    const char *terminal = getenv("TERM");
    progress.terminal =
        isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
    progress.active = true;
    progress.shown = false;
    progress.next_ms = FIRST_MS;
    snprintf(progress.text, sizeof progress.text, "%s", text);
    clock_gettime(CLOCK_MONOTONIC, &progress.start);
    atomic_store(&progress.job.cancelled, false);
    atomic_store(&progress.job.done, 0);
    atomic_store(&progress.job.total, 0);
    progress.job.progress = progress.terminal ? step : NULL;

    /* Without SA_RESTART: a blocking call, as on a pipe, fails with EINTR. */
    struct sigaction action = { .sa_handler = cancel };
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i], NULL, &progress.before[i]);
        /* A signal that weft was started to ignore, as nohup does, stays ignored. */
        if (progress.before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    return &progress.job;
}

int weft_progress_signal(void)
{
    return progress.signal;
}

void weft_progress_end(struct weft_job *job)
{
    if (!job)
        return;
    WEFT_REQUIRE(job == &progress.job && progress.active, "no progress bar to end");
    for (int i = 0; i < N_SIGNALS; i++)
        sigaction(signals[i], &progress.before[i], NULL);
    if (progress.shown)
        fputs("\r\033[K", stderr);
    progress.hurries = false; /* an alarm that has been set stays */
    progress.active = false;
}
