/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/thread_counts.h"

#include <errno.h>
#include <string.h>

enum { NOT_KNOWN = -1 };

struct counts { /* of a thread's life */
    int64_t running_ns, voluntary, preemptions, migrations;
};

/* Fields of the builder; WEFT_NONE: not needed. */
struct count_fields {
    uint32_t voluntary, preemptions, migrations, counters[WEFT_COUNTERS_MAX];
};

/* Counts the switches; returns false if not all are known. */
static bool count_switches(const struct observed_thread *thread, struct counts *counts)
{
    uint32_t processor = OBSERVED_NO_PROCESSOR;
    int64_t in = thread->begin;
    bool runs = thread->n_switches > 0 && thread->switches[0].change != OBSERVED_IN;

    *counts = (struct counts){ 0 };
    for (size_t i = 0; i < thread->n_switches; i++) {
        const struct observed_switch *at = &thread->switches[i];
        if (at->change == OBSERVED_LOST || at->processor == OBSERVED_NO_PROCESSOR)
            return false;
        counts->running_ns += runs ? at->time - in : 0;
        counts->voluntary += at->change == OBSERVED_OUT;
        counts->preemptions += at->change == OBSERVED_PREEMPTED;
        counts->migrations += at->change == OBSERVED_IN && at->processor != processor
                              && processor != OBSERVED_NO_PROCESSOR;
        processor = at->processor;
        runs = at->change == OBSERVED_IN;
        in = at->time;
    }
    counts->running_ns += runs ? thread->end - in : 0;
    return true;
}

static void put_count(struct join *join, uint32_t container, uint32_t field, int64_t count)
{
    struct weft_field_value value = { field, { .integer = count } };

    if (field != WEFT_NONE && count >= 0)
        weft_builder_container_field(join->builder, container, &value);
}

/*
 * Returns the thread's time in the kernel, as its latest usage divides the time that it
 * ran; NOT_KNOWN if that usage lacks more than a tenth of it, or it ran for less than a
 * second: the kernel divides at its ticks, up to 10 ms apart.
 */
static int64_t system_time(const struct observed_thread *thread,
                           const struct counts *counts)
{
    enum { LEAST_NS = 1000000000 };
    const struct weft_schedule_usage *usage = thread->usage;
    double all, part;

    if (!usage || counts->running_ns < LEAST_NS)
        return NOT_KNOWN;
    all = (double)usage->user_ns + (double)usage->system_ns;
    part = all > 0 ? (double)usage->system_ns / all : 0;
    return all < 0.9 * (double)counts->running_ns
               ? NOT_KNOWN
               : (int64_t)(part * (double)counts->running_ns);
}

/*
 * Returns what a counter of the processor counted of the thread; NOT_KNOWN also if it did
 * not count all the time that the thread ran, since the processor cannot count so much at
 * once.
 */
static int64_t counter_value(const struct observed_thread *thread, unsigned number,
                             const struct counts *counts)
{
    const struct observed_count *count = &thread->counts[number];
    double slack = 0.02 * (double)counts->running_ns + 1e6;

    if (!(thread->counted >> number & 1) || count->value > INT64_MAX
        || (double)count->running_ns + slack < (double)counts->running_ns)
        return NOT_KNOWN;
    return (int64_t)count->value;
}

static void write_thread(struct join *join, const struct count_fields *fields,
                         const struct join_thread *thread)
{
    const struct observed_thread *observed = thread->stream->observed;
    struct counts counts;

    if (!count_switches(observed, &counts))
        return;
    put_count(join, thread->container, fields->voluntary, counts.voluntary);
    put_count(join, thread->container, fields->preemptions, counts.preemptions);
    put_count(join, thread->container, fields->migrations, counts.migrations);
    for (unsigned i = 0; i < WEFT_COUNTERS_MAX; i++)
        put_count(join, thread->container, fields->counters[i],
                  counter_value(observed, i, &counts));
    if (thread->used)
        return;
    put_count(join, thread->container, join->system_time, system_time(observed, &counts));
    put_count(join, thread->container, join->page_faults,
              counter_value(observed, WEFT_SCHEDULE_FAULTS, &counts));
}

/* Returns the reason why the kernel refused a counter. */
static const char *reason(int error)
{
    switch (error) {
    case EPERM:
    case EACCES:
        return "the system does not allow it (kernel.perf_event_paranoid above 2, or a "
               "container's filter of system calls)";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine has no such counter (virtual machines often have none)";
    case EINVAL: return "Linux 6.12 is the first that counts so";
    case EMFILE:
    case ENFILE: return "weft may not open so many files";
    default: return strerror(error);
    }
}

/* Returns true if a counter before number K has the NAME, as in a damaged file. */
static bool is_defined(const struct recording *recording, const char *name, unsigned k)
{
    for (size_t i = 0; i < recording->n_observed; i++)
        for (unsigned other = 0; other < k; other++)
            if (strcmp(recording->observed[i].counters[other].name, name) == 0)
                return true;
    return false;
}

/* Defines a field for each counter of --counters, and says which are refused. */
static void define_counters(struct join *join, struct count_fields *fields)
{
    const struct recording *recording = join->recording;

    for (unsigned k = 0; k < WEFT_COUNTERS_MAX; k++) {
        const struct observed_counter *refused = NULL;
        fields->counters[k] = WEFT_NONE;
        for (size_t i = 0; i < recording->n_observed; i++) {
            const struct observed_counter *counter = &recording->observed[i].counters[k];
            if (counter->error != 0)
                refused = counter;
            if (*counter->name && fields->counters[k] == WEFT_NONE
                && !is_defined(recording, counter->name, k))
                fields->counters[k] = join_field(join, join->thread_type, counter->name,
                                                 WEFT_FIELD_INTEGER, WEFT_ROLE_COUNTED);
        }
        if (refused)
            weft_builder_problem(join->builder, WEFT_WARNING, "not-counted", 0,
                                 "%s: not counted of threads: %s", refused->name,
                                 reason(refused->error));
    }
}

/* Says so if counters were asked for, but the kernel refused the observer its switches. */
static void report_unobserved(struct join *join)
{
    const struct recording *recording = join->recording;
    const char *asked =
        recording_fact(&join->arena, recording->facts, WEFT_RECORDING_COUNTERS);

    for (size_t i = 0; i < recording->n_observed; i++)
        if (*recording->observed[i].counters[0].name)
            return;
    if (asked)
        weft_builder_problem(join->builder, WEFT_NOTE, "not-counted", 0,
                             "%s: not counted of threads: the kernel does not tell when "
                             "these ran",
                             asked);
}

void counts_write(struct join *join)
{
    struct count_fields fields;

    if (join->recording->n_observed == 0)
        return;
    report_unobserved(join);
    fields.voluntary = join_field(join, join->thread_type, "voluntary switches",
                                  WEFT_FIELD_INTEGER, WEFT_ROLE_VOLUNTARY_SWITCHES);
    fields.preemptions = join_field(join, join->thread_type, "preemptions",
                                    WEFT_FIELD_INTEGER, WEFT_ROLE_PREEMPTIONS);
    fields.migrations = join_field(join, join->thread_type, "migrations",
                                   WEFT_FIELD_INTEGER, WEFT_ROLE_PROCESSOR_CHANGES);
    define_counters(join, &fields);
    for (size_t i = 0; i < join->n_threads; i++)
        if (join->threads[i]->stream->observed && join->threads[i]->container != WEFT_NONE)
            write_thread(join, &fields, join->threads[i]);
}
