/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder on programs whose schedule is known (programs/, where the reasoning is written
 * down).  PROGRAMS names the folder of the programs, WEFT the weft to use.
 */
#define _GNU_SOURCE
#include "recorded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct recorded run(const char *program)
{
    char command[1024];

    snprintf(command, sizeof command, "%s/%s", getenv("PROGRAMS"), program);
    return record(command);
}

/* Must-hold 5: 64 threads, 10^6 acquisitions, waits where they must be and nowhere else. */
static void test_waits_of_64_threads(void **state)
{
    enum { THREADS = 64, ROUNDS = 15624 };
    struct recorded recorded = run("live_many");
    struct found_state *found = calloc(100000, sizeof *found);
    uint32_t gate = container(&recorded, "Mutex", "gate");
    size_t n = states(&recorded, track(&recorded, gate, "Lock state"), found, 100000);
    uint64_t acquisitions = 0;
    int64_t main_release;

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_string_equal(found[0].value, "held");
    assert_string_equal(found[0].text, "live_many");
    main_release =
        first_state(&recorded, track(&recorded, gate, "Lock state"), "free").state.begin;
    for (size_t i = 0; i < n; i++)
        acquisitions += (uint64_t)found[i].integer;
    assert_int_equal(acquisitions, THREADS + 1);
    assert_int_equal(count_containers(&recorded, "Mutex"), THREADS + 1);

    for (unsigned i = 1; i <= THREADS; i++) {
        char name[32];
        uint32_t thread, lock;
        unsigned blocked = 0;
        /* They all run this function. */
        snprintf(name, sizeof name, "run %u", i);
        thread = container(&recorded, "Thread", name);
        n = states(&recorded, track(&recorded, thread, "Thread state"), found, 100000);
        for (size_t k = 0; k < n; k++) {
            if (strcmp(found[k].value, "running") == 0)
                continue;
            blocked++;
            assert_string_equal(found[k].value, "blocked on mutex");
            assert_string_equal(found[k].text, "gate");
            assert_true(found[k].state.begin < main_release);
            assert_true(found[k].state.end >= main_release);
        }
        assert_int_equal(blocked, 1);
        snprintf(name, sizeof name, "own[%u].mutex", i - 1);
        lock = container(&recorded, "Mutex", name);
        n = states(&recorded, track(&recorded, lock, "Lock state"), found, 100000);
        acquisitions = 0;
        for (size_t k = 0; k < n; k++) {
            acquisitions += (uint64_t)found[k].integer;
            assert_string_not_equal(found[k].value, "held, others blocked");
        }
        assert_int_equal(acquisitions, ROUNDS);
    }
    free(found);
    forget(&recorded);
}

static void test_deadlock_that_is_killed(void **state)
{
    struct recorded recorded = run("live_deadlock");
    const struct weft_schema *schema = recorded.schema;
    const char *others[2] = { "mutexes[1]", "mutexes[0]" };

    (void)state;
    assert_int_equal(recorded.status, 128 + 9);
    for (unsigned i = 0; i < 2; i++) {
        struct found_state blocked;
        const struct weft_site *site;
        uint32_t thread = container(&recorded, "Thread", i == 0 ? "run 1" : "run 2");
        blocked = first_state(&recorded, track(&recorded, thread, "Thread state"),
                              "blocked on mutex");
        assert_string_equal(blocked.text, others[i]);
        /* It goes on until the kill, 300 ms later, and nothing in the trace ends it. */
        assert_int_equal(blocked.state.flags & WEFT_END_IMPLIED, WEFT_END_IMPLIED);
        assert_true(blocked.state.end - blocked.state.begin > 100000000);
        assert_true(blocked.site != WEFT_NONE);
        site = &schema->sites[blocked.site];
        assert_string_equal(site->function, "run");
        assert_non_null(strstr(site->file, "deadlock.c"));
        assert_int_equal(site->line, 24);
    }
    forget(&recorded);
}

static void test_kill_loses_nothing(void **state)
{
    struct recorded recorded = run("live_annotate kill 100000");
    uint32_t thread = container(&recorded, "Thread", "live_annotate");

    (void)state;
    assert_int_equal(recorded.status, 128 + 9);
    assert_int_equal(count_events(&recorded, track(&recorded, thread, "Instant"), "tick"),
                     100000);
    forget(&recorded);
}

static void test_full_disk_ends_the_recording_only(void **state)
{
    struct recorded recorded = run("live_annotate full 1000000");
    uint32_t thread = container(&recorded, "Thread", "live_annotate");
    uint64_t n = count_events(&recorded, track(&recorded, thread, "Instant"), "tick");

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_true(has_problem(&recorded, "recording-ended"));
    assert_true(has_problem(&recorded, "lost-events"));
    /* 1,000,000 bytes hold fewer than 125,000 records of 8 bytes; a buffer's worth at least. */
    assert_in_range(n, 8000, 125000);
    forget(&recorded);
}

static void check_annotations(const char *program)
{
    struct recorded recorded = run(program);
    uint32_t thread = container(&recorded, "Thread", "the only one");
    uint32_t process = container(&recorded, "Process", program);
    struct found_state found[8];
    struct weft_link link;

    assert_int_equal(recorded.status, 0);
    assert_int_equal(states(&recorded, track(&recorded, thread, "Region"), found, 8), 2);
    assert_string_equal(found[0].value, "outer");
    assert_string_equal(found[1].value, "made up");
    assert_int_equal(found[1].state.depth, 1);
    assert_int_equal(states(&recorded, track(&recorded, thread, "Task"), found, 8), 1);
    assert_int_equal(
        count_events(&recorded, track(&recorded, thread, "Instant"), "in the middle"), 1);
    assert_int_equal(recorded.schema->tracks[track(&recorded, process, "length")].count, 2);
    assert_int_equal(count_links(&recorded, "Message", "halo", thread, thread, &link), 1);
    assert_true(link.begin <= link.end);
    /* The last weft_end() has nothing to end. */
    assert_true(has_problem(&recorded, "end-without-begin"));
    forget(&recorded);
}

static void test_annotations(void **state)
{
    (void)state;
    check_annotations("live_annotate");
    check_annotations("live_annotate_nopie");
#ifdef HAVE_CPP
    check_annotations("live_annotate_cpp");
#endif
}

static void test_static_program_runs_and_is_explained(void **state)
{
    struct recorded recorded;

    (void)state;
#ifndef HAVE_STATIC
    print_message("no static C library here\n");
    skip();
#endif
    recorded = run("live_annotate_static");
    assert_int_equal(recorded.status, 0);
    assert_non_null(strstr(recorded.text, "statically linked"));
    assert_true(
        has_problem(&recorded, "unseen-program")); /* who gets the trace sees it, too */
    assert_int_equal(count_containers(&recorded, "Thread"), 0);
    forget(&recorded);
}

/* The semaphore's states of Paje's section 2.7, and each way of being woken. */
static void test_primitives(void **state)
{
    static const char *const semaphore_states[] = { "would block", "blocked", "would block",
                                                    "open" };
    static const char *const blocked[] = {
        "blocked on semaphore",       "blocked on condition", "blocked on barrier",
        "blocked on read-write lock", "blocked on spin lock", "sleeping",
    };
    static const char *const wakes[] = { "semaphore", "condition", "barrier",
                                         "read-write lock", "spin lock" };
    struct recorded recorded = run("live_primitives");
    uint32_t worker = container(&recorded, "Thread", "worker one");
    uint32_t boss = container(&recorded, "Thread", "live_primitives");
    uint32_t semaphore = container(&recorded, "Semaphore", "semaphore");
    uint32_t worker_states = track(&recorded, worker, "Thread state");
    struct found_state found[64];
    struct weft_link link;
    int64_t last = INT64_MIN;

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_int_equal(
        states(&recorded, track(&recorded, semaphore, "Semaphore state"), found, 64), 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(found[i].value, semaphore_states[i]);
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++) {
        struct found_state wait = first_state(&recorded, worker_states, blocked[i]);
        assert_true(wait.state.begin > last);
        /* 100 ms each, less what the threads need to come that far. */
        assert_true(wait.state.end - wait.state.begin > 50000000);
        last = wait.state.begin;
        if (i < sizeof wakes / sizeof *wakes) {
            assert_int_equal(
                count_links(&recorded, "Wake-up", wakes[i], boss, worker, &link), 1);
            assert_int_equal(link.end, wait.state.end);
            assert_true(link.begin <= link.end && link.begin >= wait.state.begin);
            assert_int_equal((link.flags & WEFT_INFERRED) != 0, i == 1);
        }
    }
    assert_int_equal(count_links(&recorded, "Wake-up", "join", worker, boss, NULL), 1);
    assert_int_equal(count_links(&recorded, "Spawn", "create", boss, worker, NULL), 1);
    assert_int_equal(
        count_events(&recorded, track(&recorded, worker, "Name"), "worker one"), 1);
    forget(&recorded);
}

static void test_fork_and_exec(void **state)
{
    struct recorded recorded = run("live_family");
    const struct weft_schema *schema = recorded.schema;
    uint32_t parent = container(&recorded, "Process", "live_family");
    uint32_t child = container(&recorded, "Process", "live_family 2");
    uint32_t again = container(&recorded, "Process", "live_family 3");
    unsigned said[3] = { 0 };

    (void)state;
    assert_int_equal(recorded.status, 5);
    assert_int_equal(count_containers(&recorded, "Process"), 3);
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        uint64_t n = count_events(&recorded, track(&recorded, i, "Instant"), "here");
        uint32_t of = schema->containers[i].parent;
        if (n > 0)
            said[of == parent ? 0 : of == child ? 1 : of == again ? 2 : 3] += (unsigned)n;
    }
    assert_int_equal(said[0], 1);
    assert_int_equal(said[1], 1);
    /* The executed program's main thread, and its thread. */
    assert_int_equal(said[2], 2);
    forget(&recorded);
}

static void test_exit_without_thread_local_storage(void **state)
{
    struct recorded recorded = run("live_without_tls");

    (void)state;
    assert_int_equal(recorded.status, 0);
    forget(&recorded);
}

/* Nobody can tell what the child did from what its parent does, and that is said. */
static void test_child_with_the_storage_of_its_parent(void **state)
{
    struct recorded recorded = run("live_sharing");

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_true(has_problem(&recorded, "shared-storage"));
    forget(&recorded);
}

/* Threads are those that there are: none is made of what the recorder frees. */
static void test_allocator_with_a_lock(void **state)
{
    struct recorded recorded = run("live_own_free");

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_int_equal(count_containers(&recorded, "Thread"), 4);
    for (int i = 1; i <= 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "run %d", i);
        (void)container(&recorded, "Thread", name);
    }
    forget(&recorded);
}

/* No hook asks the loader for anything: the loading thread waits for the hook's. */
static void test_threads_of_a_library_that_is_loaded(void **state)
{
    char command[1024];
    struct recorded recorded;

    (void)state;
    snprintf(command, sizeof command, "%s/live_plugins %s/liblive_plugin.so",
             getenv("PROGRAMS"), getenv("PROGRAMS"));
    recorded = record(command);
    assert_int_equal(recorded.status, 0);
    (void)container(&recorded, "Thread", "run");
    (void)container(&recorded, "Read-write lock", "lock");
    forget(&recorded);
}

/* Links of any kind to a container. */
static size_t links_to(const struct recorded *recorded, const char *value, uint32_t to)
{
    const struct weft_schema *schema = recorded->schema;
    size_t n = 0;

    for (uint32_t i = 0; i < schema->n_containers; i++)
        n += count_links(recorded, "Spawn", value, i, to, NULL);
    return n;
}

/*
 * Nine programs by exec in a forked child, two by posix_spawn, one by exec in a child of vfork,
 * and one each by the shell of system and of popen: each says one instant, and is linked to who
 * started it; both shells, too.
 */
static void test_every_way_to_start_a_program(void **state)
{
    struct recorded recorded = run("live_starts");
    const struct weft_schema *schema = recorded.schema;
    uint32_t parent = container(&recorded, "Thread", "live_starts");
    uint64_t said = 0, forked = 0, spawned = 0, by_parent = 0;

    (void)state;
    assert_int_equal(recorded.status, 0);
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        uint64_t n = count_events(&recorded, track(&recorded, i, "Instant"), "here");
        said += n;
        if (n > 0) {
            forked += links_to(&recorded, "fork", i);
            spawned += links_to(&recorded, "spawn", i);
        }
        by_parent += count_links(&recorded, "Spawn", "spawn", parent, i, NULL);
    }
    assert_int_equal(said, 9 + 2 + 1 + 2);
    assert_int_equal(forked + spawned, said);
    assert_true(spawned >= 2 + 1);
    assert_int_equal(by_parent, 2 + 1 + 2);
    assert_false(has_problem(&recorded, "unseen-program"));
    forget(&recorded);
}

static void test_arguments_that_are_rewritten(void **state)
{
    struct recorded recorded = run("live_starts title");

    (void)state;
    assert_int_equal(recorded.status, 0);
    (void)container(&recorded, "Process", "live_starts");
    (void)container(&recorded, "Process", "live_starts 2");
    forget(&recorded);
}

/* A script starts what cannot be recorded: the trace says so, and why. */
static void test_static_child_is_explained(void **state)
{
    char command[1024];
    struct recorded recorded;

    (void)state;
#ifndef HAVE_STATIC
    print_message("no static C library here\n");
    skip();
#endif
    snprintf(command, sizeof command, "sh -c '%s/live_annotate_static; :'",
             getenv("PROGRAMS"));
    recorded = record(command);
    assert_true(has_problem(&recorded, "unseen-program"));
    assert_non_null(strstr(recorded.text, "statically linked"));
    forget(&recorded);
}

/* How often all locks of the program together were taken. */
static uint64_t count_acquisitions(const struct recorded *recorded)
{
    enum { MAX_STATES = 100000 };
    const struct weft_schema *schema = recorded->schema;
    struct found_state *found = calloc(MAX_STATES, sizeof *found);
    uint64_t acquisitions = 0;

    for (uint32_t i = 0; i < schema->n_containers; i++) {
        size_t n;
        if (strcmp(schema->types[schema->containers[i].type].name, "Mutex") != 0)
            continue;
        n = states(recorded, track(recorded, i, "Lock state"), found, MAX_STATES);
        for (size_t k = 0; k < n; k++)
            acquisitions += (uint64_t)found[k].integer;
    }
    free(found);
    return acquisitions;
}

/* Whatever the process may no longer do, all that its threads did is there. */
static void check_changed(const char *how, uint32_t processes)
{
    char command[64];
    struct recorded recorded;

    snprintf(command, sizeof command, "live_changed %s", how);
    recorded = run(command);
    if (recorded.status != 0)
        fail_msg("%s ended with %d: %s", how, recorded.status, recorded.text);
    assert_int_equal(count_containers(&recorded, "Process"), processes);
    assert_int_equal(count_containers(&recorded, "Thread"), processes + 8);
    assert_int_equal(count_acquisitions(&recorded), 8 * 20000);
    if (recorded.schema->n_problems > 0)
        fail_msg("%s: %s", how, recorded.schema->problems[0].message);
    forget(&recorded);
}

static void test_another_user_and_root(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("only root may do that\n");
        skip();
    }
    check_changed("user", 1);
    check_changed("fork", 2);
}

/* Programs that are executed where no log can be made any more go on in the one there is. */
static void test_programs_of_another_user(void **state)
{
    struct recorded recorded;

    (void)state;
    if (geteuid() != 0) {
        print_message("only root may do that\n");
        skip();
    }
    recorded = run("live_changed exec");
    if (recorded.status == 77) {
        print_message("nobody but root may enter this folder\n");
        forget(&recorded);
        skip();
    }
    forget(&recorded);
    check_changed("exec", 1);
    recorded = run("live_changed spawn");
    assert_int_equal(recorded.status, 0);
    assert_int_equal(count_containers(&recorded, "Process"), 1 + 3);
    assert_int_equal(count_acquisitions(&recorded), 3 * 8 * 20000);
    if (recorded.schema->n_problems > 0)
        fail_msg("%s", recorded.schema->problems[0].message);
    forget(&recorded);
}

/* Filters stay when a program is executed, which cannot know of them by itself. */
static void test_programs_under_a_filter(void **state)
{
    struct recorded recorded;

    (void)state;
    check_changed("unmade", 1);
    recorded = run("live_changed unsized");
    assert_int_equal(recorded.status, 0);
    assert_int_equal(count_containers(&recorded, "Process"), 1);
    assert_true(has_problem(&recorded, "unseen-program"));
    forget(&recorded);
}

static void test_closed_descriptors(void **state)
{
    (void)state;
    check_changed("closed", 1);
}

static void test_filters_of_system_calls(void **state)
{
    struct recorded recorded;

    (void)state;
    check_changed("filter", 1);
    check_changed("refuse", 1);
    /* It may not ask for its pid, and has ended by itself all the same. */
    recorded = record("sh -c '$PROGRAMS/live_changed filter; true'");
    assert_int_equal(count_containers(&recorded, "Process"), 2);
    assert_false(has_problem(&recorded, "unseen-end"));
    forget(&recorded);
}

/* A handler inside of a hook looks for its stack; a filter may kill for that. */
static void test_handlers_under_a_filter(void **state)
{
    struct recorded recorded = run("live_changed handler");

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_int_equal(count_containers(&recorded, "Thread"), 1 + 6 * 8);
    assert_int_equal(recorded.schema->n_problems, 0);
    forget(&recorded);
}

static void test_raw_fork(void **state)
{
    (void)state;
    check_changed("clone", 2);
}

static void test_fork_without_handlers(void **state)
{
    (void)state;
    if (!dlsym(RTLD_DEFAULT, "_Fork")) {
        print_message("this C library has no _Fork\n");
        skip();
    }
    check_changed("_Fork", 2);
}

/* A fact of the run that is a number, as "recorded bytes"; 0 when it is not there. */
static double fact(const struct recorded *recorded, const char *key)
{
    for (uint32_t i = 0; i < recorded->schema->n_notes; i++)
        if (strcmp(recorded->schema->notes[i].key, key) == 0)
            return strtod(recorded->schema->notes[i].text, NULL);
    return 0;
}

/* Locks that are taken in turn cost a record of 8 bytes for each lock and unlock, as one alone
 * does, and their names once; not the name again with each, which takes four times as much. */
static void test_locks_in_turn(void **state)
{
    struct recorded recorded = run("live_short_threads 1 5000");
    double pairs = 50000, bytes = fact(&recorded, "recorded bytes");

    (void)state;
    assert_true(bytes > pairs * 16 && bytes < pairs * 32);
    forget(&recorded);
}

/*
 * More threads over a run than a process may have files or mappings.  What is said of the cost
 * counts what each took to be set up, of which system calls alone take more than half a
 * microsecond; their few events would be a tenth of that.
 */
static void test_70000_threads(void **state)
{
    struct recorded recorded = run("live_short_threads 70000 5000");

    (void)state;
    assert_int_equal(recorded.status, 0);
    assert_int_equal(count_containers(&recorded, "Thread"), 70001);
    assert_int_equal(count_containers(&recorded, "Mutex"), 5000);
    assert_int_equal(recorded.schema->n_problems, 0);
    assert_true(fact(&recorded, "estimated overhead [ns]") > 70000 * 500.);
    forget(&recorded);
}

struct look_count {
    size_t n;
    double last; /* seconds of processor time */
};

static bool see_look(void *user, const struct weft_sample *sample)
{
    struct look_count *looks = user;
    assert_true(sample->value >= looks->last);
    looks->last = sample->value;
    looks->n++;
    return true;
}

/*
 * The processor time of a thread that never waits is looked at while it calls the system, and
 * at the end of the program: 40 ms of calls, looks some milliseconds apart at most (a slow
 * clock's ticks: fewer), and 40 ms without a call.
 */
static void test_processor_time_of_who_never_waits(void **state)
{
    struct recorded recorded = run("live_polls");
    struct look_count looks = { 0, 0 };

    (void)state;
    recorded.source->ops->samples(
        recorded.source,
        track(&recorded, container(&recorded, "Thread", "live_polls"),
              "Processor time [s]"),
        (struct weft_span){ INT64_MIN, INT64_MAX }, see_look, &looks);
    assert_in_range(looks.n, 4, 80);
    assert_true(looks.last >= 0.08);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_user_and_root),
        cmocka_unit_test(test_programs_of_another_user),
        cmocka_unit_test(test_programs_under_a_filter),
        cmocka_unit_test(test_closed_descriptors),
        cmocka_unit_test(test_filters_of_system_calls),
        cmocka_unit_test(test_handlers_under_a_filter),
        cmocka_unit_test(test_raw_fork),
        cmocka_unit_test(test_fork_without_handlers),
        cmocka_unit_test(test_70000_threads),
        cmocka_unit_test(test_locks_in_turn),
        cmocka_unit_test(test_processor_time_of_who_never_waits),
        cmocka_unit_test(test_waits_of_64_threads),
        cmocka_unit_test(test_deadlock_that_is_killed),
        cmocka_unit_test(test_kill_loses_nothing),
        cmocka_unit_test(test_full_disk_ends_the_recording_only),
        cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_static_program_runs_and_is_explained),
        cmocka_unit_test(test_primitives),
        cmocka_unit_test(test_fork_and_exec),
        cmocka_unit_test(test_exit_without_thread_local_storage),
        cmocka_unit_test(test_child_with_the_storage_of_its_parent),
        cmocka_unit_test(test_allocator_with_a_lock),
        cmocka_unit_test(test_threads_of_a_library_that_is_loaded),
        cmocka_unit_test(test_every_way_to_start_a_program),
        cmocka_unit_test(test_arguments_that_are_rewritten),
        cmocka_unit_test(test_static_child_is_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
