/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/processors.h"

#include <stdlib.h>

#include "base/compare.h"

struct turn { /* a thread had a processor from BEGIN to END, in ns of the store */
    int64_t begin, end;
    uint32_t thread; /* container */
};

struct processor {
    struct turn *turns;
    size_t n, capacity;
};

/* The processors of one machine. */
struct machine {
    struct processor *processors;
    uint32_t n;
};

struct processor_types {
    uint32_t processor, number, states, running, thread;
};

static struct processor_types define_types(struct join *join)
{
    uint32_t above = join->host_type == WEFT_NONE ? 0 : join->host_type;
    struct processor_types types;

    types.processor =
        join_type(join, WEFT_CONTAINER, above, "Processor", WEFT_ROLE_PROCESSOR);
    types.number = join_field(join, types.processor, "number", WEFT_FIELD_INTEGER,
                              WEFT_ROLE_PROCESSOR_NUMBER);
    types.states = join_type(join, WEFT_STATE, types.processor, "Processor state",
                             WEFT_ROLE_OCCUPATION);
    types.running = join_value_with_role(join, types.states, "running", WEFT_ROLE_RUNNING);
    types.thread =
        join_field(join, types.states, "thread", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    return types;
}

/* Adds a turn of the thread on PROCESSOR, between two observed times. */
static void add_turn(const struct join *join, struct machine *machine,
                     const struct join_thread *thread, uint32_t number, int64_t begin,
                     int64_t end)
{
    const struct recording *recording = join->recording;
    const struct clock_domain *domain =
        &recording->domains[recording->images[thread->image].domain];
    struct processor *processor;

    if (number >= machine->n || begin >= end)
        return;
    processor = &machine->processors[number];
    processor->turns = weft_grow(processor->turns, &processor->capacity, processor->n + 1,
                                 sizeof *processor->turns);
    processor->turns[processor->n++] =
        (struct turn){ clock_domain_of_monotonic(domain, begin),
                       clock_domain_of_monotonic(domain, end), thread->container };
}

static bool runs(const struct observed_switch *at)
{
    return at->change == OBSERVED_IN || at->change == OBSERVED_SPINNING;
}

/* Returns true if NEXT is no switch: the thread of AT begins or ends to poll memory. */
static bool goes_on(const struct observed_switch *at, const struct observed_switch *next)
{
    return runs(at) && runs(next) && at->change != next->change
           && at->processor == next->processor;
}

/*
 * Adds the turns of a thread; a switch after the turn's begin ends it, whatever it is.  The
 * first thread of all had a processor when its observation began.
 */
static void add_turns(const struct join *join, struct machine *machine,
                      const struct join_thread *thread)
{
    const struct observed_thread *observed = thread->stream->observed;
    const struct observed_switch *first = observed->switches;

    if (observed->n_switches > 0
        && (first->change == OBSERVED_OUT || first->change == OBSERVED_PREEMPTED
            || first->change == OBSERVED_SPINNING))
        add_turn(join, machine, thread, first->processor, observed->begin, first->time);

    for (size_t i = 0, next; i < observed->n_switches; i = next) {
        const struct observed_switch *in = &observed->switches[i];
        next = i + 1;
        while (next < observed->n_switches
               && goes_on(&observed->switches[next - 1], &observed->switches[next]))
            next++;
        if (runs(in))
            add_turn(join, machine, thread, in->processor, in->time,
                     next < observed->n_switches ? observed->switches[next].time
                                                 : observed->end);
    }
}

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    return WEFT_COMPARE(x->begin, y->begin);
}

static void write_turns(struct join *join, const struct processor_types *types,
                        const struct processor *processor, uint32_t container)
{
    uint32_t track = weft_builder_track(join->builder, container, types->states);

    for (size_t i = 0; i < processor->n; i++) {
        const struct turn *turn = &processor->turns[i];
        struct weft_field_value thread = { types->thread, { .index = turn->thread } };
        int64_t next = i + 1 < processor->n ? turn[1].begin : INT64_MAX;
        (void)weft_builder_set(join->builder, track, turn->begin, types->running, &thread,
                               1, NULL);
        if (turn->end < next)
            (void)weft_builder_reset(join->builder, track, turn->end);
    }
}

static void write_processor(struct join *join, const struct processor_types *types,
                            struct processor *processor, uint32_t host, uint32_t number)
{
    struct weft_field_value number_field = { types->number, { .integer = number } };
    uint32_t container;

    if (processor->n == 0)
        return;
    qsort(processor->turns, processor->n, sizeof *processor->turns, compare_turns);
    container =
        weft_builder_container(join->builder, types->processor, host,
                               weft_arena_printf(&join->arena, "processor %u", number),
                               NULL, processor->turns[0].begin);
    weft_builder_container_field(join->builder, container, &number_field);
    write_turns(join, types, processor, container);
}

/* Collects the turns on the machine with this index of recording->hosts. */
static void collect(const struct join *join, uint32_t host, struct machine *machine)
{
    for (size_t i = 0; i < join->n_threads; i++) {
        const struct join_thread *thread = join->threads[i];
        /* A program that replaced another one goes on in the same container. */
        bool first = thread->stream->observed
                     && thread->stream->observed->container == thread->container;
        if (first || !thread->stream->observed || thread->container == WEFT_NONE
            || join->recording->images[thread->image].host != host)
            continue;
        thread->stream->observed->container = thread->container;
        add_turns(join, machine, thread);
    }
}

static void write_machine(struct join *join, const struct processor_types *types,
                          uint32_t host, uint32_t n_processors)
{
    struct machine machine = { weft_zalloc(n_processors, sizeof *machine.processors),
                               n_processors };

    collect(join, host, &machine);
    for (uint32_t i = 0; i < machine.n; i++) {
        if (join->hosts[host] != WEFT_NONE)
            write_processor(join, types, &machine.processors[i], join->hosts[host], i);
        free(machine.processors[i].turns);
    }
    free(machine.processors);
}

void processors_write(struct join *join)
{
    struct recording *recording = join->recording;
    struct processor_types types;
    uint32_t n_processors = 0;

    for (size_t i = 0; i < recording->n_observed; i++)
        if (recording->observed[i].head->processors > n_processors)
            n_processors = recording->observed[i].head->processors;
    if (n_processors == 0)
        return;
    types = define_types(join);
    for (uint32_t host = 0; host < recording->n_hosts; host++)
        write_machine(join, &types, host, n_processors);
}
