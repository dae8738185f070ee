/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the causes of the waits (analyse/blame.h) of two runs, or of two ranges of one:
 * what rows did, and where, while others waited for it, in words, largest change first.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "base/hash_map.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/causes.h"
#include "view/timeline/compared_runs.h"
#include "view/timeline/why.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    COMPARED_SECOND,
    CAUSES_MOST,
    COMPARED_WHERE("waits"),
};

static const struct weft_column columns[] = {
    CAUSES_PLACE,
    { "waited_ns", "how long others waited meanwhile, all together, in the first run" },
    { "other_waited_ns", "in the second" },
    { "change_ns", "how much longer in the second" },
    { "waits", "how many waits of the first run passed through it", .seldom = true },
    { "other_waits", "of the second", .seldom = true },
};

enum { CLASS, STATE, OBJECT, SITE, FUNCTION, TEXTS };

/* A cause that the two runs may have in common: what tells it from others, in words. */
struct pair {
    const char *texts[TEXTS];
    int64_t waited[2]; /* nanoseconds */
    uint64_t waits[2];
};

struct pairs {
    struct pair *list; /* [n] */
    size_t n, capacity;
    struct weft_text_map index; /* of the texts: its place in the list */
    struct weft_arena *arena;   /* of the texts */
    bool lines;                 /* places have lines */
    double waited[2];           /* in all, nanoseconds */
    uint64_t walked[2];         /* waits */
};

/*
 * A place is the line in one trace; in two its function, if that is known, since lines move
 * from version to version.
 */
static const char *site_text(const struct pairs *pairs, struct weft_arena *scratch,
                             const struct weft_schema *schema, uint32_t site)
{
    if (!pairs->lines && site != WEFT_NONE && schema->sites[site].function[0])
        return schema->sites[site].function;
    return weft_site_text(scratch, schema, site);
}

static struct pair *pair_of(struct pairs *pairs, struct weft_arena *scratch,
                            const char *const texts[TEXTS])
{
    const char *key =
        weft_arena_printf(scratch, "%s\n%s\n%s\n%s\n%s", texts[CLASS], texts[STATE],
                          texts[OBJECT], texts[SITE], texts[FUNCTION]);
    size_t length = strlen(key);
    uint32_t at = weft_text_map_get(&pairs->index, key, length);
    if (at != WEFT_MAP_NONE)
        return &pairs->list[at];
    weft_text_map_put(&pairs->index, key, length, (uint32_t)pairs->n);
    pairs->list =
        weft_grow(pairs->list, &pairs->capacity, pairs->n + 1, sizeof *pairs->list);
    struct pair *pair = &pairs->list[pairs->n++];
    *pair = (struct pair){ 0 };
    for (int i = 0; i < TEXTS; i++)
        pair->texts[i] = weft_arena_strdup(pairs->arena, texts[i]);
    return pair;
}

static void add_blames(struct pairs *pairs, int run, const struct weft_schema *schema,
                       const struct weft_blames *blames)
{
    struct weft_arena names = { 0 }, scratch = { 0 };
    const char **labels = weft_container_labels(schema, &names);
    for (size_t i = 0; i < blames->n; i++) {
        const struct weft_blame *blame = &blames->list[i];
        const struct weft_cause *cause = &blame->cause;
        const char *const texts[TEXTS] = {
            [CLASS] = why_class_text(cause),
            [STATE] = cause->value == WEFT_NONE ? "" : schema->values[cause->value].name,
            [OBJECT] = causes_object_text(&scratch, schema, labels, blame),
            [SITE] = site_text(pairs, &scratch, schema, cause->site),
            [FUNCTION] = cause->function ? cause->function : "",
        };
        struct pair *pair = pair_of(pairs, &scratch, texts);
        pair->waited[run] =
            weft_ticks_add(pair->waited[run], weft_ticks_to_ns(schema, cause->ticks));
        pair->waits[run] += blame->waits;
        weft_arena_reset(&scratch);
    }
    pairs->waited[run] = (double)weft_ticks_to_ns(schema, blames->walked_ticks);
    pairs->walked[run] = blames->walked;
    weft_arena_free(&scratch);
    weft_arena_free(&names);
}

static int by_change(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    int order = compared_order(x->waited, y->waited);
    for (int i = 0; !order && i < TEXTS; i++)
        order = strcmp(x->texts[i], y->texts[i]);
    return order;
}

static void free_pairs(struct pairs *pairs)
{
    free(pairs->list);
    weft_text_map_free(&pairs->index);
}

static bool read_pairs(const struct weft_request *request, struct pairs *pairs,
                       struct weft_err *err)
{
    const struct weft_source *const *sources = request->set->sources;
    struct weft_span windows[2];
    const char *where[2] = { weft_setting(request, "where"),
                             weft_setting(request, "second_where") };
    size_t most = (size_t)weft_setting_number(request, "most");
    bool ok = compared_windows(request, windows, err);
    *pairs =
        (struct pairs){ .arena = request->arena,
                        .lines = sources[0]->schema->sites == sources[1]->schema->sites };
    for (int run = 0; ok && run < 2; run++) {
        struct weft_blames blames;
        ok = causes_read(request, run, windows[run], where[run], most, &blames, err);
        if (!ok)
            break;
        weft_blames_by_place(sources[run]->schema, &blames);
        add_blames(pairs, run, sources[run]->schema, &blames);
        weft_blames_free(&blames);
    }
    if (ok && pairs->n > 1)
        qsort(pairs->list, pairs->n, sizeof *pairs->list, by_change);
    if (!ok)
        free_pairs(pairs);
    return ok;
}

static bool put_row(const struct pair *pair, struct weft_table *out)
{
    int64_t change = pair->waited[1] - pair->waited[0];
    const struct weft_cell cells[] = {
        weft_text_cell(pair->texts[CLASS]),
        weft_text_cell(pair->texts[STATE]),
        weft_text_cell(pair->texts[OBJECT]),
        weft_text_cell(pair->texts[SITE]),
        weft_text_cell(pair->texts[FUNCTION]),
        weft_integer_cell(pair->waited[0]),
        weft_integer_cell(pair->waited[1]),
        compared_cell(weft_integer_cell(change), change != 0),
        weft_integer_cell((int64_t)pair->waits[0]),
        weft_integer_cell((int64_t)pair->waits[1]),
    };
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct pairs pairs;
    if (!read_pairs(request, &pairs, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < pairs.n; i++)
        if (!put_row(&pairs.list[i], out))
            break;
    out->end(out);
    free_pairs(&pairs);
    return true;
}

/* "work · sort_part · main (a.c:9)": its function, or else its state. */
static const char *name_of(struct weft_arena *arena, const struct pair *pair)
{
    const char *const *texts = pair->texts;
    const char *what = texts[FUNCTION][0] ? texts[FUNCTION] : texts[STATE];
    return weft_arena_printf(arena, "%s%s%s%s%s%s%s", texts[CLASS], what[0] ? " · " : "",
                             what, texts[OBJECT][0] ? " · " : "", texts[OBJECT],
                             texts[SITE][0] ? " · " : "", texts[SITE]);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    struct pairs pairs;
    char first[WEFT_TIME_TEXT], second[WEFT_TIME_TEXT];
    if (!read_pairs(request, &pairs, err))
        return false;
    size_t most = weft_bars_looked_at(request), n = pairs.n < most ? pairs.n : most;
    struct compared_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    for (size_t i = 0; i < n; i++)
        bars[i] =
            (struct compared_bar){ name_of(arena, &pairs.list[i]),
                                   { pairs.list[i].waited[0], pairs.list[i].waited[1] } };
    compared_bars_draw(
        request, out, bars, n, pairs.n,
        weft_arena_printf(arena, "%s waits, %s together, then %s, %s",
                          weft_number_text(arena, (double)pairs.walked[0], 0),
                          weft_nanoseconds_text(pairs.waited[0], first),
                          weft_number_text(arena, (double)pairs.walked[1], 0),
                          weft_nanoseconds_text(pairs.waited[1], second)),
        "Nobody waited for another in either range.");
    free_pairs(&pairs);
    return true;
}

static bool fills(const struct weft_set *set)
{
    return set->n_sources == 2 && weft_set_has_waits(&(struct weft_set){ set->sources, 1 })
           && weft_set_has_waits(&(struct weft_set){ set->sources + 1, 1 });
}

const struct weft_view weft_view_causes_compare = {
    .name = "causes-compare",
    .title = "Causes of two runs",
    .group = "Statistics",
    .explanation = "Each bar is what threads did, and where, while others waited for it: "
                   "how much longer, or shorter, these waited in the second run.",
    .needs = "two traces with states that are waits (any recording has them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .compares = true,
    .diffs_by = "cause",
    .fills = fills,
    .scene = scene,
    .table = table,
    .remark = compared_remark,
};
