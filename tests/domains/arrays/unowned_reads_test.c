/* SPDX-License-Identifier: Apache-2.0 */
/* Reads on behalf of nobody are neither local nor remote, in any table, title or export. */
#include "array_store.h"
#include "base/memory.h"
#include "domains/arrays/model/advise.h"
#include "domains/arrays/write/ddv.h"
#include "tests/table_text.h"
#include "tests/test.h"

static const char HALVES[] = "distribution=PROCESSORS P(2)\nDISTRIBUTE A(BLOCK) ONTO P\n";

/*
 * A has four elements, two on each of two processors.  A[0] is written, and A[0] (local) and
 * A[3] (remote) are read for it; A[1] and A[3] are read five times and once for nobody.
 */
static struct array_store make(void)
{
    struct array_store store = array_store_begin();
    uint32_t a = array_store_array(&store, "A", 1, (const uint64_t[]){ 4 });
    const struct weft_pattern patterns[] = {
        array_reference(0, a, 0, a, 0, WEFT_REFERENCE_WRITE),
        array_reference(0, a, 0, a, 0, WEFT_REFERENCE_READ),
        array_reference(0, a, 3, a, 0, WEFT_REFERENCE_READ),
        array_reference(0, a, 1, WEFT_NONE, 0, WEFT_REFERENCE_READ),
        array_reference(1, a, 3, WEFT_NONE, 0, WEFT_REFERENCE_READ),
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct weft_pattern pattern = patterns[i];
        pattern.times = i == 3 ? 5 : 1;
        assert_true(weft_profile_writer_add(store.writer, &pattern));
    }
    array_store_open(&store);
    return store;
}

static struct weft_request ask(const struct array_store *store,
                               const struct weft_view *view, struct weft_set *set,
                               const char **settings, const char *const *texts)
{
    struct weft_err err = { 0 };
    *set = (struct weft_set){ (const struct weft_source **)&store->source, 1 };
    for (; *texts; texts++)
        if (!weft_setting_parse(view, *texts, settings, &err))
            fail_msg("%s", err.message);
    return (struct weft_request){ .set = set,
                                  .window = store->source->schema->span,
                                  .width = 900,
                                  .height = 640,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings };
}

static void check_table(const struct array_store *store, const char *name,
                        const char *const *texts, const char *expected)
{
    const char *settings[32] = { 0 };
    const struct weft_view *view = weft_view_find(name);
    struct weft_set set;
    assert_non_null(view);
    struct weft_request request = ask(store, view, &set, settings, texts);
    char *text = table_csv(view, &request);
    assert_string_equal(text, expected);
    free(text);
}

#define ELEMENTS                                                                           \
 "row,col,owner,local_reads,remote_reads,local_writes,remote_writes,"                      \
 "max_requesters_per_step,unowned_reads\n"
#define PROCESSORS                                                                         \
 "processor,local_reads,remote_reads,local_writes,remote_writes,unowned_reads\n"

static void tables_count_them_apart(void **state)
{
    (void)state;
    struct array_store store = make();
    check_table(&store, "array-grid", (const char *[]){ HALVES, NULL },
                ELEMENTS "0,0,0,1,0,1,0,1,0\n"
                         "0,1,0,0,0,0,0,0,5\n"
                         "0,2,1,0,0,0,0,0,0\n"
                         "0,3,1,0,1,0,0,1,1\n");
    check_table(&store, "array-grid", (const char *[]){ HALVES, "statistic=step", NULL },
                ELEMENTS "0,0,0,0,0,0,0,0,0\n"
                         "0,1,0,0,0,0,0,0,0\n"
                         "0,2,1,0,0,0,0,0,0\n"
                         "0,3,1,0,0,0,0,0,1\n");
    check_table(&store, "processor-grid", (const char *[]){ HALVES, NULL },
                PROCESSORS "0,1,0,1,0,5\n"
                           "1,0,1,0,0,1\n");
    /* Nobody asked for them, so they stay where they were served. */
    check_table(&store, "processor-grid", (const char *[]){ HALVES, "by=requester", NULL },
                PROCESSORS "0,1,1,1,0,5\n"
                           "1,0,0,0,0,1\n");
    check_table(&store, "reference-flow", (const char *[]){ HALVES, NULL },
                "from,to,elements,messages,bytes,references\n1,0,1,1,8,1\n");
    /* By these rules it is known which processor computes, and so whether a read is local. */
    check_table(&store, "processor-grid", (const char *[]){ HALVES, "compute=right", NULL },
                PROCESSORS "0,6,0,1,0,0\n"
                           "1,2,0,0,0,0\n");
    check_table(&store, "processor-grid",
                (const char *[]){ HALVES, "compute=processor", "processor=1", NULL },
                PROCESSORS "0,0,6,0,1,0\n"
                           "1,2,0,0,0,0\n");
    array_store_free(&store);
}

static void pictures_say_their_share(void **state)
{
    (void)state;
    static const char *const views[] = { "array-grid", "processor-grid", "reference-flow",
                                         "array-and-processors" };
    struct array_store store = make();
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        for (int right = 0; right < 2; right++) {
            const char *settings[32] = { 0 };
            const char *const texts[] = { HALVES, right ? "compute=right" : NULL, NULL };
            const struct weft_view *view = weft_view_find(views[i]);
            struct weft_arena arena = { 0 };
            struct weft_err err = { 0 };
            struct weft_scene scene;
            struct weft_set set;
            struct weft_request request = ask(&store, view, &set, settings, texts);
            assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
            bool says = strstr(scene.frame.subtitle, "75.0 % of all reads are for nobody");
            assert_true(says == !right);
            weft_arena_free(&arena);
        }
    array_store_free(&store);
}

/* Each line of the form is local or remote, so these reads have none, and are counted. */
static void an_export_leaves_them_out_and_says_so(void **state)
{
    (void)state;
    struct array_store store = make();
    struct weft_err err = { 0 };
    const char *directives = strchr(HALVES, '=') + 1;
    struct weft_distributions *set = weft_distributions_parse(
        "halves", directives, strlen(directives), store.profile, &err);
    const struct weft_count_query query = { .profile = store.profile,
                                            .distributions = set,
                                            .after_step = 2 };
    char *text;
    size_t size;
    FILE *stream = weft_text_begin(&text, &size);
    assert_true(weft_write_ddv(&query, 0, true, stream, NULL, &err));
    weft_text_end(stream);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 5);
    assert_non_null(strstr(text, "\n0 0 0 0 0 write local 0 0\n"));
    assert_non_null(strstr(text, "\n0 0 0 0 0 read local 0 0\n"));
    assert_non_null(strstr(text, "\n0 1 0 3 0 read remote 0 0\n"));
    assert_non_null(strstr(text, "\n# reads on behalf of nobody, left out: 6\n"));
    free(text);
    weft_distributions_free(set);
    array_store_free(&store);
}

static void a_ranking_leaves_them_out(void **state)
{
    (void)state;
    struct array_store store = make();
    struct weft_err err = { 0 };
    const struct weft_advice_query query = {
        .profile = store.profile, .array = 0, .processors = 2, .costs = { 1, 1, 1 }
    };
    struct weft_advice *advice = weft_advice_make(&query, NULL, &err);
    assert_non_null(advice);
    assert_int_equal(advice->reads, 8);
    assert_int_equal(advice->reads_nobody, 6);
    assert_int_equal(advice->left_out, 6);
    assert_false(weft_advice_is_sound(advice));
    for (size_t i = 0; i < advice->n; i++)
        assert_int_equal(advice->rows[i].references, 3);
    weft_advice_free(advice);
    array_store_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_count_them_apart),
        cmocka_unit_test(pictures_say_their_share),
        cmocka_unit_test(an_export_leaves_them_out_and_says_so),
        cmocka_unit_test(a_ranking_leaves_them_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
