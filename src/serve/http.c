/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP: receive a request, check that it may pass, give it to a worker, send the answer.
 *
 * One thread (libmicrohttpd's) watches all connections; a request whose head and body are
 * complete is put into a queue and its connection suspended until a worker has answered
 * (http_workers.c).  So a thousand slow connections cost some memory and no thread.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "serve/http_priv.h"

enum { IDLE_SECONDS = 20 }; /* without a byte, after which a connection is closed */

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

static void add_headers(struct MHD_Response *response, const struct answer *answer,
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
    bool page = answer->static_content != NULL;
    MHD_add_response_header(response, "Content-Security-Policy",
                            page ? routes_page_policy
                                 : "default-src 'none'; style-src 'unsafe-inline'; "
                                   "img-src data:; sandbox");
    MHD_add_response_header(response, "Content-Type", answer->type);
    if (answer->gzip)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    if (answer->damaged) {
        char value[24];
        snprintf(value, sizeof value, "%zu", answer->damaged);
        MHD_add_response_header(response, "Weft-Damaged", value);
    }
    if (answer->filename) {
        char value[300];
        snprintf(value, sizeof value, "attachment; filename=\"%s\"", answer->filename);
        MHD_add_response_header(response, "Content-Disposition", value);
    }
}

static enum MHD_Result send_answer(struct call *call)
{
    struct answer *answer = &call->answer;
    struct MHD_Response *response;
    if (answer->static_content)
        response = MHD_create_response_from_buffer(
            answer->size, (void *)answer->static_content, MHD_RESPMEM_PERSISTENT);
    else
        response = MHD_create_response_from_buffer(answer->size, answer->content,
                                                   MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    answer->content = NULL; /* the response owns it now */
    add_headers(response, answer, !call->answered);
    enum MHD_Result result = MHD_queue_response(call->connection, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- Receiving ---- */

static enum MHD_Result keep_parameter(void *user, enum MHD_ValueKind kind, const char *name,
                                      size_t name_size, const char *value,
                                      size_t value_size)
{
    struct call *call = user;
    struct request *request = &call->request;
    (void)kind;
    if (request->n_parameters == LIMIT_PARAMETERS)
        call->fault = "too many parameters";
    else if (strlen(name) != name_size || (value && strlen(value) != value_size))
        call->fault = "a parameter has a NUL byte";
    if (call->fault)
        return MHD_NO;
    call->parameters[request->n_parameters++] =
        (struct parameter){ weft_arena_strdup(&call->arena, name),
                            weft_arena_strdup(&call->arena, value ? value : "") };
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
 * A head that can be read in two ways is refused: a proxy in front of this server may have
 * read it in the other one (RFC 9112, sections 3.2 and 6.3).
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
 * libmicrohttpd calls this with the whole address before it takes it apart.  When that
 * takes more memory than a connection has, it says nothing and keeps the connection: so
 * those with too many parameters are answered here.
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

static struct call *begin(struct http *http, struct MHD_Connection *connection,
                          const char *url, bool post)
{
    struct call *call = weft_zalloc(1, sizeof *call);
    call->http = http;
    call->connection = connection;
    call->job.waits = workers_lend_place;
    call->job.user = call;
    call->request = (struct request){
        .path = weft_arena_strdup(&call->arena, access_path(&http->options.access, url)),
        .post = post,
        .parameters = call->parameters,
        .service = http->service,
        .job = &call->job,
    };
    call->fault = ambiguity(connection);
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, keep_parameter, call);
    return call;
}

static enum MHD_Result fail(struct call *call, unsigned status, const char *text)
{
    answer_fail(&call->answer, status, text);
    return send_answer(call);
}

static bool keep_body(struct call *call, const char *data, size_t size)
{
    struct http *http = call->http;
    if (size > LIMIT_BODY - call->body_size)
        return false;
    size_t before = call->body_room;
    call->body = weft_grow(call->body, &call->body_room, call->body_size + size + 1, 1);
    http->bodies += call->body_room - before;
    if (http->bodies > LIMIT_BODIES)
        return false;
    memcpy(call->body + call->body_size, data, size);
    call->body_size += size;
    call->body[call->body_size] = '\0';
    return true;
}

/* libmicrohttpd calls this with the head, then with each part of the body, then without. */
static enum MHD_Result receive(void *user, struct MHD_Connection *connection,
                               const char *url, const char *method, const char *version,
                               const char *data, size_t *data_size, void **state)
{
    struct http *http = user;
    struct call *call = *state;
    (void)version;
    if (!call) {
        bool post = strcmp(method, "POST") == 0, get = strcmp(method, "GET") == 0;
        call = *state = begin(http, connection, url, post);
        unsigned status;
        const char *why = refusal(http, connection, &status);
        if (why)
            return fail(call, status, why);
        if (call->fault)
            return fail(call, 400, call->fault);
        if (!post && !get)
            return fail(call, 405, "only GET and POST are answered");
        const char *length =
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
        if (length && strtoll(length, NULL, 10) > LIMIT_BODY)
            return fail(call, 413, "the request is too large");
        return MHD_YES;
    }
    if (call->answered)
        return send_answer(call);
    if (*data_size) {
        if (!keep_body(call, data, *data_size))
            return MHD_NO; /* no answer can be sent within a body: close the connection */
        *data_size = 0;
        return MHD_YES;
    }
    if (call->body_size && memchr(call->body, 0, call->body_size))
        return fail(call, 400, "the body has a NUL byte: it must be text");
    call->request.body = call->body ? call->body : "";
    if (workers_give(call))
        return MHD_YES;
    return fail(call, 503, "too many requests wait already");
}

static void completed(void *user, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    struct call *call = *state;
    (void)user, (void)connection, (void)code;
    if (!call)
        return;
    call->http->bodies -= call->body_room;
    atomic_fetch_sub(&call->http->sending, call->sending);
    free(call->answer.content);
    free(call->body);
    weft_arena_free(&call->arena);
    free(call);
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
    if (workers_start(http))
        return http;
    weft_fail(err, WEFT_ERR_READ, "cannot start a thread");
    http_stop(http);
    return NULL;
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    workers_stop(http);
    MHD_stop_daemon(http->daemon);
    pthread_cond_destroy(&http->watch);
    pthread_cond_destroy(&http->work);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
