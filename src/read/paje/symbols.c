/* SPDX-License-Identifier: Apache-2.0 */
/* Maps names to numbers.  Most names fit into 16 bytes: they are compared as two words. */
#include "read/paje/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"

struct paje_symbol_slot {
    uint64_t low, high;
    uint32_t symbol; /* WEFT_NONE if free */
};

struct paje_pair_slot {
    uint64_t key;
    uint32_t pair; /* WEFT_NONE if free */
};

enum {
    FIRST_SLOTS = 256,
    /*
     * Tables up to this size have eight slots per name, not two: a second probe costs a
     * mispredicted branch, and such a table still fits into the cache.
     */
    ROOMY = 16384,
    MAX_ENTRIES = 1 << 28, /* entries of a table; see PAJE_OWN */
};

struct paje_key paje_key(const char *text, size_t length)
{
    if (length > PAJE_SHORT)
        return (struct paje_key){ 0, 0, weft_hash_text(text, length) };
    /* Names have no zero bytes, so the padded words identify the name. */
    struct paje_key key;
    memcpy(&key.low, text, 8);
    memcpy(&key.high, text + 8, 8);
    if (length < 8) {
        key.low &= (UINT64_C(1) << 8 * length) - 1;
        key.high = 0;
    } else if (length < PAJE_SHORT) {
        key.high &= (UINT64_C(1) << 8 * (length - 8)) - 1;
    }
    key.hash = weft_hash_words(key.low, key.high);
    return key;
}

static struct paje_symbol_slot *symbol_slots(size_t n)
{
    struct paje_symbol_slot *slots = weft_alloc(n * sizeof *slots);
    for (size_t i = 0; i < n; i++)
        slots[i].symbol = WEFT_NONE;
    return slots;
}

static size_t symbol_slot(const struct paje_symbols *symbols, const struct paje_key *key)
{
    size_t mask = symbols->capacity - 1, i = key->hash & mask;
    while (symbols->slots[i].symbol != WEFT_NONE
           && (symbols->slots[i].low != key->low || symbols->slots[i].high != key->high))
        i = (i + 1) & mask;
    return i;
}

uint32_t paje_symbol_find(const struct paje_symbols *symbols, const struct paje_key *key,
                          const char *text, size_t length)
{
    if (length > PAJE_SHORT) {
        uint32_t symbol = weft_text_map_get(&symbols->longer, text, length);
        return symbol == WEFT_MAP_NONE ? WEFT_NONE : symbol;
    }
    return symbols->capacity ? symbols->slots[symbol_slot(symbols, key)].symbol : WEFT_NONE;
}

static uint32_t symbol_new(struct paje_symbols *symbols, const char *text, size_t length)
{
    uint32_t symbol = symbols->count++;
    WEFT_REQUIRE(symbol < MAX_ENTRIES, "more than %u names", symbol);
    symbols->list = weft_grow(symbols->list, &symbols->list_capacity, symbols->count,
                              sizeof *symbols->list);
    char *copy = weft_arena_alloc(&symbols->arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    symbols->list[symbol] = (struct paje_symbol){ copy, (uint32_t)length };
    return symbol;
}

static void symbols_grow(struct paje_symbols *symbols)
{
    struct paje_symbol_slot *old = symbols->slots;
    size_t n = symbols->capacity;
    symbols->capacity = n ? n * 2 : FIRST_SLOTS;
    symbols->slots = symbol_slots(symbols->capacity);
    for (size_t i = 0; i < n; i++) {
        if (old[i].symbol == WEFT_NONE)
            continue;
        struct paje_key key = { old[i].low, old[i].high,
                                weft_hash_words(old[i].low, old[i].high) };
        symbols->slots[symbol_slot(symbols, &key)] = old[i];
    }
    free(old);
}

uint32_t paje_symbol_add(struct paje_symbols *symbols, const struct paje_key *key,
                         const char *text, size_t length)
{
    uint32_t symbol = paje_symbol_find(symbols, key, text, length);
    if (symbol != WEFT_NONE)
        return symbol;
    symbol = symbol_new(symbols, text, length);
    if (length > PAJE_SHORT) {
        weft_text_map_put(&symbols->longer, text, length, symbol);
        return symbol;
    }
    size_t room = symbols->capacity < ROOMY ? 8 : 2;
    if ((symbols->n_slots + 1) * room > symbols->capacity)
        symbols_grow(symbols);
    symbols->n_slots++;
    symbols->slots[symbol_slot(symbols, key)] =
        (struct paje_symbol_slot){ key->low, key->high, symbol };
    return symbol;
}

void paje_symbols_clear(struct paje_symbols *symbols)
{
    if (!symbols->count)
        return;
    for (size_t i = 0; i < symbols->capacity; i++)
        symbols->slots[i].symbol = WEFT_NONE;
    symbols->count = 0;
    symbols->n_slots = 0;
    weft_text_map_free(&symbols->longer);
    weft_arena_reset(&symbols->arena);
}

void paje_symbols_free(struct paje_symbols *symbols)
{
    free(symbols->list);
    free(symbols->slots);
    weft_text_map_free(&symbols->longer);
    weft_arena_free(&symbols->arena);
    *symbols = (struct paje_symbols){ 0 };
}

static struct paje_pair_slot *pair_slots(size_t n)
{
    struct paje_pair_slot *slots = weft_alloc(n * sizeof *slots);
    for (size_t i = 0; i < n; i++)
        slots[i].pair = WEFT_NONE;
    return slots;
}

static size_t pair_slot(const struct paje_pairs *pairs, uint64_t key)
{
    size_t mask = pairs->capacity - 1, i = weft_hash_words(key, key >> 32) & mask;
    while (pairs->slots[i].pair != WEFT_NONE && pairs->slots[i].key != key)
        i = (i + 1) & mask;
    return i;
}

/* Returns the column of a type, or PAJE_NEAR. */
static uint32_t column_of(const struct paje_pairs *pairs, uint32_t type)
{
    uint32_t column = 0;
    while (column < pairs->n_near && pairs->near[column] != type)
        column++;
    return column < pairs->n_near ? column : PAJE_NEAR;
}

uint32_t paje_pair_find_far(const struct paje_pairs *pairs, uint32_t symbol, uint32_t type)
{
    uint64_t key = (uint64_t)symbol << 32 | type;
    return pairs->capacity ? pairs->slots[pair_slot(pairs, key)].pair : WEFT_NONE;
}

static void pairs_grow(struct paje_pairs *pairs)
{
    struct paje_pair_slot *old = pairs->slots;
    size_t n = pairs->capacity;
    pairs->capacity = n ? n * 2 : FIRST_SLOTS;
    pairs->slots = pair_slots(pairs->capacity);
    for (size_t i = 0; i < n; i++)
        if (old[i].pair != WEFT_NONE)
            pairs->slots[pair_slot(pairs, old[i].key)] = old[i];
    free(old);
}

static void put_in_slot(struct paje_pairs *pairs, uint64_t key, uint32_t pair)
{
    if ((pairs->n_slots + 1) * 2 > pairs->capacity)
        pairs_grow(pairs);
    pairs->slots[pair_slot(pairs, key)] = (struct paje_pair_slot){ key, pair };
    pairs->n_slots++;
}

static void put_in_row(struct paje_pairs *pairs, uint32_t symbol, uint32_t column,
                       uint32_t pair)
{
    pairs->rows = weft_grow(pairs->rows, &pairs->row_capacity, (size_t)symbol + 1,
                            sizeof *pairs->rows);
    for (; pairs->n_rows <= symbol; pairs->n_rows++)
        for (int i = 0; i < PAJE_NEAR; i++)
            pairs->rows[pairs->n_rows][i] = WEFT_NONE;
    pairs->rows[symbol][column] = pair;
}

uint32_t paje_pair_add(struct paje_pairs *pairs, uint32_t symbol, uint32_t type)
{
    uint32_t pair = paje_pair_find(pairs, symbol, type);
    if (pair != WEFT_NONE)
        return pair;
    pair = pairs->count++;
    WEFT_REQUIRE(pair < MAX_ENTRIES, "more than %u pairs of names", pair);
    uint64_t key = (uint64_t)symbol << 32 | type;
    pairs->list =
        weft_grow(pairs->list, &pairs->list_capacity, pairs->count, sizeof *pairs->list);
    pairs->list[pair] = key;
    uint32_t column = column_of(pairs, type);
    if (column == PAJE_NEAR && pairs->has_rows && pairs->n_near < PAJE_NEAR)
        pairs->near[column = pairs->n_near++] = type;
    if (column < PAJE_NEAR)
        put_in_row(pairs, symbol, column, pair);
    else
        put_in_slot(pairs, key, pair);
    return pair;
}

void paje_pairs_clear(struct paje_pairs *pairs)
{
    if (!pairs->count)
        return;
    for (size_t i = 0; i < pairs->capacity; i++)
        pairs->slots[i].pair = WEFT_NONE;
    pairs->count = 0;
    pairs->n_slots = 0;
}

void paje_pairs_free(struct paje_pairs *pairs)
{
    free(pairs->list);
    free(pairs->slots);
    free(pairs->rows);
    *pairs = (struct paje_pairs){ 0 };
}

void paje_names_clear(struct paje_names *names)
{
    paje_symbols_clear(&names->symbols);
    paje_pairs_clear(&names->pairs);
    paje_pairs_clear(&names->choices);
}

void paje_names_free(struct paje_names *names)
{
    paje_symbols_free(&names->symbols);
    paje_pairs_free(&names->pairs);
    paje_pairs_free(&names->choices);
}
