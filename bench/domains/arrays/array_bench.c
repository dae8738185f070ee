/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_bench KIND N STEPS OUT.weft: write a profile of a matrix of N x N, and rank its
 * distributions over 64 processors.  KIND: stencil, five points from one matrix to another one,
 * STEPS times; lu, elimination without pivoting, a step a column; or irregular, 500,000 patterns of
 * one reference each in STEPS steps, from random elements of one matrix for random ones of
 * the other.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domains/arrays/model/advise.h"
#include "store/trace/trace.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of all threads: what other programs do on the machine is not in it. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct profile_writing {
    struct weft_profile_writer *writer;
    uint64_t n;
    uint32_t step;
};

/* Rows x columns turns, from the element and owner at the first of them. */
static void put(const struct profile_writing *w, uint32_t array, int64_t element,
                int64_t rows_way, int64_t columns_way, uint32_t owner_array, int64_t owner,
                uint64_t rows, uint64_t columns, enum weft_reference_operation operation)
{
    struct weft_pattern pattern = { .step = w->step,
                                    .array = array,
                                    .owner_array = owner_array,
                                    .operation = operation,
                                    .site = WEFT_NONE,
                                    .owner_processor = -1,
                                    .requester_processor = -1,
                                    .local = -1,
                                    .times = 1,
                                    .element = (uint64_t)element,
                                    .owner = (uint64_t)owner,
                                    .extent = { columns, rows, 1, 1 },
                                    .stride = { columns_way, rows_way },
                                    .owner_stride = { 1, (int64_t)w->n } };
    if (rows && columns && !weft_profile_writer_add(w->writer, &pattern))
        abort();
}

static void stencil(struct profile_writing *w, uint32_t steps)
{
    int64_t n = (int64_t)w->n, first = n + 1;
    for (w->step = 0; w->step < steps; w->step++) {
        const int64_t from[] = { -n, -1, 0, 1, n };
        uint32_t source = w->step % 2, target = 1 - source;
        for (int i = 0; i < 5; i++)
            put(w, source, first + from[i], n, 1, target, first, w->n - 2, w->n - 2,
                WEFT_REFERENCE_READ);
        put(w, target, first, n, 1, target, first, w->n - 2, w->n - 2,
            WEFT_REFERENCE_WRITE);
    }
}

static void lu(struct profile_writing *w)
{
    int64_t n = (int64_t)w->n;
    for (w->step = 0; w->step < w->n; w->step++) {
        int64_t k = (int64_t)w->step, pivot = k * n + k;
        uint64_t left = w->n - 1 - w->step;
        put(w, 0, pivot, 0, 0, 0, pivot + n, left, 1, WEFT_REFERENCE_READ);
        put(w, 0, pivot + n, n, 0, 0, pivot + n, left, 1, WEFT_REFERENCE_WRITE);
        put(w, 0, pivot + n, n, 0, 0, pivot + n + 1, left, left, WEFT_REFERENCE_READ);
        put(w, 0, pivot + 1, 0, 1, 0, pivot + n + 1, left, left, WEFT_REFERENCE_READ);
        put(w, 0, pivot + n + 1, n, 1, 0, pivot + n + 1, left, left, WEFT_REFERENCE_READ);
        put(w, 0, pivot + n + 1, n, 1, 0, pivot + n + 1, left, left, WEFT_REFERENCE_WRITE);
    }
}

static void irregular(struct profile_writing *w, uint32_t steps)
{
    enum { PATTERNS = 500000 };
    uint64_t state = 1, all = w->n * w->n;
    for (uint32_t i = 0; i < PATTERNS; i++) {
        int64_t at[2];
        for (int k = 0; k < 2; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            at[k] = (int64_t)((state >> 20) % all);
        }
        w->step = (uint32_t)((uint64_t)i * steps / PATTERNS);
        put(w, 0, at[0], 0, 0, 1, at[1], 1, 1, WEFT_REFERENCE_READ);
    }
}

static bool write_profile(const char *kind, uint64_t n, uint32_t steps, const char *path,
                          struct weft_err *err)
{
    struct weft_builder *builder = weft_builder_new(path, "bench", err);
    if (!builder)
        return false;
    uint32_t type =
        weft_builder_type(builder, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                        .name = "process",
                                                        .start_type = WEFT_NONE,
                                                        .end_type = WEFT_NONE });
    uint32_t process = weft_builder_container(builder, type, 0, kind, NULL, 0);
    struct profile_writing w = { .writer = weft_profile_writer_new(builder, process, type),
                                 .n = n };
    for (int i = 0; i < 2; i++)
        (void)weft_profile_writer_array(
            w.writer,
            &(struct weft_array){
                .name = i ? "B" : "A", .rank = 2, .shape = { n, n }, .element_bytes = 8 },
            0);
    if (strcmp(kind, "lu") == 0)
        lu(&w);
    else if (strcmp(kind, "irregular") == 0)
        irregular(&w, steps);
    else
        stencil(&w, steps);
    return weft_profile_writer_finish(w.writer, NULL, err)
           && weft_builder_finish(builder, NULL, err);
}

static void put_line(const char *kind, const char *what, double value, const char *unit)
{
    printf("array_%s_%s %.3f %s\n", kind, what, value, unit);
}

static bool ask_all(const struct weft_profile *profile, const char *kind,
                    struct weft_err *err)
{
    double begin = seconds(), processor = processor_seconds();
    const struct weft_advice_query query = {
        .profile = profile, .array = WEFT_NONE, .processors = 64, .costs = { 1, 1000, 0.1 }
    };
    struct weft_advice *advice = weft_advice_make(&query, NULL, err);
    if (!advice)
        return false;
    put_line(kind, "references", (double)advice->rows[0].references / 1e9, "10^9");
    put_line(kind, "distributions", (double)advice->n, "ranked");
    put_line(kind, "rank", seconds() - begin, "s");
    put_line(kind, "rank_processor", processor_seconds() - processor, "s");
    printf("best: %s\n", advice->rows[0].distribution.text);
    weft_advice_free(advice);

    static const char text[] =
        "PROCESSORS P(8,8)\nDISTRIBUTE (CYCLIC(2),BLOCK) ONTO P :: A, B\n";
    struct weft_distributions *set =
        weft_distributions_parse("bench", text, strlen(text), profile, err);
    const struct weft_count_query count = { .profile = profile,
                                            .distributions = set,
                                            .after_step = weft_profile_steps(profile) };
    struct weft_reference_counts processors[64] = { { 0 } };
    struct weft_reference_counts *elements =
        weft_zalloc(weft_array_elements(weft_profile_array(profile, 0)), sizeof *elements);
    struct weft_flow *flows;
    size_t n;
    bool ok = set != NULL;
    begin = seconds();
    ok = ok && weft_count_processors(&count, WEFT_NONE, false, processors, NULL, err);
    put_line(kind, "processors", seconds() - begin, "s");
    begin = seconds();
    ok = ok && weft_count_flows(&count, WEFT_NONE, &flows, &n, NULL, err);
    put_line(kind, "flows", seconds() - begin, "s");
    if (ok)
        free(flows);
    begin = seconds();
    ok =
        ok
        && (getenv("SKIP_ELEMENTS") || weft_count_elements(&count, 0, elements, NULL, err));
    put_line(kind, "elements", seconds() - begin, "s");
    free(elements);
    weft_distributions_free(set);
    return ok;
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    if (argc != 5)
        return 2;
    double begin = seconds();
    bool ok = write_profile(argv[1], strtoull(argv[2], NULL, 10),
                            (uint32_t)strtoul(argv[3], NULL, 10), argv[4], &err);
    put_line(argv[1], "write", seconds() - begin, "s");
    struct weft_trace *trace = ok ? weft_trace_open(argv[4], &err) : NULL;
    begin = seconds();
    struct weft_profile *profile =
        trace ? weft_profile_open(weft_trace_source(trace), NULL, &err) : NULL;
    put_line(argv[1], "open", seconds() - begin, "s");
    ok = profile && ask_all(profile, argv[1], &err);
    if (!ok)
        fprintf(stderr, "%s\n", err.message);
    weft_profile_close(profile);
    weft_trace_close(trace);
    return !ok;
}
