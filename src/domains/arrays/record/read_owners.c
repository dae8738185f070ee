/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/record/read_owners.h"

#include "domains/arrays/record/would_be_writes.h"

static const struct code_site *code_of(const struct array_place *place)
{
    return &place->function->sites[place->code];
}

static enum code_owner owner_of(const struct array_place *place)
{
    if (place->function)
        return (enum code_owner)code_of(place)->owner;
    return place->unreadable ? CODE_NOBODY : CODE_NEXT;
}

void array_look_for_code(struct array_thread *thread, struct array_place *place)
{
    if (place->looked)
        return;
    place->looked = true;
    if (code_find(&thread->functions, place->site, array_hook_kind, &place->function,
                  &place->code)) {
        code_met(place->function, place->code, array_hook_kind);
        return;
    }
    place->function = NULL;
    place->unreadable = code_is_unreadable(&thread->functions, place->site);
}

/* ---- Reads that wait for a write ---- */

static void flush_waiting(struct array_thread *thread, struct array_place *place)
{
    struct array_origin origin = array_origin_of(place);
    struct array_nest nest = array_run_nest(&place->waiting);

    if (place->waiting.n > 0)
        (void)array_levels_add(&place->awaiting, &nest, &origin, &thread->sink);
    place->waiting.n = 0;
}

/* Lets a read, of N rounds, wait. */
static void await(struct array_thread *thread, const struct array_trail *read, uint64_t n)
{
    struct array_place *place = &thread->places[read->place];
    struct array_run more = { read->nest, n, read->stride, 0 };

    if (!array_run_add(&place->waiting, &more)) {
        flush_waiting(thread, place);
        place->waiting = more;
    }
    if (!place->awaits)
        thread->awaiting[thread->n_awaiting++] = read->place;
    place->awaits = true;
}

static void stop_awaiting(struct array_thread *thread, const struct array_place *place)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < thread->n_awaiting; i++)
        if (&thread->places[thread->awaiting[i]] != place)
            thread->awaiting[n++] = thread->awaiting[i];
    thread->n_awaiting = n;
}

/* Makes OWNER the owner of all waiting reads of a place. */
static void assign(struct array_thread *thread, struct array_place *place,
                   const struct array_nest *owner)
{
    struct array_origin origin = array_origin_of(place);

    flush_waiting(thread, place);
    array_levels_assign(&place->awaiting, &place->levels, owner, &origin, &thread->sink);
    array_sink_assign(&thread->sink, place->site, owner);
    place->awaits = false;
    place->given_by = 0;
}

static const struct array_nest nobody = { .owner_array = ARRAY_NOBODY };

/* A write of a place whose reads wait, by CODE_CALLER, is for them if they come again
   before it does, or another one of the same array. */
static bool take_given(struct array_thread *thread, struct array_place *place,
                       uint64_t site, const struct array_nest *owner)
{
    if (place->given_by == 0) {
        place->given_by = site;
        place->given = *owner;
    } else if (place->given_by == site
               || (place->given.owner_array == owner->owner_array
                   && place->given.owner != owner->owner)) {
        assign(thread, place, &nobody);
    }
    return place->awaits;
}

static bool is_target(const struct array_place *read, const struct array_place *write)
{
    const struct code_site *code = code_of(read);

    for (uint32_t i = 0; read->function == write->function && i < code->n_targets; i++)
        if (code->targets[i] == write->code)
            return true;
    return false;
}

/* Makes the element of a write the owner of the reads that wait for it. */
static void assign_waiting(struct array_thread *thread, const struct array_place *write,
                           const struct array_nest *owner)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < thread->n_awaiting; i++) {
        struct array_place *place = &thread->places[thread->awaiting[i]];
        enum code_owner kind = owner_of(place);
        bool waits = true;
        if (kind == CODE_NEXT || (kind == CODE_SUM && is_target(place, write))) {
            assign(thread, place, owner);
            waits = false;
        } else if (kind == CODE_CALLER) {
            waits = take_given(thread, place, write->site, owner);
        }
        if (waits)
            thread->awaiting[n++] = thread->awaiting[i];
    }
    thread->n_awaiting = n;
}

/* ---- The trail ---- */

static uint64_t rounds_of(const struct array_thread *thread,
                          const struct array_trail *reference)
{
    return reference->piece == thread->piece ? thread->rounds : 1;
}

static void give(struct array_thread *thread, const struct array_trail *read,
                 const struct array_nest *owner, int64_t owner_stride)
{
    array_give(thread, &thread->places[read->place], &read->nest, read->stride,
               rounds_of(thread, read), owner, owner_stride);
}

/*
 * Notes that the one write of a read's iteration is of other memory, if it was executed but
 * not seen in any array.  Returns true if so.
 */
static bool learn_elsewhere(const struct array_place *place)
{
    const struct code_site *code = code_of(place);

    if (!code->certain || place->function->sites[code->targets[0]].met)
        return false;
    code_write_elsewhere(place->function, code->targets[0], array_hook_kind);
    return true;
}

/* Settles an open read whose iteration has ended. */
static void settle(struct array_thread *thread, struct array_trail *read)
{
    struct array_place *place = &thread->places[read->place];

    while (owner_of(place) == CODE_DIRECT && learn_elsewhere(place))
        ;
    read->open = false;
    switch (owner_of(place)) {
    case CODE_DIRECT: array_would_be(thread, read, rounds_of(thread, read)); break;
    case CODE_NOBODY: give(thread, read, &nobody, 0); break;
    default: await(thread, read, rounds_of(thread, read)); break;
    }
}

/* Settles the open ones of the references in the trail that are gone, and removes these. */
static void remove_gone(struct array_thread *thread, const bool *gone)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < thread->n_trail; i++)
        if (gone[i] && thread->trail[i].open)
            settle(thread, &thread->trail[i]);
    for (uint32_t i = 0; i < thread->n_trail; i++)
        if (!gone[i])
            thread->trail[n++] = thread->trail[i];
    thread->n_trail = n;
}

static const struct array_place *place_at(const struct array_thread *thread, uint32_t i)
{
    return &thread->places[thread->trail[i].place];
}

/* In unknown code: when a site comes again, all until it came before is over. */
static void end_unknown(struct array_thread *thread, const struct array_place *now)
{
    bool gone[ARRAY_TRAIL];
    uint32_t n = thread->n_trail;

    while (n > 0 && place_at(thread, n - 1) != now)
        n--;
    for (uint32_t i = 0; i < thread->n_trail; i++)
        gone[i] = i < n && !place_at(thread, i)->function;
    if (n > 0)
        remove_gone(thread, gone);
}

/* Ends the iterations, and leaves the loops, that are over when a site comes. */
static void end_known(struct array_thread *thread, const struct array_place *now)
{
    const struct code_function *function = now->function;
    uint32_t loop = code_of(now)->loop, over = UINT32_MAX, last = thread->n_trail;
    bool gone[ARRAY_TRAIL], some = false;

    while (last > 0 && place_at(thread, last - 1)->function != function)
        last--;
    if (last == 0)
        return;
    if (now->code <= place_at(thread, last - 1)->code)
        over = code_common_loop(function, loop, code_of(place_at(thread, last - 1))->loop);
    for (uint32_t i = 0; i < thread->n_trail; i++) {
        const struct array_place *place = place_at(thread, i);
        uint32_t other;
        if (place->function != function) {
            /* Calls made in an iteration that has ended are over, too. */
            gone[i] = some && place->function != NULL && over != UINT32_MAX;
            continue;
        }
        other = code_of(place)->loop;
        gone[i] = (over != UINT32_MAX && code_inside(function, other, over))
                  || !code_inside(function, loop, other);
        some |= gone[i];
    }
    if (some)
        remove_gone(thread, gone);
}

static void push(struct array_thread *thread, const struct array_trail *reference)
{
    if (thread->n_trail == ARRAY_TRAIL) {
        bool gone[ARRAY_TRAIL] = { false };
        for (uint32_t i = 0; i < ARRAY_TRAIL / 2; i++)
            gone[i] = true;
        remove_gone(thread, gone);
    }
    thread->trail[thread->n_trail++] = *reference;
}

/* ---- References ---- */

static void meet_read(struct array_thread *thread, struct array_trail *read)
{
    struct array_place *place = &thread->places[read->place];

    switch (owner_of(place)) {
    case CODE_NEXT:
        read->open = !place->awaits;
        if (!read->open)
            await(thread, read, rounds_of(thread, read));
        break;
    case CODE_CALLER:
        if (place->given_by != 0) {
            const struct array_nest given = place->given;
            assign(thread, place, &given);
            stop_awaiting(thread, place);
        }
        await(thread, read, rounds_of(thread, read));
        break;
    case CODE_DIRECT: read->open = true; break;
    case CODE_SUM: await(thread, read, rounds_of(thread, read)); break;
    default: give(thread, read, &nobody, 0); break;
    }
}

/* Settles an open read when a write comes that may be for it. */
static void meet_open(struct array_thread *thread, struct array_trail *read,
                      const struct array_trail *write, const struct array_nest *owner)
{
    const struct array_place *from = &thread->places[read->place];
    const struct array_place *to = &thread->places[write->place];
    const struct code_site *code;

    if (owner_of(from) == CODE_DIRECT) {
        if (from->function != to->function)
            return;
        while (owner_of(from) == CODE_DIRECT && !is_target(from, to)
               && code_of(from)->targets[0] < to->code && learn_elsewhere(from))
            ;
    }
    if (owner_of(from) == CODE_DIRECT) {
        code = code_of(from);
        for (uint32_t i = 0; i < code->n_targets; i++) {
            if (code->targets[i] != to->code)
                continue;
            read->open = false;
            if (code->seconds >> i & 1)
                array_would_be(thread, read, rounds_of(thread, read));
            else
                give(thread, read, owner, write->stride);
        }
        return;
    }
    if (owner_of(from) == CODE_NEXT) {
        read->open = false;
        give(thread, read, owner, write->stride);
    } else { /* it was found out only now that it is part of a sum */
        settle(thread, read);
    }
}

static void meet_write(struct array_thread *thread, struct array_trail *write)
{
    struct array_place *place = &thread->places[write->place];
    struct array_nest owner = array_owner_nest(&write->nest);

    give(thread, write, &owner, write->stride);
    if (place->function && code_of(place)->conditional)
        array_learn(thread, write);
    for (uint32_t i = 0; i < thread->n_trail; i++)
        if (thread->trail[i].open)
            meet_open(thread, &thread->trail[i], write, &owner);
    if (thread->n_awaiting > 0)
        assign_waiting(thread, place, &owner);
}

void array_meet(struct array_thread *thread, uint32_t place, const struct array_nest *nest,
                int64_t stride)
{
    struct array_trail now = {
        .place = (uint16_t)place, .piece = thread->piece, .nest = *nest, .stride = stride
    };

    if (thread->places[place].function)
        end_known(thread, &thread->places[place]);
    else
        end_unknown(thread, &thread->places[place]);
    if (nest->operation != 0)
        meet_write(thread, &now);
    else
        meet_read(thread, &now);
    push(thread, &now);
}

void array_rounds_end(struct array_thread *thread)
{
    for (uint32_t i = 0; i < thread->n_trail; i++) {
        struct array_trail *reference = &thread->trail[i];
        reference->nest.element +=
            (rounds_of(thread, reference) - 1) * (uint64_t)reference->stride;
    }
    thread->rounds = 1;
}

void array_owners_end(struct array_thread *thread)
{
    bool gone[ARRAY_TRAIL];

    thread->rounds = 1;
    for (uint32_t i = 0; i < ARRAY_TRAIL; i++)
        gone[i] = true;
    remove_gone(thread, gone);
    for (uint32_t i = 0; i < thread->n_awaiting; i++) {
        struct array_place *place = &thread->places[thread->awaiting[i]];
        const struct array_nest given = place->given_by != 0 ? place->given : nobody;
        assign(thread, place, &given);
    }
    thread->n_awaiting = 0;
    for (uint32_t i = 0; i < thread->n_used; i++)
        array_flush_run(thread, &thread->places[thread->used[i]]);
}

void array_owners_give_up(struct array_thread *thread)
{
    array_pending_end(thread);
    thread->n_trail = 0;
}
