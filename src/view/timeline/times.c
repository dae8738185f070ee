/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of rows went, or that of a selection: by what they did, for what and
 * where.  Each moment of a row counts once, so that the groups add up.
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
      .offers = grouped_times_offer,
      .fallback = "state",
      .help = "what is one row: all of these alike, or one of them" },
    { .name = "where",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "only these states (doc/selections.md): row in worker*",
      .offered = true },
    { .name = "containers",
      .kind = WEFT_PARAMETER_CONTAINERS,
      .fallback = "",
      .help = "only these rows (#5+: and all that it holds)",
      .seldom = true },
};

/* The terms to which a row leads are those of the texts by which it is grouped. */
static const struct weft_column columns[] = {
    { "row", "the thread, rank or processor", "by=row", .selects = "row" },
    { "partner", "for whose message it waited, or which the call names", "by=partner",
      .selects = "state and partner = $" },
    { "waker", "the thread or rank that ended the wait", "by=waker",
      .selects = "state and waker = $" },
    { "class", "work, overhead, waiting, ready, outside, unknown" },
    { "state", "the state", .selects = "state=:|by=all:value|by=state:value|" },
    { "object", "its object", .selects = "by=all:object|by=object:object|" },
    { "site", "the place in the program", .selects = "by=all:site|by=site:site|" },
    { "function", "of plain running: the function, by samples" },
    { "total_ns", "how long, all of the rows together, in the range" },
    { "share_pct", "that by the time of all that the table counts" },
    { "intervals", "how many; 0: the function shares those of another" },
};

struct times {
    struct weft_time_division division;
    struct grouped_times groups;
    int64_t sum; /* nanoseconds of all groups */
};

static int by_time(const void *a, const void *b)
{
    const struct grouped_time *x = a, *y = b;
    return WEFT_COMPARE(y->total[0], x->total[0]) ?: grouped_times_by_texts(x, y);
}

static void free_times(struct times *times)
{
    grouped_times_free(&times->groups);
    weft_time_division_free(&times->division);
}

static bool read_times(const struct weft_request *request, struct times *times,
                       struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    *times = (struct times){ 0 };
    if (!grouped_times_read(request, 0, request->window, weft_setting(request, "where"),
                            true, &times->division, err))
        return false;
    struct grouped_times *groups = &times->groups;
    grouped_times_add(groups, 0, schema, &times->division, weft_setting(request, "by"));
    if (groups->n > 1)
        qsort(groups->list, groups->n, sizeof *groups->list, by_time);
    for (size_t i = 0; i < groups->n; i++)
        times->sum = weft_ticks_add(times->sum, groups->list[i].total[0]);
    return true;
}

static double percent(const struct times *times, const struct grouped_time *group)
{
    return times->sum > 0 ? 100 * (double)group->total[0] / (double)times->sum : 0;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct times times;
    if (!read_times(request, &times, err))
        return false;
    bool rows = grouped_times_have_rows(weft_setting(request, "by"));
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < times.groups.n; i++) {
        const struct grouped_time *group = &times.groups.list[i];
        const struct weft_cell cells[] = {
            weft_text_cell(group->like.row),
            weft_text_cell(grouped_time_class(group)),
            weft_text_cell(group->like.state),
            weft_text_cell(group->like.object),
            weft_text_cell(group->like.site),
            weft_text_cell(group->like.function),
            weft_integer_cell(group->total[0]),
            weft_real_cell(percent(&times, group), 2),
            weft_integer_cell((int64_t)group->count[0]),
        };
        if (!out->row(out, cells + !rows)) /* the first column is there by the setting */
            break;
    }
    out->end(out);
    free_times(&times);
    return true;
}

/* Returns the selection to which the group's bar leads; NULL: there is none. */
static const char *where_of(struct weft_arena *arena, const struct grouped_time *group,
                            const char *by)
{
    const struct weft_time_part *like = &group->like;
    const char *where = "";
    bool all = strcmp(by, "all") == 0;
    if (strcmp(by, "row") == 0)
        return weft_where_and(arena, "", "row =", like->row);
    if (strcmp(by, "partner") == 0)
        return weft_where_and(arena, "state", "partner =", like->row);
    if (strcmp(by, "waker") == 0)
        return weft_where_and(arena, "state", "waker =", like->row);
    if (strcmp(by, "class") == 0 || strcmp(by, "function") == 0)
        return NULL;
    if (all || strcmp(by, "state") == 0)
        where = weft_where_and(arena, where, "value =", like->state);
    if (all || strcmp(by, "object") == 0)
        where = weft_where_and(arena, where, "object =", like->object);
    if (all || strcmp(by, "site") == 0)
        where = weft_where_and(arena, where, "site =", like->site);
    return where;
}

/* A group by states has the state's colour. */
static struct weft_swatch swatch_of(const struct weft_theme *theme,
                                    const struct weft_swatch *swatches,
                                    const struct grouped_time *group, const char *name)
{
    return group->like.state[0] && group->like.value != WEFT_NONE
               ? swatches[group->like.value]
               : weft_name_swatch(theme, name);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    struct times times;
    if (!read_times(request, &times, err))
        return false;
    const struct grouped_times *groups = &times.groups;
    const char *by = weft_setting(request, "by");
    char text[WEFT_TIME_TEXT];
    size_t most = weft_bars_looked_at(request), n = groups->n < most ? groups->n : most;
    struct weft_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    const struct weft_swatch *swatches =
        weft_palette(arena, request->set->sources[0]->schema, request->theme);
    for (size_t i = 0; i < n; i++) {
        const struct grouped_time *group = &groups->list[i];
        const char *name = grouped_time_name(arena, group);
        bars[i] = (struct weft_bar){
            name,
            swatch_of(request->theme, swatches, group, name),
            (double)group->total[0],
            weft_arena_printf(arena, "%s · %.1f %%",
                              weft_nanoseconds_text((double)group->total[0], text),
                              percent(&times, group)),
            WEFT_NO_ID,
            where_of(arena, group, by),
        };
    }
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false, NULL,
                     0,
                     weft_arena_printf(arena, "%s of %" PRIu32 " rows",
                                       weft_nanoseconds_text((double)times.sum, text),
                                       times.division.rows));
    if (n)
        weft_bars_draw_some(&frame, bars, n, groups->n - n);
    else
        weft_frame_empty(&frame, "No row did anything in this range.");
    free_times(&times);
    return true;
}

static bool fills(const struct weft_set *set)
{
    return grouped_times_fill(set->sources[0]->schema);
}

const struct weft_view weft_view_times = {
    .name = "times",
    .title = "Where the time went",
    .group = "Statistics",
    .explanation =
        "Each bar is what threads or ranks did: how long all of them together did "
        "it. A moment of a row counts once.",
    .needs = "states of threads, ranks or processes",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = fills,
    .scene = scene,
    .table = table,
};
