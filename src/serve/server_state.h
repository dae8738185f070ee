/* SPDX-License-Identifier: Apache-2.0 */
/* The state that all requests to the server share: traces, searches, settings, limits. */
#ifndef WEFT_SERVE_SERVER_STATE_H
#define WEFT_SERVE_SERVER_STATE_H

#include "serve/filter_chains.h"
#include "serve/long_settings.h"
#include "serve/searches.h"
#include "serve/traces.h"

struct weft_shelf;
struct weft_views;

/*
 * The state that all requests to a server share; the server makes and frees it.  Requests
 * use it without a lock: its members do not change while requests are answered, except for
 * `pixels`, and the objects that they point to have locks of their own.
 */
struct service {
    struct traces *traces;
    const struct weft_views *views; /* that the page offers; or NULL: those built in */
    struct weft_shelf *shelf;       /* what views keep between frames (view/prepare.h) */
    struct searches *searches;
    struct filter_chains *filters; /* filtered sources above the traces */
    char *usual_filters; /* the chain of requests without the parameter; or NULL */
    /* folders whose source files may be shown: real paths, then NULL */
    char **source_roots;
    char *layout; /* the text of a layout file, sent to the page as it is; or NULL */
    struct text_cache *texts; /* long settings (long_settings.h) */
    _Atomic uint64_t pixels;  /* of all pictures that are being made (hold_pixels()) */
};

#endif
