/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a store: opened, verified, dumped. */
#include "fuzz.h"

#include <stdlib.h>

#include "store/trace.h"
#include "write/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_trace_open(fuzz_file("weft", data, size), &err);
    if (!trace)
        return 0;
    weft_trace_verify(trace, NULL);
    FILE *sink = fopen("/dev/null", "w");
    if (sink) {
        /* A sink that takes everything leaves no reason to fail. */
        if (!weft_write_dump(weft_trace_source(trace), sink, NULL, &err))
            abort();
        fclose(sink);
    }
    weft_trace_close(trace);
    return 0;
}
