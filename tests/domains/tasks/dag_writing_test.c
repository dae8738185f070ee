/* SPDX-License-Identifier: Apache-2.0 */
/* Task DAGs as graphs for dot, and as trees of tasks that the reader of VISTA traces takes. */
#include "tests/unit/write/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dag_file.h"
#include "dag_store.h"
#include "domains/tasks/write/dag_text.h"
#include "read/reader.h"

static char *dot_text(const struct weft_source *source, uint32_t depth)
{
    char *text;
    size_t size;
    struct weft_err err = { 0 };
    FILE *stream = weft_text_begin(&text, &size);
    assert_true(weft_write_dot(source, stream, depth, NULL, &err));
    weft_text_end(stream);
    return text;
}

static bool has_line(const char *text, const char *begin)
{
    char *line = weft_asprintf("\n%s", begin);
    bool found = strstr(text, line) != NULL;
    free(line);
    return found;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static bool arc_is_in(const char *text, uint32_t from, uint32_t to)
{
    char *line = weft_asprintf("T%" PRIu32 " -> T%" PRIu32 " [", from, to);
    bool found = has_line(text, line);
    free(line);
    return found;
}

static void open_graphs_have_all_edges(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_dag from = random_dag_make(seed, 10, 100);
        struct dag_store store = dag_store_make(&from);
        char *text = dot_text(store.source, 1 << 20);
        size_t leaves = 0;
        for (uint32_t i = 0; i < from.n; i++)
            leaves += !from.nodes[i].n;
        assert_int_equal(count(text, " [shape="), leaves);
        assert_int_equal(count(text, " -> "), from.n_arcs);
        for (uint32_t a = 0; a < from.n_arcs; a++)
            assert_true(arc_is_in(text, from.arcs[a].from, from.arcs[a].to));
        free(text);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* How many sections and tasks NODE is inside. */
static uint32_t depth_of(const struct random_dag *from, uint32_t node)
{
    uint32_t depth = 0;
    for (; from->nodes[node].parent != WEFT_NONE; node = from->nodes[node].parent)
        depth += from->nodes[from->nodes[node].parent].kind >= WEFT_DAG_SECTION;
    return depth;
}

/* The closed node, or leaf, that stands for a leaf at a depth. */
static uint32_t shown(const struct random_dag *from, uint32_t node, uint32_t depth)
{
    uint32_t found = node;
    for (; node != WEFT_NONE; node = from->nodes[node].parent)
        if (from->nodes[node].kind >= WEFT_DAG_SECTION && depth_of(from, node) >= depth)
            found = node;
    return found;
}

static void closed_graphs_keep_what_joins(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_dag from = random_dag_make(seed, 10, 100);
        struct dag_store store = dag_store_make(&from);
        for (uint32_t depth = 0; depth < 4; depth++) {
            char *text = dot_text(store.source, depth);
            for (uint32_t a = 0; a < from.n_arcs; a++) {
                uint32_t u = shown(&from, from.arcs[a].from, depth);
                uint32_t v = shown(&from, from.arcs[a].to, depth);
                /* What ends inside a closed section leads on as the section does. */
                if (u != v)
                    assert_true(arc_is_in(text, u, v));
            }
            for (uint32_t i = 0; i < from.n; i++) {
                char *line = weft_asprintf("T%" PRIu32 " [shape=", i);
                bool is_shown = shown(&from, i, depth) == i
                                && (!from.nodes[i].n || depth_of(&from, i) >= depth);
                assert_int_equal(has_line(text, line), is_shown);
                free(line);
            }
            free(text);
        }
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* ---- Trees of tasks ---- */

static struct weft_trace *as_vista(const struct weft_source *source)
{
    char *path = weft_strdup(support_path("tasks.vista"));
    char *store = weft_strdup(support_path("tasks.weft"));
    struct weft_err err = { 0 };
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(weft_write_task_tree(source, stream, support_path(""), NULL, &err));
    fclose(stream);
    assert_true(weft_import(path, NULL, store, NULL, &err));
    struct weft_trace *trace = weft_trace_open(store, &err);
    assert_non_null(trace);
    free(path);
    free(store);
    return trace;
}

static void tasks_become_reductions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 10, 200);
        struct dag_store store = dag_store_make(&from);
        struct weft_trace *trace = as_vista(store.source);
        const struct weft_schema *schema = weft_trace_schema(trace);
        uint64_t tasks = 0, on[16] = { 0 };
        for (uint32_t i = 0; i < from.n; i++) {
            uint32_t first = i;
            while (from.nodes[first].n)
                first = from.nodes[first].first;
            if (from.nodes[i].kind != WEFT_DAG_TASK)
                continue;
            tasks++;
            on[from.nodes[first].worker < 0 ? 0 : from.nodes[first].worker]++;
        }
        assert_int_equal(schema->n_problems, 0);
        assert_int_equal(schema->n_states, tasks);
        for (uint32_t t = 0; t < schema->n_tracks; t++) {
            uint32_t pe = schema->tracks[t].container - 1; /* behind the root */
            assert_true(pe < from.n_workers);
            assert_int_equal(schema->tracks[t].count, on[pe]);
        }
        weft_trace_close(trace);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/*
 * By clocks that disagree tasks begin before those that created them: they are written when
 * these begin, so that each line comes after its parent's, and in order on its worker.
 */
static void tasks_before_their_creators(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct random_dag from = random_dag_make(seed, 10, 200);
        for (uint32_t i = 1; i < from.n; i++) {
            if (from.nodes[i].kind != WEFT_DAG_TASK || i % 2)
                continue;
            for (uint32_t f = i;; f = from.nodes[f].first) {
                from.nodes[f].begin = from.nodes[0].begin;
                if (!from.nodes[f].n)
                    break;
            }
        }
        struct dag_store store = dag_store_make(&from);
        struct weft_trace *trace = as_vista(store.source);
        assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
        weft_trace_close(trace);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* The bytes of the file of DAG Recorder that is written. */
static char *dag_bytes(const struct weft_source *source, size_t *size)
{
    char *bytes, *losses = NULL;
    struct weft_err err = { 0 };
    FILE *stream = weft_text_begin(&bytes, size);
    assert_true(weft_write_dag_recorder(source, stream, &losses, NULL, &err));
    weft_text_end(stream);
    free(losses);
    return bytes;
}

/* A node's numbers of 8 bytes are the same, but for places, whose names the two number each in
   its way, and times, which here count from ZERO. */
static void compare_node(const int64_t *got, const int64_t *expected, int64_t zero)
{
    enum {
        BEGIN = 0,
        BEGIN_LINE = 8,
        END = 9,
        END_LINE = 17,
        FIRST_READY = 21,
        LAST_START = 22
    };
    for (int w = 0; w < 54; w++) {
        bool time = w == BEGIN || w == END || w == FIRST_READY || w == LAST_START;
        bool place = (w > BEGIN && w < BEGIN_LINE) || (w > END && w < END_LINE);
        if (!place)
            assert_int_equal(got[w], expected[w] - (time ? zero : 0));
    }
}

/* The same bytes as DAG Recorder's structs have in a second, slow writer (dag_file.c). */
static void files_are_dag_recorders(void **state)
{
    enum { VERSION = 45, HEAD = 77, NODE = 432, EDGE = 24 };
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 10, 150);
        struct dag_store store = dag_store_make(&from);
        size_t sizes[2], edges = (size_t)from.n_arcs * EDGE;
        size_t nodes = HEAD + (size_t)from.n * NODE;
        char *got = dag_bytes(store.source, &sizes[0]);
        unsigned char *expected = dag_file_make(&from, &sizes[1]);
        assert_true(sizes[0] > nodes + edges && sizes[1] > nodes + edges);
        assert_memory_equal(got, expected, VERSION + 16);
        assert_memory_equal(got + HEAD - 8, expected + HEAD - 8, 8);
        for (uint32_t i = 0; i < from.n; i++) {
            int64_t words[2][NODE / 8];
            memcpy(words[0], got + HEAD + (size_t)i * NODE, NODE);
            memcpy(words[1], expected + HEAD + (size_t)i * NODE, NODE);
            compare_node(words[0], words[1], from.nodes[0].first_ready);
        }
        assert_memory_equal(got + nodes, expected + nodes, edges);
        free(got);
        free(expected);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_graphs_have_all_edges),
        cmocka_unit_test(closed_graphs_keep_what_joins),
        cmocka_unit_test(files_are_dag_recorders),
        cmocka_unit_test(tasks_become_reductions),
        cmocka_unit_test(tasks_before_their_creators),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
