/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a request for a view.  Its parameters: trace (and with, for a view that compares
 * two), filters, range (as on the command line) or begin and end (in ticks from the begin
 * of the trace's span) with shown_begin and shown_end inside, at, under, width, height and
 * shown_height (in pixels), bare, theme, and the view's own settings by their names.
 */
#ifndef WEFT_SERVE_VIEW_REQUEST_H
#define WEFT_SERVE_VIEW_REQUEST_H

#include "serve/request_parameters.h"
#include "view/view.h"

struct view_request { /* its texts live as long as the request */
    const struct weft_view *view;
    const struct weft_schema *schema;     /* of the first source */
    const char *names[2];                 /* of the traces, if the view compares two */
    const struct weft_source *sources[2]; /* the second for a view that compares, or NULL */
    struct weft_set set;                  /* `sources` */
    struct weft_request request;          /* for the view; its set is `set` */
};

/*
 * Parses a request for the view whose name is the first LENGTH bytes of NAME into *PARSED,
 * and holds its traces and pixels until holding_release().  Returns false with *REFUSAL:
 * 404 for a view or trace that does not exist, 409 if the trace cannot fill the view,
 * WEFT_ERR_USAGE for a wrong parameter, and those of hold_trace() and hold_pixels().
 * *PARSED refers to itself and is not to be copied.
 */
bool view_request_parse(struct view_request *parsed, const struct request *request,
                        const char *name, size_t length,
                        struct refusal *refusal) WEFT_MUST_CHECK;

#endif
