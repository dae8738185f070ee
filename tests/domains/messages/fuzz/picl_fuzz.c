/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a PICL trace: read, dumped, and written as PICL in both orders; what was written
 * must read back, and give the same bytes when it is written again.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "domains/messages/write/picl.h"
#include "read/reader.h"
#include "write/dump_and_paje.h"

extern const struct weft_reader weft_reader_picl;

static struct weft_trace *read_bytes(const void *data, size_t size)
{
    struct weft_err err = { 0 };
    char *store = fuzz_path("picl-store");
    struct weft_trace *trace = NULL;
    struct weft_input *input = weft_input_open(fuzz_file("picl", data, size), NULL, &err);
    if (input && weft_reader_picl.read(input, NULL, store, NULL, &err)) {
        trace = weft_trace_open(store, &err);
        if (!trace)
            abort(); /* what the builder wrote must open */
    }
    weft_input_close(input);
    remove(store);
    free(store);
    return trace;
}

static char *write_again(const struct weft_trace *trace, enum weft_picl_order order,
                         size_t *size)
{
    struct weft_err err = { 0 };
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (!stream)
        abort();
    bool written =
        weft_write_picl(weft_trace_source(trace), stream, order, NULL, NULL, &err);
    fclose(stream);
    if (!written) { /* there is no processor in it */
        free(text);
        return NULL;
    }
    return text;
}

/* Nothing but groups of processors, which make no processor by themselves. */
static bool has_only_groups(const char *text)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += !!line)
        if (strncmp(line, "-202 ", 5) != 0)
            return false;
    return true;
}

static void check_writing(const struct weft_trace *trace, enum weft_picl_order order)
{
    size_t size, again_size;
    char *text = write_again(trace, order, &size);
    /* Processors whose records were all faulty have none to write. */
    struct weft_trace *again = text && size ? read_bytes(text, size) : NULL;
    if (again) {
        char *twice = write_again(again, order, &again_size);
        if (twice ? again_size != size || memcmp(text, twice, size) != 0
                  : !has_only_groups(text))
            abort();
        free(twice);
        weft_trace_close(again);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = read_bytes(data, size);
    if (!trace)
        return 0;
    FILE *sink = fopen("/dev/null", "w");
    if (!sink || !weft_write_dump(weft_trace_source(trace), sink, NULL, &err))
        abort();
    fclose(sink);
    check_writing(trace, WEFT_PICL_BY_TIME);
    check_writing(trace, WEFT_PICL_BY_NODE);
    weft_trace_close(trace);
    return 0;
}
