/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits, from begin to end.  The frames of a thread's hooks that wait are kept on a stack,
 * because a signal handler may wait inside another wait.  A longjmp that is not the C
 * library's is not seen (longjmp_hooks.c); the next wait then finds frames at or below its
 * own, and removes them.
 */
#include "domains/threads/record/hook_helpers.h"

enum {
    MAX_DEPTH = 8, /* frames kept */
    /*
     * Ticks between two reads of the processor time of a thread that makes many calls; 1 to
     * 2 ms of a TSC.  Each read is a system call.
     */
    BETWEEN_LOOKS = 1 << 22
};

static __thread struct {
    uintptr_t frames[MAX_DEPTH];
    uint32_t n;
} waits __attribute__((tls_model("initial-exec")));

void weft_event(uint32_t kind, enum weft_object class, const void *object, uint64_t site)
{
    weft_log_object(weft_ticks(), kind, class, object, site, 0, 0);
}

static void enter(struct weft_waiting *waiting, uint32_t kind, const void *frame)
{
    /* Hooks at or below this frame were left by an unseen longjmp: remove them. */
    if (__builtin_expect(waits.n > 0, 0))
        weft_waiting_jumps((uintptr_t)frame);
    waiting->began = kind;
    waiting->depth = waits.n;
    if (waits.n < MAX_DEPTH)
        waits.frames[waits.n++] = (uintptr_t)frame;
}

static void leave(struct weft_waiting *waiting)
{
    waits.n = waiting->depth;
    waiting->over = true;
}

void weft_waiting_begins(struct weft_waiting *waiting, enum weft_object class,
                         const void *object, const void *mutex, uint64_t site,
                         const void *frame)
{
    site = weft_program_place(site);
    waiting->class = class;
    waiting->object = object;
    waiting->mutex = mutex;
    waiting->regains = WEFT_RECORD_ACQUIRE;
    waiting->site = site;
    enter(waiting, WEFT_RECORD_WAIT, frame);
    CORE.processor_time();
    weft_stack_note(site, frame);
    if (mutex)
        weft_event(WEFT_RECORD_RELEASE, WEFT_OBJECT_MUTEX, mutex, site);
    weft_event(WEFT_RECORD_WAIT, class, object, site);
}

void weft_waiting_ends(struct weft_waiting *waiting, uint32_t kind)
{
    weft_event(kind, waiting->class, waiting->object, waiting->site);
    if (waiting->mutex)
        weft_event(waiting->regains, WEFT_OBJECT_MUTEX, waiting->mutex, waiting->site);
    leave(waiting);
}

void weft_join_begins(struct weft_waiting *waiting, uint64_t handle, uint64_t site,
                      const void *frame)
{
    uint64_t words[2] = { handle, site };

    enter(waiting, WEFT_RECORD_JOIN, frame);
    CORE.see(site);
    CORE.processor_time();
    weft_stack_note_deep(site, frame);
    weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_JOIN, 0, words, 2);
}

void weft_join_ends(struct weft_waiting *waiting, bool joined)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_JOINED, joined);
    leave(waiting);
}

void weft_call_begins(struct weft_waiting *waiting, enum weft_call call, uint64_t site,
                      const void *frame)
{
    site = weft_site_outside(weft_program_place(site), frame);
    enter(waiting, WEFT_RECORD_CALL, frame);
    /* Only for calls that are rare and long: reads and writes are frequent. */
    if (call == WEFT_CALL_SLEEP || call == WEFT_CALL_WAIT_CHILD)
        weft_stack_note(site, frame);
    struct weft_log *log = weft_log_get();
    uint64_t ticks = weft_ticks();
    if (ticks - log->looked > BETWEEN_LOOKS) {
        CORE.processor_time();
        ticks = weft_ticks();
    }
    weft_log_put_word(log, ticks, WEFT_RECORD_CALL, call, site);
}

void weft_call_ends(struct weft_waiting *waiting)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_RETURN, 0);
    leave(waiting);
}

void weft_team_begins(struct weft_waiting *waiting, uint64_t team, uint32_t flags,
                      uint64_t site, const void *frame)
{
    uint64_t words[2] = { team, site };

    enter(waiting, WEFT_RECORD_TEAM_WAIT, frame);
    weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_TEAM_WAIT, flags, words,
                       2);
}

void weft_team_ends(struct weft_waiting *waiting)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_TEAM_GO, 0);
    leave(waiting);
}

/*
 * The clean-up of WEFT_WAITING; no effect if the wait is over.  A thread that is cancelled
 * in a condition wait holds the mutex again: the program's clean-up handlers run with it.
 */
void weft_waiting_left(struct weft_waiting *waiting)
{
    if (waiting->began == 0 || waiting->over)
        return;
    switch (waiting->began) {
    case WEFT_RECORD_JOIN: weft_join_ends(waiting, false); break;
    case WEFT_RECORD_CALL: weft_call_ends(waiting); break;
    case WEFT_RECORD_TEAM_WAIT: weft_team_ends(waiting); break;
    default: weft_waiting_ends(waiting, WEFT_RECORD_GIVE_UP); break;
    }
}

void weft_waiting_jumps(uintptr_t target)
{
    uint32_t n = waits.n;

    while (n > 0 && weft_frame_is_left(waits.frames[n - 1], target))
        n--;
    if (n == waits.n)
        return;
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_LEFT, waits.n - n);
    waits.n = n;
}
