/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/call_chains.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"

struct rule_key {
    uint64_t image, address;
};

struct rule { /* how to leave a function */
    bool known;
    struct sites_frame frame;
};

/* A part of a stack that was copied, and how far it is unwound. */
struct unwinding {
    uint32_t image;
    int64_t time;               /* ns of CLOCK_MONOTONIC */
    const unsigned char *bytes; /* [size] */
    size_t size;
    uint64_t base;    /* address of the first byte; 0: unknown */
    uint64_t pointer; /* stack pointer of the latest function, in bytes from the first */
    uint64_t frame;   /* its frame pointer, likewise; NO_FRAME: unknown */
};

#define NO_FRAME UINT64_MAX

struct chains {
    const struct join *join;
    struct weft_text_map known; /* struct rule_key: index of rules */
    struct rule *rules;
    size_t n_rules, capacity;
};

struct chains *chains_new(const struct join *join)
{
    struct chains *chains = weft_zalloc(1, sizeof *chains);

    chains->join = join;
    return chains;
}

void chains_free(struct chains *chains)
{
    if (!chains)
        return;
    weft_text_map_free(&chains->known);
    free(chains->rules);
    free(chains);
}

static struct rule make_rule(const struct chains *chains, uint32_t image, uint64_t address)
{
    struct rule rule = { 0 };

    /* The rule is asked for by a return address, which is behind the call. */
    rule.known = sites_unwind(chains->join->sites, image, address + 1, &rule.frame);
    return rule;
}

/* Returns the rule for the function around ADDRESS. */
static struct rule find_rule(struct chains *chains, uint32_t image, uint64_t address)
{
    struct rule_key key = { image, address };
    uint32_t index = weft_text_map_get(&chains->known, &key, sizeof key);

    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)chains->n_rules;
        chains->rules = weft_grow(chains->rules, &chains->capacity, chains->n_rules + 1,
                                  sizeof *chains->rules);
        chains->rules[chains->n_rules++] = make_rule(chains, image, address);
        weft_text_map_put(&chains->known, &key, sizeof key, index);
    }
    return chains->rules[index];
}

/* Copies the word at OFFSET; returns false if it is outside of what was copied. */
static bool read_word(const struct unwinding *stack, uint64_t offset, uint64_t *word)
{
    if (offset > stack->size || stack->size - offset < sizeof *word)
        return false;
    memcpy(word, stack->bytes + offset, sizeof *word);
    return true;
}

/*
 * Finds the frame pointer of the function around ADDRESS, which keeps one but is not known,
 * as the kernel tells of a blocked thread only the stack pointer: the function's frame is
 * the first above that with a return address whose call is one of this very function.
 * Returns NO_FRAME if there is none.
 */
static uint64_t find_frame(struct chains *chains, const struct unwinding *stack,
                           uint64_t address)
{
    const struct recording *recording = chains->join->recording;
    uint64_t saved, returns;

    for (uint64_t at = stack->pointer;
         read_word(stack, at, &saved) && read_word(stack, at + sizeof saved, &returns);
         at += sizeof saved)
        if (saved > stack->base + at && saved % sizeof saved == 0
            && observed_is_code(recording, stack->image, stack->time, returns - 1)
            && sites_calls(chains->join->sites, stack->image, returns, address))
            return at;
    return NO_FRAME;
}

/*
 * Leaves the function around ADDRESS: returns the address of its call, and goes to its
 * caller's stack pointer; or returns 0.
 */
static uint64_t leave(struct chains *chains, struct unwinding *stack, uint64_t address)
{
    struct rule rule = find_rule(chains, stack->image, address);
    uint64_t from, begin, word;

    if (rule.known && rule.frame.by_frame_pointer && stack->frame == NO_FRAME
        && stack->base != 0)
        stack->frame = find_frame(chains, stack, address);
    from = rule.frame.by_frame_pointer ? stack->frame : stack->pointer;
    if (!rule.known || from == NO_FRAME)
        return 0;
    begin = from + (uint64_t)rule.frame.offset;
    if (begin <= stack->pointer
        || !read_word(stack, begin + (uint64_t)rule.frame.returns, &word) || word == 0
        || !observed_is_code(chains->join->recording, stack->image, stack->time, word - 1))
        return 0;
    stack->pointer = begin;
    address = word - 1;
    if (rule.frame.saves_frame_pointer)
        stack->frame =
            stack->base != 0
                    && read_word(stack, begin + (uint64_t)rule.frame.frame_pointer, &word)
                    && word > stack->base
                ? word - stack->base
                : NO_FRAME;
    return address;
}

/* Returns true if no function calls the one around ADDRESS: a stack begins with it. */
static bool is_first(struct chains *chains, uint32_t image, uint64_t address)
{
    static const char *const begins[] = {
        "_start", "clone", "__clone", "__clone3", "__libc_start_call_main", "start_thread",
        /* Go: of a thread, of its scheduler's stack, of a goroutine */
        "runtime.rt0_go.abi0", "runtime.mstart.abi0", "runtime.mcall", "runtime.mcall.abi0",
        "runtime.systemstack.abi0", "runtime.goexit.abi0"
    };
    const char *name = sites_function(chains->join->sites, image, address);

    for (size_t i = 0; name && i < sizeof begins / sizeof *begins; i++)
        if (strcmp(name, begins[i]) == 0)
            return true;
    return false;
}

/*
 * Appends the callers of ADDRESSES[0] as far as they are known; returns the number of
 * all.
 */
static size_t unwind(struct chains *chains, struct unwinding *stack, uint64_t *addresses,
                     size_t most)
{
    size_t n = 1;

    while (n < most && !is_first(chains, stack->image, addresses[n - 1])
           && (addresses[n] = leave(chains, stack, addresses[n - 1])) != 0)
        n++;
    return n;
}

/*
 * Returns true if a stack may begin with the function around ADDRESS: frame pointers do
 * not lead to the caller of a function without a frame.  Programs and threads begin in
 * such functions of the C library.
 */
static bool may_begin(struct chains *chains, uint32_t image, uint64_t address)
{
    struct rule rule = find_rule(chains, image, address);

    return !rule.known || rule.frame.by_frame_pointer
           || sites_is_in(chains->join->sites, image, address, "libc.so");
}

size_t chains_read(struct chains *chains, uint32_t image,
                   const struct weft_schedule_place *place, uint64_t addresses[CHAIN_MOST],
                   bool *whole)
{
    const struct recording *recording = chains->join->recording;
    const uint64_t *words = (const uint64_t *)(place + 1);
    struct unwinding stack = { .image = image,
                               .time = place->sample.time,
                               .frame = NO_FRAME };
    size_t n, callers = 0;

    *whole = false;
    if (!observed_is_code(recording, image, stack.time, place->address))
        return 0;
    addresses[0] = place->address;
    stack.bytes = observed_top_of_stack(place, &stack.size);
    n = unwind(chains, &stack, addresses, 1 + WEFT_SCHEDULE_STACK / 8);
    for (uint64_t i = 0; i < place->n; i++) {
        if (words[i] >= WEFT_SCHEDULE_CONTEXT)
            continue;
        if (callers++ == 0) /* the address itself */
            continue;
        /* A call lies before its return address. */
        if (callers > WEFT_SCHEDULE_CHAIN
            || !observed_is_code(recording, image, stack.time, words[i] - 1))
            return n;
        addresses[n++] = words[i] - 1;
    }
    *whole = callers < WEFT_SCHEDULE_CHAIN && may_begin(chains, image, addresses[n - 1]);
    return n;
}

size_t chains_read_look(struct chains *chains, uint32_t image,
                        const struct weft_schedule_look *look,
                        uint64_t addresses[CHAIN_MOST], bool *whole)
{
    struct unwinding stack = { .image = image,
                               .time = look->time,
                               .bytes = (const unsigned char *)(look + 1),
                               .size = look->size - sizeof *look,
                               .base = look->stack_pointer,
                               .frame = NO_FRAME };
    size_t n;

    *whole = false;
    if (!observed_is_code(chains->join->recording, image, look->time,
                          look->program_counter))
        return 0;
    addresses[0] = look->program_counter;
    n = unwind(chains, &stack, addresses, CHAIN_MOST);
    *whole = is_first(chains, image, addresses[n - 1]);
    return n;
}
