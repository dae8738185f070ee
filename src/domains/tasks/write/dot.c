/* SPDX-License-Identifier: Apache-2.0 */
/* Writes task DAGs for Graphviz. */
#include <inttypes.h>
#include <stdlib.h>

#include "domains/tasks/dag/dag.h"
#include "domains/tasks/write/dag_text.h"

struct dot {
    const struct weft_source *source;
    const struct weft_dag *dag;
    FILE *stream;
    uint32_t *depths; /* by node: number of sections and tasks around it */
    uint32_t depth;   /* sections and tasks at this depth are closed */
};

/* Parents come before their children.  A task is as deep as its create. */
static bool find_depths(struct dot *dot, struct weft_job *job, struct weft_err *err)
{
    enum { STEP = 1 << 16 }; /* nodes between two steps of the job: some milliseconds */
    uint32_t n = weft_dag_size(dot->dag);
    dot->depths = weft_alloc((size_t)n * sizeof *dot->depths);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node shape, parent;
        weft_dag_shape(dot->dag, i, &shape);
        dot->depths[i] = 0;
        if (i) {
            weft_dag_shape(dot->dag, shape.parent, &parent);
            dot->depths[i] = dot->depths[shape.parent] + (parent.kind != WEFT_DAG_CREATE);
        }
        if (i % STEP == 0 && !weft_job_step(job, i, n, err))
            return false;
    }
    return true;
}

/*
 * Chooses the depth asked for, or the greatest with few enough nodes, including open ones.
 */
static bool choose_depth(struct dot *dot, uint32_t depth, struct weft_err *err)
{
    uint32_t n = weft_dag_size(dot->dag), deepest = 0;
    for (uint32_t i = 0; i < n; i++)
        deepest = dot->depths[i] > deepest ? dot->depths[i] : deepest;
    uint32_t *at = weft_zalloc((size_t)deepest + 1, sizeof *at); /* nodes by depth */
    for (uint32_t i = 0; i < n; i++)
        at[dot->depths[i]]++;
    bool usual = depth == WEFT_NONE;
    uint64_t seen = at[0];
    dot->depth = 0;
    while (dot->depth < deepest && dot->depth < depth) {
        /* The root alone is no useful graph, so it is opened if possible at all. */
        uint64_t next = seen + at[dot->depth + 1];
        if (usual && next > (dot->depth ? WEFT_DOT_USUAL : WEFT_DOT_MAX))
            break;
        seen = next;
        dot->depth++;
    }
    free(at);
    return seen <= WEFT_DOT_MAX
           || weft_fail(err, WEFT_ERR_LIMIT,
                        "to depth %" PRIu32 " the DAG has %" PRIu64
                        " nodes, and at most %d are written as dot",
                        dot->depth, seen, WEFT_DOT_MAX);
}

static bool is_open(void *user, uint32_t node)
{
    const struct dot *dot = user;
    return dot->depths[node] < dot->depth;
}

/* Writes text for use within quotes. */
static void put_text(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', stream);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, stream);
    }
}

static void put_site(const struct dot *dot, uint32_t site)
{
    if (site >= dot->source->schema->n_sites)
        return;
    fputs("\\n", dot->stream);
    put_text(dot->stream, dot->source->schema->sites[site].file);
    fprintf(dot->stream, ":%" PRIu32, dot->source->schema->sites[site].line);
}

static void put_node(const struct dot *dot, uint32_t i, const struct weft_dag_node *node)
{
    static const struct {
        const char *name, *shape;
    } kinds[WEFT_DAG_KINDS] = {
        [WEFT_DAG_CREATE] = { "create", "triangle" },
        [WEFT_DAG_WAIT] = { "wait", "invtriangle" },
        [WEFT_DAG_OTHER] = { "other", "diamond" },
        [WEFT_DAG_END] = { "end", "circle" },
        [WEFT_DAG_SECTION] = { "section", "box" },
        [WEFT_DAG_TASK] = { "task", "box3d" },
    };
    fprintf(dot->stream, "T%" PRIu32 " [shape=%s, ", i, kinds[node->kind].shape);
    if (node->worker < 0)
        fputs("fillcolor=gray90, ", dot->stream);
    else /* hues by the golden ratio, so that the first workers differ much */
        fprintf(dot->stream, "fillcolor=\"%.3f 0.35 0.95\", ",
                (double)(((uint64_t)node->worker * 618) % 1000) / 1000);
    fprintf(dot->stream, "label=\"%s %" PRIu32, kinds[node->kind].name, i);
    fprintf(dot->stream, "\\nwork %" PRId64, node->work);
    if (node->worker >= 0)
        fprintf(dot->stream, "\\nworker %" PRId32, node->worker);
    put_site(dot, node->begin_site);
    fputs("\"];\n", dot->stream);
}

static void put_edges(struct dot *dot, uint32_t i)
{
    static const char *const colors[WEFT_DAG_EDGES] = {
        [WEFT_DAG_EDGE_END] = "green3",
        [WEFT_DAG_EDGE_CREATE] = "blue",
        [WEFT_DAG_EDGE_CREATE_CONTINUATION] = "deeppink",
        [WEFT_DAG_EDGE_WAIT_CONTINUATION] = "black",
        [WEFT_DAG_EDGE_OTHER_CONTINUATION] = "gold",
    };
    struct weft_dag_arc arcs[WEFT_DAG_ARCS];
    size_t n = weft_dag_successors_of_closed(dot->dag, i, is_open, dot, arcs);
    for (size_t a = 0; a < n; a++)
        fprintf(dot->stream, "T%" PRIu32 " -> T%" PRIu32 " [color=%s];\n", i, arcs[a].to,
                colors[arcs[a].kind]);
}

static void put_graph(struct dot *dot)
{
    struct weft_dag_node node;
    uint32_t n = weft_dag_size(dot->dag), written = 0;
    fputs("digraph dag {\nnode [style=filled, fontname=sans, fontsize=9];\n", dot->stream);
    for (uint32_t i = 0; i < n; i++) {
        if (dot->depths[i] > dot->depth)
            continue;
        weft_dag_node(dot->dag, i, &node);
        if (node.n && is_open(dot, i))
            continue;
        put_node(dot, i, &node);
        put_edges(dot, i);
        written++;
    }
    weft_dag_node(dot->dag, 0, &node);
    fprintf(dot->stream,
            "label=\"%" PRIu32 " of %" PRIu32 " nodes, to depth %" PRIu32 "\";\n}\n",
            written, n, dot->depth);
}

bool weft_write_dot(const struct weft_source *source, FILE *stream, uint32_t depth,
                    struct weft_job *job, struct weft_err *err)
{
    if (!weft_dag_fills(source))
        return weft_fail(err, WEFT_ERR_FORMAT, "the trace has no task DAG");
    struct weft_dag *dag = weft_dag_open(source, err);
    struct dot dot = { .source = source, .dag = dag, .stream = stream };
    bool ok = dag && find_depths(&dot, job, err) && choose_depth(&dot, depth, err);
    if (ok)
        put_graph(&dot);
    free(dot.depths);
    weft_dag_close(dag);
    return ok
           && (!ferror(stream)
               || weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the graph"));
}
