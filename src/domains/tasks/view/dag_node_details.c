/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The details of nodes of task DAGs, and of the states that show nodes on the tracks of
 * workers (view/domain_answers.h).
 */
#include <inttypes.h>

#include "domains/tasks/view/dag_facts.h"
#include "view/detail_maker.h"

static void say_node_facts(struct weft_maker *m, const struct weft_dag *dag, uint32_t node)
{
    struct weft_dag_fact facts[WEFT_DAG_MAX_FACTS];
    size_t few, n = weft_dag_facts(m->source, dag, node, m->arena, facts, &few);
    for (size_t i = 0; i < n; i++)
        weft_maker_say(m, facts[i].name, facts[i].value)->site = facts[i].site;
}

/*
 * Sets the neighbours of a node: incoming is its parent; outgoing is its created task or
 * first child; previous and next are its siblings, if SIBLINGS.  A state keeps its own
 * previous and next, the states beside it on its track.
 */
static void node_neighbours(struct weft_maker *m, const struct weft_dag *dag, uint32_t node,
                            bool siblings)
{
    struct weft_dag_node shape, parent;
    weft_dag_shape(dag, node, &shape);
    if (shape.created != WEFT_NONE)
        m->detail->outgoing = weft_dag_mark_id(dag, shape.created);
    else if (shape.n)
        m->detail->outgoing = weft_dag_mark_id(dag, shape.first);
    if (shape.parent == WEFT_NONE)
        return;
    m->detail->incoming = weft_dag_mark_id(dag, shape.parent);
    weft_dag_shape(dag, shape.parent, &parent);
    if (!siblings || !parent.n)
        return;
    if (node > parent.first)
        m->detail->previous = weft_dag_mark_id(dag, node - 1);
    if (node + 1 < parent.first + parent.n)
        m->detail->next = weft_dag_mark_id(dag, node + 1);
}

bool weft_dag_tell_node(struct weft_maker *m, uint64_t id)
{
    struct weft_err err = { 0 };
    struct weft_dag_node all;
    if (weft_entity_track(id) != WEFT_NODE_TRACK || !weft_dag_fills(m->source))
        return false;
    struct weft_dag *dag = weft_dag_open(m->source, &err);
    uint32_t node = dag ? weft_dag_of_mark(dag, id) : WEFT_NONE;
    if (node != WEFT_NONE) {
        weft_dag_node(dag, node, &all);
        m->detail->kind = "node";
        m->detail->name =
            weft_arena_printf(m->arena, "%s %u", weft_dag_kind_text(all.kind), node);
        m->detail->container =
            all.worker >= 0 ? weft_dag_worker_container(dag, (uint32_t)all.worker) : 0;
        m->detail->begin = all.begin;
        m->detail->end = all.end;
        say_node_facts(m, dag, node);
        node_neighbours(m, dag, node, true);
    }
    weft_dag_close(dag);
    return node != WEFT_NONE;
}

/* Asks for the tasks that the task created which STATE shows, the longest first. */
static void ask_for_children(struct weft_maker *m, const struct weft_state *state)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = m->source->ops->fields(m->source, state->id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *number = weft_field_with_role(
        m->schema, fields, n, WEFT_ROLE_TASK_NUMBER, WEFT_FIELD_INTEGER);
    if (number)
        weft_maker_ask(m, "tasks that it created, the longest first", "instances", NULL,
                       weft_arena_printf(m->arena, "%s = %" PRId64,
                                         weft_role_name(WEFT_ROLE_CREATOR_NUMBER),
                                         number->integer));
}

/* Adds the facts and neighbours of the node that STATE shows, if it shows one. */
void weft_dag_tell_state(struct weft_maker *m, const struct weft_state *state)
{
    ask_for_children(m, state);
    struct weft_err err = { 0 };
    uint32_t type = m->schema->tracks[weft_entity_track(state->id)].type;
    if (!weft_role_is(m->schema->types[type].role, WEFT_ROLE_TASK_INTERVAL)
        || !weft_dag_fills(m->source))
        return;
    struct weft_dag *dag = weft_dag_open(m->source, &err);
    uint32_t node = dag ? weft_dag_node_of(dag, state->id) : WEFT_NONE;
    if (node != WEFT_NONE) {
        say_node_facts(m, dag, node);
        node_neighbours(m, dag, node, false);
    }
    weft_dag_close(dag);
}
