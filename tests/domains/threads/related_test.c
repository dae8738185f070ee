/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads and two locks, by hand: what belongs to a wait, to a state of the lock, to a
 * message, each at a time.  The expected lists are read off this table.
 *
 *     t0  works from 0 to 100, and holds the lock m from 5 to 48
 *     t1  waits for m from 10 to 50, then holds it; t0 wakes it at 48
 *     t2  waits for m from 20 to 90; t1 wakes it at 88
 *     t3  waits for another lock, n, from 15 to 60
 */
#include "tests/small_store.h"
#include "view/related.h"

enum { THREADS = 4 };

static struct {
    uint32_t threads[THREADS], locks[2], states, lock_states, wake;
    uint32_t running, blocked, held, free, object, holder;
    uint64_t work, waits[THREADS], hold, hold_of_other;
    struct weft_trace *trace;
} store;

static void begin(struct weft_builder *b)
{
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    uint32_t thread = add_type(b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);
    uint32_t mutex = add_type(b, WEFT_CONTAINER, process, "Mutex", WEFT_ROLE_MUTEX);
    store.states = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
    store.lock_states = add_type(b, WEFT_STATE, mutex, "Lock state", WEFT_ROLE_LOCK_STATE);
    store.running = add_value(b, store.states, "running", WEFT_ROLE_RUNNING);
    store.blocked = add_value(b, store.states, "blocked", WEFT_ROLE_BLOCKED_ON_LOCK);
    store.held = add_value(b, store.lock_states, "held", WEFT_ROLE_HELD);
    store.free = add_value(b, store.lock_states, "free", WEFT_ROLE_FREE);
    store.object =
        add_field(b, store.states, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    store.holder =
        add_field(b, store.lock_states, "holder", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    store.wake = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                           .parent = 0,
                                                           .name = "Wake",
                                                           .role = WEFT_ROLE_WAKE_UP,
                                                           .start_type = thread,
                                                           .end_type = thread });
    uint32_t p = weft_builder_container(b, process, 0, "p", NULL, 0);
    for (int t = 0; t < THREADS; t++)
        store.threads[t] =
            weft_builder_container(b, thread, p, (char[]){ 't', '0' + t, 0 }, NULL, 0);
    store.locks[0] = weft_builder_container(b, mutex, p, "m", NULL, 0);
    store.locks[1] = weft_builder_container(b, mutex, p, "n", NULL, 0);
}

static uint64_t state(struct weft_builder *b, int thread, int64_t from, int64_t to,
                      uint32_t value, const struct weft_field_value *field)
{
    uint32_t track = weft_builder_track(b, store.threads[thread], store.states);
    uint64_t id;
    assert_int_equal(weft_builder_push(b, track, from, value, field, field != NULL, &id),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(b, track, to, NULL), WEFT_BUILD_OK);
    return id;
}

static uint64_t wait(struct weft_builder *b, int thread, int lock, int64_t from, int64_t to)
{
    const struct weft_field_value field = { store.object, { .index = store.locks[lock] } };
    return state(b, thread, from, to, store.blocked, &field);
}

/* The lock m is held by THREAD from FROM on. */
static uint64_t held_by(struct weft_builder *b, int thread, int64_t from)
{
    uint32_t track = weft_builder_track(b, store.locks[0], store.lock_states);
    struct weft_field_value field = { store.holder, { .index = store.threads[thread] } };
    uint64_t id;
    assert_int_equal(weft_builder_set(b, track, from, store.held, &field, 1, &id),
                     WEFT_BUILD_OK);
    return id;
}

static void wakes(struct weft_builder *b, int from, int64_t begin, int to, int64_t end)
{
    weft_builder_link(b,
                      &(struct weft_link){ .type = store.wake,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = store.threads[from],
                                           .to = store.threads[to],
                                           .begin = begin,
                                           .end = end,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = store.waits[to] },
                      NULL, 0);
}

static void fill(struct weft_builder *b)
{
    begin(b);
    store.work = state(b, 0, 0, 100, store.running, NULL);
    store.waits[1] = wait(b, 1, 0, 10, 50);
    store.waits[2] = wait(b, 2, 0, 20, 90);
    store.waits[3] = wait(b, 3, 1, 15, 60);
    store.hold = held_by(b, 0, 5);
    store.hold_of_other = held_by(b, 1, 50);
    wakes(b, 0, 48, 1, 50);
    wakes(b, 1, 88, 2, 90);
}

/* Returns the id of the state INDEX of a container, in the finished store. */
static uint64_t state_of(uint32_t container, uint64_t index)
{
    const struct weft_schema *schema = weft_trace_source(store.trace)->schema;
    uint32_t track = 0;
    while (schema->tracks[track].container != container
           || schema->types[schema->tracks[track].type].kind != WEFT_STATE)
        track++;
    return weft_entity_id(track, index);
}

/* Returns the relation by which ID is in the list, or "" if it is not. */
static const char *relation_of(const struct weft_related *related, uint64_t id)
{
    for (size_t i = 0; i < related->n; i++)
        if (related->list[i].id == id)
            return related->list[i].relation;
    return "";
}

static uint64_t container(uint32_t index)
{
    return weft_container_id(index, false);
}

struct case_of {
    uint64_t id;
    int64_t at;
    size_t n; /* things, links among them */
    struct {
        uint64_t id;
        const char *relation;
    } expected[6];
};

static void check(const struct weft_releases *releases, const struct case_of *one)
{
    struct weft_arena arena = { 0 };
    struct weft_related related;
    assert_true(weft_related_read(weft_trace_source(store.trace), releases, one->id,
                                  one->at, &arena, &related));
    for (size_t i = 0; i < 6 && one->expected[i].relation; i++)
        assert_string_equal(relation_of(&related, one->expected[i].id),
                            one->expected[i].relation);
    assert_string_equal(relation_of(&related, one->id), "");
    assert_int_equal(related.n, one->n);
    assert_false(related.cut);
    weft_arena_free(&arena);
}

static void things_belong_to_waits_and_locks(void **unused)
{
    struct weft_err err;
    char path[] = "/tmp/weft-related-XXXXXX";
    (void)unused;
    struct weft_builder *b = small_store_begin(path);
    fill(b);
    store.trace = small_store_end(b, path);
    struct weft_releases *releases =
        weft_releases_new(weft_trace_source(store.trace), NULL, &err);
    const struct weft_source *source = weft_trace_source(store.trace);
    assert_non_null(releases);
    store.work = state_of(store.threads[0], 0);
    for (int t = 1; t < THREADS; t++)
        store.waits[t] = state_of(store.threads[t], 0);
    store.hold = state_of(store.locks[0], 0);
    store.hold_of_other = state_of(store.locks[0], 1);
    const struct case_of cases[] = {
        /* At 30, t2 waits for m, too; t0 holds it, and is the one that wakes t1. */
        { store.waits[1],
          30,
          5,
          { { container(store.locks[0]), "object" },
            { store.hold, "the object then" },
            { store.work, "holder" },
            { store.waits[2], "waits, too" } } },
        /* At 12, t2 does not wait yet. */
        { store.waits[1],
          12,
          4,
          { { container(store.locks[0]), "object" },
            { store.hold, "the object then" },
            { store.work, "holder" } } },
        /* At 70, t1 holds it, of which nothing is known but its row; it wakes t2. */
        { store.waits[2],
          70,
          4,
          { { container(store.locks[0]), "object" },
            { store.hold_of_other, "the object then" },
            { container(store.threads[1]), "holder" } } },
        /* The lock n has no states, and nobody else waits for it. */
        { store.waits[3], 30, 1, { { container(store.locks[1]), "object" } } },
        /* At a state of the lock: who holds it, and all that wait. */
        { store.hold,
          30,
          3,
          { { store.work, "holder" },
            { store.waits[1], "waits" },
            { store.waits[2], "waits" } } },
        /* A time outside of the state: its begin, at which nobody waits. */
        { store.hold, 1000, 1, { { store.work, "holder" } } },
        /* To what runs and holds nothing that waits for it, nothing. */
        { store.work, 30, 0, { { 0, NULL } } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(releases, &cases[i]);
    struct weft_arena arena = { 0 };
    struct weft_related related;
    assert_false(
        weft_related_read(source, NULL, weft_entity_id(99, 0), 0, &arena, &related));
    assert_int_equal(related.n, 0);
    weft_arena_free(&arena);
    weft_releases_free(releases);
    weft_trace_close(store.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        things_belong_to_waits_and_locks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
