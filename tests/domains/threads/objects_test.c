/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks, semaphores and barriers: who has them, who waits, who wakes whom.  The recordings are described in
 * the tests (synthetic.h).  What is expected is worked out beside each from what the records
 * mean.  Clocks count nanoseconds unless a test says otherwise, so that a record's number is
 * its time.
 */
#include "tests/unit/recording/synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/recording_to_store.h"

/*
 * By the stamps thread 1 has the mutex at 2,990, before the main thread gives it back at 3,000
 * (clocks of two processors).  Cause decides: nobody else had it in between, and the mutex was
 * held from 2,000 without a gap or an overlap.  The release ended the wait.
 */
static void test_cause_before_stamps(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 by-hand\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "3000 release mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2500 wait mutex 0x1000\n"
                                               "2990 acquire mutex 0x1000\n"
                                               "4000 release mutex 0x1000\n");
    uint32_t lock = container(&recorded, "Mutex", "mutex 1");
    uint32_t first = container(&recorded, "Thread", "by-hand");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct found_state found[8];
    struct weft_link link;

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 8), 4);
    assert_string_equal(found[0].value, "held");
    assert_int_equal(found[0].state.begin, 2000);
    assert_string_equal(found[1].value, "held, others blocked");
    assert_int_equal(found[1].state.begin, 2500);
    assert_int_equal(found[1].integer, 0);
    assert_string_equal(found[1].text, "by-hand");
    assert_string_equal(found[2].value, "held");
    assert_int_equal(found[2].state.begin, 3000);
    assert_int_equal(found[2].integer, 1);
    assert_string_equal(found[2].text, "thread 1");
    assert_string_equal(found[3].value, "free");
    assert_int_equal(found[3].state.begin, 4000);
    found[0] = first_state(&recorded, track(&recorded, second, "Thread state"),
                           "blocked on mutex");
    assert_int_equal(found[0].state.begin, 2500);
    assert_int_equal(found[0].state.end, 3000);
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", first, second, &link), 1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(link.end, 3000);
    assert_int_equal(link.to_entity, found[0].state.id);
    forget(&recorded);
}

/* A semaphore of 0: one waits, a post wakes it, another post leaves 1. */
static void test_semaphore(void **state)
{
    static const char *const expected[] = { "would block", "blocked", "would block",
                                            "open" };
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 sem\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1100 count semaphore 0x2000 0\n"
                                               "3000 release semaphore 0x2000\n"
                                               "4000 release semaphore 0x2000\n"
                                               "thread 1\n"
                                               "starts 1200\n"
                                               "2000 wait semaphore 0x2000\n"
                                               "3050 acquire semaphore 0x2000\n");
    uint32_t semaphore = container(&recorded, "Semaphore", "semaphore 1");
    uint32_t boss = container(&recorded, "Thread", "sem");
    uint32_t waiter = container(&recorded, "Thread", "thread 1");
    struct found_state found[8];
    struct weft_link link;

    (void)state;
    /* The post at 3,000 is there to be taken, but somebody waits: blocked until 3,050. */
    assert_int_equal(
        states(&recorded, track(&recorded, semaphore, "Semaphore state"), found, 8), 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(found[i].value, expected[i]);
    assert_int_equal(found[2].state.begin, 3050);
    assert_int_equal(count_links(&recorded, "Wake-up", "semaphore", boss, waiter, &link),
                     1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(link.end, 3050);
    forget(&recorded);
}

/*
 * Who woke whom by what: the main thread is running from 1,000, waits for the mutex from 2,000
 * to 3,000, runs again and gives it back at 4,000.  So thread 1, which waits from 2,500 on, was
 * woken by the second of the main thread's running states.
 */
static void test_ends_of_a_wake_up(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 ends\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 wait mutex 0x1000\n"
                                               "3000 acquire mutex 0x1000\n"
                                               "4000 release mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2500 wait mutex 0x1000\n"
                                               "4010 acquire mutex 0x1000\n");
    uint32_t boss = container(&recorded, "Thread", "ends");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct found_state found[4];
    struct weft_link link;

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, boss, "Thread state"), found, 4),
                     3);
    assert_int_equal(found[2].state.begin, 3000);
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", boss, second, &link), 1);
    assert_int_equal(link.from_entity, found[2].state.id);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(states(&recorded, track(&recorded, second, "Thread state"), found, 4),
                     3);
    assert_int_equal(link.to_entity, found[1].state.id);
    forget(&recorded);
}

/* A barrier of two: who comes last, at 3,000, lets both go, by what it did until then. */
static void test_barrier(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 barrier\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1100 count barrier 0x1000 2\n"
                                               "2000 wait barrier 0x1000\n"
                                               "3050 wake barrier 0x1000\n"
                                               "thread 1\n"
                                               "starts 1200\n"
                                               "3000 wait barrier 0x1000\n"
                                               "3040 wake barrier 0x1000\n");
    uint32_t first = container(&recorded, "Thread", "barrier");
    uint32_t last = container(&recorded, "Thread", "thread 1");
    struct found_state found[4];
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Wake-up", "barrier", last, first, &link), 1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(link.end, 3050);
    assert_int_equal(link.flags & WEFT_INFERRED, 0);
    assert_int_equal(states(&recorded, track(&recorded, last, "Thread state"), found, 4),
                     3);
    assert_int_equal(link.from_entity, found[0].state.id);
    assert_int_equal(count_links(&recorded, "Wake-up", NULL, first, last, &link), 0);
    forget(&recorded);
}

/*
 * Thread 1 gives back at 3,000 what the main thread holds: that fails, and nothing changes.  At
 * 3,500 the same succeeds, as it does with locks that do not check.
 */
static void test_release_that_fails(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 owner\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "3000 release mutex 0x1000\n"
                                               "3010 kept mutex 0x1000\n"
                                               "3500 release mutex 0x1000\n"
                                               "3600 cpu 1\n");
    uint32_t lock = container(&recorded, "Mutex", "mutex 1");
    struct found_state found[4];

    (void)state;
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 4), 2);
    assert_string_equal(found[0].value, "held");
    assert_int_equal(found[0].state.begin, 2000);
    assert_int_equal(found[0].state.end, 3500);
    assert_string_equal(found[1].value, "free");
    forget(&recorded);
}

/*
 * The main thread of process 7 has the mutex in memory that process 8 has elsewhere, and exits at
 * 3,000.  Process 8 takes it over at 5,000.  Another place in that memory is another mutex, and
 * so is the same place in another file.
 */
static void test_owner_that_died_in_shared_memory(void **state)
{
    struct recorded recorded =
        synthetic_trace("host alpha boot-a ns\n"
                        "process 7 dead\n"
                        "sample 1000 1000 1000\n"
                        "sample 3000 3000 3000\n"
                        "thread 0\n"
                        "starts 1000\n"
                        "1900 shared 0x10000 0x20000 0x1000 5 77 /dev/shm/pool\n"
                        "2000 acquire mutex 0x10040\n"
                        "process 8 heir\n"
                        "thread 0\n"
                        "starts 1200\n"
                        "2100 shared 0x70000 0x80000 0x1000 5 77 /dev/shm/pool\n"
                        "2200 shared 0x90000 0x98000 0x1000 5 78 /dev/shm/other\n"
                        "2300 acquire mutex 0x70080\n"
                        "2400 acquire mutex 0x90040\n"
                        "5000 inherit mutex 0x70040\n"
                        "6000 release mutex 0x70040\n");
    /* 0x1000 of offset, and the place in the mapping. */
    uint32_t lock = container(&recorded, "Mutex", "pool+4160");
    uint32_t group = container(&recorded, "Process", "shared by processes");
    struct found_state found[8];

    (void)state;
    assert_int_equal(count_containers(&recorded, "Mutex"), 3);
    (void)container(&recorded, "Mutex", "pool+4224");
    (void)container(&recorded, "Mutex", "other+4160");
    assert_int_equal(parent_of(&recorded, lock), group);
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 8), 4);
    assert_string_equal(found[0].value, "held");
    assert_string_equal(found[0].text, "dead");
    assert_int_equal(found[0].state.begin, 2000);
    assert_string_equal(found[1].value, "owner died");
    assert_string_equal(found[1].text, "dead");
    assert_int_equal(found[1].state.begin, 3000);
    assert_string_equal(found[2].value, "held");
    assert_string_equal(found[2].text, "heir");
    assert_int_equal(found[2].state.begin, 5000);
    assert_int_equal(found[2].integer, 1);
    assert_int_equal(found[3].state.begin, 6000);
    forget(&recorded);
}

/*
 * Thread 1 waits at 2,500 for a robust mutex whose owner ends at 4,000 with it: the owner's death
 * is what lets thread 1 go on.
 */
static void test_owner_that_dies_before_a_waiter(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 heirs\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2500 wait mutex 0x1000\n"
                                               "4100 inherit mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "4000 exit\n");
    uint32_t heir = container(&recorded, "Thread", "heirs");
    uint32_t dead = container(&recorded, "Thread", "thread 1");
    uint32_t lock = container(&recorded, "Mutex", "mutex 1");
    struct found_state found[8];
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Wake-up", "owner's death", dead, heir, &link),
                     1);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(link.end, 4100);
    assert_int_equal(states(&recorded, track(&recorded, lock, "Lock state"), found, 8), 4);
    assert_string_equal(found[1].value, "held, others blocked");
    assert_string_equal(found[2].value, "owner died");
    assert_int_equal(found[2].state.begin, 4000);
    assert_string_equal(found[3].text, "heirs");
    forget(&recorded);
}

/* A forked child has its parent's memory where that has it; a program that is executed, not. */
static void test_shared_memory_of_children(void **state)
{
    struct recorded recorded =
        synthetic_trace("host alpha boot-a ns\n"
                        "process 7 parent\n"
                        "thread 0\n"
                        "starts 1000\n"
                        "1900 shared 0x10000 0x20000 0 1 9 /dev/zero\n"
                        "4000 release semaphore 0x10040\n"
                        "process 8 child\n"
                        "image 1\n"
                        "forked 7 0 0\n"
                        "killed\n"
                        "thread 0\n"
                        "starts 2000\n"
                        "3000 wait semaphore 0x10040\n"
                        "4050 acquire semaphore 0x10040\n"
                        "process 8 executed\n"
                        "image 2\n"
                        "thread 0\n"
                        "starts 5000\n"
                        "5100 acquire semaphore 0x10040\n");
    struct weft_link link;

    (void)state;
    /* One that both have, whose memory has no name, and one of the program's own. */
    assert_int_equal(count_containers(&recorded, "Semaphore"), 2);
    assert_int_equal(count_links(&recorded, "Wake-up", "semaphore",
                                 container(&recorded, "Thread", "parent"),
                                 container(&recorded, "Thread", "executed"), &link),
                     1);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(link.end, 4050);
    forget(&recorded);
}

/* A mutex that is held when its process executes another program is gone with the memory. */
static void test_held_over_exec(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 first\n"
                                               "killed\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "process 7 second\n"
                                               "image 1\n"
                                               "thread 0\n"
                                               "starts 3000\n"
                                               "5000 acquire mutex 0x1000\n"
                                               "6000 release mutex 0x1000\n"
                                               "9000 exit\n");
    uint32_t n = 0;

    (void)state;
    assert_int_equal(count_containers(&recorded, "Mutex"), 2);
    for (uint32_t i = 0; i < recorded.schema->n_containers; i++) {
        const struct weft_container *c = &recorded.schema->containers[i];
        struct found_state held;
        if (c->role != WEFT_ROLE_MUTEX)
            continue;
        held = first_state(&recorded, track(&recorded, i, "Lock state"), "held");
        assert_int_equal(held.state.begin, n == 0 ? 2000 : 5000);
        assert_int_equal(held.state.end, n == 0 ? 3000 : 6000);
        n++;
    }
    forget(&recorded);
}

/*
 * A handler that runs while the thread reads waits for a semaphore, and jumps at 4,000 out of
 * both; a jump at 6,000 leaves one of two.  From then on the thread is in what is left.
 */
static void test_jumps_out_of_waits(void **state)
{
    static const struct {
        const char *value;
        int64_t begin;
    } expected[] = {
        { "running", 1000 }, { "reading", 2000 }, { "blocked on semaphore", 3000 },
        { "running", 4000 }, { "reading", 5000 }, { "blocked on semaphore", 5500 },
        { "reading", 6000 }, { "running", 7000 },
    };
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 jumps\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 call 2 0\n"
                                               "3000 wait semaphore 0x1000\n"
                                               "4000 left 2\n"
                                               "5000 call 2 0\n"
                                               "5500 wait semaphore 0x1000\n"
                                               "6000 left 1\n"
                                               "7000 return\n"
                                               "8000 left 3\n");
    uint32_t semaphore = container(&recorded, "Semaphore", "semaphore 1");
    struct found_state found[16];
    size_t n =
        states(&recorded,
               track(&recorded, container(&recorded, "Thread", "jumps"), "Thread state"),
               found, 16);

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(i < n);
        assert_string_equal(found[i].value, expected[i].value);
        assert_int_equal(found[i].state.begin, expected[i].begin);
    }
    assert_int_equal(n, sizeof expected / sizeof *expected);
    /* Nobody waits in the semaphore any more. */
    n = states(&recorded, track(&recorded, semaphore, "Semaphore state"), found, 16);
    assert_string_equal(found[n - 1].value, "would block");
    forget(&recorded);
}

static uint64_t site_address(const struct recorded *recorded, uint32_t container,
                             enum weft_role role)
{
    const struct weft_field_value *fact =
        weft_container_fact(recorded->schema, container, role, WEFT_FIELD_SITE);

    return fact ? recorded->schema->sites[fact->index].address : 0;
}

/*
 * The mutex is initialized by a call that returns to 0x500, and again, when it is another one,
 * by one that returns to 0x600.  The semaphore is first used by one that returns to 0x2040.  A
 * site is the call, which is before where it returns to.
 */
static void test_where_objects_are_made(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 made\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1900 init mutex 0x1000 0x500\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "2100 release mutex 0x1000\n"
                                               "2200 release semaphore 0x2000\n"
                                               "3000 init mutex 0x1000 0x600\n"
                                               "3100 acquire mutex 0x1000\n"
                                               "3200 init condition 0x3000 0x700\n");
    uint32_t first = container(&recorded, "Mutex", "mutex 1");
    uint32_t second = container(&recorded, "Mutex", "mutex 2");
    uint32_t semaphore = container(&recorded, "Semaphore", "semaphore 1");

    (void)state;
    assert_int_equal(site_address(&recorded, first, WEFT_ROLE_CREATED_AT), 0x4ff);
    assert_int_equal(site_address(&recorded, first, WEFT_ROLE_SITE), 0);
    assert_int_equal(recorded.schema->containers[first].end, 3000);
    assert_int_equal(site_address(&recorded, second, WEFT_ROLE_CREATED_AT), 0x5ff);
    assert_int_equal(site_address(&recorded, semaphore, WEFT_ROLE_CREATED_AT), 0);
    assert_int_equal(site_address(&recorded, semaphore, WEFT_ROLE_SITE), 0x203f);
    /* What is never used is not shown. */
    assert_int_equal(count_containers(&recorded, "Condition"), 0);
    forget(&recorded);
}

/*
 * Where a lock was taken is known of every part of a hold, also of that in which others wait:
 * it is what made them wait.
 */
static void test_site_of_a_hold(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 holds\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "4000 release mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2500 wait mutex 0x1000\n"
                                               "4010 acquire mutex 0x1000\n");
    uint32_t lock =
        track(&recorded, container(&recorded, "Mutex", "mutex 1"), "Lock state");
    struct found_state held = first_state(&recorded, lock, "held");
    struct found_state contended = first_state(&recorded, lock, "held, others blocked");

    (void)state;
    assert_int_equal(held.integer, 1);
    assert_int_not_equal(held.site, WEFT_NONE);
    assert_int_equal(contended.integer, 0);
    assert_string_equal(contended.text, "holds");
    assert_int_equal(contended.site, held.site);
    forget(&recorded);
}

/*
 * Threads leave a condition and a barrier, and record it, just after another thread's
 * destruction of them, which has waited for them to leave: each wait ends then, and no
 * second object appears.
 */
static void test_destroyed_while_they_leave(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 leaving\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "1100 count barrier 0x2000 2\n"
                                               "2500 signal condition 0x1000\n"
                                               "2600 destroy condition 0x1000\n"
                                               "3500 wait barrier 0x2000\n"
                                               "3550 wake barrier 0x2000\n"
                                               "3600 destroy barrier 0x2000\n"
                                               "9000 call 2 0\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2000 wait condition 0x1000\n"
                                               "2700 wake condition 0x1000\n"
                                               "3000 wait barrier 0x2000\n"
                                               "3700 wake barrier 0x2000\n"
                                               "9000 call 2 0\n");
    uint32_t boss = container(&recorded, "Thread", "leaving");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct found_state found[16];
    struct weft_link link;

    (void)state;
    assert_int_equal(count_containers(&recorded, "Condition"), 1);
    assert_int_equal(count_containers(&recorded, "Barrier"), 1);
    assert_int_equal(states(&recorded, track(&recorded, second, "Thread state"), found, 16),
                     6);
    assert_string_equal(found[1].value, "blocked on condition");
    assert_int_equal(found[1].state.end, 2700);
    assert_string_equal(found[3].value, "blocked on barrier");
    assert_int_equal(found[3].state.end, 3700);
    assert_int_equal(count_links(&recorded, "Wake-up", "barrier", boss, second, &link), 1);
    assert_int_equal(link.begin, 3500);
    forget(&recorded);
}

/*
 * The main thread's second release was lost: that thread 1 has the mutex at 5,000 is known,
 * and not from whom; the release at 2,100 was before the wait.
 */
static void test_lost_release(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 lost\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 acquire mutex 0x1000\n"
                                               "2100 release mutex 0x1000\n"
                                               "2200 acquire mutex 0x1000\n"
                                               "9000 call 2 0\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2500 wait mutex 0x1000\n"
                                               "5000 acquire mutex 0x1000\n");
    uint32_t boss = container(&recorded, "Thread", "lost");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", boss, second, &link), 0);
    forget(&recorded);
}

/* The main thread has the mutex since before the recording, and wakes the waiter by it. */
static void test_held_since_before(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 before\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "4000 release mutex 0x1000\n"
                                               "thread 1\n"
                                               "starts 1100\n"
                                               "2500 wait mutex 0x1000\n"
                                               "4010 acquire mutex 0x1000\n");
    uint32_t boss = container(&recorded, "Thread", "before");
    uint32_t second = container(&recorded, "Thread", "thread 1");
    struct weft_link link;

    (void)state;
    assert_int_equal(count_links(&recorded, "Wake-up", "mutex", boss, second, &link), 1);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(link.end, 4010);
    forget(&recorded);
}

/*
 * A handler that waited for the first semaphore was left unseen: the end at 4,000 of the
 * read around it shows that.  Nine waits inside each other are one more than are kept: the
 * outermost, for the second semaphore, counts no more from 5,008 on.
 */
static void test_waits_that_are_dropped(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 nested\n"
                                               "thread 0\n"
                                               "starts 1000\n"
                                               "2000 call 2 0\n"
                                               "3000 wait semaphore 0x1000\n"
                                               "4000 return\n"
                                               "5000 wait semaphore 0x2000\n"
                                               "5001 call 2 0\n"
                                               "5002 call 2 0\n"
                                               "5003 call 2 0\n"
                                               "5004 call 2 0\n"
                                               "5005 call 2 0\n"
                                               "5006 call 2 0\n"
                                               "5007 call 2 0\n"
                                               "5008 call 2 0\n");
    static const int64_t ends[] = { 4000, 5008 };
    struct found_state found[4];

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t semaphore =
            container(&recorded, "Semaphore", i == 0 ? "semaphore 1" : "semaphore 2");
        assert_int_equal(
            states(&recorded, track(&recorded, semaphore, "Semaphore state"), found, 4), 2);
        assert_string_equal(found[0].value, "blocked");
        assert_string_equal(found[1].value, "would block");
        assert_int_equal(found[1].state.begin, ends[i]);
    }
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_site_of_a_hold),
        cmocka_unit_test(test_cause_before_stamps),
        cmocka_unit_test(test_semaphore),
        cmocka_unit_test(test_ends_of_a_wake_up),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_release_that_fails),
        cmocka_unit_test(test_owner_that_died_in_shared_memory),
        cmocka_unit_test(test_owner_that_dies_before_a_waiter),
        cmocka_unit_test(test_shared_memory_of_children),
        cmocka_unit_test(test_held_over_exec),
        cmocka_unit_test(test_jumps_out_of_waits),
        cmocka_unit_test(test_where_objects_are_made),
        cmocka_unit_test(test_destroyed_while_they_leave),
        cmocka_unit_test(test_lost_release),
        cmocka_unit_test(test_held_since_before),
        cmocka_unit_test(test_waits_that_are_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
