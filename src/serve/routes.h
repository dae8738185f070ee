/* SPDX-License-Identifier: Apache-2.0 */
/* The paths that the server answers; one line a route in routes.c. */
#ifndef WEFT_SERVE_ROUTES_H
#define WEFT_SERVE_ROUTES_H

#include "serve/exchange.h"
#include "view/view.h"

/*
 * Runs the route of an exchange's path; the exchange has an answer afterwards in any case.
 */
void routes_answer(struct exchange *exchange);

/* The page, compressed, and its Content-Security-Policy; size 0: not built in. */
extern const unsigned char routes_page[];
extern const size_t routes_page_size;
extern const char routes_page_policy[];

/* Returns the content type of a path's ending ("svg"), or NULL. */
const char *route_type(const char *ending);

/* The routes; REST is the path behind the route's own name: "overview.svg". */
void route_page(struct exchange *exchange, const char *rest);
void route_catalogue(struct exchange *exchange, const char *rest);
void route_trace(struct exchange *exchange, const char *rest);
void route_cancel(struct exchange *exchange, const char *rest);
void route_reload(struct exchange *exchange, const char *rest);
void route_settings(struct exchange *exchange, const char *rest);
void route_containers(struct exchange *exchange, const char *rest);
void route_view(struct exchange *exchange, const char *rest);
void route_point(struct exchange *exchange, const char *rest);
void route_workbench(struct exchange *exchange, const char *rest);
void route_detail(struct exchange *exchange, const char *rest);
void route_source(struct exchange *exchange, const char *rest);
void route_search(struct exchange *exchange, const char *rest);
void route_marks(struct exchange *exchange, const char *rest);

/*
 * The query of a request for a view: trace (and with, for a view that compares two), range
 * (as on the command line, or begin= and end= in ticks from the start of the span), under,
 * size, theme, and the view's own settings by their names.  Texts live as long as the
 * exchange.  On failure of asking_view the answer is written.
 */
struct asking {
    struct weft_trace *trace;
    const struct weft_source *source;
    const struct weft_schema *schema;
    const struct weft_source *sources[2]; /* the second for a view that compares */
    struct weft_set set;
    struct weft_request request;
};
bool asking_trace(struct exchange *exchange, struct asking *asking);
/* Returns the number of trace=N; -1: there is no such trace. */
long long asking_number(const struct exchange *exchange);
/* Does the same; false if there is no such trace, and the answer is written. */
bool asking_index(struct exchange *exchange, size_t *index);
/* Answers that the file of a trace has changed since it was opened: status 410. */
void asking_changed(struct exchange *exchange, size_t index);
bool asking_view(struct exchange *exchange, struct asking *asking,
                 const struct weft_view *view);
/*
 * Returns the view whose name is the first LENGTH bytes of TEXT, or NULL with the answer
 * written.
 */
const struct weft_view *asking_find_view(struct exchange *exchange, const char *text,
                                         size_t length);

#endif
