/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task DAG shaped as that of the benchmark Health: many steps, and in each a tree of villages
 * in which a task creates one task for each village below it and waits for them.
 *
 *     dag_generate NODES FILE.weft [SEED]   a store, as a recording leaves it
 *     dag_generate NODES FILE.dag  [SEED]   a file of DAG Recorder's (without edges)
 *
 * Another seed is another run of the same program: the same tasks, other times and workers.
 *
 * Steps are made one at a time, each twice: what the root and the steps' sections say must be
 * known before what is inside them is written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domains/tasks/dag/write.h"
#include "store/build/builder.h"

enum {
    BRANCH = 4,         /* villages below one */
    LEVELS = 6,         /* of villages */
    WORKERS = 32,       /* the most that the thesis on DAGViz ran */
    SPREAD = 3,         /* levels at which a task may be given to another worker */
    MAX_NODES = 1 << 13 /* nodes of a step: more than there are */
};

struct step {
    struct weft_dag_node nodes[MAX_NODES]; /* numbered from 0, the section of the step */
    uint32_t n;
    uint64_t run; /* of the whole DAG: which run this is */
    uint64_t seed;
    int64_t free_at[WORKERS];
};

static uint64_t roll(struct step *s)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;
    return s->seed;
}

static uint32_t add(struct step *s, uint32_t n)
{
    s->n += n;
    return s->n - n;
}

static void begin_node(struct step *s, uint32_t node, enum weft_dag_kind kind,
                       uint32_t parent)
{
    s->nodes[node] = (struct weft_dag_node){ .kind = kind,
                                             .parent = parent,
                                             .first = WEFT_NONE,
                                             .created = WEFT_NONE,
                                             .cpu = -1,
                                             .worker = -1,
                                             .begin_site = kind,
                                             .end_site = kind + 1 };
}

/* The rows of a section that creates N tasks, as DAG Recorder lays them out. */
static void lay_out_task(struct step *s, uint32_t task, unsigned level);
static void lay_out_section(struct step *s, uint32_t section, uint32_t n, unsigned level)
{
    uint32_t first = add(s, n + 1);
    s->nodes[section].first = first;
    s->nodes[section].n = n + 1;
    for (uint32_t i = 0; i <= n; i++)
        begin_node(s, first + i, i < n ? WEFT_DAG_CREATE : WEFT_DAG_WAIT, section);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t task = add(s, 1);
        begin_node(s, task, WEFT_DAG_TASK, first + i);
        s->nodes[first + i].created = task;
        lay_out_task(s, task, level);
    }
}

static void lay_out_task(struct step *s, uint32_t task, unsigned level)
{
    uint32_t n = level > 1 ? 2 : 1, first = add(s, n);
    s->nodes[task].first = first;
    s->nodes[task].n = n;
    begin_node(s, first + n - 1, WEFT_DAG_END, task);
    if (n == 1)
        return;
    begin_node(s, first, WEFT_DAG_SECTION, task);
    lay_out_section(s, first, BRANCH, level - 1);
}

/* Run a leaf on a worker; what it says of itself. */
static void run_leaf(struct step *s, uint32_t node, int32_t worker, int64_t ready,
                     int64_t earliest, enum weft_dag_edge in_edge)
{
    static const int64_t longest[] = { 300, 200, 200, 40000 }; /* ns, by kind */
    struct weft_dag_node *leaf = &s->nodes[node];
    int64_t free_at = s->free_at[worker];
    leaf->worker = worker;
    leaf->in_edge = in_edge;
    leaf->first_ready = ready;
    leaf->begin = (ready > free_at ? ready : free_at) + 20 + (int64_t)(roll(s) % 60);
    leaf->work = 50 + (int64_t)(roll(s) % (uint64_t)longest[leaf->kind]);
    leaf->end = s->free_at[worker] = leaf->begin + leaf->work;
    leaf->last_start = leaf->begin;
    leaf->earliest = earliest;
    leaf->critical_path = leaf->work;
    leaf->ready[in_edge] = leaf->begin - ready;
    leaf->leaves[leaf->kind] = 1;
    leaf->materialized = leaf->least = 1;
}

/* Let a section or task count a node that is inside it. */
static void count(struct weft_dag_node *above, const struct weft_dag_node *node)
{
    bool first = !above->materialized;
    above->materialized += node->materialized + first;
    above->least += node->least + first;
    above->work += node->work;
    above->creates += node->kind == WEFT_DAG_CREATE;
    if (first) {
        above->begin = node->begin;
        above->earliest = node->earliest;
        above->in_edge = node->in_edge;
        above->first_ready = node->first_ready;
        above->worker = node->worker;
    }
    if (node->kind != WEFT_DAG_TASK)
        above->end = node->end;
    if (above->worker != node->worker)
        above->worker = -1;
    if (node->first_ready < above->first_ready)
        above->first_ready = node->first_ready;
    if (node->last_start > above->last_start)
        above->last_start = node->last_start;
    if (node->earliest + node->critical_path - above->earliest > above->critical_path)
        above->critical_path = node->earliest + node->critical_path - above->earliest;
    for (int k = 0; k < WEFT_DAG_EDGES; k++) {
        above->ready[k] += node->ready[k];
        above->edges[k] += node->edges[k];
    }
    for (int k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        above->leaves[k] += node->leaves[k];
}

static int64_t run_task(struct step *s, uint32_t task, int32_t worker, int64_t ready,
                        int64_t earliest, unsigned level);

/* Returns when all that the section created has ended. */
static int64_t run_section(struct step *s, uint32_t section, int32_t worker, int64_t ready,
                           int64_t earliest, enum weft_dag_edge in_edge, unsigned level)
{
    struct weft_dag_node *is = &s->nodes[section];
    int64_t joined = 0;
    for (uint32_t i = is->first; i < is->first + is->n; i++) {
        run_leaf(s, i, worker, ready, earliest, in_edge);
        ready = s->nodes[i].end;
        earliest += s->nodes[i].work;
        in_edge = WEFT_DAG_EDGE_CREATE_CONTINUATION;
        count(is, &s->nodes[i]);
    }
    is->edges[WEFT_DAG_EDGE_CREATE] += is->n - 1;
    is->edges[WEFT_DAG_EDGE_CREATE_CONTINUATION] += is->n - 1;
    for (uint32_t i = is->first; i < is->first + is->n - 1; i++) {
        const struct weft_dag_node *create = &s->nodes[i];
        bool moves = level + SPREAD > LEVELS && roll(s) % 2;
        int64_t end =
            run_task(s, create->created, moves ? (int32_t)(roll(s) % WORKERS) : worker,
                     create->end, create->earliest + create->work, level);
        joined = end > joined ? end : joined;
        count(is, &s->nodes[create->created]);
    }
    if (is->worker >= 0)
        is->least = 1;
    return joined > is->end ? joined : is->end;
}

static int64_t run_task(struct step *s, uint32_t task, int32_t worker, int64_t ready,
                        int64_t earliest, unsigned level)
{
    struct weft_dag_node *is = &s->nodes[task];
    enum weft_dag_edge in_edge = WEFT_DAG_EDGE_CREATE;
    if (is->n == 2) {
        struct weft_dag_node *section = &s->nodes[is->first];
        ready = run_section(s, is->first, worker, ready, earliest, in_edge, level - 1);
        in_edge =
            ready == section->end ? WEFT_DAG_EDGE_WAIT_CONTINUATION : WEFT_DAG_EDGE_END;
        count(is, section);
        earliest += section->critical_path;
        is->edges[WEFT_DAG_EDGE_WAIT_CONTINUATION]++;
        is->edges[WEFT_DAG_EDGE_END] += section->n - 1;
    }
    uint32_t last = is->first + is->n - 1;
    run_leaf(s, last, worker, ready, earliest, in_edge);
    count(is, &s->nodes[last]);
    if (is->worker >= 0)
        is->least = 1;
    return is->end;
}

/* Lay out and run a step that begins at READY; returns when it has ended. */
static int64_t make_step(struct step *s, uint64_t number, int64_t ready, int64_t earliest)
{
    s->n = 1;
    s->seed = (number + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ s->run << 1;
    for (int w = 0; w < WORKERS; w++)
        s->free_at[w] = ready;
    begin_node(s, 0, WEFT_DAG_SECTION, 0);
    lay_out_section(s, 0, 1, LEVELS);
    return run_section(s, 0, (int32_t)(number % WORKERS), ready, earliest,
                       number ? WEFT_DAG_EDGE_END : WEFT_DAG_EDGE_CREATE, LEVELS);
}

/* ---- Where it goes ---- */

struct sink {
    struct weft_dag_writer *writer;
    FILE *file;
    uint32_t next;
};

/* As DAG Recorder's struct is laid out: 432 bytes. */
static void put_in_file(struct sink *sink, const struct weft_dag_node *node)
{
    int64_t words[54] = { 0 };
    int32_t four[4] = { node->worker, 0, (int32_t)node->kind, (int32_t)node->in_edge };
    words[0] = node->begin;
    words[8] = node->begin_site + 10;
    words[9] = node->end;
    words[17] = node->end_site + 10;
    const int64_t times[] = { node->earliest, node->work, node->critical_path,
                              node->first_ready, node->last_start };
    memcpy(words + 18, times, sizeof times);
    memcpy(words + 23, node->ready, sizeof node->ready);
    memcpy(words + 28, node->leaves, sizeof node->leaves);
    memcpy(words + 32, node->edges, sizeof node->edges);
    words[37] = (int64_t)node->materialized;
    words[38] = (int64_t)node->least;
    words[39] = (int64_t)node->creates;
    memcpy(words + 40, four, sizeof four);
    if (node->n) {
        words[52] = node->first - sink->next;
        words[53] = words[52] + node->n;
    } else if (node->created != WEFT_NONE) {
        words[52] = node->created - sink->next;
    }
    fwrite(words, sizeof words, 1, sink->file);
}

static void put(struct sink *sink, const struct weft_dag_node *node)
{
    if (sink->writer)
        weft_dag_writer_add(sink->writer, node);
    else
        put_in_file(sink, node);
    sink->next++;
}

/* A node of a step, its numbers moved to where the step lies. */
static void put_moved(struct sink *sink, const struct weft_dag_node *node, uint32_t section,
                      uint32_t base)
{
    struct weft_dag_node moved = *node;
    moved.parent = node->parent ? node->parent + base : section;
    if (node->n)
        moved.first += base;
    if (node->created != WEFT_NONE)
        moved.created += base;
    put(sink, &moved);
}

static void make_dag(struct sink *sink, uint32_t steps, struct step *s)
{
    struct weft_dag_node root, end, *sections = weft_alloc(steps * sizeof *sections);
    int64_t ready = 0, earliest = 0;
    begin_node(s, 0, WEFT_DAG_TASK, WEFT_NONE);
    root = s->nodes[0];
    root.first = 1;
    root.n = steps + 1;
    for (uint32_t i = 0; i < steps; i++) {
        ready = make_step(s, i, ready, earliest);
        sections[i] = s->nodes[0];
        /* Its first row is its section's: the others lie behind those of all sections. */
        sections[i].first += steps + 1 + i * (s->n - 1);
        earliest += sections[i].critical_path;
        count(&root, &sections[i]);
    }
    uint32_t inside = s->n - 1;
    begin_node(s, 0, WEFT_DAG_END, 0);
    run_leaf(s, 0, 0, ready, earliest, WEFT_DAG_EDGE_END);
    end = s->nodes[0];
    count(&root, &end);
    root.edges[WEFT_DAG_EDGE_WAIT_CONTINUATION] += steps;
    root.edges[WEFT_DAG_EDGE_END] += steps;
    put(sink, &root);
    for (uint32_t i = 0; i < steps; i++)
        put(sink, &sections[i]);
    put(sink, &end);
    ready = earliest = 0;
    for (uint32_t i = 0; i < steps; i++) {
        ready = make_step(s, i, ready, earliest);
        earliest += sections[i].critical_path;
        for (uint32_t k = 1; k < s->n; k++)
            put_moved(sink, &s->nodes[k], 1 + i, steps + 1 + i * inside);
    }
    free(sections);
}

static bool write_store(const char *path, uint32_t steps, struct step *s,
                        struct weft_err *err)
{
    struct weft_builder *b = weft_builder_new(path, "generated", err);
    if (!b)
        return false;
    uint32_t types[2], workers[WORKERS];
    for (int i = 0; i < 2; i++)
        types[i] = weft_builder_type(
            b, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                    .parent = i ? types[0] : 0,
                                    .name = i ? "worker" : "process",
                                    .role = i ? WEFT_ROLE_WORKER : WEFT_ROLE_PROCESS,
                                    .start_type = WEFT_NONE,
                                    .end_type = WEFT_NONE });
    uint32_t process = weft_builder_container(b, types[0], 0, "health", NULL, 0);
    for (int w = 0; w < WORKERS; w++) {
        char name[32];
        snprintf(name, sizeof name, "worker %d", w);
        workers[w] = weft_builder_container(b, types[1], process, name, NULL, 0);
    }
    for (uint32_t line = 1; line <= WEFT_DAG_KINDS + 1; line++)
        (void)weft_builder_site(b, &(struct weft_site){ .file = "health.c", .line = line });
    struct sink sink = { .writer = weft_dag_writer_new(&(struct weft_dag_target){
                             b, process, types[0], workers, WORKERS, types[1] }) };
    make_dag(&sink, steps, s);
    if (weft_dag_writer_finish(sink.writer, NULL, err))
        return weft_builder_finish(b, NULL, err);
    weft_builder_abandon(b);
    return false;
}

static bool write_file(const char *path, uint32_t steps, struct step *s,
                       struct weft_err *err)
{
    static const char names[9] = "health.c";
    struct sink sink = { .file = fopen(path, "wb") };
    if (!sink.file)
        return weft_fail(err, WEFT_ERR_WRITE, "cannot write %s", path);
    (void)make_step(s, 0, 0, 0);
    int64_t head[] = { 2 + (int64_t)steps * s->n, 0, 0, WORKERS };
    int64_t table[] = { 1, 5 * 8 + sizeof names, 0, 0, 0 };
    fputs("DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n", sink.file);
    fwrite(head, sizeof head, 1, sink.file);
    make_dag(&sink, steps, s);
    fwrite(table, sizeof table, 1, sink.file);
    fwrite(names, sizeof names, 1, sink.file);
    return fclose(sink.file) == 0
           || weft_fail(err, WEFT_ERR_WRITE, "cannot write %s", path);
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    if (argc < 3 || argc > 4)
        return 2;
    struct step *s = weft_alloc(sizeof *s);
    s->run = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    (void)make_step(s, 0, 0, 0);
    uint32_t steps = (uint32_t)(strtoul(argv[1], NULL, 10) / s->n) + 1;
    size_t length = strlen(argv[2]);
    bool file = length > 4 && strcmp(argv[2] + length - 4, ".dag") == 0;
    bool ok =
        file ? write_file(argv[2], steps, s, &err) : write_store(argv[2], steps, s, &err);
    if (!ok)
        fprintf(stderr, "dag_generate: %s\n", err.message);
    free(s);
    return !ok;
}
