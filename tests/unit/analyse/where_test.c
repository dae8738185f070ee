/* SPDX-License-Identifier: Apache-2.0 */
/* Selections of a small trace: what each sort of term means, and what errors say. */
#include <string.h>

#include "analyse/where_selection.h"
#include "tests/small_store.h"
#include "tests/test.h"

static char path[] = "/tmp/weft-where-test.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;

/* Containers; 0 is the root. */
enum { SERVER = 1, WORKER_1, WORKER_2, TABLE, FIRST, SECOND };

static struct weft_builder *b;
static uint32_t states, object, site, message, bytes, blocked, running;

static void define(void)
{
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    uint32_t thread = add_type(b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);
    uint32_t mutex = add_type(b, WEFT_CONTAINER, process, "Mutex", WEFT_ROLE_MUTEX);
    uint32_t made = add_field(b, mutex, "made", WEFT_FIELD_SITE, WEFT_ROLE_CREATED_AT);
    states = add_type(b, WEFT_STATE, thread, "Thread state", WEFT_ROLE_ACTIVITY);
    object = add_field(b, states, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    site = add_field(b, states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    message = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                        .name = "Message",
                                                        .role = WEFT_ROLE_MESSAGE,
                                                        .start_type = thread,
                                                        .end_type = thread });
    bytes = add_field(b, message, "size", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    blocked = add_value(b, states, "blocked on mutex", WEFT_ROLE_BLOCKED_ON_LOCK);
    running = add_value(b, states, "running", WEFT_ROLE_RUNNING);
    uint32_t server = weft_builder_container(b, process, 0, "server", NULL, 0);
    (void)weft_builder_container(b, thread, server, "worker 1", NULL, 0);
    (void)weft_builder_container(b, thread, server, "worker 2", NULL, 0);
    (void)weft_builder_container(b, mutex, server, "table_lock", NULL, 0);
    struct weft_field_value at = {
        made,
        { .index = weft_builder_site(
              b,
              &(struct weft_site){ .function = "init", .file = "/src/lock.c", .line = 7 }) }
    };
    (void)weft_builder_container(b, mutex, server, "mutex 1", NULL, 0);
    (void)weft_builder_container(b, mutex, server, "mutex 2", NULL, 0);
    weft_builder_container_field(b, FIRST, &at);
    weft_builder_container_field(b, SECOND, &at);
}

static void add_state(uint32_t thread, int64_t begin, int64_t end, uint32_t value,
                      uint32_t waited, uint32_t line)
{
    uint32_t track = weft_builder_track(b, thread, states);
    struct weft_field_value fields[] = {
        { object, { .index = waited } },
        { site,
          { .index = weft_builder_site(b, &(struct weft_site){ .function = "put",
                                                               .file = "/src/buffer.c",
                                                               .line = line }) } },
    };
    size_t n = waited == WEFT_NONE ? 0 : 2;
    assert_int_equal(weft_builder_push(b, track, begin, value, fields, n, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(b, track, end, NULL), WEFT_BUILD_OK);
}

/* In microseconds; each thing of the trace begins at a time of its own, its name here. */
enum { US = 1000 };

static void add_message(int64_t time, uint32_t from, uint32_t to, int64_t size)
{
    struct weft_field_value field = { bytes, { .integer = size } };
    weft_builder_link(b,
                      &(struct weft_link){ .type = message,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = from,
                                           .to = to,
                                           .begin = time * US,
                                           .end = (time + 5) * US,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = WEFT_NO_ID },
                      &field, 1);
}

static int set_up(void **unused)
{
    (void)unused;
    b = small_store_begin(path);
    define();
    add_state(WORKER_1, 0, 1000 * US, running, WEFT_NONE, 0);
    add_state(WORKER_1, 1000 * US, 3000 * US, blocked, TABLE, 34);
    add_state(WORKER_2, 1 * US, 2 * US, running, WEFT_NONE, 0);
    add_state(WORKER_2, 10 * US, 400 * US, blocked, FIRST, 34);
    add_state(WORKER_2, 500 * US, 600 * US, blocked, SECOND, 35);
    add_message(20, WORKER_1, WORKER_2, 64000);
    add_message(30, WORKER_2, WORKER_1, 64001);
    trace = small_store_end(b, path);
    source = weft_trace_source(trace);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    weft_trace_close(trace);
    return 0;
}

static bool note(void *user, const struct weft_thing *thing)
{
    char *text = user;
    sprintf(text + strlen(text), "%s%lld", *text ? " " : "", (long long)thing->begin / US);
    return true;
}

static int by_number(const void *a, const void *b_)
{
    return atoi(a) - atoi(b_);
}

/* The begins of what a selection finds, sorted, in microseconds. */
static void selects(const char *text, const char *expected)
{
    char found[256] = "", sorted[256] = "", parts[16][16];
    struct weft_arena arena = { 0 };
    struct weft_err err = { 0 };
    struct weft_where *where = weft_where_new(source, text, &err);
    size_t n, n_parts = 0;
    if (!where)
        fail_msg("%s: %s", text, err.message);
    struct weft_where_query query = { where, { -1, 1 << 30 }, 0, NULL };
    uint32_t *tracks = weft_where_tracks(&query, &arena, &n);
    for (size_t i = 0; i < n; i++)
        weft_where_walk(&query, tracks[i], note, found);
    for (char *part = strtok(found, " "); part; part = strtok(NULL, " "))
        strcpy(parts[n_parts++], part);
    qsort(parts, n_parts, sizeof *parts, by_number);
    for (size_t i = 0; i < n_parts; i++)
        sprintf(sorted + strlen(sorted), "%s%s", i ? " " : "", parts[i]);
    if (strcmp(sorted, expected) != 0)
        fail_msg("%s: \"%s\" instead of \"%s\"", text, sorted, expected);
    weft_where_free(where);
    weft_arena_free(&arena);
}

static void terms_select(void **unused)
{
    (void)unused;
    selects("", "0 1 10 20 30 500 1000");
    selects("blocked", "10 500 1000");
    selects("blocked on mutex", "10 500 1000");
    selects("\"blocked on mutex\"", "10 500 1000");
    selects("value ~ MUTEX", "10 500 1000");
    selects("value = block*", "10 500 1000");
    selects("value != running and state", "10 500 1000");
    selects("role = busy", "0 1");
    selects("message", "20 30");
    selects("link", "20 30");
    selects("type = Thread state", "0 1 10 500 1000");
    selects("type = \"Thread state of Thread\"", "0 1 10 500 1000");
    selects("object = table_lock", "1000");
    selects("object = \"init (lock.c:7)\"",
            "10 500"); /* both mutexes that were made there */
    selects("object in server and state", "10 500 1000");
    selects("object = \"\"", "0 1");
    selects("object = worker 1", "30");
    selects("site = \"put (buffer.c:34)\"", "10 1000");
    selects("site = put", "10 500 1000");
    selects("site = buffer.c:35", "500");
    selects("site = /src/buffer.c:35", "500");
    selects("site = \"\" and state", "0 1");
    selects("function = put", "10 500 1000");
    selects("row = worker 2", "1 10 20 30 500");
    selects("row = server/worker 2 and state", "1 10 500");
    selects("row = worker* and not link", "0 1 10 500 1000");
    selects("row in server and running", "0 1");
    selects("row = server", "");
    selects("row = #2 and state", "0 1000");
    selects("from = worker 2", "30");
    selects("to in server and from = worker 1", "20");
    selects("duration > 1ms", "1000");
    selects("duration >= 1ms", "0 1000");
    selects("duration = 5us", "20 30");
    selects("time in 450us:550us", "0 500");
    selects("time in 400us+100us", "0"); /* what ends at its begin lies outside */
    selects("begin >= 500us", "500 1000");
    selects("end < 3us", "1");
    selects("bytes > 64k", "30");
    selects("size = 64000", "20");
    selects("size < 62.6Ki", "20 30"); /* 64,102.4 */
    selects("\"size\" > 64000", "30");
}

static void operators_bind(void **unused)
{
    (void)unused;
    selects("running or blocked and duration > 1ms", "0 1 1000");
    selects("(running or blocked) and duration > 1ms", "1000");
    selects("not running and not link", "10 500 1000");
    selects("not (running or link)", "10 500 1000");
    selects("not not running", "0 1");
    selects("blocked and row in worker* and object = table_lock and time in 2ms+1ms",
            "1000");
    selects("time in 0:5us or time in 590us:595us", "0 1 500");
}

/* The error must hold both parts: where the fault is, and what would be right. */
static void fails(const char *text, const char *place, const char *right)
{
    struct weft_err err = { 0 };
    struct weft_where *where = weft_where_new(source, text, &err);
    assert_null(where);
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    if (!strstr(err.message, place) || !strstr(err.message, right))
        fail_msg("%s: \"%s\" lacks \"%s\" or \"%s\"", text, err.message, place, right);
}

static void errors_point_at_the_word(void **unused)
{
    (void)unused;
    fails("blockd", "character 1, 'blockd'", "did you mean blocked?");
    fails("nonsense", "character 1, 'nonsense'", "row = NAME");
    fails("runing and blocked", "character 1, 'runing'", "did you mean running?");
    fails("state and object = tabel_lock", "character 20, 'tabel_lock'",
          "did you mean table_lock?");
    fails("durration > 1ms", "character 1, 'durration'", "did you mean duration?");
    fails("duration > soon", "character 12, 'soon'", "20ms");
    fails("duration ~ 1ms", "character 1, 'duration'", "< <=");
    fails("time in 5ms", "character 9, '5ms'", "T0+LENGTH");
    fails("size > many", "character 8, 'many'", "64Ki");
    fails("kind = stat", "character 8, 'stat'", "state, event or link");
    fails("role = blockd", "character 8, 'blockd'", "did you mean blocked?");
    fails("blocked and", "at its end", "duration > 1ms");
    fails("(blocked", "at its end", "a ) is missing");
    fails("blocked)", "character 8, ')'", "no ( for it");
    fails("object =", "at its end", "value is missing");
    fails("site = put (buffer.c:34)", "character 12, '('", "in quotes");
    fails("value = \"running", "character 9", "no end");
    fails("größer and x", "character 1, 'größer'", "row = NAME");
    fails("value ~ größer and grün > 1", "character 20, 'grün'", "duration");
    fails("site = nowhere.c:1", "character 8", "FUNCTION (FILE:LINE)");
}

static void texts_have_limits(void **unused)
{
    (void)unused;
    char *text = weft_zalloc(WEFT_WHERE_BYTES + 2, 1);
    memset(text, ' ', WEFT_WHERE_BYTES + 1);
    fails(text, "longer", "bytes");
    memset(text, '(', 100);
    text[100] = '\0';
    fails(text, "character 33", "too deeply");
    text[0] = '\0';
    for (int i = 0; i < WEFT_WHERE_TERMS; i++)
        strcat(text, i ? " or running" : "running");
    fails(text, "character", "too many terms");
    free(text);
}

static void texts_are_put_in_quotes(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    const char *where = weft_where_and(&arena, "", "row =", "worker 1");
    selects(where, "0 20 30 1000");
    where = weft_where_and(&arena, where, "value =", "blocked on mutex");
    assert_string_equal(where, "row = \"worker 1\" and value = \"blocked on mutex\"");
    selects(where, "1000");
    where = weft_where_and(&arena, "state", "object !=", "a\"b\\");
    assert_string_equal(where, "state and object != \"a\\\"b\\\\\"");
    fails(where, "character 21", "no container");
    char text[300];
    memset(text, 'x', sizeof text);
    text[256] = '\0';
    assert_non_null(weft_where_and(&arena, "", "row =", text));
    text[256] = 'x';
    text[257] = '\0';
    assert_null(weft_where_and(&arena, "", "row =", text));
    assert_null(weft_where_and(&arena, NULL, "row =", "x"));
    weft_arena_free(&arena);
}

static void patterns_match(void **unused)
{
    (void)unused;
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {
        { "", "", true },           { "*", "", true },           { "a*", "A", true },
        { "a*b*c", "axbxc", true }, { "a*b*c", "axbxd", false }, { "*ab", "aab", true },
        { "*aab", "aaab", true },   { "a", "ab", false },        { "**", "x", true },
        { "a?", "ab", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(weft_where_like(cases[i].pattern, cases[i].name),
                         cases[i].matches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_select),
        cmocka_unit_test(operators_bind),
        cmocka_unit_test(errors_point_at_the_word),
        cmocka_unit_test(texts_have_limits),
        cmocka_unit_test(texts_are_put_in_quotes),
        cmocka_unit_test(patterns_match),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
