/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a trace: the type hierarchy, containers and values of Paje (Chassin de
 * Kergommeaux, Stein, Bernard 2000, section 3.3.3), to which every input format is mapped.
 *
 * container   a thing that lives in time and holds tracks: machine, process, lock
 * track       one (container, entity type): states, events, samples or links in order
 * state       an interval with a value; states of a track nest, so each has a depth
 * event       an instant with a value
 * sample      the value of a variable from its time to the next sample's
 * link        from a container at a time to a container at a time (message, wake-up)
 *
 * Rows of tables are named by index (uint32_t, WEFT_NONE for "no row").  An entity's id is
 * track << 40 | ordinal, where the ordinal counts the track's entities from 0 in the order
 * of their begin; it is stable across runs of Weft on the same file.
 *
 * The meaning of a type, a value, a container or a field is its role (store/role.h).  Facts
 * about a container (its rank, its process id, its address) are fields of its type.
 *
 * Times are ticks of the trace's own clock; if a run had several clocks, of the reference
 * clock (store/clock.h).  Times in commands and displays count from the begin of the span
 * (store/time.h converts).
 */
#ifndef WEFT_STORE_SCHEMA_H
#define WEFT_STORE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "store/clock.h"
#include "store/entity.h"
#include "store/role.h"

/* The kind of a type: a type of containers, or of entities of a track. */
enum weft_kind {
    WEFT_CONTAINER,
    WEFT_STATE,
    WEFT_EVENT,
    WEFT_VARIABLE, /* the track's entities are samples of its value */
    WEFT_LINK,
};
/* Returns "container", "state", ...; "unknown" for an invalid kind. */
const char *weft_kind_name(enum weft_kind kind);
/*
 * Returns the sort of roles that types of the kind may have; WEFT_ROLE_SUBJECTS for an
 * invalid kind.
 */
enum weft_role_subject weft_kind_subject(enum weft_kind kind);

/* An interval of time: begin <= t < end. */
struct weft_span {
    int64_t begin, end; /* ticks, half-open */
};

/*
 * All times of a trace lie in [-WEFT_TIME_LIMIT, WEFT_TIME_LIMIT): so the difference of any
 * two fits an int64_t, without a check.  In nanoseconds that is 146 years to either side.
 * A builder fails on times beyond it, and a store that holds such times is damaged.  The
 * windows of queries obey it, too.
 */
#define WEFT_TIME_LIMIT (INT64_C(1) << 62)
/* Returns true if TIME lies in [-WEFT_TIME_LIMIT, WEFT_TIME_LIMIT). */
static inline bool weft_time_fits(int64_t time)
{
    return time >= -WEFT_TIME_LIMIT && time < WEFT_TIME_LIMIT;
}
/* Returns the time nearest to TIME in [-WEFT_TIME_LIMIT, WEFT_TIME_LIMIT). */
static inline int64_t weft_time_clamp(int64_t time)
{
    return time >= WEFT_TIME_LIMIT   ? WEFT_TIME_LIMIT - 1
           : time < -WEFT_TIME_LIMIT ? -WEFT_TIME_LIMIT
                                     : time;
}

/* A type of containers, or of the states, events, samples or links of tracks. */
struct weft_type {
    enum weft_kind kind;
    uint32_t parent;     /* type of its container; WEFT_NONE for the root */
    const char *name;    /* never NULL */
    const char *alias;   /* identifier in the trace; "" if it is the name */
    uint32_t color;      /* 0xAARRGGBB; 0: the trace gives none */
    uint32_t start_type; /* links: types of the containers at the ends; else WEFT_NONE */
    uint32_t end_type;
    uint32_t slots; /* states: shares that summaries keep apart, 8 or 16 (source.h) */
    enum weft_role role;
};

/* A thing that lives in time and holds tracks: a machine, a process, a lock. */
struct weft_container {
    uint32_t type;        /* index in types */
    uint32_t parent;      /* WEFT_NONE for the root, which is container 0 */
    enum weft_role role;  /* its own role, or else its type's */
    uint32_t clock;       /* its own clock, or else its parent's; WEFT_NONE: unknown */
    uint32_t first_field; /* index in container_fields of its first field */
    uint32_t n_fields;
    const char *name;
    const char *alias;     /* identifier in the trace; "" if it is the name */
    int64_t begin, end;    /* ticks */
    uint32_t flags;        /* WEFT_END_IMPLIED, or 0 */
    uint32_t first_child;  /* WEFT_NONE: none */
    uint32_t next_sibling; /* by place (weft_builder_container_place), then creation */
    uint32_t depth;        /* root: 0 */
    uint32_t order;        /* position in the preorder walk of the tree; of one that a
                              filter hides, behind the root's subtree_end */
    uint32_t subtree_end;  /* one past the last position of its subtree in that walk */
};

/* How the marks of a value's events look; a filter sets it. */
enum weft_shape {
    WEFT_SHAPE_USUAL,
    WEFT_SHAPE_DIAMOND,
    WEFT_SHAPE_CIRCLE,
    WEFT_SHAPE_TRIANGLE,
    WEFT_SHAPE_SQUARE,
    WEFT_SHAPE_CROSS,
    WEFT_SHAPE_LINE,
};

/* How a filter reduces a container, with all that it holds, to one row a type. */
struct weft_reduction {
    bool shades; /* the number of active members as a shade; else stacked bars */
    bool sums;   /* curves are sums over the members; else their mean and bounds */
    const uint8_t *active; /* [n_values] 1: a member in such a state counts as active */
    const char *what; /* what active members are: "at work", "in a state", a selection */
};

/* How much of a track a filter dims: it is drawn pale. */
enum weft_dimming { WEFT_DIMS_NOTHING, WEFT_DIMS_SOME, WEFT_DIMS_ALL };

/* A value that states, events or links of a type may have: "running", "MPI_Send". */
struct weft_value {
    uint32_t type; /* index in types */
    const char *name;
    const char *alias;  /* identifier in the trace; "" if it is the name */
    uint32_t color;     /* 0xAARRGGBB; 0: the trace gives none */
    uint32_t rank;      /* states: rank in its type by descending self time, from 0 */
    int64_t self_ticks; /* states: ticks that it was innermost, on all tracks together */
    enum weft_role role;
    enum weft_shape shape; /* of the marks of events */
};

/* A named attribute of the entities or containers of a type: bytes, tag, rank. */
struct weft_field {
    uint32_t type; /* type whose entities or containers may carry it */
    const char *name;
    enum weft_field_kind kind;
    enum weft_role role;
    bool indexed; /* entities are found by its value in O(log n) (source.h, find) */
};

/* A place in a program.  Line 0, or a text "": not known. */
struct weft_site {
    uint64_t address;   /* in the object file, or 0 */
    const char *object; /* path of the executable or library */
    const char *function;
    const char *file;
    uint32_t line;
};

/* The entities of one type of one container, in order of time. */
struct weft_track {
    uint32_t container; /* index in containers */
    uint32_t type;      /* index in types */
    uint64_t count;     /* entities */
    /* ticks: earliest and latest time of its entities; begin > end: none */
    int64_t begin, end;
    uint32_t max_depth; /* states: levels of nesting, at least 1 when there are states */
};

/*
 * How much a problem matters, rising; the reader decides.  A note is no fault: weft check,
 * record and recover print it and weft info counts it; other commands do not tell it.
 */
enum weft_severity { WEFT_NOTE, WEFT_WARNING, WEFT_ERROR };

/* A fault of the trace, or a row that stands for all further faults of its kind. */
struct weft_problem {
    enum weft_severity severity;
    const char *kind;    /* short name, the same for all of a kind: "pop-of-empty-stack" */
    const char *message; /* one sentence */
    uint64_t line;       /* 1-based line or record number; 0: concerns the whole trace */
    uint64_t count; /* number of faults that this row stands for (1, or all the rest) */
};

struct weft_note { /* a fact about the run: command, host, date, processors ... */
    const char *key;
    const char *text;
};

/*
 * The tables of a trace, each indexed from 0; owned by the source that it belongs to, and
 * never changed while that may be queried.
 */
struct weft_schema {
    const char *format;       /* name of the format that the trace was read from */
    uint64_t ticks_numerator; /* ticks per second = numerator / denominator */
    uint64_t ticks_denominator;
    struct weft_span span; /* all times of entities and containers; end >= begin */
    uint64_t n_records;    /* lines or records read */
    uint64_t n_states, n_events, n_samples, n_links;

    const struct weft_type *types;
    uint32_t n_types;
    const struct weft_container *containers;
    uint32_t n_containers;
    const struct weft_field_value *container_fields; /* facts, grouped by container */
    uint32_t n_container_fields;
    const struct weft_host *hosts;
    uint32_t n_hosts;
    const struct weft_clock *clocks;
    uint32_t n_clocks;
    const uint32_t *preorder; /* containers in tree order: preorder[c.order] is c's index */
    const struct weft_value *values;
    uint32_t n_values;
    const struct weft_field *fields;
    uint32_t n_fields;
    const struct weft_site *sites;
    uint32_t n_sites;
    const struct weft_track *tracks; /* those of a container are adjacent */
    uint32_t n_tracks;
    /*
     * The indices of the tracks, sorted by the container's position in preorder: the tracks
     * of the container at position p are track_at[i] for i from track_begin[p] to
     * track_begin[p + 1], rising; those of its subtree end at track_begin[subtree_end].  A
     * store's tracks have this order already, those below filters may not.
     */
    const uint32_t *track_at;
    const uint32_t *track_begin; /* [n_containers + 1] */
    /*
     * By container, or NULL: the container whose rows it is drawn in, itself or one that
     * lives earlier (a filter reuses rows), and the next one drawn there, or WEFT_NONE.
     */
    const uint32_t *lane_of, *lane_next;
    /* By container, or NULL: how a filter reduces it to one row, or NULL: it does not. */
    const struct weft_reduction *const *reduced;
    const uint16_t *heights; /* by container, or NULL: pixels of its rows; 0: as they fit */
    const uint8_t *dimmed;   /* by track, or NULL: enum weft_dimming of a filter */
    bool rows_ordered; /* siblings are in an order that the reader chose: views keep it */
    const struct weft_problem *problems;
    uint32_t n_problems;
    const struct weft_note *notes;
    uint32_t n_notes;
    const char *const *strings; /* field texts and link keys */
    uint32_t n_strings;
};

/* Returns the id of the entity with ORDINAL (below 2^40) on TRACK (below 2^24). */
static inline uint64_t weft_entity_id(uint32_t track, uint64_t ordinal)
{
    return (uint64_t)track << 40 | ordinal;
}
/*
 * Returns the track of ID; a reserved one (WEFT_CONTAINER_TRACK ...) if it is no entity's.
 */
static inline uint32_t weft_entity_track(uint64_t id)
{
    return (uint32_t)(id >> 40);
}
/* Returns the ordinal of the entity ID on its track. */
static inline uint64_t weft_entity_ordinal(uint64_t id)
{
    return id & ((UINT64_C(1) << 40) - 1);
}

/*
 * The reserved track of the ids of containers, which have the form of entities' ids (track
 * << 40 | ordinal): one for the container alone, and one for it with its subtree
 * (weft_container_id).
 */
enum { WEFT_CONTAINER_TRACK = 0xffffff };
/*
 * Domains give ids on two more reserved tracks to nodes of a graph and to processors, which
 * are no entities: the ordinal is the number of the node or the processor.
 */
enum { WEFT_NODE_TRACK = 0xfffffe, WEFT_PROCESSOR_TRACK = 0xfffffd };
/* Returns the id of CONTAINER alone, or (WITH_ALL_IT_HOLDS) of it with its subtree. */
static inline uint64_t weft_container_id(uint32_t container, bool with_all_it_holds)
{
    return weft_entity_id(WEFT_CONTAINER_TRACK,
                          container | (uint64_t)with_all_it_holds << 32);
}
/* Returns true if ID is one of weft_container_id(). */
static inline bool weft_is_container_id(uint64_t id)
{
    return id != WEFT_NO_ID && weft_entity_track(id) == WEFT_CONTAINER_TRACK;
}

/*
 * Returns the facts about a container: *N field values, in the schema's memory.  Indices of
 * texts, sites and containers in them are valid: they were checked when the trace was
 * opened.
 */
static inline const struct weft_field_value *
weft_container_facts(const struct weft_schema *schema, uint32_t container, size_t *n)
{
    *n = schema->containers[container].n_fields;
    return schema->container_fields + schema->containers[container].first_field;
}

/*
 * Returns the first of N field values whose field has KIND and ROLE (or a more special
 * role) and whose text, site or container exists; NULL if there is none.  Fields come from
 * untrusted files: always use this function to read them.
 */
const struct weft_field_value *weft_field_with_role(const struct weft_schema *schema,
                                                    const struct weft_field_value *fields,
                                                    size_t n, enum weft_role role,
                                                    enum weft_field_kind kind);
/* Returns a container's first field with ROLE (or a more special one) and KIND, or NULL. */
const struct weft_field_value *weft_container_fact(const struct weft_schema *schema,
                                                   uint32_t container, enum weft_role role,
                                                   enum weft_field_kind kind);

/* Returns the first type with ROLE or a more special role; WEFT_NONE if there is none. */
uint32_t weft_type_with_role(const struct weft_schema *schema, enum weft_role role);
/*
 * Returns the first value of TYPE with ROLE or a more special role; WEFT_NONE if there is
 * none.
 */
uint32_t weft_value_with_role(const struct weft_schema *schema, uint32_t type,
                              enum weft_role role);
/*
 * Sets VALUES to the first values of TYPE, at most CAPACITY, that have ROLE or a more
 * special role; returns how many there are in all, which may be more.
 */
size_t weft_values_with_role(const struct weft_schema *schema, uint32_t type,
                             enum weft_role role, uint32_t *values, size_t capacity);
/*
 * Returns the first field of TYPE that has KIND, and ROLE or a more special role; WEFT_NONE
 * if there is none.
 */
uint32_t weft_field_of_type(const struct weft_schema *schema, uint32_t type,
                            enum weft_role role, enum weft_field_kind kind);

/*
 * Returns NAME, or a copy in ARENA cut to 256 bytes and "…" if it is longer.  For names
 * that become parts of many texts.
 */
const char *weft_name_cut(const char *name, struct weft_arena *arena);

/*
 * Returns an array [n_containers] in ARENA of labels that tell containers of several
 * parents apart: the schema's own name, or, except for the root, "parent/name" ("worker
 * 2/mutex 5") in ARENA if another container of the type has the same name.  In the latter
 * both names are cut by weft_name_cut().  O(n).
 */
const char **weft_container_labels(const struct weft_schema *schema,
                                   struct weft_arena *arena);

/*
 * Finds a container by text that a user typed: #INDEX; the root's name or alias; a path of
 * names or aliases from the root ("host/thread 1", with or without the root's own name);
 * or, if no path matches, a name or alias that is unique.  Returns WEFT_NONE if none or
 * several match; *AMBIGUOUS is true if several do, or if the search for paths took too
 * long.
 */
uint32_t weft_find_container(const struct weft_schema *schema, const char *text,
                             bool *ambiguous);

#endif
