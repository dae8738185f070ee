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
 * *REFUSAL, why there is no answer: *ANSWER may be set in part then.
 */
typedef bool route_function(const struct request *request, struct answer *answer,
                            struct refusal *refusal);
/*
 * The routes, with their paths; all are GETs unless POST is named.  They are in route_*.c.
 *
 *     route_page        /                   the workbench's page
 *     route_catalogue   /catalogue          all views and traces
 *     route_trace       /trace              starts to open a trace: how far it is, or facts
 *     route_cancel      POST /cancel        stops the opening of a trace
 *     route_reload      POST /reload        opens a trace anew if its file has changed
 *     route_settings    /settings           a long setting by its key; POST keeps one
 *     route_containers  /containers         at most 100, whose names match a text
 *     route_view        /view/NAME.ENDING   a view's picture or table
 *     route_point       /point/NAME         what a view's picture shows at a pixel
 *     route_workbench   POST /workbench.ENDING   one picture of several panels
 *     route_detail      /detail             all about one entity or container
 *     route_related     /related            what belongs to an entity or container
 *     route_step        /step               the time of an event near a moment
 *     route_source      /source             lines of source code around a place
 *     route_search      /search, /search/next   a search: its progress, one of its hits
 *     route_marks       /marks              the marks of a trace; POST changes them
 */
route_function route_page, route_catalogue, route_trace, route_cancel, route_reload,
    route_settings, route_containers, route_view, route_point, route_workbench,
    route_detail, route_related, route_step, route_source, route_search, route_marks;

#endif
