/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records OpenMP through OMPT: this library exports ompt_start_tool, which a runtime with
 * the interface looks up when it starts.  Each callback writes one record into the calling
 * thread's log.
 */
#define _GNU_SOURCE
#include <string.h>

#include "domains/tasks/format/records.h"
#include "domains/tasks/record/omp_call_sites.h"
#include "domains/tasks/record/omp_loops.h"
#include "domains/tasks/record/ompt.h"
#include "domains/tasks/record/task_records.h"
#include "record/log/log.h"

#define CORE weft_record_core_v1

uint64_t weft_next_run = 1;
__thread struct weft_number_run weft_own_run;

/* ---- Regions and tasks ---- */

/* In the value that the runtime keeps of a region: it is sections of a program of GCC. */
#define SECTIONS_BIT (UINT64_C(1) << 63)

/* Returns the number of REGION in the records; 0 for NULL. */
static uint64_t number_of(const union ompt_data *region)
{
    return region ? region->value & ~SECTIONS_BIT : 0;
}

static void parallel_begins(union ompt_data *task, const struct ompt_frame *frame,
                            union ompt_data *region, unsigned requested, int flags,
                            const void *site)
{
    uint64_t words[3];

    (void)frame;
    (void)flags;
    region->value = weft_new_number() | (omp_begins_sections() ? SECTIONS_BIT : 0);
    words[0] = number_of(region);
    words[1] = task ? task->value : 0;
    words[2] = omp_place(site);
    weft_omp_put(WEFT_RECORD_OMP_PARALLEL, requested, words, 3);
}

static void parallel_ends(union ompt_data *region, union ompt_data *task, int flags,
                          const void *site)
{
    uint64_t words[2] = { number_of(region), task ? task->value : 0 };

    (void)flags;
    (void)site;
    weft_omp_put(WEFT_RECORD_OMP_PARALLEL_END, 0, words, 2);
}

static void implicit_task(int scope, union ompt_data *region, union ompt_data *task,
                          unsigned threads, unsigned index, int flags)
{
    uint64_t words[2];

    (void)threads;
    if (scope == OMPT_END) {
        words[0] = task ? task->value : 0;
        if (!(flags & OMPT_TASK_INITIAL))
            weft_omp_put(WEFT_RECORD_OMP_IMPLICIT_END, 0, words, 1);
        return;
    }
    task->value = weft_new_number();
    if (flags & OMPT_TASK_INITIAL) {
        weft_omp_put(WEFT_RECORD_OMP_INITIAL, 0, &task->value, 1);
        return;
    }
    words[0] = number_of(region);
    words[1] = task->value;
    weft_omp_put(WEFT_RECORD_OMP_IMPLICIT, index, words, 2);
}

/* OMPT's ompt_get_parallel_info(): of the ANCESTOR-th region around the calling thread. */
static int (*region_info)(int ancestor, union ompt_data **region, int *threads);

/* Returns true if the calling thread has no others in its region.  It then runs each new
   task at once, which says nothing of the program. */
static bool is_alone(void)
{
    union ompt_data *region;
    int threads = 0;

    return region_info && region_info(0, &region, &threads) == 2 && threads == 1;
}

static void task_created(union ompt_data *task, const struct ompt_frame *frame,
                         union ompt_data *created, int flags, int depends, const void *site)
{
    bool asked = omp_begins_undeferred();
    bool undeferred = flags & OMPT_TASK_UNDEFERRED && (asked || !is_alone());
    uint32_t bits = (undeferred ? WEFT_OMP_UNDEFERRED : 0)
                    | (flags & OMPT_TASK_UNTIED ? WEFT_OMP_UNTIED : 0)
                    | (flags & OMPT_TASK_FINAL ? WEFT_OMP_FINAL : 0)
                    | (flags & OMPT_TASK_MERGEABLE ? WEFT_OMP_MERGEABLE : 0)
                    | ((unsigned)flags & OMPT_TASK_MERGED ? WEFT_OMP_MERGED : 0)
                    | (depends ? WEFT_OMP_DEPENDS : 0)
                    | (flags & OMPT_TASK_TASKWAIT ? WEFT_OMP_TASKWAIT : 0);
    uint64_t words[2];

    (void)task;
    created->value = weft_new_number();
    words[0] = created->value;
    words[1] = omp_place_by_frame(frame, site);
    /* This event is also sent for the initial task of the runtime's own thread. */
    if (flags & OMPT_TASK_INITIAL)
        weft_omp_put(WEFT_RECORD_OMP_INITIAL, 0, words, 1);
    else
        weft_omp_put(WEFT_RECORD_OMP_CREATE, bits, words, 2);
}

/* Some events are of a task that is over, and no other one begins. */
static void task_scheduled(union ompt_data *prior, int status, union ompt_data *next)
{
    bool over = status == WEFT_OMP_EARLY_FULFIL || status == WEFT_OMP_LATE_FULFIL
                || status == WEFT_OMP_WAITED;
    const union ompt_data *task = over ? prior : next;

    weft_omp_put(WEFT_RECORD_OMP_SCHEDULE, (uint32_t)status,
                 &(uint64_t){ task ? task->value : 0 }, 1);
}

static uint32_t dependence_of(int type)
{
    switch (type) {
    case OMPT_IN: return WEFT_OMP_IN;
    case OMPT_OUT:
    case OMPT_INOUT: return WEFT_OMP_OUT;
    case OMPT_MUTEXINOUTSET: return WEFT_OMP_EXCLUSIVE;
    case OMPT_INOUTSET: return WEFT_OMP_SET;
    case OMPT_OUT_ALL_MEMORY:
    case OMPT_INOUT_ALL_MEMORY: return WEFT_OMP_ALL;
    default: return WEFT_OMP_DEPENDENCES; /* of iterations of a loop, not of tasks */
    }
}

static void task_depends(union ompt_data *task, const struct ompt_dependence *on, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t words[2] = { task->value, on[i].variable.value };
        uint32_t dependence = dependence_of(on[i].type);
        if (dependence < WEFT_OMP_DEPENDENCES)
            weft_omp_put(WEFT_RECORD_OMP_DEPENDS, dependence, words, 2);
    }
}

static void cancelled(union ompt_data *task, int flags, const void *site)
{
    (void)site;
    if (task && flags & OMPT_CANCEL_DISCARDED_TASK)
        weft_omp_put(WEFT_RECORD_OMP_DISCARD, 0, &task->value, 1);
}

/* ---- Waiting ---- */

static uint32_t wait_of(int kind)
{
    switch (kind) {
    case OMPT_TASKWAIT: return WEFT_OMP_WAIT_TASKS;
    case OMPT_TASKGROUP: return WEFT_OMP_WAIT_GROUP;
    case OMPT_BARRIER_EXPLICIT: return WEFT_OMP_WAIT_BARRIER;
    case OMPT_REDUCTION: return WEFT_OMP_WAITS; /* not a wait of its own */
    default: return WEFT_OMP_WAIT_IMPLICIT;
    }
}

/* Returns true for the barrier at the end of a parallel region, to which a team's other
   threads come without a call of the program's; that of a construct is always called. */
static bool ends_region(int kind, const void *site)
{
    return site == NULL && (kind == OMPT_BARRIER_IMPLICIT || kind == OMPT_BARRIER_PARALLEL);
}

/* A task group's region is the whole group; the wait at its end is in region_waits. */
static void region(int kind, int scope, union ompt_data *parallel, union ompt_data *task,
                   const void *site)
{
    uint32_t wait = wait_of(kind);
    uint64_t words[2] = { omp_place(site), 1 };

    (void)parallel;
    (void)task;
    if (wait == WEFT_OMP_WAITS)
        return;
    if (scope == OMPT_END)
        weft_omp_put(WEFT_RECORD_OMP_WAIT_END, wait, NULL, 0);
    else
        weft_omp_put(wait == WEFT_OMP_WAIT_GROUP ? WEFT_RECORD_OMP_GROUP
                                                 : WEFT_RECORD_OMP_WAIT,
                     wait, words, ends_region(kind, site) ? 2 : 1);
}

static void region_waits(int kind, int scope, union ompt_data *parallel,
                         union ompt_data *task, const void *site)
{
    uint64_t word = omp_place(site);

    (void)parallel;
    (void)task;
    if (kind == OMPT_TASKGROUP && scope == OMPT_BEGIN)
        weft_omp_put(WEFT_RECORD_OMP_WAIT, WEFT_OMP_WAIT_GROUP, &word, 1);
}

/* ---- Shared work, and locks ---- */

/* The number of the region in which the thread is in sections of a program of GCC; 0: in
   none. */
static __thread uint64_t sections_in __attribute__((tls_model("initial-exec")));

/* Returns true if what the runtime tells as a loop, which begins at PLACE (0: inside of the
   runtime), are sections; LOOP then says nothing. */
static bool is_sections(struct omp_loop *loop, const union ompt_data *region,
                        uint64_t place)
{
    bool told = loop->schedule == OMP_SECTIONS;

    if (told)
        loop->schedule = WEFT_OMP_SCHEDULE_UNKNOWN;
    return told
           || (loop->schedule == WEFT_OMP_SCHEDULE_UNKNOWN && place == 0 && region
               && region->value & SECTIONS_BIT);
}

static void work(int kind, int scope, union ompt_data *parallel, union ompt_data *task,
                 uint64_t count, const void *site)
{
    /* By OMPT's number of the kind; a single has two, for the executing thread and for the
       others. */
    static const uint8_t works[] = {
        WEFT_OMP_WORKS, WEFT_OMP_LOOP,      WEFT_OMP_SECTIONS,   WEFT_OMP_SINGLE,
        WEFT_OMP_WORKS, WEFT_OMP_WORKSHARE, WEFT_OMP_DISTRIBUTE, WEFT_OMP_TASKLOOP,
    };
    uint64_t words[4] = { omp_place(site), count };
    uint32_t number = (unsigned)kind < sizeof works ? works[kind] : WEFT_OMP_LOOP;
    struct omp_loop loop = { WEFT_OMP_SCHEDULE_UNKNOWN, 0 };

    (void)task;
    if (number == WEFT_OMP_WORKS)
        return;
    if (scope == OMPT_BEGIN) {
        if (number == WEFT_OMP_LOOP || number == WEFT_OMP_DISTRIBUTE)
            loop = omp_loop_take();
        if (number == WEFT_OMP_LOOP && is_sections(&loop, parallel, words[0])) {
            number = WEFT_OMP_SECTIONS;
            sections_in = number_of(parallel);
            words[0] = words[0] ? words[0] : omp_hook_place();
        }
        words[2] = loop.schedule;
        words[3] = loop.chunk;
        weft_omp_put(WEFT_RECORD_OMP_WORK, number, words, loop.schedule ? 4 : 2);
        if (number == WEFT_OMP_LOOP)
            omp_dispatch_begins();
    } else if (scope == OMPT_END) {
        if (number == WEFT_OMP_LOOP && sections_in && sections_in == number_of(parallel)) {
            number = WEFT_OMP_SECTIONS;
            sections_in = 0;
        }
        bool told = number == WEFT_OMP_LOOP && omp_dispatch_ends(words);
        weft_omp_put(WEFT_RECORD_OMP_WORK_END, number, told ? words : NULL, told ? 2 : 0);
    }
}

static uint32_t lock_of(int kind)
{
    switch (kind) {
    case OMPT_MUTEX_CRITICAL: return WEFT_OMP_CRITICAL;
    case OMPT_MUTEX_ATOMIC: return WEFT_OMP_ATOMIC;
    case OMPT_MUTEX_ORDERED: return WEFT_OMP_ORDERED;
    default: return WEFT_OMP_MUTEX;
    }
}

/* A test of a lock does not wait.  OMPT reports its begin only; a later event says if it
   got the lock. */
static bool is_test(int kind)
{
    return kind == OMPT_MUTEX_TEST_LOCK || kind == OMPT_MUTEX_TEST_NEST_LOCK;
}

static void mutex_waits(int kind, unsigned hint, unsigned implementation, uint64_t lock,
                        const void *site)
{
    uint64_t words[2] = { lock, omp_place(site) };

    (void)hint;
    (void)implementation;
    if (!is_test(kind))
        weft_omp_put(WEFT_RECORD_OMP_LOCK_WAIT, lock_of(kind), words, 2);
}

static void mutex_got(int kind, uint64_t lock, const void *site)
{
    (void)site;
    weft_omp_put(WEFT_RECORD_OMP_LOCK, lock_of(kind), &lock, 1);
}

static void mutex_given_back(int kind, uint64_t lock, const void *site)
{
    (void)site;
    weft_omp_put(WEFT_RECORD_OMP_UNLOCK, lock_of(kind), &lock, 1);
}

/* A nested lock is acquired again, or released but still held, by its owner. */
static void nested_again(int scope, uint64_t lock, const void *site)
{
    if (scope == OMPT_BEGIN)
        mutex_got(OMPT_MUTEX_NEST_LOCK, lock, site);
    else if (scope == OMPT_END)
        mutex_given_back(OMPT_MUTEX_NEST_LOCK, lock, site);
}

/* ---- Taking part ---- */

static const struct {
    enum ompt_event event;
    ompt_function callback;
} callbacks[] = {
    { OMPT_PARALLEL_BEGIN, (ompt_function)parallel_begins },
    { OMPT_PARALLEL_END, (ompt_function)parallel_ends },
    { OMPT_IMPLICIT_TASK, (ompt_function)implicit_task },
    { OMPT_TASK_CREATE, (ompt_function)task_created },
    { OMPT_TASK_SCHEDULE, (ompt_function)task_scheduled },
    { OMPT_DEPENDENCES, (ompt_function)task_depends },
    { OMPT_SYNC_REGION, (ompt_function)region },
    { OMPT_SYNC_REGION_WAIT, (ompt_function)region_waits },
    { OMPT_WORK, (ompt_function)work },
    { OMPT_MUTEX_ACQUIRE, (ompt_function)mutex_waits },
    { OMPT_MUTEX_ACQUIRED, (ompt_function)mutex_got },
    { OMPT_MUTEX_RELEASED, (ompt_function)mutex_given_back },
    { OMPT_NEST_LOCK, (ompt_function)nested_again },
    { OMPT_CANCEL, (ompt_function)cancelled },
};

static int initialize(ompt_lookup lookup, int device, union ompt_data *data)
{
    ompt_function found = lookup("ompt_set_callback");
    ompt_set_callback set = (ompt_set_callback)found;

    (void)device;
    (void)data;
    if (set == NULL)
        return 0;
    found = lookup("ompt_get_parallel_info");
    region_info = (int (*)(int, union ompt_data **, int *))found;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        (void)set((int)callbacks[i].event, callbacks[i].callback);
    return 1;
}

/* Notes the counters at the runtime's end, at which the initial task ends, too. */
static void finalize(union ompt_data *data)
{
    (void)data;
    weft_counters_note(weft_log_get(), weft_ticks());
}

static bool joined;

/* Declared by the runtime's headers, which are not used here. */
WEFT_EXPORT struct ompt_start_tool_result *ompt_start_tool(unsigned version,
                                                           const char *runtime);
struct ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct ompt_start_tool_result tool = { initialize, finalize, { 0 } };

    (void)version;
    if (!joined)
        return NULL;
    omp_places_begin(__builtin_return_address(0));
    if (runtime)
        CORE.log_text(weft_ticks(), WEFT_RECORD_OMP_RUNTIME, NULL, 0, runtime);
    return &tool;
}

static void thread_ends(void)
{
    weft_counters_note(weft_log_get(), weft_ticks());
    weft_counters_end();
}

static const struct weft_record_family family = {
    .number = WEFT_FAMILY_OMP,
    .core_size = sizeof(struct weft_record_core),
    .thread_ends = thread_ends,
};

__attribute__((constructor)) static void start(void)
{
    joined = CORE.join(&family);
    if (joined)
        weft_counters_start();
}
