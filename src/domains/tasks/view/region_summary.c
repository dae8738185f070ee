/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions: the parallel regions and work-sharing constructs of a program by their lines,
 * how their work was divided, and how long threads waited at their ends
 * (analyse/constructs.h).
 */
#include "analyse/sites_by_line.h"
#include "domains/tasks/analyse/constructs.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/picture_frame.h"

static const struct weft_column columns[] = {
    { "construct", "a parallel region, a loop, sections, or a barrier on its own",
      .selects = "value" },
    { "site", "where in the program", .selects = "site" },
    { "count", "how many times a team executed it in the range" },
    { "threads", "most threads that took part in one execution" },
    { "work_min_ns",
      "least work of a thread in an execution: its time inside, without that in which it "
      "was blocked or had no processor; of one that the range cuts, its part in it",
      .seldom = true },
    { "work_mean_ns", "mean work of a thread in an execution", .seldom = true },
    { "work_max_ns", "most work of a thread in an execution" },
    { "ready_ns",
      "how long all threads could run inside and had no processor, as far as the kernel's "
      "switches were recorded",
      .seldom = true },
    { "barrier_wait_ns", "how long all threads waited at the barriers at its ends" },
    { "imbalance_pct",
      "share of the time of the threads that worked longest by which the others worked "
      "less, on average: 0 if all work is divided evenly" },
    { "iterations", "of a loop, in all executions; empty: not known", .seldom = true },
    { "schedule",
      "how a loop divides its iterations: static, dynamic, guided, auto, or runtime if what "
      "the runtime was told is not known; with \"ordered\" before it; several: not always "
      "the same; empty: not known" },
    { "chunk",
      "iterations that a thread gets at a time, of guided loops at least; empty: not known, "
      "not always the same, or the loop is divided evenly",
      .seldom = true },
    { "dispatches",
      "how often all threads asked the runtime for iterations of a loop; empty: they did "
      "not, or that is not known",
      .seldom = true },
    { "dispatch_ns",
      "how long that took, all threads together, as one of 16 calls was timed: a chunk that "
      "is too small makes this large beside the work; empty: too seldom to be timed" },
};

static bool read_constructs(const struct weft_request *request,
                            struct weft_constructs *constructs, struct weft_err *err)
{
    return weft_constructs_read(request->set->sources[0], request->under, request->window,
                                request->job, constructs, err);
}

static struct weft_cell ns_cell(const struct weft_schema *schema, int64_t ticks)
{
    return weft_integer_cell(weft_ticks_to_ns(schema, ticks));
}

/* Returns the share, in percent, by which the mean thread worked less than the slowest. */
static double imbalance(const struct construct *construct)
{
    return construct->slowest > 0 ? 100 * (1 - construct->mean / (double)construct->slowest)
                                  : 0;
}

/* Returns the name of a loop's schedule, "several" if it is not always the same; NULL: not
   known. */
static const char *schedule_of(const struct weft_schema *schema,
                               const struct construct *construct)
{
    if (construct->schedules_differ)
        return "several";
    return construct->schedule == WEFT_NONE ? NULL : schema->strings[construct->schedule];
}

static bool put_row(struct weft_table *out, struct weft_arena *arena,
                    const struct weft_schema *schema, const struct construct *construct)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    bool works = construct->parts > 0;
    const char *schedule = schedule_of(schema, construct);
    const struct weft_cell cells[] = {
        weft_text_cell(schema->values[construct->value].name),
        weft_text_cell(weft_site_text(arena, schema, construct->site)),
        works ? weft_integer_cell((int64_t)construct->count) : empty,
        works ? weft_integer_cell(construct->threads) : empty,
        works ? ns_cell(schema, construct->least) : empty,
        works ? weft_integer_cell(
            weft_mean_to_ns(schema, (double)construct->work, construct->parts))
              : empty,
        works ? ns_cell(schema, construct->most) : empty,
        works ? ns_cell(schema, construct->ready) : empty,
        ns_cell(schema, construct->waited),
        works ? weft_real_cell(imbalance(construct), 2) : empty,
        construct->iterations > 0 ? weft_integer_cell(construct->iterations) : empty,
        schedule ? weft_text_cell(schedule) : empty,
        construct->chunk > 0 ? weft_integer_cell(construct->chunk) : empty,
        construct->dispatches > 0 ? weft_integer_cell(construct->dispatches) : empty,
        construct->dispatching > 0 ? ns_cell(schema, construct->dispatching) : empty,
    };

    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_constructs constructs;

    if (!read_constructs(request, &constructs, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < constructs.n; i++)
        if (!put_row(out, request->arena, schema, &constructs.list[i]))
            break;
    out->end(out);
    weft_constructs_free(&constructs);
    return true;
}

/* "loop, solve (heat.c:41)", "loop (dynamic,4), solve (heat.c:52)" */
static const char *name_of(struct weft_arena *arena, const struct weft_schema *schema,
                           const struct construct *construct)
{
    const char *site = weft_site_text(arena, schema, construct->site);
    const char *schedule = schedule_of(schema, construct);

    if (schedule && construct->chunk > 0)
        schedule =
            weft_arena_printf(arena, "%s,%lld", schedule, (long long)construct->chunk);
    return weft_arena_printf(arena, "%s%s%s%s%s%s", schema->values[construct->value].name,
                             schedule ? " (" : "", schedule ? schedule : "",
                             schedule ? ")" : "", site[0] ? ", " : "", site);
}

static const char *numbers_of(struct weft_arena *arena, const struct weft_schema *schema,
                              const struct construct *construct)
{
    char waited[WEFT_TIME_TEXT], work[WEFT_TIME_TEXT], asking[WEFT_TIME_TEXT];

    weft_duration_text(schema, construct->waited, waited);
    if (construct->parts == 0)
        return weft_arena_printf(arena, "waited %s", waited);
    if (construct->dispatching > 0)
        weft_duration_text(schema, construct->dispatching, asking);
    return weft_arena_printf(
        arena, "waited %s · worked %s%s%s%s · imbalance %.0f %% · %s times by %u threads",
        waited, weft_duration_text(schema, construct->work, work),
        construct->dispatching > 0 ? ", of which " : "",
        construct->dispatching > 0 ? asking : "",
        construct->dispatching > 0 ? " asking for iterations" : "", imbalance(construct),
        weft_number_text(arena, (double)construct->count, 0), (unsigned)construct->threads);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_swatch *swatches = weft_palette(request->arena, schema, request->theme);
    struct weft_constructs constructs;
    struct weft_bar *bars;
    struct weft_frame frame;
    size_t n;

    if (!read_constructs(request, &constructs, err))
        return false;
    n = constructs.n;
    bars = weft_arena_zalloc(request->arena, n + 1, sizeof *bars);
    for (size_t i = 0; i < n; i++) {
        const struct construct *construct = &constructs.list[i];
        bars[i] =
            (struct weft_bar){ name_of(request->arena, schema, construct),
                               swatches[construct->value], (double)construct->waited,
                               numbers_of(request->arena, schema, construct), WEFT_NO_ID };
    }
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false, NULL,
                     0, weft_range_text(request->arena, schema, request->window));
    if (n > 0)
        weft_bars_draw(&frame, bars, n);
    else
        weft_frame_empty(&frame, "No parallel region was executed in this range.");
    weft_constructs_free(&constructs);
    return true;
}

static bool fills(const struct weft_set *set)
{
    return weft_has_constructs(set->sources[0]->schema);
}

const struct weft_view weft_view_region_summary = {
    .name = "region-summary",
    .title = "Regions",
    .group = "Statistics",
    .explanation = "Each bar is how long threads waited at the end of a parallel region, "
                   "loop or other construct, at its line of the program, in order of the "
                   "time spent in it.",
    .needs = "states that are parallel regions or shared work (recordings of OpenMP)",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = fills,
    .usual_place = WEFT_PLACE_BELOW,
    .scene = scene,
    .table = table,
};
