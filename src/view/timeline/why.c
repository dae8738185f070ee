/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a wait took so long: the chain of causes from its end back to its begin
 * (analyse/wait_causes.h), in time above, and summed below.  With of=run: the critical path
 * of the range.
 */
#include "view/timeline/why.h"
#include "analyse/sites_by_line.h"
#include "store/time.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "row",
      .kind = WEFT_PARAMETER_CONTAINER,
      .fallback = "",
      .help = "the thread or rank that is asked about; else the one that waited longest" },
    { .name = "of",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "wait|run",
      .fallback = "wait",
      .help =
          "the longest wait, or what all of the range was spent on: its critical path" },
    { .name = "wait",
      .kind = WEFT_PARAMETER_ENTITY,
      .fallback = "",
      .help = "this wait",
      .seldom = true },
};

static const struct weft_column columns[] = {
    { "stay", "number of the stay on a row, from the end of the wait back; 0 if summed",
      .seldom = true },
    { "came_by", "how the row before was let go on: woken by, message from",
      .seldom = true },
    { "row", "the thread, rank or processor" },
    { "class",
      "work, overhead, waiting, ready, outside (sleep, files), unknown; "
      "on its way: from the release to the end of the wait; unseen: it waited, and "
      "the trace does not tell what ended that; absent: before its begin" },
    { "state", "the state that it was in" },
    { "object", "the object of that" },
    { "site", "the place in the program" },
    { "function", "of work: the function, by samples of the stay" },
    { "total_ns", "how long; the rows of the table add up to the wait" },
    { "share_pct", "that by the length of the wait" },
    { "steps", "how many intervals are summed", .seldom = true },
    { "begin_ns", "begin of the first of them, from the begin of the trace",
      .seldom = true },
    { "end_ns", "end of the last", .seldom = true },
};

static struct weft_cell name_cell(const char *const *names, uint32_t index)
{
    return weft_text_cell(index == WEFT_NONE ? "" : names[index]);
}

static int64_t since_begin(const struct weft_schema *schema, int64_t time)
{
    return weft_ticks_to_ns(schema, weft_ticks_between(schema->span.begin, time));
}

struct writing {
    const struct weft_schema *schema;
    const char **labels;
    struct weft_table *out;
    struct weft_arena row;
    int64_t whole;
};

static bool put_row(struct writing *writing, const struct weft_causes *causes,
                    const struct weft_cause *cause)
{
    const struct weft_schema *schema = writing->schema;
    const char *came =
        causes->n_stays ? weft_release_text(causes->stays[cause->visit].came_by.kind) : "";
    const char *const *labels = (const char *const *)writing->labels;
    const struct weft_cell cells[] = {
        weft_integer_cell(causes->n_stays ? (int64_t)cause->visit + 1 : 0),
        weft_text_cell(came),
        name_cell(labels, cause->row),
        weft_text_cell(why_class_text(cause)),
        weft_text_cell(cause->value == WEFT_NONE ? "" : schema->values[cause->value].name),
        name_cell(labels, cause->object),
        weft_text_cell(weft_site_text(&writing->row, schema, cause->site)),
        weft_text_cell(cause->function ? cause->function : ""),
        weft_integer_cell(weft_ticks_to_ns(schema, cause->ticks)),
        weft_real_cell(
            writing->whole ? 100 * (double)cause->ticks / (double)writing->whole : 0, 2),
        weft_integer_cell((int64_t)cause->steps),
        weft_integer_cell(since_begin(schema, cause->span.begin)),
        weft_integer_cell(since_begin(schema, cause->span.end)),
    };
    bool more = writing->out->row(writing->out, cells);
    weft_arena_reset(&writing->row);
    return more;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct why_question question;
    struct weft_causes causes;
    if (!why_ask(request, &question, err) || !why_read(request, &question, &causes, err))
        return false;
    if (question.of_run)
        weft_causes_sum(&causes);
    struct writing writing = { .schema = schema,
                               .labels = weft_container_labels(schema, request->arena),
                               .out = out,
                               .whole = question.span.end - question.span.begin };
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < causes.n; i++)
        if (!put_row(&writing, &causes, &causes.list[i]))
            break;
    out->end(out);
    weft_arena_free(&writing.row);
    weft_causes_free(&causes);
    return true;
}

/* Returns true if a value of the type can be a wait. */
static bool has_waits(const struct weft_schema *schema, uint32_t type)
{
    for (uint32_t v = 0; v < schema->n_values; v++) {
        enum weft_activity_class class = weft_activity_class_of(schema->values[v].role);
        if (schema->values[v].type == type
            && (class == WEFT_ACTIVITY_WAITING || class == WEFT_ACTIVITY_OUTSIDE))
            return true;
    }
    return false;
}

bool weft_set_has_waits(const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (weft_is_activity_track(schema, t) && has_waits(schema, schema->tracks[t].type))
            return true;
    return false;
}

const struct weft_view weft_view_why = {
    .name = "why",
    .title = "Why it waited",
    .group = "Timeline",
    .explanation = "From the end of the wait back to its begin: the row that did, at each "
                   "moment, what the wait could not end without. The bars are the sums.",
    .needs = "states that are waits (any recording has them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_waits,
    .scene = why_scene,
    .table = table,
};
