/* SPDX-License-Identifier: Apache-2.0 */
/* Searching: what a text finds, counted by hand. */
#include "tests/small_store.h"
#include "view/search.h"

/* Ten ticks at each of the sites, in their order. */
static const struct weft_site sites[] = {
    { 1, "/bin/x", "put", "/home/x/buffer.c", 3 },
    { 2, "/bin/x", "put", "/home/x/buffer.c", 34 },
    { 3, "/bin/x", "get", "/home/x/buffer.c", 34 },
    { 4, "/bin/x", "main", "/home/x/main.c", 34 },
    { 5, "/lib/libc.so.6", "read", "", 0 },
};
enum { SITES = sizeof sites / sizeof *sites };

static struct weft_trace *trace_of_sites(void)
{
    char path[] = "/tmp/weft-search-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_NONE);
    uint32_t states = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_NONE);
    uint32_t waits = weft_builder_value(b, states, "waits", NULL, 0);
    uint32_t field = weft_builder_field(b, states, "site", WEFT_FIELD_SITE);
    uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
    uint32_t track = weft_builder_track(b, one, states);
    for (uint32_t s = 0; s < SITES; s++) {
        struct weft_field_value value = { field,
                                          { .index = weft_builder_site(b, &sites[s]) } };
        (void)!weft_builder_set(b, track, 10 * (int64_t)s, waits, &value, 1, NULL);
    }
    return small_store_end(b, path);
}

static void sites_are_found_by_place_and_function(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t found;
    } cases[] = {
        { "buffer.c", 3 },
        { "buffer.c:34", 2 },
        { "buffer.c:3", 1 },
        { "Buffer.C:34", 2 },
        { "/home/x/buffer.c:34", 2 },
        { "x/main.c:34", 1 },
        { "*.c:34", 3 },
        { "*/buffer.c:34", 2 },
        { ":34", 3 },
        { "buffer.c:4", 0 },
        { "buffer.c:", 0 },
        { "buffer.c:34x", 0 },
        { "put", 2 },
        { "put (buffer.c:34)", 1 },
        { "read", 1 },
        { "read (libc.so.6)", 1 },
        { "libc.so.6:0", 0 },
        { "waits", 5 },
        { "", 0 },
    };
    struct weft_trace *trace = trace_of_sites();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_err err;
        struct weft_search *search =
            weft_search_new(weft_trace_source(trace), cases[i].text);
        assert_true(weft_search_run(search, NULL, &err));
        if (search->count != cases[i].found)
            fail_msg("'%s' finds %d, not %d", cases[i].text, (int)search->count,
                     (int)cases[i].found);
        weft_search_free(search);
    }
    weft_trace_close(trace);
}

/*
 * States of 1.15, 1.249, 1.25 and 5 ms, a message of 5 ms, and an event.  A duration means
 * what is rounded to it: 1.2 ms what lasts from 1.15 to 1.25 ms, 5 ms from 4.5 to 5.5 ms.
 */
static void durations_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t found;
    } cases[] = {
        { "1.2 ms", 3 },
        { "1.2ms", 3 },
        { "1.25 ms", 2 },
        { "1 ms", 3 },
        { "5ms", 2 },
        { "5.0 ms", 2 },
        { "5000 us", 2 },
        { "0.005 s", 2 },
        { "6 ms", 0 },
        { "> 1.249ms", 3 },
        { ">1.249 ms", 3 },
        { ">= 1249 µs", 4 },
        { "< 5ms", 3 },
        { "<= 5ms", 5 },
        { "< 0 s", 0 },
        { "> 1 s", 0 },
        { "5", 0 },
        { "> 5", 0 },
        { "5 min", 0 },
        { "1.2.3 ms", 0 },
        { "> ms", 0 },
        { ">", 0 },
        { "<= 99999999999999999999999 s", 0 },
    };
    char path[] = "/tmp/weft-search-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_NONE);
    uint32_t states = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_NONE);
    uint32_t events = add_type(b, WEFT_EVENT, thread, "Event", WEFT_ROLE_NONE);
    uint32_t links = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                               .name = "Message",
                                                               .start_type = thread,
                                                               .end_type = thread });
    uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
    uint32_t track = weft_builder_track(b, one, states);
    uint32_t value = weft_builder_value(b, states, "works", NULL, 0);
    static const int64_t lengths[] = { 1150000, 1249000, 1250000, 5000000 };
    for (size_t i = 0; i < 4; i++) {
        int64_t begin = 10000000 * (int64_t)i;
        (void)!weft_builder_push(b, track, begin, value, NULL, 0, NULL);
        (void)!weft_builder_pop(b, track, begin + lengths[i], NULL);
    }
    weft_builder_event(b, weft_builder_track(b, one, events), 5, WEFT_NONE, NULL, 0, NULL);
    weft_builder_link(b,
                      &(struct weft_link){ .type = links,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = one,
                                           .to = one,
                                           .begin = 7,
                                           .end = 5000007,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = WEFT_NO_ID },
                      NULL, 0);
    struct weft_trace *trace = small_store_end(b, path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_err err;
        struct weft_hit hit;
        struct weft_search *search =
            weft_search_new(weft_trace_source(trace), cases[i].text);
        assert_true(weft_search_run(search, NULL, &err));
        if (search->count != cases[i].found)
            fail_msg("'%s' finds %d, not %d", cases[i].text, (int)search->count,
                     (int)cases[i].found);
        assert_int_equal(weft_search_next(search, -1, UINT64_MAX, false, NULL, &hit),
                         cases[i].found > 0);
        weft_search_free(search);
    }
    weft_trace_close(trace);
}

/* The next hit each way, and none for a client that has left. */
static void hits_come_one_after_the_other(void **state)
{
    (void)state;
    struct weft_trace *trace = trace_of_sites();
    struct weft_err err;
    struct weft_search *search = weft_search_new(weft_trace_source(trace), "put");
    struct weft_job job = { 0 };
    struct weft_hit hit;
    assert_true(weft_search_run(search, NULL, &err));
    assert_true(weft_search_next(search, -1, UINT64_MAX, false, &job, &hit));
    assert_int_equal(hit.begin, 0);
    assert_true(weft_search_next(search, hit.begin, hit.id, false, &job, &hit));
    assert_int_equal(hit.begin, 10);
    assert_false(weft_search_next(search, hit.begin, hit.id, false, &job, &hit));
    assert_true(weft_search_next(search, 10, hit.id, true, &job, &hit));
    assert_int_equal(hit.begin, 0);
    atomic_store(&job.cancelled, true);
    assert_false(weft_search_next(search, -1, UINT64_MAX, false, &job, &hit));
    assert_false(weft_search_run(search, &job, &err));
    weft_search_free(search);
    weft_trace_close(trace);
}

/* Each way, and from times without a hit, a hit's number is its place among all. */
static void hits_are_numbered(void **state)
{
    (void)state;
    enum { TRACKS = 3, EVENTS = 2000 };
    char path[] = "/tmp/weft-search-XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "T", WEFT_ROLE_THREAD);
    uint32_t type = add_type(b, WEFT_EVENT, thread, "E", WEFT_ROLE_NONE);
    uint32_t values[] = { add_value(b, type, "hit", WEFT_ROLE_NONE),
                          add_value(b, type, "other", WEFT_ROLE_NONE) };
    uint64_t n = 0, at = 0;
    for (int t = 0; t < TRACKS; t++) {
        uint32_t c = weft_builder_container(b, thread, 0, "t", NULL, 0);
        uint32_t track = weft_builder_track(b, c, type);
        int64_t time = 0;
        for (int i = 0; i < EVENTS; i++) {
            uint32_t value = values[i * i % 3 == 1];
            time += i % 7 ? i % 5 : 40;
            n += value == values[0];
            weft_builder_event(b, track, time, value, NULL, 0, NULL);
        }
    }
    struct weft_trace *trace = small_store_end(b, path);
    struct weft_search *search = weft_search_new(weft_trace_source(trace), "hit");
    struct weft_err err;
    struct weft_hit hit = { .begin = -1, .id = UINT64_MAX };
    assert_true(weft_search_run(search, NULL, &err));
    assert_int_equal(search->count, n);
    while (weft_search_next(search, hit.begin, hit.id, false, NULL, &hit))
        assert_int_equal(hit.number, ++at);
    assert_int_equal(at, n);
    while (weft_search_next(search, hit.begin, hit.id, true, NULL, &hit))
        assert_int_equal(hit.number, --at);
    assert_int_equal(at, 1);
    weft_search_free(search);
    weft_trace_close(trace);
}

/* Names may be many and long: they are compared by who runs the search, who can be told to leave. */
static void names_are_compared_when_it_runs(void **state)
{
    (void)state;
    struct weft_trace *trace = trace_of_sites();
    struct weft_err err;
    struct weft_search *search = weft_search_new(weft_trace_source(trace), "one");
    struct weft_job job = { 0 };
    assert_int_equal(search->n_containers, 0);
    atomic_store(&job.cancelled, true);
    assert_false(weft_search_run(search, &job, &err));
    assert_int_equal(search->n_containers, 0);
    weft_search_free(search);
    search = weft_search_new(weft_trace_source(trace), "one");
    assert_true(weft_search_run(search, NULL, &err));
    assert_int_equal(search->n_containers, 1);
    weft_search_free(search);
    weft_trace_close(trace);
}

/* A text is found anywhere in a name; a pattern is held against the first 4,096 bytes. */
static void patterns_end_in_long_names(void **state)
{
    (void)state;
    enum { LONG = 5000 };
    char name[LONG + 2];
    memset(name, 'a', LONG);
    strcpy(name + LONG, "b");
    assert_true(weft_text_matches("ab", name));
    assert_false(weft_text_matches("*b", name));
    assert_true(weft_text_matches("*a", name));
    strcpy(name + 4095, "b");
    assert_true(weft_text_matches("*ab", name));
    assert_false(weft_text_matches("*ab?", name));
    strcpy(name + 4095, "\xc3\xa9");
    assert_true(weft_text_matches("*a", name)); /* no half of a character is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_are_found_by_place_and_function),
        cmocka_unit_test(durations_are_found),
        cmocka_unit_test(hits_come_one_after_the_other),
        cmocka_unit_test(hits_are_numbered),
        cmocka_unit_test(names_are_compared_when_it_runs),
        cmocka_unit_test(patterns_end_in_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
