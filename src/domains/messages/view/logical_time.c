/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical time: the events of processors by their steps on Lamport's clock, each in the
 * colour of its lateness (model/logical_time.h).
 */
#include "domains/messages/view/logical_time.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/binary_search.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = { WEFT_PARAMETER_OF_ORDER };

/* ---- Prepared data ---- */

struct prepared {
    struct weft_logical *logical;
    const struct weft_held *traffic;
};

static bool make_logical(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    const struct weft_held *held = weft_prepare(args->shelf, &weft_prepared_traffic,
                                                args->set, NULL, 0, args->job, err);
    if (!held)
        return false;
    struct weft_logical *logical =
        weft_logical_make(weft_traffic_of_held(held), args->job, err);
    if (!logical) {
        weft_release(held);
        return false;
    }
    struct prepared *made = weft_alloc(sizeof *made);
    *made = (struct prepared){ logical, held };
    *thing = made;
    *bytes = weft_logical_bytes(logical);
    return true;
}

static void free_logical(void *thing)
{
    struct prepared *made = thing;
    weft_logical_free(made->logical);
    weft_release(made->traffic);
    free(made);
}

static const struct weft_preparation prepared_logical = { "logical time", make_logical,
                                                          free_logical };

static const struct weft_logical *use_logical(const struct weft_request *request,
                                              struct weft_err *err)
{
    const struct weft_set one = { request->set->sources, 1 };
    const struct prepared *made =
        weft_use_get(request->use, &prepared_logical, &one, NULL, 0, err);
    return made ? made->logical : NULL;
}

/* ---- Events ---- */

static void set_message_facts(const struct weft_logical *logical,
                              const struct weft_logical_event *event,
                              struct logical_facts *facts, struct weft_link *link)
{
    const struct weft_source *source = logical->traffic->source;
    const uint32_t *index_of = logical->traffic->processors->index_of;
    bool sends = weft_logical_kind_of(event) == WEFT_LOGICAL_SEND;
    struct weft_link found;
    facts->id = weft_logical_message(logical, weft_logical_number(event));
    facts->kind = sends ? "send" : "receive";
    if (!source->ops->link(source, facts->id, &found))
        return;
    uint32_t other = sends ? found.to : found.from;
    facts->partner = other == WEFT_NONE ? WEFT_NONE : index_of[other];
    if (link)
        *link = found;
}

void logical_facts_add_numbers(const struct weft_logical *logical, size_t i,
                               struct logical_facts *facts)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    const struct weft_source *source = logical->traffic->source;
    if (weft_logical_kind_of(&logical->events[i]) == WEFT_LOGICAL_CALL)
        return;
    size_t n = source->ops->fields(source, facts->id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *value = weft_field_with_role(
        source->schema, fields, n, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
    facts->has_bytes = value != NULL;
    facts->bytes = value ? value->integer : 0;
    value =
        weft_field_with_role(source->schema, fields, n, WEFT_ROLE_TAG, WEFT_FIELD_INTEGER);
    facts->has_tag = value != NULL;
    facts->tag = value ? value->integer : 0;
}

void logical_facts_of(const struct weft_logical *logical, size_t i,
                      struct logical_facts *facts, struct weft_link *link)
{
    const struct weft_logical_event *event = &logical->events[i];
    const struct weft_traffic *traffic = logical->traffic;
    *facts = (struct logical_facts){ .partner = WEFT_NONE };
    if (link)
        link->id = WEFT_NO_ID;
    if (weft_logical_kind_of(event) != WEFT_LOGICAL_CALL) {
        set_message_facts(logical, event, facts, link);
        return;
    }
    uint32_t number = weft_logical_number(event);
    const struct weft_collective *of = &traffic->collectives[logical->operation_of[number]];
    const struct weft_collective_call *call = &traffic->calls[number];
    facts->id = call->state;
    facts->kind =
        of->pattern == WEFT_ROLE_NONE ? "collective" : weft_role_name(of->pattern);
    facts->partner = of->root == call->processor ? WEFT_NONE : of->root;
    facts->has_bytes = call->bytes != 0;
    facts->bytes = call->bytes;
}

/* Finds the events of the window, and their steps; *P is laid out later. */
static bool begin(struct logical_picture *p, const struct weft_request *request,
                  struct weft_err *err)
{
    *p = (struct logical_picture){ .request = request, .first = UINT32_MAX };
    if (!weft_shown_begin(&p->shown, request, weft_setting(request, "order"), err))
        return false;
    p->logical = use_logical(request, err);
    if (!p->logical)
        return false;
    const struct weft_logical_event *events = p->logical->events;
    struct weft_span window = weft_window_with_end(p->shown.schema, request->window);
    size_t size = ((size_t)p->shown.list.n + 1) * sizeof *p->from;
    p->from = weft_arena_alloc(request->arena, size);
    p->after = weft_arena_alloc(request->arena, size);
    for (uint32_t i = 0; i < p->shown.list.n; i++) {
        uint32_t processor = p->shown.list.index[i];
        size_t end = p->logical->first[processor + 1];
        size_t from = WEFT_FIRST(k, p->logical->first[processor], end,
                                 events[k].time >= window.begin);
        size_t after = WEFT_FIRST(k, from, end, events[k].time >= window.end);
        p->from[i] = from;
        p->after[i] = after;
        p->n += after - from;
        if (after == from)
            continue;
        float latest = weft_logical_latest(p->logical, from, after);
        p->first = events[from].step < p->first ? events[from].step : p->first;
        p->last = events[after - 1].step > p->last ? events[after - 1].step : p->last;
        p->latest = latest > p->latest ? latest : p->latest;
    }
    return true;
}

size_t logical_until_moment(const struct logical_picture *p, uint32_t processor)
{
    const struct weft_logical *logical = p->logical;
    int64_t at = p->request->at;
    return WEFT_FIRST(i, logical->first[processor], logical->first[processor + 1],
                      logical->events[i].time > at);
}

/* ---- Table ---- */

static bool put_row(const struct logical_picture *p, size_t i, int64_t number,
                    struct weft_table *out)
{
    const struct weft_schema *schema = p->shown.schema;
    const struct weft_cell nothing = { .kind = WEFT_CELL_EMPTY };
    const struct weft_processor *of = p->shown.processors->processors;
    const struct weft_logical_event *event = &p->logical->events[i];
    struct logical_facts facts;
    logical_facts_of(p->logical, i, &facts, NULL);
    logical_facts_add_numbers(p->logical, i, &facts);
    const struct weft_cell cells[] = {
        weft_integer_cell(number),
        weft_integer_cell(event->step),
        weft_text_cell(facts.kind),
        weft_integer_cell(
            weft_ticks_to_ns(schema, weft_ticks_between(schema->span.begin, event->time))),
        weft_integer_cell(weft_ticks_to_ns(schema, weft_logical_lateness(p->logical, i))),
        facts.partner == WEFT_NONE ? nothing : weft_integer_cell(of[facts.partner].number),
        facts.has_bytes ? weft_integer_cell(facts.bytes) : nothing,
        facts.has_tag ? weft_integer_cell(facts.tag) : nothing,
        weft_integer_cell((int64_t)facts.id),
    };
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct logical_picture p;
    if (!begin(&p, request, err))
        return false;
    weft_view_begin_table(request, out);
    size_t done = 0;
    bool more = true;
    for (uint32_t i = 0; more && i < p.shown.list.n; i++) {
        uint32_t index = p.shown.list.index[i];
        int64_t number = p.shown.processors->processors[index].number;
        if (request->has_at) { /* the last event until then */
            p.after[i] = logical_until_moment(&p, index);
            p.from[i] = p.after[i] - (p.after[i] > p.logical->first[index]);
        }
        for (size_t k = p.from[i]; more && k < p.after[i]; k++) {
            more = put_row(&p, k, number, out);
            if (++done % 4096 == 0 && !weft_job_step(request->job, done, p.n, err))
                return false;
        }
    }
    out->end(out);
    return weft_job_step(request->job, 1, 1, err);
}

/* ---- Picture ---- */

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct logical_picture p;
    if (!begin(&p, request, err))
        return false;
    out->arena = request->arena;
    if (!logical_draw(&p, out))
        weft_frame_empty(&p.frame, p.shown.list.n
                                       ? "No message or collective operation in this range."
                                       : "There is no processor here.");
    return weft_job_step(request->job, 1, 1, err);
}

static void tell(const struct logical_picture *p, size_t i, struct weft_table *out)
{
    struct weft_arena *arena = p->request->arena;
    const struct weft_processors *processors = p->shown.processors;
    const struct weft_logical_event *event = &p->logical->events[i];
    char text[WEFT_TIME_TEXT];
    struct logical_facts facts;
    logical_facts_of(p->logical, i, &facts, NULL);
    logical_facts_add_numbers(p->logical, i, &facts);
    size_t processor = WEFT_LAST(k, 0, processors->n, p->logical->first[k] <= i);
    weft_fact(out, "processor",
              weft_processor_text(arena, &processors->processors[processor]));
    weft_fact(out, "step", weft_number_text(arena, event->step, 0));
    weft_fact(out, "event", facts.kind);
    if (facts.partner != WEFT_NONE)
        weft_fact(out,
                  weft_logical_kind_of(event) == WEFT_LOGICAL_CALL   ? "root"
                  : weft_logical_kind_of(event) == WEFT_LOGICAL_SEND ? "to"
                                                                     : "from",
                  weft_processor_text(arena, &processors->processors[facts.partner]));
    weft_fact(out, "at",
              weft_duration_text(
                  p->shown.schema,
                  weft_ticks_between(p->shown.schema->span.begin, event->time), text));
    weft_fact(
        out, "late",
        weft_duration_text(p->shown.schema, weft_logical_lateness(p->logical, i), text));
    if (facts.has_bytes)
        weft_fact(out, "bytes", weft_bytes_text(arena, facts.bytes));
    if (facts.has_tag)
        weft_fact(out, "tag", weft_arena_printf(arena, "%" PRId64, facts.tag));
}

static bool point(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *out, struct weft_err *err)
{
    struct logical_picture p;
    if (!begin(&p, request, err))
        return false;
    struct weft_scene scene = { .arena = request->arena };
    logical_lay_out(&p, &scene);
    weft_table_begin_facts(out);
    size_t i = logical_event_at(&p, at);
    if (i < p.logical->n) {
        struct logical_facts facts;
        logical_facts_of(p.logical, i, &facts, NULL);
        *id = facts.id;
        tell(&p, i, out);
    }
    out->end(out);
    return true;
}

static const char *remark(const struct weft_request *request)
{
    struct weft_err err;
    const struct weft_logical *logical = use_logical(request, &err);
    if (!logical || !logical->n_forced)
        return NULL;
    return weft_arena_printf(
        request->arena,
        "%s %s for each other in a circle, which a real run does not have: their steps "
        "follow their times",
        weft_number_text(request->arena, (double)logical->n_forced, 0),
        logical->n_forced == 1 ? "event waits with others" : "events wait");
}

static const struct weft_column columns[] = {
    { .name = "processor", .selects = "row in \"processor number $\"" },
    { .name = "step", .help = "on Lamport's clock, from 1" },
    { .name = "kind", .help = "send, receive, or the pattern of a collective operation" },
    { .name = "at_ns", .help = "when it is sent, received or entered" },
    { .name = "late_ns", .help = "after the first event of that step" },
    { .name = "partner", .help = "the processor at the message's other end, or the root" },
    { .name = "bytes" },
    { .name = "tag" },
    { .name = "id", .of_page = true },
};

const struct weft_view weft_view_logical_time = {
    .name = "logical-time",
    .title = "Logical time",
    .group = "Communication",
    .explanation =
        "Each column is a step of Lamport's clock, so a message leads to a later "
        "column; colours say how late events are after the first of their step.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
    .point = point,
    .remark = remark,
};
