/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a Paje trace: read, dumped, written as Paje. */
#include "fuzz.h"

#include <stdlib.h>

#include "read/reader.h"
#include "write/dump_and_paje.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    const char *input = fuzz_file("paje", data, size);
    char *store = fuzz_path("paje-store");
    if (weft_import(input, NULL, store, NULL, &err)) {
        struct weft_trace *trace = weft_trace_open(store, &err);
        FILE *sink = fopen("/dev/null", "w");
        /* What the builder wrote must open. */
        if (!trace || !sink)
            abort();
        if (!weft_write_dump(weft_trace_source(trace), sink, NULL, &err)
            || !weft_write_paje(weft_trace_source(trace), sink, NULL, NULL, &err))
            abort();
        fclose(sink);
        weft_trace_close(trace);
    }
    remove(store);
    free(store);
    return 0;
}
