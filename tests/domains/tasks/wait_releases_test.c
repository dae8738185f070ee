/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads at barriers and waits for tasks, by hand: who ended each wait. */
#include "analyse/releases_of_waits.h"
#include "tests/small_store.h"

enum { THREADS = 3 };

static struct {
    struct weft_builder *builder;
    uint32_t threads[THREADS], calls[THREADS],
        intervals[THREADS]; /* tracks: the latter two */
    uint32_t call, interval, barrier, taskwait, end, before_wait, site;
    uint32_t sites[2];
    struct weft_trace *trace;
    struct weft_releases *releases;
} store;

static void begin(char *path)
{
    struct weft_builder *b = store.builder = small_store_begin(path);
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    uint32_t thread = add_type(b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);
    store.call = add_type(b, WEFT_STATE, thread, "OpenMP", WEFT_ROLE_CALL);
    store.interval = add_type(b, WEFT_STATE, thread, "Task", WEFT_ROLE_TASK_INTERVAL);
    store.barrier = add_value(b, store.call, "barrier", WEFT_ROLE_BLOCKED_ON_BARRIER);
    store.taskwait = add_value(b, store.call, "taskwait", WEFT_ROLE_BLOCKED_ON_TASK);
    store.end = add_value(b, store.interval, "end", WEFT_ROLE_BEFORE_END);
    store.before_wait = add_value(b, store.interval, "wait", WEFT_ROLE_BEFORE_WAIT);
    store.site = add_field(b, store.call, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    for (uint32_t i = 0; i < 2; i++)
        store.sites[i] = weft_builder_site(
            b, &(struct weft_site){
                   .object = "", .function = "f", .file = "a.c", .line = i + 1 });
    uint32_t p = weft_builder_container(b, process, 0, "p", NULL, 0);
    for (int t = 0; t < THREADS; t++) {
        char name[] = { 't', (char)('0' + t), 0 };
        store.threads[t] = weft_builder_container(b, thread, p, name, NULL, 0);
        store.calls[t] = weft_builder_track(b, store.threads[t], store.call);
        store.intervals[t] = weft_builder_track(b, store.threads[t], store.interval);
    }
}

static void wait(int thread, uint32_t value, int site, int64_t from, int64_t to)
{
    const struct weft_field_value field = { store.site, { .index = store.sites[site] } };
    assert_int_equal(
        weft_builder_push(store.builder, store.calls[thread], from, value, &field, 1, NULL),
        WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(store.builder, store.calls[thread], to, NULL),
                     WEFT_BUILD_OK);
}

static void task(int thread, uint32_t value, int64_t from, int64_t to)
{
    assert_int_equal(weft_builder_push(store.builder, store.intervals[thread], from, value,
                                       NULL, 0, NULL),
                     WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(store.builder, store.intervals[thread], to, NULL),
                     WEFT_BUILD_OK);
}

/* Expects what ended wait number INDEX of THREAD; BY -1: nothing is known. */
static void expect(int thread, uint64_t index, int by, int64_t time)
{
    const struct weft_source *source = weft_trace_source(store.trace);
    const struct weft_schema *schema = source->schema;
    struct weft_state state;
    struct weft_release release;
    uint32_t track = 0;
    while (schema->tracks[track].container != store.threads[thread]
           || schema->tracks[track].type != store.call)
        track++;
    assert_true(source->ops->state(source, weft_entity_id(track, index), &state));
    bool found = weft_release_of(store.releases, store.threads[thread], &state, &release);
    assert_int_equal(found, by >= 0);
    if (by < 0)
        return;
    assert_int_equal(release.row, store.threads[by]);
    assert_int_equal(release.time, time);
}

static void waits_have_their_releases(void **state)
{
    struct weft_err err;
    char path[] = "/tmp/weft-releases-XXXXXX";
    (void)state;
    begin(path);
    /* Thread 1 comes last to a barrier, and leaves it first; it comes late to the next. */
    wait(0, store.barrier, 0, 10, 52);
    wait(1, store.barrier, 0, 50, 51);
    wait(2, store.barrier, 0, 30, 55);
    wait(1, store.barrier, 0, 54, 90);
    wait(0, store.barrier, 0, 80, 91);
    wait(2, store.barrier, 0, 70, 92);
    /* A barrier of another place is none of this one's; only two threads come to it. */
    wait(0, store.barrier, 1, 100, 150);
    wait(1, store.barrier, 1, 140, 150);
    wait(2, store.barrier, 0, 145, 146);
    /* A wait for tasks: of those that ended during it, the last; no parts of tasks. */
    wait(0, store.taskwait, 0, 200, 300);
    task(1, store.end, 190, 250);
    task(1, store.before_wait, 260, 295);
    task(2, store.end, 210, 290);
    task(2, store.end, 291, 310);
    /* A wait during which no task ended. */
    wait(0, store.taskwait, 0, 400, 410);
    /* A barrier at which thread 1 executes a task after the last has come. */
    wait(0, store.barrier, 0, 500, 600);
    wait(1, store.barrier, 0, 510, 601);
    wait(2, store.barrier, 0, 520, 602);
    task(1, store.end, 515, 590);
    store.trace = small_store_end(store.builder, path);
    store.releases = weft_releases_new(weft_trace_source(store.trace), NULL, &err);
    assert_non_null(store.releases);
    expect(0, 0, 1, 50);
    expect(1, 0, -1, 0);
    expect(2, 0, 1, 50);
    expect(1, 1, 0, 80);
    expect(0, 1, -1, 0);
    expect(2, 1, 0, 80);
    expect(0, 2, 1, 140);
    expect(1, 2, -1, 0);
    expect(2, 2, -1, 0);
    expect(0, 3, 2, 290);
    expect(0, 4, -1, 0);
    expect(0, 5, 1, 590);
    expect(1, 3, 2, 520);
    expect(2, 3, 1, 590);
    weft_releases_free(store.releases);
    weft_trace_close(store.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(waits_have_their_releases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
