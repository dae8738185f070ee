/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a store: readers, and the joining of recordings, append entities to a builder,
 * in file order; the builder implements the semantics of Paje's simulator (stacks of
 * states, step variables; matching links by key is up to the reader) and writes the .weft
 * file.  Memory grows with the number of tracks, containers, values and open states, not
 * with the number of entities.  To be used by one thread, except as weft_builder_lanes()
 * allows.
 *
 * Times are ticks (see weft_builder_resolution), within WEFT_TIME_LIMIT.  On a track they
 * must not go backwards; a call with an earlier time returns WEFT_BUILD_BACKWARD and
 * changes nothing: the reader then reports it, or reads the track again in sorted order.
 */
#ifndef WEFT_STORE_BUILDER_H
#define WEFT_STORE_BUILDER_H

#include "base/err.h"
#include "base/job.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/schema.h"

struct weft_builder;

/*
 * Starts writing the store PATH (it appears there only at finish).  FORMAT: name of the
 * input's format.  Returns NULL with *ERR on failure.
 */
struct weft_builder *weft_builder_new(const char *path, const char *format,
                                      struct weft_err *err) WEFT_MUST_CHECK;
/* Discards the store.  NULL is allowed. */
void weft_builder_abandon(struct weft_builder *builder);
/*
 * Closes open states, computes the summaries, writes the tables, and puts the file in
 * place.  Frees the builder, also on failure.  Fails with WEFT_ERR_WRITE,
 * WEFT_ERR_CANCELLED, or WEFT_ERR_LIMIT if a time is beyond WEFT_TIME_LIMIT.
 */
bool weft_builder_finish(struct weft_builder *builder, struct weft_job *job,
                         struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Sets the ticks per second, as a fraction of two numbers above 0; default 10^9 / 1.  Call
 * it before passing any time.
 */
void weft_builder_resolution(struct weft_builder *builder, uint64_t numerator,
                             uint64_t denominator);
void weft_builder_records(struct weft_builder *builder, uint64_t count); /* lines or
                                                                            records read;
                                                                            for info */
/* Adds a fact about the run (struct weft_note); both texts are copied. */
void weft_builder_note(struct weft_builder *builder, const char *key, const char *text);
/* Returns the folder of the store, for temporary files; owned by the builder. */
const char *weft_builder_folder(const struct weft_builder *builder);

/* Interns LENGTH bytes of TEXT: returns its string index, the same for equal texts. */
uint32_t weft_builder_string(struct weft_builder *builder, const char *text, size_t length);
/* Adds a text that will hardly repeat (a link's key), not interned; returns its index. */
uint32_t weft_builder_text(struct weft_builder *builder, const char *text, size_t length);

/*
 * Add a type, a value or a field; return its index.  Names and aliases are copied; an alias
 * may be NULL: the name.  Type 0 and container 0 (the root, created at the beginning of the
 * span) exist from the start.
 */
uint32_t weft_builder_type(struct weft_builder *builder, const struct weft_type *type);
uint32_t weft_builder_value(struct weft_builder *builder, uint32_t type, const char *name,
                            const char *alias, uint32_t color);
uint32_t weft_builder_field(struct weft_builder *builder, uint32_t type, const char *name,
                            enum weft_field_kind kind);
/*
 * Makes an index of a field, so that entities are found by its value (a task by its number,
 * a message by its tag).  Call it before the first entity with the field.
 */
void weft_builder_index_field(struct weft_builder *builder, uint32_t field);
/*
 * Declares a late field: its values may be given after later entities of the track were
 * appended (a task's work is known when it ends).  Call it before the first entity with the
 * field; not while several threads append.  Each value takes 32 bytes until finish, in a
 * temporary file beyond some megabytes.
 */
void weft_builder_late_field(struct weft_builder *builder, uint32_t field);
/* Gives the entity with ID, as returned while building, the value of a late field. */
void weft_builder_field_later(struct weft_builder *builder, uint64_t id,
                              const struct weft_field_value *value);
/*
 * Gives the latest entity of its track one more value, which became known later (a call's
 * object that is known when it returns).  The field must not be a late one.
 */
void weft_builder_field_now(struct weft_builder *builder, uint64_t id,
                            const struct weft_field_value *value);
/* Return the index of a site, made if new; and that of a new container, begun at TIME. */
uint32_t weft_builder_site(struct weft_builder *builder, const struct weft_site *site);
uint32_t weft_builder_container(struct weft_builder *builder, uint32_t type,
                                uint32_t parent, const char *name, const char *alias,
                                int64_t time);
/* Ends a container and its descendants, and closes their open states, at TIME. */
void weft_builder_destroy(struct weft_builder *builder, uint32_t container, int64_t time);
/* Renames a container (a thread that names itself). */
void weft_builder_rename(struct weft_builder *builder, uint32_t container,
                         const char *name);

/*
 * Sets a fact about a container: a value of a field of its type, which replaces an earlier
 * one.
 */
void weft_builder_container_field(struct weft_builder *builder, uint32_t container,
                                  const struct weft_field_value *value);

/* Set the role of a type, value or field; aborts if the role cannot describe such a thing.
 */
void weft_builder_type_role(struct weft_builder *builder, uint32_t type,
                            enum weft_role role);
void weft_builder_value_role(struct weft_builder *builder, uint32_t value,
                             enum weft_role role);
void weft_builder_field_role(struct weft_builder *builder, uint32_t field,
                             enum weft_role role);
/* Sets the role of a container that differs from its type's. */
void weft_builder_container_role(struct weft_builder *builder, uint32_t container,
                                 enum weft_role role);
/*
 * Sets the sort key of a container among its siblings: they are sorted by place (default
 * 0), then by creation.  So ranks are in order of their numbers, whichever began first.
 */
void weft_builder_container_place(struct weft_builder *builder, uint32_t container,
                                  uint32_t place);
/*
 * Lists the tables so far, for assigning roles by name: sets the format, types, values and
 * fields of *OUT, and its containers if CONTAINERS (with their own role, or none); nothing
 * else.  *OUT is valid until the next call that adds a text.
 */
void weft_builder_names(const struct weft_builder *builder, bool containers,
                        struct weft_arena *arena, struct weft_schema *out);

/*
 * Add a host or a clock; return its index.  All times passed to a builder are in the
 * store's time already: the reader corrects raw times (weft_clock_correct) and records the
 * correction here.  Names, identity and knots are copied.
 */
uint32_t weft_builder_host(struct weft_builder *builder, const struct weft_host *host);
uint32_t weft_builder_clock(struct weft_builder *builder, const struct weft_clock *clock);
/* Sets the clock of the timestamps of a container and its subtree. */
void weft_builder_container_clock(struct weft_builder *builder, uint32_t container,
                                  uint32_t clock);

/* Returns the track of a container and an entity type, made if necessary.  O(1). */
uint32_t weft_builder_track(struct weft_builder *builder, uint32_t container,
                            uint32_t type);

/*
 * Prefetches for events that will be appended to the track soon: with thousands of tracks,
 * building is bound by cache misses.  Call it about ten events ahead, and again with NEAR
 * about four ahead.
 */
void weft_builder_expect(const struct weft_builder *builder, uint32_t track, bool near);
/* Prefetches for the fields of events; call it after weft_builder_expect() with NEAR. */
void weft_builder_expect_fields(const struct weft_builder *builder, uint32_t track);

/*
 * Appending by several threads.  weft_builder_lanes() divides the tracks into N groups,
 * called lanes (lane 0 unless weft_builder_assign() names another).  One thread for each
 * lane may call push, pop, set, reset, event, sample and add on the lane's tracks at the
 * same time; one more may call link and text, when the tracks of those links have been
 * made.  All other calls need the builder alone.  Blocks that fill meanwhile wait in
 * memory, until weft_builder_settle() writes them in the order of the lanes: so the store
 * depends on what was appended between two calls of settle, not on which thread did it
 * when.  N = 0: settle; one thread appends again.
 */
void weft_builder_lanes(struct weft_builder *builder, uint32_t n);
void weft_builder_assign(struct weft_builder *builder, uint32_t track, uint32_t lane);
void weft_builder_settle(struct weft_builder *builder);

enum weft_build {
    WEFT_BUILD_OK,
    WEFT_BUILD_BACKWARD, /* the time is before the track's latest */
    WEFT_BUILD_EMPTY,    /* pop or reset of a track that has no open state */
    WEFT_BUILD_UNSET,    /* add or sub of a variable that was never set */
    WEFT_BUILD_RANGE,    /* the sum of an add is not a number; the value stays */
    WEFT_BUILD_DEEP,     /* more than 65,534 states inside one another */
};

/*
 * Change the states of a track: push opens one inside the innermost open one; pop closes
 * the innermost; set closes all and opens one; reset closes all.  FIELDS are copied; of
 * several values of one field the last counts.  *ID, unless ID is NULL, is set to the id of
 * the state opened or closed.
 *
 * Ids given out while building number the tracks in order of their making; finish renumbers
 * the tracks in tree order and translates the ids inside links.
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
/*
 * Return the number of open states on the track, and the innermost value (WEFT_NONE: none).
 */
uint32_t weft_builder_open_states(const struct weft_builder *builder, uint32_t track);
uint32_t weft_builder_top_value(const struct weft_builder *builder, uint32_t track);

/* Appends an event, with its N_FIELDS fields; *ID (ID may be NULL) is set to its id. */
enum weft_build weft_builder_event(struct weft_builder *builder, uint32_t track,
                                   int64_t time, uint32_t value,
                                   const struct weft_field_value *fields, size_t n_fields,
                                   uint64_t *id);

/* Appends a variable's value; at the time of the track's latest sample it replaces that. */
enum weft_build weft_builder_sample(struct weft_builder *builder, uint32_t track,
                                    int64_t time, double value);
/* Appends the variable's latest value plus DELTA, which may be negative. */
enum weft_build weft_builder_add(struct weft_builder *builder, uint32_t track, int64_t time,
                                 double delta);

/* Adds a link with its N_FIELDS fields; links may come in any order of time. */
void weft_builder_link(struct weft_builder *builder, const struct weft_link *link,
                       const struct weft_field_value *fields, size_t n_fields);

/*
 * Append a row of N cells, at most WEFT_GRID_COLUMNS, to a grid (store/grid.h).  Not while
 * several threads append.
 */
void weft_builder_grid_row(struct weft_builder *builder, enum weft_grid_kind kind,
                           const int64_t *cells, size_t n);

/*
 * Reports a fault of the trace.  The first WEFT_PROBLEMS_KEPT of a KIND are kept with their
 * line, the rest are counted.  KIND is not copied: pass a literal.  LINE 0: the whole
 * trace.
 */
enum { WEFT_PROBLEMS_KEPT = 100 };
void weft_builder_problem(struct weft_builder *builder, enum weft_severity severity,
                          const char *kind, uint64_t line, const char *fmt, ...)
    WEFT_PRINTF(5, 6);
/* A row of a reader's table of faults; weft_builder_fault() reports one, like _problem().
 */
struct weft_fault_kind {
    const char *name;
    enum weft_severity severity;
    const char *sentence; /* a printf format for the arguments after LINE */
};
void weft_builder_fault(struct weft_builder *builder, const struct weft_fault_kind *kind,
                        uint64_t line, ...);

#endif
