/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "domains/arrays/record/code_values.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "domains/arrays/record/arrays.h"
#include "domains/arrays/record/x86_flow.h"
#include "domains/arrays/record/x86_operands.h"

enum {
    BATCH = 64, /* reads whose values are followed at once: bits */
    CELLS =
        96, /* places of the frame, or at fixed addresses, in which values are followed */
    PLACES = X86_REGISTERS + CELLS,
    VISITS = 64, /* of each block and batch, at most */
};

/* The memory of a place: a distance from a register, or from address 0. */
struct cell {
    uint8_t base;
    int64_t distance;
};

/* The address in a register, if it is known. */
struct pointer {
    enum { NEVER_SET, KNOWN, UNKNOWN } state;
    struct cell to; /* if KNOWN */
};

/* The reads whose values are in each place; those of them that were read in the current
   iteration of their loops; and those of the latter that decide what is in the place. */
struct held {
    uint64_t value[PLACES], fresh[PLACES], truth[PLACES];
    struct pointer pointers[X86_VECTOR];
};

struct follow {
    struct code_blocks *all;
    code_hook_kind *kind;
    struct held *held; /* [all->n] when each block begins */
    struct cell cells[CELLS];
    uint32_t n_cells;
    bool has_frame; /* rbp points to the frame */
    bool wraps;     /* values of X86_WRAP are followed, instead of those of reads */
    uint32_t first; /* of the reads, those from this site on */
};

/* Values that an operation reads or writes. */
struct content {
    uint64_t value, fresh, truth;
};

/* While the instructions of a block are gone through. */
struct at_block {
    struct held now;
    uint32_t site;          /* the next one of the block */
    uint32_t load, store;   /* sites whose instruction is to come, or CODE_SITES */
    struct pointer pointer; /* of the hook that was called last */
    bool both;              /* the hook of STORE reads as well */
    bool has_argument;      /* it may have been told what is stored: */
    struct content argument;
    uint32_t unused; /* registers that were set, and not used since */
};

/* ---- Memory ---- */

static bool is_frame(const struct follow *f, const struct x86_memory *memory)
{
    return memory->index == X86_NOWHERE
           && (memory->base == X86_RSP || (f->has_frame && memory->base == X86_RBP));
}

/* Returns the place of memory in which values are followed, or X86_NOWHERE. */
static unsigned cell_of(struct follow *f, const struct x86_memory *memory)
{
    uint8_t base = memory->fixed ? X86_NOWHERE : memory->base;

    if (!memory->fixed && !is_frame(f, memory))
        return X86_NOWHERE;
    for (uint32_t i = 0; i < f->n_cells; i++)
        if (f->cells[i].base == base && f->cells[i].distance == memory->distance)
            return X86_REGISTERS + i;
    if (f->n_cells == CELLS)
        return X86_NOWHERE;
    f->cells[f->n_cells] = (struct cell){ base, memory->distance };
    return X86_REGISTERS + f->n_cells++;
}

/* Forgets what is in memory at distances from BASE. */
static void forget_cells(const struct follow *f, struct held *now, uint8_t base)
{
    for (uint32_t i = 0; i < f->n_cells; i++)
        if (f->cells[i].base == base)
            now->value[X86_REGISTERS + i] = now->fresh[X86_REGISTERS + i] =
                now->truth[X86_REGISTERS + i] = 0;
}

/* Returns true if MEMORY is that of the hook which was called before. */
static bool is_at_pointer(const struct follow *f, const struct at_block *b,
                          const struct x86_memory *memory)
{
    if (b->pointer.state == KNOWN)
        return memory->index == X86_NOWHERE
               && b->pointer.to.base == (memory->fixed ? X86_NOWHERE : memory->base)
               && b->pointer.to.distance == memory->distance;
    return !memory->fixed && !is_frame(f, memory);
}

/* Returns true if memory that a hook was told of is of an array.  The content of an array
   is not followed: it is read anew. */
static bool is_array(const struct follow *f, unsigned cell)
{
    const struct cell *at = &f->cells[cell - X86_REGISTERS];

    if (at->base != X86_NOWHERE)
        return true;
    for (uint32_t i = 0; i < array_world.n_memories; i++)
        if ((uint64_t)at->distance - array_world.memories[i].begin
            < array_world.memories[i].size)
            return true;
    return false;
}

/* ---- Operations ---- */

static uint64_t bit_of(const struct follow *f, uint32_t site)
{
    return !f->wraps && site >= f->first && site < f->first + BATCH
               ? UINT64_C(1) << (site - f->first)
               : 0;
}

/* Notes that WRITE stores values, some of them of the same iteration. */
static void note_store(const struct follow *f, uint32_t write, uint64_t values,
                       uint64_t fresh)
{
    struct code_blocks *all = f->all;

    if (f->wraps)
        return;
    all->sites[write].followed = true;
    for (uint32_t i = 0; i < BATCH && values >> i; i++)
        if (values >> i & 1)
            all->stores[f->first + i][write / 64] |= UINT64_C(1) << write % 64;
    for (uint32_t i = 0; i < BATCH && fresh >> i; i++)
        if (fresh >> i & 1)
            all->stores_now[f->first + i][write / 64] |= UINT64_C(1) << write % 64;
}

/* Ends the wait for the instructions behind a hook.  If the store did not come, the hook
   itself may have made it. */
static void stop_waiting(const struct follow *f, struct at_block *b)
{
    uint64_t own = b->both && b->store != CODE_SITES ? bit_of(f, b->store - 1) : 0;

    if (b->store != CODE_SITES && (b->both || b->has_argument))
        note_store(f, b->store, own | b->argument.value, own | b->argument.fresh);
    b->load = b->store = CODE_SITES;
}

static void add_input(struct follow *f, struct at_block *b, const struct x86_operation *o,
                      uint8_t input, struct content *read)
{
    unsigned place = input;

    if (input == X86_MEMORY) {
        place = cell_of(f, &o->memory);
        if (b->load != CODE_SITES && is_at_pointer(f, b, &o->memory)) {
            read->value |= bit_of(f, b->load);
            read->fresh |= bit_of(f, b->load);
            b->load = CODE_SITES;
            if (place < PLACES && is_array(f, place))
                return;
        }
    }
    if (place >= PLACES)
        return;
    read->value |= b->now.value[place];
    read->fresh |= b->now.fresh[place];
    read->truth |= b->now.truth[place];
    if (place < X86_FLAGS)
        b->unused &= ~(1u << place);
}

static void set_output(struct follow *f, struct at_block *b, const struct x86_operation *o,
                       uint8_t output, struct content what)
{
    unsigned place = output;

    if (output == X86_MEMORY) {
        place = cell_of(f, &o->memory);
        if (b->store != CODE_SITES && is_at_pointer(f, b, &o->memory)) {
            note_store(f, b->store, what.value, what.fresh);
            b->store = CODE_SITES;
            if (place < PLACES && is_array(f, place))
                what = (struct content){ 0 };
        }
    }
    if (place >= PLACES || place == X86_RSP)
        return;
    b->now.value[place] = what.value;
    b->now.fresh[place] = what.fresh;
    b->now.truth[place] = what.truth;
    if (place < X86_FLAGS)
        b->unused |= 1u << place;
}

/* Forgets what the registers in a set of bits point to. */
static void forget_pointers(struct at_block *b, uint32_t registers)
{
    for (uint32_t i = 0; i < X86_VECTOR; i++)
        if (registers >> i & 1)
            b->now.pointers[i].state = UNKNOWN;
}

static void operate(struct follow *f, struct at_block *b, const struct x86_operation *o)
{
    struct content read = { 0 };

    if (o->compute == X86_UNKNOWN) {
        stop_waiting(f, b);
        memset(&b->now, 0, sizeof b->now);
        forget_pointers(b, 0xffff);
        b->unused = 0;
        return;
    }
    for (int i = 0; i < 3; i++)
        add_input(f, b, o, o->inputs[i], &read);
    if (f->wraps && o->compute == X86_WRAP)
        read.value = 1;
    if (o->compute == X86_TRUTH)
        read.value = read.fresh = 0;
    if (o->compute != X86_NOTHING)
        for (int i = 0; i < 2; i++)
            set_output(f, b, o, o->outputs[i], read);
    if (o->sets_flags)
        b->now.truth[X86_FLAGS] = read.fresh | read.truth;
    if (o->moves_stack || o->outputs[0] == X86_RSP)
        forget_cells(f, &b->now, X86_RSP);
    if (o->outputs[0] == X86_RBP)
        forget_cells(f, &b->now, X86_RBP);
}

/* Returns true if an instruction adds a constant to a register, *MORE. */
static bool adds_constant(const uint8_t *code, int64_t *more)
{
    bool is_short = *code == 0x83, is_rax = *code == 0x05;
    const uint8_t *at = code + (is_rax ? 1 : 2);
    int32_t value;

    if (!is_rax && ((*code != 0x81 && !is_short) || (code[1] & 0xf8) != 0xc0))
        return false;
    memcpy(&value, at, is_short ? 1 : sizeof value);
    *more = is_short ? (int8_t)*at : value;
    return true;
}

/* Keeps what registers point to. */
static void keep_pointers(struct follow *f, struct at_block *b, const uint8_t *code,
                          const struct x86_operation *o)
{
    uint8_t to = o->outputs[0];
    unsigned at = (code[0] & 0xf0) == 0x40;
    struct pointer pointer = { .state = UNKNOWN };
    int64_t more;

    if (o->compute != X86_UNKNOWN && o->outputs[1] < X86_VECTOR)
        forget_pointers(b, 1u << o->outputs[1]);
    if (o->compute == X86_UNKNOWN || to >= X86_VECTOR || to == X86_RSP)
        return;
    if (code[at] == 0x8d && (o->memory.fixed || is_frame(f, &o->memory))) {
        pointer = (struct pointer){
            KNOWN, { o->memory.fixed ? X86_NOWHERE : o->memory.base, o->memory.distance }
        };
    } else if (code[at] == 0x8d && o->memory.index == X86_NOWHERE
               && o->memory.base < X86_VECTOR) {
        pointer = b->now.pointers[o->memory.base];
        pointer.to.distance += o->memory.distance;
    } else if ((code[at] & 0xf8) == 0xb8 && !(at && code[0] & 8)) {
        uint32_t address;
        memcpy(&address, code + at + 1, sizeof address);
        pointer = (struct pointer){ KNOWN, { X86_NOWHERE, address } };
    } else if ((code[at] == 0x89 || code[at] == 0x8b) && o->inputs[0] < X86_VECTOR) {
        pointer = b->now.pointers[o->inputs[0]];
    }
    if (adds_constant(code + at, &more)) {
        pointer = b->now.pointers[to];
        pointer.to.distance += more;
    }
    b->now.pointers[to] = pointer;
}

/* ---- Calls ---- */

/* Forgets the registers that a function called may change. */
static void forget_called(struct at_block *b)
{
    static const uint8_t saved[] = { 3, X86_RSP, X86_RBP, 12, 13, 14, 15 };
    struct held before = b->now;

    memset(b->now.value, 0, X86_REGISTERS * sizeof *b->now.value);
    memset(b->now.fresh, 0, X86_REGISTERS * sizeof *b->now.fresh);
    memset(b->now.truth, 0, X86_REGISTERS * sizeof *b->now.truth);
    for (unsigned i = 0; i < sizeof saved; i++) {
        b->now.value[saved[i]] = before.value[saved[i]];
        b->now.fresh[saved[i]] = before.fresh[saved[i]];
        b->now.truth[saved[i]] = before.truth[saved[i]];
    }
    forget_pointers(b, 0xffff & ~(1u << 3 | 1u << X86_RSP | 1u << X86_RBP | 0xf000));
    b->unused = 0;
}

/* The result of a function is of the values in the registers of arguments that were set for
   the call. */
static void call_other(struct follow *f, struct at_block *b)
{
    static const uint32_t arguments = 1u << X86_RDI | 1u << X86_RSI | 1u << X86_RDX
                                      | 1u << X86_RCX | 3u << 8 | 0xffu << X86_VECTOR;
    uint64_t value = 0, fresh = 0;

    stop_waiting(f, b);
    for (unsigned i = 0; i < X86_FLAGS; i++)
        if (arguments >> i & b->unused >> i & 1) {
            value |= b->now.value[i];
            fresh |= b->now.fresh[i];
        }
    forget_called(b);
    forget_cells(f, &b->now, X86_NOWHERE);
    if (!f->wraps) {
        b->now.value[X86_RAX] = b->now.value[X86_VECTOR] = value;
        b->now.fresh[X86_RAX] = b->now.fresh[X86_VECTOR] = fresh;
    }
}

static void call_hook(struct follow *f, struct at_block *b, unsigned kind)
{
    struct code_site *sites = &f->all->sites[b->site];

    stop_waiting(f, b);
    b->both = kind == 3;
    b->pointer = b->now.pointers[X86_RDI];
    b->has_argument = b->unused >> X86_RSI & 1;
    b->argument = (struct content){ 0 };
    if (b->has_argument)
        b->argument = (struct content){ .value = b->now.value[X86_RSI],
                                        .fresh = b->now.fresh[X86_RSI] };
    b->load = kind & 1 ? b->site : CODE_SITES;
    b->store = kind & 2 ? b->site + (kind == 3) : CODE_SITES;
    b->site += kind == 3 ? 2 : 1;
    if (f->wraps && b->now.value[X86_RDI])
        sites[0].wraps = sites[kind == 3].wraps = true;
    forget_called(b);
    if (b->load != CODE_SITES) /* a hook that reads itself returns the value */
        b->now.value[X86_RAX] = b->now.fresh[X86_RAX] = bit_of(f, b->load);
}

/* ---- Blocks ---- */

static void add_bits(uint64_t *to, uint64_t from, bool *changed)
{
    *changed |= from & ~*to;
    *to |= from;
}

/* Adds to what is held when a block begins.  Values of the reads OLD are of an iteration
   that has ended. */
static void add_held(struct held *to, const struct held *from, uint64_t old, bool *changed)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        add_bits(&to->value[i], from->value[i], changed);
        add_bits(&to->fresh[i], from->fresh[i] & ~old, changed);
        add_bits(&to->truth[i], from->truth[i] & ~old, changed);
    }
    for (uint32_t i = 0; i < X86_VECTOR; i++) {
        const struct pointer *a = &from->pointers[i];
        struct pointer *b = &to->pointers[i];
        if (b->state == UNKNOWN || a->state == NEVER_SET)
            continue;
        if (b->state == NEVER_SET) {
            *b = *a;
        } else if (a->state == UNKNOWN || a->to.base != b->to.base
                   || a->to.distance != b->to.distance) {
            b->state = UNKNOWN;
        } else {
            continue;
        }
        *changed = true;
    }
}

/* Notes which values decide the branch that ends a block, or return from the function. */
static void note_end(const struct follow *f, const struct at_block *b, uint32_t block,
                     enum x86_flow flow)
{
    uint64_t decide = b->now.truth[X86_FLAGS];
    uint64_t returned = b->now.value[X86_RAX] | b->now.value[X86_VECTOR];

    if (f->wraps)
        return;
    for (uint32_t i = 0; i < BATCH && f->first + i < f->all->n_sites; i++) {
        if (flow == X86_FLOW_BRANCH && decide >> i & 1)
            f->all->decides[f->first + i][block / 64] |= UINT64_C(1) << block % 64;
        if (flow == X86_FLOW_END && returned >> i & 1)
            f->all->sites[f->first + i].returned = true;
    }
}

static void go_through(struct follow *f, uint32_t number, struct at_block *b)
{
    const struct code_block *block = &f->all->blocks[number];
    uint64_t address = code_address(f->all, block->begin);
    uint64_t last = code_address(f->all, block->end - 1), end = last + 15;
    enum x86_flow flow = X86_FLOW_NEXT;

    while (address <= last) {
        const uint8_t *code = (const uint8_t *)(uintptr_t)address;
        unsigned length, kind;
        uintptr_t target;
        struct x86_operation o;
        flow = array_x86_flow(code, (size_t)(end + 1 - address), &length, &target);
        kind = flow == X86_FLOW_CALL ? f->kind(target) : 0;
        o = array_x86_operation(code, length);
        if (kind != 0) {
            call_hook(f, b, kind);
        } else if (flow == X86_FLOW_CALL || (code[0] == 0xff && (code[1] & 0x38) == 0x10)
                   || (code[0] == 0x41 && code[1] == 0xff && (code[2] & 0x38) == 0x10)) {
            call_other(f, b);
        } else {
            operate(f, b, &o);
            keep_pointers(f, b, code, &o);
        }
        address += length;
    }
    stop_waiting(f, b);
    note_end(f, b, number, flow);
}

/* Returns the reads of which an iteration ends when block NEXT follows NUMBER: bits. */
static uint64_t old_reads(const struct follow *f, uint32_t number, uint16_t next)
{
    const struct code_blocks *all = f->all;
    uint64_t old = 0;

    if (f->wraps || all->blocks[next].order > all->blocks[number].order)
        return 0;
    for (uint32_t i = 0; i < BATCH && f->first + i < all->n_sites; i++)
        if (code_block_inside(all, all->sites[f->first + i].loop, all->blocks[next].loop))
            old |= UINT64_C(1) << i;
    return old;
}

/* Follows the values of one batch, until no place has more. */
static void follow_batch(struct follow *f)
{
    struct code_blocks *all = f->all;
    bool changed = true;

    memset(f->held, 0, all->n * sizeof *f->held);
    for (uint32_t i = 0; i < X86_VECTOR; i++)
        f->held[all->ordered[0]].pointers[i].state = UNKNOWN;
    for (uint32_t visit = 0; changed && visit < VISITS; visit++) {
        changed = false;
        for (uint32_t i = 0; i < all->n; i++) {
            uint32_t number = all->ordered[i];
            struct at_block b = { .now = f->held[number],
                                  .site = all->blocks[number].first_site,
                                  .load = CODE_SITES,
                                  .store = CODE_SITES };
            go_through(f, number, &b);
            for (int k = 0; k < 2; k++) {
                uint16_t next = all->blocks[number].next[k];
                if (next != CODE_NO_BLOCK)
                    add_held(&f->held[next], &b.now, old_reads(f, number, next), &changed);
            }
        }
    }
}

/* Returns true if the function begins by letting rbp point to its frame. */
static bool sets_frame(const struct code_blocks *all)
{
    const struct code_block *block = &all->blocks[all->ordered[0]];
    uint64_t address = code_address(all, block->begin);
    uint64_t last = code_address(all, block->end - 1);

    while (address <= last) {
        const uint8_t *code = (const uint8_t *)(uintptr_t)address;
        unsigned length;
        uintptr_t target;
        struct x86_operation o;
        if (array_x86_flow(code, 15, &length, &target) == X86_FLOW_CALL)
            return false;
        o = array_x86_operation(code, length);
        if (o.is_wide_copy && o.outputs[0] == X86_RBP && o.inputs[0] == X86_RSP)
            return true;
        address += length;
    }
    return false;
}

bool code_follow_values(struct code_blocks *all, code_hook_kind *kind)
{
    struct follow f = { .all = all, .kind = kind };
    int saved = errno;
    size_t bytes = all->n * sizeof *f.held;

    f.held = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    if (f.held == MAP_FAILED)
        return false;
    f.has_frame = sets_frame(all);
    for (f.first = 0; f.first < all->n_sites; f.first += BATCH)
        follow_batch(&f);
    f.wraps = true;
    follow_batch(&f);
    (void)munmap(f.held, bytes);
    return true;
}
