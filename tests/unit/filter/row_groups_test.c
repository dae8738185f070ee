/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are grouped by what they have in common.  The trace:
 *
 *     process 0 (host ant): threads main; work 1, work 2, work 3 begin with `work`; io with `io`
 *     process 1 (host ant): a thread of no known function
 *     process 2 (host bee)
 *     process 3 (host bee)
 */
#include "filter/filtered_source.h"
#include "tests/small_store.h"

static struct weft_trace *trace;

static uint32_t process(struct weft_builder *b, uint32_t type, int number, uint32_t clock)
{
    char name[16];
    snprintf(name, sizeof name, "process %d", number);
    uint32_t c = weft_builder_container(b, type, 0, name, NULL, 0);
    weft_builder_container_clock(b, c, clock);
    return c;
}

static int set_up(void **state)
{
    (void)state;
    static const struct {
        const char *name, *function;
    } threads[] = { { "main", "main" },
                    { "work 1", "work" },
                    { "io", "io" },
                    { "work 2", "work" },
                    { "work 3", "work" } };
    char path[] = "/tmp/weft-groups-XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t process_type = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    uint32_t thread = add_type(b, WEFT_CONTAINER, process_type, "Thread", WEFT_ROLE_THREAD);
    uint32_t begins =
        add_field(b, thread, "starts with", WEFT_FIELD_TEXT, WEFT_ROLE_SYMBOL);
    uint32_t clocks[2];
    for (int h = 0; h < 2; h++) {
        uint32_t host =
            weft_builder_host(b, &(struct weft_host){ h ? "bee" : "ant", "", 2 });
        clocks[h] = weft_builder_clock(
            b, &(struct weft_clock){ .name = "clock", .host = host, .error = -1 });
    }
    uint32_t first = process(b, process_type, 0, clocks[0]);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        uint32_t c = weft_builder_container(b, thread, first, threads[i].name, NULL, 0);
        weft_builder_container_field(
            b, c,
            &(struct weft_field_value){
                .field = begins,
                .index = weft_builder_string(b, threads[i].function,
                                             strlen(threads[i].function)) });
    }
    uint32_t second = process(b, process_type, 1, clocks[0]);
    weft_builder_container(b, thread, second, "alone", NULL, 0);
    process(b, process_type, 2, clocks[1]);
    process(b, process_type, 3, clocks[1]);
    trace = small_store_end(b, path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return 0;
}

/* Returns depth and name of all rows in tree order, or the error of the filters. */
static const char *tree(const char *filters)
{
    static char text[1024];
    struct weft_err err;
    struct weft_source *above = weft_filtered_new(weft_trace_source(trace), filters, &err);
    if (!above)
        return strcpy(text, err.message);
    const struct weft_schema *s = above->schema;
    text[0] = '\0';
    for (uint32_t p = 1; p < s->containers[0].subtree_end; p++) {
        const struct weft_container *c = &s->containers[s->preorder[p]];
        char line[64];
        snprintf(line, sizeof line, "%u%s ", c->depth, c->name);
        strcat(text, line);
    }
    weft_filtered_free(above);
    return text;
}

static void test_hosts(void **state)
{
    (void)state;
    assert_string_equal(tree("group by host"),
                        "1ant 2process 0 3main 3work 1 3io 3work 2 3work 3 "
                        "2process 1 3alone 1bee 2process 2 2process 3 ");
    /* Without process 3 there is one row of bee, which needs no group. */
    assert_string_equal(tree("hide row in process 3\ngroup by host"),
                        "1ant 2process 0 3main 3work 1 3io 3work 2 3work 3 "
                        "2process 1 3alone 1process 2 ");
}

static void test_functions(void **state)
{
    (void)state;
    assert_string_equal(tree("group by function"),
                        "1process 0 2main 2work 3work 1 3work 2 3work 3 2io "
                        "1process 1 2alone 1process 2 1process 3 ");
    /* All that is left begins with one function: it stands as it is. */
    assert_string_equal(tree("hide row = io or row = main\ngroup by function"),
                        "1process 0 2work 1 2work 2 2work 3 "
                        "1process 1 2alone 1process 2 1process 3 ");
}

static void test_refusals(void **state)
{
    (void)state;
    assert_string_equal(tree("group by color"),
                        "filters, line 1: right: group by type, host, function or depth N");
    assert_string_equal(tree("group by host 3"),
                        "filters, line 1: right: group by type, host, function or depth N");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
