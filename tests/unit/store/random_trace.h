/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random trace for tests.  All that was put into the builder is also kept in plain lists,
 * which slow and obvious functions search from end to end for the expected values.
 */
#ifndef WEFT_TESTS_STORE_RANDOM_TRACE_H
#define WEFT_TESTS_STORE_RANDOM_TRACE_H

#include "store/build/builder.h"
#include "store/trace/trace.h"

enum {
    /*
     * Enough for several blocks of the store, few enough for lists that are searched in
     * full.
     */
    RANDOM_CONTAINERS = 9,
    RANDOM_STATE_TRACKS = 7,
    RANDOM_CHANGES = 1400, /* on each of them: several blocks */
    RANDOM_EVENTS = 900,
    RANDOM_SAMPLES = 700,
    RANDOM_LINKS = 3000,
    RANDOM_VALUES = 5,
    RANDOM_END = 5000, /* times are 0 to this: many are equal */
    RANDOM_MAX_ITEMS = 20000,
    RANDOM_FIELDS = 7,
};

enum random_field {
    RANDOM_INTEGER,
    RANDOM_REAL,
    RANDOM_TEXT,
    RANDOM_SITE,
    RANDOM_CONTAINER,
    RANDOM_ENTITY,
    RANDOM_PLAIN, /* an integer without an index */
};

struct random_item { /* a state, event, sample or link */
    enum weft_kind kind;
    uint32_t container, type;
    uint64_t ordinal;   /* links: not known, as they are sorted */
    int64_t begin, end; /* links may run backwards */
    uint32_t value;
    uint32_t depth;
    double sample;
    unsigned has;                  /* a set of fields: 1u << enum random_field */
    int64_t fields[RANDOM_FIELDS]; /* as weft_field_bits; entities: index of the item */
    uint32_t from, to;             /* links: containers */
    uint32_t from_item, to_item;   /* links: items at the ends, or WEFT_NONE */
    int64_t bytes;                 /* links */
};

struct random_trace {
    struct random_item items[RANDOM_MAX_ITEMS];
    uint32_t n_items;
    uint32_t state_type, event_type, variable_type, link_type;
    uint32_t fields[RANDOM_FIELDS]; /* of states */
    uint32_t values[RANDOM_VALUES]; /* of states; the last is never used */
    uint32_t event_value, link_value;
    uint32_t containers[RANDOM_CONTAINERS];
    uint32_t size; /* field of links: their bytes, half of them have it */
    struct weft_trace *trace;
    const struct weft_source *source;
    char path[64];
};

/*
 * Build and open a random trace; random_trace_end closes it.  CLOCKS: containers 0 to 2
 * have clocks of their own: one with an offset, one with a drift, and one that is corrected
 * piece by piece.
 */
void random_trace_begin(struct random_trace *model, bool clocks);
void random_trace_end(struct random_trace *model);
/* The track that an item lies on, and its id (not of links). */
uint32_t random_track(const struct random_trace *model, const struct random_item *item);
uint64_t random_id(const struct random_trace *model, const struct random_item *item);

#endif
