/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers for names.  A symbol is the number of a text that names something; a pair is the
 * number of (symbol of a container, symbol of a type), a choice that of (symbol of a value,
 * symbol of a type).  Each table counts from 0 in the order of insertion, so the numbers
 * are the same each time that a file is read.
 *
 * Any number of threads may search the tables while no thread inserts.
 */
#ifndef WEFT_READ_PAJE_SYMBOLS_H
#define WEFT_READ_PAJE_SYMBOLS_H

#include "base/map.h"
#include "base/memory.h"
#include "store/build/builder.h"

struct paje_symbol {
    const char *text; /* terminated; stays in place as long as the table exists */
    uint32_t length;
};

struct paje_symbols {
    struct paje_symbol *list;
    uint32_t count;
    size_t list_capacity;
    struct paje_symbol_slot *slots; /* hash table of texts up to 16 bytes */
    size_t capacity, n_slots;
    struct weft_text_map longer;
    struct weft_arena arena;
};

/*
 * A pair of any symbol and the symbol of a type.  There are few types: pairs of the first
 * PAJE_NEAR types are found in a row of the other symbol, with one memory access instead of
 * the two or three of the hash table.
 */
enum { PAJE_NEAR = 8 };

struct paje_pairs {
    uint64_t *list; /* symbol << 32 | symbol of the type */
    uint32_t count;
    size_t list_capacity;
    struct paje_pair_slot *slots; /* hash table of pairs that are in no row */
    size_t capacity, n_slots;
    uint32_t (*rows)[PAJE_NEAR]; /* by symbol and column of the type: pair, or WEFT_NONE */
    size_t n_rows, row_capacity;
    uint32_t near[PAJE_NEAR]; /* the types that have columns */
    uint32_t n_near;
    bool has_rows; /* true in the trace's tables; parts have too few pairs */
};

enum { PAJE_SHORT = 16 /* bytes that fit into the two words of a key */ };

/* A text as a search key; a short text is two words, padded with zeros. */
struct paje_key {
    uint64_t low, high;
    uint64_t hash;
};

/* Makes the key of LENGTH bytes of TEXT, which is readable for 16 bytes at least. */
struct paje_key paje_key(const char *text, size_t length);
/* Returns the symbol of a text, or WEFT_NONE. */
uint32_t paje_symbol_find(const struct paje_symbols *symbols, const struct paje_key *key,
                          const char *text, size_t length);
/* Returns the symbol of a text, inserted if new; the text is copied. */
uint32_t paje_symbol_add(struct paje_symbols *symbols, const struct paje_key *key,
                         const char *text, size_t length);
/* Empty the table, but keep its memory; costs nothing if it is empty. */
void paje_symbols_clear(struct paje_symbols *symbols);
void paje_symbols_free(struct paje_symbols *symbols);

/* Like paje_pair_find(), for a pair whose TYPE is none of pairs->near. */
uint32_t paje_pair_find_far(const struct paje_pairs *pairs, uint32_t symbol, uint32_t type);
/* Returns the number of a pair, or WEFT_NONE.  Inlined: it is called twice a line. */
static inline uint32_t paje_pair_find(const struct paje_pairs *pairs, uint32_t symbol,
                                      uint32_t type)
{
    for (uint32_t column = 0; column < pairs->n_near; column++)
        if (pairs->near[column] == type)
            return symbol < pairs->n_rows ? pairs->rows[symbol][column] : WEFT_NONE;
    return paje_pair_find_far(pairs, symbol, type);
}
/* Returns the number of a pair, inserted if new. */
uint32_t paje_pair_add(struct paje_pairs *pairs, uint32_t symbol, uint32_t type);
void paje_pairs_clear(struct paje_pairs *pairs);
void paje_pairs_free(struct paje_pairs *pairs);

/* The three tables of a trace, or of the new names in a part.  Zeroed, they are empty. */
struct paje_names {
    struct paje_symbols symbols;
    struct paje_pairs pairs, choices;
};

/*
 * Bit that marks a number in a part's own tables: of a name that the trace's tables lacked
 * when the part was lexed.  Tables have fewer than 2^28 entries, and WEFT_NONE is no
 * number.
 */
#define PAJE_OWN (UINT32_C(1) << 31)
static inline bool paje_is_own(uint32_t number)
{
    return number != WEFT_NONE && number & PAJE_OWN;
}

void paje_names_clear(struct paje_names *names);
void paje_names_free(struct paje_names *names);

#endif
