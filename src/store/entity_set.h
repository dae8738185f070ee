/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of entities and containers, by their ids (store/schema.h): what somebody has opened,
 * closed or picked, of which there may be hundreds of thousands.  Ids that follow one another
 * on a track are one range, so a set of neighbours costs what one of them does.
 *
 * As text, for an address or a setting, a set is its tracks in rising order, separated by
 * ';', each with its ranges of ordinals; then its containers, '+' after those that stand for
 * all that they hold, too:
 *
 *     t12:0-99999,100003;t13:5;#5,#7-9,#5+
 *
 * In a text that is read, "node:5,7-9" are nodes of a task DAG by the numbers that tables and
 * tooltips have, and "processor:5" one of a distribution; they are written as those of their track
 * (t16777214, t16777213).
 *
 * When a text is read, tracks and ranges may come in any order, more than once, and overlap.
 * A set that is written has one text only: equal sets have equal texts.
 */
#ifndef WEFT_STORE_ENTITY_SET_H
#define WEFT_STORE_ENTITY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Ranges that a set holds, and that a text has: 16 MiB of them.  Ten times the hundred
 * thousand of scattered ids that a display is used with.
 */
enum { WEFT_ENTITY_SET_MOST = 1 << 20 };

/* Ids of one track from FIRST to LAST, both in the set; of containers, of one of both kinds. */
struct weft_entity_range {
    uint64_t first, last;
};

/*
 * A zeroed set is empty; weft_entity_set_free gives its memory back and leaves it empty.
 * Whoever wants all members walks the ranges.
 */
struct weft_entity_set {
    struct weft_entity_range *ranges; /* rising; between two of a track an id is missing */
    size_t n_ranges, capacity;
};

void weft_entity_set_free(struct weft_entity_set *set);

/*
 * Add, take away, and change the membership of one id.  O(log n) for n ranges, and moving
 * those behind the change.  The range must be one (WEFT_NO_ID and a range over two tracks
 * abort).  Error: WEFT_ERR_LIMIT when there would be more than WEFT_ENTITY_SET_MOST ranges;
 * the set is unchanged then.  Taking away may fail, too: it may cut a range in two.
 */
bool weft_entity_set_add(struct weft_entity_set *set, struct weft_entity_range range,
                         struct weft_err *err) WEFT_MUST_CHECK;
bool weft_entity_set_remove(struct weft_entity_set *set, struct weft_entity_range range,
                            struct weft_err *err) WEFT_MUST_CHECK;
bool weft_entity_set_toggle(struct weft_entity_set *set, uint64_t id,
                            struct weft_err *err) WEFT_MUST_CHECK;
/* Add all members of OTHER, at once: O((n + m) log (n + m)).  Error as above. */
bool weft_entity_set_unite(struct weft_entity_set *set, const struct weft_entity_set *other,
                           struct weft_err *err) WEFT_MUST_CHECK;

/* O(log n) */
bool weft_entity_set_contains(const struct weft_entity_set *set, uint64_t id);
/* The index of the first range that ends at ID or behind it, or n_ranges.  O(log n) */
size_t weft_entity_set_seek(const struct weft_entity_set *set, uint64_t id);
/* How many ids are in it.  O(n) */
uint64_t weft_entity_set_count(const struct weft_entity_set *set);

/* The text of a set; "" when it is empty.  The caller frees it. */
char *weft_entity_set_text(const struct weft_entity_set *set);
/*
 * Read a text into SET, which is overwritten: free it first if it holds something.  Errors:
 * WEFT_ERR_USAGE with the place in the text and what is wrong there, WEFT_ERR_LIMIT when it
 * has more than WEFT_ENTITY_SET_MOST ranges; the set is empty then.  O(n log n)
 */
bool weft_entity_set_parse(struct weft_entity_set *set, const char *text,
                           struct weft_err *err) WEFT_MUST_CHECK;
/* Read the LENGTH bytes of one item of containers: "#5", "#5+", "#7-9".  Errors likewise. */
bool weft_container_range_parse(const char *text, size_t length,
                                struct weft_entity_range *range,
                                struct weft_err *err) WEFT_MUST_CHECK;

#endif
