/* SPDX-License-Identifier: Apache-2.0 */
/* Handles references that were not predicted. */
#include "domains/arrays/record/detect_loops.h"

#include <stdlib.h>
#include <string.h>

#include "domains/arrays/record/read_owners.h"
#include "record/log/log.h"

#define CORE weft_record_core_v1

enum {
    READ = 0,
    WRITE = 1,
};

static struct array_place *place_of(struct array_thread *thread,
                                    const struct array_site *site)
{
    return &thread->places[array_index_of(thread, site)];
}

static const struct array_site *last_of(const struct array_thread *thread)
{
    return (const struct array_site *)(const void *)thread->hooks.last;
}

/* The number of references of a site in the current run. */
static uint64_t count_of(const struct array_site *site)
{
    /* A run that has reached its limit has an `expected` of 0. */
    uint64_t now = site->next.expected ? site->next.expected : site->next.limit;

    if (site->start == 0)
        return site->seen;
    if (site->next.stride == 0)
        return site->seen + site->next.stays;
    return site->seen + (uint64_t)((int64_t)(now - site->start) / site->next.stride);
}

/* ---- A run's references of one place become a nest ---- */

/* The reference number ROUND of a site's run, without an owner yet. */
static struct array_nest nest_of(struct array_thread *thread, const struct array_site *site,
                                 uint64_t round)
{
    const struct array_place *place = place_of(thread, site);
    const struct array_memory *memory = &place->memory;
    int64_t from =
        (int64_t)(site->base - memory->begin + round * (uint64_t)site->next.stride);
    uint64_t element = (uint64_t)array_elements_of(memory, from);
    uint64_t last = (uint64_t)array_elements_of(memory, from + (int64_t)place->bytes - 1);
    uint64_t width = last - element + 1;
    struct array_nest nest = {
        .element = element,
        .array = memory->array,
        .owner_array = WEFT_RECORD_ARRAY_UNKNOWN,
        .operation = site->writes ? WRITE : READ,
        .order = memory->by_columns ? WEFT_ARRAY_BY_COLUMNS : 0,
    };

    if (width > 1)
        nest.loop[nest.n_loops++] = (struct array_loop){ .extent = width, .stride = 1 };
    return nest;
}

/* ---- The body of a loop ---- */

static void start_over(struct array_site *site)
{
    site->seen = 0;
    site->next.expected = site->start = site->next.limit = site->next.stays = 0;
}

/* Meets the references of a round of the first N sites of the body, in their order. */
static void meet_round(struct array_thread *thread, uint32_t n, uint64_t round)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct array_site *site = thread->body[i];
        struct array_nest nest;
        if (round >= count_of(site))
            continue;
        nest = nest_of(thread, site, round);
        array_meet(thread, array_index_of(thread, site), &nest,
                   array_elements_of(&place_of(thread, site)->memory, site->next.stride));
    }
}

/* Returns the first round of the first N sites of the body that is like those behind it:
   the second if they were met in rounds before, and their code is known. */
static uint64_t first_like_others(struct array_thread *thread, uint32_t n)
{
    bool known = true;

    for (uint32_t i = 0; i < n; i++) {
        const struct array_place *place = place_of(thread, thread->body[i]);
        known &= place->seasoned && place->function;
    }
    return known ? 1 : 2;
}

/*
 * Collects the references of the first N sites of the body, which came in this order.  One
 * of the rounds that are alike is met, and stands for all of them.
 */
static void collect_body(struct array_thread *thread, uint32_t n)
{
    enum { AT_ONCE = 2 }; /* rounds from which on it pays */
    uint64_t least = UINT64_MAX, most = 0, round = 0, alike = first_like_others(thread, n);

    for (uint32_t i = 0; i < n; i++) {
        uint64_t count = count_of(thread->body[i]);
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    thread->piece++;
    while (round < most) {
        if (round == alike && least >= alike + AT_ONCE) {
            thread->rounds = least - alike;
            meet_round(thread, n, round);
            array_rounds_end(thread);
            round = least;
        } else {
            meet_round(thread, n, round++);
        }
    }
    for (uint32_t i = 0; i < n && most > 2; i++)
        place_of(thread, thread->body[i])->seasoned = true;
}

/* Removes the first N sites from the body. */
static void drop(struct array_thread *thread, uint32_t n)
{
    for (uint32_t i = 0; i < thread->n_body; i++) {
        struct array_site *site = thread->body[i];
        if (i < n) {
            start_over(site);
            site->position = ARRAY_BODY;
        } else {
            site->position = (uint16_t)(i - n);
            thread->body[i - n] = site;
        }
    }
    thread->n_body -= n;
}

void array_close_runs(struct array_thread *thread)
{
    collect_body(thread, thread->n_body);
    drop(thread, thread->n_body);
    thread->repeats = false;
    thread->hooks.last = NULL;
}

/* ---- One reference ---- */

struct reference {
    uintptr_t address;
    const struct array_memory *memory;
    uint64_t bytes;
    bool writes;
};

/* How many more times a site may advance from ADDRESS before it leaves its array. */
static uint64_t rounds_left(const struct array_site *site, const struct array_place *place,
                            uintptr_t address)
{
    uint64_t before = address - place->memory.begin;
    uint64_t after = place->memory.size - before - place->bytes;

    if (site->next.stride == 0)
        return 1; /* it stays: no limit is reached */
    return site->next.stride > 0 ? after / (uint64_t)site->next.stride
                                 : before / -(uint64_t)site->next.stride;
}

/* The next address of a site whose run continues. */
static uintptr_t next_address(const struct array_site *site)
{
    return site->base + count_of(site) * (uint64_t)site->next.stride;
}

/* Predicts the reference after ADDRESS at a site; its stride may be of another array. */
static void foresee(struct array_thread *thread, struct array_site *site, uintptr_t address)
{
    const struct array_place *place = place_of(thread, site);
    uint64_t rounds;

    site->next.expected = site->start = site->next.limit = site->next.stays = 0;
    if (site->next.stride % (int64_t)place->memory.element_bytes != 0)
        return;
    rounds = rounds_left(site, place, address);
    if (rounds == 0)
        return;
    site->next.expected = site->start = weft_hook_sum(
        address + (uintptr_t)site->next.stride, place->site,
        (const struct weft_hook_site *)(const void *)site->previous, thread->stamp);
    site->next.limit = site->start + rounds * (uint64_t)site->next.stride;
}

/* Begins a run with its first reference. */
static void begin_run(struct array_thread *thread, struct array_site *site,
                      const struct reference *now)
{
    struct array_place *place = place_of(thread, site);

    array_look_for_code(thread, place);
    place->memory = *now->memory;
    place->bytes = now->bytes;
    site->writes = now->writes;
    start_over(site);
    site->base = now->address;
    site->seen = 1;
}

/* Returns true if a reference is of the same kind as the run's. */
static bool continues(const struct array_site *site, const struct array_place *place,
                      const struct reference *now)
{
    return place->memory.begin == now->memory->begin
           && place->memory.array == now->memory->array && place->bytes == now->bytes
           && site->writes == now->writes;
}

/* Takes the stride from the second reference of a run; it must be whole elements. */
static bool learn_stride(struct array_thread *thread, struct array_site *site,
                         const struct reference *now)
{
    const struct array_place *place = place_of(thread, site);
    int64_t stride = (int64_t)(now->address - site->base);

    if (!continues(site, place, now) || stride % (int64_t)place->memory.element_bytes != 0)
        return false;
    site->next.stride = stride;
    site->seen = 2;
    foresee(thread, site, now->address);
    return true;
}

/* Makes the sites from POSITION on the body; each continues with its latest stride. */
static void repeat_body(struct array_thread *thread, uint32_t position)
{
    collect_body(thread, position);
    drop(thread, position);
    thread->repeats = true;
    for (uint32_t i = 0; i < thread->n_body; i++) {
        struct array_site *site = thread->body[i];
        site->previous = thread->body[(i + thread->n_body - 1) % thread->n_body];
        foresee(thread, site, site->base);
    }
}

/* The loop has ended and begins again at this site. */
static void restart_body(struct array_thread *thread, uint32_t position)
{
    struct array_site *turned[ARRAY_BODY];
    uint32_t n = thread->n_body;

    collect_body(thread, n);
    for (uint32_t i = 0; i < n; i++)
        turned[i] = thread->body[(position + i) % n];
    for (uint32_t i = 0; i < n; i++) {
        thread->body[i] = turned[i];
        turned[i]->position = (uint16_t)i;
        start_over(turned[i]);
    }
}

/* Continues at the site predicted by the body. */
static void go_on(struct array_thread *thread, struct array_site *site,
                  const struct reference *now)
{
    struct array_place *place = place_of(thread, site);
    uint64_t n = count_of(site);

    if (site->next.expected != 0 && next_address(site) == now->address
        && continues(site, place, now)) {
        /* The prediction was right; the hook looks in the site's home slot only. */
        weft_hook_advance(&site->next);
        return;
    }
    if (n == 1 && learn_stride(thread, site, now))
        return;
    if (n > 0)
        restart_body(thread, site->position);
    begin_run(thread, site, now);
    foresee(thread, site, now->address);
}

/* Handles a reference at a site with another or no prediction. */
static void add_unpredicted(struct array_thread *thread, struct array_site *site,
                            const struct reference *now)
{
    bool in_body = site->position < thread->n_body;

    if (in_body && !thread->repeats)
        repeat_body(thread, site->position);
    if (in_body && site->previous == last_of(thread)) {
        go_on(thread, site, now);
        return;
    }
    if (thread->repeats || thread->n_body == ARRAY_BODY)
        array_close_runs(thread);
    begin_run(thread, site, now);
    site->position = (uint16_t)thread->n_body;
    thread->body[thread->n_body++] = site;
}

/* ---- Hooks ---- */

static const struct array_memory *find_memory(uintptr_t address, uint64_t bytes)
{
    for (uint32_t i = 0; i < array_world.n_memories; i++) {
        const struct array_memory *memory = &array_world.memories[i];
        uint64_t before = address - memory->begin;
        if (before < memory->size && memory->size - before >= bytes)
            return memory;
    }
    return NULL;
}

/* Lets the hooks of a program or library, whose thread pointer is SELF, use THREAD. */
static void show(struct array_thread *thread, struct weft_hook_thread **self)
{
    for (uint32_t i = 0; i < thread->n_selves; i++)
        if (thread->selves[i] == self)
            return;
    if (thread->n_selves == ARRAY_GATES)
        return;
    /* In a forked child *SELF already points here; its initial value is not known. */
    thread->nothing[thread->n_selves] = *self == &thread->hooks ? NULL : *self;
    thread->selves[thread->n_selves++] = self;
    *self = &thread->hooks;
}

static void refer(struct weft_hook_thread **self, uint64_t site,
                  const struct reference *now)
{
    struct array_thread *thread = array_thread_enter();
    struct array_site *at;

    if (!thread)
        return;
    show(thread, self);
    at = array_site_of(thread, array_thread_place(thread, site));
    add_unpredicted(thread, at, now);
    thread->hooks.last = (struct weft_hook_site *)(void *)at;
    array_thread_leave(thread);
}

/* Handles the parts of a memory range that are in arrays. */
static void refer_range(struct weft_hook_thread **self, uintptr_t address, uint64_t site,
                        uint64_t bytes, bool writes)
{
    for (uint32_t i = 0; i < array_world.n_memories; i++) {
        const struct array_memory *memory = &array_world.memories[i];
        uintptr_t begin = address > memory->begin ? address : memory->begin;
        uintptr_t end = memory->begin + memory->size;
        end = address + bytes < end ? address + bytes : end;
        if (begin < end)
            refer(self, site, &(struct reference){ begin, memory, end - begin, writes });
    }
}

void array_runs_surprise(struct weft_hook_thread **self, uintptr_t address, uint64_t site,
                         uint64_t bytes, uint32_t operation)
{
    const struct array_memory *memory = bytes > 0 ? find_memory(address, bytes) : NULL;

    if (memory)
        refer(self, site,
              &(struct reference){ address, memory, bytes, operation == WRITE });
    else
        refer_range(self, address, site, bytes, operation == WRITE);
}

/* The gates of the program and libraries with hooks, and the range that they were given. */
static struct weft_hook_gate *gates[ARRAY_GATES];
static uint32_t gate_versions[ARRAY_GATES];
static bool gates_locked;
static uintptr_t told_begin, told_size;

/* The caller has blocked signals (arrays.c, lock). */
static void lock_gates(void)
{
    while (__atomic_test_and_set(&gates_locked, __ATOMIC_ACQUIRE))
        ;
}

static void unlock_gates(void)
{
    __atomic_clear(&gates_locked, __ATOMIC_RELEASE);
}

static __thread bool gates_held_for_fork;

void array_hooks_fork(void)
{
    gates_held_for_fork = array_lock_for_fork(&gates_locked);
}

void array_hooks_forked(bool in_child)
{
    if (in_child || gates_held_for_fork)
        unlock_gates();
}

/* The size is 0 meanwhile, so that no hook combines an old and a new value. */
static void tell(struct weft_hook_gate *gate)
{
    __atomic_store_n(&gate->size, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&gate->key, array_world.stamp, __ATOMIC_RELEASE);
    __atomic_store_n(&gate->begin, told_begin, __ATOMIC_RELEASE);
    __atomic_store_n(&gate->size, told_size, __ATOMIC_RELEASE);
}

void array_tell_hooks(uintptr_t begin, uintptr_t size)
{
    lock_gates();
    told_begin = begin;
    told_size = size;
    for (uint32_t i = 0; i < ARRAY_GATES; i++)
        if (gates[i])
            tell(gates[i]);
    unlock_gates();
}

void array_leave_hooks(struct array_thread *thread)
{
    for (uint32_t i = 0; i < thread->n_selves; i++)
        if (thread->nothing[i])
            *thread->selves[i] = thread->nothing[i];
    thread->n_selves = 0;
}

/* Returns what the code at the address of a hook does, by where the linker put it. */
static unsigned kind_of_hook(const struct weft_hook_gate *gate, uint64_t target)
{
    return target - gate->reads < gate->reads_size     ? 1
           : target - gate->writes < gate->writes_size ? 2
           : target - gate->both < gate->both_size     ? 3
                                                       : 0;
}

/* Returns the address to which a jump at ADDRESS through the table of a library leads, or
   ADDRESS if there is no such jump. */
static uint64_t behind_jump(uint64_t address)
{
    static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    const uint8_t *code = (const uint8_t *)(uintptr_t)address;
    int32_t distance;
    uint64_t to;

    if (memcmp(code, endbr64, sizeof endbr64) == 0)
        code += sizeof endbr64;
    if (*code == 0xf2)
        code++;
    if (code[0] != 0xff || code[1] != 0x25)
        return address;
    memcpy(&distance, code + 2, sizeof distance);
    memcpy(&to, code + 6 + distance, sizeof to);
    return to;
}

unsigned array_hook_kind(uint64_t target)
{
    uint64_t behind = behind_jump(target);

    for (uint32_t i = 0; i < ARRAY_GATES; i++)
        if (gates[i] && gate_versions[i] >= WEFT_HOOKS_WITH_RANGES) {
            unsigned kind = kind_of_hook(gates[i], behind);
            if (kind)
                return kind;
        }
    return 0;
}

static void attach(uint32_t version, struct weft_hook_gate *gate)
{
    uint64_t signals;
    uint32_t i = 0;

    if (!getenv(WEFT_RECORD_ARRAYS_VARIABLE))
        return;
    signals = CORE.block_signals();
    lock_gates();
    while (i < ARRAY_GATES && gates[i])
        i++;
    if (i < ARRAY_GATES && (version == 1 || version == WEFT_HOOKS_VERSION)) {
        gate->surprise = array_runs_surprise;
        gate_versions[i] = version;
        gates[i] = gate;
        tell(gate);
        i = 0;
    } else {
        i = ARRAY_GATES;
    }
    unlock_gates();
    CORE.restore_signals(signals);
    if (i == ARRAY_GATES)
        array_lose(WEFT_ARRAY_OTHER_HOOKS, 1);
}

static void detach(struct weft_hook_gate *gate)
{
    uint64_t signals = CORE.block_signals();

    lock_gates();
    for (uint32_t i = 0; i < ARRAY_GATES; i++)
        if (gates[i] == gate)
            gates[i] = NULL;
    __atomic_store_n(&gate->size, 0, __ATOMIC_RELEASE);
    unlock_gates();
    CORE.restore_signals(signals);
}

WEFT_EXPORT extern const struct weft_hook_runtime weft_rt_hooks_v1;
const struct weft_hook_runtime weft_rt_hooks_v1 = { attach, detach };
