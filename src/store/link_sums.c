/* SPDX-License-Identifier: Apache-2.0 */
#include "store/link_sums.h"

#include <stdlib.h>

#include "base/binary_search.h"
#include "base/hash.h"
#include "base/radix_sort.h"

enum {
    MAX_CELLS = 1 << 21,   /* of a matrix: 48 MiB */
    FIRST_SLOTS = 1024,    /* of a hash table */
    CELLS_AN_ADDITION = 2, /* a matrix with more of them is slower than a hash table */
    CONTAINERS_AN_END =
        64 /* with more containers an end, ends are searched: there may be many lists */
};

void weft_pair_list_begin(struct weft_pair_list *list)
{
    const struct weft_trace *trace = list->trace;
    uint32_t n = trace->schema.n_containers;
    list->bytes = weft_pair_bytes_column(trace, list->track);
    list->position = NULL;
    if (n / CONTAINERS_AN_END > list->n_ends)
        return;
    list->position = weft_zalloc((size_t)n + 1, sizeof *list->position);
    for (uint32_t i = 0; i < list->n_ends; i++)
        list->position[list->ends[i] == WEFT_NONE ? n : list->ends[i]] = i;
}

const struct weft_file_column *weft_pair_bytes_column(const struct weft_trace *trace,
                                                      uint32_t index)
{
    const struct weft_file_track *track = &trace->tracks[index];
    uint32_t field = weft_field_of_type(&trace->schema, track->type, WEFT_ROLE_BYTES,
                                        WEFT_FIELD_INTEGER);
    for (uint32_t c = 0; field != WEFT_NONE && c < track->n_columns; c++)
        if (trace->columns[track->first_column + c].field == field)
            return &trace->columns[track->first_column + c];
    return NULL;
}

void weft_pair_bytes(const struct weft_pair_list *list, uint64_t first, size_t n,
                     int64_t *bytes)
{
    memset(bytes, 0, n * sizeof *bytes);
    if (!list->bytes)
        return;
    const struct weft_file_block *blocks =
        list->trace->directory + list->bytes->first_block;
    size_t n_blocks = list->bytes->n_blocks;
    ptrdiff_t before = weft_block_before(blocks, n_blocks, (int64_t)first);
    int64_t columns[2][WEFT_BLOCK_ROWS];
    for (size_t b = before < 0 ? 0 : (size_t)before;
         b < n_blocks && blocks[b].time < (int64_t)(first + n); b++) {
        size_t rows = weft_rows_decode(list->trace, &blocks[b], columns, 2);
        uint64_t at = (uint64_t)blocks[b].time;
        for (size_t i = 0; i < rows; i++) {
            at += i ? (uint64_t)columns[0][i] + 1 : 0;
            if (at - first < n)
                bytes[at - first] = columns[1][i];
        }
    }
}

/* Returns the position of an end; 0 if it is not among the ends, as in a damaged file. */
static uint32_t position_of(const struct weft_pair_list *list, int64_t end)
{
    uint32_t none = list->trace->schema.n_containers;
    bool is_there = end >= 0 && end < none;
    if (list->position)
        return list->position[is_there ? (uint32_t)end : none];
    uint32_t sought = is_there ? (uint32_t)end : WEFT_NONE;
    uint32_t at = WEFT_FIRST(i, 0, list->n_ends, list->ends[i] >= sought);
    return at < list->n_ends && list->ends[at] == sought ? at : 0;
}

uint64_t weft_pair_of(const struct weft_pair_list *list, int64_t from, int64_t to)
{
    return (uint64_t)position_of(list, from) * list->n_ends + position_of(list, to);
}

static size_t read_late(const struct weft_pair_list *list,
                        const struct weft_file_block *block,
                        const struct weft_pair_filter *filter, struct weft_pair_links *out)
{
    int64_t columns[WEFT_LATE_COLUMNS][WEFT_BLOCK_ROWS];
    uint64_t n_pairs = (uint64_t)list->n_ends * list->n_ends;
    size_t n = weft_rows_decode(list->trace, block, columns, WEFT_LATE_COLUMNS), kept = 0;
    weft_times_from_deltas(columns[WEFT_LATE_STEP], n, block->time);
    for (size_t i = 0; i < n; i++) {
        int64_t begin = columns[WEFT_LATE_STEP][i];
        bool in = filter->choice == WEFT_PAIRS_ALL
                  || (filter->choice == WEFT_PAIRS_BEGIN_IN && begin >= filter->from
                      && begin < filter->to);
        if (!in || (uint64_t)columns[WEFT_LATE_PAIR][i] >= n_pairs)
            continue;
        out->pairs[kept] = (uint64_t)columns[WEFT_LATE_PAIR][i];
        out->bytes[kept++] = columns[WEFT_LATE_BYTES][i];
    }
    return kept;
}

/*
 * Drops the links of a decoded block that are not in the list or that the filter rejects;
 * returns how many are left.
 */
static size_t choose(const struct weft_pair_list *list,
                     const struct weft_pair_filter *filter, size_t n,
                     int64_t columns[][WEFT_BLOCK_ROWS], struct weft_pair_links *links)
{
    size_t kept = 0;
    const int64_t *low = columns[WEFT_LINK_DELTA];
    for (size_t i = 0; i < n; i++) {
        uint64_t back = (uint64_t)columns[WEFT_LINK_BEGIN][i]; /* 0: it runs forwards */
        bool in = (back != 0) == list->backward;
        if (filter->choice == WEFT_PAIRS_BEGIN_IN) {
            int64_t begin = (int64_t)((uint64_t)low[i] + back);
            in &= begin >= filter->from && begin < filter->to;
        } else if (filter->choice == WEFT_PAIRS_PENDING)
            in &= low[i] <= filter->from
                  && (int64_t)((uint64_t)low[i] + (uint64_t)columns[WEFT_LINK_END][i])
                         > filter->from;
        links->pairs[kept] = links->pairs[i];
        links->bytes[kept] = links->bytes[i];
        kept += in;
    }
    return kept;
}

size_t weft_pair_read(const struct weft_pair_list *list, uint64_t index,
                      const struct weft_pair_filter *filter, struct weft_pair_links *out)
{
    const struct weft_file_block *block = &list->blocks[index];
    if (list->late)
        return read_late(list, block, filter, out);
    int64_t columns[WEFT_LINK_TO + 1][WEFT_BLOCK_ROWS];
    uint32_t wanted = 1u << WEFT_LINK_BEGIN | 1u << WEFT_LINK_FROM | 1u << WEFT_LINK_TO;
    if (filter->choice != WEFT_PAIRS_ALL)
        wanted |= 1u << WEFT_LINK_DELTA;
    if (filter->choice == WEFT_PAIRS_PENDING)
        wanted |= 1u << WEFT_LINK_END;
    size_t n = weft_rows_columns(list->trace, block, columns, wanted);
    if (wanted & 1u << WEFT_LINK_DELTA)
        weft_times_from_deltas(columns[WEFT_LINK_DELTA], n, block->time);
    for (size_t i = 0; i < n; i++)
        out->pairs[i] =
            weft_pair_of(list, columns[WEFT_LINK_FROM][i], columns[WEFT_LINK_TO][i]);
    weft_pair_bytes(list, block->ordinal, n, out->bytes);
    return choose(list, filter, n, columns, out);
}

bool weft_pair_table_fits(uint32_t n_ends, uint64_t expected)
{
    uint64_t n_pairs = (uint64_t)n_ends * n_ends;
    return n_pairs <= MAX_CELLS && n_pairs / CELLS_AN_ADDITION <= expected;
}

void weft_pair_table_begin(struct weft_pair_table *table, uint32_t n_ends,
                           uint64_t expected)
{
    uint64_t n_pairs = (uint64_t)n_ends * n_ends;
    bool matrix = weft_pair_table_fits(n_ends, expected);
    *table = (struct weft_pair_table){ .n_pairs = n_pairs, .matrix = matrix };
    table->n_rows = matrix ? (size_t)n_pairs : FIRST_SLOTS;
    table->rows = weft_zalloc(table->n_rows + 1, sizeof *table->rows);
}

void weft_pair_table_end(struct weft_pair_table *table)
{
    free(table->rows);
}

static struct weft_pair_row *slot_of(const struct weft_pair_table *table, uint64_t pair)
{
    size_t at = (size_t)weft_hash_word(pair) & (table->n_rows - 1);
    while (table->rows[at].count && table->rows[at].pair != pair)
        at = (at + 1) & (table->n_rows - 1);
    return &table->rows[at];
}

struct weft_pair_row *weft_pair_table_slot(struct weft_pair_table *table, uint64_t pair)
{
    struct weft_pair_row *row = slot_of(table, pair);
    if (row->count)
        return row;
    if (2 * ++table->used > table->n_rows) {
        struct weft_pair_row *old = table->rows;
        size_t n = table->n_rows;
        table->n_rows *= 2;
        table->rows = weft_zalloc(table->n_rows, sizeof *table->rows);
        for (size_t i = 0; i < n; i++)
            if (old[i].count)
                *slot_of(table, old[i].pair) = old[i];
        free(old);
        row = slot_of(table, pair);
    }
    row->pair = pair;
    return row;
}

static struct weft_pair_row *sorted(struct weft_pair_row *rows, size_t n)
{
    struct weft_sort_item *order = weft_alloc((n + 1) * sizeof *order);
    struct weft_pair_row *out = weft_alloc((n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct weft_sort_item){ rows[i].pair, i };
    if (n)
        weft_sort(order, n);
    for (size_t i = 0; i < n; i++)
        out[i] = rows[order[i].payload];
    free(order);
    free(rows);
    return out;
}

struct weft_pair_row *weft_pair_table_rows(const struct weft_pair_table *table, size_t *n)
{
    size_t count = 0;
    for (size_t i = 0; i < table->n_rows; i++)
        count += table->rows[i].count > 0;
    struct weft_pair_row *rows = weft_alloc((count + 1) * sizeof *rows);
    *n = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        if (!table->rows[i].count)
            continue;
        rows[*n] = table->rows[i];
        if (table->matrix)
            rows[*n].pair = i;
        ++*n;
    }
    return table->matrix ? rows : sorted(rows, count);
}

void weft_pair_sums_combine(struct weft_pair_sums *sums)
{
    size_t n = sums->n, kept = 0;
    if (!n)
        return;
    struct weft_sort_item *order = weft_alloc(n * sizeof *order);
    struct weft_pair_sum *rows = weft_alloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++)
        order[i] =
            (struct weft_sort_item){ (uint64_t)sums->rows[i].from << 32 | sums->rows[i].to,
                                     i };
    weft_sort(order, n);
    for (size_t i = 0; i < n; i++) {
        const struct weft_pair_sum *row = &sums->rows[order[i].payload];
        if (i && order[i].key == order[i - 1].key) {
            rows[kept - 1].count += row->count;
            rows[kept - 1].bytes =
                (int64_t)((uint64_t)rows[kept - 1].bytes + (uint64_t)row->bytes);
        } else {
            rows[kept++] = *row;
        }
    }
    free(order);
    free(sums->rows);
    *sums = (struct weft_pair_sums){ rows, kept, n };
}
