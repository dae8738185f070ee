/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/comm_matrix_links.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyse/where_selection.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "domains/messages/model/processors.h"
#include "store/time.h"

/* Adds the terms of the time at which they begin, or are pending; WHERE may be NULL. */
static const char *where_of_time(const struct weft_request *request,
                                 struct weft_arena *arena, const char *where)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    char first[WEFT_TIME_TEXT], last[WEFT_TIME_TEXT];
    if (request->has_at) {
        const char *at = weft_time_exact(schema, request->at - schema->span.begin, first);
        where = weft_where_and(arena, where, "begin <=", at);
        return weft_where_and(arena, where, "end >", at);
    }
    if (request->window.begin > schema->span.begin)
        where = weft_where_and(
            arena, where, "begin >=",
            weft_time_exact(schema, request->window.begin - schema->span.begin, first));
    if (request->window.end < schema->span.end)
        where = weft_where_and(
            arena, where, "begin <",
            weft_time_exact(schema, request->window.end - schema->span.begin, last));
    return where;
}

const char *comm_matrix_where(const struct weft_request *request, struct weft_arena *arena,
                              enum weft_collectives collectives, int64_t from, int64_t to)
{
    const char *where = weft_where_and(
        arena,
        collectives == WEFT_COLLECTIVES_NONE ? "message and not collective" : "message",
        "from =", weft_arena_printf(arena, "processor number %" PRId64, from));
    where = weft_where_and(
        arena, where, "to =", weft_arena_printf(arena, "processor number %" PRId64, to));
    return where_of_time(request, arena, where);
}

void comm_matrix_links(const struct weft_traffic *traffic,
                       const struct weft_request *request,
                       enum weft_collectives collectives, struct weft_pair_sums *out)
{
    const struct weft_schema *schema = traffic->source->schema;
    struct weft_traffic links = *traffic;
    const struct weft_traffic_query query = { .collectives = collectives,
                                              .job = request->job };
    links.n_collectives = 0;
    if (request->has_at)
        weft_traffic_pending(&links, request->at, &query, out);
    else
        weft_traffic_total(&links, weft_window_with_end(schema, request->window), &query,
                           out);
}

static int by_pair(const struct weft_pair_sum *a, const struct weft_pair_sum *b)
{
    return WEFT_COMPARE(a->from, b->from) ?: WEFT_COMPARE(a->to, b->to);
}

uint64_t comm_matrix_links_of_pair(const struct weft_pair_sums *links,
                                   const struct weft_pair_sum *row)
{
    size_t at = WEFT_FIRST(i, 0, links->n, by_pair(&links->rows[i], row) >= 0);
    return at < links->n && by_pair(&links->rows[at], row) == 0 ? links->rows[at].count : 0;
}

static int by_amount(const void *a, const void *b)
{
    const struct weft_pair_sum *x = a, *y = b;
    return WEFT_COMPARE(y->bytes, x->bytes) ?: WEFT_COMPARE(y->count, x->count)
           ?: by_pair(x, y);
}

void comm_matrix_most_first(struct weft_pair_sums *sums)
{
    if (sums->n)
        qsort(sums->rows, sums->n, sizeof *sums->rows, by_amount);
}

const struct weft_pair_sum *comm_matrix_most(const struct weft_pair_sums *sums)
{
    const struct weft_pair_sum *most = sums->rows;
    for (const struct weft_pair_sum *row = sums->rows; row < sums->rows + sums->n; row++)
        if (row->bytes > most->bytes
            || (row->bytes == most->bytes && row->count > most->count))
            most = row;
    return most;
}

bool comm_matrix_put_row(struct weft_table *out, const struct weft_request *request,
                         const struct weft_processors *processors,
                         const struct weft_pair_sum *row, uint64_t links,
                         enum weft_collectives collectives)
{
    const struct weft_processor *of = processors->processors;
    struct weft_arena arena = { 0 };
    const char *where = "";
    if (request->of_page)
        where = comm_matrix_where(request, &arena, collectives, of[row->from].number,
                                  of[row->to].number);
    const struct weft_cell cells[] = {
        weft_integer_cell(of[row->from].number),
        weft_integer_cell(of[row->to].number),
        weft_integer_cell((int64_t)row->count),
        weft_integer_cell(row->bytes),
        weft_integer_cell((int64_t)(row->count - links)),
        weft_text_cell(where),
    };
    bool more = out->row(out, cells);
    weft_arena_free(&arena);
    return more;
}
