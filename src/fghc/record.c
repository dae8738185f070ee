/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording a run.  Each PE keeps its own records.  Times are read from the processor's
 * counter where the kernel uses it as its clock, and are converted to nanoseconds when the
 * run has ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined __x86_64__
# include <x86intrin.h>
#endif

#include "fghc/machine_priv.h"

/* A recording may take so many times the memory of terms and goals, which are used again. */
enum { RECORDING_TO_HEAP = 4 };

/* True when the kernel keeps time with the counter: then it is even, and equal on all
 * processors. */
bool record_counter_is_clock(void)
{
    char text[16] = "";
    FILE *file =
        fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (file) {
        if (!fgets(text, sizeof text, file))
            text[0] = '\0';
        fclose(file);
    }
    return strcmp(text, "tsc\n") == 0;
}

uint64_t record_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t record_tick(const struct machine *machine)
{
#if defined __x86_64__
    if (machine->has_counter)
        return __rdtsc();
#endif
    (void)machine;
    return record_nanoseconds();
}

static void convert(const struct machine *m, double scale, uint64_t *at)
{
    *at = *at > m->first_tick ? (uint64_t)((double)(*at - m->first_tick) * scale) : 0;
}

/* The scale follows from readings of both clocks at the start and at the end of the run. */
void record_convert(struct machine *m, struct fghc_recording *r)
{
    double ticks = (double)(m->last_tick - m->first_tick);
    double scale = ticks > 0 ? (double)(m->ended - m->began) / ticks : 1;
    for (size_t i = 0; i < r->n_records; i++)
        convert(m, scale, &r->records[i].time);
    for (size_t i = 0; i < r->n_waits; i++) {
        convert(m, scale, &r->waits[i].suspended);
        convert(m, scale, &r->waits[i].woken);
    }
    for (size_t i = 0; i < r->n_idles; i++) {
        convert(m, scale, &r->idles[i].begin);
        convert(m, scale, &r->idles[i].end);
    }
}

/* Asked only when the list is full, which weft_grow() then makes twice as long. */
static bool has_room(const struct pe *pe)
{
    const struct machine *m = pe->machine;
    const struct fghc_recording *r = &pe->recording;
    uint64_t bytes =
        2 * r->record_capacity * sizeof *r->records + r->wait_capacity * sizeof *r->waits;
    return bytes <= (uint64_t)m->heap.most * CHUNK * RECORDING_TO_HEAP / m->n_pes;
}

void record_reduction(struct pe *pe, uint32_t clause)
{
    struct fghc_recording *r = &pe->recording;
    if (r->n_records == r->record_capacity && !has_room(pe)) {
        stop_with(pe->machine, WEFT_ERR_LIMIT, 0,
                  "the recording needs more memory than it may have (--memory)");
        return; /* the run ends at the next safe point, before this goal has children */
    }
    r->records =
        weft_grow(r->records, &r->record_capacity, r->n_records + 1, sizeof *r->records);
    r->records[r->n_records++] = (struct fghc_record){
        .time = record_tick(pe->machine),
        .parent_index = pe->parent_index,
        .parent_pe = pe->parent_pe,
        .clause = (uint16_t)clause,
    };
    if (!pe->waiting)
        return;
    r->waits = weft_grow(r->waits, &r->wait_capacity, r->n_waits + 1, sizeof *r->waits);
    r->waits[r->n_waits] = *pe->waiting;
    r->waits[r->n_waits++].index = r->n_records;
    free(pe->waiting);
    pe->waiting = NULL;
}

/*
 * The number of the argument that is the unbound variable; 0: it is a part of an argument.
 */
static uint16_t argument_of(const struct goal *goal, term variable)
{
    for (uint32_t i = 0; i < goal->arity; i++)
        if (term_deref(goal->arguments[i]) == variable)
            return (uint16_t)(i + 1);
    return 0;
}

void record_suspension(struct pe *pe, struct goal *goal)
{
    if (goal->is_builtin) /* a process of the system is not a reduction */
        return;
    if (!goal->waiting) {
        goal->waiting = weft_zalloc(1, sizeof *goal->waiting);
        goal->waiting->suspended = record_tick(pe->machine);
        goal->waiting->site = goal->site;
        goal->waiting->argument = pe->n_waited ? argument_of(goal, pe->waited[0]) : 0;
    }
    goal->waiting->count++;
    goal->waiting->by_index = 0;
    /* Kept when the variable is bound before the goal waits, since no PE wakes it then. */
    goal->waiting->woken = record_tick(pe->machine);
}

/* What a process of the system binds counts for the reduction that called the process. */
void record_waking(struct pe *pe, struct goal *goal)
{
    if (!goal->waiting)
        return;
    goal->waiting->woken = record_tick(pe->machine);
    goal->waiting->by_pe = pe->is_builtin ? pe->parent_pe : pe->number;
    goal->waiting->by_index = pe->is_builtin ? pe->parent_index : (uint32_t)pe->reductions;
}

void record_idle(struct pe *pe, uint64_t since)
{
    struct fghc_recording *r = &pe->recording;
    r->idles = weft_grow(r->idles, &r->idle_capacity, r->n_idles + 1, sizeof *r->idles);
    r->idles[r->n_idles++] = (struct fghc_idle){ since, record_tick(pe->machine) };
}
