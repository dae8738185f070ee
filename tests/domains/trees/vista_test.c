/* SPDX-License-Identifier: Apache-2.0 */
/* VISTA traces, good and bad: each fault is one problem at its line. */
#include "tests/unit/read/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/cache.h"

/*
 * Clauses 1 to 5: start and stop have one goal of the program's own each, work two, and the
 * last two none.  Neither the directive nor "otherwise." takes a number.
 */
static const char program[] =
    ":- module main.\n"
    "% work( in a comment. is no clause\n"
    "start(N, X) :- N > 0 | work(N, X), Y = [1|X], Y := 3, true.\n"
    "work(N, [a,'b.c'|T]) :- N > 1, M := N - 1 |\n"
    "    main:stop(M, T)@priority(*, 3), stop(M, \"a, b). \").\n"
    "stop(X, 0'.) :- stop(X).\n"
    "otherwise.\n"
    "stop(X, _) :- X = [].\n"
    "stop(_).\n";

static const char good[] = "2\n"
                           "100\t1\t0\t1\t0\t0\n"
                           "110\t2\t0\t2\t0\t1\n"
                           "120\t4\t1\t1\t0\t2\n"
                           "120\t3\t0\t3\t0\t2\n"
                           "130\t5\t1\t2\t0\t3\n";

static struct weft_trace *read_with(const char *text, const char *source, const char *unit)
{
    char *trace = weft_strdup(support_path("trace")),
         *store = weft_strdup(support_path("store")), *file = NULL;
    struct weft_err err = { 0 };
    support_write(trace, text, strlen(text));
    if (source) {
        file = weft_strdup(support_path("program.fghc"));
        support_write(file, source, strlen(source));
    }
    struct weft_read_options options = { .time_unit = unit,
                                         .values = (struct weft_reader_value[]){
                                             { "source", file }, { 0 } } };
    struct weft_trace *read = NULL;
    if (weft_import(trace, &options, store, NULL, &err))
        read = weft_trace_open(store, &err);
    if (!read)
        print_message("%s\n", err.message);
    free(trace);
    free(store);
    free(file);
    return read;
}

static void reductions_become_states(void **state)
{
    (void)state;
    struct weft_trace *trace = read_with(good, program, NULL);
    const struct weft_schema *schema = weft_trace_schema(trace);
    assert_string_equal(schema->format, "vista");
    assert_int_equal(schema->n_records, 5);
    assert_int_equal(schema->n_states, 5);
    assert_int_equal(schema->n_problems, 0);
    assert_int_equal(schema->ticks_numerator, 1000000); /* microseconds */
    assert_int_equal(schema->span.begin, 100);
    assert_int_equal(schema->span.end, 130);
    /* PE 0 is on start until it reduces work; for how long it was on its last, nobody knows. */
    char *dump = support_dump(trace);
    assert_non_null(
        strstr(dump, "State, PE 0, reduction, 0.0001, 0.00011, 0.00001, 0, start"));
    assert_non_null(strstr(dump, "State, PE 0, reduction, 0.00012, 0.00012, 0, 0, stop"));
    assert_non_null(
        strstr(dump, "State, PE 1, reduction, 0.00012, 0.00013, 0.00001, 0, stop"));
    free(dump);
    /* The first of PE 1: its clause, parent and place in the source. */
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_field_value fields[16];
    uint32_t track = WEFT_NONE;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (strcmp(schema->containers[schema->tracks[t].container].name, "PE 1") == 0)
            track = t;
    size_t n = source->ops->fields(source, weft_entity_id(track, 0), fields, 16), seen = 0;
    for (size_t i = 0; i < n; i++) {
        const char *name = schema->fields[fields[i].field].name;
        seen += (strcmp(name, "record") == 0 && fields[i].integer == 3)
                + (strcmp(name, "clause") == 0 && fields[i].integer == 4)
                + (strcmp(name, "index") == 0 && fields[i].integer == 1)
                + (strcmp(name, "parent_pe") == 0 && fields[i].integer == 0)
                + (strcmp(name, "parent_index") == 0 && fields[i].integer == 2)
                + (strcmp(name, "site") == 0 && schema->sites[fields[i].index].line == 8);
    }
    assert_int_equal(seen, 6);
    weft_trace_close(trace);
}

static bool add_all(void *user, const struct weft_field_run *run)
{
    int64_t *sum = user;
    for (size_t i = 0; i < run->n; i++)
        *sum += run->values[i] * (int64_t)(run->ordinals[i] + 1);
    return true;
}

static void a_column_is_read_whole(void **state)
{
    (void)state;
    struct weft_trace *trace = read_with(good, NULL, NULL);
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_schema *schema = source->schema;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        for (uint32_t f = 0; f < schema->n_fields; f++) {
            int64_t sum = 0, expected = 0;
            source->ops->column(source, t, f, add_all, &sum);
            for (uint64_t i = 0; i < schema->tracks[t].count; i++) {
                struct weft_field_value fields[16];
                size_t n = source->ops->fields(source, weft_entity_id(t, i), fields, 16);
                for (size_t k = 0; k < n; k++)
                    if (fields[k].field == f)
                        expected += fields[k].integer * (int64_t)(i + 1);
            }
            assert_int_equal(sum, expected);
        }
    weft_trace_close(trace);
}

static void without_a_program_clauses_have_numbers(void **state)
{
    (void)state;
    struct weft_trace *trace = read_with(good, NULL, "ms");
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->ticks_numerator, 1000);
    char *dump = support_dump(trace);
    assert_non_null(strstr(dump, "clause 3"));
    free(dump);
    weft_trace_close(trace);
}

static void faults_have_their_line(void **state)
{
    static const struct {
        const char *text, *kind;
        uint64_t line;
        uint64_t states; /* what is left */
    } cases[] = {
        { "2\n1 1 0 1 0 0\n2 2 0 2 0\n", "bad-record", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 0 2 0 1 7\n", "bad-record", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 x 2 0 1\n", "bad-number", 3, 1 },
        { "2\n1 1 0 1 0 0\n99999999999999999999 2 0 2 0 1\n", "bad-number", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 0 0 0 1\n", "bad-index", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 0 2 0 -1\n", "bad-index", 3, 1 },
        { "2\n1 1 0 1 0 0\n\n2 6 0 2 0 1\n", "unknown-clause", 4, 1 },
        { "2\n1 1 0 1 0 0\n2 0 0 2 0 1\n", "unknown-clause", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 2 1 0 1\n", "pe-out-of-range", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 1 1 5 1\n", "pe-out-of-range", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 0 1 0 1\n", "duplicate-record", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 0 2 1 1\n", "parent-not-seen", 3, 1 },
        { "2\n1 1 0 1 0 0\n2 2 0 2 0 2\n", "parent-not-seen", 3, 1 }, /* itself */
        { "2\n1 1 0 1 0 0\n2 2 0 2 0 0\n", "second-root", 3, 1 },
        { "2\n1 5 0 1 0 0\n2 5 0 2 0 1\n", "too-many-children", 3, 2 },
        { "2\n1 1 0 1 0 0\n2 2 0 2 0 1\n3 5 0 3 0 2\n", "too-few-children", 3, 3 },
        { "2\n5 1 0 1 0 0\n4 2 0 2 0 1\n", "out-of-order", 3, 2 },
        { "2\n5 1 0 1 0 0\n4 2 1 1 0 1\n", "before-its-parent", 3, 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_trace *trace = read_with(cases[i].text, program, NULL);
        uint64_t line = 0;
        assert_non_null(trace);
        if (support_problems(trace, cases[i].kind, &line) != 1)
            fail_msg("case %zu: no %s", i, cases[i].kind);
        if (line != cases[i].line)
            fail_msg("case %zu: %s at line %d", i, cases[i].kind, (int)line);
        assert_int_equal(weft_trace_schema(trace)->n_states, cases[i].states);
        weft_trace_close(trace);
    }
}

static void long_lines_are_one_fault(void **state)
{
    (void)state;
    size_t size = 3 << 20;
    char *text = weft_alloc(size + 100);
    strcpy(text, "1\n1 1 0 1 0 0\n");
    size_t head = strlen(text);
    memset(text + head, '7', size);
    strcpy(text + head + size, "\n2 1 0 2 0 1\n");
    struct weft_trace *trace = read_with(text, NULL, NULL);
    uint64_t line;
    assert_int_equal(support_problems(trace, "line-too-long", &line), 1);
    assert_int_equal(line, 3);
    assert_int_equal(weft_trace_schema(trace)->n_states, 2);
    weft_trace_close(trace);
    free(text);
}

/* Indices in any order, with gaps, beside the usual ones. */
static void indices_may_be_anything(void **state)
{
    (void)state;
    struct weft_trace *trace = read_with("2\n1 1 0 1000000000 0 0\n2 1 1 7 0 1000000000\n"
                                         "3 1 1 3 1 7\n4 1 0 2 1 3\n5 1 0 1 0 2\n",
                                         NULL, NULL);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->n_states, 5);
    weft_trace_close(trace);
}

/* Goals in more brackets than are looked into would be lost, and their records be too many. */
static void refuse_nested_goals(const char *path, const char *source, const char *store)
{
    enum { DEEP = 600 };
    char deep[64 + 4 * DEEP];
    struct weft_read_options options = { .values = (struct weft_reader_value[]){
                                             { "source", source }, { 0 } } };
    size_t n = (size_t)sprintf(deep, "a :-\n");
    memset(deep + n, '(', DEEP);
    n += DEEP;
    n += (size_t)sprintf(deep + n, "a");
    memset(deep + n, ')', DEEP);
    n += DEEP;
    deep[n++] = '.';
    deep[n++] = '\n';
    support_write(source, deep, n);
    struct weft_err err = { 0 };
    assert_false(weft_import(path, &options, store, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
    assert_int_equal(err.line, 2);
}

static void bad_inputs_are_refused(void **state)
{
    (void)state;
    char *path = weft_strdup(support_path("bad")),
         *store = weft_strdup(support_path("store"));
    struct weft_err err = { 0 };
    support_write(path, "99999999\n1 1 0 1 0 0\n", 21);
    assert_false(weft_import(path, NULL, store, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_LIMIT);
    assert_int_equal(err.line, 1);
    support_write(path, good, strlen(good));
    struct weft_read_options options = { .values = (struct weft_reader_value[]){
                                             { "source", "/nonexistent/program.fghc" },
                                             { 0 } } };
    assert_false(weft_import(path, &options, store, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    char *source = weft_strdup(support_path("program.fghc"));
    options.values = (struct weft_reader_value[]){ { "source", source }, { 0 } };
    support_write(source, "a :- b(1.\n", 10);
    assert_false(weft_import(path, &options, store, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
    support_write(source, "\n\na :- b", 8);
    err = (struct weft_err){ 0 };
    assert_false(weft_import(path, &options, store, NULL, &err));
    assert_int_equal(err.line, 3);
    refuse_nested_goals(path, source, store);
    options = (struct weft_read_options){ .time_unit = "weeks" };
    assert_false(weft_import(path, &options, store, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    free(source);
    free(path);
    free(store);
}

/* Numbers alone are no trace; a record below some damaged lines makes one. */
static void files_of_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const others[] = {
        "2\n",
        "1\n2\n3\n4\n5\n6\n7\n",
        "3\n1 2\n3 4\n5 6\n",
        "3\n1 2 3\n4 5 6\n7 8 9\n",
        "2\n1 1 2 1 0 0\n1 1 3 1 0 0\n",     /* there are PEs 0 and 1 */
        "2\n1 1 0 0 0 0\n1 1 -1 1 0 0\n",    /* indices count from 1, PEs from 0 */
        "2\n1.5 1 0 1 0 0\n1,5 1 0 1 0 0\n", /* not whole */
        "0\n1 1 0 1 0 0\n",
    };
    char *path = weft_strdup(support_path("numbers"));
    char *store = weft_strdup(support_path("store"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct weft_err err = { 0 };
        support_write(path, others[i], strlen(others[i]));
        assert_false(weft_import(path, NULL, store, NULL, &err));
        assert_int_equal(err.code, WEFT_ERR_FORMAT);
        assert_non_null(strstr(err.message, "not a trace that Weft can read"));
        assert_null(weft_identify(path));
    }
    struct weft_trace *trace =
        read_with("2\n1 1 0 x 0 0\n\n1 1 0\n1 1 0 1 0 0\n", NULL, NULL);
    assert_int_equal(weft_trace_schema(trace)->n_states, 1);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 2);
    weft_trace_close(trace);
    free(path);
    free(store);
}

/* Figure 11 with figure 10's program: no problem, and the lines of its clauses. */
static void the_thesis_trace_is_sound(void **state)
{
    (void)state;
    const char *shared = getenv("WEFT_SHARED");
    char *trace = weft_asprintf("%s/fghc/quicksort.vista", shared ? shared : "");
    char *source = weft_asprintf("%s/fghc/quicksort.fghc", shared ? shared : "");
    char *store = weft_strdup(support_path("store"));
    struct weft_err err;
    FILE *there = fopen(trace, "r");
    if (there) {
        fclose(there);
        struct weft_read_options options = { .values = (struct weft_reader_value[]){
                                                 { "source", source }, { 0 } } };
        assert_true(weft_import(trace, &options, store, NULL, &err));
        struct weft_trace *read = weft_trace_open(store, &err);
        const struct weft_schema *schema = weft_trace_schema(read);
        static const uint64_t ran[] = { 9, 4, 5, 5 };
        assert_int_equal(schema->n_problems, 0);
        assert_int_equal(schema->n_states, 23);
        for (uint32_t t = 0; t < schema->n_tracks; t++)
            assert_int_equal(schema->tracks[t].count, ran[t]);
        weft_trace_close(read);
    }
    free(trace);
    free(source);
    free(store);
    if (!there) {
        print_message("the thesis's trace is not there (WEFT_SHARED)\n");
        skip();
    }
}

/* Wherever it is cut, but between two lines, that is a problem, also within a number. */
static void a_cut_is_told(void **state)
{
    (void)state;
    for (size_t n = strlen("2\n100\t1\t0\t1\t0\t0\n"); n < sizeof good; n++) {
        char *text = weft_asprintf("%.*s", (int)n, good);
        struct weft_trace *trace = read_with(text, NULL, NULL);
        bool told = weft_trace_schema(trace)->n_problems > 0;
        if (told != (good[n - 1] != '\n'))
            fail_msg("cut at %zu: %s", n, told ? "a problem" : "no problem");
        weft_trace_close(trace);
        free(text);
    }
}

/* An index is that of a trace, a program and the state of its file. */
static void an_index_belongs_to_a_program(void **state)
{
    (void)state;
    char *path = weft_strdup(support_path("indexed")),
         *source = weft_strdup(support_path("indexed.fghc")), *entries[4];
    const struct weft_reader_value values[] = { { "source", source }, { 0 } };
    struct weft_read_options options = { 0 };
    support_write(path, good, strlen(good));
    entries[0] = weft_cache_entry(path, &options);
    options.values = values;
    entries[1] = weft_cache_entry(path, &options);
    support_write(source, program, strlen(program));
    entries[2] = weft_cache_entry(path, &options);
    support_write(source, "a.\n", 3);
    entries[3] = weft_cache_entry(path, &options);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(entries[i], entries[j]);
    for (int i = 0; i < 4; i++)
        free(entries[i]);
    free(source);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_become_states),
        cmocka_unit_test(a_column_is_read_whole),
        cmocka_unit_test(without_a_program_clauses_have_numbers),
        cmocka_unit_test(faults_have_their_line),
        cmocka_unit_test(long_lines_are_one_fault),
        cmocka_unit_test(indices_may_be_anything),
        cmocka_unit_test(bad_inputs_are_refused),
        cmocka_unit_test(files_of_numbers_are_refused),
        cmocka_unit_test(the_thesis_trace_is_sound),
        cmocka_unit_test(a_cut_is_told),
        cmocka_unit_test(an_index_belongs_to_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
