/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of distributed arrays: the report's fragment, faults at their lines, and there and back. */
#include "tests/unit/read/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domains/arrays/model/reference_profile.h"
#include "domains/arrays/write/ddv.h"
#include "tests/random.h"
#include "tests/small_store.h"

/* Figure 4.4. */
static const char fragment[] = "0\t0\t4\t2\t5\tread\tremote\n"
                               "0\t1\t6\t2\t9\tread\tlocal\n"
                               "0\t0\t4\t0\t4\twrite\tlocal\n"
                               "1\t0\t7\t2\t7\twrite\tremote\n"
                               "1\t1\t3\t8\t9\tread\tlocal\n"
                               "1\t0\t4\t2\t5\tread\tremote\n";

static struct weft_trace *read_text(const char *text, size_t size)
{
    char *trace = weft_strdup(support_path("trace")),
         *store = weft_strdup(support_path("store"));
    struct weft_err err = { 0 };
    struct weft_trace *read = NULL;
    support_write(trace, text, size);
    if (weft_import(trace, &(struct weft_read_options){ 0 }, store, NULL, &err))
        read = weft_trace_open(store, &err);
    if (!read)
        print_message("%s\n", err.message);
    free(trace);
    free(store);
    return read;
}

static struct weft_profile *profile_of(struct weft_trace *trace)
{
    struct weft_err err;
    struct weft_profile *profile = weft_profile_open(weft_trace_source(trace), NULL, &err);
    assert_non_null(profile);
    return profile;
}

static void the_reports_fragment(void **state)
{
    (void)state;
    struct weft_trace *trace = read_text(fragment, sizeof fragment - 1);
    const struct weft_schema *schema = weft_trace_schema(trace);
    assert_string_equal(schema->format, "ddv");
    assert_int_equal(schema->n_records, 6);
    assert_int_equal(schema->n_problems, 0);
    struct weft_profile *profile = profile_of(trace);
    const struct weft_array *array = weft_profile_array(profile, 0);
    assert_int_equal(array->shape[0], 9);
    assert_int_equal(array->shape[1], 10);
    assert_int_equal(array->arrangement_rank, 2);
    assert_int_equal(array->arrangement[0], 2);
    assert_int_equal(array->arrangement[1], 8);
    assert_int_equal(weft_profile_steps(profile), 2);
    assert_true(weft_profile_as_found(profile));
    assert_false(weft_profile_names_requesters(profile));

    const struct weft_count_query query = { .profile = profile, .after_step = 2 };
    struct weft_reference_counts counts[90] = { { 0 } };
    struct weft_err err;
    assert_true(weft_count_elements(&query, 0, counts, NULL, &err));
    assert_int_equal(counts[25].remote_reads, 2);
    assert_int_equal(counts[29].local_reads, 1);
    assert_int_equal(counts[4].local_writes, 1);
    assert_int_equal(counts[27].remote_writes, 1);
    assert_int_equal(counts[89].local_reads, 1);
    memset(counts, 0, sizeof counts);
    assert_int_equal(weft_count_all_processors(&query),
                     16 - 1); /* 14 is the highest there */
    assert_true(weft_count_processors(&query, 0, false, counts, NULL, &err));
    assert_int_equal(counts[4].remote_reads, 2);
    assert_int_equal(counts[4].local_writes, 1);
    assert_int_equal(counts[14].local_reads, 1);
    assert_int_equal(counts[7].remote_writes, 1);
    assert_int_equal(counts[11].local_reads, 1);
    weft_profile_close(profile);
    weft_trace_close(trace);
}

/* Who asked, and how large things are, when the trace says it. */
static void with_requesters(void **state)
{
    (void)state;
    static const char text[] = "# array B 20 30 processors 4 5\n"
                               "# anything\n\n"
                               "3 1 2 7 8 read remote 3 4\n"
                               "3 1 2 7 8 write local 1 2\r\n";
    struct weft_trace *trace = read_text(text, sizeof text - 1);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    struct weft_profile *profile = profile_of(trace);
    const struct weft_array *array = weft_profile_array(profile, 0);
    assert_string_equal(array->name, "B");
    assert_int_equal(array->shape[0], 20);
    assert_int_equal(array->shape[1], 30);
    assert_int_equal(array->arrangement[0], 4);
    assert_int_equal(array->arrangement[1], 5);
    assert_true(weft_profile_names_requesters(profile));
    struct weft_flow *flows;
    size_t n;
    struct weft_err err;
    const struct weft_count_query query = { .profile = profile, .after_step = 4 };
    assert_true(weft_count_flows(&query, 0, &flows, &n, NULL, &err));
    assert_int_equal(n, 1);
    assert_int_equal(flows[0].from, 7);
    assert_int_equal(flows[0].to, 19);
    assert_int_equal(flows[0].elements, 1);
    free(flows);
    weft_profile_close(profile);
    weft_trace_close(trace);
}

static void faults_are_problems(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } faults[] = {
        { "0 0 4 2 5 read", "seven words" },
        { "0 0 4 2 5 read remote 1", "seven words" },
        { "0 0 4 2 5 read remote 1 2 3", "seven words" },
        { "x 0 4 2 5 read remote", "the time" },
        { "16777216 0 4 2 5 read remote", "the time" },
        { "0 -1 4 2 5 read remote", "the processor's row" },
        { "0 0 32768 2 5 read remote", "the processor's column" },
        { "0 0 4 2.5 5 read remote", "the element's row" },
        { "0 0 4 2 99999999999 read remote", "the element's column" },
        { "0 0 4 2 5 reads remote", "read or write" },
        { "0 0 4 2 5 read near", "local or remote" },
        { "0 0 4 2 5 read remote 0 4", "the owner itself" },
        { "0 0 4 2 5 read local 0 5", "another processor" },
        { "0 0 4 2 5 read remote 0 y", "the requester's" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s\n%s", fragment, faults[i].line, fragment);
        struct weft_trace *trace = read_text(text, strlen(text));
        const struct weft_schema *schema = weft_trace_schema(trace);
        assert_int_equal(schema->n_problems, 1);
        assert_int_equal(schema->problems[0].line, 7);
        if (!strstr(schema->problems[0].message, faults[i].says))
            fail_msg("%s gives: %s", faults[i].line, schema->problems[0].message);
        struct weft_profile *profile = profile_of(trace);
        uint64_t references = 0;
        for (uint64_t p = 0; p < weft_profile_patterns(profile); p++) {
            struct weft_pattern pattern;
            weft_profile_pattern(profile, p, &pattern);
            references += weft_pattern_references(&pattern);
        }
        assert_int_equal(references, 12);
        weft_profile_close(profile);
        weft_trace_close(trace);
    }
}

/* Sorted lines: a step has no order. */
static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static size_t sort_lines(char *text, char **lines, size_t most)
{
    size_t n = 0;
    for (char *line = strtok(text, "\n"); line && n < most; line = strtok(NULL, "\n"))
        lines[n++] = line;
    qsort(lines, n, sizeof *lines, by_text);
    return n;
}

/* What was read and is written again are the same lines. */
static void there_and_back(void **state)
{
    (void)state;
    enum { LINES = 200 };
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char text[60 * (LINES + 1)] = "# array B 12 12 processors 3 4\n";
        bool asked = seed % 2;
        size_t used = strlen(text);
        roll_from(seed);
        for (int i = 0; i < LINES; i++) {
            int row = (int)roll(3), column = (int)roll(4), to = (int)roll(12);
            bool local = to == row * 4 + column;
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%d %d %d %d %d %s %s",
                                 (int)roll(5), row, column, (int)roll(12), (int)roll(12),
                                 roll(2) ? "read" : "write", local ? "local" : "remote");
            if (asked)
                used += (size_t)snprintf(text + used, sizeof text - used, " %d %d", to / 4,
                                         to % 4);
            text[used++] = '\n';
        }
        struct weft_trace *trace = read_text(text, used);
        assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
        struct weft_profile *profile = profile_of(trace);
        char *again, *lines[LINES + 2], *others[LINES + 2];
        size_t size;
        struct weft_err err;
        FILE *stream = open_memstream(&again, &size);
        const struct weft_count_query query = { .profile = profile, .after_step = 5 };
        assert_true(weft_write_ddv(&query, 0, asked, stream, NULL, &err));
        fclose(stream);
        text[used] = 0;
        assert_int_equal(sort_lines(again, lines, LINES + 2), LINES + 1);
        assert_int_equal(sort_lines(text, others, LINES + 2), LINES + 1);
        for (int i = 0; i <= LINES; i++)
            assert_string_equal(lines[i], others[i]);
        free(again);
        weft_profile_close(profile);
        weft_trace_close(trace);
    }
}

/* Adds an array X of four elements on RANK dimensions of two processors; reads one. */
static struct weft_profile *placed(uint32_t rank, struct weft_trace **trace)
{
    char path[] = "/tmp/weft-ddv-test.XXXXXX";
    struct weft_err err;
    struct weft_builder *b = small_store_begin(path);
    uint32_t type = add_type(b, WEFT_CONTAINER, 0, "process", WEFT_ROLE_PROCESS);
    uint32_t process = weft_builder_container(b, type, 0, "run", NULL, 0);
    struct weft_profile_writer *writer = weft_profile_writer_new(b, process, type);
    struct weft_array array = {
        .name = "X", .rank = 1, .element_bytes = 8, .shape = { 4 }, .arrangement_rank = rank
    };
    for (uint32_t d = 0; d < rank; d++)
        array.arrangement[d] = 2;
    uint32_t number = weft_profile_writer_array(writer, &array, 0);
    struct weft_pattern pattern = { .array = number,
                                    .owner_array = WEFT_NONE,
                                    .site = WEFT_NONE,
                                    .owner_processor = 1,
                                    .requester_processor = -1,
                                    .local = -1,
                                    .times = 1 };
    for (int step = 0; step < 2; step++) {
        pattern.step = (uint32_t)step;
        for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
            pattern.extent[k] = 1;
        assert_true(weft_profile_writer_add(writer, &pattern));
    }
    assert_true(weft_profile_writer_finish(writer, NULL, &err));
    *trace = small_store_end(b, path);
    return profile_of(*trace);
}

/*
 * Processors of three dimensions have no rows and columns; and where the number of rows
 * changes from step to step, the first line has room for all.
 */
static void processors_have_rows_and_columns(void **state)
{
    (void)state;
    static const char changes[] = "PROCESSORS P(4)\nPROCESSORS Q(2)\n"
                                  "DISTRIBUTE X(BLOCK) ONTO P\n"
                                  "STEP 1\nREDISTRIBUTE X(BLOCK) ONTO Q\n";
    static const char *const first[] = { "processors 2 1\n", "processors 2 1\n",
                                         "processors 2 2\n", NULL, "processors 4 1\n" };
    for (uint32_t rank = 1; rank <= 4; rank++) {
        struct weft_trace *trace;
        struct weft_profile *profile = placed(rank % 4, &trace);
        char *text;
        size_t size;
        struct weft_err err;
        FILE *stream = open_memstream(&text, &size);
        struct weft_distributions *distributions =
            rank < 4 ? NULL
                     : weft_distributions_parse("changes", changes, sizeof changes - 1,
                                                profile, &err);
        const struct weft_count_query query = { .profile = profile,
                                                .distributions = distributions,
                                                .after_step = 2 };
        bool ok = weft_write_ddv(&query, 0, false, stream, NULL, &err);
        fclose(stream);
        assert_int_equal(ok, first[rank] != NULL);
        if (ok)
            assert_non_null(strstr(text, first[rank]));
        else
            assert_non_null(strstr(err.message, "two dimensions"));
        free(text);
        weft_distributions_free(distributions);
        weft_profile_close(profile);
        weft_trace_close(trace);
    }
}

/* Wherever it is cut, but between two lines, that is a problem, also within a word. */
static void a_cut_is_told(void **state)
{
    (void)state;
    size_t first = (size_t)(strchr(fragment, '\n') - fragment) + 1;
    for (size_t n = first; n < sizeof fragment; n++) {
        struct weft_trace *trace = read_text(fragment, n);
        bool told = weft_trace_schema(trace)->n_problems > 0;
        if (told != (fragment[n - 1] != '\n'))
            fail_msg("cut at %zu: %s", n, told ? "a problem" : "no problem");
        weft_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reports_fragment),
        cmocka_unit_test(with_requesters),
        cmocka_unit_test(faults_are_problems),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(a_cut_is_told),
        cmocka_unit_test(processors_have_rows_and_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
