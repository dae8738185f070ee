/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares where the time of all rows went in two runs, or in two ranges of one: by what
 * they did, for what and where, in words (analyse/time_by_activity_and_place.h), largest
 * change first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/time_by_activity_and_place.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "by",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "all|class|state|object|site|function",
      .fallback = "all",
      .help = "what is one row: all of these alike, or one of them" },
    { .name = "second",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "the range of the second run, T0:T1 or T0+LENGTH; else all of it" },
};

/* A row: parts of both runs that agree in the texts that are compared.  In nanoseconds. */
struct pair {
    struct weft_time_part like; /* texts that are not compared are "" */
    bool any_class;             /* the class is not compared */
    int64_t total[2];
    uint64_t count[2];
};

struct comparison {
    struct weft_time_division runs[2];
    struct pair *pairs;
    size_t n, capacity;
    double elapsed[2]; /* nanoseconds of the two ranges */
};

/* ---- Pairs ---- */

static void leave_out(struct pair *pair, const char *by)
{
    bool all = strcmp(by, "all") == 0;
    struct weft_time_part *like = &pair->like;
    pair->any_class = !all && strcmp(by, "class") != 0;
    like->state = all || strcmp(by, "state") == 0 ? like->state : "";
    like->object = all || strcmp(by, "object") == 0 ? like->object : "";
    like->site = all || strcmp(by, "site") == 0 ? like->site : "";
    like->function = all || strcmp(by, "function") == 0 ? like->function : "";
}

/* Adds a part of run RUN to its pair, which INDEX finds by the texts. */
static void add_part(struct comparison *c, struct weft_text_map *index, int run,
                     const struct weft_schema *schema, const struct weft_time_part *part,
                     const char *by, struct weft_arena *scratch)
{
    struct pair pair = { .like = *part };
    leave_out(&pair, by);
    const struct weft_time_part *like = &pair.like;
    const char *key = weft_arena_printf(scratch, "%d\n%s\n%s\n%s\n%s",
                                        pair.any_class ? -1 : (int)like->class, like->state,
                                        like->object, like->site, like->function);
    uint32_t at = weft_text_map_get(index, key, strlen(key));
    if (at == WEFT_MAP_NONE) {
        at = (uint32_t)c->n;
        weft_text_map_put(index, key, strlen(key), at);
        c->pairs = weft_grow(c->pairs, &c->capacity, c->n + 1, sizeof *c->pairs);
        c->pairs[c->n++] = pair;
    }
    weft_arena_reset(scratch);
    c->pairs[at].total[run] =
        weft_ticks_add(c->pairs[at].total[run], weft_ticks_to_ns(schema, part->ticks));
    c->pairs[at].count[run] += part->count;
}

static int64_t change_of(const struct pair *pair)
{
    return pair->total[1] - pair->total[0];
}

static int by_change(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    int64_t p = change_of(x), q = change_of(y);
    return WEFT_COMPARE(q < 0 ? -q : q, p < 0 ? -p : p)
           ?: WEFT_COMPARE(y->total[0], x->total[0])
           ?: strcmp(x->like.state, y->like.state) ?: strcmp(x->like.object, y->like.object)
           ?: strcmp(x->like.site, y->like.site)
           ?: strcmp(x->like.function, y->like.function)
           ?: WEFT_COMPARE((int)x->like.class, (int)y->like.class);
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
    free(c->pairs);
}

static bool read_comparison(const struct weft_request *request, struct comparison *c,
                            struct weft_err *err)
{
    struct weft_span windows[2] = { request->window };
    struct weft_text_map index = { 0 };
    struct weft_arena scratch = { 0 };
    bool ok = second_window(request, &windows[1], err);
    *c = (struct comparison){ 0 };
    for (int run = 0; ok && run < 2; run++) {
        const struct weft_source *source = request->set->sources[run];
        ok = weft_time_division_read(source, run ? 0 : request->under, windows[run],
                                     request->job, &c->runs[run], err);
        for (size_t i = 0; ok && i < c->runs[run].n; i++)
            add_part(c, &index, run, source->schema, &c->runs[run].list[i],
                     weft_setting(request, "by"), &scratch);
        c->elapsed[run] =
            (double)weft_ticks_to_ns(source->schema, windows[run].end - windows[run].begin);
    }
    if (ok && c->n > 1)
        qsort(c->pairs, c->n, sizeof *c->pairs, by_change);
    weft_text_map_free(&index);
    weft_arena_free(&scratch);
    if (!ok)
        free_comparison(c);
    return ok;
}

/* ---- Table ---- */

static const struct weft_column columns[] = {
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

static bool put_row(const struct pair *pair, struct weft_table *out)
{
    int64_t change = change_of(pair);
    const struct weft_cell cells[] = {
        weft_text_cell(pair->any_class ? "" : weft_activity_class_name(pair->like.class)),
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
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct comparison c;
    if (!read_comparison(request, &c, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < c.n; i++)
        if (!put_row(&c.pairs[i], out))
            break;
    out->end(out);
    free_comparison(&c);
    return true;
}

/* ---- Picture ---- */

/* "blocked on mutex · queue · put (a.c:9)", by what is compared */
static const char *name_of(struct weft_arena *arena, const struct pair *pair)
{
    const struct weft_time_part *like = &pair->like;
    const char *texts[] = { like->function[0] ? like->function : like->state, like->object,
                            like->site };
    const char *name = "";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i][0])
            name = weft_arena_printf(arena, "%s%s%s", name, name[0] ? " · " : "", texts[i]);
    if (name[0])
        return name;
    return pair->any_class ? "all others" : weft_activity_class_name(like->class);
}

static const char *numbers_of(struct weft_arena *arena, const struct pair *pair)
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
    size_t most = weft_bars_looked_at(request), n = c.n < most ? c.n : most;
    struct weft_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    struct weft_swatch more = { .fill = weft_two_sided(request->theme, 0.8) };
    struct weft_swatch less = { .fill = weft_two_sided(request->theme, -0.8) };
    for (size_t i = 0; i < n; i++) {
        double change = (double)change_of(&c.pairs[i]);
        bars[i] = (struct weft_bar){ name_of(arena, &c.pairs[i]), change > 0 ? more : less,
                                     change < 0 ? -change : change,
                                     numbers_of(arena, &c.pairs[i]), WEFT_NO_ID };
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
        weft_bars_draw_some(&frame, bars, n, c.n - n);
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

static bool has_rows(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (weft_is_activity_track(schema, t))
            return true;
    return false;
}

static bool fills(const struct weft_set *set)
{
    return set->n_sources == 2 && has_rows(set->sources[0]->schema)
           && has_rows(set->sources[1]->schema);
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
