/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/comm_matrix_links.h"

#include <inttypes.h>

#include "analyse/where_selection.h"
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

uint64_t comm_matrix_links_of_pair(const struct weft_pair_sums *links, size_t *at,
                                   const struct weft_pair_sum *row)
{
    const struct weft_pair_sum *rows = links->rows;
    while (*at < links->n
           && (rows[*at].from < row->from
               || (rows[*at].from == row->from && rows[*at].to < row->to)))
        ++*at;
    bool same = *at < links->n && rows[*at].from == row->from && rows[*at].to == row->to;
    return same ? rows[*at].count : 0;
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
