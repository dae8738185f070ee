/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a request is answered.  Any page that a browser shows can send requests
 * to this server, and if the owner of a domain lets its name point to this machine, they
 * look like requests of the server's own page (DNS rebinding).  So a request must carry the
 * token, which other pages do not know, must name a Host that the server was started for
 * and, if the browser sends an Origin, one of such a host.
 */
#ifndef WEFT_SERVE_ACCESS_H
#define WEFT_SERVE_ACCESS_H

#include <stdbool.h>

struct access_rules {         /* which requests may pass; the texts are borrowed */
    const char *token;        /* the secret that a request must carry; not empty */
    const char *address;      /* as in an URL: "10.0.0.5", "[::2]", no port; or NULL */
    const char *prefix;       /* of all paths, "/a/b"; "" or NULL: none */
    const char *const *hosts; /* further names, with any port; ends with NULL; or NULL */
    /* that a Host must name with `address`, localhost, 127.0.0.1 or [::1]; 80 may be left
       out */
    unsigned port;
};

struct access_claim {                          /* texts of a request; NULL: it has none */
    const char *host, *origin, *authorization; /* headers */
    const char *token;                         /* the parameter token= */
};

/*
 * Returns NULL if RULES let a request that makes this CLAIM pass (*STATUS then has no
 * meaning); else a constant sentence that tells why not, with the HTTP status in *STATUS:
 * 403 (no Host, or a wrong Host or Origin), looked at first, or 401 (the token is missing
 * or wrong, both in `token` and as "Bearer" in `authorization`).
 */
const char *access_refusal(const struct access_rules *rules,
                           const struct access_claim *claim, unsigned *status);

/*
 * Returns the part of PATH below the prefix, a pointer into PATH; "/" if nothing is left.
 * A path without the prefix is returned whole, since some proxies strip it.
 */
const char *access_path(const struct access_rules *rules, const char *path);

#endif
