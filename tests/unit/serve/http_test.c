/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom in the server: http.c with routes of the test's own, one that prepares
 * something slow, one that works for long, one that is quick; asked over real sockets.
 */
#include <arpa/inet.h>
#include <pthread.h>

#include "serve/http.h"
#include "serve/routes.h"
#include "store/build/builder.h"
#include "tests/test.h"
#include "view/prepare.h"

enum { WORKERS = 4, MAX_WAITING = 60 }; /* as http.c has them */

static struct service service;
static struct http *http;
static struct http_options options;
static _Atomic bool gate; /* what is slow goes on when it is open */
static _Atomic int made, stopped, working;

/* Nothing is timed: what does not come to pass ends with the test's time limit. */
#define UNTIL(condition)                                                                   \
 while (!(condition))                                                                      \
 usleep(500)

/* While it is set, nobody is woken: the GNU library's bug 25847 in its worst form. */
static _Atomic bool forgetful;
int __real_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    return forgetful ? 0 : __real_pthread_cond_signal(condition);
}

/* ---- Routes ---- */

static bool pass_gate(struct weft_job *job, struct weft_err *err)
{
    while (!gate) {
        if (!weft_job_step(job, 0, 0, err)) {
            stopped++;
            return false;
        }
        usleep(500);
    }
    return true;
}

static bool make(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                 struct weft_err *err)
{
    if (!pass_gate(args->job, err))
        return false;
    made++;
    *thing = weft_zalloc(1, 1);
    *bytes = 1;
    return true;
}

static const struct weft_preparation slow = { "slow", make, free };

static void say(struct answer *answer, const char *text)
{
    FILE *out = answer_begin(answer);
    fputs(text, out);
    answer_end(answer, out, "text/plain");
}

/* In place of routes.c: /quick; /work and /silent, which keep their workers; /prepare?number=N. */
void routes_answer(const struct request *request, struct answer *answer)
{
    const struct weft_set none = { 0 };
    struct refusal refusal = { 0 };
    int number = (int)request_number(request, "number", 0, 10000, 0);
    if (strcmp(request->path, "/quick") == 0) {
        say(answer, "quick");
    } else if (strcmp(request->path, "/silent") == 0) {
        working++; /* and tells nobody how far it is */
        while (!gate && !weft_job_cancelled(request->job))
            usleep(500);
        say(answer, "silent");
        working--;
    } else if (strcmp(request->path, "/work") == 0) {
        working++;
        if (pass_gate(request->job, &refusal.err))
            say(answer, "worked");
        else
            answer_refuse(answer, &refusal);
        working--;
    } else {
        const struct weft_held *held =
            weft_prepare(service.shelf, &slow, &none, &number, sizeof number, request->job,
                         &refusal.err);
        if (held)
            say(answer, "prepared");
        else
            answer_refuse(answer, &refusal);
        weft_release(held);
    }
}

/* ---- Clients ---- */

static int ask(const char *path, const char *parameters)
{
    char text[512];
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_port = htons((uint16_t)options.access.port),
                                         .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    int n = snprintf(text, sizeof text,
                     "GET %s?token=t&%s HTTP/1.1\r\nHost: localhost:%u\r\n"
                     "Connection: close\r\n\r\n",
                     path, parameters, options.access.port);
    assert_int_equal(write(fd, text, (size_t)n), n);
    return fd;
}

static char reply[4096]; /* the latest answer, with its head */

/* The status of the answer, when it has come. */
static int status_of(int fd)
{
    size_t have = 0;
    for (ssize_t n; (n = read(fd, reply + have, sizeof reply - 1 - have)) > 0;)
        have += (size_t)n;
    reply[have] = '\0';
    close(fd);
    int status = 0;
    assert_int_equal(sscanf(reply, "HTTP/1.1 %d", &status), 1);
    return status;
}

static size_t waiting(void)
{
    return weft_shelf_count(service.shelf).n_waiting;
}

static int prepare(int number)
{
    char text[32];
    snprintf(text, sizeof text, "number=%d", number);
    return ask("/prepare", text);
}

/* ---- Life ---- */

static unsigned longest_ms; /* of the next server */

static int begin(void **state)
{
    (void)state;
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof address;
    struct weft_err err;
    gate = false;
    made = stopped = working = 0;
    service.shelf = weft_shelf_new();
    weft_shelf_set_patience(service.shelf, 0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 256) != 0
        || getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return -1;
    options =
        (struct http_options){ .access = { .token = "t", .port = ntohs(address.sin_port) },
                               .most_connections = 200,
                               .longest_ms = longest_ms };
    http = http_start(&service, &options, fd, &err);
    return http ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    http_stop(http);
    weft_shelf_free(service.shelf);
    return 0;
}

/* ---- Tests ---- */

static void slow_panels_do_not_keep_quick_ones(void **state)
{
    (void)state;
    int slow_ones[2 * WORKERS];
    for (int i = 0; i < 2 * WORKERS; i++)
        slow_ones[i] = prepare(i);
    UNTIL(waiting() == 2 * WORKERS);
    for (int i = 0; i < 10; i++)
        assert_int_equal(status_of(ask("/quick", "")), 200);
    assert_int_equal(made, 0);
    gate = true;
    for (int i = 0; i < 2 * WORKERS; i++)
        assert_int_equal(status_of(slow_ones[i]), 200);
    assert_int_equal(made, 2 * WORKERS);
    /* The places that were lent are given back. */
    gate = false;
    int all[3 * WORKERS];
    for (int i = 0; i < 3 * WORKERS; i++)
        all[i] = ask("/work", "");
    UNTIL(working == WORKERS);
    gate = true;
    for (int i = 0; i < 3 * WORKERS; i++)
        assert_int_equal(status_of(all[i]), 200);
}

static void not_more_than_so_many_are_worked_on(void **state)
{
    (void)state;
    int slow_ones[2 * WORKERS], busy[WORKERS];
    for (int i = 0; i < 2 * WORKERS; i++)
        slow_ones[i] = prepare(i);
    UNTIL(waiting() == 2 * WORKERS);
    for (int i = 0; i < WORKERS; i++)
        busy[i] = ask("/work", "");
    UNTIL(working == WORKERS);
    int late = ask("/work", "");
    usleep(20000); /* it has time to do wrong; nothing depends on how much */
    assert_int_equal(working, WORKERS);
    gate = true;
    for (int i = 0; i < 2 * WORKERS; i++)
        assert_int_equal(status_of(slow_ones[i]), 200);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(status_of(busy[i]), 200);
    assert_int_equal(status_of(late), 200);
}

static void when_too_many_wait_the_next_is_told(void **state)
{
    (void)state;
    int slow_ones[MAX_WAITING];
    for (int i = 0; i < MAX_WAITING; i++)
        slow_ones[i] = prepare(i % 7);
    UNTIL(waiting() == MAX_WAITING);
    assert_int_equal(status_of(prepare(3)), 503);
    assert_int_equal(status_of(ask("/quick", "")), 200);
    gate = true;
    for (int i = 0; i < MAX_WAITING; i++)
        assert_int_equal(status_of(slow_ones[i]), 200);
    assert_int_equal(made, 7);
    assert_int_equal(status_of(prepare(8)), 200);
}

static void a_client_that_leaves_ends_its_work(void **state)
{
    (void)state;
    int preparing = prepare(1), busy = ask("/work", "");
    UNTIL(waiting() == 1 && working == 1);
    close(preparing);
    UNTIL(stopped == 1 && weft_shelf_count(service.shelf).n_makings == 0);
    assert_int_equal(waiting(), 0);
    close(busy);
    UNTIL(working == 0);
    assert_int_equal(stopped, 2);
    int silent = ask("/silent", "");
    UNTIL(working == 1);
    close(silent);
    UNTIL(working == 0);
    /* Its connection is given back too: the server answers as before. */
    gate = true;
    assert_int_equal(status_of(prepare(1)), 200);
}

static void a_newer_request_of_a_panel_finds_the_making(void **state)
{
    (void)state;
    weft_shelf_set_patience(service.shelf, UINT32_MAX);
    int first = ask("/prepare", "number=5&panel=a");
    UNTIL(waiting() == 1);
    int other = ask("/prepare", "number=5&panel=b");
    UNTIL(waiting() == 2);
    int newer = ask("/prepare", "number=5&panel=a");
    assert_int_equal(status_of(first), 409);
    UNTIL(waiting() == 2);
    gate = true;
    assert_int_equal(status_of(newer), 200);
    assert_int_equal(status_of(other), 200);
    assert_int_equal(made, 1);
}

/* It is not told as cancelled: who asks again would wait for ever. */
static void what_takes_too_long_is_told(void **state)
{
    end(state);
    longest_ms = 1;
    assert_int_equal(begin(state), 0);
    assert_int_equal(status_of(ask("/work", "")), 504);
    assert_non_null(strstr(reply, "longer than 0.001 s"));
    assert_int_equal(status_of(prepare(1)), 504);
    UNTIL(stopped == 2);
    longest_ms = 0;
}

static void stopping_waits_for_nothing_slow(void **state)
{
    (void)state;
    int slow_ones[WORKERS + 2];
    for (int i = 0; i < WORKERS + 2; i++)
        slow_ones[i] = prepare(i);
    UNTIL(waiting() == WORKERS + 2);
    end(state);
    assert_int_equal(made, 0);
    assert_int_equal(stopped, WORKERS + 2);
    for (int i = 0; i < WORKERS + 2; i++)
        close(slow_ones[i]);
    assert_int_equal(begin(state), 0);
}

static void a_lost_wake_up_leaves_no_request_waiting(void **state)
{
    (void)state;
    forgetful = true;
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_of(ask("/quick", "")), 200);
    forgetful = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lost_wake_up_leaves_no_request_waiting, begin,
                                        end),
        cmocka_unit_test_setup_teardown(slow_panels_do_not_keep_quick_ones, begin, end),
        cmocka_unit_test_setup_teardown(not_more_than_so_many_are_worked_on, begin, end),
        cmocka_unit_test_setup_teardown(when_too_many_wait_the_next_is_told, begin, end),
        cmocka_unit_test_setup_teardown(a_client_that_leaves_ends_its_work, begin, end),
        cmocka_unit_test_setup_teardown(a_newer_request_of_a_panel_finds_the_making, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_takes_too_long_is_told, begin, end),
        cmocka_unit_test_setup_teardown(stopping_waits_for_nothing_slow, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
