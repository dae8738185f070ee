/* SPDX-License-Identifier: Apache-2.0 */
/* Routes: the functions that answer the server's paths; one line for each in routes.c. */
#ifndef WEFT_SERVE_ROUTES_H
#define WEFT_SERVE_ROUTES_H

#include "serve/answer.h"

/* Runs the route of a request's path; sets ANSWER, zeroed before, in any case. */
void routes_answer(const struct request *request, struct answer *answer);

/* The page, compressed, and its Content-Security-Policy; size 0: not built in. */
extern const unsigned char routes_page[];
extern const size_t routes_page_size;
extern const char routes_page_policy[];

/* Returns the HTTP content type of files with ENDING ("svg"), or NULL. */
const char *route_type(const char *ending);

/* A route: writes ANSWER, or returns false with *REFUSAL, why there is none. */
typedef bool route_function(const struct request *request, struct answer *answer,
                            struct refusal *refusal);
route_function route_page, route_catalogue, route_trace, route_cancel, route_reload,
    route_settings, route_containers, route_view, route_point, route_workbench,
    route_detail, route_source, route_search, route_marks;

#endif
