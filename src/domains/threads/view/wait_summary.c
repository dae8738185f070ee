/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits: the objects, partners and places for which threads waited, and how long
 * (analyse/waits_by_place.h): conditions, semaphores, barriers, joins, messages, calls and
 * sleeps as well as locks.
 */
#include <inttypes.h>
#include <string.h>

#include "analyse/alike_objects.h"
#include "analyse/sites_by_line.h"
#include "analyse/where_selection.h"
#include "domains/threads/analyse/waits_by_place.h"
#include "domains/threads/view/views.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/domain_answers.h"

static const struct weft_parameter parameters[] = {
    { .name = "tags",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "off",
      .help = "tell waits for messages of different tags apart" },
    { .name = "objects",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "off",
      .help = "tell objects apart that were made at one place" },
};

static bool is_on(const struct weft_request *request, const char *setting)
{
    return strcmp(weft_setting(request, setting), "on") == 0;
}

static bool read_waits(const struct weft_request *request, struct weft_waits *waits,
                       struct weft_err *err)
{
    unsigned apart = (is_on(request, "tags") ? WEFT_WAITS_BY_TAG : 0)
                     | (is_on(request, "objects") ? WEFT_WAITS_BY_OBJECT : 0);
    return weft_waits_read(request->set->sources[0], request->under, request->window, apart,
                           request->job, waits, err);
}

/* LABELS: weft_container_labels. */
static const char *label_of(const char **labels, uint32_t container)
{
    return container == WEFT_NONE ? "" : labels[container];
}

/* Returns the object, or what the objects have in common; "" if none is named. */
static const char *object_text(struct weft_arena *arena, const struct weft_schema *schema,
                               const char **labels, const struct weft_wait *wait)
{
    return wait->objects > 1 ? weft_objects_text(arena, schema, wait->object)
                             : label_of(labels, wait->object);
}

static const char *kind_of(const struct weft_schema *schema, const struct weft_wait *wait)
{
    return wait->object == WEFT_NONE
               ? ""
               : schema->types[schema->containers[wait->object].type].name;
}

static const struct weft_column columns[] = {
    { "wait", "what a thread did: blocked on a mutex, MPI_Recv" },
    { "role", "what sort of wait that is; sleep and waiting for an end are the last rows",
      .seldom = true },
    { "object",
      "what it waited for, or the communicator in which; of several objects their "
      "variable, else where they were made, else first used" },
    { "objects", "how many objects these are", .seldom = true },
    { "kind", "what that is: a mutex, a barrier", .seldom = true },
    { "site", "where in the program" },
    { "partner", "the rank or processor for whose message" },
    { "tag", "of that message, with --set tags=on", .seldom = true },
    { "count", "waits that overlap the range" },
    { "total_ns", "how long, in the range, without what threads ran inside the waits" },
    { "mean_ns", "that by the count", .seldom = true },
    { "p50_ns", "half of the waits, in whole as max_ns, were no longer", .seldom = true },
    { "p99_ns", "99 of a hundred were no longer", .seldom = true },
    { "max_ns",
      "the longest, in whole, without what its thread ran inside it in the range" },
    { "waiters", "how many threads waited", .seldom = true },
    { "worst_waiter", "the one that waited longest", .narrows = "row = $" },
    { "worst_waiter_ns", "how long that was", .seldom = true },
    { "wakings",
      "waits that another thread or rank is known to have ended in the range: it "
      "signalled, gave the lock back, or came last; empty: the trace does not say",
      .seldom = true },
    { "usual_waker", "the thread or rank that ended most of them", .narrows = "waker = $" },
    { "usual_waker_pct", "its share of them", .seldom = true },
    { .name = "where", .of_page = true },
};

/* The things on which a row's selection depends, beside the row itself. */
struct where_context {
    const struct weft_schema *schema;
    const char **labels;    /* weft_container_labels */
    bool objects_apart;     /* each object has rows of its own */
    const bool *of_partner; /* by value: some row has a partner */
};

static struct where_context where_context(const struct weft_request *request,
                                          struct weft_arena *arena, const char **labels,
                                          const struct weft_waits *waits)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    bool *of_partner =
        weft_arena_zalloc(arena, (size_t)schema->n_values + 1, sizeof *of_partner);
    for (size_t i = 0; i < waits->n; i++)
        of_partner[waits->list[i].value] |= waits->list[i].partner != WEFT_NONE;
    return (struct where_context){ schema, labels, is_on(request, "objects"), of_partner };
}

static bool is_communicator(const struct weft_schema *schema, uint32_t container)
{
    return container != WEFT_NONE
           && weft_role_is(schema->containers[container].role, WEFT_ROLE_COMMUNICATOR);
}

/* Adds the terms about the message that was waited for; NULL if they are too long. */
static const char *where_of_message(struct weft_arena *arena,
                                    const struct where_context *context,
                                    const struct weft_wait *wait, const char *where)
{
    if (wait->partner != WEFT_NONE)
        where = weft_where_and(
            arena, where, "partner =",
            weft_arena_printf(arena, "processor number %" PRId64, wait->partner_number));
    else if (context->of_partner[wait->value])
        where = weft_where_and(arena, where, "partner =", "");
    if (wait->tagged)
        where = weft_where_and(arena, where,
                               "tag =", weft_arena_printf(arena, "%" PRId64, wait->tag));
    if (wait->partner != WEFT_NONE
        && (wait->object == WEFT_NONE || is_communicator(context->schema, wait->object)))
        where = weft_where_and(arena, where,
                               "communicator =", label_of(context->labels, wait->object));
    return where;
}

/*
 * Returns the selection of the waits that a row counts, in ARENA; NULL if it would be too
 * long.
 */
static const char *where_of(struct weft_arena *arena, const struct where_context *context,
                            const struct weft_wait *wait)
{
    const struct weft_value *value = &context->schema->values[wait->value];
    const char *where = weft_where_and(arena, "", "value =", value->name);
    where = weft_where_and(arena, where, "role =", weft_role_name(value->role));
    if (wait->partner == WEFT_NONE || !is_communicator(context->schema, wait->object))
        where = weft_where_and(
            arena, where, "object =",
            context->objects_apart && wait->object != WEFT_NONE
                ? weft_arena_printf(arena, "#%" PRIu32, wait->object)
                : object_text(arena, context->schema, context->labels, wait));
    where = weft_where_and(arena, where,
                           "site =", weft_site_text(arena, context->schema, wait->site));
    return where_of_message(arena, context, wait, where);
}

static struct weft_cell ticks_cell(const struct weft_schema *schema, int64_t ticks)
{
    return weft_integer_cell(weft_ticks_to_ns(schema, ticks));
}

/* Write a row; ARENA is for its texts.  Returns false if no more are wanted. */
static bool put_row(struct weft_table *out, struct weft_arena *arena,
                    const struct where_context *context, const struct weft_wait *wait,
                    bool wakings_known, bool of_page)
{
    const struct weft_schema *schema = context->schema;
    const char **labels = context->labels;
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    const struct weft_value *value = &schema->values[wait->value];
    const struct weft_cell cells[] = {
        weft_text_cell(value->name),
        weft_text_cell(weft_role_name(value->role)),
        weft_text_cell(object_text(arena, schema, labels, wait)),
        wait->objects ? weft_integer_cell(wait->objects) : empty,
        weft_text_cell(kind_of(schema, wait)),
        weft_text_cell(weft_site_text(arena, schema, wait->site)),
        wait->partner == WEFT_NONE ? empty : weft_integer_cell(wait->partner_number),
        wait->tagged ? weft_integer_cell(wait->tag) : empty,
        weft_integer_cell((int64_t)wait->count),
        ticks_cell(schema, wait->ticks),
        weft_integer_cell(weft_mean_to_ns(schema, (double)wait->ticks, wait->count)),
        ticks_cell(schema, wait->p50),
        ticks_cell(schema, wait->p99),
        ticks_cell(schema, wait->longest),
        weft_integer_cell(wait->waiters),
        weft_text_cell(label_of(labels, wait->worst)),
        ticks_cell(schema, wait->worst_ticks),
        wakings_known || wait->wakings ? weft_integer_cell((int64_t)wait->wakings) : empty,
        weft_text_cell(label_of(labels, wait->waker)),
        wait->wakings
            ? weft_real_cell(100 * (double)wait->waker_wakings / (double)wait->wakings, 2)
            : empty,
        of_page ? weft_text_cell(where_of(arena, context, wait) ?: "") : empty,
    };
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_arena arena = { 0 }, row = { 0 };
    struct weft_waits waits;
    if (!read_waits(request, &waits, err))
        return false;
    const char **labels = weft_container_labels(schema, &arena);
    struct where_context context = where_context(request, &arena, labels, &waits);
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < waits.n; i++) {
        bool more = put_row(out, &row, &context, &waits.list[i], waits.wakings_known,
                            request->of_page);
        weft_arena_reset(&row);
        if (!more)
            break;
    }
    out->end(out);
    weft_waits_free(&waits);
    weft_arena_free(&arena);
    weft_arena_free(&row);
    return true;
}

/* "MPI_Recv with rank 3, tag 7" */
static const char *name_with_partner(struct weft_arena *arena,
                                     const struct weft_schema *schema, const char **labels,
                                     const struct weft_wait *wait)
{
    const char *name = schema->values[wait->value].name;
    const char *tag =
        wait->tagged ? weft_arena_printf(arena, ", tag %" PRId64, wait->tag) : "";
    if (weft_container_fact(schema, wait->partner, WEFT_ROLE_RANK_NUMBER,
                            WEFT_FIELD_INTEGER))
        return weft_arena_printf(arena, "%s with rank %" PRId64 "%s", name,
                                 wait->partner_number, tag);
    return weft_arena_printf(arena, "%s with %s%s", name, label_of(labels, wait->partner),
                             tag);
}

/* "MPI_Barrier in MPI_COMM_WORLD" */
static const char *name_in_communicator(struct weft_arena *arena,
                                        const struct weft_schema *schema,
                                        const char **labels, const struct weft_wait *wait)
{
    return weft_arena_printf(arena, "%s in %s", schema->values[wait->value].name,
                             labels[wait->object]);
}

/* Returns the object or partner of a wait, else its kind: "not_full", "sleeping". */
static const char *name_of(struct weft_arena *arena, const struct weft_schema *schema,
                           const char **labels, const struct weft_wait *wait)
{
    if (wait->partner != WEFT_NONE)
        return name_with_partner(arena, schema, labels, wait);
    if (is_communicator(schema, wait->object))
        return name_in_communicator(arena, schema, labels, wait);
    if (wait->objects > 1)
        return weft_arena_printf(arena, "%s (%" PRIu32 ")",
                                 object_text(arena, schema, labels, wait), wait->objects);
    return wait->object == WEFT_NONE ? schema->values[wait->value].name
                                     : label_of(labels, wait->object);
}

/* " · 83 % ended by t1", of the waits whose end is known, or "" */
static const char *waker_text(struct weft_arena *arena, const char **labels,
                              const struct weft_wait *wait)
{
    if (!wait->wakings)
        return "";
    return weft_arena_printf(arena, " · %.0f %% ended by %s",
                             100 * (double)wait->waker_wakings / (double)wait->wakings,
                             label_of(labels, wait->waker));
}

static const char *numbers_of(struct weft_arena *arena, const struct weft_schema *schema,
                              const char **labels, const struct weft_wait *wait)
{
    char total[WEFT_TIME_TEXT], longest[WEFT_TIME_TEXT];
    const char *site = weft_site_text(arena, schema, wait->site);
    return weft_arena_printf(
        arena, "%s in %s%s%s · longest %s · most by %s%s",
        weft_duration_text(schema, wait->ticks, total),
        weft_number_text(arena, (double)wait->count, 0), site[0] ? " · " : "", site,
        weft_duration_text(schema, wait->longest, longest), label_of(labels, wait->worst),
        waker_text(arena, labels, wait));
}

/* Make a legend entry for each kind of wait that has a bar; returns their number. */
static size_t legend_of(const struct weft_request *request, struct weft_arena *arena,
                        const struct weft_waits *waits, const struct weft_swatch *swatches,
                        struct weft_legend_entry **out)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    bool *seen = weft_arena_zalloc(arena, schema->n_values + 1, sizeof *seen);
    size_t n = 0;
    *out = weft_arena_alloc(arena, (schema->n_values + 1) * sizeof **out);
    for (size_t i = 0; i < waits->n; i++) {
        uint32_t value = waits->list[i].value;
        if (!seen[value])
            (*out)[n++] = (struct weft_legend_entry){ swatches[value],
                                                      schema->values[value].name, -1 };
        seen[value] = true;
    }
    return n;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_waits waits;
    if (!read_waits(request, &waits, err))
        return false;
    const char **labels = weft_container_labels(schema, request->arena);
    struct weft_swatch *swatches = weft_palette(request->arena, schema, request->theme);
    struct weft_bar *bars = weft_arena_zalloc(request->arena, waits.n + 1, sizeof *bars);
    struct where_context context = where_context(request, request->arena, labels, &waits);
    for (size_t i = 0; i < waits.n; i++) {
        const struct weft_wait *wait = &waits.list[i];
        bars[i] = (struct weft_bar){ name_of(request->arena, schema, labels, wait),
                                     swatches[wait->value],
                                     (double)wait->ticks,
                                     numbers_of(request->arena, schema, labels, wait),
                                     wait->object == WEFT_NONE
                                         ? WEFT_NO_ID
                                         : weft_container_id(wait->object, false),
                                     where_of(request->arena, &context, wait) };
    }
    struct weft_legend_entry *legend;
    size_t n = legend_of(request, request->arena, &waits, swatches, &legend);
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, waits.n), false,
                     legend, n, weft_range_text(request->arena, schema, request->window));
    if (waits.n)
        weft_bars_draw(&frame, bars, waits.n);
    else
        weft_frame_empty(&frame, "Nobody waited in this range.");
    weft_waits_free(&waits);
    return true;
}

static bool fills(const struct weft_set *set)
{
    return weft_has_waits(set->sources[0]->schema);
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_answer_place(set, WEFT_ABOUT_WAITS, WEFT_PLACE_BELOW);
}

const struct weft_view weft_view_wait_summary = {
    .name = "wait-summary",
    .title = "Waits",
    .group = "Statistics",
    .explanation =
        "Each bar is what threads waited for, or for whose message, at one line of "
        "the program: how long, all of them together.",
    .needs = "states that are waits (any recording has them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = fills,
    .place = place,
    .scene = scene,
    .table = table,
};
