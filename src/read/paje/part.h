/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a trace: some whole lines of text, and what the lexer found in them.  Parts are
 * read by any number of threads, each part by one; afterwards they are joined in order.
 *
 * Memory: 36 bytes for each line of an event, and for lines that define something,
 * for links and for entities with fields of the user's, 12 bytes for each word.
 */
#ifndef WEFT_READ_PAJE_PART_H
#define WEFT_READ_PAJE_PART_H

#include "base/hash.h"
#include "read/paje/definitions.h"
#include "read/paje/number.h"

enum {
    /*
     * Containers are dealt out to so many lanes by their names; the events of one lane are
     * applied by one thread at a time, in order.  Enough for the threads of a large machine to
     * have work each, and for the tracks of a lane (a few hundred of 16,384) to stay in a
     * processor's own cache.
     */
    PAJE_LANES = 32,
    PAJE_SPARE = 80, /* readable bytes after the text of a part: the lexer looks ahead */
};

/*
 * The lane of a container, by what the trace calls it.  Not by the hash of the key, which has a
 * secret: the store of a trace is the same, byte for byte, whoever makes it.
 */
static inline uint32_t paje_lane_of(const struct paje_key *key, const char *text,
                                    size_t length)
{
    enum { SHIFT = 59 };
    _Static_assert(PAJE_LANES == 1 << (64 - SHIFT), "as many lanes as numbers");
    uint64_t hash = (key->low ^ key->high * 0x9fb21c651e98df25u) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((length > PAJE_SHORT ? weft_hash(text, length) : hash) >> SHIFT);
}

struct paje_record {
    int64_t time;
    union {
        double number; /* variables */
        struct {       /* states, events, links */
            uint32_t choice;
            uint32_t
                value; /* of the builder, or WEFT_NONE: not known when the line was read */
        };
    };
    uint32_t definition; /* index */
    uint32_t line;       /* from the part's first */
    uint32_t pair;       /* entities */
    /*
     * What else belongs to it.  From the lexer, when the definition keeps texts: links, an index
     * in links; others, that of n_fields texts.  After paje_complete(), when the definition has
     * extras: that of the entity's fields in runs, but for links, which have it in their own.
     */
    uint32_t more;
};

struct paje_link_end {
    uint64_t hash;  /* of container, type and key */
    uint32_t other; /* symbol of the container at this end */
    uint32_t first_text;
    uint32_t run;
};

struct paje_run { /* of field values */
    uint32_t first, n;
};

struct paje_records {
    struct paje_record *items;
    size_t n, capacity;
};

struct paje_list {
    uint32_t *items;
    size_t n, capacity;
};

static inline void paje_list_add(struct paje_list *list, uint32_t item)
{
    if (list->n == list->capacity)
        list->items =
            weft_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] = item;
}

struct paje_part {
    /* From the cutter. */
    char *text; /* whole lines, in the memory of a round */
    size_t size;
    bool cut_short; /* the last line has no newline in the file */

    /* From the lexer. */
    uint64_t n_lines, n_events; /* events: good or bad */
    /* Entities by the lane of their container; the last: links, and what is structural. */
    struct paje_records records[PAJE_LANES + 1];
    struct paje_list order; /* references to all records, as the lines come */
    struct paje_text *texts;
    size_t n_texts, text_capacity;
    struct paje_link_end *links;
    size_t n_links, link_capacity;
    struct paje_list attend; /* references to entities that need more than their lane */
    struct paje_names own;   /* what the trace's tables did not hold */
    struct paje_list own_choices;  /* references to records whose choice is one of these */
    struct paje_findings findings; /* lines from the part's first */
    struct paje_clock clock;
    bool defines;            /* a definition was met where none may be: read again, alone */
    size_t n_structural;     /* records that are */
    uint64_t epoch;          /* of the simulator, when the part was read */
    struct paje_text *words; /* of the line being read */
    size_t word_capacity;

    /* From joining. */
    uint64_t first_line;
    uint32_t *symbols, *pairs, *choices; /* the trace's numbers of its own names */
    size_t symbol_capacity, pair_capacity, choice_capacity;
    struct paje_run *runs;
    size_t n_runs, run_capacity;
    struct weft_field_value *fields;
    size_t n_fields, field_capacity;
};

/* References to records of a part: a part of 17 MiB has fewer than 2^26 lines. */
static inline uint32_t paje_reference(uint32_t lane, size_t index)
{
    return lane << 26 | (uint32_t)index;
}
static inline struct paje_record *paje_record_at(const struct paje_part *part,
                                                 uint32_t reference)
{
    return &part->records[reference >> 26].items[reference & ((1 << 26) - 1)];
}

/*
 * Give the part's own names numbers of the trace's; parts in order, and so the numbers are
 * those of first sight.  Costs nothing when all names were known.
 */
void paje_part_adopt(struct paje_part *part, struct paje_names *names);
void paje_part_free(struct paje_part *part);

#endif
