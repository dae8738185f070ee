/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the figures of the nodes, and the places in the program. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "domains/tasks/read/dag_recorder_priv.h"
#include "store/time.h"

enum { STEP = 1 << 15 }; /* nodes between two steps of the job: some milliseconds */

/* Copies a file name, since the file may change; NULL if it is invalid.  Names may overlap
   in a hostile file, so their total length is limited to the size of the table. */
static char *read_name(struct dag_file *file, uint64_t index)
{
    uint64_t room = file->size - file->names;
    uint64_t offset =
        (uint64_t)dag_file_i64(file, file->names - 8 * file->n_names + 8 * index);
    if (offset >= room)
        return NULL;
    const char *text = (const char *)file->data + file->names + offset;
    uint64_t most = room - offset < PATH_MAX ? room - offset : PATH_MAX;
    const char *end = memchr(text, 0, (size_t)most);
    uint64_t length = end ? (uint64_t)(end - text) : 0;
    if (!end || length > room - file->names_read) {
        weft_builder_problem(file->builder, WEFT_WARNING, "no-file-name", 0,
                             "file name %" PRIu64 " has no end, or overlaps with others; "
                             "places in it are left out",
                             index);
        return NULL;
    }
    file->names_read += length;
    return weft_strndup(text, (size_t)length);
}

/* Reads each name once; it is owned by R. */
static const char *name_of(struct dag_file *file, int64_t index)
{
    if (!file->names || index < 0 || (uint64_t)index >= file->n_names)
        return NULL;
    uint32_t at = weft_id_map_get(&file->name_numbers, (uint64_t)index);
    if (at == WEFT_MAP_NONE) {
        at = (uint32_t)file->n_file_names;
        file->file_names = weft_grow(file->file_names, &file->file_name_capacity,
                                     file->n_file_names + 1, sizeof *file->file_names);
        file->file_names[file->n_file_names++] = read_name(file, (uint64_t)index);
        weft_id_map_put(&file->name_numbers, (uint64_t)index, at);
    }
    return file->file_names[at];
}

/* The site of a position; WEFT_NONE if it names no file. */
static uint32_t site_at(struct dag_file *file, uint32_t node, enum dag_file_field position)
{
    int64_t name_number = dag_node_i64(file, node, position + DAG_FILE_NAME);
    int64_t line = dag_node_i64(file, node, position + DAG_FILE_LINE);
    if (line < 0 || line > INT32_MAX || name_number < 0 || name_number > INT32_MAX)
        return WEFT_NONE;
    uint64_t key = (uint64_t)name_number << 32 | (uint64_t)line;
    uint32_t site = weft_id_map_get(&file->sites, key);
    if (site != WEFT_MAP_NONE)
        return site;
    const char *name = name_of(file, name_number);
    site = WEFT_NONE;
    if (name && (*name || line))
        site = weft_builder_site(
            file->builder, &(struct weft_site){ .file = name, .line = (uint32_t)line });
    if (site != WEFT_NONE)
        weft_id_map_put(&file->sites, key, site);
    return site;
}

static void read_figures(const struct dag_file *file, uint32_t i,
                         struct weft_dag_node *node)
{
    node->begin = dag_node_i64(file, i, DAG_FILE_BEGIN);
    node->end = dag_node_i64(file, i, DAG_FILE_END);
    node->first_ready = dag_node_i64(file, i, DAG_FILE_FIRST_READY);
    node->last_start = dag_node_i64(file, i, DAG_FILE_LAST_START);
    node->work = dag_node_i64(file, i, DAG_FILE_WORK);
    node->critical_path = dag_node_i64(file, i, DAG_FILE_CRITICAL_PATH);
    node->least = (uint64_t)dag_node_i64(file, i, DAG_FILE_MIN);
    node->creates = (uint64_t)dag_node_i64(file, i, DAG_FILE_CREATES);
    for (uint64_t k = 0; k < WEFT_DAG_EDGES; k++) {
        node->ready[k] = dag_node_i64(file, i, DAG_FILE_READY + 8 * k);
        node->edges[k] = (uint64_t)dag_node_i64(file, i, DAG_FILE_EDGE_COUNTS + 8 * k);
    }
    for (uint64_t k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        node->leaves[k] = (uint64_t)dag_node_i64(file, i, DAG_FILE_LEAVES + 8 * k);
    for (uint64_t k = 0; k < WEFT_DAG_COUNTERS; k++) {
        node->counters[k] = dag_node_i64(file, i, DAG_FILE_COUNTERS + 8 * k);
        node->critical_counters[k] =
            dag_node_i64(file, i, DAG_FILE_CRITICAL_COUNTERS + 8 * k);
    }
    node->worker = dag_node_i32(file, i, DAG_FILE_WORKER);
    node->cpu = dag_node_i32(file, i, DAG_FILE_CPU);
}

static bool is_amount(int64_t ticks)
{
    return ticks >= 0 && ticks < WEFT_TIME_LIMIT;
}

/* Returns true if no number is negative; the writer cuts those that are too large. */
static bool figures_fit(const struct weft_dag_node *node)
{
    bool fit = is_amount(node->begin) && is_amount(node->end) && node->end >= node->begin
               && is_amount(node->first_ready) && node->first_ready <= node->begin
               && is_amount(node->last_start) && node->last_start >= node->begin
               && is_amount(node->work) && is_amount(node->critical_path)
               && node->critical_path <= node->work && is_amount((int64_t)node->least)
               && is_amount((int64_t)node->creates);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        fit = fit && is_amount(node->ready[k]) && is_amount((int64_t)node->edges[k]);
    for (int k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        fit = fit && is_amount((int64_t)node->leaves[k]);
    return fit;
}

static void check_figures(struct dag_file *file, uint32_t i, struct weft_dag_node *node)
{
    if (!figures_fit(node))
        weft_builder_problem(
            file->builder, WEFT_WARNING, "impossible-figure", (uint64_t)i + 1,
            "a figure of node %" PRIu32 " is negative, beyond 2^62 ticks, or "
            "in contradiction to another one of it",
            i);
    int64_t edge = dag_node_i32(file, i, DAG_FILE_IN_EDGE);
    node->in_edge = (enum weft_dag_edge)edge;
    if (edge < 0 || edge >= WEFT_DAG_EDGES) {
        weft_builder_problem(file->builder, WEFT_ERROR, "unknown-edge", (uint64_t)i + 1,
                             "an edge of kind %" PRId64 " leads to node %" PRIu32
                             "; it is taken as end",
                             edge, i);
        node->in_edge = WEFT_DAG_EDGE_END;
    }
    bool known =
        node->worker >= 0 && node->worker < DAG_MAX_WORKERS && file->workers[node->worker];
    if (!known && node->worker != -1) {
        weft_builder_problem(file->builder, WEFT_ERROR, "unknown-worker", (uint64_t)i + 1,
                             "node %" PRIu32 " ran on worker %d, which is absurd", i,
                             (int)node->worker);
        node->worker = -1;
    }
    if (!file->cut && !file->n_left_out
        && (uint64_t)dag_node_i64(file, i, DAG_FILE_MATERIALIZED) != node->materialized)
        weft_builder_problem(file->builder, WEFT_WARNING, "wrong-count", (uint64_t)i + 1,
                             "node %" PRIu32 " says that %" PRId64
                             " nodes are inside it, and %" PRIu64 " are",
                             i, dag_node_i64(file, i, DAG_FILE_MATERIALIZED),
                             node->materialized);
}

static int64_t critical_path_of(const struct dag_file *file, uint32_t node)
{
    int64_t ticks = dag_node_i64(file, node, DAG_FILE_CRITICAL_PATH);
    return is_amount(ticks) ? ticks : 0;
}

/* Sets when the children of node I, and the task that it created, begin on unlimited
   workers: each after the critical path of the one before.  A file's own numbers for that
   may contradict its critical paths. */
static void begin_inside(struct dag_file *file, uint32_t i, const struct dag_inside *inside)
{
    int64_t at = file->earliest[i];
    if (inside->created != WEFT_NONE)
        file->earliest[inside->created] = weft_ticks_add(at, critical_path_of(file, i));
    for (uint32_t k = inside->first; k - inside->first < inside->n; k++) {
        file->earliest[k] = at;
        at = weft_ticks_add(at, critical_path_of(file, k));
    }
}

static void read_node(struct dag_file *file, struct weft_dag_writer *writer, uint32_t i)
{
    struct dag_inside inside = dag_inside_of(file, i);
    struct weft_dag_node node = { .kind = inside.kind,
                                  .n = inside.n,
                                  .first = WEFT_NONE,
                                  .created = WEFT_NONE,
                                  .parent = WEFT_NONE };
    begin_inside(file, i, &inside);
    read_figures(file, i, &node);
    node.earliest = file->earliest[i];
    node.begin_site = site_at(file, i, DAG_FILE_BEGIN);
    node.end_site = site_at(file, i, DAG_FILE_END);
    node.materialized = inside.kind == WEFT_DAG_CREATE ? 1 : file->counts[i];
    check_figures(file, i, &node);
    if (i)
        node.parent = dag_number(file, file->parents[i]);
    if (inside.n)
        node.first = dag_number(file, inside.first);
    if (inside.created != WEFT_NONE)
        node.created = dag_number(file, inside.created);
    weft_dag_writer_add(writer, &node);
}

bool dag_read_nodes(struct dag_file *file, struct weft_dag_writer *writer,
                    struct weft_job *job, struct weft_err *err)
{
    struct dag_edges edges = { .before = -1 };
    file->earliest = weft_zalloc(file->n, sizeof *file->earliest);
    for (uint32_t i = 0; i < file->n; i++) {
        if (i % STEP == 0) {
            weft_mapping_pass(&file->map, dag_file_node(i));
            if (!weft_job_step(job, file->n / 3 + (uint64_t)i * 2 / 3, file->n, err))
                return false;
        }
        if (i && file->parents[i] == WEFT_NONE)
            continue;
        read_node(file, writer, i);
        if (file->n_edges)
            dag_check_edges(file, &edges, i);
    }
    if (file->n_edges)
        dag_report_edges(file, &edges);
    return true;
}
