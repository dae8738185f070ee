/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in any order: what no recorder writes, but what a damaged recording may hold.  The
 * join makes a trace of it, in which the threads that wait somewhere are a number that can be.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random.h"

enum { THREADS = 5, RECORDS = 60, ROUNDS = 100 };
enum {
    NESTED = 8
}; /* waits of a thread that the join knows at once: of handlers in handlers */

static char *put_record(char *to, unsigned time, unsigned in_shared)
{
    static const char *const verbs[] = {
        "wait", "wait",   "wait",      "give-up", "acquire", "share",   "release",
        "wake", "signal", "broadcast", "destroy", "kept",    "inherit",
    };
    static const char *const classes[] = { "mutex",     "rwlock",    "spin",
                                           "condition", "semaphore", "barrier" };
    const char *class = classes[roll(6)];
    unsigned address = (in_shared ? 0x10000 : 0x1000) + 0x40 * roll(3);

    switch (roll(14)) {
    case 0: return to + sprintf(to, "%u left %u\n", time, (unsigned)roll(4));
    case 1: return to + sprintf(to, "%u init %s %u 7\n", time, class, address);
    case 2:
        return to
               + sprintf(to, "%u count %s %u %u\n", time, class, address,
                         (unsigned)roll(3));
    case 3: return to + sprintf(to, "%u stack %u 64 128 1 2 3\n", time, address + 0x40);
    case 4: return to + sprintf(to, "%u call %u 9\n", time, (unsigned)roll(5));
    case 5: return to + sprintf(to, "%u return\n", time);
    case 6:
        return to
               + sprintf(to, "%u shared 0x10000 %u 0 1 %u x\n", time,
                         0x10000 + (unsigned)roll(512), (unsigned)roll(2));
    case 8:
        return to
               + sprintf(to, "%u team-wait %u %u 9\n", time, (unsigned)roll(8),
                         (unsigned)roll(2));
    case 9: return to + sprintf(to, "%u team-go %u\n", time, (unsigned)roll(2));
    /* A condition as it is used, so that there is more than noise. */
    case 7:
        return to
               + sprintf(to, "%u release mutex 0x1000\n%u wait condition 0x1040\n", time,
                         time);
    default:
        return to + sprintf(to, "%u %s %s %u\n", time, verbs[roll(13)], class, address);
    }
}

static char *put_process(char *to, unsigned pid)
{
    to += sprintf(to, "process %u any%u\n%s", pid, pid, roll(2) ? "killed\n" : "");
    for (int thread = 0; thread < THREADS; thread++) {
        unsigned time = 1000;
        to += sprintf(to, "thread %d\nstarts %u\n", thread, 1000 + (unsigned)roll(100));
        for (int i = 0; i < RECORDS; i++)
            to = put_record(to, time += roll(3) * roll(400), roll(3) == 0);
        if (roll(2))
            to += sprintf(to, "%u exit\n", time + 10);
    }
    return to;
}

static bool check_amount(void *user, const struct weft_sample *sample)
{
    (void)user;
    assert_true(sample->value >= 0 && sample->value <= 2 * THREADS * NESTED);
    return true;
}

/* What waits in something is a number of threads. */
static void check_waiters(const struct recorded *recorded)
{
    struct weft_span all = { INT64_MIN, INT64_MAX };

    for (uint32_t i = 0; i < recorded->schema->n_tracks; i++) {
        const struct weft_type *type =
            &recorded->schema->types[recorded->schema->tracks[i].type];
        if (type->kind == WEFT_VARIABLE && type->role == WEFT_ROLE_WAITERS)
            recorded->source->ops->samples(recorded->source, i, all, check_amount, NULL);
    }
}

static void test_any_order(void **state)
{
    char *text = malloc(1 << 20);

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct recorded recorded;
        char *end = text + sprintf(text, "host alpha boot-a ns\n");
        end = put_process(end, 7);
        put_process(end, 8);
        recorded = synthetic_trace(text);
        check_waiters(&recorded);
        forget(&recorded);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_any_order) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
