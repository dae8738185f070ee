/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a request is answered.  Any page that a browser shows can send requests
 * to this server, and if the owner of a domain lets its name point to this machine, they
 * look like requests of the server's own page (DNS rebinding).  So a request must carry the
 * token, which other pages do not know, must name a Host that the server was started for
 * and, if the browser sends an Origin, one of that host.
 */
#ifndef WEFT_SERVE_ACCESS_H
#define WEFT_SERVE_ACCESS_H

#include <stdbool.h>

struct access_rules { /* borrowed for as long as the server runs */
    const char *token;
    const char *address;      /* as in an URL of this server, without the port; or NULL */
    const char *prefix;       /* of all paths, behind a reverse proxy; or NULL */
    const char *const *hosts; /* further names of this server, NULL-terminated; or NULL */
    unsigned port;
};

struct access_claim {                          /* texts of a request; NULL: it has none */
    const char *host, *origin, *authorization; /* headers */
    const char *token;                         /* the parameter token= */
};

/*
 * Returns NULL if a request that makes this CLAIM may pass; else a sentence that tells why
 * not, with the HTTP status, 401 (the token) or 403, in *STATUS.
 */
const char *access_refusal(const struct access_rules *rules,
                           const struct access_claim *claim, unsigned *status);

/*
 * Returns the part of a request's path below the prefix, at least "/". Accepts paths with
 * and without the prefix, since some proxies strip it.
 */
const char *access_path(const struct access_rules *rules, const char *path);

#endif
