/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State summary: how much time each value took, and how its durations are distributed.
 *
 * In a window [a, b): count is of the states that overlap it; total and self are clipped to
 * it, and a value inside itself counts once in the total; mean, quantiles and maximum are
 * of whole durations (analyse/durations.h).
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/container_relevance.h"
#include "analyse/lifetime.h"
#include "analyse/selected_state_times.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "base/parallel.h"
#include "view/domain_answers.h"
#include "view/timeline/state_time_statistics_priv.h"
#include "view/views.h"

enum { MAX_PARTIAL = 1 << 21 /* groups of all parts together: 200 MB */ };

static const struct weft_parameter parameters[] = {
    { .name = "by",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "value|container|type|each",
      .fallback = "value",
      .help = "what a row is; each: a value on a container" },
    { .name = "containers",
      .kind = WEFT_PARAMETER_CONTAINERS,
      .fallback = "",
      .help = "only these containers' own tracks (#5+: and all that it holds)" },
    { .name = "where",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "only these states (doc/selections.md): row in worker*",
      .seldom = true },
};

struct group_walk {
    struct summary *s;
    struct group *groups;
    uint32_t track;
};

static bool add_state(void *user, const struct weft_state *state)
{
    struct group_walk *walk = user;
    struct group *group = &walk->groups[walk->s->by == BY_VALUE || walk->s->by == BY_EACH
                                            ? state->value
                                            : walk->s->group_of_track[walk->track]];
    weft_durations_add(&group->durations, weft_ticks_between(state->begin, state->end));
    return true;
}

static bool add_thing(void *user, const struct weft_thing *thing)
{
    return add_state(user, &(struct weft_state){ .id = thing->id,
                                                 .begin = thing->begin,
                                                 .end = thing->end,
                                                 .value = thing->value });
}

/* Adds the durations of a track's states that are asked for. */
static void add_track(struct summary *s, uint32_t track, struct group_walk *walk)
{
    if (s->query.where)
        weft_where_walk(&s->query, track, add_thing, walk);
    else
        s->source->ops->states(s->source, track, weft_window_with_end(s->schema, s->window),
                               add_state, walk);
}

static void sums_of_track(const struct summary *s, uint32_t track,
                          struct weft_track_sums *sums)
{
    if (s->query.where)
        weft_selected_sums_of_track(s->source, &s->query, s->window, track, sums);
    else
        weft_sums_of_track(s->source, &s->of_types, track, s->window, sums);
}

static void add_part(void *user, size_t part)
{
    struct summary *s = user;
    struct group *groups = s->partial + part * s->n_groups;
    size_t from = s->n_tracks * part / s->parts, to = s->n_tracks * (part + 1) / s->parts;
    for (size_t i = from; i < to && !weft_job_cancelled(s->job); i++) {
        struct group_walk walk = { s, groups, s->tracks[i] };
        add_track(s, s->tracks[i], &walk);
    }
}

/*
 * Computes the quantiles and frees what they need: there may be a group for each value on
 * each container.
 */
static void finish(struct group *group)
{
    group->p50 = weft_durations_quantile(&group->durations, 0.5);
    group->p95 = weft_durations_quantile(&group->durations, 0.95);
    group->p99 = weft_durations_quantile(&group->durations, 0.99);
    weft_durations_end(&group->durations);
}

/* Returns into how many parts the work is split: fewer if each has a great many groups. */
static size_t choose_parts(const struct summary *s, size_t wanted, size_t n_groups)
{
    size_t most = MAX_PARTIAL / (n_groups + 1);
    return s->n_tracks < 2 || most < 2 ? 1 : wanted < most ? wanted : most;
}

static double lived(const struct summary *s, uint32_t track)
{
    return (double)weft_track_lifetime(s->schema, track, s->window);
}

static void add_selected_sums(const struct summary *s, struct weft_sum *to)
{
    struct weft_track_sums sums;
    weft_track_sums_begin(&sums, s->schema);
    for (size_t i = 0; i < s->n_tracks && !weft_job_cancelled(s->job); i++) {
        sums_of_track(s, s->tracks[i], &sums);
        for (size_t k = 0; k < sums.n; k++) {
            struct weft_sum *sum = &to[sums.values[k]], more = sums.of[sums.values[k]];
            sum->total_ticks = weft_ticks_add(sum->total_ticks, more.total_ticks);
            sum->self_ticks = weft_ticks_add(sum->self_ticks, more.self_ticks);
        }
    }
    weft_track_sums_end(&sums);
}

static void add_sums_of_values(struct summary *s, struct weft_arena *arena)
{
    struct weft_sum *sums = weft_arena_zalloc(arena, s->schema->n_values + 1, sizeof *sums);
    double *by_type = weft_arena_zalloc(arena, s->schema->n_types, sizeof *by_type);
    if (s->query.where)
        add_selected_sums(s, sums);
    else
        s->source->ops->sums(s->source, s->tracks, s->n_tracks, s->window, sums);
    for (size_t i = 0; i < s->n_tracks; i++)
        by_type[s->schema->tracks[s->tracks[i]].type] += lived(s, s->tracks[i]);
    for (uint32_t v = 0; v < s->schema->n_values; v++) {
        s->groups[v].total = sums[v].total_ticks;
        s->groups[v].self = sums[v].self_ticks;
        s->groups[v].lived = by_type[s->schema->values[v].type];
    }
}

/* Adds the time in any state: the sum of the self times. */
static void add_sums_of_tracks(struct summary *s)
{
    struct weft_track_sums sums;
    weft_track_sums_begin(&sums, s->schema);
    for (size_t i = 0; i < s->n_tracks && !weft_job_cancelled(s->job); i++) {
        struct group *group = &s->groups[s->group_of_track[s->tracks[i]]];
        sums_of_track(s, s->tracks[i], &sums);
        for (size_t k = 0; k < sums.n; k++)
            group->self = weft_ticks_add(group->self, sums.of[sums.values[k]].self_ticks);
        group->total = group->self;
        group->lived += lived(s, s->tracks[i]);
    }
    weft_track_sums_end(&sums);
}

static void make_groups(struct summary *s, struct weft_arena *arena)
{
    const struct weft_schema *schema = s->schema;
    s->n_groups = s->by == BY_VALUE  ? schema->n_values
                  : s->by == BY_TYPE ? schema->n_types
                                     : schema->n_tracks;
    s->groups = weft_arena_zalloc(arena, s->n_groups + 1, sizeof *s->groups);
    s->group_of_track = weft_arena_alloc(arena, (schema->n_tracks + 1) * 4);
    for (size_t g = 0; g < s->n_groups; g++)
        s->groups[g].value = WEFT_NONE;
    for (uint32_t v = 0; s->by == BY_VALUE && v < schema->n_values; v++) {
        s->groups[v].type = schema->values[v].type;
        s->groups[v].name = schema->values[v].name;
        s->groups[v].value = v;
    }
    for (size_t i = 0; s->by != BY_VALUE && i < s->n_tracks; i++) {
        uint32_t t = s->tracks[i], type = schema->tracks[t].type;
        uint32_t g = s->by == BY_TYPE ? type : t;
        s->group_of_track[t] = g;
        s->groups[g].type = type;
        s->groups[g].name =
            s->by == BY_TYPE ? "any" : s->labels[schema->tracks[t].container];
    }
}

/*
 * Orders the groups: states of threads and the like first, then states without a role, then
 * those of locks; in each the relevant ones before idle or free.
 */
static void order_groups(struct summary *s)
{
    for (size_t g = 0; g < s->n_groups; g++) {
        struct group *group = &s->groups[g];
        group->order = 2 * weft_type_order(s->schema, group->type);
        if (group->value != WEFT_NONE)
            group->order += weft_value_order(s->schema, group->value);
    }
}

static int by_relevance(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return WEFT_COMPARE(x->order, y->order) ?: WEFT_COMPARE(y->total, x->total)
           ?: WEFT_COMPARE(y->self, x->self)
           ?: strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

/* Chooses the state tracks of the request's subtree whose containers the reader wants. */
static bool choose_tracks(struct summary *s, const struct weft_request *request,
                          struct weft_arena *arena, struct weft_err *err)
{
    const struct weft_schema *schema = s->schema;
    const struct weft_container *root = &schema->containers[request->under];
    const char *list = weft_setting(request, "containers");
    uint8_t *member = weft_arena_alloc(arena, schema->n_containers);
    if (!weft_setting_subtrees(schema, list, member, err))
        return false;
    s->tracks = weft_arena_alloc(arena, (schema->n_tracks + 1) * sizeof *s->tracks);
    for (uint32_t i = schema->track_begin[root->order];
         i < schema->track_begin[root->subtree_end]; i++) {
        uint32_t t = schema->track_at[i];
        if (schema->types[schema->tracks[t].type].kind == WEFT_STATE
            && (!list[0] || member[schema->tracks[t].container])
            && (!s->query.where || weft_where_may_hold(&s->query, t)))
            s->tracks[s->n_tracks++] = t;
    }
    return true;
}

/* A list of groups for each part; a group is a value on a track. */
struct group_lists {
    struct summary *s;
    struct group **lists;
    size_t *counts;
};

static void add_each(void *user, size_t part)
{
    struct group_lists *lists = user;
    struct summary *s = lists->s;
    size_t n_values = s->schema->n_values, capacity = 0;
    struct group *values = weft_zalloc(n_values + 1, sizeof *values);
    struct weft_track_sums sums;
    weft_track_sums_begin(&sums, s->schema);
    size_t from = s->n_tracks * part / s->parts, to = s->n_tracks * (part + 1) / s->parts;
    for (size_t i = from; i < to && !weft_job_cancelled(s->job); i++) {
        uint32_t track = s->tracks[i];
        struct group_walk walk = { s, values, track };
        add_track(s, track, &walk);
        uint32_t type = s->schema->tracks[track].type;
        sums_of_track(s, track, &sums);
        for (size_t k = 0; k < sums.n; k++) {
            uint32_t v = sums.values[k];
            struct group *group = &values[v];
            if (!group->durations.count)
                continue;
            finish(group);
            group->type = type;
            group->name = s->schema->values[v].name;
            group->value = v;
            group->track = track;
            group->total = sums.of[v].total_ticks;
            group->self = sums.of[v].self_ticks;
            group->lived = lived(s, track);
            lists->lists[part] = weft_grow(lists->lists[part], &capacity,
                                           lists->counts[part] + 1, sizeof *group);
            lists->lists[part][lists->counts[part]++] = *group;
            *group = (struct group){ 0 };
        }
    }
    for (size_t v = 0; v < n_values;
         v++) /* a hostile store's values may be on tracks of other types */
        weft_durations_end(&values[v].durations);
    free(values);
    weft_track_sums_end(&sums);
}

static void summarize_each(struct summary *s, struct weft_arena *arena)
{
    struct group_lists lists = { .s = s };
    s->parts = choose_parts(s, 4 * weft_parallel_width(), s->schema->n_values);
    lists.lists = weft_arena_zalloc(arena, s->parts, sizeof *lists.lists);
    lists.counts = weft_arena_zalloc(arena, s->parts, sizeof *lists.counts);
    weft_parallel(s->parts, 1, add_each, &lists);
    for (size_t i = 0; i < s->parts; i++)
        s->n_groups += lists.counts[i];
    s->groups = weft_arena_alloc(arena, (s->n_groups + 1) * sizeof *s->groups);
    size_t n = 0;
    for (size_t i = 0; i < s->parts; i++) {
        if (lists.counts[i])
            memcpy(s->groups + n, lists.lists[i], lists.counts[i] * sizeof *s->groups);
        n += lists.counts[i];
        free(lists.lists[i]);
    }
}

/* Returns the type's name with that of its containers: "Lock state of Mutex". */
static const char *with_container(const struct weft_schema *schema,
                                  const struct weft_type *type, struct weft_arena *arena)
{
    return type->parent == WEFT_NONE ? type->name
                                     : weft_arena_printf(arena, "%s of %s", type->name,
                                                         schema->types[type->parent].name);
}

/* Returns the types' names, with that of the containers if two types have the same name. */
static const char **name_types(const struct weft_schema *schema, struct weft_arena *arena)
{
    const char **names = weft_arena_zalloc(arena, schema->n_types, sizeof *names);
    struct weft_text_map first = { 0 };
    for (uint32_t t = 0; t < schema->n_types; t++) {
        const struct weft_type *type = &schema->types[t];
        names[t] = type->name;
        if (type->kind != WEFT_STATE)
            continue;
        uint32_t other = weft_text_map_get(&first, type->name, strlen(type->name));
        if (other == WEFT_MAP_NONE) {
            weft_text_map_put(&first, type->name, strlen(type->name), t);
            continue;
        }
        names[t] = with_container(schema, type, arena);
        if (names[other] == schema->types[other].name)
            names[other] = with_container(schema, &schema->types[other], arena);
    }
    weft_text_map_free(&first);
    return names;
}

static bool summarize_tracks(const struct weft_request *request, struct weft_arena *arena,
                             struct summary *s, struct weft_err *err)
{
    const struct weft_schema *schema = s->schema;
    if (!choose_tracks(s, request, arena, err))
        return false;
    s->of_types = weft_type_values(schema, arena);
    s->type_names = name_types(schema, arena);
    if (s->by == BY_CONTAINER || s->by == BY_EACH)
        s->labels = weft_container_labels(schema, arena);
    if (s->by == BY_EACH) {
        summarize_each(s, arena);
        order_groups(s);
        qsort(s->groups, s->n_groups, sizeof *s->groups, by_relevance);
        return weft_job_step(request->job, 1, 1, err);
    }
    make_groups(s, arena);
    s->parts = choose_parts(s, 2 * weft_parallel_width(), s->n_groups);
    s->partial = weft_zalloc(s->parts * s->n_groups, sizeof *s->partial);
    weft_parallel(s->parts, 1, add_part, s);
    for (size_t i = 0; i < s->parts * s->n_groups; i++)
        weft_durations_merge(&s->groups[i % s->n_groups].durations,
                             &s->partial[i].durations);
    free(s->partial);
    if (s->by == BY_VALUE)
        add_sums_of_values(s, arena);
    else
        add_sums_of_tracks(s);
    size_t kept = 0;
    for (size_t g = 0; g < s->n_groups; g++)
        if (s->groups[g].durations.count) {
            finish(&s->groups[g]);
            s->groups[kept++] = s->groups[g];
        }
    s->n_groups = kept;
    order_groups(s);
    qsort(s->groups, kept, sizeof *s->groups, by_relevance);
    return weft_job_step(request->job, 1, 1, err);
}

/* After it, s->query.where still says if there was a selection, and leads nowhere. */
static bool summarize(const struct weft_request *request, struct weft_arena *arena,
                      struct summary *s, struct weft_err *err)
{
    const char *by = weft_setting(request, "by"), *text = weft_setting(request, "where");
    const struct weft_source *source = request->set->sources[0];
    struct weft_where *where = text[0] ? weft_where_new(source, text, err) : NULL;
    if (text[0] && !where)
        return false;
    *s = (struct summary){ .source = source,
                           .schema = source->schema,
                           .window = request->window,
                           .query = { where,
                                      weft_window_with_end(source->schema, request->window),
                                      request->under, request->job },
                           .job = request->job,
                           .by = strcmp(by, "type") == 0        ? BY_TYPE
                                 : strcmp(by, "container") == 0 ? BY_CONTAINER
                                 : strcmp(by, "each") == 0      ? BY_EACH
                                                                : BY_VALUE };
    bool ok = summarize_tracks(request, arena, s, err);
    weft_where_free(where);
    return ok;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct summary s;
    if (!summarize(request, request->arena, &s, err))
        return false;
    const struct weft_schema *schema = s.schema;
    bool each = s.by == BY_EACH;
    weft_view_begin_table(request, out);
    for (size_t g = 0; g < s.n_groups; g++) {
        const struct group *group = &s.groups[g];
        const struct weft_cell cells[] = {
            weft_text_cell(each ? s.labels[schema->tracks[group->track].container] : ""),
            weft_text_cell(s.type_names[group->type]),
            weft_text_cell(group->name),
            weft_integer_cell((int64_t)group->durations.count),
            weft_integer_cell(weft_ticks_to_ns(schema, group->total)),
            weft_integer_cell(weft_ticks_to_ns(schema, group->self)),
            weft_integer_cell(mean_ns(schema, group)),
            weft_integer_cell(weft_ticks_to_ns(schema, group->p50)),
            weft_integer_cell(weft_ticks_to_ns(schema, group->p95)),
            weft_integer_cell(weft_ticks_to_ns(schema, group->p99)),
            weft_integer_cell(weft_ticks_to_ns(schema, group->durations.longest)),
            weft_real_cell(group->lived > 0 ? 100 * (double)group->total / group->lived : 0,
                           2),
        };
        if (!out->row(out, cells + !each)) /* the first column is there with by=each */
            break;
    }
    out->end(out);
    return true;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct summary s;
    if (!summarize(request, request->arena, &s, err))
        return false;
    state_summary_draw(request, &s, out);
    return true;
}

bool weft_set_has_states(const struct weft_set *set)
{
    return set->sources[0]->schema->n_states > 0;
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_answer_place(set, WEFT_ABOUT_TOTALS, WEFT_PLACE_BELOW);
}

/* Warns of states that look like work, but include more than that. */
static const char *remark(const struct weft_request *request)
{
    return weft_answer_remark(request->set->sources[0], request->arena);
}

static const struct weft_column columns[] = {
    { "container", "on which container", "by=each", .selects = "row" },
    { "type", "what sort of state", .selects = "type" },
    { "value", "which state", .selects = "by=container:row|by=type:|value" },
    { "count",
      "states that overlap the range; one inside another of its value is a second" },
    { "total_ns",
      "time in it, in the range: while a state is inside another of its value, that time "
      "counts once" },
    { "self_ns", "that without what was inside it", .seldom = true },
    { "mean_ns", "the sum of whole durations by their count: nested ones count each" },
    { "p50_ns",
      "half of the durations were no longer; exact up to 10,000, within 1 % above",
      .seldom = true },
    { "p95_ns", "95 of a hundred were no longer", .seldom = true },
    { "p99_ns", "99 of a hundred were no longer" },
    { "max_ns", "the longest" },
    { "share_pct", "total by how long the containers lived in the range" },
};

const struct weft_view weft_view_state_summary = {
    .name = "state-summary",
    .title = "State summary",
    .group = "Statistics",
    .explanation = "Each bar is the total time of a value; the solid part is its own, the "
                   "pale part was spent in states inside it.",
    .needs = "states (any recording has them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_states,
    .place = place,
    .scene = scene,
    .table = table,
    .remark = remark,
};
