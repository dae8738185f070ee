/* SPDX-License-Identifier: Apache-2.0 */
/* Writes task DAGs as files of DAG Recorder, which DAGViz reads
   (domains/tasks/read/dag_recorder_priv.h has the format). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "domains/tasks/dag/dag.h"
#include "domains/tasks/read/dag_recorder_priv.h"
#include "domains/tasks/write/dag_text.h"
#include "store/time.h"
#include "write/losses.h"

enum { STEP = 1 << 14 }; /* nodes between two steps of the job: some milliseconds */

/* A file that is being written. */
struct dag_output {
    const struct weft_dag *dag;
    const struct weft_schema *schema;
    FILE *stream;
    struct weft_job *job;
    struct weft_dag_joins *joins;
    int64_t zero; /* ticks: the moment from which the file's times count */
    uint64_t n_edges;
    uint32_t *file_numbers; /* by site: the number of its file's name */
    const char **names;     /* [n_names]: names of files, each once; the first is empty */
    size_t n_names, names_capacity;
    /* Readers take a worker's number as an index below the number of workers, so gaps are
       closed: by worker, its number in the file. */
    uint32_t *worker_numbers;
    uint32_t n_workers, worker_limit;
    /* Ticks of waiting for locks, and waits that join more than their section: the format
       has no place for them. */
    int64_t waiting;
    uint64_t deep_waits;
};

static void put64(unsigned char *node, uint64_t at, uint64_t value)
{
    memcpy(node + at, &value, sizeof value);
}

static void put32(unsigned char *node, uint64_t at, int32_t value)
{
    memcpy(node + at, &value, sizeof value);
}

static uint64_t ns_of(const struct dag_output *out, int64_t ticks)
{
    int64_t ns = weft_ticks_to_ns(out->schema, ticks);
    return ns > 0 ? (uint64_t)ns : 0;
}

/* Numbers the names of files.  A place without a file has the name of its library. */
static void number_names(struct dag_output *out)
{
    struct weft_text_map map = { 0 };
    out->file_numbers = weft_zalloc(out->schema->n_sites + 1, sizeof *out->file_numbers);
    out->names = weft_grow(out->names, &out->names_capacity, 1, sizeof *out->names);
    out->names[out->n_names++] = "";
    weft_text_map_put(&map, "", 0, 0);
    for (uint32_t i = 0; i < out->schema->n_sites; i++) {
        const struct weft_site *site = &out->schema->sites[i];
        const char *name = site->file ? site->file : site->object ? site->object : "";
        uint32_t number = weft_text_map_get(&map, name, strlen(name));
        if (number == WEFT_MAP_NONE) {
            number = (uint32_t)out->n_names;
            out->names = weft_grow(out->names, &out->names_capacity, out->n_names + 1,
                                   sizeof *out->names);
            out->names[out->n_names++] = name;
            weft_text_map_put(&map, name, strlen(name), number);
        }
        out->file_numbers[i] = number;
    }
    weft_text_map_free(&map);
}

static int32_t worker_of(const struct dag_output *out, const struct weft_dag_node *node)
{
    return node->worker >= 0 && (uint32_t)node->worker < out->worker_limit
               ? (int32_t)out->worker_numbers[node->worker]
               : -1;
}

/* Numbers the workers that nodes name, in their order.  The others follow. */
static void number_workers(struct dag_output *out)
{
    uint32_t seen = 0, n = weft_dag_workers(out->dag);
    for (uint32_t w = 0; w < out->worker_limit; w++) {
        bool named = out->worker_numbers[w];
        out->worker_numbers[w] = out->worker_limit <= n ? w : seen;
        seen += named;
    }
    out->n_workers = seen > n ? seen : n;
}

static void put_position(const struct dag_output *out, unsigned char *at, int64_t time,
                         const struct weft_dag_node *node, uint32_t site)
{
    enum { WORKER = 40, CPU = 44 };
    put64(at, 0, ns_of(out, time - out->zero));
    put32(at, WORKER, worker_of(out, node));
    put32(at, CPU, node->cpu);
    if (site >= out->schema->n_sites)
        return;
    put64(at, DAG_FILE_NAME, out->file_numbers[site]);
    put64(at, DAG_FILE_LINE, out->schema->sites[site].line);
}

static void put_figures(const struct dag_output *out, const struct weft_dag_node *node,
                        unsigned char *bytes)
{
    put64(bytes, DAG_FILE_EARLIEST, ns_of(out, node->earliest));
    put64(bytes, DAG_FILE_WORK, ns_of(out, node->work));
    put64(bytes, DAG_FILE_CRITICAL_PATH, ns_of(out, node->critical_path));
    put64(bytes, DAG_FILE_FIRST_READY, ns_of(out, node->first_ready - out->zero));
    put64(bytes, DAG_FILE_LAST_START, ns_of(out, node->last_start - out->zero));
    for (uint64_t k = 0; k < WEFT_DAG_EDGES; k++) {
        put64(bytes, DAG_FILE_READY + 8 * k, ns_of(out, node->ready[k]));
        put64(bytes, DAG_FILE_EDGE_COUNTS + 8 * k, node->edges[k]);
    }
    for (uint64_t k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        put64(bytes, DAG_FILE_LEAVES + 8 * k, node->leaves[k]);
    put64(bytes, DAG_FILE_MATERIALIZED, node->materialized);
    put64(bytes, DAG_FILE_MIN, node->least);
    put64(bytes, DAG_FILE_CREATES, node->creates);
    put32(bytes, DAG_FILE_WORKER, worker_of(out, node));
    put32(bytes, DAG_FILE_CPU, node->cpu);
    put32(bytes, DAG_FILE_KIND, (int32_t)node->kind);
    put32(bytes, DAG_FILE_IN_EDGE, (int32_t)node->in_edge);
    for (uint64_t k = 0; k < WEFT_DAG_COUNTERS; k++) {
        put64(bytes, DAG_FILE_COUNTERS + 8 * k, (uint64_t)node->counters[k]);
        put64(bytes, DAG_FILE_CRITICAL_COUNTERS + 8 * k,
              (uint64_t)node->critical_counters[k]);
    }
}

/* Writes node NUMBER, whose edges begin at the file's edge *EDGE. */
static void put_node(struct dag_output *out, uint32_t number,
                     const struct weft_dag_node *node, uint64_t *edge)
{
    unsigned char bytes[DAG_FILE_NODE] = { 0 };
    struct weft_dag_arc arcs[WEFT_DAG_ARCS];
    put_position(out, bytes + DAG_FILE_BEGIN, node->begin, node, node->begin_site);
    put_position(out, bytes + DAG_FILE_END, node->end, node, node->end_site);
    put_figures(out, node, bytes);
    put64(bytes, DAG_FILE_EDGES_BEGIN, *edge);
    *edge += weft_dag_successors_of_many(out->dag, number, out->joins, arcs);
    put64(bytes, DAG_FILE_EDGES_END, *edge);
    if (node->created != WEFT_NONE)
        put64(bytes, DAG_FILE_CHILD, node->created - number);
    if (node->n > 0) {
        put64(bytes, DAG_FILE_FIRST, node->first - number);
        put64(bytes, DAG_FILE_AFTER, node->first - number + node->n);
    }
    fwrite(bytes, sizeof bytes, 1, out->stream);
}

/* Looks at all nodes once, before any is written; an unreadable one is an error. */
static bool look_at_nodes(struct dag_output *out, struct weft_err *err)
{
    uint32_t n = weft_dag_size(out->dag);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node node;
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        weft_dag_node(out->dag, i, &node);
        if (weft_dag_is_lost(&node))
            return weft_fail(err, WEFT_ERR_READ,
                             "node %" PRIu32
                             " of the task DAG is in a part of its file that "
                             "is damaged",
                             i);
        out->n_edges += weft_dag_successors_of_many(out->dag, i, out->joins, arcs);
        if (node.kind < WEFT_DAG_LEAF_KINDS)
            out->waiting = weft_ticks_add(out->waiting, node.waiting);
        out->deep_waits += node.joins_all;
        if (node.worker >= 0 && (uint32_t)node.worker < out->worker_limit)
            out->worker_numbers[node.worker] = 1;
        if (i % STEP == 0 && !weft_job_step(out->job, i, 3 * (uint64_t)n, err))
            return false;
    }
    return true;
}

static bool put_nodes(struct dag_output *out, struct weft_err *err)
{
    uint32_t n = weft_dag_size(out->dag);
    uint64_t edge = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_node node;
        weft_dag_node(out->dag, i, &node);
        put_node(out, i, &node, &edge);
        if (i % STEP == 0 && !weft_job_step(out->job, n + i, 3 * (uint64_t)n, err))
            return false;
    }
    return true;
}

/* Writes the edges by the node that they leave, then by that they lead to. */
static bool put_edges(struct dag_output *out, struct weft_err *err)
{
    uint32_t n = weft_dag_size(out->dag);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        size_t k = weft_dag_successors_of_many(out->dag, i, out->joins, arcs);
        bool swapped = k == 2 && arcs[0].to > arcs[1].to;
        for (size_t a = 0; a < k; a++) {
            const struct weft_dag_arc *arc = &arcs[swapped ? 1 - a : a];
            unsigned char bytes[DAG_FILE_EDGE] = { 0 };
            put32(bytes, 0, (int32_t)arc->kind);
            put64(bytes, 8, i);
            put64(bytes, 16, arc->to);
            fwrite(bytes, sizeof bytes, 1, out->stream);
        }
        if (i % STEP == 0
            && !weft_job_step(out->job, 2 * (uint64_t)n + i, 3 * (uint64_t)n, err))
            return false;
    }
    return true;
}

/* Writes the table of names: its head, whose two addresses mean nothing in a file, the
   offset of each name, and the names with their NULs. */
static void put_names(const struct dag_output *out)
{
    uint64_t size = 0, head[4] = { out->n_names };
    for (size_t i = 0; i < out->n_names; i++)
        size += strlen(out->names[i]) + 1;
    head[1] = DAG_FILE_NAMES_HEAD + 8 * out->n_names + size;
    fwrite(head, sizeof head, 1, out->stream);
    size = 0;
    for (size_t i = 0; i < out->n_names; i++) {
        fwrite(&size, sizeof size, 1, out->stream);
        size += strlen(out->names[i]) + 1;
    }
    for (size_t i = 0; i < out->n_names; i++)
        fwrite(out->names[i], strlen(out->names[i]) + 1, 1, out->stream);
}

static bool put_file(struct dag_output *out, struct weft_err *err)
{
    struct weft_dag_node root;
    if (!look_at_nodes(out, err))
        return false;
    weft_dag_node(out->dag, 0, &root);
    out->zero = root.first_ready;
    number_names(out);
    number_workers(out);
    const uint64_t head[] = { weft_dag_size(out->dag), out->n_edges,
                              ns_of(out, out->zero - out->schema->span.begin),
                              out->n_workers };
    fwrite(DAG_FILE_VERSION, DAG_FILE_VERSION_SIZE, 1, out->stream);
    fwrite(head, sizeof head, 1, out->stream);
    if (!put_nodes(out, err) || !put_edges(out, err))
        return false;
    put_names(out);
    return !ferror(out->stream)
           || weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the task DAG");
}

/* Returns a text that says what the file does not hold, or NULL; the caller frees it. */
static char *losses_of(const struct dag_output *out)
{
    char waited[WEFT_TIME_TEXT];
    char *text = NULL;
    size_t size;
    uint64_t n_orders = weft_dag_orders(out->dag);
    bool gaps = out->worker_limit > out->n_workers;
    if (out->waiting == 0 && out->deep_waits == 0 && n_orders == 0 && !gaps)
        return NULL;
    FILE *stream = weft_text_begin(&text, &size);
    losses_add(stream, n_orders, "order", " by dependences");
    losses_add(stream, out->deep_waits, "wait",
               " for tasks that were created inside of others");
    if (out->waiting > 0)
        fprintf(stream, "%s%s of waiting for locks",
                n_orders || out->deep_waits ? ", " : "",
                weft_duration_text(out->schema, out->waiting, waited));
    if (gaps)
        fprintf(stream, "%sthe gaps between numbers of workers",
                n_orders || out->deep_waits || out->waiting > 0 ? ", " : "");
    weft_text_end(stream);
    return text;
}

bool weft_write_dag_recorder(const struct weft_source *source, FILE *stream, char **losses,
                             struct weft_job *job, struct weft_err *err)
{
    if (!weft_dag_fills(source))
        return weft_fail(err, WEFT_ERR_FORMAT, "the trace has no task DAG");
    struct dag_output out = {
        .dag = weft_dag_open(source, err),
        .schema = source->schema,
        .stream = stream,
        .job = job,
    };
    if (!out.dag)
        return false;
    out.joins = weft_dag_joins_new();
    out.worker_limit = weft_dag_worker_limit(out.dag);
    out.worker_numbers = weft_zalloc(out.worker_limit, sizeof *out.worker_numbers);
    bool ok = put_file(&out, err);
    if (ok)
        *losses = losses_of(&out);
    free(out.file_numbers);
    free(out.names);
    free(out.worker_numbers);
    weft_dag_joins_free(out.joins);
    weft_dag_close((struct weft_dag *)out.dag);
    return ok;
}
