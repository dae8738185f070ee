/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes: the functions that answer requests by their paths ("/view/..."); one line for
 * each in routes.c.
 */
#ifndef WEFT_SERVE_ROUTES_H
#define WEFT_SERVE_ROUTES_H

#include "serve/answer.h"

/*
 * Runs the route of request->path, and releases the traces that it held; sets *ANSWER,
 * zeroed before, in any case: a failure is an answer with its HTTP status (404: no such
 * path, 405: POST instead of GET or the reverse, 410: a trace's file changed meanwhile).
 */
void routes_answer(const struct request *request, struct answer *answer);

/*
 * routes_page: the workbench's page, compressed by gzip, of routes_page_size bytes (0: it
 * was not built in); routes_page_policy: its Content-Security-Policy.
 */
extern const unsigned char routes_page[];
extern const size_t routes_page_size;
extern const char routes_page_policy[];

/*
 * Returns the HTTP content type, a literal, of pictures and tables whose names end with
 * ENDING ("svg", without the dot); NULL if it is none that the server makes.
 */
const char *route_type(const char *ending);

/*
 * A route: answers REQUEST by setting *ANSWER and returns true; or returns false with
 * *REFUSAL, why there is no answer.
 */
typedef bool route_function(const struct request *request, struct answer *answer,
                            struct refusal *refusal);
/* The routes of route_*.c; routes.c has the paths of each, and whether it needs a POST. */
route_function route_page, route_catalogue, route_trace, route_cancel, route_reload,
    route_settings, route_containers, route_view, route_point, route_workbench,
    route_detail, route_source, route_search, route_marks;

#endif
