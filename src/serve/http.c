/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP: receive a request, check that it may pass, give it to a worker, send the answer.
 *
 * One thread (libmicrohttpd's) watches all connections; a request whose head and body are
 * complete is put into a queue and its connection suspended until a worker has answered.  So
 * a thousand slow connections cost some memory and no thread.
 *
 * WORKERS requests are worked on at a time.  A request that waits for another thread, which
 * opens its trace or prepares what its view needs, does not count: another worker takes its
 * place, so that a quick request does not wait behind slow ones.
 *
 * A thread of its own looks whether clients are still there and cancels the jobs of those that
 * have left: a job is seen wherever the work is, also where it tells nobody how far it is.
 */
#define _GNU_SOURCE /* POLLRDHUP */
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "serve/http.h"
#include "serve/request_limits.h"
#include "serve/routes.h"

enum {
    WORKERS = 4, /* threads at work: a view uses further processors by itself */
    /* Workers, with those that wait: each costs little but a stack. */
    MOST_THREADS = 64,
    /* Requests in the queue; further ones are refused, as the page sends far fewer. */
    MOST_WAITING = 512,
    IDLE_SECONDS = 20,     /* without a byte, after which a connection is closed */
    LONGEST_SECONDS = 300, /* of work for one answer: nobody waits longer */
    LOOK_MS = 25,          /* between two looks whether the clients have left */
    PATIENCE_MS = 250,     /* of a worker that nobody wakes, until it looks by itself */
    ARENA_KEPT = 64 << 20, /* bytes that a worker keeps from one request to the next */
};

/* A request from its first header to its last byte. */
struct request {
    struct http *http;
    struct MHD_Connection *connection;
    struct exchange exchange;
    struct weft_arena arena; /* of parameters and path; all else is in the worker's */
    struct parameter parameters[LIMIT_PARAMETERS];
    const char *fault; /* of the head: it is refused; or NULL */
    char *body;
    size_t body_size, body_room;
    size_t sending; /* bytes of the answer, as long as it is kept */
    struct weft_job job;
    bool answered;
    _Atomic bool late;    /* it took longer than an answer may */
    bool refused;         /* too many requests wait already */
    int socket;           /* the connection's */
    int64_t began;        /* when a worker took it; monotonic, ms */
    struct request *next; /* in the queue, or in the list of those at work */
};

struct http {
    struct service *service;
    struct http_options options;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct request *first, **last, *busy;
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

static const char *refusal(const struct http *http, struct MHD_Connection *connection,
                           unsigned *status)
{
    const struct access_claim claim = {
        .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
        .origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
        .authorization =
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"),
        .token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token"),
    };
    return access_refusal(&http->options.access, &claim, status);
}

/* ---- Answers ---- */

static void add_headers(struct MHD_Response *response, const struct exchange *exchange,
                        bool closes)
{
    static const char *const always[][2] = {
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Cache-Control", "no-store" },
    };
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        MHD_add_response_header(response, always[i][0], always[i][1]);
    if (closes) /* nobody may take what follows for another request */
        MHD_add_response_header(response, "Connection", "close");
    bool page = exchange->static_content != NULL;
    MHD_add_response_header(response, "Content-Security-Policy",
                            page ? routes_page_policy
                                 : "default-src 'none'; style-src 'unsafe-inline'; "
                                   "img-src data:; sandbox");
    MHD_add_response_header(response, "Content-Type", exchange->type);
    if (exchange->gzip)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    if (exchange->damaged) {
        char value[24];
        snprintf(value, sizeof value, "%zu", exchange->damaged);
        MHD_add_response_header(response, "Weft-Damaged", value);
    }
    if (exchange->filename) {
        char value[300];
        snprintf(value, sizeof value, "attachment; filename=\"%s\"", exchange->filename);
        MHD_add_response_header(response, "Content-Disposition", value);
    }
}

static enum MHD_Result send_answer(struct request *request)
{
    struct exchange *exchange = &request->exchange;
    struct MHD_Response *response;
    if (exchange->static_content)
        response = MHD_create_response_from_buffer(
            exchange->size, (void *)exchange->static_content, MHD_RESPMEM_PERSISTENT);
    else
        response = MHD_create_response_from_buffer(exchange->size, exchange->content,
                                                   MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    exchange->content = NULL; /* the response owns it now */
    add_headers(response, exchange, !request->answered);
    enum MHD_Result result =
        MHD_queue_response(request->connection, exchange->status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- Workers ---- */

/* Cancel an earlier request of the same panel: its picture would not be shown. */
static void supersede(struct http *http, const struct request *newer)
{
    const char *panel = exchange_get(&newer->exchange, "panel");
    struct request *lists[2] = { http->first, http->busy };
    for (int i = 0; panel && i < 2; i++)
        for (struct request *r = lists[i]; r; r = r->next) {
            const char *other = exchange_get(&r->exchange, "panel");
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

/* Several wait for `work`: until version 2.41 the GNU library may forget to wake one of several
 * (its bug 25847).  For `watch` one thread waits. */
static struct request *take(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    while (!http->stopping && (!http->first || http->n_active >= WORKERS)) {
        struct timespec then = milliseconds_from_now(PATIENCE_MS);
        pthread_cond_timedwait(&http->work, &http->lock, &then);
    }
    struct request *request = http->first;
    if (request) {
        http->n_active++;
        http->first = request->next;
        if (!http->first)
            http->last = &http->first;
        http->n_waiting--;
        request->next = http->busy;
        request->began = milliseconds_now();
        http->busy = request;
        pthread_cond_signal(&http->watch);
    }
    pthread_mutex_unlock(&http->lock);
    return request;
}

static void put_back(struct http *http, struct request *request)
{
    pthread_mutex_lock(&http->lock);
    struct request **at = &http->busy;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    request->answered = true;
    request->sending = request->exchange.content ? request->exchange.size : 0;
    atomic_fetch_add(&http->sending, request->sending);
    http->n_active--;
    pthread_cond_signal(&http->work);
    pthread_mutex_unlock(&http->lock);
    MHD_resume_connection(request->connection); /* the request may be freed from here on */
}

/* True when the client has closed its end.  While the connection is suspended no other thread
 * reads or closes the socket. */
static bool has_left(const struct request *request)
{
    struct pollfd at = { request->socket, POLLRDHUP, 0 };
    return request->socket >= 0 && poll(&at, 1, 0) == 1
           && (at.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static void wait_until_next_look(struct http *http)
{
    struct timespec then = milliseconds_from_now(LOOK_MS);
    while (!http->stopping
           && pthread_cond_timedwait(&http->watch, &http->lock, &then) != ETIMEDOUT)
        ;
}

/* Cancels requests that take too long, or whose clients have left. */
static void *watch(void *argument)
{
    struct http *http = argument;
    int64_t longest =
        http->options.longest_ms ? http->options.longest_ms : LONGEST_SECONDS * 1000;
    pthread_mutex_lock(&http->lock);
    while (!http->stopping) {
        int64_t now = milliseconds_now();
        for (struct request *r = http->busy; r; r = r->next) {
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

/*
 * BEGINS: a worker is about to wait, and lends its place to another; else it takes it back.
 */
static bool lend_place(struct weft_job *job, void *user, bool begins)
{
    struct request *request = user;
    struct http *http = request->http;
    (void)job;
    pthread_mutex_lock(&http->lock);
    unsigned need = http->n_lent + 1 + WORKERS;
    if (begins && need > http->n_workers && need <= MOST_THREADS)
        add_worker(http);
    /*
     * With MOST_THREADS no further request may wait: these workers answer quick requests.
     */
    bool ok = !begins || need <= http->n_workers;
    if (ok) {
        http->n_lent += begins ? 1 : -1;
        http->n_active += begins ? -1 : 1; /* may exceed WORKERS until one has answered */
        pthread_cond_signal(&http->work);
    }
    request->refused |= !ok;
    pthread_mutex_unlock(&http->lock);
    return ok;
}

static void answer(struct request *request)
{
    struct exchange *exchange = &request->exchange;
    if (weft_job_cancelled(&request->job) || has_left(request)) {
        exchange_fail(exchange, 409, "cancelled");
        return;
    }
    if (atomic_load(&request->http->sending) > LIMIT_ANSWERS) {
        exchange_fail(exchange, 503, "too many long answers are being sent; ask again");
        return;
    }
    routes_answer(exchange);
    /* Whoever is told that it was cancelled asks again, and would do so for ever. */
    if (exchange->status == 409 && atomic_load(&request->late))
        exchange_fail(exchange, 504,
                      "this takes longer than %d s, and was given up (less time, or fewer "
                      "rows, may be quicker)",
                      LONGEST_SECONDS);
    if (request->refused)
        exchange_fail(exchange, 503, "too many requests wait for traces and trees already");
}

static void *work(void *argument)
{
    struct http *http = argument;
    struct weft_arena arena = { .most = LIMIT_SCENE };
    for (struct request *request; (request = take(http));) {
        request->exchange.arena = &arena;
        answer(request);
        if (arena.used > ARENA_KEPT)
            weft_arena_free(&arena);
        else
            weft_arena_reset(&arena);
        put_back(http, request);
    }
    weft_arena_free(&arena);
    return NULL;
}

static enum MHD_Result enqueue(struct request *request)
{
    struct http *http = request->http;
    pthread_mutex_lock(&http->lock);
    bool full = http->n_waiting >= MOST_WAITING || http->stopping;
    if (!full) {
        supersede(http, request);
        request->next = NULL;
        *http->last = request;
        http->last = &request->next;
        http->n_waiting++;
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        request->socket = info ? info->connect_fd : -1;
        MHD_suspend_connection(request->connection);
        pthread_cond_signal(&http->work);
    }
    pthread_mutex_unlock(&http->lock);
    if (!full)
        return MHD_YES;
    exchange_fail(&request->exchange, 503, "too many requests wait already");
    return send_answer(request);
}

/* ---- Receiving ---- */

static enum MHD_Result keep_parameter(void *user, enum MHD_ValueKind kind, const char *name,
                                      size_t name_size, const char *value,
                                      size_t value_size)
{
    struct request *request = user;
    struct exchange *exchange = &request->exchange;
    (void)kind;
    if (exchange->n_parameters == LIMIT_PARAMETERS)
        request->fault = "too many parameters";
    else if (strlen(name) != name_size || (value && strlen(value) != value_size))
        request->fault = "a parameter has a NUL byte";
    if (request->fault)
        return MHD_NO;
    request->parameters[exchange->n_parameters++] =
        (struct parameter){ weft_arena_strdup(&request->arena, name),
                            weft_arena_strdup(&request->arena, value ? value : "") };
    return MHD_YES;
}

struct heads { /* how often a head has what there may be one of */
    unsigned hosts, lengths, encodings;
};

static enum MHD_Result count_head(void *user, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    struct heads *heads = user;
    (void)kind, (void)value;
    heads->hosts += strcasecmp(name, "Host") == 0;
    heads->lengths += strcasecmp(name, "Content-Length") == 0;
    heads->encodings += strcasecmp(name, "Transfer-Encoding") == 0;
    return MHD_YES;
}

/*
 * What can be read in two ways is refused: a proxy in front of this server may have read it in
 * the other one (RFC 9112, sections 3.2 and 6.3).
 */
static const char *ambiguity(struct MHD_Connection *connection)
{
    struct heads heads = { 0 };
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_head, &heads);
    return heads.hosts > 1                    ? "more than one Host"
           : heads.lengths > 1                ? "more than one Content-Length"
           : heads.encodings && heads.lengths ? "Content-Length with Transfer-Encoding"
           : heads.encodings > 1              ? "more than one Transfer-Encoding"
                                              : NULL;
}

/*
 * libmicrohttpd calls this with the whole address before it takes it apart.  When that takes
 * more memory than a connection has, it says nothing and keeps the connection: so those with
 * too many parameters are answered here.
 */
static void *look_at_address(void *user, const char *uri, struct MHD_Connection *connection)
{
    static const char text[] = "HTTP/1.1 414 URI Too Long\r\nConnection: close\r\n"
                               "Content-Type: application/json\r\n"
                               "Content-Length: 32\r\n\r\n"
                               "{\"error\":\"too many parameters\"}\n";
    size_t n = 0;
    (void)user;
    for (const char *at = strchr(uri, '?'); at; at = strchr(at + 1, '&'))
        n++;
    const union MHD_ConnectionInfo *info =
        n > LIMIT_PARAMETERS
            ? MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
            : NULL;
    if (info) {
        (void)!send(info->connect_fd, text, sizeof text - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(info->connect_fd, SHUT_WR); /* whatever is sent now fails and closes it */
    }
    return NULL; /* the state of the request, until it begins */
}

static struct request *begin(struct http *http, struct MHD_Connection *connection,
                             const char *url, bool post)
{
    struct request *request = weft_zalloc(1, sizeof *request);
    request->http = http;
    request->connection = connection;
    request->exchange.service = http->service;
    request->exchange.parameters = request->parameters;
    request->exchange.job = &request->job;
    request->job.waits = lend_place;
    request->job.user = request;
    request->exchange.post = post;
    request->exchange.path =
        weft_arena_strdup(&request->arena, access_path(&http->options.access, url));
    request->fault = ambiguity(connection);
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, keep_parameter, request);
    return request;
}

static enum MHD_Result refuse(struct request *request, unsigned status, const char *text)
{
    exchange_fail(&request->exchange, status, "%s", text);
    return send_answer(request);
}

static bool keep_body(struct request *request, const char *data, size_t size)
{
    struct http *http = request->http;
    if (size > LIMIT_BODY - request->body_size)
        return false;
    size_t before = request->body_room;
    request->body =
        weft_grow(request->body, &request->body_room, request->body_size + size + 1, 1);
    http->bodies += request->body_room - before;
    if (http->bodies > LIMIT_BODIES)
        return false;
    memcpy(request->body + request->body_size, data, size);
    request->body_size += size;
    request->body[request->body_size] = '\0';
    return true;
}

/* libmicrohttpd calls this with the head, then with each part of the body, then without. */
static enum MHD_Result receive(void *user, struct MHD_Connection *connection,
                               const char *url, const char *method, const char *version,
                               const char *data, size_t *data_size, void **state)
{
    struct http *http = user;
    struct request *request = *state;
    (void)version;
    if (!request) {
        bool post = strcmp(method, "POST") == 0, get = strcmp(method, "GET") == 0;
        request = *state = begin(http, connection, url, post);
        unsigned status;
        const char *why = refusal(http, connection, &status);
        if (why)
            return refuse(request, status, why);
        if (request->fault)
            return refuse(request, 400, request->fault);
        if (!post && !get)
            return refuse(request, 405, "only GET and POST are answered");
        const char *length =
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
        if (length && strtoll(length, NULL, 10) > LIMIT_BODY)
            return refuse(request, 413, "the request is too large");
        return MHD_YES;
    }
    if (request->answered)
        return send_answer(request);
    if (*data_size) {
        if (!keep_body(request, data, *data_size))
            return MHD_NO; /* no answer can be sent within a body: close the connection */
        *data_size = 0;
        return MHD_YES;
    }
    if (request->body_size && memchr(request->body, 0, request->body_size))
        return refuse(request, 400, "the body has a NUL byte: it must be text");
    request->exchange.body = request->body ? request->body : "";
    request->exchange.body_size = request->body_size;
    return enqueue(request);
}

static void completed(void *user, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    struct request *request = *state;
    (void)user, (void)connection, (void)code;
    if (!request)
        return;
    request->http->bodies -= request->body_room;
    atomic_fetch_sub(&request->http->sending, request->sending);
    free(request->exchange.content);
    free(request->body);
    weft_arena_free(&request->arena);
    free(request);
    *state = NULL;
}

/* ---- Life ---- */

struct http *http_start(struct service *service, const struct http_options *options,
                        int socket, struct weft_err *err)
{
    struct http *http = weft_zalloc(1, sizeof *http);
    http->service = service;
    http->options = *options;
    http->last = &http->first;
    pthread_mutex_init(&http->lock, NULL);
    pthread_condattr_t by_clock;
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&http->work, &by_clock);
    pthread_cond_init(&http->watch, &by_clock);
    pthread_condattr_destroy(&by_clock);
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, receive,
        http, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
        options->most_connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LIMIT_HEAD, MHD_OPTION_NOTIFY_COMPLETED,
        completed, NULL, MHD_OPTION_URI_LOG_CALLBACK, look_at_address, NULL,
        MHD_OPTION_END);
    if (!http->daemon) {
        weft_fail(err, WEFT_ERR_WRITE, "cannot start the HTTP server");
        free(http);
        return NULL;
    }
    pthread_mutex_lock(&http->lock);
    for (int i = 0; i < WORKERS; i++)
        add_worker(http);
    http->has_watcher = http->n_workers == WORKERS
                        && pthread_create(&http->watcher, NULL, watch, http) == 0;
    pthread_mutex_unlock(&http->lock);
    if (http->has_watcher)
        return http;
    weft_fail(err, WEFT_ERR_READ, "cannot start a thread");
    http_stop(http);
    return NULL;
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    pthread_mutex_lock(&http->lock);
    http->stopping = true;
    for (struct request *r = http->first; r; r = r->next)
        atomic_store(&r->job.cancelled, true);
    for (struct request *r = http->busy; r; r = r->next)
        atomic_store(&r->job.cancelled, true);
    pthread_cond_broadcast(&http->work);
    pthread_cond_signal(&http->watch);
    pthread_mutex_unlock(&http->lock);
    if (http->has_watcher)
        pthread_join(http->watcher, NULL);
    /* `stopping` is set: none is added now */
    for (unsigned i = 0; i < http->n_workers; i++)
        pthread_join(http->workers[i], NULL);
    MHD_stop_daemon(http->daemon);
    pthread_cond_destroy(&http->watch);
    pthread_cond_destroy(&http->work);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
