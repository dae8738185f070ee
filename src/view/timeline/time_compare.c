/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares where the time of all rows went in two runs, or in two ranges of one: by what
 * they did, for what and where, in words (analyse/time_by_activity_and_place.h), largest
 * change first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/compared_runs.h"
#include "view/timeline/grouped_times.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "by",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = GROUPED_BY,
      .offers = grouped_times_offer,
      .fallback = "all",
      .help = "what is one row: all of these alike, or one of them" },
    COMPARED_SECOND,
    COMPARED_WHERE("states"),
    { .name = "containers",
      .kind = WEFT_PARAMETER_CONTAINERS,
      .fallback = "",
      .help = "of the first run only these rows (#5+: and all that it holds)",
      .seldom = true },
};

struct comparison {
    struct weft_time_division runs[2];
    struct grouped_times groups;
    double elapsed[2]; /* nanoseconds of the two ranges */
};

static int by_change(const void *a, const void *b)
{
    const struct grouped_time *x = a, *y = b;
    return compared_order(x->total, y->total) ?: grouped_times_by_texts(x, y);
}

static void free_comparison(struct comparison *c)
{
    weft_time_division_free(&c->runs[0]);
    weft_time_division_free(&c->runs[1]);
    grouped_times_free(&c->groups);
}

static bool read_comparison(const struct weft_request *request, struct comparison *c,
                            struct weft_err *err)
{
    struct weft_span windows[2];
    const char *where[2] = { weft_setting(request, "where"),
                             weft_setting(request, "second_where") };
    bool ok = compared_windows(request, windows, err);
    *c = (struct comparison){ 0 };
    for (int run = 0; ok && run < 2; run++) {
        const struct weft_schema *schema = request->set->sources[run]->schema;
        ok = grouped_times_read(request, run, windows[run], where[run], false,
                                &c->runs[run], err);
        if (ok)
            grouped_times_add(&c->groups, run, schema, &c->runs[run],
                              weft_setting(request, "by"));
        c->elapsed[run] =
            (double)weft_ticks_to_ns(schema, windows[run].end - windows[run].begin);
    }
    if (ok && c->groups.n > 1)
        qsort(c->groups.list, c->groups.n, sizeof *c->groups.list, by_change);
    if (!ok)
        free_comparison(c);
    return ok;
}

/* ---- Table ---- */

static const struct weft_column columns[] = {
    { "row", "the thread, rank or processor", "by=row" },
    { "partner", "for whose message it waited, or which the call names", "by=partner" },
    { "waker", "the thread or rank that ended the wait", "by=waker" },
    { "class", "work, overhead, waiting, ready, outside, unknown" },
    { "state", "the state" },
    { "object", "its object" },
    { "site", "the function of the place in the program; else the place" },
    { "function", "of plain running: the function, by samples" },
    { "total_ns", "how long, all threads or ranks of the first run together" },
    { "other_total_ns", "of the second" },
    { "change_ns", "how much longer in the second" },
    { "count", "intervals in the first run; 0: the function shares those of another",
      .seldom = true },
    { "other_count", "of the second", .seldom = true },
};

static bool put_row(const struct grouped_time *pair, bool rows, struct weft_table *out)
{
    int64_t change = pair->total[1] - pair->total[0];
    const struct weft_cell cells[] = {
        weft_text_cell(pair->like.row),
        weft_text_cell(grouped_time_class(pair)),
        weft_text_cell(pair->like.state),
        weft_text_cell(pair->like.object),
        weft_text_cell(pair->like.site),
        weft_text_cell(pair->like.function),
        weft_integer_cell(pair->total[0]),
        weft_integer_cell(pair->total[1]),
        compared_cell(weft_integer_cell(change), change != 0),
        weft_integer_cell((int64_t)pair->count[0]),
        weft_integer_cell((int64_t)pair->count[1]),
    };
    return out->row(out, cells + !rows); /* the first column is there by the setting */
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct comparison c;
    if (!read_comparison(request, &c, err))
        return false;
    bool rows = grouped_times_have_rows(weft_setting(request, "by"));
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < c.groups.n; i++)
        if (!put_row(&c.groups.list[i], rows, out))
            break;
    out->end(out);
    free_comparison(&c);
    return true;
}

/* ---- Picture ---- */

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    struct comparison c;
    char first[WEFT_TIME_TEXT], second[WEFT_TIME_TEXT];
    if (!read_comparison(request, &c, err))
        return false;
    size_t most = weft_bars_looked_at(request), n = c.groups.n < most ? c.groups.n : most;
    struct compared_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    for (size_t i = 0; i < n; i++) {
        const struct grouped_time *pair = &c.groups.list[i];
        bars[i] = (struct compared_bar){ grouped_time_name(arena, pair),
                                         { pair->total[0], pair->total[1] } };
    }
    compared_bars_draw(
        request, out, bars, n, c.groups.n,
        weft_arena_printf(arena, "%s of %" PRIu32 " rows, then %s of %" PRIu32,
                          weft_nanoseconds_text(c.elapsed[0], first), c.runs[0].rows,
                          weft_nanoseconds_text(c.elapsed[1], second), c.runs[1].rows),
        "No row did anything in either range.");
    free_comparison(&c);
    return true;
}

static bool fills(const struct weft_set *set)
{
    return set->n_sources == 2 && grouped_times_fill(set->sources[0]->schema)
           && grouped_times_fill(set->sources[1]->schema);
}

const struct weft_view weft_view_time_compare = {
    .name = "time-compare",
    .title = "Two runs",
    .group = "Statistics",
    .explanation =
        "Each bar is what threads or ranks did, for what and where: how much longer, "
        "or shorter, all of them together did it in the second run.",
    .needs = "two traces with states of threads, ranks or processes",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .compares = true,
    .diffs = true,
    .diffs_by = GROUPED_BY,
    .fills = fills,
    .scene = scene,
    .table = table,
    .remark = compared_remark,
};
