/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace of a distributed array: read, dumped, counted and written again. */
#include "fuzz.h"

#include <stdlib.h>

#include "domains/arrays/model/count.h"
#include "domains/arrays/write/ddv.h"
#include "read/reader.h"
#include "write/dump_and_paje.h"

extern const struct weft_reader weft_reader_ddv;

/* What is asked of an array is a table of its elements: large ones are left alone. */
static void count(const struct weft_source *source, FILE *sink)
{
    enum { MAX_ELEMENTS = 1 << 16 };
    struct weft_err err = { 0 };
    if (!weft_profile_fills(source))
        return;
    struct weft_profile *profile = weft_profile_open(source, NULL, &err);
    if (!profile || weft_profile_left_out(profile))
        abort(); /* what the writer took in must come back */
    const struct weft_count_query query = { .profile = profile,
                                            .after_step = weft_profile_steps(profile) };
    uint64_t n = weft_array_elements(weft_profile_array(profile, 0));
    struct weft_reference_counts *counts = calloc(MAX_ELEMENTS, sizeof *counts);
    struct weft_flow *flows;
    size_t n_flows;
    if (n <= MAX_ELEMENTS && !weft_count_elements(&query, 0, counts, NULL, &err))
        abort();
    if (!weft_count_flows(&query, WEFT_NONE, &flows, &n_flows, NULL, &err))
        abort();
    if (!weft_write_ddv(&query, 0, true, sink, NULL, &err))
        abort();
    free(flows);
    free(counts);
    weft_profile_close(profile);
}

/*
 * A line begins with its step, of which there may be 2^24: half a second, and under sanitizers half
 * a minute, in which a thousand other inputs would be tried.
 */
static bool claims_many_steps(const uint8_t *data, size_t size)
{
    enum { DIGITS = 5 };
    size_t digits = 0;
    bool in_step = true;
    for (size_t i = 0; i < size && digits <= DIGITS; i++) {
        bool digit = data[i] >= '0' && data[i] <= '9', blank = data[i] <= ' ';
        if (data[i] == '\n') {
            in_step = true;
            digits = 0;
            continue;
        }
        in_step = in_step && (digit || (blank && digits == 0));
        digits += in_step && digit;
    }
    return digits > DIGITS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    if (claims_many_steps(data, size))
        return -1; /* not to be kept */
    char *store = fuzz_path("ddv-store");
    struct weft_input *input = weft_input_open(fuzz_file("ddv", data, size), NULL, &err);
    struct weft_read_options options = { 0 };
    if (input && weft_reader_ddv.read(input, &options, store, NULL, &err)) {
        struct weft_trace *trace = weft_trace_open(store, &err);
        FILE *sink = fopen("/dev/null", "w");
        if (!trace || !sink)
            abort(); /* what the builder wrote must open */
        if (!weft_write_dump(weft_trace_source(trace), sink, NULL, &err))
            abort();
        count(weft_trace_source(trace), sink);
        fclose(sink);
        weft_trace_close(trace);
    }
    weft_input_close(input);
    remove(store);
    free(store);
    return 0;
}
