/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct weft_text_slot {
    const char *key; /* NULL: free */
    uint32_t length;
    uint32_t value;
    uint64_t hash;
};

struct weft_id_slot {
    uint64_t key;
    uint32_t value; /* WEFT_MAP_NONE: free */
};

static size_t text_find(const struct weft_text_map *map, const void *key, size_t length,
                        uint64_t hash)
{
    size_t mask = map->capacity - 1, i = hash & mask;
    for (;; i = (i + 1) & mask) {
        const struct weft_text_slot *slot = &map->slots[i];
        if (!slot->key
            || (slot->hash == hash && slot->length == length
                && memcmp(slot->key, key, length) == 0))
            return i;
    }
}

uint32_t weft_text_map_get(const struct weft_text_map *map, const void *key, size_t length)
{
    if (!map->count)
        return WEFT_MAP_NONE;
    const struct weft_text_slot *slot =
        &map->slots[text_find(map, key, length, weft_hash_text(key, length))];
    return slot->key ? slot->value : WEFT_MAP_NONE;
}

static void text_rehash(struct weft_text_map *map)
{
    struct weft_text_map bigger = { .capacity = map->capacity ? map->capacity * 2 : 16 };
    bigger.slots = weft_zalloc(bigger.capacity, sizeof *bigger.slots);
    for (size_t i = 0; i < map->capacity; i++) {
        const struct weft_text_slot *slot = &map->slots[i];
        if (slot->key)
            bigger.slots[text_find(&bigger, slot->key, slot->length, slot->hash)] = *slot;
    }
    free(map->slots);
    map->slots = bigger.slots;
    map->capacity = bigger.capacity;
}

void weft_text_map_put(struct weft_text_map *map, const void *key, size_t length,
                       uint32_t value)
{
    if ((map->count + 1) * 2 > map->capacity)
        text_rehash(map);
    uint64_t hash = weft_hash_text(key, length);
    struct weft_text_slot *slot = &map->slots[text_find(map, key, length, hash)];
    if (!slot->key) {
        char *copy = weft_arena_alloc(&map->keys, length + 1);
        memcpy(copy, key, length);
        copy[length] = '\0';
        *slot = (struct weft_text_slot){ copy, (uint32_t)length, value, hash };
        map->count++;
    }
    slot->value = value;
}

void weft_text_map_free(struct weft_text_map *map)
{
    free(map->slots);
    weft_arena_free(&map->keys);
    *map = (struct weft_text_map){ 0 };
}

static size_t id_find(const struct weft_id_map *map, uint64_t key)
{
    size_t mask = map->capacity - 1, i = weft_hash_word(key) & mask;
    while (map->slots[i].value != WEFT_MAP_NONE && map->slots[i].key != key)
        i = (i + 1) & mask;
    return i;
}

uint32_t weft_id_map_get(const struct weft_id_map *map, uint64_t key)
{
    return map->count ? map->slots[id_find(map, key)].value : WEFT_MAP_NONE;
}

static void id_rehash(struct weft_id_map *map)
{
    struct weft_id_map bigger = { .capacity = map->capacity ? map->capacity * 2 : 16 };
    bigger.slots = weft_alloc(bigger.capacity * sizeof *bigger.slots);
    for (size_t i = 0; i < bigger.capacity; i++)
        bigger.slots[i].value = WEFT_MAP_NONE;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value != WEFT_MAP_NONE)
            bigger.slots[id_find(&bigger, map->slots[i].key)] = map->slots[i];
    free(map->slots);
    map->slots = bigger.slots;
    map->capacity = bigger.capacity;
}

void weft_id_map_put(struct weft_id_map *map, uint64_t key, uint32_t value)
{
    if ((map->count + 1) * 2 > map->capacity)
        id_rehash(map);
    struct weft_id_slot *slot = &map->slots[id_find(map, key)];
    if (slot->value == WEFT_MAP_NONE)
        map->count++;
    *slot = (struct weft_id_slot){ key, value };
}

/* Moves entries after the freed slot towards their home slots (Knuth, 6.4, algorithm R). */
void weft_id_map_remove(struct weft_id_map *map, uint64_t key)
{
    if (!map->count)
        return;
    size_t mask = map->capacity - 1, hole = id_find(map, key);
    if (map->slots[hole].value == WEFT_MAP_NONE)
        return;
    for (size_t at = (hole + 1) & mask; map->slots[at].value != WEFT_MAP_NONE;
         at = (at + 1) & mask) {
        size_t home = weft_hash_word(map->slots[at].key) & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* in the hole it would be before its home */
        map->slots[hole] = map->slots[at];
        hole = at;
    }
    map->slots[hole].value = WEFT_MAP_NONE;
    map->count--;
}

void weft_id_map_free(struct weft_id_map *map)
{
    free(map->slots);
    *map = (struct weft_id_map){ 0 };
}
