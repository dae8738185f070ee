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

/* Numbers of worker threads. */
enum {
    WORKERS = 4, /* threads at work: a view uses further processors by itself */
    /* Most worker threads, with those that wait for another: each costs little but a stack.
     */
    MAX_THREADS = 64,
};

/* A request and its answer, from its first header to its last byte. */
struct call {
    struct http *http;
    struct MHD_Connection *connection;
    struct request request;
    struct answer answer;
    struct weft_arena arena; /* of parameters and path; all else is in the worker's */
    struct parameter parameters[LIMIT_PARAMETERS];
    const char *fault; /* in the head, for which the request is refused; or NULL */
    char *body;        /* received so far, terminated; NULL: nothing yet */
    size_t body_size, body_room; /* bytes without the NUL; bytes allocated */
    size_t sending;              /* bytes of the answer that count in http.sending */
    struct weft_job job; /* of the work on the answer; cancelled when nobody needs it */
    bool answered;       /* a worker has set `answer`, which is to be sent */
    _Atomic bool late;   /* it took longer than an answer may */
    bool refused;        /* it may not wait: too many requests wait already */
    int socket;          /* the connection's */
    int64_t began;       /* when a worker took it; monotonic, ms */
    struct call *next;   /* in the queue `first` to `last`, or in the list `busy` */
};

/* The running server; `lock` protects the queue of requests and the numbers of threads. */
struct http {
    struct service *service;
    struct http_options options;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    pthread_cond_t work; /* a request was queued, or one worker more may work */
    /*
     * The queue, and where its next request is linked; the requests that workers work on,
     * also while these wait.
     */
    struct call *first, **last, *busy;
    size_t n_waiting; /* requests in the queue */
    bool stopping;    /* workers_stop() was called: threads end */
    /* n_lent: requests whose worker waits for another thread; n_active: those that are
       worked on, without these.  Together they are the list `busy`. */
    unsigned n_lent, n_active;
    unsigned n_workers; /* threads: WORKERS more than the greatest n_lent so far */
    pthread_t workers[MAX_THREADS];
    pthread_t watcher;
    bool has_watcher;
    pthread_cond_t watch; /* a request is worked on, or the server stops */
    size_t bodies; /* bytes of all bodies; used by the thread of the connections alone */
    _Atomic size_t sending; /* bytes of all answers that are kept */
};

/*
 * Starts the WORKERS worker threads, and the one that cancels requests that take too long
 * or whose clients have left; false if some thread cannot be started: then call
 * workers_stop().
 */
bool workers_start(struct http *http);
/*
 * Cancels all requests, has workers answer those in the queue, and waits until all workers
 * have ended; workers_give() takes none any more.
 */
void workers_stop(struct http *http);

/*
 * Gives a request that is complete to the workers, suspends its connection until a worker
 * has answered, and cancels earlier requests of the same panel (parameter panel=).
 * Returns false, without effect, if too many wait already or the server stops.
 */
bool workers_give(struct call *call);

/*
 * Function `waits` of the job of a request, CALL (a struct call;
 * base/progress_and_cancel.h).  BEGINS: its worker is about to wait, and another may work
 * meanwhile; false, and call->refused is set, if there would be more than MAX_THREADS or no
 * thread can be started.  Else the wait has ended.
 */
bool workers_lend_place(struct weft_job *job, void *call, bool begins);

#endif
