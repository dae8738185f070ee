/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the processors and groups of pictures of nodes and lines, and sums their
 * messages.
 */
#include "domains/messages/view/node_diagram.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

/* Lists the processors under the request's container in their order. */
static bool list_shown(struct diagram *d, struct weft_err *err)
{
    const struct weft_container *containers = d->processors->source->schema->containers;
    const struct weft_container *root = &containers[d->request->under];
    d->processor = weft_arena_alloc(d->arena, d->n_all * sizeof *d->processor);
    d->position = weft_arena_alloc(d->arena, d->n_all * sizeof *d->position);
    for (uint32_t i = 0; i < d->n_all; i++) {
        uint32_t q = d->order.processor[i];
        uint32_t order = containers[d->processors->processors[q].container].order;
        bool shown = order >= root->order && order < root->subtree_end;
        d->position[q] = shown ? d->n : WEFT_NONE;
        if (shown)
            d->processor[d->n++] = q;
    }
    return d->n || weft_fail(err, WEFT_ERR_USAGE, "'%.60s' holds no processor", root->name);
}

bool diagram_begin(struct diagram *d, const struct weft_request *request, const char *order,
                   struct weft_err *err)
{
    *d = (struct diagram){ .request = request, .arena = request->arena };
    d->processors = weft_use_processors(request->use, err);
    if (!d->processors)
        return false;
    d->traffic = weft_use_traffic(request->use, err);
    if (!d->traffic)
        return false;
    d->n_all = d->processors->n;
    d->collectives = weft_collectives_find(weft_setting(request, "collectives"));
    if (!weft_order_make(d->n_all, order, &d->order, err) || !list_shown(d, err))
        return false;
    d->group_of = weft_arena_alloc(d->arena, d->n_all * sizeof *d->group_of);
    diagram_group(d, 1);
    return true;
}

void diagram_end(struct diagram *d)
{
    free(d->sums.rows);
    weft_order_free(&d->order);
}

void diagram_group(struct diagram *d, uint32_t each)
{
    d->each = each;
    d->n_groups = (d->n - 1) / each + 1;
    for (uint32_t q = 0; q < d->n_all; q++)
        d->group_of[q] = d->position[q] == WEFT_NONE ? d->n_groups : d->position[q] / each;
}

/* ---- Messages ---- */

/* An upper bound for the pairs of processors that collective operations in SPAN add. */
static double pairs_of_collectives(const struct diagram *d, struct weft_span span)
{
    const struct weft_traffic *traffic = d->traffic;
    double pairs = 0, all = (double)d->n * d->n;
    if (d->collectives == WEFT_COLLECTIVES_NONE)
        return 0;
    for (size_t i = 0; i < traffic->n_collectives && pairs < all; i++)
        if (weft_collective_counts(&traffic->collectives[i], d->collectives)
            && traffic->collectives[i].begin < span.end
            && traffic->collectives[i].end >= span.begin)
            pairs +=
                (double)traffic->collectives[i].n_calls * traffic->collectives[i].n_calls;
    return fmin(pairs, all);
}

/* Limits sums between single processors to about 1 GiB. */
static bool may_list(const struct diagram *d, struct weft_span span, struct weft_err *err)
{
    const double most = 1 << 24;
    return d->each > 1 || pairs_of_collectives(d, span) <= most
           || weft_fail(err, WEFT_ERR_USAGE,
                        "collective operations of %" PRIu32
                        " processors make too many pairs "
                        "to list (--set collectives=none leaves them out)",
                        d->n);
}

static struct weft_span whole_window(const struct diagram *d)
{
    return weft_window_with_end(d->processors->source->schema, d->request->window);
}

/* Drops sums with a hidden processor: these are all in group n_groups. */
static void drop_hidden(const struct diagram *d, struct weft_pair_sums *sums)
{
    size_t n = 0;
    for (size_t i = 0; i < sums->n; i++)
        if (sums->rows[i].from < d->n_groups && sums->rows[i].to < d->n_groups)
            sums->rows[n++] = sums->rows[i];
    sums->n = n;
}

/* Sums between groups: the messages pending at the moment, or those of the window. */
static bool ask_sums(const struct diagram *d, bool pending, struct weft_pair_sums *sums,
                     struct weft_err *err)
{
    struct weft_traffic_query query = { .collectives = d->collectives,
                                        .job = d->request->job };
    bool single = d->each == 1 && d->n == d->n_all;
    for (uint32_t q = 0; q < d->n && single; q++)
        single = d->group_of[q] == q;
    if (!single) {
        query.group_of = d->group_of;
        query.n_groups = d->n_groups + (d->n < d->n_all);
    }
    if (pending)
        weft_traffic_pending(d->traffic, d->request->at, &query, sums);
    else
        weft_traffic_total(d->traffic, whole_window(d), &query, sums);
    if (d->n < d->n_all)
        drop_hidden(d, sums);
    return weft_job_step(d->request->job, 1, 1, err);
}

bool diagram_ask(struct diagram *d, struct weft_err *err)
{
    if (!may_list(d, weft_request_instant(d->request), err))
        return false;
    if (!ask_sums(d, d->request->has_at, &d->sums, err))
        return false;
    d->out = weft_arena_zalloc(d->arena, d->n_groups, sizeof *d->out);
    d->in = weft_arena_zalloc(d->arena, d->n_groups, sizeof *d->in);
    for (size_t i = 0; i < d->sums.n; i++) {
        d->out[d->sums.rows[i].from] += d->sums.rows[i].count;
        d->in[d->sums.rows[i].to] += d->sums.rows[i].count;
    }
    return true;
}

static int by_messages(const void *a, const void *b)
{
    const struct diagram_arc *x = a, *y = b;
    uint64_t mine = x->there + x->back, other = y->there + y->back;
    return WEFT_COMPARE(mine, other) ?: WEFT_COMPARE(x->a, y->a)
           ?: WEFT_COMPARE(x->b, y->b);
}

/* Quickselect (Hoare 1961): no arc from K on is less than one before K. */
static void part(struct diagram_arc *arcs, size_t n, size_t k)
{
    for (size_t low = 0, high = n; high - low > 1;) {
        struct diagram_arc pivot = arcs[low + (high - low) / 2];
        size_t i = low, j = high - 1;
        for (;;) {
            while (by_messages(&arcs[i], &pivot) < 0)
                i++;
            while (by_messages(&pivot, &arcs[j]) < 0)
                j--;
            if (i >= j)
                break;
            struct diagram_arc swap = arcs[i];
            arcs[i++] = arcs[j];
            arcs[j--] = swap;
        }
        /*
         * Arcs are distinct, so the pivot is at I or before it, and all arcs before I are
         * less.
         */
        if (i == low)
            i++;
        if (k < i)
            high = i;
        else
            low = i;
    }
}

struct diagram_arc *diagram_arcs(const struct diagram *d, size_t most, size_t *n,
                                 size_t *n_all)
{
    size_t groups = d->n_groups, all = 0;
    uint64_t *matrix = weft_zalloc(groups * groups, sizeof *matrix);
    for (size_t i = 0; i < d->sums.n; i++)
        matrix[d->sums.rows[i].from * groups + d->sums.rows[i].to] += d->sums.rows[i].count;
    struct diagram_arc *arcs = weft_arena_alloc(d->arena, (d->sums.n + 1) * sizeof *arcs);
    for (uint32_t a = 0; a < groups; a++)
        for (uint32_t b = a; b < groups; b++) {
            uint64_t there = matrix[a * groups + b], back = matrix[b * groups + a];
            if (there || (back && a != b))
                arcs[all++] = (struct diagram_arc){ a, b, there, a == b ? 0 : back };
        }
    free(matrix);
    size_t first = all > most ? all - most : 0;
    if (first)
        part(arcs, all, first);
    *n_all = all;
    *n = all - first;
    if (*n > 1)
        qsort(arcs + first, *n, sizeof *arcs, by_messages);
    return arcs + first;
}

/* ---- Statuses ---- */

static enum diagram_status status_of(const struct weft_processors *p,
                                     const struct weft_innermost *now)
{
    static const enum diagram_status of_class[] = { [WEFT_CLASS_BUSY] = DIAGRAM_BUSY,
                                                    [WEFT_CLASS_OVERHEAD] =
                                                        DIAGRAM_OVERHEAD,
                                                    [WEFT_CLASS_IDLE] = DIAGRAM_IDLE };
    if (now->damaged)
        return DIAGRAM_DAMAGED;
    if (now->value == WEFT_NONE)
        return DIAGRAM_BUSY;
    enum weft_role role = p->source->schema->values[now->value].role;
    if (weft_role_is(role, WEFT_ROLE_BLOCKED_ON_COLLECTIVE)
        || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_BARRIER))
        return DIAGRAM_COLLECTIVE;
    if (weft_role_is(role, WEFT_ROLE_SENDING)
        || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_RECEIVER))
        return DIAGRAM_SENDING;
    if (weft_role_is(role, WEFT_ROLE_RECEIVING)
        || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_MESSAGE))
        return DIAGRAM_RECEIVING;
    return of_class[p->class_of[now->value]];
}

void diagram_statuses(struct diagram *d)
{
    static const struct weft_innermost none = { .id = WEFT_NO_ID, .value = WEFT_NONE };
    const struct weft_processors *p = d->processors;
    if (!d->request->has_at)
        return;
    d->statuses = weft_arena_zalloc(d->arena, d->n_groups, sizeof *d->statuses);
    uint32_t *tracks = weft_arena_alloc(d->arena, (d->n + 1) * sizeof *tracks), n = 0;
    struct weft_innermost *inner = weft_arena_alloc(d->arena, (d->n + 1) * sizeof *inner);
    for (uint32_t i = 0; i < d->n; i++)
        if (p->processors[d->processor[i]].track != WEFT_NONE)
            tracks[n++] = p->processors[d->processor[i]].track;
    p->source->ops->values_at(p->source, tracks, n, d->request->at, inner);
    for (uint32_t i = d->n; i-- > 0;) {
        uint32_t q = d->processor[i];
        const struct weft_processor *processor = &p->processors[q];
        const struct weft_innermost *now =
            processor->track != WEFT_NONE ? &inner[--n] : &none;
        d->statuses[d->group_of[q]]
                   [d->request->at < processor->start || d->request->at >= processor->finish
                        ? DIAGRAM_IDLE
                        : status_of(p, now)]++;
    }
}

/* ---- Words ---- */

const char *diagram_label(const struct diagram *d, uint32_t group)
{
    enum { LONGEST = 90 }; /* pixels */
    uint32_t processor = d->processor[group * d->each];
    const char *name = d->each == 1 && d->order.names ? d->order.names[processor] : NULL;
    if (!name && d->each == 1)
        name = d->processors->processors[processor].name;
    if (name)
        name = weft_text_fit(d->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, name, LONGEST);
    return name ? name
                : weft_arena_printf(d->arena, "%" PRId64,
                                    d->processors->processors[processor].number);
}

const char *diagram_name(const struct diagram *d, uint32_t group)
{
    uint32_t first = group * d->each, last = first + d->each - 1;
    if (d->each == 1)
        return diagram_label(d, group);
    last = last < d->n ? last : d->n - 1;
    return weft_arena_printf(d->arena, "%" PRId64 "\xe2\x80\x93%" PRId64,
                             d->processors->processors[d->processor[first]].number,
                             d->processors->processors[d->processor[last]].number);
}

/* Returns how many barriers the stars of a window, or of a moment, stand for. */
static uint64_t count_barriers(const struct diagram *d)
{
    uint64_t n = 0;
    for (size_t i = 0; i < d->n_stars; i++)
        n += d->star_list[i].operations;
    return d->stars && d->collectives == WEFT_COLLECTIVES_DATA ? n : 0;
}

const char *diagram_subtitle(const struct diagram *d, const char *more)
{
    const struct weft_schema *schema = d->processors->source->schema;
    char at[WEFT_TIME_TEXT];
    const char *range =
        d->request->has_at ? weft_arena_printf(
            d->arena, "pending at %s",
            weft_duration_text(schema, d->request->at - schema->span.begin, at))
                           : weft_range_text(d->arena, schema, d->request->window);
    if (d->n < d->n_all)
        range = weft_arena_printf(d->arena, "%s · %" PRIu32 " of %" PRIu32 " processors",
                                  range, d->n, d->n_all);
    if (d->each > 1)
        range = weft_arena_printf(d->arena, "%s · each circle: %" PRIu32 " processors",
                                  range, d->each);
    uint64_t barriers = count_barriers(d);
    if (barriers)
        range = weft_arena_printf(d->arena, "%s · ◆ %" PRIu64 " %s", range, barriers,
                                  barriers == 1 ? "barrier" : "barriers");
    if (d->n_stars < d->n_stars_in_all)
        range = weft_arena_printf(d->arena, "%s · %zu of %zu %s", range, d->n_stars,
                                  d->n_stars_in_all,
                                  d->request->has_at ? "pending collective operations"
                                                     : "communicators' operations");
    return more ? weft_arena_printf(d->arena, "%s · %s", range, more) : range;
}

/* ---- The table ---- */

/*
 * At a moment, sums the window's messages too; without one SUMS are already the window's.
 */
static bool ask_totals(const struct diagram *d, struct weft_pair_sums *totals,
                       struct weft_err *err)
{
    *totals = (struct weft_pair_sums){ 0 };
    if (!d->request->has_at)
        return true;
    if (!may_list(d, whole_window(d), err))
        return false;
    return ask_sums(d, false, totals, err);
}

static bool before(const struct weft_pair_sum *a, const struct weft_pair_sum *b)
{
    return a->from < b->from || (a->from == b->from && a->to < b->to);
}

static void write_rows(const struct diagram *d, const struct weft_pair_sums *totals,
                       bool physical, struct weft_table *table)
{
    bool now = d->request->has_at;
    const struct weft_processor *processors = d->processors->processors;
    for (size_t i = 0, k = 0; i < d->sums.n; i++) {
        const struct weft_pair_sum *row = &d->sums.rows[i];
        while (k < totals->n && before(&totals->rows[k], row))
            k++;
        bool found = k < totals->n && !before(row, &totals->rows[k]);
        uint64_t total = !now ? row->count : found ? totals->rows[k].count : 0;
        const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
        struct weft_cell cells[] = {
            weft_integer_cell(processors[d->processor[row->from]].number),
            weft_integer_cell(processors[d->processor[row->to]].number),
            now ? weft_integer_cell((int64_t)row->count) : empty,
            weft_integer_cell((int64_t)total),
            physical ? weft_integer_cell(diagram_is_physical(row->from, row->to)) : empty,
        };
        if (!table->row(table, cells) || weft_job_cancelled(d->request->job))
            return;
    }
}

const struct weft_column diagram_columns[DIAGRAM_COLUMNS] = {
    { .name = "src" },   { .name = "dst" },      { .name = "pending" },
    { .name = "total" }, { .name = "physical" },
};

bool diagram_table(const struct weft_request *request, struct weft_table *table,
                   struct weft_err *err)
{
    struct weft_pair_sums totals = { 0 };
    struct diagram d;
    bool ok = diagram_begin(&d, request, "natural", err) && diagram_ask(&d, err)
              && ask_totals(&d, &totals, err);
    if (ok) {
        weft_view_begin_table(request, table);
        write_rows(&d, &totals, request->view == &weft_view_hypercube, table);
        table->end(table);
        ok = weft_job_step(request->job, 1, 1, err);
    }
    free(totals.rows);
    diagram_end(&d);
    return ok;
}
