/* SPDX-License-Identifier: Apache-2.0 */
/* The shelf: keys, sharing, waiters that leave, failures, the budget, and many threads. */
#include <pthread.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "tests/random.h"
#include "tests/test.h"
#include "view/prepare.h"

enum { PLAIN, BLOCKS, FAILS, DEPENDS, NEVER_ENDS };
enum { NUMBERS = 64, ALL_THREADS = 4 };

struct key {
    uint32_t number, kind;
    uint32_t bytes; /* that it says it takes */
    uint32_t base;  /* DEPENDS: the kind of the thing that it is made from, of number + 1 */
};

struct made_thing {
    uint32_t number;
    const struct weft_held *base;
};

static struct weft_source sources[3];
static const struct weft_source *list[] = { &sources[0], &sources[1], &sources[2] };
static const struct weft_set one = { list, 1 }, other = { list + 1, 1 }, two = { list, 2 };

static _Atomic bool gate; /* what blocks goes on when it is open */
static _Atomic int made[NUMBERS], freed[NUMBERS], stopped;
static _Atomic int free_order[NUMBERS], n_freed;

static const struct weft_preparation synthetic, twin;

/* Nothing is timed: what does not come to pass ends with the test's time limit. */
#define UNTIL(condition)                                                                   \
 while (!(condition))                                                                      \
 usleep(500)

/* Wake-ups of who waits for a making get lost while this is set: the linker puts the function
 * below in the place of the C library's. */
static _Atomic bool forgetful;

int __real_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    return forgetful ? 0 : __real_pthread_cond_broadcast(condition);
}

static void count_up(void *user, size_t i)
{
    (void)i;
    ++*(_Atomic int *)user;
}

static bool pass_gate(const struct key *key, struct weft_job *job, struct weft_err *err)
{
    bool blocks = key->kind == BLOCKS || key->kind == FAILS || key->kind == NEVER_ENDS;
    while (blocks && (key->kind == NEVER_ENDS || !gate)) {
        if (!weft_job_step(job, 3, 7, err)) {
            stopped++;
            return false;
        }
        usleep(200);
    }
    return true;
}

static bool make(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                 struct weft_err *err)
{
    struct key key; /* what comes behind it only tells things apart */
    memcpy(&key, args->parameters, sizeof key);
    const struct weft_held *base = NULL;
    if (key.kind == DEPENDS) {
        const struct key below = { key.number + 1, key.base, key.bytes, 0 };
        base = weft_prepare(args->shelf, &synthetic, args->set, &below, sizeof below,
                            args->job, err);
        if (!base)
            return false;
    }
    if (!pass_gate(&key, args->job, err))
        return false;
    if (key.kind == FAILS)
        return weft_fail(err, WEFT_ERR_FORMAT, "number %u fails", key.number);
    /* Makings share the pool of threads, which one of them at a time has. */
    _Atomic int count = 0;
    weft_parallel(5, 1, count_up, &count);
    assert_int_equal(count, 5);
    struct made_thing *out = weft_zalloc(1, sizeof *out);
    out->number = key.number;
    out->base = base;
    made[key.number]++;
    *thing = out;
    *bytes = key.bytes;
    return true;
}

static void unmake(void *user)
{
    struct made_thing *thing = user;
    freed[thing->number]++;
    free_order[n_freed++ % NUMBERS] = (int)thing->number;
    weft_release(thing->base);
    free(thing);
}

static const struct weft_preparation synthetic = { "synthetic", make, unmake };
static const struct weft_preparation twin = { "twin", make, unmake };

static int forget_all(void **state)
{
    (void)state;
    gate = false;
    stopped = n_freed = 0;
    for (int i = 0; i < NUMBERS; i++)
        made[i] = freed[i] = 0;
    return 0;
}

static const struct weft_held *get(struct weft_shelf *shelf, struct key key)
{
    struct weft_err err = { 0 };
    const struct weft_held *held =
        weft_prepare(shelf, &synthetic, &one, &key, sizeof key, NULL, &err);
    if (held)
        assert_int_equal(((const struct made_thing *)held->thing)->number, key.number);
    return held;
}

static struct weft_shelf *shelf_without_patience(void)
{
    struct weft_shelf *shelf = weft_shelf_new();
    weft_shelf_set_patience(shelf, 0);
    return shelf;
}

/* ---- Others that wait ---- */

struct waiter {
    struct weft_shelf *shelf;
    struct key key;
    struct weft_job job;
    struct weft_err err;
    const struct weft_held *held;
    pthread_t thread;
};

static void *wait_for(void *user)
{
    struct waiter *w = user;
    w->held =
        weft_prepare(w->shelf, &synthetic, &one, &w->key, sizeof w->key, &w->job, &w->err);
    return NULL;
}

/* Returns when it waits. */
static void start(struct waiter *w, struct weft_shelf *shelf, struct key key)
{
    size_t before = weft_shelf_count(shelf).n_waiting;
    *w = (struct waiter){ .shelf = shelf, .key = key };
    assert_int_equal(pthread_create(&w->thread, NULL, wait_for, w), 0);
    UNTIL(weft_shelf_count(shelf).n_waiting > before);
}

static void end(struct waiter *w)
{
    pthread_join(w->thread, NULL);
}

static void cancel(struct waiter *w)
{
    atomic_store(&w->job.cancelled, true);
    end(w);
    assert_null(w->held);
    assert_int_equal(w->err.code, WEFT_ERR_CANCELLED);
}

static void makings_end(struct weft_shelf *shelf)
{
    UNTIL(weft_shelf_count(shelf).n_makings == 0);
}

/* ---- Tests ---- */

static void a_thing_is_known_by_all_of_its_key(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    const struct weft_source *turned[] = { list[1], list[0] };
    const struct weft_set back = { turned, 2 };
    const struct key keys[2] = { { 1, PLAIN, 10, 0 }, { 2, PLAIN, 10, 0 } };
    const struct {
        const struct weft_preparation *preparation;
        const struct weft_set *set;
        const struct key *key;
        size_t size;
    } asks[] = {
        { &synthetic, &one, keys, sizeof *keys },
        { &twin, &one, keys, sizeof *keys },
        { &synthetic, &other, keys, sizeof *keys },
        { &synthetic, &two, keys, sizeof *keys },
        { &synthetic, &back, keys, sizeof *keys },
        { &synthetic, &one, keys + 1, sizeof *keys },
        { &synthetic, &one, keys, 2 * sizeof *keys },
    };
    enum { N = sizeof asks / sizeof *asks };
    const struct weft_held *held[2][N];
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < N; i++) {
            struct weft_err err;
            struct key copy[2]; /* the bytes count, not where they are */
            memcpy(copy, asks[i].key, asks[i].size);
            held[again][i] = weft_prepare(shelf, asks[i].preparation, asks[i].set, copy,
                                          asks[i].size, NULL, &err);
            assert_non_null(held[again][i]);
        }
    struct weft_shelf_counts counts = weft_shelf_count(shelf);
    assert_int_equal(counts.started, N);
    assert_int_equal(counts.found, N);
    assert_int_equal(counts.n_things, N);
    assert_int_equal(counts.bytes, N * 10);
    for (size_t i = 0; i < N; i++) {
        assert_ptr_equal(held[0][i], held[1][i]);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(held[0][i]->thing, held[0][j]->thing);
        weft_release(held[0][i]);
        weft_release(held[1][i]);
    }
    weft_shelf_free(shelf);
    assert_int_equal(made[1], N - 1);
    assert_int_equal(freed[1], N - 1);
}

static void all_who_wait_get_the_same(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    const struct key key = { 5, BLOCKS, 1, 0 };
    struct waiter waiters[4];
    for (int i = 0; i < 4; i++)
        start(&waiters[i], shelf, key);
    /* They are told how far it is. */
    UNTIL(atomic_load(&waiters[3].job.total) == 7);
    assert_int_equal(atomic_load(&waiters[3].job.done), 3);
    gate = true;
    for (int i = 0; i < 4; i++) {
        end(&waiters[i]);
        assert_non_null(waiters[i].held);
        assert_ptr_equal(waiters[i].held, waiters[0].held);
    }
    for (int i = 0; i < 4; i++)
        weft_release(waiters[i].held);
    assert_int_equal(made[5], 1);
    assert_int_equal(weft_shelf_count(shelf).joined, 3);
    weft_shelf_free(shelf);
}

static void one_that_leaves_takes_nothing_from_the_others(void **state)
{
    (void)state;
    struct weft_shelf *shelf = shelf_without_patience();
    const struct key key = { 6, BLOCKS, 1, 0 };
    struct waiter first, second;
    start(&first, shelf, key); /* its request began the making */
    start(&second, shelf, key);
    cancel(&first);
    assert_int_equal(weft_shelf_count(shelf).n_makings, 1);
    gate = true;
    end(&second);
    assert_non_null(second.held);
    assert_int_equal(stopped, 0);
    weft_release(second.held);
    weft_shelf_free(shelf);
}

static void the_last_one_to_leave_ends_the_making(void **state)
{
    (void)state;
    struct weft_shelf *shelf = shelf_without_patience();
    const struct key key = { 7, BLOCKS, 1, 0 };
    struct waiter first, second;
    start(&first, shelf, key);
    start(&second, shelf, key);
    cancel(&first);
    cancel(&second);
    makings_end(shelf);
    assert_int_equal(stopped, 1);
    assert_int_equal(weft_shelf_count(shelf).n_things, 0);
    gate = true;
    const struct weft_held *held =
        get(shelf, key); /* a cancelled making is not remembered */
    assert_non_null(held);
    weft_release(held);
    assert_int_equal(weft_shelf_count(shelf).started, 2);
    /* One that comes cancelled begins nothing. */
    struct weft_job job = { .cancelled = true };
    struct weft_err err;
    const struct key fresh = { 8, PLAIN, 1, 0 };
    assert_null(weft_prepare(shelf, &synthetic, &one, &fresh, sizeof fresh, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    assert_int_equal(weft_shelf_count(shelf).started, 2);
    weft_shelf_free(shelf);
}

/* The maker itself looks for how long nobody has waited. */
static void a_making_that_nobody_waits_for_ends_by_itself(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    weft_shelf_set_patience(shelf, 1);
    struct waiter waiter;
    start(&waiter, shelf, (struct key){ 9, NEVER_ENDS, 1, 0 });
    cancel(&waiter);
    makings_end(shelf);
    assert_int_equal(stopped, 1);
    weft_shelf_free(shelf);
}

static void who_comes_back_in_time_finds_the_making(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    weft_shelf_set_patience(shelf, UINT32_MAX);
    const struct key key = { 10, BLOCKS, 1, 0 }, unwanted = { 11, BLOCKS, 1, 0 };
    struct waiter first, again, third;
    start(&first, shelf, key);
    cancel(&first);
    start(&again, shelf, key);
    start(&third, shelf, unwanted);
    cancel(&third);
    gate = true;
    end(&again);
    assert_non_null(again.held);
    weft_release(again.held);
    makings_end(shelf);
    /* What was finished for nobody is there for the next one. */
    weft_release(get(shelf, unwanted));
    assert_int_equal(weft_shelf_count(shelf).started, 2);
    assert_int_equal(weft_shelf_count(shelf).found, 1);
    weft_shelf_free(shelf);
}

static void a_failure_is_told_to_all_and_forgotten(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    const struct key key = { 12, FAILS, 1, 0 };
    struct waiter waiters[3];
    for (int i = 0; i < 3; i++)
        start(&waiters[i], shelf, key);
    gate = true;
    for (int i = 0; i < 3; i++) {
        end(&waiters[i]);
        assert_null(waiters[i].held);
        assert_int_equal(waiters[i].err.code, WEFT_ERR_FORMAT);
        assert_string_equal(waiters[i].err.message, "number 12 fails");
    }
    assert_int_equal(weft_shelf_count(shelf).started, 1);
    assert_null(get(shelf, key));
    assert_int_equal(weft_shelf_count(shelf).started, 2);
    assert_int_equal(weft_shelf_count(shelf).n_things, 0);
    weft_shelf_free(shelf);
}

static void things_hold_what_they_are_made_from(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    const struct key key = { 20, DEPENDS, 100, PLAIN };
    const struct weft_held *held = get(shelf, key);
    makings_end(shelf);
    assert_int_equal(weft_shelf_count(shelf).n_things, 2);
    weft_shelf_set_budget(shelf, 0);
    assert_int_equal(n_freed, 0); /* one is held, by it the other */
    weft_release(held);
    assert_int_equal(n_freed, 0); /* it was asked for last */
    const struct weft_held *next = get(shelf, (struct key){ 30, PLAIN, 100, 0 });
    makings_end(shelf);
    assert_int_equal(n_freed, 2);
    assert_int_equal(free_order[0], 20);
    assert_int_equal(free_order[1], 21);
    weft_release(next);
    /* A failure below is one above. */
    gate = true;
    assert_null(get(shelf, (struct key){ 22, DEPENDS, 1, FAILS }));
    weft_shelf_free(shelf);
}

static void leaving_ends_what_the_making_waits_for(void **state)
{
    (void)state;
    struct weft_shelf *shelf = shelf_without_patience();
    struct waiter waiter;
    start(&waiter, shelf, (struct key){ 24, DEPENDS, 1, NEVER_ENDS });
    UNTIL(weft_shelf_count(shelf).n_waiting == 2); /* the making, for the one below */
    cancel(&waiter);
    makings_end(shelf);
    assert_int_equal(stopped, 1);
    assert_int_equal(weft_shelf_count(shelf).n_things, 0);
    weft_shelf_free(shelf);
}

static void a_source_can_be_forgotten(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    weft_shelf_set_patience(shelf, UINT32_MAX);
    struct weft_err err;
    const struct key key = { 40, DEPENDS, 1, PLAIN }, blocks = { 42, NEVER_ENDS, 1, 0 };
    weft_release(get(shelf, key));
    weft_release(weft_prepare(shelf, &synthetic, &other, &key, sizeof key, NULL, &err));
    weft_release(weft_prepare(shelf, &synthetic, &two, &key, sizeof key, NULL, &err));
    struct waiter waiter; /* it has left, the making goes on */
    start(&waiter, shelf, blocks);
    cancel(&waiter);
    weft_shelf_forget(shelf, &sources[2]);
    assert_int_equal(n_freed, 0);
    weft_shelf_forget(shelf, &sources[0]);
    assert_int_equal(stopped, 1);
    assert_int_equal(freed[40], 2);
    assert_int_equal(freed[41], 2);
    assert_int_equal(weft_shelf_count(shelf).n_things, 2);
    weft_shelf_free(shelf);
    assert_int_equal(freed[40], 3);
    assert_int_equal(freed[41], 3);
}

static void a_shelf_ends_what_it_makes(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    weft_shelf_set_patience(shelf, UINT32_MAX);
    struct waiter waiter;
    start(&waiter, shelf, (struct key){ 44, DEPENDS, 1, NEVER_ENDS });
    UNTIL(weft_shelf_count(shelf).n_waiting == 2); /* the making, for the one below */
    cancel(&waiter);
    weft_shelf_free(shelf);
    assert_int_equal(stopped, 1);
}

/* ---- Lending a place ---- */

static int began, ended;
static bool room;

static bool lend(struct weft_job *job, void *user, bool begins)
{
    (void)job;
    assert_ptr_equal(user, &room);
    began += begins;
    ended += !begins;
    return room;
}

/* Condition variables of some C libraries lose a wake-up once in a long while. */
static void wake_ups_may_be_lost(void **state)
{
    forgetful = true;
    a_shelf_ends_what_it_makes(state);
    forget_all(state);
    a_source_can_be_forgotten(state);
    forgetful = false;
}

static void a_job_is_told_when_it_waits(void **state)
{
    (void)state;
    struct weft_shelf *shelf = shelf_without_patience();
    struct weft_job job = { .waits = lend, .user = &room };
    struct weft_err err;
    const struct key key = { 50, PLAIN, 1, 0 }, never = { 51, NEVER_ENDS, 1, 0 };
    room = true;
    for (int again = 0; again < 2; again++) {
        const struct weft_held *held =
            weft_prepare(shelf, &synthetic, &one, &key, sizeof key, &job, &err);
        assert_non_null(held);
        weft_release(held);
        assert_int_equal(began, 1); /* what is there is not waited for */
        assert_int_equal(ended, 1);
    }
    room = false;
    assert_null(weft_prepare(shelf, &synthetic, &one, &never, sizeof never, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    assert_int_equal(began, 2);
    assert_int_equal(ended, 1);
    makings_end(shelf); /* nobody waits for it */
    weft_shelf_free(shelf);
}

/* ---- The budget, beside a model of it ---- */

struct model {
    bool there[NUMBERS];
    uint64_t asked[NUMBERS];
    unsigned held[NUMBERS];
    uint64_t clock, budget, evicted;
};

static uint32_t bytes_of(uint32_t number)
{
    return 10 + number * 7 % 50;
}

static uint64_t sum_of(const struct model *m)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < NUMBERS; i++)
        sum += m->there[i] ? bytes_of(i) : 0;
    return sum;
}

static void trim_model(struct model *m)
{
    while (sum_of(m) > m->budget) {
        uint32_t oldest = NUMBERS, newest = NUMBERS;
        for (uint32_t i = 0; i < NUMBERS; i++) {
            if (!m->there[i])
                continue;
            if (newest == NUMBERS || m->asked[i] > m->asked[newest])
                newest = i;
            if (!m->held[i] && (oldest == NUMBERS || m->asked[i] < m->asked[oldest]))
                oldest = i;
        }
        if (oldest == NUMBERS || oldest == newest)
            return;
        m->there[oldest] = false;
        m->evicted++;
    }
}

static void compare(struct weft_shelf *shelf, const struct model *m)
{
    size_t n = 0;
    makings_end(shelf);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        assert_int_equal(made[i] - freed[i], m->there[i]);
        n += m->there[i];
    }
    struct weft_shelf_counts counts = weft_shelf_count(shelf);
    assert_int_equal(counts.bytes, sum_of(m));
    assert_int_equal(counts.n_things, n);
    assert_int_equal(counts.evicted, m->evicted);
}

static void what_was_asked_for_longest_ago_goes_first(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    struct model m = { .budget = 600 };
    struct {
        const struct weft_held *held;
        uint32_t number;
    } holds[12];
    uint32_t n = 0;
    weft_shelf_set_budget(shelf, m.budget);
    for (int step = 0; step < 1500; step++) {
        uint32_t what = roll(20);
        bool same_bytes = false;
        if (what == 0) {
            m.budget = roll(4) ? roll(1500) : 0;
            weft_shelf_set_budget(shelf, m.budget);
        } else if (n == 12 || (n && what < 10)) {
            uint32_t at = roll(n);
            m.held[holds[at].number]--;
            weft_release(holds[at].held);
            holds[at] = holds[--n];
        } else {
            uint32_t i = roll(NUMBERS);
            holds[n].held = get(shelf, (struct key){ i, PLAIN, bytes_of(i), 0 });
            holds[n++].number = i;
            assert_non_null(holds[n - 1].held);
            same_bytes = m.there[i]; /* nothing goes for what is there already */
            m.held[i]++;
            m.there[i] = true;
            m.asked[i] = ++m.clock;
        }
        if (!same_bytes)
            trim_model(&m);
        compare(shelf, &m);
    }
    while (n)
        weft_release(holds[--n].held);
    weft_shelf_free(shelf);
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(made[i], freed[i]);
}

/* ---- Many threads ---- */

struct busy {
    struct weft_shelf *shelf;
    uint32_t seed;
    pthread_t thread;
};

/* Makes a job cancelled after it has looked a few times. */
static void grow_tired(struct weft_job *job, void *user)
{
    if ((*(int *)user)-- <= 0)
        atomic_store(&job->cancelled, true);
}

static void *ask_often(void *user)
{
    struct busy *busy = user;
    uint32_t state = busy->seed;
    for (int i = 0; i < 400; i++) {
        state = state * 1664525u + 1013904223u;
        const struct key key = { (state >> 16) % 12, (state >> 24) % 3 ? PLAIN : DEPENDS,
                                 40, PLAIN };
        int looks = (state >> 12) % 2;
        struct weft_job job = { .progress = grow_tired, .user = &looks };
        struct weft_err err;
        const struct weft_held *held =
            weft_prepare(busy->shelf, &synthetic, &one, &key, sizeof key, &job, &err);
        if (held && ((const struct made_thing *)held->thing)->number != key.number)
            abort();
        if (!held && err.code != WEFT_ERR_CANCELLED)
            abort();
        if (state % 5 == 0)
            weft_shelf_set_budget(busy->shelf, state >> 22);
        weft_release(held);
    }
    return NULL;
}

static void many_threads_may_ask(void **state)
{
    (void)state;
    struct weft_shelf *shelf = shelf_without_patience();
    struct busy busy[ALL_THREADS];
    assert_int_equal(setenv("WEFT_THREADS", "4", 1), 0);
    weft_shelf_set_budget(shelf, 200);
    for (uint32_t i = 0; i < ALL_THREADS; i++) {
        busy[i] = (struct busy){ .shelf = shelf, .seed = 17 * i + 3 };
        assert_int_equal(pthread_create(&busy[i].thread, NULL, ask_often, &busy[i]), 0);
    }
    for (int i = 0; i < ALL_THREADS; i++)
        pthread_join(busy[i].thread, NULL);
    makings_end(shelf);
    assert_int_equal(unsetenv("WEFT_THREADS"), 0);
    assert_int_equal(weft_shelf_count(shelf).n_waiting, 0);
    weft_shelf_free(shelf);
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(made[i], freed[i]);
}

/* ---- For views ---- */

static void an_answer_holds_what_it_uses(void **state)
{
    (void)state;
    struct weft_request request = { .set = &one };
    struct weft_err err;
    const struct key keys[] = { { 55, PLAIN, 1, 0 }, { 56, PLAIN, 1, 0 } };
    struct weft_use use;
    /* Without a shelf all is made for this answer, each thing once. */
    weft_use_begin(&use, &request);
    for (int i = 0; i < 4; i++) {
        const struct key *key = &keys[i % 2];
        const struct made_thing *thing =
            weft_use_get(&use, &synthetic, &one, key, sizeof *key, &err);
        assert_int_equal(thing->number, key->number);
    }
    assert_int_equal(n_freed, 0);
    weft_use_end(&use);
    assert_int_equal(n_freed, 2);
    /* With one it stays there, and is held until the answer ends. */
    request.shelf = weft_shelf_new();
    weft_shelf_set_budget(request.shelf, 0);
    weft_use_begin(&use, &request);
    for (int i = 0; i < 2; i++)
        assert_non_null(
            weft_use_get(&use, &synthetic, &one, &keys[i], sizeof keys[i], &err));
    assert_int_equal(n_freed, 2);
    weft_use_end(&use);
    assert_int_equal(n_freed, 3); /* but for the last */
    weft_shelf_free(request.shelf);
    assert_int_equal(n_freed, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_thing_is_known_by_all_of_its_key, forget_all),
        cmocka_unit_test_setup(all_who_wait_get_the_same, forget_all),
        cmocka_unit_test_setup(one_that_leaves_takes_nothing_from_the_others, forget_all),
        cmocka_unit_test_setup(the_last_one_to_leave_ends_the_making, forget_all),
        cmocka_unit_test_setup(a_making_that_nobody_waits_for_ends_by_itself, forget_all),
        cmocka_unit_test_setup(who_comes_back_in_time_finds_the_making, forget_all),
        cmocka_unit_test_setup(a_failure_is_told_to_all_and_forgotten, forget_all),
        cmocka_unit_test_setup(things_hold_what_they_are_made_from, forget_all),
        cmocka_unit_test_setup(leaving_ends_what_the_making_waits_for, forget_all),
        cmocka_unit_test_setup(a_source_can_be_forgotten, forget_all),
        cmocka_unit_test_setup(a_shelf_ends_what_it_makes, forget_all),
        cmocka_unit_test_setup(wake_ups_may_be_lost, forget_all),
        cmocka_unit_test_setup(a_job_is_told_when_it_waits, forget_all),
        cmocka_unit_test_setup(what_was_asked_for_longest_ago_goes_first, forget_all),
        cmocka_unit_test_setup(many_threads_may_ask, forget_all),
        cmocka_unit_test_setup(an_answer_holds_what_it_uses, forget_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
