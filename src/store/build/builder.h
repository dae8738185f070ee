/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a store: readers, and the joining of recordings, append entities to a builder,
 * in file order; the builder implements the semantics of Paje's simulator (stacks of
 * states, step variables; matching links by key is up to the reader) and writes the .weft
 * file.  Memory grows with the number of tracks, containers, values, texts and open states,
 * and by 32 bytes for each 256 entities.  To be used by one thread, except as
 * weft_builder_lanes() allows.
 *
 * Times are ticks (see weft_builder_resolution), within WEFT_TIME_LIMIT.  On a track they
 * must not go backwards; a call with an earlier time returns WEFT_BUILD_BACKWARD and
 * changes nothing: the reader then reports it, or reads the track again in sorted order.
 */
#ifndef WEFT_STORE_BUILDER_H
#define WEFT_STORE_BUILDER_H

#include "base/err.h"
#include "base/memory.h"
#include "base/progress_and_cancel.h"
#include "format/store_layout.h"
#include "store/schema.h"

struct weft_builder;

/*
 * Starts writing the store PATH (it appears there only at finish).  FORMAT: name of the
 * input's format, copied.  Returns NULL with WEFT_ERR_WRITE on failure.  End it with
 * weft_builder_finish() or weft_builder_abandon().
 */
struct weft_builder *weft_builder_new(const char *path, const char *format,
                                      struct weft_err *err) WEFT_MUST_CHECK;
/* Discards the store under construction and frees the builder.  NULL is allowed. */
void weft_builder_abandon(struct weft_builder *builder);
/*
 * Closes open states, computes the summaries, writes the tables, and puts the file in
 * place.  JOB may be NULL.  Frees the builder, also on failure.  Fails with WEFT_ERR_WRITE,
 * WEFT_ERR_CANCELLED, or WEFT_ERR_LIMIT if a time is beyond WEFT_TIME_LIMIT.
 */
bool weft_builder_finish(struct weft_builder *builder, struct weft_job *job,
                         struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Sets the ticks per second, as a fraction of two numbers above 0 (else it aborts); default
 * 10^9 / 1.  Call it before passing any time.
 */
void weft_builder_resolution(struct weft_builder *builder, uint64_t numerator,
                             uint64_t denominator);
/* Sets weft_schema.n_records: how many lines or records of the input were read. */
void weft_builder_records(struct weft_builder *builder, uint64_t count);
/*
 * Adds a fact about the run (struct weft_note), behind earlier ones, also of the same KEY;
 * KEY and TEXT are copied.
 */
void weft_builder_note(struct weft_builder *builder, const char *key, const char *text);
/* Returns the folder of the store, for temporary files; owned by the builder. */
const char *weft_builder_folder(const struct weft_builder *builder);

/*
 * Interns LENGTH bytes of TEXT, which are copied; returns the index in the schema's
 * strings, the same for equal texts.
 */
uint32_t weft_builder_string(struct weft_builder *builder, const char *text, size_t length);
/*
 * Adds a text that will hardly repeat (a link's key), not interned: copies LENGTH bytes of
 * TEXT and returns a new index in the schema's strings.
 */
uint32_t weft_builder_text(struct weft_builder *builder, const char *text, size_t length);

/*
 * Adds a type, whose parent must be an earlier one; returns its index in the schema's
 * types.  Name and alias (NULL: the name) are copied; `slots` is ignored.  Aborts if its
 * role does not fit its kind.  Type 0 and container 0 (the root) exist from the start.
 */
uint32_t weft_builder_type(struct weft_builder *builder, const struct weft_type *type);
/*
 * Adds a value of TYPE, which must exist (aborts), even if TYPE has one of that name
 * already; returns its index in the schema's values, which has those of all types.  NAME
 * and ALIAS (NULL: the name) are copied.  COLOR: 0xAARRGGBB, or 0 for none.
 */
uint32_t weft_builder_value(struct weft_builder *builder, uint32_t type, const char *name,
                            const char *alias, uint32_t color);
/*
 * Adds a field with the values of KIND, which entities or containers of TYPE may have, even
 * if TYPE has one of that name; returns its index in the schema's fields, which has those
 * of all types.  TYPE must exist (aborts).  NAME is copied.
 */
uint32_t weft_builder_field(struct weft_builder *builder, uint32_t type, const char *name,
                            enum weft_field_kind kind);
/*
 * Has an index of FIELD made at finish, so that entities are found by its value (a task by
 * its number, a message by its tag).  FIELD must exist (aborts).  Call it before the first
 * entity with the field.
 */
void weft_builder_index_field(struct weft_builder *builder, uint32_t field);
/*
 * Declares FIELD, which must exist (aborts), a late one: its values may be given after
 * later entities of the track were appended (a task's work is known when it ends).  It must
 * not be a field of links: their values would be lost.  Call it before the first entity
 * with the field; give its values only while one thread appends (weft_builder_lanes).  Each
 * value takes 32 bytes until finish, in a temporary file beyond some megabytes.
 */
void weft_builder_late_field(struct weft_builder *builder, uint32_t field);
/*
 * Gives the entity with ID, as returned while building, the value of a late field (one
 * declared by weft_builder_late_field(); aborts for another field, or while several threads
 * append).  The last of several values counts.
 */
void weft_builder_field_later(struct weft_builder *builder, uint64_t id,
                              const struct weft_field_value *value);
/*
 * Gives the entity with ID one more value, which became known later (a call's object that
 * is known when it returns).  Aborts unless it is the entity begun last on its track, or if
 * the field is one of weft_builder_late_field().
 */
void weft_builder_field_now(struct weft_builder *builder, uint64_t id,
                            const struct weft_field_value *value);
/*
 * Returns the index of SITE in the schema's sites, where it is added unless an equal one is
 * there; its texts (NULL: "") are copied.
 */
uint32_t weft_builder_site(struct weft_builder *builder, const struct weft_site *site);
/*
 * Adds a container, begun at TIME, in the container PARENT (0: the root, which exists from
 * the start); returns its index in the schema's containers.  TYPE and PARENT must exist
 * (aborts).  NAME and ALIAS (NULL: the name) are copied.  Until weft_builder_destroy() it
 * has no end: finish sets the span's.
 */
uint32_t weft_builder_container(struct weft_builder *builder, uint32_t type,
                                uint32_t parent, const char *name, const char *alias,
                                int64_t time);
/*
 * Ends CONTAINER and its descendants at TIME, or at a container's begin if that is later,
 * and closes their open states then, or at their track's latest time if that is later.
 * Containers that ended before stay as they are.  Aborts if there is no such container.
 */
void weft_builder_destroy(struct weft_builder *builder, uint32_t container, int64_t time);
/*
 * Renames a container (a thread that names itself), which must exist (aborts); copies NAME.
 */
void weft_builder_rename(struct weft_builder *builder, uint32_t container,
                         const char *name);

/*
 * Sets a fact about CONTAINER: VALUE, of a field of the container's type (aborts for a
 * field of another), which is copied and replaces an earlier one of that field.
 */
void weft_builder_container_field(struct weft_builder *builder, uint32_t container,
                                  const struct weft_field_value *value);

/*
 * Sets the role of TYPE, an index; aborts if ROLE does not suit types of its kind.
 * WEFT_ROLE_NONE suits all.
 */
void weft_builder_type_role(struct weft_builder *builder, uint32_t type,
                            enum weft_role role);
/*
 * Sets the role of VALUE, an index; aborts unless ROLE is one of values or of links, or
 * WEFT_ROLE_NONE.
 */
void weft_builder_value_role(struct weft_builder *builder, uint32_t value,
                             enum weft_role role);
/*
 * Sets the role of FIELD, an index; aborts unless ROLE is one of fields, or WEFT_ROLE_NONE.
 */
void weft_builder_field_role(struct weft_builder *builder, uint32_t field,
                             enum weft_role role);
/*
 * Sets the role of CONTAINER, an index, that differs from its type's (WEFT_ROLE_NONE: its
 * type's); aborts unless ROLE is one of containers, or WEFT_ROLE_NONE.
 */
void weft_builder_container_role(struct weft_builder *builder, uint32_t container,
                                 enum weft_role role);
/*
 * Sets the sort key of a container, which must exist (aborts), among its siblings: they are
 * sorted by place (default 0), then by creation.  So ranks are in order of their numbers,
 * whichever began first.
 */
void weft_builder_container_place(struct weft_builder *builder, uint32_t container,
                                  uint32_t place);
/*
 * Lists the tables so far, for assigning roles by name: sets the format, types, values and
 * fields of *OUT, and if CONTAINERS is true its containers, whose role is their own or
 * WEFT_ROLE_NONE, not their type's; all else is 0, colours too.  The tables are in ARENA,
 * their texts in the builder: *OUT is valid until the next call that adds a text.
 */
void weft_builder_names(const struct weft_builder *builder, bool containers,
                        struct weft_arena *arena, struct weft_schema *out);

/*
 * Adds a host, even if there is an equal one; returns its index in the schema's hosts.  Its
 * name and identity are copied.
 */
uint32_t weft_builder_host(struct weft_builder *builder, const struct weft_host *host);
/*
 * Adds a clock; returns its index in the schema's clocks.  All times passed to a builder
 * are in the store's time already: the reader corrects raw times (weft_clock_correct) and
 * records the correction here.  Name and knots are copied.  Aborts if its host is neither
 * WEFT_NONE nor a host's index, or the knots do not grow strictly.
 */
uint32_t weft_builder_clock(struct weft_builder *builder, const struct weft_clock *clock);
/*
 * Sets the clock of the timestamps of a container and of its subtree, except for
 * containers there that have one of their own.  Both must exist (aborts).
 */
void weft_builder_container_clock(struct weft_builder *builder, uint32_t container,
                                  uint32_t clock);

/*
 * Returns the number of the track of a container and an entity type, made if necessary, for
 * the calls below; finish renumbers the tracks.  Aborts if container or type does not
 * exist.  O(1).
 */
uint32_t weft_builder_track(struct weft_builder *builder, uint32_t container,
                            uint32_t type);

/*
 * Prefetches the memory that appending entities of any kind to the track will touch: with
 * thousands of tracks, building is bound by cache misses.  Call it about ten calls ahead,
 * and again with NEAR about four ahead.  No effect if there is no such track.
 */
void weft_builder_expect(const struct weft_builder *builder, uint32_t track, bool near);
/*
 * Prefetches the memory that appending fields of entities to the track will touch.  Call it
 * after weft_builder_expect() with NEAR.  No effect if there is no such track.
 */
void weft_builder_expect_fields(const struct weft_builder *builder, uint32_t track);

/*
 * Appending by several threads.  weft_builder_lanes() first calls weft_builder_settle(),
 * then divides the tracks into N groups, called lanes: all are in lane 0 until
 * weft_builder_assign() moves TRACK to LANE (below N, or it aborts).  One thread for each
 * lane may call push, pop, set, reset, event, sample and add on the lane's tracks at the
 * same time; one more may call link and text, when the tracks of those links have been
 * made.  All other calls need the builder alone.  Blocks that fill meanwhile wait in
 * memory, until weft_builder_settle() writes them in the order of the lanes: so the store
 * depends on what was appended between two calls of settle, not on which thread did it
 * when.  N = 0: settle; one thread appends again.
 */
void weft_builder_lanes(struct weft_builder *builder, uint32_t n);
/* Moves TRACK to LANE, as weft_builder_lanes() says; aborts if one does not exist. */
void weft_builder_assign(struct weft_builder *builder, uint32_t track, uint32_t lane);
/* Writes the blocks that wait in lanes; call it while no other thread appends. */
void weft_builder_settle(struct weft_builder *builder);

/* The result of appending to a track; unless it is WEFT_BUILD_OK, nothing changed. */
enum weft_build {
    WEFT_BUILD_OK,
    WEFT_BUILD_BACKWARD, /* the time is before the track's latest */
    WEFT_BUILD_EMPTY,    /* pop or reset of a track that has no open state */
    WEFT_BUILD_UNSET,    /* weft_builder_add() to a variable without a sample */
    WEFT_BUILD_RANGE,    /* weft_builder_add(): the sum is infinite or not a number */
    WEFT_BUILD_DEEP,     /* more than 65,534 states inside one another */
};

/*
 * Opens a state with VALUE and N_FIELDS fields, which are copied, inside the innermost open
 * state of a track; of several values of one field the last counts.  *ID, unless ID is
 * NULL, is set to the new state's id.  Returns, nothing changed, WEFT_BUILD_BACKWARD or
 * WEFT_BUILD_DEEP.  Aborts if the track is not of states or VALUE does not exist.
 *
 * Ids given out while building number the tracks in order of their making; finish renumbers
 * the tracks in tree order, and the ids inside links and fields with them.
 */
enum weft_build weft_builder_push(struct weft_builder *builder, uint32_t track,
                                  int64_t time, uint32_t value,
                                  const struct weft_field_value *fields, size_t n_fields,
                                  uint64_t *id);
/*
 * Closes the innermost open state of a track at TIME; *ID, unless ID is NULL, is set to its
 * id.  Returns, nothing changed, WEFT_BUILD_EMPTY if none is open, else WEFT_BUILD_BACKWARD
 * if TIME is before the track's latest.  Aborts if the track is not of states.
 */
enum weft_build weft_builder_pop(struct weft_builder *builder, uint32_t track, int64_t time,
                                 uint64_t *id);
/*
 * Closes all open states of a track at TIME, if any, and opens one with VALUE and N_FIELDS
 * fields, which are copied; *ID, unless ID is NULL, is set to its id.  Returns
 * WEFT_BUILD_BACKWARD, nothing changed, if TIME is before the track's latest.  Aborts if
 * the track is not of states or VALUE does not exist.
 */
enum weft_build weft_builder_set(struct weft_builder *builder, uint32_t track, int64_t time,
                                 uint32_t value, const struct weft_field_value *fields,
                                 size_t n_fields, uint64_t *id);
/*
 * Closes all open states of a track at TIME.  Returns, nothing changed, WEFT_BUILD_EMPTY if
 * none is open, else WEFT_BUILD_BACKWARD if TIME is before the track's latest.  Aborts if
 * the track is not of states.
 */
enum weft_build weft_builder_reset(struct weft_builder *builder, uint32_t track,
                                   int64_t time);
/* Returns the number of open states on the track; 0 if there is no such track. */
uint32_t weft_builder_open_states(const struct weft_builder *builder, uint32_t track);
/*
 * Returns the value (index in the schema's values) of the innermost open state on the
 * track; WEFT_NONE if none is open, or there is no such track.
 */
uint32_t weft_builder_top_value(const struct weft_builder *builder, uint32_t track);

/*
 * Appends an event with N_FIELDS fields, which are copied; of several values of one field
 * the last counts.  VALUE may be WEFT_NONE.  *ID (ID may be NULL) is set to its id.
 * Returns WEFT_BUILD_BACKWARD, nothing changed, if TIME is before the track's latest.
 * Aborts if the track is not of events.
 */
enum weft_build weft_builder_event(struct weft_builder *builder, uint32_t track,
                                   int64_t time, uint32_t value,
                                   const struct weft_field_value *fields, size_t n_fields,
                                   uint64_t *id);

/*
 * Appends a sample, the value of a variable from TIME on; if the track's latest sample has
 * the same time, replaces its value.  Returns WEFT_BUILD_BACKWARD, nothing changed, if TIME
 * is before the latest sample.  Aborts if the track is not of a variable.
 */
enum weft_build weft_builder_sample(struct weft_builder *builder, uint32_t track,
                                    int64_t time, double value);
/*
 * Appends, at TIME, the variable's latest value plus DELTA, which may be negative; if the
 * latest sample has the same time, the sum replaces its value.  Returns, nothing changed,
 * WEFT_BUILD_UNSET without a latest value, WEFT_BUILD_RANGE if the sum is not finite,
 * WEFT_BUILD_BACKWARD if TIME is before the latest sample.  Aborts if the track is not of a
 * variable.
 */
enum weft_build weft_builder_add(struct weft_builder *builder, uint32_t track, int64_t time,
                                 double delta);

/*
 * Adds a link with its N_FIELDS fields, to the track of its `container` and `type`, which
 * is made if necessary; all are copied.  Its entities' ids are those given out while
 * building.  Links may come in any order of time.  Aborts if the type is not of links.
 */
void weft_builder_link(struct weft_builder *builder, const struct weft_link *link,
                       const struct weft_field_value *fields, size_t n_fields);

/*
 * Appends a row of N CELLS, at most WEFT_GRID_COLUMNS, which are copied, to the grid of
 * KIND (store/integer_grid.h); columns of the row behind them are 0.  Aborts for more, and
 * while several threads append (weft_builder_lanes).
 */
void weft_builder_grid_row(struct weft_builder *builder, enum weft_grid_kind kind,
                           const int64_t *cells, size_t n);

enum { WEFT_PROBLEMS_KEPT = 100 }; /* most faults of a kind that are listed one by one */
/*
 * Reports a fault of the trace, with the message that printf() would write, cut to 511
 * bytes.  The first WEFT_PROBLEMS_KEPT of a KIND are kept with their line, the rest are
 * counted.  KIND is not copied: pass a literal.  LINE: from 1; 0: the whole trace.
 */
void weft_builder_problem(struct weft_builder *builder, enum weft_severity severity,
                          const char *kind, uint64_t line, const char *fmt, ...)
    WEFT_PRINTF(5, 6);
/* A row of a reader's table of faults, for weft_builder_fault(). */
struct weft_fault_kind {
    const char *name; /* short, the same for all of the kind: "pop-of-empty-stack" */
    enum weft_severity severity;
    const char *sentence; /* a printf format for the arguments after LINE */
};
/*
 * Reports a fault of KIND in LINE (from 1; 0: the whole trace): the arguments after LINE
 * are those of kind->sentence, whose text is cut to 511 bytes.  The first
 * WEFT_PROBLEMS_KEPT of a kind are kept with their line, the rest are counted.  kind->name
 * must outlive the builder.
 */
void weft_builder_fault(struct weft_builder *builder, const struct weft_fault_kind *kind,
                        uint64_t line, ...);

#endif
