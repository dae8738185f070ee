/* SPDX-License-Identifier: Apache-2.0 */
/* What PICL has no place for, counted on a trace that is made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/builder.h"
#include "store/trace.h"
#include "write/picl.h"

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

static void join(struct weft_builder *b, uint32_t type, uint32_t from, uint32_t to)
{
    weft_builder_link(b,
                      &(struct weft_link){ .type = type,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = from,
                                           .to = to,
                                           .begin = 10,
                                           .end = 20,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = WEFT_NO_ID },
                      NULL, 0);
}

/*
 * Two ranks with a call each, and a message.  What is more: three states of a lock, two events
 * that are no marks, beside one that is, two samples, and a link that is no message.
 */
static struct weft_trace *make(bool more)
{
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_err err;
    close(mkstemp(path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
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
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    unlink(path);
    return trace;
}

static void check(bool more, const char *expected)
{
    for (int order = WEFT_PICL_BY_TIME; order <= WEFT_PICL_BY_NODE; order++) {
        struct weft_trace *trace = make(more);
        struct weft_picl_losses losses;
        struct weft_err err;
        char said[WEFT_PICL_LOSSES_TEXT], *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_true(weft_write_picl(weft_trace_source(trace), stream,
                                    (enum weft_picl_order)order, &losses, NULL, &err));
        fclose(stream);
        assert_string_equal(weft_picl_losses_text(&losses, said), expected);
        free(text);
        weft_trace_close(trace);
    }
}

static void what_is_left_out_is_counted(void **unused)
{
    (void)unused;
    check(true, "3 states, 2 events, 2 samples, 1 link, 1 name");
    check(false, "1 name"); /* "send" is a key of PICL's library, but nobody said that */
}

/*
 * Times from 10 s on, of a clock that has counted before: rank 0 is there from the begin and waits
 * from 10.1 to 10.2, rank 1 comes at 10.5 and waits from 10.6 to 10.7.
 */
static struct weft_trace *make_late(void)
{
    enum { TENTH = 100000000 }; /* of a second */
    char path[] = "/tmp/weft-losses-test.XXXXXX";
    struct weft_err err;
    close(mkstemp(path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    uint32_t rank = define(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_RANK);
    uint32_t call = define(b, WEFT_STATE, rank, "call", WEFT_ROLE_COMMUNICATION);
    uint32_t wait = weft_builder_value(b, call, "wait", NULL, 0);
    weft_builder_value_role(b, wait, WEFT_ROLE_BLOCKED_ON_MESSAGE);
    const int64_t comes[] = { INT64_C(100) * TENTH, INT64_C(105) * TENTH };
    for (int r = 0; r < 2; r++) {
        uint32_t one = weft_builder_container(b, rank, 0, r ? "1" : "0", NULL, comes[r]);
        state(b, weft_builder_track(b, one, call), comes[r] + TENTH, comes[r] + 2 * TENTH,
              wait);
    }
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    unlink(path);
    return trace;
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

static void times_are_since_the_begin(void **unused)
{
    (void)unused;
    struct weft_trace *trace = make_late();
    struct weft_err err;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_true(weft_write_picl(weft_trace_source(trace), stream, WEFT_PICL_BY_NODE, NULL,
                                NULL, &err));
    fclose(stream);
    assert_string_equal(text, late);
    free(text);
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_counted),
        cmocka_unit_test(times_are_since_the_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
