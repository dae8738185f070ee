/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/wait_causes.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/call_stack_profile.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "store/time.h"

/* Two parts of a stay differ in one of these; compared as bytes, so without padding. */
struct part_key {
    uint32_t kind, class, row, value, object, site, function;
};

struct summing {
    const struct weft_walk_query *query;
    struct weft_causes *out;
    bool samples;                   /* the trace has some */
    const uint32_t *alike;          /* of sites */
    struct weft_text_map parts;     /* struct part_key: index in out->list */
    struct weft_text_map functions; /* name: index in `names` */
    const char **names;
    size_t n_names, names_capacity;
    /* the stay that is being walked */
    struct weft_stay stay;
    bool staying;
    uint32_t visit;         /* of the walk */
    struct weft_step *work; /* [n_work] its steps of work, for the samples */
    size_t n_work, work_capacity;
    uint64_t last_state; /* whose fields were read last, and what they named */
    uint32_t last_object, last_site;
    struct weft_err *err;
    bool ok;
};

/* ---- Parts ---- */

static struct weft_cause *part_of(struct summing *sum, const struct weft_cause *like,
                                  uint32_t function)
{
    struct part_key key = { like->kind,   like->class, like->row, like->value,
                            like->object, like->site,  function };
    struct weft_causes *out = sum->out;
    uint32_t index = weft_text_map_get(&sum->parts, &key, sizeof key);
    if (index != WEFT_MAP_NONE)
        return &out->list[index];
    out->list = weft_grow(out->list, &out->capacity, out->n + 1, sizeof *out->list);
    weft_text_map_put(&sum->parts, &key, sizeof key, (uint32_t)out->n);
    out->list[out->n] = *like;
    out->list[out->n].function = function == WEFT_NONE ? NULL : sum->names[function];
    return &out->list[out->n++];
}

static void add_to(struct weft_cause *part, int64_t ticks, uint64_t steps,
                   struct weft_span span)
{
    part->ticks += ticks;
    part->steps += steps;
    if (span.begin < part->span.begin)
        part->span.begin = span.begin;
    if (span.end > part->span.end)
        part->span.end = span.end;
}

/* Reads object and site of the state of a step. */
static void read_fields(struct summing *sum, uint64_t state)
{
    const struct weft_source *source = sum->query->source;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    if (state == sum->last_state)
        return;
    sum->last_state = state;
    sum->last_object = sum->last_site = WEFT_NONE;
    if (state == WEFT_NO_ID)
        return;
    size_t n = source->ops->fields(source, state, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *object = weft_field_with_role(
        source->schema, fields, n, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    const struct weft_field_value *site =
        weft_field_with_role(source->schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    if (object)
        sum->last_object = object->index;
    if (site)
        sum->last_site = sum->alike[site->index];
}

/* Stretches of plain running have no fields that name a place. */
static bool says_place(const struct summing *sum, const struct weft_step *step)
{
    const struct weft_schema *schema = sum->query->source->schema;
    return step->of.id != WEFT_NO_ID
           && schema->values[step->of.value].role != WEFT_ROLE_RUNNING;
}

static struct weft_cause cause_of(struct summing *sum, const struct weft_step *step)
{
    read_fields(sum, says_place(sum, step) ? step->of.id : WEFT_NO_ID);
    return (struct weft_cause){ .visit = (uint32_t)sum->out->n_stays,
                                .kind = step->kind,
                                .class = step->class,
                                .row = step->row,
                                .value = step->of.value,
                                .object = sum->last_object,
                                .site = sum->last_site,
                                .span = step->span };
}

static void add_step(struct summing *sum, const struct weft_step *step, uint32_t function,
                     int64_t ticks, uint64_t steps)
{
    struct weft_cause like = cause_of(sum, step);
    add_to(part_of(sum, &like, function), ticks, steps, step->span);
}

/* ---- Functions, by samples ---- */

/*
 * Returns the index in `names` of the innermost function of a call stack, an index in
 * schema->strings, that has a name: "[libc.so.6]" only says a file.
 */
static uint32_t function_of(struct summing *sum, uint32_t text)
{
    size_t size;
    const char *name =
        weft_profile_innermost(sum->query->source->schema->strings[text], &size);
    uint32_t index = weft_text_map_get(&sum->functions, name, size);
    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)sum->n_names;
        weft_text_map_put(&sum->functions, name, size, index);
        sum->names = weft_grow(sum->names, &sum->names_capacity, sum->n_names + 1,
                               sizeof *sum->names);
        sum->names[sum->n_names++] =
            weft_arena_printf(&sum->out->arena, "%.*s", (int)size, name);
    }
    return index;
}

static int by_text(const void *a, const void *b)
{
    const struct weft_profile_stack *x = a, *y = b;
    return WEFT_COMPARE(x->text, y->text);
}

/* Shares the time of STEP among the functions of PROFILE, as the samples do. */
static void share_step(struct summing *sum, const struct weft_step *step,
                       const struct weft_profile *profile, double whole)
{
    int64_t ticks = step->span.end - step->span.begin, given = 0;
    double so_far = 0;
    for (size_t i = 0; i < profile->n_stacks; i++) {
        if (profile->stacks[i].text == WEFT_NONE)
            continue;
        so_far += (double)profile->stacks[i].ticks;
        int64_t until = (int64_t)((double)ticks * (so_far / whole) + 0.5);
        if (until > ticks)
            until = ticks;
        add_step(sum, step, function_of(sum, profile->stacks[i].text), until - given,
                 given == 0);
        given = until;
    }
    if (given < ticks)
        add_step(sum, step, WEFT_NONE, ticks - given, given == 0);
}

/*
 * Adds N steps of work at one place, from the latest to the first, by function if samples
 * lie in them.
 */
static bool add_work_at_place(struct summing *sum, const struct weft_step *const *steps,
                              size_t n)
{
    struct weft_span *spans = weft_alloc((n + 1) * sizeof *spans);
    struct weft_profile profile = { 0 };
    double whole = 0;
    int64_t worked = 0;
    for (size_t i = 0; i < n; i++) {
        spans[i] = steps[n - 1 - i]->span;
        worked += spans[i].end - spans[i].begin;
    }
    const struct weft_profile_query query = {
        .source = sum->query->source,
        .under = sum->stay.row,
        .window = { spans[0].begin, spans[n - 1].end },
        .spans = spans,
        .n_spans = n,
        .job = sum->query->job,
    };
    bool ok = !sum->samples || weft_profile_read(&query, &profile, sum->err);
    free(spans);
    if (!ok)
        return false;
    if (profile.n_stacks > 1)
        qsort(profile.stacks, profile.n_stacks, sizeof *profile.stacks, by_text);
    for (size_t i = 0; i < profile.n_stacks; i++)
        if (profile.stacks[i].text != WEFT_NONE)
            whole += (double)profile.stacks[i].ticks;
    if (whole > 0 && whole < (double)worked)
        whole = (double)worked; /* the rest was not sampled: it ran in the kernel */
    for (size_t i = 0; i < n; i++) {
        if (whole > 0)
            share_step(sum, steps[i], &profile, whole);
        else
            add_step(sum, steps[i], WEFT_NONE, steps[i]->span.end - steps[i]->span.begin,
                     1);
    }
    weft_profile_free(&profile);
    return true;
}

/* A step of work, and what tells its place from others; compared as bytes. */
struct placed_step {
    struct {
        uint32_t value, object, site;
    } place;
    uint32_t index; /* in the stay's steps */
};

static int by_place(const void *a, const void *b)
{
    const struct placed_step *x = a, *y = b;
    return memcmp(&x->place, &y->place, sizeof x->place)
               ?: WEFT_COMPARE(x->index, y->index);
}

/* Adds the work of the stay that ends, place by place. */
static bool add_work(struct summing *sum)
{
    size_t n = sum->n_work;
    struct placed_step *placed = weft_alloc((n + 1) * sizeof *placed);
    const struct weft_step **steps = weft_alloc((n + 1) * sizeof *steps);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const struct weft_cause like = cause_of(sum, &sum->work[i]);
        placed[i] =
            (struct placed_step){ { like.value, like.object, like.site }, (uint32_t)i };
    }
    if (n > 1)
        qsort(placed, n, sizeof *placed, by_place);
    for (size_t i = 0, after; ok && i < n; i = after) {
        for (after = i;
             after < n
             && memcmp(&placed[after].place, &placed[i].place, sizeof placed[i].place) == 0;
             after++)
            steps[after - i] = &sum->work[placed[after].index];
        ok = add_work_at_place(sum, steps, after - i);
    }
    sum->n_work = 0;
    free(placed);
    free(steps);
    return ok;
}

/* ---- Stays ---- */

static int by_ticks(const void *a, const void *b)
{
    const struct weft_cause *x = a, *y = b;
    return WEFT_COMPARE(y->ticks, x->ticks) ?: WEFT_COMPARE(y->span.end, x->span.end)
           ?: WEFT_COMPARE(x->row, y->row);
}

static void sort_from(struct weft_causes *out, size_t first)
{
    if (out->n - first > 1)
        qsort(out->list + first, out->n - first, sizeof *out->list, by_ticks);
}

/* Ends the stay that is being walked, if any. */
static bool end_stay(struct summing *sum)
{
    struct weft_causes *out = sum->out;
    if (!sum->staying)
        return true;
    sum->staying = false;
    if (!add_work(sum))
        return false;
    sum->stay.n = (uint32_t)out->n - sum->stay.first;
    sort_from(out, sum->stay.first);
    weft_text_map_free(&sum->parts);
    out->stays =
        weft_grow(out->stays, &out->stays_capacity, out->n_stays + 1, sizeof *out->stays);
    out->stays[out->n_stays++] = sum->stay;
    return true;
}

static void begin_stay(struct summing *sum, const struct weft_step *step)
{
    sum->staying = true;
    sum->visit = step->visit;
    sum->stay = (struct weft_stay){ .row = step->row,
                                    .span = step->span,
                                    .came_by = step->came_by,
                                    .first = (uint32_t)sum->out->n };
}

static bool take_step(void *user, const struct weft_step *step)
{
    struct summing *sum = user;
    if (!sum->staying || sum->visit != step->visit) {
        if (!end_stay(sum))
            return sum->ok = false;
        begin_stay(sum, step);
    }
    sum->out->n_steps++;
    sum->stay.span.begin = step->span.begin;
    if (step->kind == WEFT_STEP_DID && step->class == WEFT_ACTIVITY_WORK) {
        sum->work =
            weft_grow(sum->work, &sum->work_capacity, sum->n_work + 1, sizeof *sum->work);
        sum->work[sum->n_work++] = *step;
        return true;
    }
    add_step(sum, step, WEFT_NONE, step->span.end - step->span.begin, 1);
    return true;
}

bool weft_causes_read(const struct weft_walk_query *query, const uint32_t *alike,
                      struct weft_causes *out, struct weft_err *err)
{
    struct summing sum = { .query = query,
                           .alike = alike,
                           .out = out,
                           .samples = weft_has_samples(query->source->schema),
                           .last_state = WEFT_NO_ID,
                           .last_object = WEFT_NONE,
                           .last_site = WEFT_NONE,
                           .err = err,
                           .ok = true };
    *out = (struct weft_causes){ 0 };
    bool ok = weft_walk(query, take_step, &sum, err) && sum.ok && end_stay(&sum);
    weft_text_map_free(&sum.parts);
    weft_text_map_free(&sum.functions);
    free(sum.names);
    free(sum.work);
    if (!ok)
        weft_causes_free(out);
    return ok;
}

/* Two parts of a sum differ in one of these; compared as bytes, so without padding. */
struct sum_key {
    uint32_t kind, class, row, value, object, site;
    const char *function; /* a name has one pointer in a result */
};

void weft_causes_sum(struct weft_causes *causes)
{
    struct weft_text_map parts = { 0 };
    size_t n = 0;
    for (size_t i = 0; i < causes->n; i++) {
        const struct weft_cause *cause = &causes->list[i];
        struct sum_key key = { cause->kind,   cause->class, cause->row,     cause->value,
                               cause->object, cause->site,  cause->function };
        uint32_t index = weft_text_map_get(&parts, &key, sizeof key);
        if (index != WEFT_MAP_NONE) {
            add_to(&causes->list[index], cause->ticks, cause->steps, cause->span);
            continue;
        }
        weft_text_map_put(&parts, &key, sizeof key, (uint32_t)n);
        causes->list[n] = *cause;
        causes->list[n++].visit = 0;
    }
    causes->n = n;
    causes->n_stays = 0;
    sort_from(causes, 0);
    weft_text_map_free(&parts);
}

void weft_causes_free(struct weft_causes *causes)
{
    free(causes->list);
    free(causes->stays);
    weft_arena_free(&causes->arena);
    *causes = (struct weft_causes){ 0 };
}

/* ---- Waits to ask about ---- */

/* How much a wait asks for a cause: the highest class with a wait is searched. */
enum urgency { NO_WAIT, OF_OUTSIDE, OF_ENDS, OF_UNKNOWN, OF_OTHERS };

static enum urgency urgency_of(enum weft_role role)
{
    switch (weft_activity_class_of(role)) {
    case WEFT_ACTIVITY_WAITING:
        return weft_role_is(role, WEFT_ROLE_BLOCKED_ON_END)          ? OF_ENDS
               : role == WEFT_ROLE_BLOCKED || role == WEFT_ROLE_IDLE ? OF_UNKNOWN
                                                                     : OF_OTHERS;
    case WEFT_ACTIVITY_OUTSIDE: return OF_OUTSIDE;
    default: return NO_WAIT;
    }
}

struct longest {
    const struct weft_schema *schema;
    struct weft_job *job;
    uint32_t row;
    uint64_t n;
    enum urgency urgency;
    struct weft_found_wait best;
};

static bool take_wait(void *user, const struct weft_state *state)
{
    struct longest *longest = user;
    enum urgency urgency = urgency_of(longest->schema->values[state->value].role);
    if (++longest->n % 65536 == 0 && weft_job_cancelled(longest->job))
        return false;
    if (urgency == NO_WAIT || state->begin == state->end || urgency < longest->urgency
        || (urgency == longest->urgency && longest->best.found
            && state->end - state->begin
                   <= longest->best.state.end - longest->best.state.begin))
        return true;
    longest->urgency = urgency;
    longest->best = (struct weft_found_wait){ true, longest->row, *state };
    return true;
}

struct weft_found_wait weft_longest_wait(const struct weft_source *source, uint32_t under,
                                         struct weft_span window, struct weft_job *job)
{
    const struct weft_schema *schema = source->schema;
    struct longest longest = { .schema = schema, .job = job };
    uint32_t end = schema->containers[under].subtree_end;
    for (uint32_t p = schema->containers[under].order; p < end; p++)
        for (uint32_t i = schema->track_begin[p]; i < schema->track_begin[p + 1]; i++) {
            uint32_t t = schema->track_at[i];
            longest.row = schema->preorder[p];
            if (weft_is_activity_track(schema, t))
                source->ops->states(source, t, window, take_wait, &longest);
        }
    return longest.best;
}

struct last {
    uint32_t row;
    int64_t until;
    bool in_rank;
};

/* Keeps the row of track T if it was active later than the one before. */
static void see_row(struct last *last, const struct weft_schema *schema, uint32_t t,
                    struct weft_span window, bool in_rank)
{
    const struct weft_track *track = &schema->tracks[t];
    int64_t until = track->end > window.end ? window.end : track->end;
    if (!weft_is_activity_track(schema, t) || track->begin >= window.end
        || in_rank < last->in_rank)
        return;
    if (last->row == WEFT_NONE || in_rank > last->in_rank || until > last->until)
        *last = (struct last){ track->container, until, in_rank };
}

uint32_t weft_last_row(const struct weft_schema *schema, uint32_t under,
                       struct weft_span window)
{
    struct last last = { WEFT_NONE, 0, false };
    uint32_t end = schema->containers[under].subtree_end, rank_end = 0;
    for (uint32_t p = schema->containers[under].order; p < end; p++) {
        const struct weft_container *container = &schema->containers[schema->preorder[p]];
        if (p >= rank_end && weft_role_is(container->role, WEFT_ROLE_RANK))
            rank_end = container->subtree_end;
        for (uint32_t i = schema->track_begin[p]; i < schema->track_begin[p + 1]; i++) {
            uint32_t t = schema->track_at[i];
            see_row(&last, schema, t, window, p < rank_end);
        }
    }
    return last.row;
}
