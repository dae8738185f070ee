/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a trace: whole lines of text, and the records that the lexer made of them.
 * Each part is lexed by one thread, different parts concurrently; then parts are joined in
 * order.
 *
 * Memory: 36 bytes for each event line, and 12 bytes for each word of lines that define
 * something, of links, and of entities with user-defined fields.
 */
#ifndef WEFT_READ_PAJE_LEXED_LINES_H
#define WEFT_READ_PAJE_LEXED_LINES_H

#include "base/hash.h"
#include "read/paje/event_definitions.h"
#include "read/paje/number.h"

enum {
    /*
     * Containers are divided by their names into so many groups, called lanes; the events
     * of a lane are applied in order, by one thread at a time.  Enough lanes to employ the
     * threads of a large machine, and to let the tracks of a lane (a few hundred of 16,384)
     * stay in a processor's cache.
     */
    PAJE_LANES = 32,
    PAJE_SPARE = 80, /* readable bytes behind the text of a part: the lexer looks ahead */
};

/*
 * Returns the lane (number of a group of containers, below PAJE_LANES) of the container
 * that the LENGTH bytes of TEXT name; KEY is paje_key() of these.  It does not depend on
 * KEY's hash, which has a random seed: the store must be the same, byte for byte, in each
 * run.
 */
static inline uint32_t paje_lane_of(const struct paje_key *key, const char *text,
                                    size_t length)
{
    enum { SHIFT = 59 };
    _Static_assert(PAJE_LANES == 1 << (64 - SHIFT), "as many lanes as numbers");
    uint64_t hash = (key->low ^ key->high * 0x9fb21c651e98df25u) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((length > PAJE_SHORT ? weft_hash(text, length) : hash) >> SHIFT);
}

/* An event line of a part (some whole lines of the trace), as the lexer read it. */
struct paje_record {
    int64_t time; /* ticks of the part's clock; 0 for definitions of types and values */
    union {
        double number; /* of a variable: the line's value */
        struct {       /* of a state, event or link: its value */
            /* number of (name of the value, name of its type), see symbols.h */
            uint32_t choice;
            uint32_t value; /* the builder's; WEFT_NONE: unknown when the line was read */
        };
    };
    uint32_t definition; /* index of the event definition in paje_definitions.list */
    uint32_t line;       /* counted from 0, the part's first */
    /* of a state, event, variable or link: number of (name of its container, name of its
       type), symbols.h; else WEFT_NONE */
    uint32_t pair;
    /*
     * Index of further data in the part.  From the lexer, if the definition keeps texts: in
     * part->links for a link, else in part->texts, the first of as many as the definition
     * has fields.  After paje_complete(), if the definition has extra fields: in
     * part->runs; a link has that in paje_link_end.run.
     */
    uint32_t more;
};

/* The further data of a record of a StartLink or EndLink. */
struct paje_link_end {
    uint64_t hash;       /* of container, type and key */
    uint32_t other;      /* symbol (number of the name) of the container at this end */
    uint32_t first_text; /* index in part->texts, the first of as many as it has fields */
    uint32_t run;        /* index in part->runs of its extra fields, by paje_complete() */
    /* ids of the entities in which the line says that the link begins and ends: set by
       paje_complete(); WEFT_NO_ID before, and if it says none */
    uint64_t from_entity, to_entity;
};

/*
 * The values of a record's extra (user-defined) fields: N of them in paje_part.fields, from
 * index FIRST on.
 */
struct paje_run {
    uint32_t first, n;
};

/* A growing list of records; all 0 is empty. */
struct paje_records {
    struct paje_record *items;
    size_t n, capacity;
};

/* A growing list of numbers; all 0 is empty. */
struct paje_list {
    uint32_t *items;
    size_t n, capacity;
};

/* Appends ITEM to LIST. */
static inline void paje_list_add(struct paje_list *list, uint32_t item)
{
    if (list->n == list->capacity)
        list->items =
            weft_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] = item;
}

/*
 * A part: some whole lines of the trace, and what the lexer and the joining thread make of
 * them.  The round (struct paje_round) that has it owns it, and uses it again for other
 * lines; its arrays keep their memory.
 */
struct paje_part {
    /* From the cutter. */
    char *text; /* whole lines, in the memory of the round; PAJE_SPARE bytes follow */
    size_t size;
    bool cut_short; /* the last line lacks its newline */

    /* From the lexer. */
    uint64_t n_lines, n_events; /* all lines; those of events, valid or not */
    /* States, events and variables by the lane of their container (paje_lane_of); last:
       links and structural events (paje_is_structural). */
    struct paje_records records[PAJE_LANES + 1];
    struct paje_list order;  /* paje_reference() of all records, in order of lines */
    struct paje_text *texts; /* words of the lines whose definition keeps texts */
    size_t n_texts, text_capacity;
    struct paje_link_end *links;
    size_t n_links, link_capacity;
    /* references to entities that the joining thread must complete or apply */
    struct paje_list attend;
    struct paje_names own;         /* names that the trace's tables lack */
    struct paje_list own_choices;  /* references to records whose choice is in `own` */
    struct paje_findings findings; /* lines count from the part's first */
    struct paje_clock clock;       /* of the reader, changed by the times of this part */
    bool defines;                  /* a definition was found: lex the part again, alone */
    size_t n_structural;           /* structural events */
    uint64_t epoch;                /* the simulator's epoch when the part was lexed */
    struct paje_text *words;       /* of the current line */
    size_t word_capacity;

    /* From joining. */
    uint64_t first_line; /* number of the part's first line in the trace, from 1 */
    uint32_t *symbols, *pairs, *choices; /* by number in `own`: the trace's number */
    size_t symbol_capacity, pair_capacity, choice_capacity;
    struct paje_run *runs;
    size_t n_runs, run_capacity;
    struct weft_field_value *fields;
    size_t n_fields, field_capacity;
};

/*
 * Returns a number that stands for the record part->records[LANE].items[INDEX] of some
 * part, for paje_record_at().  INDEX is below 2^26, since a part has fewer lines (17 MiB).
 */
static inline uint32_t paje_reference(uint32_t lane, size_t index)
{
    return lane << 26 | (uint32_t)index;
}
/*
 * Returns the record of PART for which REFERENCE, from paje_reference(), stands; valid
 * until the part is lexed again.
 */
static inline struct paje_record *paje_record_at(const struct paje_part *part,
                                                 uint32_t reference)
{
    return &part->records[reference >> 26].items[reference & ((1 << 26) - 1)];
}

/*
 * Inserts the names in part->own, which the trace's tables lacked, into NAMES, the trace's
 * tables, and replaces their numbers in the part's records, links and texts by those of
 * NAMES.  Call it once a part, in the order of parts, so that numbers follow the order of
 * first use.  Costs nothing without new names.
 */
void paje_part_adopt(struct paje_part *part, struct paje_names *names);
/* Frees the arrays of PART, not its text; it may not be used afterwards. */
void paje_part_free(struct paje_part *part);

#endif
