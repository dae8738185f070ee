/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/time_by_activity_and_place.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/alike_objects.h"
#include "analyse/call_stack_profile.h"
#include "analyse/sites_by_line.h"
#include "analyse/who_ended_wait.h"
#include "base/hash_map.h"
#include "model/field_cache.h"
#include "store/time.h"

enum { STEP = 1 << 12 /* intervals between two looks at the job */ };

/* The numbers of a part in its own trace; compared as bytes, so without padding. */
struct part_key {
    uint32_t class, value, object, site, row;
};

struct dividing {
    const struct weft_division_query *query;
    const struct weft_source *source;
    struct weft_time_division *out;
    struct weft_arena scratch;
    const uint32_t *sites_alike, *objects_alike;
    const char **labels;
    struct weft_text_map index;  /* struct part_key: index in out->list */
    bool spins;                  /* a thread polls memory: samples of it are no work */
    struct weft_wait_part *part; /* NULL unless partners or wakers are asked for */
    uint64_t told;               /* state of which `told_row` is that of the wait */
    uint32_t told_row;
    /* fields of the track whose states were looked at last */
    uint32_t track;
    struct weft_field_window site, object, partner;
    struct weft_where_asker *asker; /* of that track; NULL: no selection */
};

/* ---- Parts ---- */

static struct weft_time_part *add_part(struct weft_time_division *out,
                                       struct weft_time_part part)
{
    out->list = weft_grow(out->list, &out->capacity, out->n + 1, sizeof *out->list);
    out->list[out->n] = part;
    return &out->list[out->n++];
}

static const char *kept(struct weft_time_division *out, const char *text)
{
    return text[0] ? weft_arena_strdup(&out->arena, text) : "";
}

static const char *object_text(struct dividing *all, uint32_t object)
{
    const struct weft_schema *schema = all->source->schema;
    if (object == WEFT_NONE)
        return "";
    const char *common = weft_objects_text(&all->scratch, schema, object);
    return kept(all->out, common[0] ? common : all->labels[object]);
}

static const char *site_text(struct dividing *all, uint32_t site)
{
    const struct weft_schema *schema = all->source->schema;
    if (site != WEFT_NONE && schema->sites[site].function[0] && !all->query->lines)
        return kept(all->out, schema->sites[site].function);
    return kept(all->out, weft_site_text(&all->scratch, schema, site));
}

static struct weft_time_part *part_of(struct dividing *all, struct part_key key)
{
    const struct weft_schema *schema = all->source->schema;
    uint32_t index = weft_text_map_get(&all->index, &key, sizeof key);
    if (index != WEFT_MAP_NONE)
        return &all->out->list[index];
    weft_text_map_put(&all->index, &key, sizeof key, (uint32_t)all->out->n);
    return add_part(
        all->out,
        (struct weft_time_part){
            .class = (enum weft_activity_class)key.class,
            .value = key.value,
            .state = key.value == WEFT_NONE
                         ? ""
                         : kept(all->out, schema->values[key.value].name),
            .object = object_text(all, key.object),
            .site = site_text(all, key.site),
            .function = "",
            .row = key.row == WEFT_NONE ? "" : kept(all->out, all->labels[key.row]),
        });
}

static void leave_track(struct dividing *all)
{
    if (all->asker)
        weft_where_end_asker(all->asker);
    all->asker = NULL;
}

static void enter_track(struct dividing *all, uint32_t track)
{
    const struct weft_schema *schema = all->source->schema;
    if (track == all->track)
        return;
    leave_track(all);
    all->track = track;
    weft_field_window_begin_field(&all->site, all->source, track,
                                  weft_field_of_type(schema, schema->tracks[track].type,
                                                     WEFT_ROLE_SITE, WEFT_FIELD_SITE));
    weft_field_window_begin_containers(&all->object, all->source, track, WEFT_ROLE_OBJECT);
    weft_field_window_begin_containers(&all->partner, all->source, track,
                                       WEFT_ROLE_PARTNER);
    if (all->query->where)
        all->asker =
            weft_where_ask(&(struct weft_where_query){ .where = all->query->where }, track);
}

/* Returns true if the selection means the state that an interval is a part of. */
static bool is_selected(const struct dividing *all, const struct weft_state *state)
{
    const struct weft_thing thing = { .id = state->id,
                                      .begin = state->begin,
                                      .end = state->end,
                                      .track = all->track,
                                      .value = state->value,
                                      .from = WEFT_NONE,
                                      .to = WEFT_NONE };
    return !all->asker || weft_where_holds(all->asker, &thing);
}

/* Reads the fields of a state that say for what, and where, it was. */
static void read_place(struct dividing *all, uint64_t state, struct part_key *key)
{
    const struct weft_schema *schema = all->source->schema;
    int64_t value;
    uint64_t ordinal = weft_entity_ordinal(state);
    if (all->site.field != WEFT_NONE && weft_field_window_find(&all->site, ordinal, &value)
        && value >= 0 && value < (int64_t)schema->n_sites)
        key->site = all->sites_alike[value];
    if (all->object.field != WEFT_NONE
        && weft_field_window_find(&all->object, ordinal, &value) && value >= 0
        && value < (int64_t)schema->n_containers)
        key->object = all->objects_alike[value];
}

/* Returns the partner or waker of a state on the track that was entered, or WEFT_NONE. */
static uint32_t find_wait_row(struct dividing *all, const struct weft_state *state)
{
    bool waker = all->query->apart == WEFT_DIVISION_BY_WAKER;
    uint32_t row;
    int64_t value;
    if (weft_row_of_next_wait(all->part, all->track, state, &row))
        return row;
    bool named =
        !waker && all->partner.field != WEFT_NONE
        && weft_field_window_find(&all->partner, weft_entity_ordinal(state->id), &value)
        && value >= 0 && value < (int64_t)all->source->schema->n_containers;
    return named ? (uint32_t)value : WEFT_NONE;
}

/* The same, found once for the intervals of one state. */
static uint32_t wait_row(struct dividing *all, const struct weft_state *state)
{
    if (all->told != state->id)
        all->told_row = find_wait_row(all, state);
    all->told = state->id;
    return all->told_row;
}

static void add_activity(struct dividing *all, uint32_t row,
                         const struct weft_activity *activity)
{
    struct part_key key = { activity->class, activity->of.value, WEFT_NONE, WEFT_NONE,
                            all->query->apart == WEFT_DIVISION_BY_ROW ? row : WEFT_NONE };
    int64_t ticks = activity->span.end - activity->span.begin;
    if (activity->of.id == WEFT_NO_ID && all->query->where)
        return;
    if (activity->of.id != WEFT_NO_ID) {
        enter_track(all, weft_entity_track(activity->of.id));
        if (!is_selected(all, &activity->of))
            return;
        const struct weft_schema *schema = all->source->schema;
        enum weft_role role = schema->values[activity->of.value].role;
        all->spins |= weft_role_is(role, WEFT_ROLE_SPINNING);
        read_place(all, activity->of.id, &key);
        if (all->part)
            key.row = wait_row(all, &activity->of);
    }
    struct weft_time_part *part = part_of(all, key);
    part->ticks = weft_ticks_add(part->ticks, ticks);
    part->count++;
    all->out->ticks = weft_ticks_add(all->out->ticks, ticks);
}

/* ---- Functions ---- */

static int by_text(const void *a, const void *b)
{
    const struct weft_profile_stack *x = a, *y = b;
    return (x->text > y->text) - (x->text < y->text);
}

struct shares {
    const char **names;
    double *ticks; /* [n] */
    size_t n, names_capacity, ticks_capacity;
    double whole;
};

/* Sums the samples of PROFILE by their innermost function that has a name. */
static void sum_functions(struct dividing *all, struct weft_profile *profile,
                          struct shares *shares)
{
    struct weft_text_map index = { 0 };
    if (profile->n_stacks > 1)
        qsort(profile->stacks, profile->n_stacks, sizeof *profile->stacks, by_text);
    for (size_t i = 0; i < profile->n_stacks; i++) {
        const struct weft_profile_stack *stack = &profile->stacks[i];
        if (stack->text == WEFT_NONE)
            continue;
        size_t size;
        const char *name =
            weft_profile_innermost(all->source->schema->strings[stack->text], &size);
        uint32_t at = weft_text_map_get(&index, name, size);
        if (at == WEFT_MAP_NONE) {
            at = (uint32_t)shares->n++;
            weft_text_map_put(&index, name, size, at);
            shares->names = weft_grow(shares->names, &shares->names_capacity, shares->n,
                                      sizeof *shares->names);
            shares->ticks = weft_grow(shares->ticks, &shares->ticks_capacity, shares->n,
                                      sizeof *shares->ticks);
            shares->names[at] =
                weft_arena_printf(&all->out->arena, "%.*s", (int)size, name);
            shares->ticks[at] = 0;
        }
        shares->ticks[at] += (double)stack->ticks;
        shares->whole += (double)stack->ticks;
    }
    weft_text_map_free(&index);
}

/* Splits PART, of plain running, by functions; it becomes what was not sampled. */
static void split_part(struct dividing *all, size_t part, const struct shares *shares)
{
    struct weft_time_part whole = all->out->list[part];
    int64_t given = 0;
    double so_far = 0;
    for (size_t i = 0; i < shares->n; i++) {
        struct weft_time_part one = whole;
        so_far += shares->ticks[i];
        int64_t until = (int64_t)((double)whole.ticks * (so_far / shares->whole) + 0.5);
        if (until > whole.ticks)
            until = whole.ticks;
        one.function = shares->names[i];
        one.ticks = until - given;
        one.count = 0;
        given = until;
        add_part(all->out, one);
    }
    all->out->list[part].ticks = whole.ticks - given;
}

static bool is_plain_running(const struct weft_time_part *part)
{
    return part->class == WEFT_ACTIVITY_WORK && !part->site[0] && !part->object[0];
}

/*
 * Divides plain running, which names no place, by the functions that were sampled; not if
 * threads spin, whose samples are among these.
 */
static bool divide_running(struct dividing *all, struct weft_err *err)
{
    const struct weft_division_query *asked = all->query;
    const struct weft_profile_query query = { .source = asked->source,
                                              .under = asked->under,
                                              .window = asked->window,
                                              .job = asked->job };
    struct weft_profile profile;
    struct shares shares = { 0 };
    size_t n = all->out->n;
    if (all->spins || asked->where || asked->members || asked->apart
        || !weft_has_samples(all->source->schema))
        return true;
    if (!weft_profile_read(&query, &profile, err))
        return false;
    sum_functions(all, &profile, &shares);
    double running = 0;
    for (size_t i = 0; i < n; i++)
        running +=
            is_plain_running(&all->out->list[i]) ? (double)all->out->list[i].ticks : 0;
    if (shares.whole > 0 && shares.whole < running)
        shares.whole = running; /* the rest was not sampled: it ran in the kernel */
    for (size_t i = 0; i < n && shares.whole > 0; i++)
        if (is_plain_running(&all->out->list[i]))
            split_part(all, i, &shares);
    weft_profile_free(&profile);
    free(shares.names);
    free(shares.ticks);
    return true;
}

/* ---- All rows ---- */

static bool divide_rows(struct dividing *all, struct weft_err *err)
{
    const struct weft_division_query *query = all->query;
    const struct weft_schema *schema = query->source->schema;
    const struct weft_container *under = &schema->containers[query->under];
    struct weft_activities did = { 0 };
    bool ok = true;
    for (uint32_t p = under->order; ok && p < under->subtree_end; p++) {
        uint32_t row = schema->preorder[p];
        if (!weft_is_activity_row(schema, row) || (query->members && !query->members[row])
            || (all->part && !weft_wait_part_has(all->part, row)))
            continue;
        weft_activities_read(query->source, row, query->window, &did);
        for (size_t i = 0; i < did.n && !(i % STEP == 0 && weft_job_cancelled(query->job));
             i++)
            add_activity(all, row, &did.list[i]);
        all->out->rows += did.n != 0;
        ok = weft_job_step(query->job, p, under->subtree_end, err);
    }
    leave_track(all);
    weft_activities_free(&did);
    return ok;
}

/* Divides the rows of one part after the other, to ask for partners or wakers. */
static bool divide_rows_of_waits(struct dividing *all, struct weft_err *err)
{
    const struct weft_division_query *query = all->query;
    struct weft_wait_part part = {
        .finder = weft_wait_ends_finder_new(query->source, query->job, err),
        .which =
            query->apart == WEFT_DIVISION_BY_WAKER ? WEFT_WAIT_WAKER : WEFT_WAIT_PARTNER,
        .window = query->window,
    };
    if (!part.finder)
        return false;
    bool ok = true;
    part.n = weft_wait_parts(part.finder, part.which, part.window);
    all->part = &part;
    for (; ok && part.index < part.n; part.index++) {
        ok = weft_wait_part_begin(&part, query->job, err);
        if (!ok)
            break;
        ok = divide_rows(all, err);
        weft_wait_part_end(&part);
    }
    weft_wait_ends_finder_free(part.finder);
    return ok;
}

bool weft_time_division_read(const struct weft_division_query *query,
                             struct weft_time_division *out, struct weft_err *err)
{
    const struct weft_schema *schema = query->source->schema;
    struct dividing *all = weft_zalloc(1, sizeof *all);
    *out = (struct weft_time_division){ 0 };
    all->query = query;
    all->source = query->source;
    all->out = out;
    all->track = WEFT_NONE;
    all->told = WEFT_NO_ID;
    uint32_t *sites = weft_sites_alike(&all->scratch, schema);
    all->sites_alike = sites;
    all->objects_alike = weft_objects_alike(&all->scratch, schema, sites);
    all->labels = weft_container_labels(schema, &all->scratch);
    bool of_waits = query->apart > WEFT_DIVISION_BY_ROW;
    bool ok = (of_waits ? divide_rows_of_waits(all, err) : divide_rows(all, err))
              && divide_running(all, err);
    weft_text_map_free(&all->index);
    weft_arena_free(&all->scratch);
    free(all);
    if (!ok)
        weft_time_division_free(out);
    return ok;
}

void weft_time_division_free(struct weft_time_division *division)
{
    free(division->list);
    weft_arena_free(&division->arena);
    *division = (struct weft_time_division){ 0 };
}
