/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two hash maps, both open addressing, both mapping to a uint32_t: from a byte string
 * (which the map copies) and from a 64-bit key.  A zeroed map is empty.  One thread at a
 * time.
 */
#ifndef WEFT_BASE_HASH_MAP_H
#define WEFT_BASE_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

#define WEFT_MAP_NONE UINT32_MAX /* no value; it cannot be stored */

/*
 * A hash map from byte strings, which it copies, to uint32_t.  A zeroed one is empty;
 * weft_text_map_free() frees it.
 */
struct weft_text_map {
    struct weft_text_slot *slots; /* [capacity] */
    size_t capacity;              /* a power of two, or 0 */
    size_t count;                 /* keys in the map */
    struct weft_arena keys;       /* copies of the keys */
};

/* Returns the value stored for KEY, of LENGTH bytes, or WEFT_MAP_NONE. */
uint32_t weft_text_map_get(const struct weft_text_map *map, const void *key, size_t length);
/*
 * Sets the value of KEY, LENGTH bytes (less than 4 GiB) which are copied, replacing the one
 * stored.  VALUE must not be WEFT_MAP_NONE.
 */
void weft_text_map_put(struct weft_text_map *map, const void *key, size_t length,
                       uint32_t value);
/* Frees the entries and keys of MAP, which is empty then and may be used again. */
void weft_text_map_free(struct weft_text_map *map);

/*
 * A hash map from uint64_t to uint32_t.  A zeroed one is empty; weft_id_map_free() frees
 * it.
 */
struct weft_id_map {
    struct weft_id_slot *slots; /* [capacity] */
    size_t capacity;            /* a power of two, or 0 */
    size_t count;               /* keys in the map */
};

/* Returns the value stored for KEY, or WEFT_MAP_NONE. */
uint32_t weft_id_map_get(const struct weft_id_map *map, uint64_t key);
/* Sets the value of KEY, replacing the one stored.  VALUE must not be WEFT_MAP_NONE. */
void weft_id_map_put(struct weft_id_map *map, uint64_t key, uint32_t value);
/* Removes KEY and its value, if the map has it.  The map's memory never shrinks. */
void weft_id_map_remove(struct weft_id_map *map, uint64_t key);
/* Frees the entries of MAP, which is empty then and may be used again. */
void weft_id_map_free(struct weft_id_map *map);

#endif
