/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may ask.  Any page that a browser shows can send requests to this server, and a name that
 * its owner points at this machine makes them look like the server's own (DNS rebinding).  So a
 * request must carry the token, which other pages do not know, under a Host that the server
 * was started for and, where the browser sends one, with an Origin of that host.
 */
#ifndef WEFT_SERVE_ACCESS_H
#define WEFT_SERVE_ACCESS_H

#include <stdbool.h>

struct access_rules { /* borrowed for as long as the server runs */
    const char *token;
    const char *prefix;       /* of all paths, behind a reverse proxy; or NULL */
    const char *const *hosts; /* further names of this server, NULL-terminated; or NULL */
    unsigned port;
};

struct access_claim { /* as the request has them; NULL: it does not */
    const char *host, *origin, *authorization; /* headers */
    const char *token;                         /* the parameter */
};

/* NULL when the request may pass; else why not, for people, with the HTTP status. */
const char *access_refusal(const struct access_rules *rules,
                           const struct access_claim *claim, unsigned *status);

/*
 * The part of a request's path below the prefix; "/" at least.  Proxies send it with or
 * without the prefix.
 */
const char *access_path(const struct access_rules *rules, const char *path);

#endif
