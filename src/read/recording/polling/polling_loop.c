/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/polling/polling_loop.h"

#include <string.h>

#include "read/recording/polling/polling_machine.h"
#include "read/recording/polling/x86_instruction.h"

enum {
    MAX_STEPS = 200, /* of all ways with at most so many forks together */
    MAX_FORKS = 8,   /* jumps on a way whose direction is unknown */
    MAX_COUNT = 64,  /* by which a counter in a loop with a pause may change in a round */
};

struct search {
    const struct polling_state *start;
    polling_code *code;
    void *user;
    int steps;
    unsigned most_forks; /* longer ways are tried when the shorter ones lead nowhere */
    bool cut;            /* there are some */
    enum polling best;
    struct polling_round round;
};

/* Values that differ after the round: which of the values at its start they follow from. */
struct changes {
    uint32_t of[POLLING_INPUTS]; /* by input; 0 also for those that do not change */
    uint32_t changing;           /* bits of the inputs that change */
    uint32_t counters;           /* those of registers that count */
};

static bool is_count(uint64_t before, uint64_t after)
{
    uint64_t up = after - before;

    return up <= MAX_COUNT || -up <= MAX_COUNT;
}

/* Collects the registers and flags that differ; false: one is computed from itself. */
static bool compare_registers(const struct machine *machine,
                              const struct polling_state *start, struct changes *changes)
{
    for (unsigned i = 0; i < X86_REGISTERS; i++) {
        const struct value *value = &machine->registers[i];
        if (value->known && value->bits == start->registers[i])
            continue;
        if (!value->known && (value->bits ^ start->registers[i]) & value->mask)
            return false;
        if (value->known
            && !(machine->paused && i != X86_RSP && i != X86_RBP
                 && is_count(start->registers[i], value->bits) && value->counts
                 && value->from == UINT32_C(1) << i))
            return false;
        if (value->known)
            changes->counters |= UINT32_C(1) << i;
        changes->changing |= UINT32_C(1) << i;
        changes->of[i] = value->known ? 0 : value->from;
    }
    return true;
}

static bool flags_differ(const struct machine *machine, const struct polling_state *start)
{
    return !machine->flags.known
           || (machine->flags.bits & POLLING_FLAGS) != (start->flags & POLLING_FLAGS);
}

/* Returns true if the stack had another value than the known one that WRITTEN has. */
static bool differs(const struct polling_state *start, const struct memory *written)
{
    uint64_t offset = written->address - start->registers[X86_RSP], before = 0;

    if (start->stack_size < written->size || offset > start->stack_size - written->size)
        return false;
    memcpy(&before, start->stack + offset, written->size);
    return before != written->value.bits;
}

/* The same of what is written to the stack, and was read in the round before that. */
static bool compare_stack(const struct machine *machine, struct changes *changes)
{
    for (unsigned i = 0; i < machine->n_written; i++) {
        const struct memory *written = &machine->written[i];
        int input = machine_input_at(machine, written);
        if (input == POLLING_OVERLAPS
            || (input >= 0 && written->value.known && differs(machine->start, written)))
            return false;
        if (written->value.known || input == POLLING_NO_INPUT) {
            changes->of[POLLING_UNREAD] |= written->value.from;
            continue;
        }
        changes->changing |= UINT32_C(1) << input;
        changes->of[input] = written->value.from;
    }
    return true;
}

/* Returns true if no value that changes follows from itself, also by way of others. */
static bool forgets(const struct changes *changes)
{
    uint32_t left = changes->changing, before;

    do {
        before = left;
        for (unsigned i = 0; i < POLLING_INPUTS; i++)
            if (left >> i & 1 && !(changes->of[i] & left))
                left &= ~(UINT32_C(1) << i);
    } while (left != before);
    return left == 0;
}

/* Returns true if a counter decides about anything but itself and the end of the loop. */
static bool counters_matter(const struct machine *machine, const struct changes *changes)
{
    uint32_t used = machine->addresses | changes->of[POLLING_UNREAD];

    for (unsigned i = 0; i < POLLING_INPUTS; i++)
        used |= i == POLLING_FLAGS_INPUT ? 0 : changes->of[i];
    return used & changes->counters;
}

/* The machine is back where it began. */
static enum polling judge(const struct machine *machine, const struct polling_state *start,
                          struct polling_round *round)
{
    struct changes changes = { 0 };
    uint32_t told;

    if ((machine->reads == 0 && !machine->paused) || machine->exchanges > 1)
        return POLLING_NO;
    if (!compare_registers(machine, start, &changes) || !compare_stack(machine, &changes))
        return POLLING_NO;
    if (flags_differ(machine, start)) {
        if (machine->flags.known && !(machine->flags.from & changes.counters))
            return POLLING_NO;
        changes.changing |= UINT32_C(1) << POLLING_FLAGS_INPUT;
        changes.of[POLLING_FLAGS_INPUT] = machine->flags.known ? 0 : machine->flags.from;
    }
    if (!forgets(&changes) || counters_matter(machine, &changes))
        return POLLING_NO;
    told = changes.changing & ~changes.counters & machine->decided;
    if (machine->assumes && !machine_condition(start->flags, machine->assumed))
        return POLLING_NO;
    round->fixed = ~changes.changing & ((UINT32_C(1) << (X86_REGISTERS + 1)) - 1);
    /* A compare-and-exchange is held to fail: only its own flags say that it did. */
    if (machine->swapped && !machine->of_swap)
        return POLLING_MAYBE;
    return told || machine->assumes || machine->began_with_pause || machine->after_pause
               ? POLLING_YES
               : POLLING_MAYBE;
}

static void go(struct search *search, struct machine *machine, unsigned forks);

/* Goes both ways of a jump whose condition is unknown. */
static void fork_ways(struct search *search, struct machine *machine,
                      const struct x86_instruction *instruction, unsigned forks)
{
    if (forks == search->most_forks) {
        search->cut = true;
        return;
    }
    for (unsigned taken = 0; taken < 2 && search->best != POLLING_YES; taken++) {
        struct machine other = *machine;
        other.assumes = true;
        other.assumed = (uint8_t)(instruction->condition ^ !taken);
        if (taken)
            other.address += (uint64_t)instruction->immediate;
        go(search, &other, forks + 1);
    }
}

/* Ends a way at the instruction at which it began. */
static bool came_round(struct search *search, const struct machine *machine)
{
    struct polling_round round;
    enum polling found;

    if (machine->address != search->start->address)
        return false;
    found = judge(machine, search->start, &round);
    if (found > search->best) {
        search->best = found;
        search->round = round;
    }
    return true;
}

/* Executes until the way comes round, is not decoded, writes elsewhere, or is too long. */
static void go(struct search *search, struct machine *machine, unsigned forks)
{
    unsigned char code[X86_MAX_BYTES];
    struct x86_instruction instruction;
    bool first = forks == 0;

    while (search->steps++ < MAX_STEPS) {
        size_t n;
        if (!first && came_round(search, machine))
            return;
        first = false;
        n = search->code(search->user, machine->address, code, sizeof code);
        if (!x86_decode(code, n, &instruction))
            return;
        switch (machine_step(machine, &instruction)) {
        case MACHINE_FAILED: return;
        case MACHINE_UNDECIDED: fork_ways(search, machine, &instruction, forks); return;
        case MACHINE_GOES_ON: break;
        }
    }
}

enum polling polling_examine(const struct polling_state *state, polling_code *code,
                             void *user, struct polling_round *round)
{
    struct search search = { .start = state, .code = code, .user = user };
    struct machine machine;

    for (unsigned most = 1; most <= MAX_FORKS; most *= 2) {
        search.most_forks = most;
        search.cut = false;
        search.steps = 0;
        machine_begin(&machine, state);
        go(&search, &machine, 0);
        if (search.best == POLLING_YES || !search.cut)
            break;
    }
    *round = search.round;
    return search.best;
}
