/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes without a network: a request is filled in as http.c would, and its answer read.
 * The trace has one container, "p", with states "run" [0, 10) and "wait" [10, 30) seconds.
 */
#ifndef WEFT_TESTS_SERVE_ROUTES_FIXTURE_H
#define WEFT_TESTS_SERVE_ROUTES_FIXTURE_H

#include "serve/routes.h"
#include "tests/test.h"

/* The folder of a group of tests, and in it the trace, and where its marks are kept. */
extern char routes_folder[], trace_path[64], marks_path[80];
extern char *source_roots[2];
extern struct service service;
extern struct weft_arena arena;
extern struct request request; /* the latest, and its answer */
extern struct answer answer;

/* For cmocka_run_group_tests: make all of these, and take them away. */
int routes_set_up(void **state);
int routes_tear_down(void **state);

void build_trace(const char *path);
void write_text(const char *path, const char *text);

/* Run a route; the status.  QUERY is "a=b&c=d", BODY NULL for a GET. */
unsigned ask(const char *path, const char *query, const char *body);
/* The answer has PART somewhere. */
void answered(const char *part);
void wait_until_open(void);

#endif
