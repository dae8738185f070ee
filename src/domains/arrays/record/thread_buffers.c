/* SPDX-License-Identifier: Apache-2.0 */
/* The memory in which threads collect references, and when it is written. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "domains/arrays/record/read_owners.h"
#include "record/log/log.h"

/* The memory of a thread, reused by another after its end.  In a forked child the second
   part is cleared, since the parent writes it. */
struct keeper {
    struct keeper *next;
    bool taken;
};
enum { KEEPER_BYTES = 4096 };
static struct keeper *keepers;

__thread struct array_thread *array_self __attribute__((tls_model("initial-exec")));
static __thread struct keeper *own_keeper __attribute__((tls_model("initial-exec")));

static struct array_thread *thread_of(struct keeper *keeper)
{
    return (struct array_thread *)(void *)((char *)keeper + KEEPER_BYTES);
}

static struct keeper *new_keeper(void)
{
    size_t bytes = KEEPER_BYTES + sizeof(struct array_thread);
    int saved = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct keeper *keeper = memory;

    if (memory == MAP_FAILED) {
        errno = saved;
        return NULL;
    }
    (void)madvise((char *)memory + KEEPER_BYTES, bytes - KEEPER_BYTES, MADV_WIPEONFORK);
    errno = saved;
    keeper->taken = true;
    keeper->next = __atomic_load_n(&keepers, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&keepers, &keeper->next, keeper, true,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return keeper;
}

static struct keeper *take_keeper(void)
{
    struct keeper *keeper = __atomic_load_n(&keepers, __ATOMIC_ACQUIRE);

    for (; keeper; keeper = keeper->next)
        if (!__atomic_exchange_n(&keeper->taken, true, __ATOMIC_ACQ_REL))
            return keeper;
    return new_keeper();
}

static void flush_places(struct array_thread *thread)
{
    for (uint32_t i = 0; i < thread->n_used; i++) {
        struct array_place *place = &thread->places[thread->used[i]];
        struct array_origin origin = array_origin_of(place);
        array_levels_flush(&place->levels, &origin, &thread->sink);
        place->strays = 0;
    }
}

/* Writes all references; if not IS_LAST, but those whose owner may still become known. */
static void flush(struct array_thread *thread, bool is_last)
{
    if (!thread->ready)
        return;
    array_close_runs(thread);
    array_owners_end(thread);
    if (is_last)
        array_owners_give_up(thread);
    flush_places(thread);
    array_sink_flush(&thread->sink);
}

/*
 * Called when the stamp has changed: writes the references, which are of the step before.
 */
static void catch_up(struct array_thread *thread)
{
    uint64_t stamp = __atomic_load_n(&array_world.stamp, __ATOMIC_ACQUIRE);

    if (!thread->ready) {
        thread->ready = true;
        thread->step = array_world.step;
        for (uint32_t i = 0; i < ARRAY_SITES; i++)
            array_site_of(thread, i)->position = ARRAY_BODY;
        thread->rounds = 1;
    } else if (thread->step != array_world.step) {
        flush(thread, false);
        thread->step = array_world.step;
        for (uint32_t i = 0; i < thread->n_used; i++)
            thread->places[thread->used[i]].step = thread->step;
    } else {
        array_close_runs(thread);
    }
    thread->hooks.last = NULL;
    thread->stamp = stamp;
}

struct array_thread *array_thread_enter(void)
{
    struct array_thread *thread = array_self;

    if (__builtin_expect(thread == NULL, 0)) {
        /* A thread with a log is notified of its end. */
        (void)weft_log_get();
        own_keeper = take_keeper();
        if (!own_keeper)
            return NULL;
        thread = array_self = thread_of(own_keeper);
    }
    if (__builtin_expect(thread->busy, 0)) {
        array_lose(WEFT_ARRAY_INTERRUPTED, 1);
        return NULL;
    }
    thread->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(!thread->ready || thread->stamp != array_world.stamp, 0))
        catch_up(thread);
    return thread;
}

/* Writes and removes all places, since there are too many. */
static void forget_places(struct array_thread *thread)
{
    flush(thread, true);
    for (uint32_t i = 0; i < thread->n_used; i++)
        thread->places[thread->used[i]].site = 0;
    thread->n_used = 0;
}

uint32_t array_thread_place(struct array_thread *thread, uint64_t site)
{
    uint32_t at = weft_hook_home(site);
    struct array_place *place;

    while (thread->places[at].site != site && thread->places[at].site != 0)
        at = (at + 1) % ARRAY_SITES;
    if (__builtin_expect(thread->places[at].site == site, 1))
        return at;
    if (thread->n_used >= ARRAY_SITES / 4 * 3) {
        forget_places(thread);
        at = weft_hook_home(site);
    }
    thread->used[thread->n_used++] = (uint16_t)at;
    place = &thread->places[at];
    place->site = site;
    place->step = thread->step;
    place->strays = 0;
    place->looked = place->unreadable = place->seasoned = false;
    place->function = NULL;
    place->n_anchors = 0;
    place->writes = 0;
    weft_record_core_v1.see(site);
    return at;
}

static void end_thread(void)
{
    struct keeper *keeper = own_keeper;

    if (!array_self)
        return;
    flush(array_self, true);
    array_leave_hooks(array_self);
    array_self = NULL;
    own_keeper = NULL;
    __atomic_store_n(&keeper->taken, false, __ATOMIC_RELEASE);
}

/* Stops THREAD from collecting; returns false if it does not leave the recorder in time. */
static bool stop(struct array_thread *thread)
{
    enum { TRIES = 1000 };

    for (int i = 0; i < TRIES; i++) {
        if (!__atomic_exchange_n(&thread->busy, true, __ATOMIC_ACQ_REL))
            return true;
        sched_yield();
    }
    return false;
}

/* At the end of the process some threads still wait in pools or work.  The ending thread
   writes what they have collected; later references count as lost. */
__attribute__((destructor)) static void end_process(void)
{
    struct keeper *keeper = __atomic_load_n(&keepers, __ATOMIC_ACQUIRE);

    for (; keeper; keeper = keeper->next) {
        struct array_thread *thread = thread_of(keeper);
        if (thread == array_self || stop(thread))
            flush(thread, true);
        else
            array_lose(WEFT_ARRAY_INTERRUPTED, 1);
    }
}

static const struct weft_record_family family = {
    .number = WEFT_FAMILY_ARRAYS,
    .core_size = sizeof(struct weft_record_core),
    .thread_ends = end_thread,
};

__attribute__((constructor)) static void start(void)
{
    (void)weft_record_core_v1.join(&family);
}
