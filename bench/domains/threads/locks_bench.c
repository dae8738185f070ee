/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of locks at scale: N states, half of them holds with a holder and a site, one in
 * ten of those contended and waited for, on one lock and on 64; the ratio is to a plain scan
 * of the same states by one thread.
 *
 *     locks_bench [N [FOLDER]]     10^7 states unless given; 10^8 by hand
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "domains/threads/analyse/locks.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

enum { THREADS = 8, SITES = 50, MAX_LOCKS = 64, ROUNDS = 5 };

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint32_t roll(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % below;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const struct weft_err *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(4);
}

struct lock_schema {
    uint32_t thread_type, lock_type, thread_states, lock_states;
    uint32_t running, blocked, held, contended, free;
    uint32_t object, wait_site, holder, acquisition, site;
};

static uint32_t type(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                     const char *name, enum weft_role role)
{
    uint32_t t = weft_builder_type(
        b, &(struct weft_type){ .kind = kind, .parent = parent, .name = name });
    weft_builder_type_role(b, t, role);
    return t;
}

static uint32_t value(struct weft_builder *b, uint32_t of, const char *name,
                      enum weft_role role)
{
    uint32_t v = weft_builder_value(b, of, name, NULL, 0);
    weft_builder_value_role(b, v, role);
    return v;
}

static uint32_t field(struct weft_builder *b, uint32_t of, const char *name,
                      enum weft_field_kind kind, enum weft_role role)
{
    uint32_t f = weft_builder_field(b, of, name, kind);
    weft_builder_field_role(b, f, role);
    return f;
}

static struct lock_schema define(struct weft_builder *b)
{
    struct lock_schema m;
    m.thread_type = type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    m.lock_type = type(b, WEFT_CONTAINER, 0, "Mutex", WEFT_ROLE_MUTEX);
    m.thread_states =
        type(b, WEFT_STATE, m.thread_type, "Thread state", WEFT_ROLE_ACTIVITY);
    m.lock_states = type(b, WEFT_STATE, m.lock_type, "Lock state", WEFT_ROLE_LOCK_STATE);
    m.running = value(b, m.thread_states, "running", WEFT_ROLE_RUNNING);
    m.blocked = value(b, m.thread_states, "blocked", WEFT_ROLE_BLOCKED_ON_LOCK);
    m.free = value(b, m.lock_states, "free", WEFT_ROLE_FREE);
    m.held = value(b, m.lock_states, "held", WEFT_ROLE_HELD);
    m.contended = value(b, m.lock_states, "contended", WEFT_ROLE_CONTENDED);
    m.object = field(b, m.thread_states, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    m.wait_site = field(b, m.thread_states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    m.holder = field(b, m.lock_states, "holder", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    m.acquisition =
        field(b, m.lock_states, "acquisition", WEFT_FIELD_INTEGER, WEFT_ROLE_ACQUISITION);
    m.site = field(b, m.lock_states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    for (uint32_t s = 0; s < SITES; s++)
        weft_builder_site(
            b, &(struct weft_site){ .address = s, .file = "bench.c", .line = s });
    return m;
}

static void make(const char *path, uint64_t n, uint32_t n_locks)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "bench", &err);
    if (!b)
        fail(&err);
    struct lock_schema m = define(b);
    uint32_t threads[THREADS], locks[MAX_LOCKS], lock_track[MAX_LOCKS],
        thread_track[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) {
        threads[t] = weft_builder_container(b, m.thread_type, 0, "thread", NULL, 0);
        thread_track[t] = weft_builder_track(b, threads[t], m.thread_states);
    }
    for (uint32_t l = 0; l < n_locks; l++) {
        locks[l] = weft_builder_container(b, m.lock_type, 0, "lock", NULL, 0);
        lock_track[l] = weft_builder_track(b, locks[l], m.lock_states);
    }
    int64_t time = 0;
    for (uint64_t made = 0; made < n; made += 2) {
        uint32_t l = roll(n_locks), t = roll(THREADS), waiter = roll(THREADS);
        bool waited = roll(10) == 0;
        int64_t end = time + 50 + roll(200);
        struct weft_field_value hold[] = { { m.holder, { .index = threads[t] } },
                                           { m.acquisition, { .integer = 1 } },
                                           { m.site, { .index = roll(SITES) } } };
        (void)!weft_builder_set(b, lock_track[l], time, waited ? m.contended : m.held, hold,
                                3, NULL);
        (void)!weft_builder_set(b, lock_track[l], end, m.free, NULL, 0, NULL);
        if (waited) {
            struct weft_field_value wait[] = { { m.object, { .index = locks[l] } },
                                               { m.wait_site, { .index = roll(SITES) } } };
            (void)!weft_builder_set(b, thread_track[waiter], time + 1, m.blocked, wait, 2,
                                    NULL);
            (void)!weft_builder_set(b, thread_track[waiter], end, m.running, NULL, 0, NULL);
            made += 2;
        }
        time = end + 1 + roll(100);
    }
    if (!weft_builder_finish(b, NULL, &err))
        fail(&err);
}

static bool add_length(void *user, const struct weft_state *state)
{
    *(int64_t *)user += state->end - state->begin;
    return true;
}

static void measure(const char *path, const char *name)
{
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    if (!trace)
        fail(&err);
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_schema *schema = source->schema;
    double scan = 1e9, read = 1e9;
    int64_t sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();
        for (uint32_t t = 0; t < schema->n_tracks; t++)
            source->ops->states(source, t, schema->span, add_length, &sum);
        double between = now();
        struct weft_locks locks;
        if (!weft_locks_read(source, 0, schema->span, NULL, &locks, &err))
            fail(&err);
        double end = now();
        if (!locks.n || !locks.list[0].waits)
            exit(1);
        weft_locks_free(&locks);
        scan = between - start < scan ? between - start : scan;
        read = end - between < read ? end - between : read;
    }
    printf("locks.%s.%llu_states %.1f ms (ratio to a plain scan: %.2f)\n", name,
           (unsigned long long)schema->n_states, 1e3 * read, read / scan);
    weft_trace_close(trace);
}

int main(int argc, char **argv)
{
    const char *scale = getenv("BENCH_SCALE");
    uint64_t n = argc > 1                               ? strtoull(argv[1], NULL, 10)
                 : scale && strcmp(scale, "small") == 0 ? 100000
                                                        : 10000000;
    const struct {
        const char *name;
        uint32_t locks;
    } cases[] = { { "one", 1 }, { "many", MAX_LOCKS } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char *path = weft_asprintf("%s/weft-locks-bench-%ld.weft",
                                   argc > 2 ? argv[2] : "/tmp", (long)getpid());
        make(path, n, cases[c].locks);
        measure(path, cases[c].name);
        unlink(path);
        free(path);
    }
    return 0;
}
