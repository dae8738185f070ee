/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a VISTA trace, with what follows a NUL as the program's source: read, dumped,
 * and whatever tree comes of it laid out.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "domains/trees/model/tree_radial.h"
#include "read/reader.h"
#include "write/dump_and_paje.h"

extern const struct weft_reader weft_reader_vista;

static void lay_out(const struct weft_source *source)
{
    struct weft_err err = { 0 };
    if (!weft_tree_fills(source))
        return;
    struct weft_tree *tree = weft_tree_read(source, NULL, &err);
    if (!tree)
        return; /* no root was sound */
    for (uint32_t most = 1; most < 9; most += 7) {
        struct weft_tree_layout *layout = weft_tree_lay_out(
            tree, tree->n / 2, &(struct weft_tree_how){ .most = most }, NULL, NULL);
        for (uint32_t i = 0; i < tree->n; i++) {
            uint64_t id = weft_tree_id(tree, i); /* the root of several roots has none */
            if (id != WEFT_NO_ID ? weft_tree_find(tree, id) != i : i != 0)
                abort();
        }
        weft_tree_layout_free(layout);
    }
    weft_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    char *source = fuzz_path("vista-source"), *store = fuzz_path("vista-store");
    const struct weft_reader_value values[] = { { "source", source }, { 0 } };
    struct weft_read_options options = { 0 };
    if (nul) {
        FILE *file = fopen(source, "wb");
        size_t left = (size_t)(data + size - nul - 1);
        if (!file || fwrite(nul + 1, 1, left, file) != left || fclose(file) != 0)
            abort();
        options.values = values;
        size = (size_t)(nul - data);
    }
    struct weft_input *input = weft_input_open(fuzz_file("vista", data, size), NULL, &err);
    if (input && weft_reader_vista.read(input, &options, store, NULL, &err)) {
        struct weft_trace *trace = weft_trace_open(store, &err);
        FILE *sink = fopen("/dev/null", "w");
        if (!trace || !sink)
            abort(); /* what the builder wrote must open */
        if (!weft_write_dump(weft_trace_source(trace), sink, NULL, &err))
            abort();
        lay_out(weft_trace_source(trace));
        fclose(sink);
        weft_trace_close(trace);
    }
    weft_input_close(input);
    remove(store);
    remove(source);
    free(store);
    free(source);
    return 0;
}
