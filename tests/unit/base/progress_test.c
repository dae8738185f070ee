/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar, looked at from the other end of a terminal, and Ctrl-C. */
#define _GNU_SOURCE
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/help.h"
#include "tests/test.h"

/* What the library refers to; this program has no commands. */
const struct weft_command *weft_command_at(size_t index)
{
    (void)index;
    return NULL;
}

size_t weft_command_count(void)
{
    return 0;
}
const struct weft_command *weft_command_find(const char *name)
{
    (void)name;
    return NULL;
}
int weft_report(const struct weft_err *err)
{
    return weft_err_exit_status(err->code);
}

static void step_until_half(void)
{
    struct weft_job *job = weft_progress_begin("reading x.paje");
    /* Longer than what a bar waits for before it shows. */
    for (int i = 0; i <= 50; i++) {
        if (!weft_job_step(job, (uint64_t)i, 100, NULL))
            break;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    weft_progress_end(job);
}

/* What a child prints while it works, on a terminal of that name. */
static void watch(const char *terminal, char *seen, size_t size)
{
    int master;
    struct winsize window = { .ws_row = 24, .ws_col = 100 };
    fflush(NULL);
    pid_t child = forkpty(&master, NULL, NULL, &window);
    if (child < 0) {
        print_message("# SKIP no pseudo-terminals here\n");
        skip();
    }
    if (child == 0) {
        setenv("TERM", terminal, 1);
        step_until_half();
        _exit(0);
    }
    size_t used = 0;
    ssize_t n;
    while (used < size - 1 && (n = read(master, seen + used, size - 1 - used)) > 0)
        used += (size_t)n;
    seen[used] = '\0';
    waitpid(child, NULL, 0);
    close(master);
}

static void test_a_bar_comes_and_goes(void **state)
{
    (void)state;
    char seen[8192];
    watch("xterm", seen, sizeof seen);
    assert_non_null(strstr(seen, "reading x.paje  [####"));
    assert_non_null(strstr(seen, " %"));
    assert_non_null(strstr(seen, " left"));
    /* The last thing is to wipe the line. */
    size_t length = strlen(seen);
    assert_true(length > 4);
    assert_string_equal(seen + length - 4, "\r\033[K");
}

static void test_no_bar_where_it_would_be_noise(void **state)
{
    (void)state;
    char seen[8192];
    watch("dumb", seen, sizeof seen);
    assert_string_equal(seen, "");
}

static void test_interrupt_cancels_once(void **state)
{
    (void)state;
    struct sigaction before, after;
    sigaction(SIGINT, NULL, &before);
    struct weft_job *job = weft_progress_begin("work");
    struct weft_err err = { 0 };
    assert_true(weft_job_step(job, 1, 10, &err));
    raise(SIGINT);
    assert_false(weft_job_step(job, 2, 10, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    /* Pressed again, it ends the program whatever it does. */
    sigaction(SIGINT, NULL, &after);
    assert_true(after.sa_handler == SIG_DFL);
    weft_progress_end(job);
    sigaction(SIGINT, NULL, &after);
    assert_true(after.sa_handler == before.sa_handler);
    /* The next job starts afresh. */
    job = weft_progress_begin("more work");
    assert_true(weft_job_step(job, 1, 10, &err));
    weft_progress_end(job);
}

static void test_what_is_ignored_stays_ignored(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_IGN);
    struct weft_job *job = weft_progress_begin("under nohup");
    raise(SIGHUP);
    assert_true(weft_job_step(job, 1, 10, NULL));
    weft_progress_end(job);
    assert_true(signal(SIGHUP, SIG_DFL) == SIG_IGN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bar_comes_and_goes),
        cmocka_unit_test(test_no_bar_where_it_would_be_noise),
        cmocka_unit_test(test_interrupt_cancels_once),
        cmocka_unit_test(test_what_is_ignored_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
