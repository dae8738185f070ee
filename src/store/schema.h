/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vocabulary of a trace, as plain tables: what Paje calls the type hierarchy, the
 * containers and the values (Chassin de Kergommeaux, Stein, Bernard 2000, section 3.3.3),
 * and what every system that Weft unites is expressed in.
 *
 *   container   a thing that lives in time and holds tracks: machine, process, thread, lock
 *   track       one (container, entity type): a sequence of states, events, samples or links
 *   state       an interval with a value; states of a track nest, so each has a depth
 *   event       an instant with a value
 *   sample      the value of a variable from its time to the next sample's
 *   link        from a container at a time to a container at a time (message, wake-up)
 *
 * Rows are named by index (uint32_t, WEFT_NONE for "no row").  An entity's id is
 * track << 40 | ordinal, where the ordinal counts the track's entities from 0 in the order
 * of their begin; it is stable across runs of Weft on the same file.
 *
 * Times are ticks of the trace's own clock.  What people type and read counts from the
 * begin of the span (weft_time.h converts).
 */
#ifndef WEFT_STORE_SCHEMA_H
#define WEFT_STORE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_NONE  UINT32_MAX
#define WEFT_NO_ID UINT64_MAX

enum weft_kind {
    WEFT_CONTAINER,
    WEFT_STATE,
    WEFT_EVENT,
    WEFT_VARIABLE,
    WEFT_LINK,
};
const char *weft_kind_name(enum weft_kind kind); /* "container", "state", ... */

struct weft_span {
    int64_t begin, end; /* ticks, half-open */
};

/* Colours are 0xAARRGGBB; 0 means that the trace gives none. */
struct weft_type {
    enum weft_kind kind;
    uint32_t parent;   /* type of the container that it lives on; WEFT_NONE for the root */
    const char *name;  /* never NULL */
    const char *alias; /* the identifier that the trace uses, or "" when it is the name */
    uint32_t color;
    uint32_t start_type; /* links: types of the containers at the ends; else WEFT_NONE */
    uint32_t end_type;
    uint32_t slots; /* states: 8 or 16, how many shares a summary of it holds */
};

enum {
    WEFT_END_IMPLIED =
        1, /* no end in the trace: open to the end of its container or span */
    WEFT_BEGIN_IMPLIED = 2, /* no begin in the trace (half a link) */
    WEFT_INFERRED =
        4, /* a link that was concluded, not observed (which signal woke whom) */
};

struct weft_container {
    uint32_t type;
    uint32_t parent; /* WEFT_NONE for the root, which is container 0 */
    const char *name;
    const char *alias;
    int64_t begin, end;
    uint32_t flags;       /* WEFT_END_IMPLIED */
    uint32_t first_child; /* in order of creation */
    uint32_t next_sibling;
    uint32_t depth;       /* root: 0 */
    uint32_t order;       /* position in the preorder walk of the tree */
    uint32_t subtree_end; /* one past the last position of its subtree in that walk */
};

struct weft_value {
    uint32_t type;
    const char *name;
    const char *alias;
    uint32_t color;
    uint32_t rank; /* states: 0 for the value with most self time in its type, and so on */
    int64_t self_ticks; /* states: over the whole trace */
};

enum weft_field_kind {
    WEFT_FIELD_INTEGER, /* int64_t */
    WEFT_FIELD_REAL,    /* double */
    WEFT_FIELD_TEXT,    /* string index */
    WEFT_FIELD_SITE,    /* index into sites[] */
};

struct weft_field {
    uint32_t type; /* the entity type whose entities may carry it */
    const char *name;
    enum weft_field_kind kind;
};

/* A place in a program.  Line 0: not known; file "": not known. */
struct weft_site {
    uint64_t address; /* in the object file, or 0 */
    const char *object;
    const char *function;
    const char *file;
    uint32_t line;
};

struct weft_track {
    uint32_t container;
    uint32_t type;
    uint64_t count;     /* entities */
    int64_t begin, end; /* of all its entities; begin > end when it has none */
    uint32_t max_depth; /* states: levels of nesting, at least 1 when there are states */
};

enum weft_severity { WEFT_NOTE, WEFT_WARNING, WEFT_ERROR };

/* A fault of the trace: what, where first, how often. */
struct weft_problem {
    enum weft_severity severity;
    const char *kind;    /* short name, the same for all of a kind: "pop-of-empty-stack" */
    const char *message; /* one sentence */
    uint64_t line;       /* 1-based line or record number; 0: concerns the whole trace */
    uint64_t count;      /* how many of this kind this row stands for (1, or the rest) */
};

struct weft_note { /* a fact about the run: command, host, date, processors ... */
    const char *key;
    const char *text;
};

struct weft_schema {
    const char *format;       /* name of the format that the trace was read from */
    uint64_t ticks_numerator; /* ticks per second = numerator / denominator */
    uint64_t ticks_denominator;
    struct weft_span span; /* earliest to latest time of any entity; end >= begin */
    uint64_t n_records;    /* lines or records read */
    uint64_t n_states, n_events, n_samples, n_links;

    const struct weft_type *types;
    uint32_t n_types;
    const struct weft_container *containers;
    uint32_t n_containers;
    const uint32_t *preorder; /* containers in tree order: preorder[c.order] is c's index */
    const struct weft_value *values;
    uint32_t n_values;
    const struct weft_field *fields;
    uint32_t n_fields;
    const struct weft_site *sites;
    uint32_t n_sites;
    const struct weft_track *tracks; /* those of one container follow one another, the
                                        containers in tree order */
    uint32_t n_tracks;
    const uint32_t
        *track_begin; /* [n_containers + 1], by position in preorder: tracks of the
                                    container at position p are track_begin[p] to
                                    track_begin[p + 1]; of a subtree likewise */
    const struct weft_problem *problems;
    uint32_t n_problems;
    const struct weft_note *notes;
    uint32_t n_notes;
    const char *const *strings; /* field texts and link keys */
    uint32_t n_strings;
};

static inline uint64_t weft_entity_id(uint32_t track, uint64_t ordinal)
{
    return (uint64_t)track << 40 | ordinal;
}
static inline uint32_t weft_entity_track(uint64_t id)
{
    return (uint32_t)(id >> 40);
}
static inline uint64_t weft_entity_ordinal(uint64_t id)
{
    return id & ((UINT64_C(1) << 40) - 1);
}

/*
 * Containers have ids of the same shape, on a track that no trace has: those of a container
 * itself, and those of all that it holds, itself with it.
 */
enum { WEFT_CONTAINER_TRACK = 0xffffff };
static inline uint64_t weft_container_id(uint32_t container, bool with_all_it_holds)
{
    return weft_entity_id(WEFT_CONTAINER_TRACK,
                          container | (uint64_t)with_all_it_holds << 32);
}
static inline bool weft_is_container_id(uint64_t id)
{
    return id != WEFT_NO_ID && weft_entity_track(id) == WEFT_CONTAINER_TRACK;
}

/*
 * Find a container by what a person types: a path of names from the root ("host/thread 1",
 * with or without the root's own name), a name or alias that is unique, or #INDEX.
 * WEFT_NONE when there is none, or more than one: then *ambiguous is true.
 */
uint32_t weft_find_container(const struct weft_schema *schema, const char *text,
                             bool *ambiguous);

#endif
