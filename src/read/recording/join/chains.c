/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/chains.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

struct rule_key {
    uint64_t image, address;
};

/* How to leave a function without a frame; bytes from the stack pointer. */
struct rule {
    bool known;
    int64_t returns; /* where the return address is */
    int64_t frame;   /* the caller's stack pointer */
};

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
    struct sites_frame frame;

    /* The rule is asked for by a return address, which is behind the call. */
    if (!sites_unwind(chains->join->sites, image, address + 1, &frame)
        || frame.by_frame_pointer)
        return (struct rule){ 0 };
    return (struct rule){ true, frame.offset + frame.returns, frame.offset };
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

static bool is_code(const struct chains *chains, uint32_t image,
                    const struct weft_schedule_place *place, uint64_t address)
{
    return observed_is_code(chains->join->recording, image, place->sample.time, address);
}

/* Appends the callers of functions without frames to the N addresses; returns how many. */
static size_t read_top(struct chains *chains, uint32_t image,
                       const struct weft_schedule_place *place, uint64_t *addresses)
{
    size_t size, n = 1;
    const unsigned char *top = observed_top_of_stack(place, &size);
    uint64_t pointer = 0; /* bytes from the sample's stack pointer */

    while (n < 1 + WEFT_SCHEDULE_STACK / 8) {
        struct rule rule = find_rule(chains, image, addresses[n - 1]);
        uint64_t returns = pointer + (uint64_t)rule.returns, address;
        if (!rule.known || rule.frame <= 0 || rule.returns < 0 || returns > size
            || size - returns < sizeof address)
            break;
        memcpy(&address, top + returns, sizeof address);
        if (!is_code(chains, image, place, address - 1))
            break;
        addresses[n++] = address - 1;
        pointer += (uint64_t)rule.frame;
    }
    return n;
}

/*
 * Returns true if a stack may begin with the function around ADDRESS: frame pointers do
 * not lead to the caller of a function without a frame.  Programs and threads begin in
 * such functions of the C library.
 */
static bool may_begin(struct chains *chains, uint32_t image, uint64_t address)
{
    return !find_rule(chains, image, address).known
           || sites_is_in(chains->join->sites, image, address, "libc.so");
}

size_t chains_read(struct chains *chains, uint32_t image,
                   const struct weft_schedule_place *place, uint64_t addresses[CHAIN_MOST],
                   bool *whole)
{
    const uint64_t *words = (const uint64_t *)(place + 1);
    size_t n, callers = 0;

    *whole = false;
    if (!is_code(chains, image, place, place->address))
        return 0;
    addresses[0] = place->address;
    n = read_top(chains, image, place, addresses);
    for (uint64_t i = 0; i < place->n; i++) {
        if (words[i] >= WEFT_SCHEDULE_CONTEXT)
            continue;
        if (callers++ == 0) /* the address itself */
            continue;
        /* A call lies before its return address. */
        if (callers > WEFT_SCHEDULE_CHAIN || !is_code(chains, image, place, words[i] - 1))
            return n;
        addresses[n++] = words[i] - 1;
    }
    *whole = callers < WEFT_SCHEDULE_CHAIN && may_begin(chains, image, addresses[n - 1]);
    return n;
}
