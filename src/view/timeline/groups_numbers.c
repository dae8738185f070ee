/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the groups of the view of groups, and the numbers about them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/where_selection.h"
#include "base/compare.h"
#include "view/timeline/groups.h"

/* ---- Which groups ---- */

/* Marks the containers that hold others with states: those directly around them. */
static void mark_holders(const struct weft_schema *schema, uint8_t *member)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        uint32_t parent = schema->containers[schema->tracks[t].container].parent;
        if (parent != WEFT_NONE && schema->tracks[t].count
            && schema->types[schema->tracks[t].type].kind == WEFT_STATE)
            member[parent] = 1;
    }
}

/* Marks the containers that are groups; false with WEFT_ERR_USAGE. */
static bool mark_groups(const struct weft_request *request, uint8_t *member,
                        struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const char *wanted = weft_setting(request, "containers");
    bool any = false;
    if (wanted[0])
        return weft_setting_containers(schema, wanted, member, err);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        any |= member[c] = schema->reduced && schema->reduced[c];
    for (uint32_t c = 0; c < schema->n_containers && !any; c++)
        member[c] = schema->containers[c].role == WEFT_ROLE_GROUP;
    for (uint32_t c = 0; c < schema->n_containers; c++)
        any |= member[c];
    if (!any)
        mark_holders(schema, member);
    return true;
}

/* Sets ACTIVE and *WHAT by the setting `active`. */
static bool read_active(const struct weft_request *request, uint8_t *active,
                        const char **what, struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    *what = weft_setting(request, "active");
    if (!(*what)[0]) {
        *what = weft_values_of_work(source->schema, active) ? "at work" : "in a state";
        return true;
    }
    struct weft_where *where = weft_where_new(source, *what, err);
    bool ok = where && weft_where_state_values(where, active);
    weft_where_free(where);
    return ok
           || (where
               && weft_fail(err, WEFT_ERR_USAGE,
                            "active=%.100s: right are states by value or role", *what));
}

bool groups_find(struct groups *groups, const struct weft_request *request,
                 struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    struct weft_arena *arena = request->arena;
    const struct weft_container *root = &schema->containers[request->under];
    uint8_t *member = weft_arena_zalloc(arena, (size_t)schema->n_containers + 1, 1);
    uint8_t *active = weft_arena_zalloc(arena, (size_t)schema->n_values + 1, 1);
    *groups = (struct groups){ .request = request, .source = source, .schema = schema };
    groups->window = request->has_at ? weft_request_instant(request) : request->window;
    groups->list =
        weft_arena_alloc(arena, ((size_t)schema->n_containers + 1) * sizeof *groups->list);
    groups->group_of = weft_arena_alloc(arena, ((size_t)schema->n_containers + 1)
                                                   * sizeof *groups->group_of);
    memset(groups->group_of, 0xff, (size_t)schema->n_containers * sizeof *groups->group_of);
    if (!mark_groups(request, member, err)
        || !read_active(request, active, &groups->what, err))
        return false;
    bool chosen = weft_setting(request, "active")[0];
    for (uint32_t p = root->order; p < root->subtree_end; p++) {
        uint32_t c = schema->preorder[p], parent = schema->containers[c].parent;
        const struct weft_reduction *reduction =
            schema->reduced && !chosen ? schema->reduced[c] : NULL;
        if (parent != WEFT_NONE)
            groups->group_of[c] = groups->group_of[parent];
        if (!member[c])
            continue;
        struct group *group = &groups->list[groups->n];
        *group = (struct group){
            c, schema->containers[c].name, reduction ? reduction->active : active, { 0 }
        };
        group->members = weft_members_of(schema, c, group->active, arena);
        group->at_once = weft_most_at_once(schema, group->members.tracks, group->members.n);
        if (reduction)
            groups->what = reduction->what;
        groups->group_of[c] = (uint32_t)groups->n++;
    }
    return true;
}

/* ---- Numbers ---- */

int64_t *groups_count_active(const struct groups *groups, size_t g, struct weft_job *job)
{
    const struct group *group = &groups->list[g];
    int64_t *ticks = weft_zalloc(group->members.n + 1, sizeof *ticks);
    weft_active_counts(groups->source, &group->members, group->active, groups->window, job,
                       ticks);
    return ticks;
}

static int by_count(const void *a, const void *b)
{
    const struct weft_pair_sum *x = a, *y = b;
    return WEFT_COMPARE(y->count, x->count) ?: WEFT_COMPARE(x->from, y->from)
           ?: WEFT_COMPARE(x->to, y->to);
}

void groups_sum_links(const struct groups *groups, struct weft_pair_sums *out)
{
    const struct weft_schema *schema = groups->schema;
    const struct weft_source *source = groups->source;
    uint32_t *tracks = weft_alloc(((size_t)schema->n_tracks + 1) * sizeof *tracks);
    size_t n = 0, kept = 0;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_LINK
            && schema->tracks[t].count)
            tracks[n++] = t;
    if (groups->request->has_at)
        source->ops->pairs_pending(source, tracks, n, groups->window.begin, out);
    else
        source->ops->pair_sums(source, tracks, n,
                               weft_window_with_end(schema, groups->window), out);
    free(tracks);
    for (size_t i = 0; i < out->n; i++) {
        struct weft_pair_sum sum = out->rows[i];
        if (sum.from == WEFT_NONE || sum.to == WEFT_NONE)
            continue;
        sum.from = groups->group_of[sum.from];
        sum.to = groups->group_of[sum.to];
        if (sum.from != WEFT_NONE && sum.to != WEFT_NONE)
            out->rows[kept++] = sum;
    }
    out->n = kept;
    weft_pair_sums_combine(out);
    if (out->n > 1)
        qsort(out->rows, out->n, sizeof *out->rows, by_count);
}

/* ---- Variables ---- */

struct sample_walk {
    struct weft_span window;
    struct group_variable *of;
    double area, ticks; /* value times ticks; ticks with a value */
    bool any;
};

static bool see_sample(void *user, const struct weft_sample *sample)
{
    struct sample_walk *walk = user;
    struct group_variable *of = walk->of;
    int64_t begin = sample->begin > walk->window.begin ? sample->begin : walk->window.begin;
    int64_t end = sample->end < walk->window.end ? sample->end : walk->window.end;
    if (sample->begin >= walk->window.end || end < begin)
        return true;
    bool first = !of->members && !walk->any;
    of->min = first || sample->value < of->min ? sample->value : of->min;
    of->max = first || sample->value > of->max ? sample->value : of->max;
    walk->area += sample->value * (double)(end - begin);
    walk->ticks += (double)(end - begin);
    walk->any = true;
    return true;
}

/* Reads the variables of TYPE that group G has; false if none has a value in the window. */
static bool read_variable(const struct groups *groups, size_t g, uint32_t type,
                          struct group_variable *out)
{
    const struct weft_schema *schema = groups->schema;
    const struct weft_container *c = &schema->containers[groups->list[g].container];
    double area = 0, ticks = 0;
    *out = (struct group_variable){ .group = g, .type = type };
    for (uint32_t i = schema->track_begin[c->order];
         i < schema->track_begin[c->subtree_end]; i++) {
        uint32_t t = schema->track_at[i];
        struct sample_walk walk = { groups->window, out, 0, 0, false };
        if (schema->tracks[t].type != type || !schema->tracks[t].count)
            continue;
        groups->source->ops->samples(groups->source, t, groups->window, see_sample, &walk);
        out->members += walk.any;
        area += walk.area;
        ticks += walk.ticks;
    }
    double length = (double)(groups->window.end - groups->window.begin);
    out->mean = ticks > 0 ? area / ticks : NAN;
    out->sum = length > 0 ? area / length : 0;
    return out->members;
}

const struct group_variable *groups_variables(const struct groups *groups,
                                              struct weft_arena *arena, size_t *n)
{
    const struct weft_schema *schema = groups->schema;
    uint8_t *any = weft_zalloc((size_t)schema->n_types + 1, 1);
    size_t n_types = 0;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_VARIABLE) {
            n_types += !any[schema->tracks[t].type];
            any[schema->tracks[t].type] = 1;
        }
    struct group_variable *list =
        weft_arena_alloc(arena, (groups->n * n_types + 1) * sizeof *list);
    *n = 0;
    for (size_t g = 0; g < groups->n; g++)
        for (uint32_t type = 0; type < schema->n_types; type++)
            if (any[type] && !weft_job_cancelled(groups->request->job)
                && read_variable(groups, g, type, &list[*n]))
                ++*n;
    free(any);
    return list;
}
