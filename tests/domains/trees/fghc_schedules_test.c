/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every program of the examples and of the folder "programs" gives the same answers, and prints
 * the same, on 1 to 8 PEs and with 25 random orders of goals each.  What a program of the folder
 * must say stands in its first lines, "%goal" and "%says"; of the examples in a table here.
 */
#include <dirent.h>

#include "domains/trees/fghc/machine.h"
#include "domains/trees/fghc/recording.h"
#include "tests/test.h"

enum { MAX_TRIED_PES = 8, SEEDS = 25, SLOW = 4, MAX_SLOW_ROUNDS = 1000, MAX_LINE = 1000 };

static const struct example {
    const char *name, *goal, *says;
} examples[] = {
    { "buffer.fghc", "go(30,3,S)", "S = 465\n" },
    { "hanoi.fghc", "go(6,C)", "C = 63\n" },
    { "matrix.fghc", "go(P)", "P = [[19,22],[43,50]]\n" },
    { "pascal.fghc", "go(5,Row)", "Row = [[1,0],[5,0],[10,0],[10,0],[5,0],[1,0]]\n" },
    { "pipeline.fghc", "main", "338350\n" },
    { "primes.fghc", "go(30,P)", "P = [2,3,5,7,11,13,17,19,23,29]\n" },
    { "queens.fghc", "go(5,C)", "C = 10\n" },
    /* Too long to work out by hand, but its reductions are counted in the thesis's way. */
    { "semigroup.fghc", "go(_)", "" },
};

/* A recording has every reduction once, each behind its parent. */
static void check_recording(const char *path, uint64_t reductions)
{
    struct weft_err err;
    struct fghc_recording *recording = fghc_recording_open(path, &err);
    struct fghc_order order;
    uint64_t n = 0, roots = 0;
    if (!recording)
        fail_msg("%s", err.message);
    fghc_order_open(&order, recording);
    for (; fghc_order_next(&order); n++) {
        roots += !order.record.parent_index;
        assert_true(
            fghc_order_has(&order, order.record.parent_pe, order.record.parent_index));
    }
    assert_int_equal(n, reductions);
    assert_int_equal(roots, 1);
    fghc_order_close(&order);
    fghc_recording_close(recording);
    unlink(path);
}

/* What a run prints, and then its answers. */
static char *run(struct program *program, const struct query *query, unsigned pes,
                 uint64_t seed, bool slow, uint64_t *reductions)
{
    char *text;
    size_t size;
    struct weft_err err = { 0 };
    struct fghc_result result;
    char *path = weft_asprintf("/tmp/weft-schedules-%ld", (long)getpid());
    FILE *out = weft_text_begin(&text, &size);
    struct fghc_options options = { .pes = pes,
                                    .seed = seed,
                                    .pace = slow,
                                    .record_to = slow ? path : NULL,
                                    .out = out,
                                    .most_bytes = 64 << 20 };
    if (!fghc_run(program, query, &options, &result, &err))
        fail_msg("%s:%llu: %s", err.file, (unsigned long long)err.line, err.message);
    for (uint32_t v = 0; v < query->n_variables; v++)
        if (query->names[v][0] != '_')
            fprintf(out, "%s = %s\n", query->names[v], result.answers[v]);
    *reductions = result.reductions;
    if (slow)
        check_recording(path, result.reductions);
    free(path);
    fghc_result_free(&result, query);
    weft_text_end(out);
    return text;
}

/* FIRST: how many reductions there must be; 0: as many as in the first run. */
static void try_all(const char *path, const char *goal, const char *says, uint64_t first)
{
    struct program program;
    struct query query = { 0 };
    struct weft_err err = { 0 };
    uint64_t reductions;
    if (!program_read(&program, &path, 1, &err)
        || !program_read_goal(&program, goal, &query, &err))
        fail_msg("%s:%llu: %s", err.file, (unsigned long long)err.line, err.message);
    for (unsigned pes = 1; pes <= MAX_TRIED_PES; pes++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            /* Some runs are so slow that all PEs get something to do. */
            bool slow = pes > 1 && seed < SLOW && first < MAX_SLOW_ROUNDS;
            char *said = run(&program, &query, pes, seed, slow, &reductions);
            if (strcmp(said, says) != 0)
                fail_msg("%s %s on %u PEs, seed %u says\n%snot\n%s", path, goal, pes,
                         (unsigned)seed, said, says);
            free(said);
            if (!first)
                first = reductions;
            assert_int_equal(reductions, first);
        }
    program_free(&program);
}

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char *path = weft_asprintf("%s/examples/fghc/%s", PROJECT, examples[i].name);
        try_all(path, examples[i].goal, examples[i].says,
                strcmp(examples[i].name, "semigroup.fghc") == 0 ? 15389 : 0);
        free(path);
    }
}

/* Every example is in the table. */
static void test_no_example_is_forgotten(void **state)
{
    (void)state;
    DIR *folder = opendir(PROJECT "/examples/fghc");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        bool known = entry->d_name[0] == '.';
        for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
            known |= strcmp(entry->d_name, examples[i].name) == 0;
        if (!known)
            fail_msg("examples/fghc/%s is not tried", entry->d_name);
    }
    closedir(folder);
}

static void try_file(const char *path)
{
    char line[MAX_LINE], *goal = NULL, *says;
    size_t size;
    FILE *file = fopen(path, "r"), *out = weft_text_begin(&says, &size);
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && line[0] == '%') {
        if (strncmp(line, "%goal ", 6) == 0)
            goal = weft_strndup(line + 6, strcspn(line + 6, "\n"));
        if (strncmp(line, "%says ", 6) == 0)
            fputs(line + 6, out);
    }
    fclose(file);
    weft_text_end(out);
    assert_non_null(goal);
    try_all(path, goal, says, 0);
    free(goal);
    free(says);
}

static void test_programs(void **state)
{
    (void)state;
    DIR *folder = opendir(PROGRAMS);
    unsigned n = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".fghc") != 0)
            continue;
        char *path = weft_asprintf("%s/%s", PROGRAMS, entry->d_name);
        try_file(path);
        free(path);
        n++;
    }
    closedir(folder);
    assert_true(n >= 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_no_example_is_forgotten),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
