/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections: a small language that says which states, events and links of a trace are
 * meant (doc/selections.md):
 *
 *     blocked and object = table_lock and duration > 1ms and row in worker*
 *
 * A selection is compiled against a trace once: values, types, sites and containers become
 * tables, and tracks on which nothing can match are skipped as a whole.  It is evaluated
 * while the store's queries are visited: nothing of the trace is copied, and a field is
 * read, a block at a time, only if a term about it decides.
 */
#ifndef WEFT_ANALYSE_WHERE_SELECTION_H
#define WEFT_ANALYSE_WHERE_SELECTION_H

#include "base/err.h"
#include "base/memory.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

enum {
    WEFT_WHERE_BYTES = 16 << 10, /* most bytes of a selection's text */
    WEFT_WHERE_TERMS = 256,      /* most terms, "and", "or" and "not" of it */
    WEFT_WHERE_DEPTH = 32,       /* most parentheses and "not" around a term */
};

struct weft_where;

/*
 * Compiles TEXT against SOURCE, which must outlive it; "" selects everything.  The caller
 * frees it by weft_where_free(); any number of threads may use it meanwhile.  Returns NULL
 * with WEFT_ERR_USAGE, whose message names the word at fault, its place, and what would be
 * right.  Costs a walk over the schema's tables for each term.
 */
struct weft_where *weft_where_new(const struct weft_source *source, const char *text,
                                  struct weft_err *err) WEFT_MUST_CHECK;
/* Frees WHERE; NULL is fine. */
void weft_where_free(struct weft_where *where);

/* A state, event or link that a selection is asked about. */
struct weft_thing {
    uint64_t id;        /* of the entity */
    int64_t begin, end; /* ticks; of an event the same; a link's may run backwards */
    uint32_t track;     /* index in schema->tracks */
    uint32_t value;     /* index in schema->values, or WEFT_NONE */
    uint32_t from, to;  /* of a link: containers, or WEFT_NONE; else WEFT_NONE */
};

/* A question: a selection, and where to look for the things that it means. */
struct weft_where_query {
    const struct weft_where *where;
    struct weft_span window; /* things that overlap it, as the queries of a source say */
    uint32_t under; /* a container: its subtree only, and links with an end in it; 0: all */
    struct weft_job *job; /* or NULL */
};

/*
 * Returns the tracks, *N of them, in ARENA, in rising order, on which things of QUERY may
 * be.
 */
uint32_t *weft_where_tracks(const struct weft_where_query *query, struct weft_arena *arena,
                            size_t *n);
/*
 * Visits the things of QUERY on TRACK, one of weft_where_tracks(), in the order of the
 * source's query for its kind; VISIT returns false to stop.  Stops early, too, if
 * query->job is cancelled.
 */
void weft_where_walk(const struct weft_where_query *query, uint32_t track,
                     bool (*visit)(void *user, const struct weft_thing *thing), void *user);

/*
 * Returns true if things of QUERY may be on TRACK, an index in schema->tracks; looks at
 * tables only, and not at the window.
 */
bool weft_where_may_hold(const struct weft_where_query *query, uint32_t track);

/* How many of the things of a track a selection means, as its tables alone tell. */
enum weft_where_answer { WEFT_WHERE_NEVER, WEFT_WHERE_SOMETIMES, WEFT_WHERE_ALWAYS };
/*
 * Returns how many of the things on TRACK, an index in schema->tracks, WHERE means, without
 * looking at them: SOMETIMES if that takes a look.  NEVER for a track of a variable.
 */
enum weft_where_answer weft_where_of_track(const struct weft_where *where, uint32_t track);
/* The same for the things on TRACK with VALUE, an index in schema->values, or WEFT_NONE. */
enum weft_where_answer weft_where_of_value(const struct weft_where *where, uint32_t track,
                                           uint32_t value);
/*
 * Returns true if WHERE has only terms about rows ("row in worker*"), joined by and, or and
 * not; then sets ROWS[c] to 1 for each container c that it means, and to 0 for all others.
 */
bool weft_where_rows(const struct weft_where *where, uint8_t *rows);
/*
 * Returns true if WHERE is about the values of states alone, whatever row has them; then
 * sets VALUES[v] to 1 for each value of states that it means, and to 0 for all others.
 */
bool weft_where_state_values(const struct weft_where *where, uint8_t *values);
/*
 * Returns a number that is equal for two rows (containers) if the terms of WHERE about rows
 * are; 0 for all if it has none.  Beyond 63 terms, only the same row is equal.
 */
uint64_t weft_where_row_class(const struct weft_where *where, uint32_t row);

/*
 * Asks a selection about one thing after the other of a track, roughly in order of their
 * begins: for walks that need the things between as well.
 */
struct weft_where_asker;
/*
 * Returns an asker for TRACK, an index in schema->tracks; weft_where_end_asker() frees it.
 * The selection query->where must outlive it.
 */
struct weft_where_asker *weft_where_ask(const struct weft_where_query *query,
                                        uint32_t track);
/*
 * Returns true if the selection means THING, which is on the asker's track.  Does not look
 * at the query's window and subtree.
 */
bool weft_where_holds(struct weft_where_asker *asker, const struct weft_thing *thing);
/* Frees ASKER, which is not NULL. */
void weft_where_end_asker(struct weft_where_asker *asker);

/*
 * Returns the field of states, events or links of TYPE that holds the object of a thing,
 * as the term "object" understands it: a container, or a text; WEFT_NONE: there is none.
 * A link's object is the container where it arrives.
 */
uint32_t weft_where_object_field(const struct weft_schema *schema, uint32_t type);

/*
 * Returns the first field of TYPE that has NAME, or the role of that name, and holds
 * numbers, as terms of selections find it; WEFT_NONE: there is none.
 */
uint32_t weft_where_number_field(const struct weft_schema *schema, uint32_t type,
                                 const char *name);

/*
 * Returns the container that TEXT names: what weft_find_container() finds, else the
 * processor with that number, "processor 3", as tables of messages number them; WEFT_NONE:
 * none, or several, and *AMBIGUOUS then tells which.
 */
uint32_t weft_where_container(const struct weft_source *source, const char *text,
                              bool *ambiguous);

/*
 * Returns, in ARENA, the selection WHERE ("": none yet) and, behind "and", that TERM, a
 * name and an operator ("site ="), is true of TEXT, which is put in quotes.  Returns NULL
 * if TEXT has more than 256 bytes, since marks of pictures hold the result, or if WHERE is
 * NULL.
 */
const char *weft_where_and(struct weft_arena *arena, const char *where, const char *term,
                           const char *text);

/*
 * Returns true if all of NAME, without regard to upper and lower case, is like PATTERN, in
 * which * stands for any text.  Looks at the first 4 KiB of NAME.
 */
bool weft_where_like(const char *pattern, const char *name);

#endif
