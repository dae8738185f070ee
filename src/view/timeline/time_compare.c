/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares where the time of all rows went in two runs, or in two ranges of one: by what
 * they did, for what and where, in words (analyse/time_by_activity_and_place.h), largest
 * change first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/grouped_times.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "by",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = GROUPED_BY,
      .fallback = "all",
      .help = "what is one row: all of these alike, or one of them" },
    { .name = "second",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "the range of the second run, T0:T1 or T0+LENGTH; else all of it" },
    { .name = "where",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "of the first run only these states (doc/selections.md): row in worker*",
      .seldom = true },
    { .name = "second_where",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "of the second run only these states",
      .seldom = true },
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

static int64_t change_of(const struct grouped_time *pair)
{
    return pair->total[1] - pair->total[0];
}

static int by_change(const void *a, const void *b)
{
    const struct grouped_time *x = a, *y = b;
    int64_t p = change_of(x), q = change_of(y);
    return WEFT_COMPARE(q < 0 ? -q : q, p < 0 ? -p : p)
           ?: WEFT_COMPARE(y->total[0], x->total[0]) ?: grouped_times_by_texts(x, y);
}

static bool second_window(const struct weft_request *request, struct weft_span *window,
                          struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[1]->schema;
    const char *text = weft_setting(request, "second");
    *window = schema->span;
    return !text[0] || weft_parse_range(schema, text, window, err);
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
    struct weft_span windows[2] = { request->window };
    const char *where[2] = { weft_setting(request, "where"),
                             weft_setting(request, "second_where") };
    bool ok = second_window(request, &windows[1], err);
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

static struct weft_cell differing(struct weft_cell cell, bool differs)
{
    cell.differs = differs;
    return cell;
}

static bool put_row(const struct grouped_time *pair, bool rows, struct weft_table *out)
{
    int64_t change = change_of(pair);
    const struct weft_cell cells[] = {
        weft_text_cell(pair->like.row),
        weft_text_cell(grouped_time_class(pair)),
        weft_text_cell(pair->like.state),
        weft_text_cell(pair->like.object),
        weft_text_cell(pair->like.site),
        weft_text_cell(pair->like.function),
        weft_integer_cell(pair->total[0]),
        weft_integer_cell(pair->total[1]),
        differing(weft_integer_cell(change), change != 0),
        weft_integer_cell((int64_t)pair->count[0]),
        weft_integer_cell((int64_t)pair->count[1]),
    };
    return out->row(out, cells + !rows); /* the first column is there with by=row */
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct comparison c;
    if (!read_comparison(request, &c, err))
        return false;
    bool rows = strcmp(weft_setting(request, "by"), "row") == 0;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < c.groups.n; i++)
        if (!put_row(&c.groups.list[i], rows, out))
            break;
    out->end(out);
    free_comparison(&c);
    return true;
}

/* ---- Picture ---- */

static const char *numbers_of(struct weft_arena *arena, const struct grouped_time *pair)
{
    char first[WEFT_TIME_TEXT], second[WEFT_TIME_TEXT], change[WEFT_TIME_TEXT];
    double by = (double)change_of(pair);
    return weft_arena_printf(arena, "%s%s · %s, then %s", by < 0 ? "−" : "+",
                             weft_nanoseconds_text(by < 0 ? -by : by, change),
                             weft_nanoseconds_text((double)pair->total[0], first),
                             weft_nanoseconds_text((double)pair->total[1], second));
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    struct comparison c;
    char first[WEFT_TIME_TEXT], second[WEFT_TIME_TEXT];
    if (!read_comparison(request, &c, err))
        return false;
    size_t most = weft_bars_looked_at(request), n = c.groups.n < most ? c.groups.n : most;
    struct weft_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    struct weft_swatch more = { .fill = weft_two_sided(request->theme, 0.8) };
    struct weft_swatch less = { .fill = weft_two_sided(request->theme, -0.8) };
    for (size_t i = 0; i < n; i++) {
        double change = (double)change_of(&c.groups.list[i]);
        bars[i] =
            (struct weft_bar){ grouped_time_name(arena, &c.groups.list[i]),
                               change > 0 ? more : less, change < 0 ? -change : change,
                               numbers_of(arena, &c.groups.list[i]), WEFT_NO_ID };
    }
    struct weft_legend_entry legend[] = {
        { more, "longer in the second", -1, 2 },
        { less, "shorter in the second", -1, 1 },
    };
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, weft_bars_gutter(request, bars, n), false, legend, 2,
        weft_arena_printf(arena, "%s of %" PRIu32 " rows, then %s of %" PRIu32,
                          weft_nanoseconds_text(c.elapsed[0], first), c.runs[0].rows,
                          weft_nanoseconds_text(c.elapsed[1], second), c.runs[1].rows));
    if (n)
        weft_bars_draw_some(&frame, bars, n, c.groups.n - n);
    else
        weft_frame_empty(&frame, "No row did anything in either range.");
    free_comparison(&c);
    return true;
}

/* Tells how long the two ranges are, which the table does not. */
static const char *remark(const struct weft_request *request)
{
    const struct weft_schema *first = request->set->sources[0]->schema;
    const struct weft_schema *second = request->set->sources[1]->schema;
    struct weft_span window;
    struct weft_err err;
    char texts[2][WEFT_TIME_TEXT];
    if (!second_window(request, &window, &err))
        return NULL;
    weft_duration_text(first, request->window.end - request->window.begin, texts[0]);
    weft_duration_text(second, window.end - window.begin, texts[1]);
    return weft_arena_printf(request->arena, "the first run took %s, the second %s",
                             texts[0], texts[1]);
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
    .fills = fills,
    .scene = scene,
    .table = table,
    .remark = remark,
};
