/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of DAG Recorder's: read, and whatever DAG comes of it walked through,
 * dumped and written as a graph.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "domains/tasks/dag/dag.h"
#include "domains/tasks/write/dag_text.h"
#include "read/reader.h"
#include "write/dump_and_paje.h"

extern const struct weft_reader weft_reader_dag;

/* Each node once, by its number, and where its edges lead. */
static void go_through(const struct weft_source *source)
{
    struct weft_err err = { 0 };
    struct weft_dag *dag = weft_dag_open(source, &err);
    if (!dag)
        abort(); /* the reader leaves at least one node */
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node node, child;
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        weft_dag_node(dag, i, &node);
        for (uint32_t c = 0; c < node.n; c++) {
            weft_dag_shape(dag, node.first + c, &child);
            if (child.parent != i)
                abort();
        }
        if (node.end < node.begin || node.work < 0)
            abort();
        for (size_t a = weft_dag_successors(dag, i, arcs); a-- > 0;)
            if (arcs[a].to >= weft_dag_size(dag))
                abort();
    }
    weft_dag_close(dag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    char *store = fuzz_path("dag-store");
    struct weft_read_options options = { 0 };
    struct weft_input *input = weft_input_open(fuzz_file("dag", data, size), NULL, &err);
    if (input && weft_reader_dag.read(input, &options, store, NULL, &err)) {
        struct weft_trace *trace = weft_trace_open(store, &err);
        FILE *sink = fopen("/dev/null", "w");
        if (!trace || !sink)
            abort(); /* what the builder wrote must open */
        const struct weft_source *source = weft_trace_source(trace);
        go_through(source);
        if (!weft_write_dump(source, sink, NULL, &err)
            || !weft_write_dot(source, sink, WEFT_NONE, NULL, &err)
            || !weft_write_task_tree(source, sink, "/tmp", NULL, &err))
            abort();
        fclose(sink);
        weft_trace_close(trace);
    }
    weft_input_close(input);
    remove(store);
    free(store);
    return 0;
}
