/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entities of tracks: states, events, samples, links, and the values of their fields.
 * Builders take these structs, and sources return them.  Times are ticks of the trace's own
 * clock; ids are track << 40 | ordinal (store/schema.h); WEFT_NONE and WEFT_NO_ID mean
 * "none".
 */
#ifndef WEFT_STORE_ENTITY_H
#define WEFT_STORE_ENTITY_H

#include <stdint.h>

/* "None": WEFT_NONE in place of an index, WEFT_NO_ID in place of an entity's id. */
#define WEFT_NONE  UINT32_MAX
#define WEFT_NO_ID UINT64_MAX

/* Bits of the `flags` of states, events, links and containers. */
enum weft_entity_flag {
    /* the trace has no end for it: it got that of its container or of the trace */
    WEFT_END_IMPLIED = 1,
    WEFT_BEGIN_IMPLIED = 2, /* links: the trace has no begin for it */
    WEFT_INFERRED = 4,      /* a link that was deduced, not recorded */
    WEFT_DIMMED = 8,        /* set by a filter while it visits: the thing is drawn pale */
};

/* An interval of a track with a value; states of a track nest. */
struct weft_state {
    uint64_t id;
    int64_t begin, end; /* ticks */
    uint32_t value;     /* index in the schema's values */
    uint16_t depth;     /* number of states around it; 0: outermost */
    uint16_t flags;     /* WEFT_END_IMPLIED, WEFT_DIMMED */
};

/* An instant of a track with a value. */
struct weft_event {
    uint64_t id;
    int64_t time;   /* ticks */
    uint32_t value; /* index in the schema's values, or WEFT_NONE */
    uint32_t flags; /* 0, or WEFT_DIMMED */
};

/* A value of a variable, which holds until the next sample. */
struct weft_sample {
    uint64_t id;
    /* ticks; the value holds from begin to end: the next sample's begin, for the last one
       the container's end (its own begin if that is later) */
    int64_t begin, end;
    double value;
};

/* From one container at a time to another at a time: a message, a wake-up. */
struct weft_link {
    uint32_t type; /* index in the schema's types */
    /* container that the trace names: an ancestor of both ends, often the root (0) */
    uint32_t container;
    uint32_t value;                  /* index in the schema's values, or WEFT_NONE */
    uint32_t key;                    /* index in the schema's strings, or WEFT_NONE */
    uint32_t from, to;               /* containers; WEFT_NONE on the side that is missing */
    int64_t begin, end;              /* ticks; may run backwards (a tachyon) */
    uint64_t from_entity, to_entity; /* the states or events at the ends, or WEFT_NO_ID */
    /*
     * WEFT_BEGIN_IMPLIED, WEFT_END_IMPLIED: half a link, whose missing time the builder
     * sets: a begin to the link's end; an end to that of the trace's span if `to` is known
     * (a message that was never received), else to the link's begin.
     */
    uint32_t flags; /* or WEFT_INFERRED, WEFT_DIMMED */
    uint64_t id;    /* filled when reading; ignored when building */
};

/* The kind of a field's values, which struct weft_field_value holds. */
enum weft_field_kind {
    WEFT_FIELD_INTEGER,   /* int64_t */
    WEFT_FIELD_REAL,      /* double */
    WEFT_FIELD_TEXT,      /* index in the schema's strings */
    WEFT_FIELD_SITE,      /* index in the schema's sites */
    WEFT_FIELD_CONTAINER, /* index in the schema's containers */
    WEFT_FIELD_ENTITY,    /* id of an entity */
    WEFT_FIELD_KINDS,
};

/* The value of a field of an entity or a container; the field's kind selects the member. */
struct weft_field_value {
    uint32_t field; /* index in the schema's fields, whose `kind` it has */
    union {
        int64_t integer;
        double real;
        uint32_t index; /* text, site, container */
        uint64_t entity;
    };
};

/*
 * Returns VALUE, of a field of KIND, as 64 bits, as in files and in struct weft_field_run
 * (source.h): an integer, an index, an id, or the bits of a double.
 */
static inline int64_t weft_field_bits(enum weft_field_kind kind,
                                      const struct weft_field_value *value)
{
    switch (kind) {
    case WEFT_FIELD_TEXT:
    case WEFT_FIELD_SITE:
    case WEFT_FIELD_CONTAINER: return value->index;
    default: return value->integer;
    }
}

#endif
