/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers for names.  A symbol is the number of a text that names something; a pair is the
 * number of (symbol of a container, symbol of a type), a choice that of (symbol of a value,
 * symbol of a type).  Each table counts from 0 in the order of insertion, so the numbers
 * are the same each time that a file is read.  More than 2^28 entries of one table abort.
 *
 * Any number of threads may search the tables while no thread inserts.  Tables that are
 * all 0 are empty.
 */
#ifndef WEFT_READ_PAJE_SYMBOLS_H
#define WEFT_READ_PAJE_SYMBOLS_H

#include "base/hash_map.h"
#include "base/memory.h"
#include "store/build/builder.h"

/* The text of a symbol (the number of a name). */
struct paje_symbol {
    const char *text; /* terminated; stays in place until the table is cleared or freed */
    uint32_t length;
};

/* Texts, and their numbers. */
struct paje_symbols {
    struct paje_symbol *list; /* [count] by symbol */
    uint32_t count;
    size_t list_capacity;
    struct paje_symbol_slot *slots; /* [capacity] hash table of texts up to 16 bytes */
    size_t capacity, n_slots;       /* capacity: a power of two, or 0; n_slots: used ones */
    struct weft_text_map longer;    /* other texts to their symbols */
    struct weft_arena arena;        /* has the texts */
};

/*
 * The number of types whose pairs (of any symbol and that of the type) are found in an
 * array, the row of the other symbol, with one memory access; pairs of later types take the
 * two or three accesses of a hash table.  Traces have few types.
 */
enum { PAJE_NEAR = 8 };

/*
 * Pairs (a container's symbol, a type's symbol), or choices (a value's symbol, a type's
 * symbol), and their numbers.
 */
struct paje_pairs {
    uint64_t *list; /* [count] by pair: symbol << 32 | symbol of the type */
    uint32_t count;
    size_t list_capacity;
    struct paje_pair_slot *slots; /* [capacity] hash table of pairs that are in no row */
    size_t capacity, n_slots;     /* capacity: a power of two, or 0; n_slots: used ones */
    uint32_t (*rows)[PAJE_NEAR];  /* by symbol and column of the type: pair, or WEFT_NONE */
    size_t n_rows, row_capacity;
    uint32_t near[PAJE_NEAR]; /* [n_near] the types that have columns */
    uint32_t n_near;
    bool has_rows; /* the owner sets it in the trace's tables; parts have too few pairs */
};

enum { PAJE_SHORT = 16 /* bytes that fit into the two words of a key */ };

/*
 * A text as a search key; one of at most PAJE_SHORT bytes is the words LOW and HIGH, padded
 * with zeros; they are 0 for a longer one.  The hash differs from run to run.
 */
struct paje_key {
    uint64_t low, high;
    uint64_t hash;
};

/*
 * Returns the key of LENGTH bytes of TEXT, which have no NUL, and are readable for 16 bytes
 * at least.
 */
struct paje_key paje_key(const char *text, size_t length);
/*
 * Returns the symbol of LENGTH bytes of TEXT, whose key is KEY; WEFT_NONE if it has none.
 */
uint32_t paje_symbol_find(const struct paje_symbols *symbols, const struct paje_key *key,
                          const char *text, size_t length);
/*
 * Returns the symbol of LENGTH bytes of TEXT, whose key is KEY; inserts a copy of the text
 * if it has none.
 */
uint32_t paje_symbol_add(struct paje_symbols *symbols, const struct paje_key *key,
                         const char *text, size_t length);
/*
 * Empties the table, but keeps most of its memory; costs nothing if it is empty.  Texts and
 * numbers of it are invalid then.
 */
void paje_symbols_clear(struct paje_symbols *symbols);
/* Frees the memory of SYMBOLS, which is empty then. */
void paje_symbols_free(struct paje_symbols *symbols);

/*
 * Returns the number of the pair of SYMBOL and TYPE, the symbol of a type that is none of
 * pairs->near; WEFT_NONE if it has none.
 */
uint32_t paje_pair_find_far(const struct paje_pairs *pairs, uint32_t symbol, uint32_t type);
/*
 * Returns the number of the pair of SYMBOL and TYPE, the symbol of a type; WEFT_NONE if it
 * has none.  Inlined: it is called twice a line.
 */
static inline uint32_t paje_pair_find(const struct paje_pairs *pairs, uint32_t symbol,
                                      uint32_t type)
{
    for (uint32_t column = 0; column < pairs->n_near; column++)
        if (pairs->near[column] == type)
            return symbol < pairs->n_rows ? pairs->rows[symbol][column] : WEFT_NONE;
    return paje_pair_find_far(pairs, symbol, type);
}
/* Returns the number of the pair of SYMBOL and TYPE, inserted if new. */
uint32_t paje_pair_add(struct paje_pairs *pairs, uint32_t symbol, uint32_t type);
/* Empties PAIRS, whose has_rows must be false, and keeps its memory. */
void paje_pairs_clear(struct paje_pairs *pairs);
/* Frees the memory of PAIRS, which is empty then. */
void paje_pairs_free(struct paje_pairs *pairs);

/*
 * The numbers of names: of a whole trace, or, in a part (some lines of it), of those names
 * that the trace's tables lacked when the part was lexed.
 */
struct paje_names {
    struct paje_symbols symbols; /* of texts */
    /* of (symbol of a container, symbol of a type); of (symbol of a value, of a type) */
    struct paje_pairs pairs, choices;
};

/*
 * Bit that marks a symbol, pair or choice of a part's own tables (paje_part.own); a number
 * without it is one of the trace's tables.  Tables have fewer than 2^28 entries, and
 * WEFT_NONE is no number.
 */
#define PAJE_OWN (UINT32_C(1) << 31)
/* Returns true if NUMBER is of a part's own tables (PAJE_OWN); false for WEFT_NONE. */
static inline bool paje_is_own(uint32_t number)
{
    return number != WEFT_NONE && number & PAJE_OWN;
}

/* Empties the tables NAMES, which must be a part's (has_rows false); keeps their memory. */
void paje_names_clear(struct paje_names *names);
/* Frees the memory of NAMES, which are empty then. */
void paje_names_free(struct paje_names *names);

#endif
