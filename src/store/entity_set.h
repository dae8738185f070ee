/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of entities and containers, by their ids (store/schema.h), for instance those that
 * the user opened, closed or selected, perhaps hundreds of thousands.  Consecutive ids on a
 * track are one range, so a set of neighbours costs as much as one id.
 *
 * In an address or a setting, the text of a set is its tracks in rising order, separated by
 * ';', each with its ranges of ordinals; then its containers, with '+' after those that
 * include their subtree:
 *
 *     t12:0-99999,100003;t13:5;#5,#7-9,#5+
 *
 * Parsing also accepts "node:5,7-9" for nodes of a task DAG, by the numbers in tables and
 * tooltips, and "processor:5" for a processor of a distribution; they are written with
 * their reserved track (t16777214, t16777213).
 *
 * When parsing, tracks and ranges may come in any order, repeat and overlap.  The text of a
 * set is unique: equal sets have equal texts.
 */
#ifndef WEFT_STORE_ENTITY_SET_H
#define WEFT_STORE_ENTITY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Most ranges of a set, and of a text: 16 MiB of them.  Displays are made for a hundred
 * thousand scattered ids, a tenth of it.
 */
enum { WEFT_ENTITY_SET_MAX = 1 << 20 };

/*
 * Ids of one track from FIRST to LAST, inclusive; container ids are either all with or all
 * without their subtree.
 */
struct weft_entity_range {
    uint64_t first, last;
};

/*
 * A set of ids of entities and containers, as ranges: to visit all members, walk these.  A
 * zeroed set is empty; weft_entity_set_free leaves it empty.
 */
struct weft_entity_set {
    struct weft_entity_range *ranges; /* rising, disjoint and not adjacent */
    size_t n_ranges, capacity;
};

/* Frees the ranges, not SET itself, which is empty then. */
void weft_entity_set_free(struct weft_entity_set *set);

/*
 * Adds the ids of RANGE, of which the set may have some already.  RANGE must be valid:
 * first <= last, on one track, without WEFT_NO_ID; else it aborts.  Returns false with
 * WEFT_ERR_LIMIT, the set unchanged, if there would be more than WEFT_ENTITY_SET_MAX
 * ranges.  O(log n) for n ranges, plus a memmove of the later ranges.
 */
bool weft_entity_set_add(struct weft_entity_set *set, struct weft_entity_range range,
                         struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Removes the ids of RANGE that the set has.  RANGE must be valid: first <= last, on one
 * track, without WEFT_NO_ID; else it aborts.  It may split a range: returns false with
 * WEFT_ERR_LIMIT, the set unchanged, if there would be more than WEFT_ENTITY_SET_MAX
 * ranges.  O(log n) for n ranges, plus a memmove of the later ranges.
 */
bool weft_entity_set_remove(struct weft_entity_set *set, struct weft_entity_range range,
                            struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Removes ID if the set has it, else adds it.  ID must not be WEFT_NO_ID (aborts).  Returns
 * false with WEFT_ERR_LIMIT, the set unchanged, if there would be too many ranges.
 */
bool weft_entity_set_toggle(struct weft_entity_set *set, uint64_t id,
                            struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Adds all members of OTHER: O((n + m) log (n + m)).  Returns false with WEFT_ERR_LIMIT,
 * SET unchanged, if there would be more than WEFT_ENTITY_SET_MAX ranges.
 */
bool weft_entity_set_unite(struct weft_entity_set *set, const struct weft_entity_set *other,
                           struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns true if ID is one of the set's ids.  A container alone and the container with its
 * subtree have different ids.  O(log n)
 */
bool weft_entity_set_contains(const struct weft_entity_set *set, uint64_t id);
/*
 * Returns the index in `ranges` of the first range that ends at ID or later; n_ranges if
 * none does.  O(log n)
 */
size_t weft_entity_set_seek(const struct weft_entity_set *set, uint64_t id);
/* Returns the number of ids.  O(n) */
uint64_t weft_entity_set_count(const struct weft_entity_set *set);

/* Returns the text of a set, "" if empty.  The caller frees it. */
char *weft_entity_set_text(const struct weft_entity_set *set);
/*
 * Parses a text ("": the empty set) into SET, which is overwritten without being freed:
 * free a set with members first; the caller frees the new one.  Returns false with
 * WEFT_ERR_USAGE, naming the place and the fault, or with WEFT_ERR_LIMIT for a text of
 * more than WEFT_ENTITY_SET_MAX ranges, even if they overlap; the set is empty then.
 * O(n log n)
 */
bool weft_entity_set_parse(struct weft_entity_set *set, const char *text,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets *RANGE to the ids of the containers that LENGTH bytes name: "#5", "#5+" (with its
 * subtree), "#7-9" or "#7-9+".  Returns false with WEFT_ERR_USAGE, *RANGE undefined.  Does
 * not check that the containers exist.
 */
bool weft_container_range_parse(const char *text, size_t length,
                                struct weft_entity_range *range,
                                struct weft_err *err) WEFT_MUST_CHECK;

#endif
