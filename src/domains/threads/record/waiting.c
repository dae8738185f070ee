/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits from their beginning to their end, whichever way they end.  The frames of a thread's
 * hooks that wait just now are kept, innermost last: a signal handler may wait, too, inside
 * another wait.  A jump that the C library does not make is not seen (jumps.c): then the next
 * wait finds that its frame is where another one should be.
 */
#include "domains/threads/record/threads.h"

enum {
    MOST_DEPTH = 8, /* of frames that are kept: handlers in handlers */
    /*
     * Ticks between two looks at the processor time of a thread that calls the system all the
     * time; a millisecond or two where ticks are a processor's.  A look is a system call, too.
     */
    BETWEEN_LOOKS = 1 << 22
};

static __thread struct {
    uintptr_t frames[MOST_DEPTH];
    uint32_t n;
} waits __attribute__((tls_model("initial-exec")));

void weft_event(uint32_t kind, enum weft_object class, const void *object, uint64_t site)
{
    weft_log_object(weft_ticks(), kind, class, object, site, 0, 0);
}

static void enter(struct weft_waiting *waiting, uint32_t kind, const void *frame)
{
    /* Where this hook is or below, no other one can be, unless it was left unseen. */
    if (__builtin_expect(waits.n > 0, 0))
        weft_waiting_jumps((uintptr_t)frame);
    waiting->began = kind;
    waiting->depth = waits.n;
    if (waits.n < MOST_DEPTH)
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
    weft_stack_note(site, frame);
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
    enter(waiting, WEFT_RECORD_CALL, frame);
    /* Those that are rare and long; who reads and writes does so all the time. */
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

/*
 * Runs when the hook returns, too, but then the wait is over.  A thread that is cancelled in a
 * condition has its mutex again: clean-up handlers of the program run with it.
 */
void weft_waiting_left(struct weft_waiting *waiting)
{
    if (waiting->began == 0 || waiting->over)
        return;
    switch (waiting->began) {
    case WEFT_RECORD_JOIN: weft_join_ends(waiting, false); break;
    case WEFT_RECORD_CALL: weft_call_ends(waiting); break;
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
