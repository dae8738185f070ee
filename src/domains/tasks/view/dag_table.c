/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the visible nodes, and the node at a point. */
#include <math.h>
#include <string.h>

#include "domains/tasks/view/dag_picture_priv.h"
#include "store/time.h"

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

/* For an unreadable node only its position in the picture is known. */
static bool put_lost_row(const struct dag_place *place, struct weft_table *out)
{
    struct weft_cell cells[DAG_COLUMNS];
    for (size_t i = 0; i < DAG_COLUMNS; i++) {
        const char *name = dag_columns[i].name;
        cells[i] = strcmp(name, "node") == 0    ? weft_integer_cell(place->child.node)
                   : strcmp(name, "depth") == 0 ? weft_integer_cell(place->depth)
                   : strcmp(name, "x") == 0     ? weft_real_cell(place->at.x, 2)
                   : strcmp(name, "y") == 0     ? weft_real_cell(place->at.y, 2)
                   : strcmp(name, "width") == 0 ? weft_real_cell(place->box.width, 2)
                   : strcmp(name, "height") == 0
                       ? weft_real_cell(place->box.height, 2)
                       : (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
    }
    return out->row(out, cells);
}

static bool put_row(struct dag_picture *p, const struct dag_place *place,
                    struct weft_table *out)
{
    static const char *const edges[] = { "end", "create", "create-cont", "wait-cont",
                                         "other-cont" };
    const struct weft_schema *schema = p->schema;
    struct weft_dag_node node;
    struct weft_cell cells[DAG_COLUMNS];
    size_t n = 0;
    int64_t zero = schema->span.begin;
    weft_dag_node(p->dag, place->child.node, &node);
    if (weft_dag_is_lost(&node))
        return put_lost_row(place, out);
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
    cells[n++] = weft_integer_cell(weft_ticks_to_ns(schema, node.waiting));
    return out->row(out, cells);
}

const struct weft_column dag_columns[DAG_COLUMNS] = {
    { "node", "the node, by its number; 0 is the root" },
    { "kind", "create, wait, other or end: what ended this part of a task; section; task" },
    { "parent",
      "the section or task that it is inside of; of a task the create that made it" },
    { "depth", "how many sections and tasks are around it" },
    { "open", "on: a box that is drawn around its inside" },
    { "worker", "the worker that ran it; empty: several, or not known" },
    { "cpu", "the processor that it ran on; empty: several, or not known" },
    { "begin_ns", "when it began, from the begin of the trace" },
    { "end_ns", "when it ended" },
    { "begin_place", "where it begins in the program" },
    { "end_place", "where it ends in the program" },
    { "earliest_ns",
      "when it could have begun, were there workers enough (est): after the begin of the "
      "root" },
    { "work_ns", "what it worked, with all inside (t_1)" },
    { "critical_path_ns", "the longest way of work through it (t_inf)" },
    { "first_ready_ns", "when the first of its leaves became ready" },
    { "last_start_ns", "when the last of its leaves started" },
    { "in_edge", "how it became ready: create, create-cont, end, wait-cont or other-cont" },
    { "ready_end_ns", "how long its leaves were ready and not running behind an end" },
    { "ready_create_ns", "the same of new tasks" },
    { "ready_create_cont_ns", "the same behind a create" },
    { "ready_wait_cont_ns", "the same behind a wait" },
    { "ready_other_cont_ns", "the same behind another break" },
    { "create", "leaves inside that end with the creation of a task, here or contracted" },
    { "wait", "those that end with a wait" },
    { "other", "those that end otherwise" },
    { "end", "those that end a task" },
    { "edge_end", "edges inside from the end of a task, here or contracted" },
    { "edge_create", "edges to new tasks" },
    { "edge_create_cont", "edges from a create to what its creator did next" },
    { "edge_wait_cont", "edges from a wait to what follows" },
    { "edge_other_cont", "edges from another break to what follows" },
    { "materialized", "nodes inside that the trace has, itself included" },
    { "least", "how many they were, were all contracted that ran on one worker" },
    { "creates", "creates among its direct children" },
    { "x", "its place in the picture, in pixels: where edges arrive" },
    { "y", "the same, down" },
    { "width", "its width in the picture, in pixels" },
    { "height", "its height" },
    { "counter_1", "what --counters named first, in its leaves; empty: nothing" },
    { "counter_2", "the second one" },
    { "counter_3", "the third one" },
    { "counter_4", "the fourth one" },
    { "waiting_ns", "how long its leaves waited for locks while they ran" },
};

bool dag_table(const struct weft_request *request, struct weft_table *out,
               struct weft_err *err)
{
    struct weft_scene scene;
    struct dag_picture p;
    if (!dag_begin(&p, request, &scene, err))
        return false;
    dag_lay_out(&p);
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++) {
        char name[64];
        p.counted[k] = weft_dag_counter_name(p.dag, k, name, sizeof name);
    }
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < p.n_places; i++)
        if (!put_row(&p, &p.places[i], out))
            break;
    out->end(out);
    dag_end(&p);
    return true;
}

/* The innermost node at a point, or the nearest one within a few pixels. */
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

bool dag_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
               struct weft_table *table, struct weft_err *err)
{
    struct weft_scene scene;
    struct dag_picture p;
    struct weft_dag_fact facts[WEFT_DAG_MAX_FACTS];
    size_t few;
    if (!dag_begin(&p, request, &scene, err))
        return false;
    dag_lay_out(&p);
    const struct dag_place *place = find_at(&p, at);
    weft_table_begin_facts(table);
    if (place) {
        size_t n =
            weft_dag_facts(p.source, p.dag, place->child.node, request->arena, facts, &few);
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
    return true;
}
