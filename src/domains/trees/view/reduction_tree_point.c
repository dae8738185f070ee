/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the table of the visible nodes, and the facts of the node nearest to a point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/view/reduction_tree.h"
#include "domains/trees/view/views.h"
#include "store/time.h"

bool rt_table(const struct weft_request *request, struct weft_table *out,
              struct weft_err *err)
{
    struct weft_scene scene;
    struct rt_picture picture;
    struct weft_rect line;
    bool begun = rt_begin(&picture, request, &scene, err);
    bool ok = begun && rt_lay_out(&picture, &line, err);
    if (ok) {
        struct rt_picture *p = &picture;
        const struct weft_tree *tree = p->look.tree;
        weft_view_begin_table(request, out);
        for (size_t i = 0; i < p->n_places; i++) {
            const struct rt_place *place = &p->places[i];
            uint32_t node = place->node;
            const struct weft_cell cells[] = {
                weft_integer_cell(tree->record[node]),
                weft_integer_cell(tree->pe[node]),
                weft_integer_cell(weft_tree_index(tree, node)),
                weft_text_cell(tree->labels[tree->label[node]].name),
                weft_integer_cell(weft_ticks_to_ns(
                    p->look.schema, tree->time[node] - p->look.schema->span.begin)),
                weft_integer_cell(p->look.layout->level[place->ring]),
                weft_integer_cell(place->ring),
                weft_real_cell(place->at.x, 2),
                weft_real_cell(place->at.y, 2),
                weft_integer_cell((int64_t)place->hidden),
                weft_integer_cell((int64_t)place->folded),
                weft_integer_cell(place->times),
            };
            if (!out->row(out, cells))
                break;
        }
        out->end(out);
    }
    if (begun)
        rt_end(&picture);
    return ok;
}

/* Returns the distance of a point from a place, in pixels; 0 inside a bar. */
static double distance(const struct rt_picture *p, const struct rt_place *place,
                       struct weft_point at)
{
    if (p->layout != RT_ICICLE)
        return hypot(place->at.x - at.x, place->at.y - at.y);
    double right = place->at.x + place->sector.size * p->width;
    double x = at.x < place->at.x ? place->at.x - at.x : at.x > right ? at.x - right : 0;
    double bottom = place->at.y + rt_step(p, place->ring);
    double y = at.y < place->at.y ? place->at.y - at.y : at.y > bottom ? at.y - bottom : 0;
    return hypot(x, y);
}

void rt_fact(struct weft_table *table, const char *name, const char *value)
{
    const struct weft_cell cells[] = { weft_text_cell(name), weft_text_cell(value) };
    if (value)
        table->row(table, cells);
}

/* Returns a bar of twenty steps, as in VISTA's window of a node, and the percentage. */
static const char *bar_text(struct weft_arena *arena, double amount)
{
    enum { STEPS = 20 };
    char bar[3 * STEPS + 1] = "";
    for (int i = 0; i < STEPS; i++) /* three bytes of UTF-8 each */
        memcpy(bar + 3 * i, (i + 0.5) / STEPS <= amount ? "█" : "░", 4);
    return weft_arena_printf(arena, "%s %.1f %%", bar, amount * 100);
}

/* Tells when a subtree ran, and the PEs that ran most of its nodes. */
static void tell_shares(const struct rt_picture *p, uint32_t node, struct weft_table *table)
{
    enum {
        MAX_NAMED = 6,
        LARGEST = 4000000
    }; /* most PEs named; most nodes, which are counted
                                             within milliseconds */
    const struct weft_tree *tree = p->look.tree;
    int64_t zero = p->look.schema->span.begin;
    char from[WEFT_TIME_TEXT], to[WEFT_TIME_TEXT];
    if (tree->count[node] < 2 || tree->count[node] > LARGEST)
        return; /* counting them would delay a moving pointer */
    uint64_t *of_pe = weft_arena_zalloc(p->arena, tree->n_pes + 1, sizeof *of_pe);
    struct weft_span span = weft_tree_shares(tree, node, of_pe);
    rt_fact(table, tree->has_reductions ? "its time" : "its calls begin",
            weft_arena_printf(p->arena, "%s to %s",
                              weft_duration_text(p->look.schema, span.begin - zero, from),
                              weft_duration_text(p->look.schema, span.end - zero, to)));
    const char *text = "";
    for (int i = 0; i < MAX_NAMED; i++) {
        uint32_t most = 0;
        for (uint32_t pe = 1; pe < tree->n_pes; pe++)
            most = of_pe[pe] > of_pe[most] ? pe : most;
        if (!of_pe[most])
            break;
        text = weft_arena_printf(p->arena, "%s%s%s %.1f %%", text, i ? ", " : "",
                                 tree->pes[most].name,
                                 100.0 * (double)of_pe[most] / tree->count[node]);
        of_pe[most] = 0;
    }
    rt_fact(table, weft_arena_printf(p->arena, "its %s", p->words.rows), text);
}

struct waker {
    uint64_t of, by;
};

static bool find_waker(void *user, const struct weft_link *link)
{
    struct waker *waker = user;
    if (link->to_entity != waker->of || link->from_entity == WEFT_NO_ID)
        return true;
    waker->by = link->from_entity;
    return false;
}

/*
 * Tells the reduction that bound the variable: the source of the first link that ends at
 * the goal's reduction.
 */
static void tell_waker(const struct rt_picture *p, uint32_t node, int64_t since,
                       struct weft_table *table)
{
    const struct weft_tree *tree = p->look.tree;
    const struct weft_source *source = p->look.source;
    struct waker waker = { weft_tree_id(tree, node), WEFT_NO_ID };
    source->ops->links_at(
        source, tree->pes[tree->pe[node]].container, true,
        (struct weft_span){ weft_time_clamp(since), tree->time[node] + 1 }, find_waker,
        &waker);
    uint32_t by = waker.by == WEFT_NO_ID ? WEFT_NONE : weft_tree_find(tree, waker.by);
    if (by != WEFT_NONE)
        rt_fact(table, "woken by",
                weft_arena_printf(p->arena, "%s (%s, %u)",
                                  tree->labels[tree->label[by]].name,
                                  tree->pes[tree->pe[by]].name, weft_tree_index(tree, by)));
}

/* Tells the facts of the goal's suspension, and the text fields of its reduction. */
static void tell_waiting(const struct rt_picture *p, uint32_t node,
                         struct weft_table *table)
{
    const struct weft_tree *tree = p->look.tree;
    const struct weft_schema *schema = p->look.schema;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    char text[WEFT_TIME_TEXT];
    if (tree->ordinal[node] == WEFT_NONE || tree->type == WEFT_NONE)
        return;
    size_t n = p->look.source->ops->fields(p->look.source, weft_tree_id(tree, node), fields,
                                           WEFT_FIELDS_MAX);
    for (size_t i = 0; i < n; i++) {
        const struct weft_field *field = &schema->fields[fields[i].field];
        if (field->kind == WEFT_FIELD_TEXT) {
            rt_fact(table, field->name, schema->strings[fields[i].index]);
        } else if (field->kind != WEFT_FIELD_INTEGER) {
            continue;
        } else if (weft_role_is(field->role, WEFT_ROLE_SINCE)) {
            rt_fact(table, "suspended at",
                    weft_duration_text(
                        schema, weft_ticks_between(schema->span.begin, fields[i].integer),
                        text));
            tell_waker(p, node, fields[i].integer, table);
        } else if (weft_role_is(field->role, WEFT_ROLE_WOKEN)) {
            rt_fact(table, "woken at",
                    weft_duration_text(
                        schema, weft_ticks_between(schema->span.begin, fields[i].integer),
                        text));
        } else if (weft_role_is(field->role, WEFT_ROLE_WAITS)) {
            rt_fact(table, "suspensions",
                    weft_arena_printf(p->arena, "%lld", (long long)fields[i].integer));
        }
    }
}

static void tell(const struct rt_picture *p, const struct rt_place *place,
                 struct weft_table *table)
{
    const struct weft_tree *tree = p->look.tree;
    const struct weft_schema *schema = p->look.schema;
    const struct weft_tree_label *label = &tree->labels[tree->label[place->node]];
    struct weft_arena *arena = p->arena;
    uint32_t node = place->node, parent = tree->parent[node];
    double run = (double)(schema->span.end - schema->span.begin);
    int64_t since = tree->time[node] - schema->span.begin;
    char time[WEFT_TIME_TEXT];
    rt_fact(table, p->words.label, label->name);
    if (place->times > 1)
        rt_fact(table, "merged, the first of", weft_number_text(arena, place->times, 0));
    if (label->clause)
        rt_fact(table, "clause", weft_arena_printf(arena, "%u", label->clause));
    if (label->site != WEFT_NONE)
        rt_fact(table, "source",
                weft_arena_printf(arena, "%s:%u", schema->sites[label->site].file,
                                  schema->sites[label->site].line));
    if (tree->ordinal[node] != WEFT_NONE) {
        rt_fact(table, p->words.row, tree->pes[tree->pe[node]].name);
        rt_fact(table, "index",
                weft_arena_printf(arena, "%u", weft_tree_index(tree, node)));
        rt_fact(table, "record", weft_arena_printf(arena, "%u", tree->record[node]));
    }
    if (parent != WEFT_NONE && tree->ordinal[parent] != WEFT_NONE)
        rt_fact(table, "parent",
                weft_arena_printf(
                    arena, "%s (%s, %u)", tree->labels[tree->label[parent]].name,
                    tree->pes[tree->pe[parent]].name, weft_tree_index(tree, parent)));
    rt_fact(table, "time", weft_duration_text(schema, since, time));
    rt_fact(table, "in the run", bar_text(arena, run > 0 ? (double)since / run : 0));
    tell_waiting(p, node, table);
    if (!tree->has_reductions)
        rt_tell_waits(p, node, table);
    rt_fact(table, "level",
            weft_arena_printf(arena, "%u", p->look.layout->level[place->ring]));
    rt_fact(table, "children",
            weft_arena_printf(arena, "%u",
                              tree->first_child[node + 1] - tree->first_child[node]));
    rt_fact(table, "nodes of its subtree", weft_number_text(arena, tree->count[node], 0));
    tell_shares(p, node, table);
    if (place->folded)
        rt_fact(table, "folded into it", weft_number_text(arena, (double)place->folded, 0));
    if (place->hidden)
        rt_fact(table, "below a pixel", weft_number_text(arena, (double)place->hidden, 0));
}

bool rt_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
              struct weft_table *table, struct weft_err *err)
{
    struct weft_scene scene;
    struct rt_picture picture;
    struct weft_rect line;
    bool begun = rt_begin(&picture, request, &scene, err);
    if (!begun || !rt_lay_out(&picture, &line, err)) {
        if (begun)
            rt_end(&picture);
        return false;
    }
    struct rt_picture *p = &picture;
    const struct rt_place *nearest = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < p->n_places; i++) {
        double far = distance(p, &p->places[i], at);
        if (far < least) {
            least = far;
            nearest = &p->places[i];
        }
    }
    weft_table_begin_facts(table);
    if (nearest) {
        *id = weft_tree_id(p->look.tree, nearest->node);
        tell(p, nearest, table);
    }
    table->end(table);
    rt_end(&picture);
    return true;
}
