/* SPDX-License-Identifier: Apache-2.0 */
/* What PICL has no place for, counted on a trace that is made of it. */
#include "domains/messages/write/picl.h"
#include "tests/small_store.h"

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name, enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE,
                                                     .role = role });
}

static void state(struct weft_builder *b, uint32_t track, int64_t from, int64_t to,
                  uint32_t value)
{
    assert_int_equal(weft_builder_push(b, track, from, value, NULL, 0, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(b, track, to, NULL), WEFT_BUILD_OK);
}

/* FROM or TO may be WEFT_NONE. */
static void join(struct weft_builder *b, uint32_t type, uint32_t from, uint32_t to)
{
    uint32_t flags = (from == WEFT_NONE ? WEFT_BEGIN_IMPLIED : 0u)
                     | (to == WEFT_NONE ? WEFT_END_IMPLIED : 0u);
    weft_builder_link(b,
                      &(struct weft_link){ .type = type,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = from,
                                           .to = to,
                                           .begin = 10,
                                           .end = 20,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = WEFT_NO_ID,
                                           .flags = flags },
                      NULL, 0);
}

/*
 * Two ranks with a call each, and a message.  What is more: three states of a lock, two events
 * that are no marks, beside one that is, two samples, and a link that is no message.
 */
static struct weft_trace *make(bool more)
{
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t call = define(b, WEFT_STATE, rank, "call", WEFT_ROLE_COMMUNICATION);
    uint32_t message = define(b, WEFT_LINK, 0, "message", WEFT_ROLE_MESSAGE);
    uint32_t mark = define(b, WEFT_EVENT, rank, "mark", WEFT_ROLE_MARK);
    uint32_t send = weft_builder_value(b, call, "send", NULL, 0);
    uint32_t here = weft_builder_value(b, mark, "7", NULL, 0);
    weft_builder_value_role(b, send, WEFT_ROLE_SENDING);
    uint32_t ranks[2];
    for (uint32_t r = 0; r < 2; r++) {
        ranks[r] = weft_builder_container(b, rank, 0, r ? "1" : "0", NULL, 0);
        state(b, weft_builder_track(b, ranks[r], call), 10, 20, send);
    }
    join(b, message, ranks[0], ranks[1]);
    uint32_t marks = weft_builder_track(b, ranks[0], mark);
    (void)!weft_builder_event(b, marks, 30, here, NULL, 0, NULL);
    if (more) {
        uint32_t lock = define(b, WEFT_STATE, rank, "lock", WEFT_ROLE_LOCK_STATE);
        uint32_t held = weft_builder_value(b, lock, "held", NULL, 0);
        uint32_t locks = weft_builder_track(b, ranks[0], lock);
        for (int i = 0; i < 3; i++)
            state(b, locks, 10 * i, 10 * i + 5, held);
        uint32_t other = define(b, WEFT_EVENT, rank, "other", WEFT_ROLE_NAMING);
        uint32_t named = weft_builder_value(b, other, "named", NULL, 0);
        uint32_t others = weft_builder_track(b, ranks[1], other);
        (void)!weft_builder_event(b, others, 1, named, NULL, 0, NULL);
        (void)!weft_builder_event(b, others, 2, named, NULL, 0, NULL);
        uint32_t variable = define(b, WEFT_VARIABLE, rank, "v", WEFT_ROLE_AMOUNT);
        uint32_t samples = weft_builder_track(b, ranks[1], variable);
        (void)!weft_builder_sample(b, samples, 3, 1.5);
        (void)!weft_builder_sample(b, samples, 4, 2.5);
        join(b, define(b, WEFT_LINK, 0, "wake", WEFT_ROLE_WAKE_UP), ranks[1], ranks[0]);
    }
    return small_store_end(b, path);
}

static struct weft_trace *make_less(void)
{
    return make(false);
}

static struct weft_trace *make_more(void)
{
    return make(true);
}

static void check_trace(struct weft_trace *(*made)(void), const char *expected)
{
    for (int order = WEFT_PICL_BY_TIME; order <= WEFT_PICL_BY_NODE; order++) {
        struct weft_trace *trace = made();
        struct weft_err err;
        char *losses, *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_true(weft_write_picl(weft_trace_source(trace), stream,
                                    (enum weft_picl_order)order, &losses, NULL, &err));
        fclose(stream);
        assert_string_equal(losses, expected);
        free(losses);
        free(text);
        weft_trace_close(trace);
    }
}

static void what_is_left_out_is_counted(void **unused)
{
    (void)unused;
    check_trace(
        make_more,
        "3 states (lock), 2 events (other), 2 samples (v), 1 link (wake), 1 name of "
        "a call");
    check_trace(
        make_less,
        "1 name of a call"); /* "send" is a key of PICL's library, but nobody said that */
}

/* One message is between processors; one comes from elsewhere, one goes nowhere. */
static struct weft_trace *make_strays(void)
{
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t queue = define(b, WEFT_CONTAINER, 0, "queue", WEFT_ROLE_NONE);
    uint32_t message = define(b, WEFT_LINK, 0, "message", WEFT_ROLE_MESSAGE);
    uint32_t one = weft_builder_container(b, rank, 0, "0", NULL, 0);
    uint32_t two = weft_builder_container(b, rank, 0, "1", NULL, 0);
    uint32_t other = weft_builder_container(b, queue, 0, "q", NULL, 0);
    join(b, message, one, two);
    join(b, message, other, two);
    join(b, message, one, WEFT_NONE);
    return small_store_end(b, path);
}

static void messages_with_an_end_elsewhere_are_counted(void **unused)
{
    (void)unused;
    check_trace(make_strays, "2 links (message)");
}

/*
 * Ranks 7 and 5, and a container without one, which is the last of the displays: nodes 1, 0
 * and 2.  A communicator of ranks 5 and 7 and of one that is not there.
 */
static struct weft_trace *make_ranks(void)
{
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t group = define(b, WEFT_CONTAINER, 0, "group", WEFT_ROLE_COMMUNICATOR);
    uint32_t call = define(b, WEFT_STATE, rank, "call", WEFT_ROLE_COMMUNICATION);
    uint32_t wait = add_value(b, call, "wait", WEFT_ROLE_BLOCKED_ON_MESSAGE);
    uint32_t number =
        add_field(b, rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);
    uint32_t members = add_field(b, group, "members", WEFT_FIELD_TEXT, WEFT_ROLE_MEMBERS);
    static const int64_t ranks[] = { 7, -1, 5 };
    for (int r = 0; r < 3; r++) {
        uint32_t one = weft_builder_container(b, rank, 0, "r", NULL, 0);
        const struct weft_field_value fact = { number, { .integer = ranks[r] } };
        if (ranks[r] >= 0)
            weft_builder_container_field(b, one, &fact);
        state(b, weft_builder_track(b, one, call), 10 + 10 * r, 20 + 10 * r, wait);
    }
    uint32_t of = weft_builder_container(b, group, 0, "g", NULL, 0);
    weft_builder_container_field(
        b, of,
        &(struct weft_field_value){ members,
                                    { .index = weft_builder_string(b, "5,6-7", 5) } });
    return small_store_end(b, path);
}

static void members_have_the_numbers_of_nodes(void **unused)
{
    (void)unused;
    struct weft_trace *trace = make_ranks();
    struct weft_err err;
    char *losses, *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_true(weft_write_picl(weft_trace_source(trace), stream, WEFT_PICL_BY_NODE,
                                &losses, NULL, &err));
    fclose(stream);
    assert_non_null(strstr(text, "-202 -812 0 -1 -1 3 2 1 0 1\n"));
    assert_string_equal(losses, "1 member of groups, 1 name of a call");
    /* Rank 7, which came first in time, is node 1: it waits from 10 to 20 ns. */
    assert_non_null(strstr(text, "-3 -601 0.00000001 1 0 0\n"));
    assert_non_null(strstr(text, "-3 -601 0.00000002 2 0 0\n"));
    free(losses);
    free(text);
    weft_trace_close(trace);
}

/*
 * Times from 10 s on, of a clock that has counted before: rank 0 is there from the begin and waits
 * from 10.1 to 10.2, rank 1 comes at 10.5 and waits from 10.6 to 10.7.
 */
static struct weft_trace *make_late(void)
{
    enum { TENTH = 100000000 }; /* of a second */
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t call = define(b, WEFT_STATE, rank, "call", WEFT_ROLE_COMMUNICATION);
    uint32_t wait = add_value(b, call, "wait", WEFT_ROLE_BLOCKED_ON_MESSAGE);
    const int64_t comes[] = { INT64_C(100) * TENTH, INT64_C(105) * TENTH };
    for (int r = 0; r < 2; r++) {
        uint32_t one = weft_builder_container(b, rank, 0, r ? "1" : "0", NULL, comes[r]);
        state(b, weft_builder_track(b, one, call), comes[r] + TENTH, comes[r] + 2 * TENTH,
              wait);
    }
    return small_store_end(b, path);
}

static const char late[] = "-3 -901 0 0 0 0\n"
                           "-3 -601 0.1 0 0 0\n"
                           "-4 -601 0.2 0 0 0\n"
                           "-3 -601 0.2 0 0 0\n"
                           "-4 -601 0.7 0 0 0\n"
                           "-4 -901 0.7 0 0 0\n"
                           "-3 -901 0 1 0 0\n"
                           "-3 -601 0 1 0 0\n"
                           "-4 -601 0.5 1 0 0\n"
                           "-3 -601 0.6 1 0 0\n"
                           "-4 -601 0.7 1 0 0\n"
                           "-4 -901 0.7 1 0 0\n";

static void assert_written(struct weft_trace *trace, const char *expected)
{
    struct weft_err err;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_true(weft_write_picl(weft_trace_source(trace), stream, WEFT_PICL_BY_NODE, NULL,
                                NULL, &err));
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
    weft_trace_close(trace);
}

static void times_are_since_the_begin(void **unused)
{
    (void)unused;
    assert_written(make_late(), late);
}

/* A call of rank 0 that takes part in OPERATION, in the tenth of a second BEGIN to END. */
static void take_part(struct weft_builder *b, uint32_t track, uint32_t value,
                      const uint32_t fields[2], uint64_t operation, int64_t begin,
                      int64_t end)
{
    const struct weft_field_value values[] = { { fields[0], { .entity = operation } },
                                               { fields[1], { .integer = 12 } } };
    assert_int_equal(weft_builder_push(b, track, begin * 100000000, value, values, 2, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(b, track, end * 100000000, NULL), WEFT_BUILD_OK);
}

/* A broadcast is begun in the background from 0.1 to 0.2, and waited for from 0.3 to 0.4. */
static struct weft_trace *make_background(void)
{
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t group = define(b, WEFT_CONTAINER, 0, "group", WEFT_ROLE_COMMUNICATOR);
    uint32_t members = add_field(b, group, "members", WEFT_FIELD_TEXT, WEFT_ROLE_MEMBERS);
    uint32_t call = define(b, WEFT_STATE, rank, "call", WEFT_ROLE_COMMUNICATION);
    uint32_t operation =
        define(b, WEFT_EVENT, group, "operation", WEFT_ROLE_COLLECTIVE_OPERATION);
    uint32_t root = add_field(b, operation, "root", WEFT_FIELD_INTEGER, WEFT_ROLE_ROOT);
    const uint32_t fields[] = {
        add_field(b, call, "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION),
        add_field(b, call, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES)
    };
    weft_builder_index_field(b, fields[0]);
    uint32_t begins = weft_builder_value(b, call, "begins", NULL, 0);
    uint32_t waits = weft_builder_value(b, call, "waits", NULL, 0);
    uint32_t to_all = weft_builder_value(b, operation, "to all", NULL, 0);
    weft_builder_value_role(b, begins, WEFT_ROLE_SENDING);
    weft_builder_value_role(b, waits, WEFT_ROLE_BLOCKED_ON_MESSAGE);
    weft_builder_value_role(b, to_all, WEFT_ROLE_ONE_TO_ALL);
    uint32_t world = weft_builder_container(b, group, 0, "world", NULL, 0);
    uint32_t one = weft_builder_container(b, rank, 0, "0", NULL, 0);
    weft_builder_container_field(
        b, world,
        &(struct weft_field_value){ members, { .index = weft_builder_string(b, "0", 1) } });
    uint64_t event = WEFT_NO_ID;
    (void)!weft_builder_event(b, weft_builder_track(b, world, operation), 100000000, to_all,
                              &(struct weft_field_value){ root, { .integer = 0 } }, 1,
                              &event);
    uint32_t calls = weft_builder_track(b, one, call);
    take_part(b, calls, begins, fields, event, 1, 2);
    take_part(b, calls, waits, fields, event, 3, 4);
    return small_store_end(b, path);
}

/* It is one operation, though two calls take part in it, and its begin is no idle time. */
static void operations_in_the_background_are_one(void **unused)
{
    (void)unused;
    assert_written(make_background(), "-3 -901 0 0 0 0\n"
                                      "-3 -785 0.1 0 0 3 2 12 0 -1\n"
                                      "-3 -602 0.1 0 0 0\n"
                                      "-4 -602 0.2 0 0 0\n"
                                      "-4 -785 0.2 0 0 1 2 12\n"
                                      "-3 -601 0.3 0 0 0\n"
                                      "-4 -601 0.4 0 0 0\n"
                                      "-4 -901 0.4 0 0 0\n");
}

/* Two groups, one of the last numbers that there are, one of more than are written. */
static struct weft_trace *make_large_groups(void)
{
    static const char *const members[] = { "9223372036854775806-9223372036854775807",
                                           "0-1048577" };
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t group = define(b, WEFT_CONTAINER, 0, "group", WEFT_ROLE_COMMUNICATOR);
    uint32_t of = add_field(b, group, "members", WEFT_FIELD_TEXT, WEFT_ROLE_MEMBERS);
    (void)weft_builder_container(b, rank, 0, "0", NULL, 0);
    for (int i = 0; i < 2; i++) {
        uint32_t one = weft_builder_container(b, group, 0, "g", NULL, 0);
        struct weft_field_value value = { of, { 0 } };
        value.index = weft_builder_string(b, members[i], strlen(members[i]));
        weft_builder_container_field(b, one, &value);
    }
    return small_store_end(b, path);
}

static void members_are_written_as_far_as_there_is_room(void **unused)
{
    (void)unused;
    static const char first[] = "-202 -812 0 -1 -1 3 2 1 9223372036854775806 "
                                "9223372036854775807\n"
                                "-202 -812 0 -1 -1 1048577 2 2 0 1 2 ";
    struct weft_trace *trace = make_large_groups();
    struct weft_err err;
    char *losses, *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_true(weft_write_picl(weft_trace_source(trace), stream, WEFT_PICL_BY_NODE,
                                &losses, NULL, &err));
    fclose(stream);
    assert_memory_equal(text, first, sizeof first - 1);
    assert_string_equal(losses, "2 members of groups");
    free(losses);
    free(text);
    weft_trace_close(trace);
}

enum { THREADS = 20000, TIMES = 5000, OWN = 600 /* marks of the rank itself */ };

static int64_t time_of_thread(uint32_t thread)
{
    return (int64_t)thread * 7919 % TIMES;
}

/* A rank with marks of its own, at each eighth time, and threads with a mark each, at any. */
static struct weft_trace *make_marks(uint32_t values[3])
{
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t thread = define(b, WEFT_CONTAINER, rank, "thread", WEFT_ROLE_THREAD);
    uint32_t own = define(b, WEFT_EVENT, rank, "own mark", WEFT_ROLE_MARK);
    uint32_t mark = define(b, WEFT_EVENT, thread, "mark", WEFT_ROLE_MARK);
    uint32_t one = weft_builder_container(b, rank, 0, "0", NULL, 0);
    values[0] = weft_builder_value(b, own, "a", NULL, 0);
    values[1] = weft_builder_value(b, mark, "b", NULL, 0);
    values[2] = weft_builder_value(b, mark, "c", NULL, 0);
    for (int64_t i = 0; i < OWN; i++)
        (void)!weft_builder_event(b, weft_builder_track(b, one, own), 8 * i, values[0],
                                  NULL, 0, NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", (unsigned)i);
        uint32_t of = weft_builder_container(b, thread, one, name, NULL, 0);
        (void)!weft_builder_event(b, weft_builder_track(b, of, mark), time_of_thread(i),
                                  values[1 + i % 2], NULL, 0, NULL);
    }
    return small_store_end(b, path);
}

/* The next mark in TEXT is one of a value at a time; *TEXT moves behind it. */
static void check_mark(const struct weft_trace *trace, const char **text, int64_t time,
                       uint32_t value)
{
    long type, key;
    double seconds;
    int length;
    do {
        int read = sscanf(*text, "%ld %ld %lf%*[^\n]%n", &type, &key, &seconds, &length);
        assert_int_equal(read, 3);
        *text += length + 1;
    } while (type == -3 || type == -4);
    assert_int_equal((int64_t)(seconds * 1e9 + 0.5), time);
    assert_int_equal(key, weft_trace_schema(trace)->values[value].rank);
}

/*
 * In order of time, and those of one time in order of their tracks: also where there are so many
 * tracks that not all of a block is kept of each.
 */
static void marks_of_many_threads_are_in_order(void **unused)
{
    (void)unused;
    uint32_t values[3];
    struct weft_trace *trace = make_marks(values);
    struct weft_err err;
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_true(weft_write_picl(weft_trace_source(trace), stream, WEFT_PICL_BY_TIME, NULL,
                                NULL, &err));
    fclose(stream);
    const char *at = text;
    static uint32_t first[TIMES],
        next[THREADS]; /* threads by time; 0: no more, else one less */
    for (uint32_t i = THREADS; i-- > 0;) {
        next[i] = first[time_of_thread(i)];
        first[time_of_thread(i)] = i + 1;
    }
    for (int64_t time = 0; time < TIMES; time++) {
        if (time % 8 == 0 && time / 8 < OWN)
            check_mark(trace, &at, time, values[0]);
        for (uint32_t i = first[time]; i; i = next[i - 1])
            check_mark(trace, &at, time, values[1 + (i - 1) % 2]);
    }
    free(text);
    weft_trace_close(trace);
}

/*
 * Three containers in one another, none called a rank, each with a mark and a message to itself:
 * each mark is of the one that has it, not also of those around it.
 */
static void test_marks_of_nested_processors_come_once(void **unused)
{
    (void)unused;
    for (int order = WEFT_PICL_BY_TIME; order <= WEFT_PICL_BY_NODE; order++) {
        char path[] = "/tmp/weft-losses-test.XXXXXX", *text, *losses;
        struct weft_builder *b = small_store_begin(path);
        uint32_t box = define(b, WEFT_CONTAINER, 0, "box", WEFT_ROLE_NONE), inside = 0;
        uint32_t message = define(b, WEFT_LINK, 0, "message", WEFT_ROLE_MESSAGE);
        uint32_t mark = define(b, WEFT_EVENT, box, "mark", WEFT_ROLE_MARK);
        uint32_t here = weft_builder_value(b, mark, "7", NULL, 0);
        for (int64_t i = 0; i < 3; i++) {
            inside = weft_builder_container(b, box, inside, i ? "in" : "out", NULL, 0);
            uint32_t track = weft_builder_track(b, inside, mark);
            (void)!weft_builder_event(b, track, 30 + i, here, NULL, 0, NULL);
            join(b, message, inside, inside);
        }
        struct weft_trace *trace = small_store_end(b, path);
        struct weft_err err;
        size_t size, n = 0;
        FILE *stream = open_memstream(&text, &size);
        assert_true(weft_write_picl(weft_trace_source(trace), stream,
                                    (enum weft_picl_order)order, &losses, NULL, &err));
        fclose(stream);
        assert_string_equal(losses, "");
        for (const char *at = text; at; at = strchr(at, '\n')) {
            at += *at == '\n';
            n += strncmp(at, "-2 ", 3) == 0; /* a mark */
        }
        assert_int_equal(n, 3);
        weft_trace_close(trace);
        free(losses);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_counted),
        cmocka_unit_test(members_have_the_numbers_of_nodes),
        cmocka_unit_test(messages_with_an_end_elsewhere_are_counted),
        cmocka_unit_test(times_are_since_the_begin),
        cmocka_unit_test(operations_in_the_background_are_one),
        cmocka_unit_test(members_are_written_as_far_as_there_is_room),
        cmocka_unit_test(test_marks_of_nested_processors_come_once),
        cmocka_unit_test(marks_of_many_threads_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
