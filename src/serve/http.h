/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server: receives requests and sends the answers that routes make. */
#ifndef WEFT_SERVE_HTTP_H
#define WEFT_SERVE_HTTP_H

#include <sys/socket.h>

#include "serve/access.h"
#include "serve/server_state.h"

struct http_options {           /* http_start() copies it, but borrows its texts */
    struct access_rules access; /* which requests are answered */
    unsigned most_connections;  /* open at a time; further ones are not accepted */
    unsigned longest_ms;        /* of work for one answer, then 504; 0: 300 s */
};

/* A running HTTP server; http_start() makes it, http_stop() frees it. */
struct http;

/*
 * Serves on a listening SOCKET, on threads of its own, until http_stop(), which closes it.
 * SERVICE and the texts of *OPTIONS are borrowed until then.  NULL with WEFT_ERR_WRITE if
 * the server cannot be started, or WEFT_ERR_READ if a thread cannot; SOCKET must not be
 * used afterwards in any case.
 */
struct http *http_start(struct service *service, const struct http_options *options,
                        int socket, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Cancels all requests, waits for the threads, closes the socket and frees HTTP, which may
 * be NULL.
 */
void http_stop(struct http *http);

#endif
