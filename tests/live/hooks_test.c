/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of threads, locks and waits on programs whose schedule is known (programs/, where
 * the reasoning is written down).  Where a program waits 100 ms on purpose the state takes at
 * least that long, less what its threads need to come that far; how much longer, depends on what
 * else the machine does.
 */
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MS = 1000000, SOME = 50 * MS }; /* ns */

static struct recorded run(const char *program)
{
    char command[1024];

    snprintf(command, sizeof command, "%s/%s", getenv("PROGRAMS"), program);
    return record(command);
}

static uint32_t states_of(const struct recorded *recorded, const char *thread)
{
    return track(recorded, container(recorded, "Thread", thread), "Thread state");
}

static uint32_t lock_of(const struct recorded *recorded, const char *name)
{
    return track(recorded, container(recorded, "Mutex", name), "Lock state");
}

static int64_t length(const struct found_state *found)
{
    return found->state.end - found->state.begin;
}

/* The function that a state's site is in. */
static const char *place(const struct recorded *recorded, const struct found_state *found)
{
    return found->site == WEFT_NONE ? "" : recorded->schema->sites[found->site].function;
}

/* The function of the site that a fact of a container is; "": it has none. */
static const char *fact_place(const struct recorded *recorded, uint32_t container,
                              enum weft_role role)
{
    const struct weft_field_value *fact =
        weft_container_fact(recorded->schema, container, role, WEFT_FIELD_SITE);

    return fact ? recorded->schema->sites[fact->index].function : "";
}

static uint64_t acquisitions(const struct recorded *recorded, uint32_t lock)
{
    enum { MAX_STATES = 100000 };
    struct found_state *found = calloc(MAX_STATES, sizeof *found);
    size_t n = states(recorded, lock, found, MAX_STATES);
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)found[i].integer;
    free(found);
    return sum;
}

/* The first state with this value that begins at or after a time. */
static struct found_state state_after(const struct recorded *recorded, uint32_t of,
                                      const char *value, int64_t time)
{
    struct found_state *all = calloc(10000, sizeof *all), found = { .value = NULL };
    size_t n = states(recorded, of, all, 10000);

    for (size_t i = 0; i < n && !found.value; i++)
        if (all[i].state.begin >= time && strcmp(all[i].value, value) == 0)
            found = all[i];
    free(all);
    if (!found.value)
        fail_msg("no state \"%s\" after %lld", value, (long long)time);
    return found;
}

static void check_jumps(const char *program)
{
    struct recorded recorded = run(program);
    uint32_t thread = states_of(&recorded, "live_jumps");
    struct found_state semaphore = first_state(&recorded, thread, "blocked on semaphore");
    struct found_state reading = first_state(&recorded, thread, "reading");
    struct found_state working;

    assert_int_equal(recorded.status, 0);
    assert_false(has_problem(&recorded, "lost-events"));
    assert_false(has_problem(&recorded, "damaged-record"));
    /* Both waits end where the handler jumped; then there are 100 ms of work. */
    assert_true(length(&semaphore) > SOME);
    working = state_after(&recorded, thread, "running", semaphore.state.end);
    assert_int_equal(working.state.begin, semaphore.state.end);
    assert_true(length(&working) > SOME);
    assert_int_equal(reading.state.begin, working.state.end);
    assert_true(length(&reading) > SOME);
    working = state_after(&recorded, thread, "running", reading.state.end);
    assert_true(length(&working) > SOME);
    assert_int_equal(acquisitions(&recorded, lock_of(&recorded, "after")), 20000);
    forget(&recorded);
}

static void test_jumps_out_of_hooks_and_waits(void **state)
{
    (void)state;
    check_jumps("live_jumps");
    check_jumps("live_jumps stack");
}

/*
 * Where nobody sees the jump, the wait goes on until the next one shows that it does not: the
 * one for the semaphore until the thread reads.
 */
static void test_jumps_that_nobody_sees(void **state)
{
    struct recorded recorded = run("live_jumps unseen");
    uint32_t thread = states_of(&recorded, "live_jumps");
    struct found_state semaphore = first_state(&recorded, thread, "blocked on semaphore");
    struct found_state reading = first_state(&recorded, thread, "reading");

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_false(has_problem(&recorded, "lost-events"));
    assert_true(length(&semaphore) > SOME);
    assert_int_equal(weft_entity_ordinal(reading.state.id),
                     weft_entity_ordinal(semaphore.state.id) + 2);
    assert_int_equal(acquisitions(&recorded, lock_of(&recorded, "after")), 20000);
    forget(&recorded);
}

static void test_unlock_that_fails(void **state)
{
    struct recorded recorded = run("live_failing");
    uint32_t owned = container(&recorded, "Mutex", "owned");
    uint32_t plain = container(&recorded, "Mutex", "plain");
    struct found_state found[8];
    size_t n = states(&recorded, track(&recorded, owned, "Lock state"), found, 8);

    (void)state;
    assert_int_equal(recorded.status, 0);
    /* Held once, for 200 ms, and then free. */
    assert_int_equal(n, 2);
    assert_string_equal(found[0].value, "held");
    assert_string_equal(found[0].text, "live_failing");
    assert_true(length(&found[0]) >= 200 * MS);
    assert_string_equal(found[1].value, "free");
    assert_int_equal(acquisitions(&recorded, lock_of(&recorded, "nobodys")), 0);
    assert_string_equal(fact_place(&recorded, owned, WEFT_ROLE_CREATED_AT), "set_up");
    assert_string_equal(fact_place(&recorded, owned, WEFT_ROLE_SITE), "");
    assert_string_equal(fact_place(&recorded, plain, WEFT_ROLE_CREATED_AT), "");
    assert_string_equal(fact_place(&recorded, plain, WEFT_ROLE_SITE), "main");
    forget(&recorded);
}

/* The C library's answers are those that it gives without a recorder, whatever they are. */
static void test_what_is_refused_at_once(void **state)
{
    struct recorded recorded = run("live_refused");
    struct found_state found[64];
    char command[1024];
    size_t n;
    int bare;

    (void)state;
    snprintf(command, sizeof command, "%s/live_refused", getenv("PROGRAMS"));
    bare = system(command);
    assert_true(WIFEXITED(bare));
    assert_int_equal(recorded.status, WEXITSTATUS(bare));
    /* Once before the condition, which did not give it back, and once after. */
    assert_int_equal(acquisitions(&recorded, lock_of(&recorded, "held")), 2);
    /* Nobody has waited for one that he had: the only waits are the two joins. */
    n = states(&recorded, states_of(&recorded, "live_refused"), found, 64);
    assert_true(n < 64);
    while (n-- > 0)
        if (strncmp(found[n].value, "blocked", 7) == 0)
            assert_string_equal(found[n].value, "blocked on join");
    n = states(&recorded, lock_of(&recorded, "own"), found, 64);
    assert_int_equal(n, 2); /* held, and free */
    forget(&recorded);
}

static void test_destroy_that_fails(void **state)
{
    struct recorded recorded = run("live_busy");
    uint32_t first = container(&recorded, "Mutex", "busy");
    struct found_state found[8], wait;
    int64_t held = 0;
    size_t n = states(&recorded, track(&recorded, first, "Lock state"), found, 8);

    (void)state;
    assert_int_equal(recorded.status, 0);
    /* It stays what it was: held from the beginning, and the waiter waits for it. */
    for (size_t i = 0; i < n && strncmp(found[i].value, "held", 4) == 0; i++)
        held += length(&found[i]);
    assert_true(held >= 200 * MS);
    wait = first_state(&recorded, states_of(&recorded, "wait"), "blocked on mutex");
    assert_true(length(&wait) > SOME);
    /* The one that succeeds ends it, before what is made there next begins. */
    assert_int_equal(count_containers(&recorded, "Mutex"), 2);
    assert_int_equal(acquisitions(&recorded, track(&recorded, first, "Lock state")), 2);
    assert_int_equal(acquisitions(&recorded, lock_of(&recorded, "busy 2")), 1);
    forget(&recorded);
}

static void test_cancelled_waits(void **state)
{
    static const struct {
        const char *thread, *wait;
    } expected[] = {
        { "in_condition", "blocked on condition" },
        { "in_semaphore", "blocked on semaphore" },
        { "in_read", "reading" },
        { "in_join", "blocked on join" },
    };
    struct recorded recorded = run("live_cancelled");
    struct found_state held;

    (void)state;
    assert_int_equal(recorded.status, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t thread = states_of(&recorded, expected[i].thread);
        struct found_state wait = first_state(&recorded, thread, expected[i].wait);
        /* Nothing but a moment of running is between the wait and the cleaning up. */
        struct found_state sleep =
            state_after(&recorded, thread, "sleeping", wait.state.end);
        assert_true(length(&wait) > SOME);
        assert_true(length(&sleep) > SOME);
        assert_int_equal(weft_entity_ordinal(sleep.state.id),
                         weft_entity_ordinal(wait.state.id) + 2);
        if (i == 0) {
            held = state_after(&recorded, lock_of(&recorded, "guard"), "held",
                               wait.state.begin);
            assert_string_equal(held.text, "in_condition");
            assert_true(held.state.begin <= sleep.state.begin);
            assert_true(held.state.end >= sleep.state.end);
        }
    }
    forget(&recorded);
}

/* Waits of a program whose calls look at sizes, under the names that these have then. */
static void test_calls_that_look_at_sizes(void **state)
{
    static const struct {
        const char *thread, *wait;
    } expected[] = {
        { "in_read", "reading" },    { "in_poll", "polling" },
        { "in_ppoll", "polling" },   { "in_sleep", "sleeping" },
        { "in_pselect", "polling" }, { "in_epoll", "polling" },
        { "in_recv", "reading" },    { "in_from", "reading" },
        { "in_message", "reading" }, { "in_accept", "polling" },
        { "in_accept4", "polling" },
    };
    struct recorded recorded = run("live_sized");

    (void)state;
    assert_int_equal(recorded.status, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct found_state wait = first_state(
            &recorded, states_of(&recorded, expected[i].thread), expected[i].wait);
        assert_true(length(&wait) > SOME);
    }
    forget(&recorded);
}

static uint32_t count_named(const struct recorded *recorded, const char *type,
                            const char *beginning)
{
    const struct weft_schema *schema = recorded->schema;
    uint32_t n = 0;

    for (uint32_t i = 0; i < schema->n_containers; i++)
        n += strcmp(schema->types[schema->containers[i].type].name, type) == 0
             && strncmp(schema->containers[i].name, beginning, strlen(beginning)) == 0;
    return n;
}

static void test_processes_that_share(void **state)
{
    char command[64];
    struct recorded recorded;
    uint32_t parent, child, other, group;
    struct found_state found;
    struct weft_link link;

    (void)state;
    snprintf(command, sizeof command, "live_shared /weft-live-%d", (int)getpid());
    recorded = run(command);
    assert_int_equal(recorded.status, 0);
    parent = container(&recorded, "Thread", "live_shared");
    group = container(&recorded, "Process", "shared by processes");
    for (child = 0; child < recorded.schema->n_containers; child++)
        if (child != parent
            && strcmp(recorded.schema->containers[child].name, "live_shared") == 0
            && track(&recorded, child, "Thread state") != WEFT_NONE)
            break;
    other = container(&recorded, "Thread", "other");
    /* Each is one, whoever uses it. */
    assert_int_equal(count_containers(&recorded, "Mutex"), 2);
    assert_int_equal(count_containers(&recorded, "Condition"), 1);
    assert_int_equal(count_containers(&recorded, "Semaphore"), 3);
    assert_int_equal(count_named(&recorded, "Semaphore", "weft-live-"), 1);
    for (uint32_t i = 0; i < recorded.schema->n_containers; i++)
        if (track(&recorded, i, "Lock state") != WEFT_NONE)
            assert_int_equal(recorded.schema->containers[i].parent, group);

    assert_int_equal(count_links(&recorded, "Wake-up", "semaphore", parent, child, &link),
                     1);
    found = first_state(&recorded, track(&recorded, child, "Thread state"),
                        "blocked on semaphore");
    assert_int_equal(link.to_entity, found.state.id);
    assert_true(length(&found) > SOME);
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", child, parent, &link), 1);
    found = first_state(&recorded, track(&recorded, parent, "Thread state"),
                        "blocked on mutex");
    assert_int_equal(link.to_entity, found.state.id);
    assert_true(length(&found) > SOME);
    assert_int_equal(count_links(&recorded, "Wake-up", "condition", parent, child, NULL),
                     1);
    assert_int_equal(count_links(&recorded, "Wake-up", "semaphore", parent, other, &link),
                     1);
    found = first_state(&recorded, track(&recorded, other, "Thread state"),
                        "blocked on semaphore");
    assert_int_equal(link.to_entity, found.state.id);
    forget(&recorded);
}

/* The child had the robust mutex when it died; it stays so until the parent takes it, 100 ms on. */
static void test_owner_that_dies(void **state)
{
    char command[64];
    struct recorded recorded;
    struct found_state found[16];
    size_t n = 0;

    (void)state;
    snprintf(command, sizeof command, "live_shared /weft-live-%d", (int)getpid());
    recorded = run(command);
    for (uint32_t i = 0; i < recorded.schema->n_containers; i++) {
        uint32_t lock = track(&recorded, i, "Lock state");
        if (lock == WEFT_NONE)
            continue;
        n = states(&recorded, lock, found, 16);
        if (n == 4)
            break; /* the other one is taken more often */
    }
    assert_int_equal(n, 4);
    assert_string_equal(found[0].value, "held");
    assert_string_equal(found[0].text, "live_shared");
    assert_string_equal(found[1].value, "owner died");
    assert_true(length(&found[1]) > SOME);
    assert_string_equal(found[2].value, "held");
    assert_int_equal(found[2].integer, 1);
    assert_string_equal(found[3].value, "free");
    forget(&recorded);
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* How long the lock was held while others waited, from a time on. */
static int64_t contended_time(const struct recorded *recorded, uint32_t lock, int64_t time)
{
    struct found_state found[100];
    size_t n = states(recorded, lock, found, 100);
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        if (found[i].state.begin >= time
            && strcmp(found[i].value, "held, others blocked") == 0)
            sum += length(&found[i]);
    return sum;
}

static void test_broadcast_and_the_queue_behind_it(void **state)
{
    struct recorded recorded = run("live_broadcast");
    uint32_t boss = container(&recorded, "Thread", "live_broadcast");
    int64_t waited[4], told = 0;
    struct found_state contended;

    (void)state;
    assert_int_equal(recorded.status, 0);
    for (int i = 0; i < 4; i++) {
        char name[32];
        uint32_t thread;
        struct found_state condition, mutex;
        struct weft_link link;
        snprintf(name, sizeof name, "wait_for_it %d", i + 1);
        thread = container(&recorded, "Thread", name);
        condition =
            first_state(&recorded, states_of(&recorded, name), "blocked on condition");
        mutex = state_after(&recorded, states_of(&recorded, name), "blocked on mutex",
                            condition.state.end);
        assert_int_equal(mutex.state.begin, condition.state.end);
        assert_int_equal(weft_entity_ordinal(mutex.state.id),
                         weft_entity_ordinal(condition.state.id) + 1);
        assert_string_equal(mutex.text, "mutex");
        assert_string_equal(place(&recorded, &mutex), "wait_for_it");
        assert_true(i == 0 || condition.state.end == told);
        told = condition.state.end;
        waited[i] = length(&mutex);
        assert_int_equal(
            count_links(&recorded, "Wake-up", "condition", boss, thread, &link), 1);
        assert_int_equal(link.end, told);
        assert_int_equal(link.to_entity, condition.state.id);
    }
    qsort(waited, 4, sizeof *waited, compare_times);
    for (int i = 0; i < 4; i++)
        assert_true(waited[i] > (100 + 50 * i) * MS - SOME);
    /* The lock tells the same: others wait for it until the last of them has it. */
    contended =
        state_after(&recorded, lock_of(&recorded, "mutex"), "held, others blocked", told);
    assert_int_equal(contended.state.begin, told);
    assert_true(contended_time(&recorded, lock_of(&recorded, "mutex"), told)
                >= 250 * MS - SOME);
    forget(&recorded);
}

static void test_callers_of_wrappers(void **state)
{
    struct recorded recorded = run("live_wrappers");
    uint32_t thread = states_of(&recorded, "waiter");
    struct found_state mutex = first_state(&recorded, thread, "blocked on mutex");
    struct found_state condition = first_state(&recorded, thread, "blocked on condition");

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_true(length(&mutex) > SOME);
    assert_string_equal(place(&recorded, &mutex), "take");
    assert_true(length(&condition) > SOME);
    assert_string_equal(place(&recorded, &condition), "count_down");
    forget(&recorded);
}

/*
 * The wrapper has no frame pointer, its caller has, as programs without optimization that use a
 * distribution's library: a lock that is taken at once may be placed in the wrapper, or in its
 * caller take_free(), but not in main, which calls that.
 */
static void test_wrapper_without_frame_pointer(void **state)
{
    struct recorded recorded = run("live_wrappers_slow");
    struct found_state held = first_state(&recorded, lock_of(&recorded, "lone"), "held");

    (void)state;
    assert_int_equal(recorded.status, 0);
    if (strcmp(place(&recorded, &held), "take_free") != 0)
        assert_string_equal(place(&recorded, &held), "uv_mutex_lock");
    forget(&recorded);
}

#ifdef HAVE_CPP
static void check_standard(const char *program)
{
    struct recorded recorded = run(program);
    uint32_t boss = container(&recorded, "Thread", program);
    uint32_t server = container(&recorded, "Thread", "pool::serve");
    uint32_t taker = container(&recorded, "Thread", "pool::Queue::take");
    uint32_t gate = lock_of(&recorded, "pool::gate");
    struct found_state found, first[4];
    struct weft_link link;

    assert_int_equal(recorded.status, 0);
    (void)container(&recorded, "Thread", "lambda at standard.cpp:43");
    (void)container(&recorded, "Condition", "pool::full");
    assert_int_equal(count_containers(&recorded, "Thread"), 4);
    found = first_state(&recorded, track(&recorded, server, "Thread state"),
                        "blocked on mutex");
    assert_string_equal(found.text, "pool::gate");
    assert_string_equal(place(&recorded, &found), "pool::serve");
    found = first_state(&recorded, track(&recorded, taker, "Thread state"),
                        "blocked on condition");
    assert_true(length(&found) > SOME);
    assert_string_equal(place(&recorded, &found), "pool::Queue::take");
    assert_string_equal(fact_place(&recorded, server, WEFT_ROLE_CREATED_AT), "main");
    found = first_state(&recorded, track(&recorded, boss, "Thread state"), "sleeping");
    assert_string_equal(place(&recorded, &found), "main");
    assert_true(acquisitions(&recorded, gate) >= 5);
    /* Made by what main was doing, and doing something from the first moment on. */
    assert_int_equal(count_links(&recorded, "Spawn", "create", boss, server, &link), 1);
    assert_true(states(&recorded, track(&recorded, boss, "Thread state"), first, 4) > 0);
    assert_int_equal(link.from_entity, first[0].state.id);
    assert_true(states(&recorded, track(&recorded, server, "Thread state"), first, 4) > 0);
    assert_int_equal(link.to_entity, first[0].state.id);
    forget(&recorded);
}
#endif

static void test_standard_library_of_cpp(void **state)
{
    (void)state;
#ifdef HAVE_CPP
    check_standard("live_standard");
    check_standard("live_standard_fast");
#else
    print_message("no C++ compiler here\n");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jumps_out_of_hooks_and_waits),
        cmocka_unit_test(test_jumps_that_nobody_sees),
        cmocka_unit_test(test_unlock_that_fails),
        cmocka_unit_test(test_what_is_refused_at_once),
        cmocka_unit_test(test_destroy_that_fails),
        cmocka_unit_test(test_cancelled_waits),
        cmocka_unit_test(test_calls_that_look_at_sizes),
        cmocka_unit_test(test_processes_that_share),
        cmocka_unit_test(test_owner_that_dies),
        cmocka_unit_test(test_broadcast_and_the_queue_behind_it),
        cmocka_unit_test(test_callers_of_wrappers),
        cmocka_unit_test(test_wrapper_without_frame_pointer),
        cmocka_unit_test(test_standard_library_of_cpp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
