/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the nodes that can be seen, and what is at a point. */
#include <math.h>
#include <string.h>

#include "store/time.h"
#include "view/tasks/dag_picture.h"

enum { COLUMNS = 45 };

static struct weft_cell number_or_nothing(int32_t number)
{
    return number < 0 ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                      : weft_integer_cell(number);
}

static struct weft_cell node_or_nothing(uint32_t node)
{
    return node == WEFT_NONE ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                             : weft_integer_cell(node);
}

static struct weft_cell site_cell(const struct dag_picture *p, uint32_t site)
{
    const char *text = weft_dag_site_text(p->schema, site, p->arena);
    return text ? weft_text_cell(text) : (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
}

static bool put_row(struct dag_picture *p, const struct dag_place *place,
                    struct weft_table *out)
{
    static const char *const edges[] = { "end", "create", "create-cont", "wait-cont",
                                         "other-cont" };
    const struct weft_schema *schema = p->schema;
    struct weft_dag_node node;
    struct weft_cell cells[COLUMNS];
    size_t n = 0;
    int64_t zero = schema->span.begin;
    weft_dag_node(p->dag, place->child.node, &node);
    cells[n++] = weft_integer_cell(place->child.node);
    cells[n++] = weft_text_cell(weft_dag_kind_text(node.kind));
    cells[n++] = node_or_nothing(node.parent);
    cells[n++] = weft_integer_cell(place->depth);
    cells[n++] = weft_text_cell(place->entered ? "on" : "off");
    cells[n++] = number_or_nothing(node.worker);
    cells[n++] = number_or_nothing(node.cpu);
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.begin - zero));
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.end - zero));
    cells[n++] = site_cell(p, node.begin_site);
    cells[n++] = site_cell(p, node.end_site);
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.earliest));
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.work));
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.critical_path));
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.first_ready - zero));
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.last_start - zero));
    cells[n++] = weft_text_cell(node.in_edge < WEFT_DAG_EDGES ? edges[node.in_edge] : "?");
    for (int i = 0; i < WEFT_DAG_EDGES; i++)
        cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.ready[i]));
    for (int i = 0; i < WEFT_DAG_LEAF_KINDS; i++)
        cells[n++] = weft_integer_cell((int64_t)node.leaves[i]);
    for (int i = 0; i < WEFT_DAG_EDGES; i++)
        cells[n++] = weft_integer_cell((int64_t)node.edges[i]);
    cells[n++] = weft_integer_cell((int64_t)node.materialized);
    cells[n++] = weft_integer_cell((int64_t)node.least);
    cells[n++] = weft_integer_cell((int64_t)node.creates);
    cells[n++] = weft_real_cell(place->at.x, 2);
    cells[n++] = weft_real_cell(place->at.y, 2);
    cells[n++] = weft_real_cell(place->box.width, 2);
    cells[n++] = weft_real_cell(place->box.height, 2);
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
        cells[n++] = p->counted[k] ? weft_integer_cell(node.counters[k])
                                   : (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
    return out->row(out, cells);
}

static const char *const columns[] = {
    "node",
    "kind",
    "parent",
    "depth",
    "open",
    "worker",
    "cpu",
    "begin_ns",
    "end_ns",
    "begin_place",
    "end_place",
    "earliest_ns",
    "work_ns",
    "critical_path_ns",
    "first_ready_ns",
    "last_start_ns",
    "in_edge",
    "ready_end_ns",
    "ready_create_ns",
    "ready_create_cont_ns",
    "ready_wait_cont_ns",
    "ready_other_cont_ns",
    "create",
    "wait",
    "other",
    "end",
    "edge_end",
    "edge_create",
    "edge_create_cont",
    "edge_wait_cont",
    "edge_other_cont",
    "materialized",
    "least",
    "creates",
    "x",
    "y",
    "width",
    "height",
    "counter_1",
    "counter_2",
    "counter_3",
    "counter_4",
};

bool dag_table(const struct weft_view *view, const struct weft_request *request,
               struct weft_table *out, struct weft_err *err)
{
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct dag_picture p;
    if (!dag_begin(&p, view, request, &arena, &scene, err)) {
        weft_arena_free(&arena);
        return false;
    }
    dag_lay_out(&p);
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++) {
        char name[64];
        p.counted[k] = weft_dag_counter_name(p.dag, k, name, sizeof name);
    }
    out->begin(out, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p.n_places; i++)
        if (!put_row(&p, &p.places[i], out))
            break;
    out->end(out);
    dag_end(&p);
    weft_arena_free(&arena);
    return true;
}

/* The innermost thing at a point, or the nearest node within a few pixels. */
static const struct dag_place *find_at(const struct dag_picture *p, struct weft_point at)
{
    const struct dag_place *found = NULL;
    double nearest = 6;
    for (size_t i = 0; i < p->n_places; i++) { /* outer boxes come first */
        struct weft_rect box = p->places[i].box;
        double dx = fmax(fmax(box.x - at.x, at.x - box.x - box.width), 0);
        double dy = fmax(fmax(box.y - at.y, at.y - box.y - box.height), 0);
        double far = hypot(dx, dy);
        if (p->places[i].entered && far > 0)
            continue;
        if (far <= nearest) {
            nearest = far;
            found = &p->places[i];
        }
    }
    return found;
}

bool dag_point(const struct weft_view *view, const struct weft_request *request,
               struct weft_point at, uint64_t *id, struct weft_table *table,
               struct weft_err *err)
{
    static const char *const names[] = { "name", "value" };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct dag_picture p;
    struct weft_dag_fact facts[WEFT_DAG_MOST_FACTS];
    size_t few;
    *id = WEFT_NO_ID;
    if (!dag_begin(&p, view, request, &arena, &scene, err)) {
        weft_arena_free(&arena);
        return false;
    }
    dag_lay_out(&p);
    const struct dag_place *place = find_at(&p, at);
    table->begin(table, names, 2);
    if (place) {
        size_t n = weft_dag_facts(p.source, p.dag, place->child.node, &arena, facts, &few);
        *id = weft_dag_mark_id(p.dag, place->child.node);
        for (size_t i = 0; i < n; i++) {
            const struct weft_cell cells[] = { weft_text_cell(facts[i].name),
                                               weft_text_cell(facts[i].value) };
            if (!table->row(table, cells))
                break;
        }
    }
    table->end(table);
    dag_end(&p);
    weft_arena_free(&arena);
    return true;
}
