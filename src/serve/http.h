/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server: receives requests and sends the answers that routes make. */
#ifndef WEFT_SERVE_HTTP_H
#define WEFT_SERVE_HTTP_H

#include <sys/socket.h>

#include "serve/access.h"
#include "serve/service.h"

struct http_options { /* borrowed for as long as the server runs */
    struct access_rules access;
    unsigned most_connections;
    unsigned longest_ms; /* of work for one answer; 0: 300 s */
};

struct http;

/* Serve on a listening SOCKET, which http_stop() closes; NULL with *ERR. */
struct http *http_start(struct service *service, const struct http_options *options,
                        int socket, struct weft_err *err) WEFT_MUST_CHECK;
void http_stop(struct http *http);

#endif
