/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three threads and a lock, by hand: who ended each wait, where a link tells it, where the
 * wait is in parts, and where only the lock's states do.
 */
#include "analyse/releases_of_waits.h"
#include "tests/small_store.h"

enum { THREADS = 3 };

static struct {
    struct weft_builder *builder;
    uint32_t threads[THREADS], lock, wake, states, lock_states;
    uint32_t blocked, held, free, object, holder;
    struct weft_trace *trace;
    struct weft_releases *releases;
} store;

static void begin(char *path)
{
    struct weft_builder *b = store.builder = small_store_begin(path);
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    uint32_t thread = add_type(b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);
    uint32_t mutex = add_type(b, WEFT_CONTAINER, process, "Mutex", WEFT_ROLE_MUTEX);
    store.states = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
    store.lock_states = add_type(b, WEFT_STATE, mutex, "Lock state", WEFT_ROLE_LOCK_STATE);
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
    for (int t = 0; t < THREADS; t++) {
        char name[] = { 't', (char)('0' + t), 0 };
        store.threads[t] = weft_builder_container(b, thread, p, name, NULL, 0);
    }
    store.lock = weft_builder_container(b, mutex, p, "m", NULL, 0);
}

static uint64_t wait(int thread, int64_t from, int64_t to)
{
    const struct weft_field_value field = { store.object, { .index = store.lock } };
    uint32_t track = weft_builder_track(store.builder, store.threads[thread], store.states);
    uint64_t id;
    assert_int_equal(
        weft_builder_push(store.builder, track, from, store.blocked, &field, 1, &id),
        WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(store.builder, track, to, NULL), WEFT_BUILD_OK);
    return id;
}

/* The lock is held by THREAD from FROM on, or free (-1). */
static void lock_is(int thread, int64_t from)
{
    uint32_t track = weft_builder_track(store.builder, store.lock, store.lock_states);
    struct weft_field_value field = { store.holder, { 0 } };
    field.index = thread < 0 ? 0 : store.threads[thread];
    assert_int_equal(weft_builder_set(store.builder, track, from,
                                      thread < 0 ? store.free : store.held, &field,
                                      thread >= 0, NULL),
                     WEFT_BUILD_OK);
}

static void wakes(int from, int64_t begin, int to, int64_t end, uint64_t wait)
{
    weft_builder_link(store.builder,
                      &(struct weft_link){ .type = store.wake,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = store.threads[from],
                                           .to = store.threads[to],
                                           .begin = begin,
                                           .end = end,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = wait },
                      NULL, 0);
}

static void expect(int thread, uint64_t index, enum weft_release_kind kind, int by,
                   int64_t time)
{
    const struct weft_source *source = weft_trace_source(store.trace);
    struct weft_state state;
    struct weft_release release;
    uint32_t track = 0;
    while (source->schema->tracks[track].container != store.threads[thread])
        track++;
    assert_true(source->ops->state(source, weft_entity_id(track, index), &state));
    bool found = weft_release_of(store.releases, store.threads[thread], &state, &release);
    assert_int_equal(found, by >= 0);
    if (by < 0)
        return;
    assert_int_equal(release.kind, kind);
    assert_int_equal(release.row, store.threads[by]);
    assert_int_equal(release.time, time);
}

static void waits_have_their_releases(void **state)
{
    struct weft_err err;
    char path[] = "/tmp/weft-releases-XXXXXX";
    (void)state;
    begin(path);
    lock_is(0, 5);
    /* Thread 1 waits until thread 0 gives the lock back at 48, and has it at 50. */
    wakes(0, 48, 1, 50, wait(1, 10, 50));
    lock_is(1, 50);
    /*
     * Thread 2 waits from 60 on; at 80 it is woken, runs and finds the lock held by thread
     * 0; it waits on, and has it at 120, by the link that names the first part.
     */
    lock_is(0, 78);
    uint64_t first = wait(2, 60, 80);
    wait(2, 85, 120);
    wakes(0, 118, 2, 120, first);
    lock_is(2, 120);
    /* Thread 1 is woken at 210, when thread 2 has given the lock back at 200. */
    lock_is(-1, 200);
    wait(1, 150, 210);
    /* Thread 1 waits for itself: that is nobody. */
    for (int64_t time = 300; time < 400; time += 10)
        lock_is(1, time);
    wait(1, 395, 399);
    store.trace = small_store_end(store.builder, path);
    store.releases = weft_releases_new(weft_trace_source(store.trace), NULL, &err);
    assert_non_null(store.releases);
    expect(1, 0, WEFT_RELEASED_BY_WAKING, 0, 48);
    expect(2, 0, WEFT_RELEASED_BY_HOLDER, 0, 80);
    expect(2, 1, WEFT_RELEASED_BY_WAKING, 0, 118);
    expect(1, 1, WEFT_RELEASED_BY_HOLDER, 2, 200);
    expect(1, 2, WEFT_RELEASED_BY_HOLDER, -1, 0);
    weft_releases_free(store.releases);
    weft_trace_close(store.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(waits_have_their_releases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
