/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as directives of how three arrays lie on processors: read, counted and written. */
#include "fuzz.h"

#include <stdlib.h>

#include "domains/arrays/model/count.h"
#include "domains/arrays/model/distribution.h"
#include "domains/arrays/write/ddv.h"
#include "tests/domains/arrays/array_store.h"

enum { ROWS = 20, COLUMNS = 15, STEPS = 4, MAX_PROCESSORS = 10000 };

/* A and B of two dimensions, v of one; some of each are referred to for another. */
static const struct weft_profile *profile(void)
{
    static struct array_store store;
    const uint64_t shape[] = { ROWS, COLUMNS };
    uint32_t arrays[3];

    if (store.profile)
        return store.profile;
    store = array_store_begin();
    arrays[0] = array_store_array(&store, "A", 2, shape);
    arrays[1] = array_store_array(&store, "B", 2, shape);
    arrays[2] = array_store_array(&store, "v", 1, shape);
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint64_t i = 0; i < ROWS; i += 3)
            for (uint32_t a = 0; a < 3; a++) {
                struct weft_pattern pattern =
                    array_reference(step, arrays[a], i, arrays[(a + step) % 3],
                                    ROWS - 1 - i, (enum weft_reference_operation)(i % 2));
                if (!weft_profile_writer_add(store.writer, &pattern))
                    abort();
            }
    array_store_open(&store);
    unlink(store.path); /* it is mapped */
    return store.profile;
}

static void count(const struct weft_count_query *query, uint32_t array)
{
    struct weft_err err = { 0 };
    struct weft_reference_counts *counts = calloc(MAX_PROCESSORS, sizeof *counts);
    uint32_t *requesters = calloc(ROWS * COLUMNS, sizeof *requesters);
    FILE *sink = fopen("/dev/null", "w");
    struct weft_flow *flows;
    size_t n;

    if (!weft_count_processors(query, WEFT_NONE, array % 2, counts, NULL, &err)
        || !weft_count_elements(query, array, counts, NULL, &err)
        || !weft_count_requesters(query, array, requesters, NULL, &err)
        || !weft_count_flows(query, array, &flows, &n, NULL, &err))
        abort(); /* nobody cancels it */
    for (size_t i = 0; i < n; i++)
        if (flows[i].from >= weft_count_all_processors(query)
            || flows[i].to >= weft_count_all_processors(query))
            abort();
    if (!weft_write_ddv(query, array, true, sink, NULL, &err) && !err.message[0])
        abort(); /* a refusal says why */
    fclose(sink);
    free(flows);
    free(requesters);
    free(counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    struct weft_distributions *distributions =
        weft_distributions_parse("fuzz", (const char *)data, size, profile(), &err);

    if (!distributions) {
        if (!err.message[0])
            abort(); /* a refusal says why */
        return 0;
    }
    for (uint32_t rule = 0; rule < 3; rule++) {
        const struct weft_count_query query = { .profile = profile(),
                                                .distributions = distributions,
                                                .rule = (enum weft_compute_rule)rule,
                                                .after_step = STEPS };
        if (weft_count_all_processors(&query) <= MAX_PROCESSORS)
            count(&query, rule);
    }
    weft_distributions_free(distributions);
    return 0;
}
