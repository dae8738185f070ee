/* SPDX-License-Identifier: Apache-2.0 */
/* The table of wrapper functions, and unwinding out of them. */
#include "domains/threads/join/wrapper_callers.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 8 }; /* nested wrappers: more than any library has */

/*
 * Functions that people call instead of pthread's and the C library's, by name or by the
 * beginning of their names.
 */
static const struct {
    const char *name;
    bool begins; /* a prefix of names */
} wrappers[] = {
    { "std::", true },      /* mutex::lock, condition_variable::wait, thread::join, ... */
    { "void std::", true }, /* its template functions */
    { "__gthread_", true },
    { "__gthrw_", true },
    { "boost::mutex::", true },
    { "boost::condition_variable::", true },
    { "boost::thread::", true },
    { "uv_mutex_", true },
    { "uv_rwlock_", true },
    { "uv_cond_", true },
    { "uv_sem_", true },
    { "uv__sem_", true },
    { "uv__custom_sem_", true },
    { "uv_barrier_", true },
    { "uv_thread_", true },
    { "g_mutex_lock", true },
    { "g_rec_mutex_lock", true },
    { "g_cond_wait", true },
    { "g_thread_join", true },
    { "g_thread_new", true },
    { "g_thread_try_new", false },
    { "g_system_thread_", true },
    { "apr_thread_mutex_", true },
    { "apr_thread_cond_", true },
    { "apr_thread_rwlock_", true },
    { "apr_thread_create", false },
    { "apr_thread_join", false },
    { "SDL_LockMutex", true },
    { "SDL_CondWait", true },
    { "SDL_SemWait", true },
    { "SDL_WaitThread", true },
    { "PyThread_acquire_lock", true },
    { "PyThread_start_new_thread", false },
    { "ACE_OS::", true },
    { "QBasicMutex::lock", true },
    { "QMutex::lock", true },
    { "QWaitCondition::wait", true },
    { "tthread::", true },
    { "CRYPTO_THREAD_", true },
    { "thr_lock_mutex", true },
};

struct frame { /* of a call */
    bool wrapper, known;
    struct sites_frame rule;
};

struct frames {
    struct sites *sites;
    struct weft_text_map map; /* struct frame_key to index of calls */
    struct frame *calls;
    size_t n, capacity;
};

struct frame_key {
    uint64_t image, address;
};

struct frames *frames_new(struct sites *sites)
{
    struct frames *frames = weft_zalloc(1, sizeof *frames);

    frames->sites = sites;
    return frames;
}

void frames_free(struct frames *frames)
{
    if (!frames)
        return;
    weft_text_map_free(&frames->map);
    free(frames->calls);
    free(frames);
}

static bool is_wrapper(const char *function)
{
    for (size_t i = 0; function && i < sizeof wrappers / sizeof *wrappers; i++)
        if (wrappers[i].begins
                ? strncmp(function, wrappers[i].name, strlen(wrappers[i].name)) == 0
                : strcmp(function, wrappers[i].name) == 0)
            return true;
    return false;
}

/* Returns the frame of the call that returns to ADDRESS. */
static const struct frame *call_at(struct frames *frames, uint32_t image, uint64_t address)
{
    struct frame_key key = { image, address };
    uint32_t index = weft_text_map_get(&frames->map, &key, sizeof key);
    struct frame *call;

    if (index != WEFT_MAP_NONE)
        return &frames->calls[index];
    frames->calls =
        weft_grow(frames->calls, &frames->capacity, frames->n + 1, sizeof *frames->calls);
    call = &frames->calls[frames->n];
    *call = (struct frame){ .wrapper = is_wrapper(
                                sites_function(frames->sites, image, address - 1)) };
    if (call->wrapper)
        call->known = sites_unwind(frames->sites, image, address, &call->rule);
    weft_text_map_put(&frames->map, &key, sizeof key, (uint32_t)frames->n++);
    return call;
}

/* Read the word of the stack at ADDRESS; returns false if it was not recorded. */
static bool stack_word(const uint64_t *words, uint32_t n_words, uint64_t address,
                       uint64_t *word)
{
    uint64_t distance = address - words[WEFT_STACK_POINTER];

    if (distance % 8 != 0 || distance / 8 >= n_words - WEFT_STACK_WORDS)
        return false;
    *word = words[WEFT_STACK_WORDS + distance / 8];
    return true;
}

uint64_t frames_site(struct frames *frames, uint32_t image, uint64_t site,
                     const uint64_t *words, uint32_t n_words)
{
    uint64_t at = site, pointer, frame_pointer;

    if (n_words < WEFT_STACK_WORDS || words[WEFT_STACK_SITE] != site)
        return site;
    pointer = words[WEFT_STACK_POINTER];
    frame_pointer = words[WEFT_STACK_FRAME];
    for (int i = 0; i < MAX_FRAMES; i++) {
        const struct frame *call = call_at(frames, image, at);
        uint64_t begin, next;
        if (!call->wrapper)
            return at;
        if (!call->known)
            break;
        begin = (call->rule.by_frame_pointer ? frame_pointer : pointer)
                + (uint64_t)call->rule.offset;
        if (!stack_word(words, n_words, begin + (uint64_t)call->rule.returns, &next)
            || next == 0)
            break;
        if (call->rule.saves_frame_pointer
            && !stack_word(words, n_words, begin + (uint64_t)call->rule.frame_pointer,
                           &frame_pointer))
            frame_pointer = 0; /* unknown; the next frame may not need it */
        pointer = begin;
        at = next;
    }
    return at;
}
