/* SPDX-License-Identifier: Apache-2.0 */
#include "omp_dags.h"

#include <stdio.h>
#include <string.h>

/* The DAG of a description; the trace is to be forgotten after it. */
struct weft_dag *dag_of(struct recorded *recorded, const char *description)
{
    struct weft_err err = { 0 };
    struct weft_dag *dag;

    *recorded = synthetic_trace(description);
    dag = weft_dag_open(recorded->source, &err);
    assert_non_null(dag);
    return dag;
}

/* The nest below a node, its leaves with begin and end. */
static void spell(const struct weft_dag *dag, uint32_t i, char *to)
{
    static const char *const names[] = {
        "create", "wait", "other", "end", "section", "task"
    };
    struct weft_dag_node node;

    weft_dag_node(dag, i, &node);
    to += strlen(to);
    if (node.kind < WEFT_DAG_LEAF_KINDS)
        sprintf(to, "%s %d-%d@%d", names[node.kind], (int)node.begin, (int)node.end,
                node.worker);
    else
        sprintf(to, "%s(", names[node.kind]);
    for (uint32_t j = 0; j < node.n; j++) {
        strcat(to, j ? ", " : "");
        spell(dag, node.first + j, to);
    }
    if (node.kind == WEFT_DAG_CREATE) {
        strcat(to, ": ");
        spell(dag, node.created, to);
    } else if (node.kind >= WEFT_DAG_LEAF_KINDS) {
        strcat(to, ")");
    }
}

void check_dag(const char *description, const char *expected)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, description);
    char text[4096] = "";

    spell(dag, 0, text);
    assert_string_equal(text, expected);
    weft_dag_close(dag);
    forget(&recorded);
}
