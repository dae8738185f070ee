/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that work on requests.
 *
 * WORKERS requests are worked on at a time.  A request that waits for another thread, which
 * opens its trace or prepares what its view needs, does not count: another worker takes its
 * place, so that a quick request does not wait behind slow ones.
 *
 * A thread of its own looks whether clients are still there and cancels the jobs of those
 * that have left: a job is seen wherever the work is, also where it tells nobody how far it
 * is.
 */
#define _GNU_SOURCE /* POLLRDHUP */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "serve/http_priv.h"

enum {
    /* Requests in the queue; further ones are refused, as the page sends far fewer. */
    MAX_WAITING = 512,
    LONGEST_SECONDS = 300, /* of work for one answer: nobody waits longer */
    LOOK_MS = 25,          /* between two looks whether the clients have left */
    PATIENCE_MS = 250,     /* of a worker that nobody wakes, until it looks by itself */
    ARENA_KEPT = 64 << 20, /* bytes that a worker keeps from one request to the next */
};

/* Cancel an earlier request of the same panel: its picture would not be shown. */
static void supersede(struct http *http, const struct call *newer)
{
    const char *panel = request_get(&newer->request, "panel");
    struct call *lists[2] = { http->first, http->busy };
    for (int i = 0; panel && i < 2; i++)
        for (struct call *r = lists[i]; r; r = r->next) {
            const char *other = request_get(&r->request, "panel");
            if (r != newer && other && strcmp(other, panel) == 0)
                atomic_store(&r->job.cancelled, true);
        }
}

static int64_t milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct timespec milliseconds_from_now(long milliseconds)
{
    struct timespec then;
    clock_gettime(CLOCK_MONOTONIC, &then);
    then.tv_nsec += milliseconds * 1000000L;
    then.tv_sec += then.tv_nsec / 1000000000;
    then.tv_nsec %= 1000000000;
    return then;
}

/* Several wait for `work`: until version 2.41 the GNU library may forget to wake one of
   several (its bug 25847).  For `watch` one thread waits. */
static struct call *next_request(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    while (!http->stopping && (!http->first || http->n_active >= WORKERS)) {
        struct timespec then = milliseconds_from_now(PATIENCE_MS);
        pthread_cond_timedwait(&http->work, &http->lock, &then);
    }
    struct call *call = http->first;
    if (call) {
        http->n_active++;
        http->first = call->next;
        if (!http->first)
            http->last = &http->first;
        http->n_waiting--;
        call->next = http->busy;
        call->began = milliseconds_now();
        http->busy = call;
        pthread_cond_signal(&http->watch);
    }
    pthread_mutex_unlock(&http->lock);
    return call;
}

static void put_back(struct http *http, struct call *call)
{
    pthread_mutex_lock(&http->lock);
    struct call **at = &http->busy;
    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    call->answered = true;
    call->sending = call->answer.content ? call->answer.size : 0;
    atomic_fetch_add(&http->sending, call->sending);
    http->n_active--;
    pthread_cond_signal(&http->work);
    pthread_mutex_unlock(&http->lock);
    MHD_resume_connection(call->connection); /* the request may be freed from here on */
}

/* True when the client has closed its end.  While the connection is suspended no other
   thread reads or closes the socket. */
static bool has_left(const struct call *call)
{
    struct pollfd at = { call->socket, POLLRDHUP, 0 };
    return call->socket >= 0 && poll(&at, 1, 0) == 1
           && (at.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static void wait_until_next_look(struct http *http)
{
    struct timespec then = milliseconds_from_now(LOOK_MS);
    while (!http->stopping
           && pthread_cond_timedwait(&http->watch, &http->lock, &then) != ETIMEDOUT)
        ;
}

/* Returns for how many milliseconds an answer may be worked on. */
static unsigned longest_of(const struct http *http)
{
    return http->options.longest_ms ? http->options.longest_ms : LONGEST_SECONDS * 1000;
}

/* Cancels requests that take too long, or whose clients have left. */
static void *watch(void *argument)
{
    struct http *http = argument;
    int64_t longest = longest_of(http);
    pthread_mutex_lock(&http->lock);
    while (!http->stopping) {
        int64_t now = milliseconds_now();
        for (struct call *r = http->busy; r; r = r->next) {
            if (now - r->began > longest)
                atomic_store(&r->late, true);
            if (atomic_load(&r->late) || has_left(r))
                atomic_store(&r->job.cancelled, true);
        }
        if (http->busy)
            wait_until_next_look(http);
        else
            pthread_cond_wait(&http->watch, &http->lock);
    }
    pthread_mutex_unlock(&http->lock);
    return NULL;
}

static void *work(void *argument);

/* With the lock held. */
static void add_worker(struct http *http)
{
    if (!http->stopping
        && pthread_create(&http->workers[http->n_workers], NULL, work, http) == 0)
        http->n_workers++;
}

bool workers_lend_place(struct weft_job *job, void *user, bool begins)
{
    struct call *call = user;
    struct http *http = call->http;
    (void)job;
    pthread_mutex_lock(&http->lock);
    unsigned need = http->n_lent + 1 + WORKERS;
    if (begins && need > http->n_workers && need <= MAX_THREADS)
        add_worker(http);
    /*
     * With MAX_THREADS no further request may wait: these workers answer quick requests.
     */
    bool ok = !begins || need <= http->n_workers;
    if (ok) {
        http->n_lent += begins ? 1 : -1;
        http->n_active += begins ? -1 : 1; /* may exceed WORKERS until one has answered */
        pthread_cond_signal(&http->work);
    }
    call->refused |= !ok;
    pthread_mutex_unlock(&http->lock);
    return ok;
}

static void make_answer(struct call *call)
{
    struct answer *answer = &call->answer;
    struct refusal refusal = { 0 };
    if (weft_job_cancelled(&call->job) || has_left(call))
        refuse(&refusal, 409, "cancelled");
    else if (atomic_load(&call->http->sending) > LIMIT_ANSWERS)
        refuse(&refusal, 503, "too many long answers are being sent; ask again");
    else
        routes_answer(&call->request, answer);
    /* A client that is told of a cancellation asks again, and would do so for ever. */
    if (answer->status == 409 && atomic_load(&call->late))
        refuse(&refusal, 504,
               "this takes longer than %g s, and was given up (less time, or fewer "
               "rows, may be quicker)",
               longest_of(call->http) / 1000.0);
    if (call->refused)
        refuse(&refusal, 503, "too many requests wait for traces and trees already");
    if (refusal.status)
        answer_refuse(answer, &refusal);
}

static void *work(void *argument)
{
    struct http *http = argument;
    struct weft_arena arena = { .most = LIMIT_SCENE };
    for (struct call *call; (call = next_request(http));) {
        call->request.arena = &arena;
        make_answer(call);
        if (arena.used > ARENA_KEPT)
            weft_arena_free(&arena);
        else
            weft_arena_reset(&arena);
        put_back(http, call);
    }
    weft_arena_free(&arena);
    return NULL;
}

bool workers_give(struct call *call)
{
    struct http *http = call->http;
    pthread_mutex_lock(&http->lock);
    bool full = http->n_waiting >= MAX_WAITING || http->stopping;
    if (!full) {
        supersede(http, call);
        call->next = NULL;
        *http->last = call;
        http->last = &call->next;
        http->n_waiting++;
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(call->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        call->socket = info ? info->connect_fd : -1;
        MHD_suspend_connection(call->connection);
        pthread_cond_signal(&http->work);
    }
    pthread_mutex_unlock(&http->lock);
    return !full;
}

bool workers_start(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    for (int i = 0; i < WORKERS; i++)
        add_worker(http);
    http->has_watcher = http->n_workers == WORKERS
                        && pthread_create(&http->watcher, NULL, watch, http) == 0;
    pthread_mutex_unlock(&http->lock);
    return http->has_watcher;
}

void workers_stop(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    http->stopping = true;
    for (struct call *r = http->first; r; r = r->next)
        atomic_store(&r->job.cancelled, true);
    for (struct call *r = http->busy; r; r = r->next)
        atomic_store(&r->job.cancelled, true);
    pthread_cond_broadcast(&http->work);
    pthread_cond_signal(&http->watch);
    pthread_mutex_unlock(&http->lock);
    if (http->has_watcher)
        pthread_join(http->watcher, NULL);
    /* `stopping` is set: none is added now */
    for (unsigned i = 0; i < http->n_workers; i++)
        pthread_join(http->workers[i], NULL);
}
