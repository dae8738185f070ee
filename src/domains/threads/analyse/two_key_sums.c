/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/analyse/two_key_sums.h"

#include <stdlib.h>

#include "base/compare.h"
#include "store/time.h"

uint32_t weft_pairs_add(struct weft_pairs *pairs, uint32_t row, uint32_t of, int64_t more)
{
    uint64_t key = (uint64_t)row << 32 | of;
    uint32_t at = weft_id_map_get(&pairs->index, key);
    if (at == WEFT_MAP_NONE) {
        at = (uint32_t)pairs->n;
        weft_id_map_put(&pairs->index, key, at);
        pairs->list =
            weft_grow(pairs->list, &pairs->capacity, pairs->n + 1, sizeof *pairs->list);
        pairs->list[pairs->n++] = (struct weft_pair){ row, of, 0 };
    }
    pairs->list[at].sum = weft_ticks_add(pairs->list[at].sum, more);
    return at;
}

void weft_pairs_merge(struct weft_pairs *to, const struct weft_pairs *from,
                      const uint32_t *rows)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct weft_pair *pair = &from->list[i];
        (void)weft_pairs_add(to, rows ? rows[pair->row] : pair->row, pair->of, pair->sum);
    }
}

static int by_row_and_sum(const void *a, const void *b)
{
    const struct weft_pair *x = a, *y = b;
    return WEFT_COMPARE(x->row, y->row) ?: WEFT_COMPARE(y->sum, x->sum)
           ?: WEFT_COMPARE(x->of, y->of);
}

void weft_pairs_order(struct weft_pairs *pairs)
{
    if (pairs->n)
        qsort(pairs->list, pairs->n, sizeof *pairs->list, by_row_and_sum);
}

void weft_pairs_free(struct weft_pairs *pairs)
{
    free(pairs->list);
    weft_id_map_free(&pairs->index);
    *pairs = (struct weft_pairs){ 0 };
}
