/* SPDX-License-Identifier: Apache-2.0 */
/* Names to small numbers.  Most names fit in 16 bytes: they are compared as two words. */
#include <stdlib.h>
#include <string.h>

#include "read/paje/paje_priv.h"

struct paje_symbol_slot {
    uint64_t low, high;
    uint32_t symbol; /* WEFT_NONE: free */
};

struct paje_pair_slot {
    uint64_t key;
    uint32_t pair; /* WEFT_NONE: free */
};

enum { FIRST_SLOTS = 1024 };

static uint64_t spread(uint64_t low, uint64_t high)
{
    uint64_t hash = (low ^ high * 0x9fb21c651e98df25u) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static struct paje_symbol_slot *symbol_slots(size_t n)
{
    struct paje_symbol_slot *slots = weft_alloc(n * sizeof *slots);
    for (size_t i = 0; i < n; i++)
        slots[i].symbol = WEFT_NONE;
    return slots;
}

static size_t symbol_find(const struct paje_symbols *symbols, uint64_t low, uint64_t high)
{
    size_t mask = symbols->capacity - 1, i = spread(low, high) & mask;
    while (symbols->slots[i].symbol != WEFT_NONE
           && (symbols->slots[i].low != low || symbols->slots[i].high != high))
        i = (i + 1) & mask;
    return i;
}

void paje_symbols_init(struct paje_symbols *symbols)
{
    *symbols = (struct paje_symbols){ .capacity = FIRST_SLOTS };
    symbols->chunks = weft_zalloc(PAJE_CHUNKS, sizeof *symbols->chunks);
    symbols->slots = symbol_slots(FIRST_SLOTS);
}

void paje_symbols_free(struct paje_symbols *symbols)
{
    for (size_t i = 0; symbols->chunks && i < PAJE_CHUNKS && symbols->chunks[i]; i++)
        free(symbols->chunks[i]);
    free(symbols->chunks);
    free(symbols->slots);
    weft_text_map_free(&symbols->longer);
    weft_arena_free(&symbols->arena);
}

static uint32_t symbol_new(struct paje_symbols *symbols, const char *text, size_t length)
{
    uint32_t symbol = symbols->count;
    WEFT_REQUIRE(symbol / PAJE_CHUNK < PAJE_CHUNKS, "more than %u names", symbol);
    struct paje_symbol **chunk = &symbols->chunks[symbol / PAJE_CHUNK];
    if (!*chunk)
        *chunk = weft_alloc(PAJE_CHUNK * sizeof **chunk);
    char *copy = weft_arena_alloc(&symbols->arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    (*chunk)[symbol % PAJE_CHUNK] = (struct paje_symbol){ copy, (uint32_t)length };
    symbols->count++;
    return symbol;
}

static void symbols_grow(struct paje_symbols *symbols)
{
    struct paje_symbol_slot *old = symbols->slots;
    size_t n = symbols->capacity;
    symbols->capacity = n * 2;
    symbols->slots = symbol_slots(n * 2);
    for (size_t i = 0; i < n; i++)
        if (old[i].symbol != WEFT_NONE)
            symbols->slots[symbol_find(symbols, old[i].low, old[i].high)] = old[i];
    free(old);
}

uint32_t paje_symbol(struct paje_symbols *symbols, const char *text, size_t length)
{
    if (length > 16) {
        uint32_t symbol = weft_text_map_get(&symbols->longer, text, length);
        if (symbol == WEFT_MAP_NONE) {
            symbol = symbol_new(symbols, text, length);
            weft_text_map_put(&symbols->longer, text, length, symbol);
        }
        return symbol;
    }
    /* No name holds a zero byte, so the padded words are the name. */
    uint64_t low, high;
    memcpy(&low, text, 8);
    memcpy(&high, text + 8, 8);
    if (length < 8) {
        low &= (UINT64_C(1) << 8 * length) - 1;
        high = 0;
    } else if (length < 16) {
        high &= (UINT64_C(1) << 8 * (length - 8)) - 1;
    }
    size_t i = symbol_find(symbols, low, high);
    if (symbols->slots[i].symbol != WEFT_NONE)
        return symbols->slots[i].symbol;
    if ((symbols->n_slots + 1) * 2 > symbols->capacity) {
        symbols_grow(symbols);
        i = symbol_find(symbols, low, high);
    }
    symbols->n_slots++;
    uint32_t symbol = symbol_new(symbols, text, length);
    symbols->slots[i] = (struct paje_symbol_slot){ low, high, symbol };
    return symbol;
}

static struct paje_pair_slot *pair_slots(size_t n)
{
    struct paje_pair_slot *slots = weft_alloc(n * sizeof *slots);
    for (size_t i = 0; i < n; i++)
        slots[i].pair = WEFT_NONE;
    return slots;
}

static size_t pair_find(const struct paje_pairs *pairs, uint64_t key)
{
    size_t mask = pairs->capacity - 1, i = spread(key, key >> 32) & mask;
    while (pairs->slots[i].pair != WEFT_NONE && pairs->slots[i].key != key)
        i = (i + 1) & mask;
    return i;
}

void paje_pairs_init(struct paje_pairs *pairs)
{
    *pairs = (struct paje_pairs){ .capacity = FIRST_SLOTS };
    pairs->chunks = weft_zalloc(PAJE_CHUNKS, sizeof *pairs->chunks);
    pairs->slots = pair_slots(FIRST_SLOTS);
}

void paje_pairs_free(struct paje_pairs *pairs)
{
    for (size_t i = 0; pairs->chunks && i < PAJE_CHUNKS && pairs->chunks[i]; i++)
        free(pairs->chunks[i]);
    free(pairs->chunks);
    free(pairs->slots);
}

static void pairs_grow(struct paje_pairs *pairs)
{
    struct paje_pair_slot *old = pairs->slots;
    size_t n = pairs->capacity;
    pairs->capacity = n * 2;
    pairs->slots = pair_slots(n * 2);
    for (size_t i = 0; i < n; i++)
        if (old[i].pair != WEFT_NONE)
            pairs->slots[pair_find(pairs, old[i].key)] = old[i];
    free(old);
}

uint32_t paje_pair(struct paje_pairs *pairs, uint32_t first, uint32_t second)
{
    uint64_t key = (uint64_t)first << 32 | second;
    size_t i = pair_find(pairs, key);
    if (pairs->slots[i].pair != WEFT_NONE)
        return pairs->slots[i].pair;
    if (((size_t)pairs->count + 1) * 2 > pairs->capacity) {
        pairs_grow(pairs);
        i = pair_find(pairs, key);
    }
    uint32_t pair = pairs->count;
    WEFT_REQUIRE(pair / PAJE_CHUNK < PAJE_CHUNKS, "more than %u tracks", pair);
    uint64_t **chunk = &pairs->chunks[pair / PAJE_CHUNK];
    if (!*chunk)
        *chunk = weft_alloc(PAJE_CHUNK * sizeof **chunk);
    (*chunk)[pair % PAJE_CHUNK] = key;
    pairs->slots[i] = (struct paje_pair_slot){ key, pair };
    pairs->count++;
    return pair;
}
