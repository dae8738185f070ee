/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the recorder: record a program, and ask its trace short questions. */
#ifndef WEFT_TESTS_LIVE_RECORDED_H
#define WEFT_TESTS_LIVE_RECORDED_H

#include "store/trace/trace.h"
#include "tests/test.h"

struct recorded {
    struct weft_trace *trace;
    const struct weft_source *source;
    const struct weft_schema *schema;
    int status;      /* of weft record */
    char text[4096]; /* what it wrote to standard error */
};

/*
 * Run `weft record --no-switches -o ... -- PROGRAM ARGUMENTS` (one string, for the shell):
 * what the recorder inside the program sees, and nothing else.
 */
struct recorded record(const char *command);
/* Run it with these OPTIONS of weft record (for the shell), and so with switches. */
struct recorded record_with(const char *options, const char *command);
void forget(struct recorded *recorded);

/* The container of this type and name; fails the test when there is none. */
uint32_t container(const struct recorded *recorded, const char *type, const char *name);
uint32_t count_containers(const struct recorded *recorded, const char *type);
/* The track of a container with a type of this name; WEFT_NONE. */
uint32_t track(const struct recorded *recorded, uint32_t container, const char *type);

struct found_state { /* a state */
    struct weft_state state;
    const char *value;
    const char *text; /* name of the container in its field "object" or "holder", or "" */
    int64_t integer;  /* of its field "acquisition" */
    uint32_t site;    /* or WEFT_NONE */
};
/* All states of a track in order; returns how many, at most MOST. */
size_t states(const struct recorded *recorded, uint32_t track, struct found_state *found,
              size_t most);
/* The first state with this value; fails the test when there is none. */
struct found_state first_state(const struct recorded *recorded, uint32_t track,
                               const char *value);
/* The number of links of type TYPE and VALUE (NULL: any) from one container to another. */
size_t count_links(const struct recorded *recorded, const char *type, const char *value,
                   uint32_t from, uint32_t to, struct weft_link *last);
uint64_t count_events(const struct recorded *recorded, uint32_t track, const char *value);
bool has_problem(const struct recorded *recorded, const char *kind);

#endif
