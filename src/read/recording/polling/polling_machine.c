/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/polling/polling_machine.h"

#include <string.h>

enum { CARRY = 1, PARITY = 4, ZERO = 0x40, SIGN = 0x80, OVERFLOW_FLAG = 0x800 };
/* How far from the stack pointer a variable may lie that is taken for the thread's own. */
enum { STACK_BYTES = 65536 };

static uint64_t mask_of(unsigned size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

static struct value known(uint64_t bits)
{
    return (struct value){ .bits = bits, .known = true };
}

void machine_begin(struct machine *machine, const struct polling_state *start)
{
    *machine = (struct machine){ .start = start, .address = start->address };
    for (unsigned i = 0; i < X86_REGISTERS; i++)
        machine->registers[i] =
            (struct value){ start->registers[i], true, 0, true, UINT32_C(1) << i };
    machine->flags =
        (struct value){ start->flags, true, 0, false, UINT32_C(1) << POLLING_FLAGS_INPUT };
}

bool machine_condition(uint64_t flags, unsigned condition)
{
    bool less = !(flags & SIGN) != !(flags & OVERFLOW_FLAG), result;

    switch (condition >> 1) {
    case 0: result = flags & OVERFLOW_FLAG; break;
    case 1: result = flags & CARRY; break;
    case 2: result = flags & ZERO; break;
    case 3: result = flags & (CARRY | ZERO); break;
    case 4: result = flags & SIGN; break;
    case 5: result = flags & PARITY; break;
    case 6: result = less; break;
    default: result = less || flags & ZERO; break;
    }
    return result != (condition & 1);
}

/* Sets *ADDRESS; returns false if it is unknown. */
static bool address_of(struct machine *machine, const struct x86_instruction *instruction,
                       const struct x86_operand *operand, struct value *address)
{
    *address = known((uint64_t)operand->displacement);
    if (operand->base == X86_SEGMENT)
        address->known = false;
    else if (operand->base == X86_RIP)
        address->bits += machine->address + instruction->length;
    else if (operand->base != X86_NO_REGISTER) {
        const struct value *base = &machine->registers[operand->base];
        address->bits += base->bits;
        address->counts = base->counts;
        address->known &= base->known;
        address->from |= base->from;
    }
    if (operand->index != X86_NO_REGISTER) {
        const struct value *index = &machine->registers[operand->index];
        address->bits += index->bits * operand->scale;
        address->counts = false;
        address->known &= index->known;
        address->from |= index->from;
    }
    return address->known;
}

static bool is_own_stack(const struct machine *machine, uint64_t address)
{
    uint64_t pointer = machine->start->registers[X86_RSP];

    return address - pointer < STACK_BYTES || pointer - address < STACK_BYTES;
}

static bool overlaps(const struct memory *a, const struct memory *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

static bool same_place(const struct memory *a, const struct memory *b)
{
    return a->address == b->address && a->size == b->size;
}

int machine_input_at(const struct machine *machine, const struct memory *place)
{
    int found = POLLING_NO_INPUT;

    for (unsigned i = 0; i < machine->n_read; i++)
        if (same_place(&machine->read[i], place))
            found = (int)(POLLING_FIRST_STACK + i);
        else if (overlaps(&machine->read[i], place))
            return POLLING_OVERLAPS;
    return found;
}

/* Reads a place of the stack that was not written: it is an input. */
static bool read_input(struct machine *machine, struct memory *place)
{
    int input = machine_input_at(machine, place);

    if (input == POLLING_OVERLAPS)
        return false;
    if (input == POLLING_NO_INPUT) {
        if (machine->n_read == MACHINE_MEMORY)
            return false;
        input = (int)(POLLING_FIRST_STACK + machine->n_read);
        machine->read[machine->n_read++] = *place;
    }
    place->value.from |= UINT32_C(1) << input;
    return true;
}

/* Sets *OUT to what memory has at ADDRESS: unknown unless it was written before. */
static bool load(struct machine *machine, const struct value *address, unsigned size,
                 struct value *out)
{
    struct memory place = { address->bits, size, { .from = address->from } };

    machine->addresses |= address->from;
    if (address->known && is_own_stack(machine, address->bits)) {
        for (unsigned i = machine->n_written; i-- > 0;) {
            if (same_place(&machine->written[i], &place)) {
                *out = machine->written[i].value;
                return true;
            }
            if (overlaps(&machine->written[i], &place))
                return false;
        }
        if (!read_input(machine, &place))
            return false;
    }
    machine->reads++;
    *out = place.value;
    return true;
}

static bool store(struct machine *machine, const struct value *address, unsigned size,
                  struct value value)
{
    struct memory place = { address->bits, size, value };

    machine->addresses |= address->from;
    if (!address->known || !is_own_stack(machine, address->bits))
        return false;
    for (unsigned i = 0; i < machine->n_written; i++) {
        if (same_place(&machine->written[i], &place)) {
            machine->written[i].value = value;
            return true;
        }
        if (overlaps(&machine->written[i], &place))
            return false;
    }
    if (machine->n_written == MACHINE_MEMORY)
        return false;
    machine->written[machine->n_written++] = place;
    return true;
}

static bool read_operand(struct machine *machine, const struct x86_instruction *at,
                         const struct x86_operand *operand, unsigned size,
                         struct value *out)
{
    struct value address;

    switch (operand->place) {
    case X86_IN_REGISTER: *out = machine->registers[operand->reg]; break;
    case X86_IMMEDIATE: *out = known((uint64_t)at->immediate); break;
    case X86_IN_MEMORY:
        (void)address_of(machine, at, operand, &address);
        if (!load(machine, &address, size, out))
            return false;
        break;
    default: *out = known(0); break;
    }
    out->known |= (out->mask & mask_of(size)) == mask_of(size);
    out->bits &= mask_of(size);
    return true;
}

/*
 * Writes a register: 4 bytes clear the upper half, fewer leave the others, which do not
 * count as an input while they are those from the begin.
 */
static void set_register(struct machine *machine, unsigned number, unsigned size,
                         struct value value)
{
    struct value *reg = &machine->registers[number];

    value.bits &= mask_of(size);
    value.counts &= size >= 4;
    if (size < 4) {
        value.bits |= reg->bits & ~mask_of(size);
        value.mask = ((value.known ? UINT64_MAX : value.mask) & mask_of(size))
                     | ((reg->known ? UINT64_MAX : reg->mask) & ~mask_of(size));
        value.known &= reg->known;
        if (!reg->known || (reg->bits ^ machine->start->registers[number]) & ~mask_of(size))
            value.from |= reg->from;
    }
    *reg = value;
}

static bool write_operand(struct machine *machine, const struct x86_instruction *at,
                          const struct x86_operand *operand, struct value value)
{
    struct value address;

    if (operand->place == X86_IN_REGISTER) {
        set_register(machine, operand->reg, at->size, value);
        return true;
    }
    value.bits &= mask_of(at->size);
    return operand->place == X86_IN_MEMORY && address_of(machine, at, operand, &address)
           && store(machine, &address, at->size, value);
}

static void set_flags(struct machine *machine, struct value flags)
{
    machine->flags = flags;
    machine->assumes = machine->of_swap = false;
}

static uint64_t flags_of_result(uint64_t result, unsigned size)
{
    uint64_t flags = 0;

    if ((result & mask_of(size)) == 0)
        flags |= ZERO;
    if (result >> (8 * size - 1) & 1)
        flags |= SIGN;
    if (!__builtin_parity((unsigned)(result & 0xff)))
        flags |= PARITY;
    return flags;
}

/* Sets the flags of RESULT = A + B or A - B. */
static uint64_t flags_of_sum(uint64_t a, uint64_t b, uint64_t result, unsigned size,
                             bool subtract)
{
    uint64_t flags = flags_of_result(result, size), top = 8 * size - 1;
    uint64_t overflow = subtract ? (a ^ b) & (a ^ result) : ~(a ^ b) & (a ^ result);

    a &= mask_of(size);
    if (subtract ? a < (b & mask_of(size)) : (result & mask_of(size)) < a)
        flags |= CARRY;
    if (overflow >> top & 1)
        flags |= OVERFLOW_FLAG;
    return flags;
}

/* Returns the result of two values, and sets the flags. */
static struct value compute(struct machine *machine, const struct x86_instruction *at,
                            struct value a, struct value b)
{
    struct value result = { 0, a.known && b.known, 0, false, a.from | b.from },
                 flags = result;
    unsigned bits = 8 * at->size, count = (unsigned)b.bits & (at->size == 8 ? 63 : 31);
    int64_t extended = (int64_t)(a.bits << (64 - bits)) >> (64 - bits);

    switch (at->kind) {
    case X86_ADD:
        result.bits = a.bits + b.bits;
        flags.bits = flags_of_sum(a.bits, b.bits, result.bits, at->size, false);
        break;
    case X86_SUB:
    case X86_COMPARE:
        result.bits = a.bits - b.bits;
        flags.bits = flags_of_sum(a.bits, b.bits, result.bits, at->size, true);
        break;
    case X86_AND:
    case X86_TEST: result.bits = a.bits & b.bits; break;
    case X86_OR: result.bits = a.bits | b.bits; break;
    case X86_XOR: result.bits = a.bits ^ b.bits; break;
    case X86_SHIFT_LEFT: result.bits = count < bits ? a.bits << count : 0; break;
    case X86_SHIFT_RIGHT: result.bits = count < bits ? a.bits >> count : 0; break;
    default: result.bits = (uint64_t)(extended >> (count < bits ? count : bits - 1)); break;
    }
    if (at->kind == X86_AND || at->kind == X86_TEST || at->kind == X86_OR
        || at->kind == X86_XOR)
        flags.bits = flags_of_result(result.bits, at->size);
    else if (at->kind >= X86_SHIFT_LEFT)
        flags.known = false;
    result.counts = (at->kind == X86_ADD || at->kind == X86_SUB) && a.counts && !b.from;
    set_flags(machine, flags);
    return result;
}

static bool is_same_register(const struct x86_instruction *at)
{
    return at->to.place == X86_IN_REGISTER && at->from.place == X86_IN_REGISTER
           && at->to.reg == at->from.reg;
}

static bool arithmetic(struct machine *machine, const struct x86_instruction *at)
{
    struct value a, b, result;

    if (at->kind == X86_ADD_CARRY || at->kind == X86_SUB_BORROW
        || !read_operand(machine, at, &at->to, at->size, &a)
        || !read_operand(machine, at, &at->from, at->size, &b))
        return false;
    if ((at->kind == X86_XOR || at->kind == X86_SUB) && is_same_register(at))
        a = b = known(0);
    result = compute(machine, at, a, b);
    return at->kind == X86_COMPARE || at->kind == X86_TEST
           || write_operand(machine, at, &at->to, result);
}

/* Increment and decrement keep the carry; not and negate. */
static bool one_operand(struct machine *machine, const struct x86_instruction *at)
{
    struct value value, before = machine->flags;
    struct x86_instruction same = *at;

    if (!read_operand(machine, at, &at->to, at->size, &value))
        return false;
    if (at->kind == X86_NOT) {
        value.counts = false;
        value.bits = ~value.bits;
        return write_operand(machine, at, &at->to, value);
    }
    same.kind = at->kind == X86_INCREMENT ? X86_ADD : X86_SUB;
    value = at->kind == X86_NEGATE ? compute(machine, &same, known(0), value)
                                   : compute(machine, &same, value, known(1));
    if (at->kind != X86_NEGATE) {
        machine->flags.bits =
            (machine->flags.bits & ~(uint64_t)CARRY) | (before.bits & CARRY);
        machine->flags.known &= before.known;
        machine->flags.from |= before.from;
    }
    return write_operand(machine, at, &at->to, value);
}

static bool extend(struct machine *machine, const struct x86_instruction *at)
{
    struct value value;
    unsigned shift = 64 - 8 * at->from_size;

    if (!read_operand(machine, at, &at->from, at->from_size, &value))
        return false;
    value.counts = false;
    value.mask = 0;
    if (at->kind == X86_SIGN_EXTEND)
        value.bits = (uint64_t)((int64_t)(value.bits << shift) >> shift);
    return write_operand(machine, at, &at->to, value);
}

static void sign_to_rdx(struct machine *machine, const struct x86_instruction *at)
{
    struct value value = machine->registers[X86_RAX];

    value.counts = false;
    value.mask = 0;
    value.bits = value.bits >> (8 * at->size - 1) & 1 ? UINT64_MAX : 0;
    set_register(machine, X86_RDX, at->size, value);
}

/* setcc and cmov */
static bool conditional(struct machine *machine, const struct x86_instruction *at)
{
    struct value flags = machine->flags, from, to;
    bool holds = machine_condition(flags.bits, at->condition);

    if (at->kind == X86_SET)
        return write_operand(machine, at, &at->to,
                             (struct value){ holds, flags.known, 0, false, flags.from });
    if (!read_operand(machine, at, &at->to, at->size, &to)
        || !read_operand(machine, at, &at->from, at->size, &from))
        return false;
    if (flags.known)
        to = holds ? from : to;
    else
        to.known = false;
    to.counts = false;
    to.mask = 0;
    to.from |= from.from | flags.from;
    return write_operand(machine, at, &at->to, to);
}

static bool push(struct machine *machine, struct value value)
{
    struct value *pointer = &machine->registers[X86_RSP];

    pointer->bits -= 8;
    return pointer->known && store(machine, pointer, 8, value);
}

/* A value that was pushed before the round is known from the copy of the stack. */
static bool pop(struct machine *machine, struct value *value)
{
    struct value *pointer = &machine->registers[X86_RSP];
    const struct polling_state *start = machine->start;
    uint64_t offset = pointer->bits - start->registers[X86_RSP];

    if (!pointer->known || !load(machine, pointer, 8, value))
        return false;
    if (!value->known && start->stack_size >= 8 && offset <= start->stack_size - 8
        && value->from >> POLLING_FIRST_STACK) {
        memcpy(&value->bits, start->stack + offset, 8);
        value->known = true;
    }
    pointer->bits += 8;
    return true;
}

static bool exchange(struct machine *machine, const struct x86_instruction *at)
{
    struct value a, b, address;

    if (at->to.place == X86_IN_REGISTER) {
        a = machine->registers[at->to.reg];
        b = machine->registers[at->from.reg];
        set_register(machine, at->to.reg, at->size, b);
        set_register(machine, at->from.reg, at->size, a);
        return true;
    }
    machine->exchanges++;
    b = machine->registers[at->from.reg];
    (void)address_of(machine, at, &at->to, &address);
    machine->addresses |= address.from | b.from;
    machine->reads++;
    set_register(machine, at->from.reg, at->size, (struct value){ .from = address.from });
    return b.known && !(address.known && is_own_stack(machine, address.bits));
}

/* Only the way on which it fails, and writes nothing, can go round without progress. */
static bool compare_exchange(struct machine *machine, const struct x86_instruction *at)
{
    struct value address;

    if (at->to.place != X86_IN_MEMORY)
        return false;
    (void)address_of(machine, at, &at->to, &address);
    machine->addresses |= address.from;
    machine->reads++;
    set_register(machine, X86_RAX, at->size, (struct value){ .from = address.from });
    set_flags(machine, (struct value){ .from = address.from });
    machine->exchanges++;
    machine->swapped = machine->of_swap = true;
    machine->assumes = true;
    machine->assumed = 5; /* not equal */
    return !(address.known && is_own_stack(machine, address.bits));
}

static bool go_back(struct machine *machine)
{
    struct value to;

    if (!pop(machine, &to) || !to.known)
        return false;
    machine->address = to.bits;
    return true;
}

static enum machine_result jump_if(struct machine *machine,
                                   const struct x86_instruction *at)
{
    bool holds = machine_condition(machine->flags.bits, at->condition);

    if (!machine->flags.known) {
        if (!machine->assumes || (machine->assumed ^ at->condition) > 1)
            return MACHINE_UNDECIDED;
        holds = machine->assumed == at->condition;
    } else {
        machine->decided |= machine->flags.from;
    }
    if (holds)
        machine->address += (uint64_t)at->immediate;
    return MACHINE_GOES_ON;
}

static bool move(struct machine *machine, const struct x86_instruction *at)
{
    struct value value;

    if (at->kind == X86_ADDRESS)
        (void)address_of(machine, at, &at->from, &value);
    else if (!read_operand(machine, at, &at->from, at->size, &value))
        return false;
    return write_operand(machine, at, &at->to, value);
}

static bool leave(struct machine *machine)
{
    machine->registers[X86_RSP] = machine->registers[X86_RBP];
    return pop(machine, &machine->registers[X86_RBP]);
}

/* Instructions that compute.  machine->address is still that of the instruction. */
static bool execute(struct machine *machine, const struct x86_instruction *at)
{
    switch (at->kind) {
    case X86_MOVE:
    case X86_ADDRESS: return move(machine, at);
    case X86_ZERO_EXTEND:
    case X86_SIGN_EXTEND: return extend(machine, at);
    case X86_INCREMENT:
    case X86_DECREMENT:
    case X86_NOT:
    case X86_NEGATE: return one_operand(machine, at);
    case X86_SIGN_TO_RDX: sign_to_rdx(machine, at); return true;
    case X86_SET:
    case X86_MOVE_IF: return conditional(machine, at);
    case X86_PUSH: return push(machine, machine->registers[at->from.reg]);
    case X86_POP: return pop(machine, &machine->registers[at->to.reg]);
    case X86_LEAVE: return leave(machine);
    case X86_EXCHANGE: return exchange(machine, at);
    case X86_COMPARE_EXCHANGE: return compare_exchange(machine, at);
    case X86_CALL: return push(machine, known(machine->address + at->length));
    case X86_RETURN:
    case X86_JUMP:
    case X86_JUMP_IF:
    case X86_PAUSE:
    case X86_NOTHING: return true;
    default: return arithmetic(machine, at);
    }
}

enum machine_result machine_step(struct machine *machine, const struct x86_instruction *at)
{
    machine->after_pause = at->kind == X86_PAUSE;
    machine->paused |= at->kind == X86_PAUSE;
    machine->began_with_pause |= at->kind == X86_PAUSE && machine->steps == 0;
    machine->steps++;
    if (!execute(machine, at))
        return MACHINE_FAILED;
    machine->address += at->length;
    switch (at->kind) {
    case X86_JUMP:
    case X86_CALL: machine->address += (uint64_t)at->immediate; break;
    case X86_RETURN: return go_back(machine) ? MACHINE_GOES_ON : MACHINE_FAILED;
    case X86_JUMP_IF: return jump_if(machine, at);
    default: break;
    }
    return MACHINE_GOES_ON;
}
