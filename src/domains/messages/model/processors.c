/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the containers that are processors, and the tracks that say what they do. */
#include "domains/messages/model/processors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/parallel.h"

const char *weft_class_name(enum weft_class class)
{
    static const char *const names[WEFT_CLASSES] = { "busy", "overhead", "idle" };
    return names[class];
}

/* ---- Which containers ---- */

static bool state_track_of(const struct weft_schema *schema, uint32_t t,
                           enum weft_role role)
{
    const struct weft_track *track = &schema->tracks[t];
    return schema->types[track->type].kind == WEFT_STATE && track->count
           && weft_role_is(schema->types[track->type].role, role);
}

bool weft_is_task_track(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_STATE && schema->tracks[track].count
           && weft_role_is(type->role, WEFT_ROLE_TASK)
           && !weft_role_is(type->role, WEFT_ROLE_REDUCTION);
}

/*
 * Returns an array [n_types]: 1 for types of states with parallel regions, or work that
 * threads share.  The caller frees it.
 */
static uint8_t *construct_types(const struct weft_schema *schema)
{
    uint8_t *constructs = weft_zalloc((size_t)schema->n_types + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++) {
        enum weft_role role = schema->values[v].role;
        constructs[schema->values[v].type] |= weft_role_is(role, WEFT_ROLE_PARALLEL_REGION)
                                              || weft_role_is(role, WEFT_ROLE_SHARED_WORK);
    }
    return constructs;
}

/* Returns true for messages between programs, not for transfers between memories. */
static bool is_message_type(const struct weft_type *type)
{
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(type->role, WEFT_ROLE_TRANSFER);
}

/*
 * Marks in MEMBER[n_types] the types of containers at the ends of messages; false if none.
 */
static bool ends_of_messages(const struct weft_schema *schema, uint8_t *member)
{
    bool any = false;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (!is_message_type(type) || !schema->tracks[t].count)
            continue;
        const uint32_t ends[] = { type->start_type, type->end_type };
        for (size_t i = 0; i < 2; i++)
            if (ends[i] != WEFT_NONE && schema->types[ends[i]].parent != WEFT_NONE)
                member[ends[i]] = any = true;
    }
    return any;
}

/* Marks the processors in MEMBER[n_containers] and returns their number. */
static uint32_t find_members(const struct weft_schema *schema, uint8_t *member)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < schema->n_containers; c++)
        n += member[c] = weft_role_is(schema->containers[c].role, WEFT_ROLE_RANK);
    if (n)
        return n;
    uint8_t *ends = weft_zalloc((size_t)schema->n_types + 1, 1);
    bool by_ends = ends_of_messages(schema, ends);
    for (uint32_t c = 0; c < schema->n_containers && by_ends; c++)
        n += member[c] = ends[schema->containers[c].type];
    free(ends);
    for (uint32_t t = 0; t < schema->n_tracks && !by_ends; t++)
        if (state_track_of(schema, t, WEFT_ROLE_ACTIVITY)) {
            n += !member[schema->tracks[t].container];
            member[schema->tracks[t].container] = 1;
        }
    return n;
}

bool weft_has_processors(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    uint8_t *member = weft_zalloc((size_t)schema->n_containers + 1, 1);
    bool any = find_members(schema, member) > 0;
    free(member);
    return any;
}

bool weft_has_tasks(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    uint8_t *member = weft_zalloc((size_t)schema->n_containers + 1, 1);
    uint8_t *constructs = construct_types(schema);
    bool any = false, processors = find_members(schema, member) > 0;
    for (uint32_t t = 0; t < schema->n_tracks && processors && !any; t++)
        any = weft_is_task_track(schema, t)
              || (constructs[schema->tracks[t].type] && schema->tracks[t].count
                  && member[schema->tracks[t].container]);
    free(constructs);
    free(member);
    return any;
}

/* ---- Their numbers ---- */

struct candidate {
    int64_t number;
    bool numbered;
    uint32_t container;
};

static int by_number(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return WEFT_COMPARE(y->numbered, x->numbered)
           ?: (x->numbered ? WEFT_COMPARE(x->number, y->number) : 0)
           ?: WEFT_COMPARE(x->container, y->container);
}

static int64_t start_of(const struct weft_schema *schema, uint32_t container)
{
    int64_t begin = schema->containers[container].begin;
    struct weft_span span = schema->span;
    return begin < span.begin ? span.begin : begin > span.end ? span.end : begin;
}

static void add_processors(struct weft_processors *p, const uint8_t *member)
{
    const struct weft_schema *schema = p->source->schema;
    struct candidate *list = weft_alloc(((size_t)p->n + 1) * sizeof *list);
    uint32_t n = 0;
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        if (!member[c])
            continue;
        const struct weft_field_value *rank =
            weft_container_fact(schema, c, WEFT_ROLE_RANK_NUMBER, WEFT_FIELD_INTEGER);
        list[n++] = (struct candidate){ rank ? rank->integer : 0, rank != NULL, c };
    }
    qsort(list, n, sizeof *list, by_number);
    const char **labels = weft_container_labels(schema, &p->arena);
    const char *label;
    int64_t before = -1; /* number of the processor before */
    for (uint32_t i = 0; i < n; i++) {
        label = labels[list[i].container];
        if (!list[i].numbered)
            list[i].number = i > before || before == INT64_MAX ? i : before + 1;
        before = list[i].number;
        p->processors[i] = (struct weft_processor){
            .container = list[i].container,
            .track = WEFT_NONE,
            .task_track = WEFT_NONE,
            .construct_track = WEFT_NONE,
            .number = list[i].number,
            .start = start_of(schema, list[i].container),
            .finish = schema->span.begin,
            .label = label,
            .name = list[i].numbered ? NULL : label,
        };
    }
    free(list);
}

/* A container belongs to the innermost processor that holds it. */
static void index_containers(struct weft_processors *p)
{
    const struct weft_schema *schema = p->source->schema;
    memset(p->index_of, 0xff, ((size_t)schema->n_containers + 1) * sizeof *p->index_of);
    for (uint32_t i = 0; i < p->n; i++)
        p->index_of[p->processors[i].container] = i;
    /* preorder: parents come first */
    for (uint32_t at = 0; at < schema->n_containers; at++) {
        uint32_t c = schema->preorder[at], parent = schema->containers[c].parent;
        if (p->index_of[c] == WEFT_NONE && parent != WEFT_NONE)
            p->index_of[c] = p->index_of[parent];
    }
}

/* ---- Their tracks ---- */

/*
 * Returns how well a track tells what its processor does: more is better, 0 is not at all.
 */
static int fitness(const struct weft_processors *p, uint32_t t)
{
    const struct weft_schema *schema = p->source->schema;
    uint32_t container = schema->tracks[t].container;
    bool own = p->processors[p->index_of[container]].container == container;
    if (state_track_of(schema, t, WEFT_ROLE_COMMUNICATION))
        return own ? 4 : 3;
    return state_track_of(schema, t, WEFT_ROLE_ACTIVITY) ? own ? 2 : 1 : 0;
}

static bool begins_before(const struct weft_schema *schema, uint32_t t, uint32_t other)
{
    return schema->tracks[t].begin < schema->tracks[other].begin;
}

static void choose_tracks(struct weft_processors *p)
{
    const struct weft_schema *schema = p->source->schema;
    int *best = weft_zalloc((size_t)p->n + 1, sizeof *best);
    uint8_t *constructs = construct_types(schema);
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_track *track = &schema->tracks[t];
        uint32_t index = p->index_of[track->container];
        enum weft_kind kind = schema->types[track->type].kind;
        if (index == WEFT_NONE || !track->count
            || (kind != WEFT_STATE && kind != WEFT_EVENT))
            continue;
        struct weft_processor *processor = &p->processors[index];
        if (track->end > processor->finish)
            processor->finish = track->end;
        if (weft_is_task_track(schema, t)
            && (processor->task_track == WEFT_NONE
                || begins_before(schema, t, processor->task_track)))
            processor->task_track = t;
        if (constructs[track->type] && processor->container == track->container)
            processor->construct_track = t;
        int fit = fitness(p, t);
        if (fit > best[index]
            || (fit && fit == best[index] && begins_before(schema, t, processor->track))) {
            best[index] = fit;
            processor->track = t;
        }
    }
    free(constructs);
    free(best);
}

static uint8_t class_of_role(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_IDLE)       ? WEFT_CLASS_IDLE
           : weft_role_is(role, WEFT_ROLE_OVERHEAD) ? WEFT_CLASS_OVERHEAD
                                                    : WEFT_CLASS_BUSY;
}

/* Returns true if calls without a class may be inside others, which then decide. */
static bool any_nested(const struct weft_processors *p)
{
    const struct weft_schema *schema = p->source->schema;
    bool nested = false, without = false;
    for (uint32_t i = 0; i < p->n; i++)
        nested |= p->processors[i].track != WEFT_NONE
                  && schema->tracks[p->processors[i].track].max_depth > 1;
    for (uint32_t v = 0; v < schema->n_values; v++)
        without |=
            schema->types[schema->values[v].type].kind == WEFT_STATE && p->passed_over[v];
    return nested && without;
}

struct weft_processors *weft_processors_make(const struct weft_source *source,
                                             struct weft_job *job, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    if (!weft_job_step(job, 0, 1, err))
        return NULL;
    uint8_t *member = weft_zalloc((size_t)schema->n_containers + 1, 1);
    uint32_t n = find_members(schema, member);
    if (!n) {
        free(member);
        weft_fail(err, WEFT_ERR_USAGE,
                  "the trace has neither ranks, nor messages, nor activity");
        return NULL;
    }
    struct weft_processors *p = weft_zalloc(1, sizeof *p);
    p->source = source;
    p->n = n;
    p->processors = weft_zalloc(n, sizeof *p->processors);
    p->class_of = weft_zalloc((size_t)schema->n_values + 1, 1);
    p->index_of = weft_alloc(((size_t)schema->n_containers + 1) * sizeof *p->index_of);
    add_processors(p, member);
    free(member);
    index_containers(p);
    choose_tracks(p);
    p->passed_over = weft_zalloc((size_t)schema->n_values + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++) {
        p->class_of[v] = class_of_role(schema->values[v].role);
        p->passed_over[v] = p->class_of[v] == WEFT_CLASS_BUSY
                            && !weft_role_is(schema->values[v].role, WEFT_ROLE_BUSY);
    }
    if (!any_nested(p)) {
        free(p->passed_over);
        p->passed_over = NULL;
    }
    return p;
}

void weft_processors_free(struct weft_processors *p)
{
    if (!p)
        return;
    weft_arena_free(&p->arena);
    free(p->processors);
    free(p->class_of);
    free(p->passed_over);
    free(p->index_of);
    free(p);
}

size_t weft_processors_bytes(const struct weft_processors *p)
{
    const struct weft_schema *schema = p->source->schema;
    return sizeof *p + p->arena.used + p->n * sizeof *p->processors + schema->n_values
           + schema->n_containers * sizeof *p->index_of;
}

/* ---- What they do ---- */

static bool is_there(const struct weft_processor *processor, int64_t time)
{
    return time >= processor->start && time < processor->finish;
}

struct class_query {
    const struct weft_processors *p;
    int64_t time;
    uint8_t *class;
};

static bool copy_change(void *user, const struct weft_innermost_change *changes, size_t n)
{
    (void)n;
    *(struct weft_innermost_change *)user = changes[0];
    return false;
}

/* Returns the class of a processor that exists, by the value of its innermost call. */
static uint8_t class_of(const struct weft_processors *p, uint32_t value, bool damaged)
{
    return damaged              ? WEFT_CLASS_UNKNOWN
           : value == WEFT_NONE ? WEFT_CLASS_BUSY
                                : p->class_of[value];
}

/* Sets the class of one processor where calls without a class are passed over. */
static void look_through(void *user, size_t i)
{
    const struct class_query *m = user;
    const struct weft_processor *processor = &m->p->processors[i];
    struct weft_innermost_change now = { .value = WEFT_NONE };
    if (processor->track != WEFT_NONE && m->time < processor->finish)
        m->p->source->ops->changes(m->p->source, processor->track,
                                   (struct weft_span){ m->time, m->time + 1 },
                                   m->p->passed_over, copy_change, &now);
    m->class[i] = !is_there(processor, m->time) ? WEFT_CLASS_IDLE
                                                : class_of(m->p, now.value, now.damaged);
}

void weft_processors_at(const struct weft_processors *p, int64_t time, uint8_t *class)
{
    if (p->passed_over) {
        enum { GRAIN = 16 };
        struct class_query moment = { p, time, class };
        weft_parallel(p->n, GRAIN, look_through, &moment);
        return;
    }
    uint32_t *tracks = weft_alloc(((size_t)p->n + 1) * sizeof *tracks), n = 0;
    struct weft_innermost *inner = weft_alloc(((size_t)p->n + 1) * sizeof *inner);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->processors[i].track != WEFT_NONE)
            tracks[n++] = p->processors[i].track;
    p->source->ops->values_at(p->source, tracks, n, time, inner);
    for (uint32_t i = p->n; i-- > 0;) {
        const struct weft_processor *processor = &p->processors[i];
        struct weft_innermost now = { .value = WEFT_NONE };
        if (processor->track != WEFT_NONE)
            now = inner[--n];
        class[i] = !is_there(processor, time) ? WEFT_CLASS_IDLE
                                              : class_of(p, now.value, now.damaged);
    }
    free(tracks);
    free(inner);
}

const char *weft_processor_text(struct weft_arena *arena,
                                const struct weft_processor *processor)
{
    return processor->name ? processor->name
                           : weft_arena_printf(arena, "%" PRId64, processor->number);
}
