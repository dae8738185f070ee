/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workbench's server: scenes, tables, details, search and source excerpts of the given
 * traces, and the page that shows them, over HTTP.
 *
 * It trusts no client.  It listens on the loopback interface unless told otherwise; every
 * request must carry the token (in the query, or as "Authorization: Bearer"), a Host that
 * it was started for and, if the browser sends one, an Origin of its own.  No request names
 * a file: traces go by number, sources by their place in a trace, and only under the
 * folders that the user allows.  Sizes, numbers and times are limited.
 */
#ifndef WEFT_SERVE_SERVER_H
#define WEFT_SERVE_SERVER_H

#include "read/reader.h"
#include "view/view.h"

/* The options of weft_server_start(). */
struct weft_server_options {
    const char *const *paths; /* traces, or folders of them */
    size_t n_paths;
    const char *address;      /* to listen at, numeric; NULL: 127.0.0.1 */
    unsigned port;            /* 0: a free one */
    bool usual_port;          /* with port 0: equal for equal traces, if that is free */
    bool new_token;           /* makes a new token: the old one is no longer valid */
    const char *prefix;       /* "/user/me/proxy/8080" behind a reverse proxy, or NULL */
    const char *const *hosts; /* further names for Host and Origin, then NULL; or NULL */
    /* folders whose source files may be shown; ends with NULL; NULL: the current folder */
    const char *const *source_roots;
    const char *layout; /* the text, not the path, of a layout file for the page; or NULL */
    const char *filters; /* the text of a chain for requests without one; or NULL */
    const struct weft_views *views;   /* must outlive the server; NULL: those built in */
    struct weft_read_options reading; /* its texts must outlive the server */
};

/* A running server; weft_server_start() makes it, weft_server_stop() frees it. */
struct weft_server;

/*
 * Finds the traces, listens, and serves on threads of its own, until weft_server_stop().
 * OPTIONS are copied, except for the texts of their reading.  NULL with *ERR:
 * WEFT_ERR_USAGE for a bad address, WEFT_ERR_READ (or WEFT_ERR_FORMAT) for a trace,
 * folder, token or thread, WEFT_ERR_WRITE if it cannot listen or store a new token.
 * Changes limits of the process: malloc's options and the number of open files.
 */
struct weft_server *weft_server_start(const struct weft_server_options *options,
                                      struct weft_err *err) WEFT_MUST_CHECK;
/* Cancels all requests, waits for them and frees the server; NULL is allowed. */
void weft_server_stop(struct weft_server *server);

/* Returns the TCP port that the server listens at. */
unsigned weft_server_port(const struct weft_server *server);
/*
 * Returns "http://ADDRESS:PORT/?token=...", with the prefix before the last slash; ADDRESS
 * is 127.0.0.1 if the server listens at all addresses (0.0.0.0, ::); IPv6 is in brackets.
 * It lives as long as the server.
 */
const char *weft_server_url(const struct weft_server *server);
/*
 * Returns remark INDEX, from 0, about the start (files that were left out, a token that is
 * not kept): half a sentence for the user, which lives as long as the server; NULL: there
 * are no more.
 */
const char *weft_server_remark(const struct weft_server *server, size_t index);
/* Returns false if this weft was built without its page. */
bool weft_server_has_page(void);

#endif
