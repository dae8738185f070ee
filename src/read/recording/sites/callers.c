/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/sites/callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"

enum { MAX_FRAMES = 64 }; /* nested wrappers: libstdc++ has 20, not optimized */

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
    *call = (struct frame){ .wrapper = sites_is_wrapper(frames->sites, image, address) };
    if (call->wrapper)
        call->known = sites_unwind(frames->sites, image, address, &call->rule);
    weft_text_map_put(&frames->map, &key, sizeof key, (uint32_t)frames->n++);
    return call;
}

/* Look for ADDRESS in the chain of frame pointers behind the RAW words. */
static bool chain_word(const uint64_t *words, uint32_t n_words, uint32_t raw,
                       uint64_t address, uint64_t *word)
{
    uint64_t at = words[WEFT_STACK_FRAME];

    for (uint32_t i = WEFT_STACK_WORDS + raw; i + 1 < n_words; i += 2) {
        if (address - at < 16) {
            *word = words[i + (address - at) / 8];
            return true;
        }
        at = words[i];
    }
    return false;
}

/* Read the word of the stack at ADDRESS; returns false if it was not recorded. */
static bool stack_word(const uint64_t *words, uint32_t n_words, uint64_t address,
                       uint64_t *word)
{
    uint64_t distance = address - words[WEFT_STACK_POINTER], raw = words[WEFT_STACK_RAW];

    if (distance % 8 != 0)
        return false;
    if (raw > n_words - WEFT_STACK_WORDS) /* damage */
        raw = n_words - WEFT_STACK_WORDS;
    if (distance / 8 >= raw)
        return chain_word(words, n_words, (uint32_t)raw, address, word);
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

uint64_t frames_first(struct frames *frames, uint32_t image, const uint64_t *calls,
                      uint32_t n, bool exact)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct frame *call = call_at(frames, image, calls[i]);
        /* A function without a frame pointer hides its caller: the next one is too far. */
        if (!call->wrapper || (!exact && (!call->known || !call->rule.by_frame_pointer)))
            return calls[i];
    }
    return n > 0 ? calls[n - 1] : 0;
}
