/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the parts of the HTTP server: http.c receives requests and sends
 * their answers, http_workers.c works on them.
 */
#ifndef WEFT_SERVE_HTTP_PRIV_H
#define WEFT_SERVE_HTTP_PRIV_H

#include <microhttpd.h>
#include <pthread.h>

#include "serve/http.h"
#include "serve/request_limits.h"
#include "serve/routes.h"

enum {
    WORKERS = 4, /* threads at work: a view uses further processors by itself */
    /* Workers, with those that wait: each costs little but a stack. */
    MOST_THREADS = 64,
};

/* A request and its answer, from its first header to its last byte. */
struct call {
    struct http *http;
    struct MHD_Connection *connection;
    struct request request;
    struct answer answer;
    struct weft_arena arena; /* of parameters and path; all else is in the worker's */
    struct parameter parameters[LIMIT_PARAMETERS];
    const char *fault; /* of the head: it is refused; or NULL */
    char *body;
    size_t body_size, body_room;
    size_t sending; /* bytes of the answer, as long as it is kept */
    struct weft_job job;
    bool answered;
    _Atomic bool late; /* it took longer than an answer may */
    bool refused;      /* too many requests wait already */
    int socket;        /* the connection's */
    int64_t began;     /* when a worker took it; monotonic, ms */
    struct call *next; /* in the queue, or in the list of those at work */
};

struct http {
    struct service *service;
    struct http_options options;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct call *first, **last, *busy;
    size_t n_waiting;
    bool stopping;
    /* Requests that wait for another thread, and requests that are worked on. */
    unsigned n_lent, n_active;
    unsigned n_workers; /* threads: WORKERS more than the greatest n_lent so far */
    pthread_t workers[MOST_THREADS];
    pthread_t watcher;
    bool has_watcher;
    pthread_cond_t watch; /* a request is at work, or the end has come */
    size_t bodies; /* bytes of all bodies; used by the thread of the connections alone */
    _Atomic size_t sending; /* bytes of all answers that are kept */
};

/* False: some thread cannot be started; workers_stop ends those that were. */
bool workers_start(struct http *http);
/* Cancel all requests, and wait until all workers have ended. */
void workers_stop(struct http *http);

/*
 * Give a request that is complete to the workers, and suspend its connection until one of
 * them has answered.  False: too many wait already.
 */
bool workers_give(struct call *call);

/*
 * For the job of a request.  BEGINS: its worker is about to wait, and lends its place to
 * another; else it takes it back.
 */
bool workers_lend_place(struct weft_job *job, void *call, bool begins);

#endif
