/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a store: readers and the joining of a recording push what they read into a
 * builder, in file order; the builder keeps the semantics of Paje's simulator (stacks of
 * states, step variables, links by key are the reader's) and writes the .weft file.  Memory
 * is bounded by the number of tracks, containers, values and open things, not by the number
 * of entities.  One thread, but for what weft_builder_lanes() allows.
 *
 * Times are ticks (see weft_builder_resolution), within WEFT_TIME_LIMIT.  On a track they must not go backwards; a
 * call that would is refused with WEFT_BUILD_BACKWARD and changes nothing: the reader then
 * reports it, or reads the track again in sorted order.
 */
#ifndef WEFT_STORE_BUILDER_H
#define WEFT_STORE_BUILDER_H

#include "base/err.h"
#include "base/job.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/schema.h"

struct weft_builder;

/* Start writing the store PATH (it appears there only at finish).  FORMAT: the input's. */
struct weft_builder *weft_builder_new(const char *path, const char *format,
                                      struct weft_err *err) WEFT_MUST_CHECK;
/* Give up: remove what was written.  NULL is fine. */
void weft_builder_abandon(struct weft_builder *builder);
/*
 * Close what is open, compute the summaries, write the tables, and put the file in place.
 * Frees the builder, also on failure: WEFT_ERR_WRITE, WEFT_ERR_CANCELLED, and WEFT_ERR_LIMIT when
 * a time is beyond WEFT_TIME_LIMIT.
 */
bool weft_builder_finish(struct weft_builder *builder, struct weft_job *job,
                         struct weft_err *err) WEFT_MUST_CHECK;

/* Ticks per second, as a fraction; 10^9 / 1 unless set.  Before the first time. */
void weft_builder_resolution(struct weft_builder *builder, uint64_t numerator,
                             uint64_t denominator);
void weft_builder_records(struct weft_builder *builder, uint64_t count); /* for info */
void weft_builder_note(struct weft_builder *builder, const char *key, const char *text);
/* The folder of the store, for what waits in temporary files; the builder's own. */
const char *weft_builder_folder(const struct weft_builder *builder);

/* Strings are interned: the same text gives the same index.  Need not be terminated. */
uint32_t weft_builder_string(struct weft_builder *builder, const char *text, size_t length);
/* A text that will hardly come again (the key of a link): kept without looking for it. */
uint32_t weft_builder_text(struct weft_builder *builder, const char *text, size_t length);

/*
 * Tables.  Names and aliases are copied; alias may be NULL.  Type 0 and container 0 (the
 * root, created at the beginning of the span) exist from the start.
 */
uint32_t weft_builder_type(struct weft_builder *builder, const struct weft_type *type);
uint32_t weft_builder_value(struct weft_builder *builder, uint32_t type, const char *name,
                            const char *alias, uint32_t color);
uint32_t weft_builder_field(struct weft_builder *builder, uint32_t type, const char *name,
                            enum weft_field_kind kind);
/*
 * Keep an index of a field, so that entities are found by its value (a task by its number, a
 * message by its tag).  Before the first entity that carries it.
 */
void weft_builder_index_field(struct weft_builder *builder, uint32_t field);
/*
 * A field whose values may come after other entities of the track have begun: what a task has
 * done is known when it ends.  Before the first entity that carries it; not while several
 * threads append.  Such a value takes 32 bytes until the end, in a file beyond some megabytes.
 */
void weft_builder_late_field(struct weft_builder *builder, uint32_t field);
/* Give an entity, by the id that it got while building, the value of such a field. */
void weft_builder_field_later(struct weft_builder *builder, uint64_t id,
                              const struct weft_field_value *value);
/*
 * Give the latest entity of its track one value more: what a call turned out to be for is known
 * when it returns.  The field is not a late one.
 */
void weft_builder_field_now(struct weft_builder *builder, uint64_t id,
                            const struct weft_field_value *value);
uint32_t weft_builder_site(struct weft_builder *builder, const struct weft_site *site);
uint32_t weft_builder_container(struct weft_builder *builder, uint32_t type,
                                uint32_t parent, const char *name, const char *alias,
                                int64_t time);
/* Also destroys its descendants, and closes the states open on them, at that time. */
void weft_builder_destroy(struct weft_builder *builder, uint32_t container, int64_t time);
/* Give a container another name (a thread that names itself). */
void weft_builder_rename(struct weft_builder *builder, uint32_t container,
                         const char *name);

/* A fact about a container: a value of a field of its type.  A second one of a field wins. */
void weft_builder_container_field(struct weft_builder *builder, uint32_t container,
                                  const struct weft_field_value *value);

/* What things mean; WEFT_REQUIRE that the role is one of such a thing, or none. */
void weft_builder_type_role(struct weft_builder *builder, uint32_t type,
                            enum weft_role role);
void weft_builder_value_role(struct weft_builder *builder, uint32_t value,
                             enum weft_role role);
void weft_builder_field_role(struct weft_builder *builder, uint32_t field,
                             enum weft_role role);
/* Where a container means something else than its type. */
void weft_builder_container_role(struct weft_builder *builder, uint32_t container,
                                 enum weft_role role);
/*
 * Containers with one parent are in order of their places, 0 unless said, and those of one place
 * in order of creation: ranks in order of their numbers, whichever began first.
 */
void weft_builder_container_place(struct weft_builder *builder, uint32_t container,
                                  uint32_t place);
/*
 * What was named so far, for who gives roles by names: the format, types, values and fields,
 * and CONTAINERS, too, when asked for (the role of a container is its own here, or none).
 * Nothing else of *OUT is filled in.  Good until the builder is called again with a text.
 */
void weft_builder_names(const struct weft_builder *builder, bool containers,
                        struct weft_arena *arena, struct weft_schema *out);

/*
 * Hosts and clocks.  Everything that is pushed into a builder is in the store's time already:
 * who reads raw times corrects them (weft_clock_correct) and says here how.  Names, identity
 * and knots are copied.
 */
uint32_t weft_builder_host(struct weft_builder *builder, const struct weft_host *host);
uint32_t weft_builder_clock(struct weft_builder *builder, const struct weft_clock *clock);
/* The clock that stamped what happened on a container and on all that it holds. */
void weft_builder_container_clock(struct weft_builder *builder, uint32_t container,
                                  uint32_t clock);

/* The track of a container and an entity type: found, or made.  O(1). */
uint32_t weft_builder_track(struct weft_builder *builder, uint32_t container,
                            uint32_t type);

/*
 * A hint: events on the track come soon.  With thousands of tracks, memory is what building
 * waits for; call it about ten events ahead, and again with NEAR about four ahead.
 */
void weft_builder_expect(const struct weft_builder *builder, uint32_t track, bool near);
/* The same for the fields that come with them, between NEAR and the events. */
void weft_builder_expect_fields(const struct weft_builder *builder, uint32_t track);

/*
 * Appending by several threads.  After weft_builder_lanes() each track belongs to one of N
 * lanes (0 unless assigned), and one thread for each lane may call push, pop, set, reset,
 * event, sample and add on the lane's tracks at the same time; one more may call link and
 * text, when the tracks of those links have been made.  All other calls need the builder
 * alone.  Blocks that fill meanwhile wait in memory, lane by lane, until weft_builder_settle()
 * writes them in the order of the lanes: so the store depends on what was appended between
 * two calls of settle, not on which thread did it when.  N = 0: settle, and go on as at first.
 */
void weft_builder_lanes(struct weft_builder *builder, uint32_t n);
void weft_builder_assign(struct weft_builder *builder, uint32_t track, uint32_t lane);
void weft_builder_settle(struct weft_builder *builder);

enum weft_build {
    WEFT_BUILD_OK,
    WEFT_BUILD_BACKWARD, /* the time is before the track's latest */
    WEFT_BUILD_EMPTY,    /* pop or reset of a track that has no open state */
    WEFT_BUILD_UNSET,    /* add or sub of a variable that was never set */
    WEFT_BUILD_RANGE,    /* the sum of an add is no number any more; the value stays */
    WEFT_BUILD_DEEP,     /* more than 65,534 states inside one another */
};

/*
 * Of several values of one field of an entity the last counts.
 *
 * States.  push opens a state inside the innermost open one; pop closes the innermost; set
 * closes all and opens one; reset closes all.  *id, when asked for, is the id of the state
 * opened or closed (see note below).
 *
 * Note: ids given out while building number the tracks in order of their making; finish
 * renumbers the tracks in tree order and translates the ids inside links.
 */
enum weft_build weft_builder_push(struct weft_builder *builder, uint32_t track,
                                  int64_t time, uint32_t value,
                                  const struct weft_field_value *fields, size_t n_fields,
                                  uint64_t *id);
enum weft_build weft_builder_pop(struct weft_builder *builder, uint32_t track, int64_t time,
                                 uint64_t *id);
enum weft_build weft_builder_set(struct weft_builder *builder, uint32_t track, int64_t time,
                                 uint32_t value, const struct weft_field_value *fields,
                                 size_t n_fields, uint64_t *id);
enum weft_build weft_builder_reset(struct weft_builder *builder, uint32_t track,
                                   int64_t time);
/* How many states are open on the track, and the innermost one's value (WEFT_NONE: none). */
uint32_t weft_builder_open_states(const struct weft_builder *builder, uint32_t track);
uint32_t weft_builder_top_value(const struct weft_builder *builder, uint32_t track);

enum weft_build weft_builder_event(struct weft_builder *builder, uint32_t track,
                                   int64_t time, uint32_t value,
                                   const struct weft_field_value *fields, size_t n_fields,
                                   uint64_t *id);

/* A sample at the time of the track's latest one replaces its value. */
enum weft_build weft_builder_sample(struct weft_builder *builder, uint32_t track,
                                    int64_t time, double value);
/* Add DELTA (may be negative) to the latest value. */
enum weft_build weft_builder_add(struct weft_builder *builder, uint32_t track, int64_t time,
                                 double delta);

/* Links may come in any order. */
void weft_builder_link(struct weft_builder *builder, const struct weft_link *link,
                       const struct weft_field_value *fields, size_t n_fields);

/*
 * Append a row of N cells, at most WEFT_GRID_COLUMNS, to a grid (store/grid.h).  Not while
 * several threads append.
 */
void weft_builder_grid_row(struct weft_builder *builder, enum weft_grid_kind kind,
                           const int64_t *cells, size_t n);

/*
 * Report a fault of the trace.  The first WEFT_PROBLEMS_KEPT of a KIND are kept with their
 * place, the rest are counted.  KIND is kept by reference: a literal.  LINE 0: of the whole trace.
 */
enum { WEFT_PROBLEMS_KEPT = 100 };
void weft_builder_problem(struct weft_builder *builder, enum weft_severity severity,
                          const char *kind, uint64_t line, const char *fmt, ...)
    WEFT_PRINTF(5, 6);

#endif
