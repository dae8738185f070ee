/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records a run.  Each PE fills blocks of its own (recording.h), which go to the file when
 * they are full, and 20 times a second.  Times are ticks of the processor's counter if the
 * kernel uses it as its clock; recording_nanoseconds() converts them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined __x86_64__
# include <x86intrin.h>
#endif

#include "domains/trees/fghc/machine_priv.h"

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

/* ---- The file ---- */

static void flush(struct pe *pe, bool is_last)
{
    struct machine *m = pe->machine;
    struct weft_err err;
    if (pe->log.first_index + pe->log.n_records > UINT32_MAX - LOG_BYTES)
        stop_with(m, WEFT_ERR_LIMIT, 0,
                  "more than 4,294,000,000 reductions of a PE cannot be "
                  "recorded");
    if (!recorder_flush(&m->recorder, &pe->log, record_tick(m),
                        record_nanoseconds() - m->began, is_last, &err))
        stop_with(m, err.code, 0, "%s", err.message);
}

void record_flush(struct pe *pe)
{
    flush(pe, false);
}

void record_begin(struct machine *m)
{
    struct weft_err err;
    for (unsigned i = 0; m->options.record_to && i < m->n_pes; i++)
        if (!recorder_flush(&m->recorder, &m->pes[i].log, m->first_tick, 0, false, &err))
            stop_with(m, err.code, 0, "%s", err.message);
}

void record_end(struct machine *m)
{
    for (unsigned i = 0; m->options.record_to && i < m->n_pes; i++)
        flush(&m->pes[i], true);
}

/* ---- Times without a processor ---- */

/*
 * A reduction takes a tenth of a microsecond, but the kernel preempts PEs for milliseconds,
 * and a PE may wait for input.  That time is no work of the reduction that happens to run.
 * So after a long time between two records the PE asks its CPU-time clock, and records the
 * time off the processor as idle, at the end of the interval, since its true place is not
 * known.
 */
enum {
    LONG = 50000,       /* ticks: 15 to 50 us; reading the clocks takes less than 1 us */
    MIN_ABSENCE = 5000, /* ns: more than the error of two readings */
    READINGS = 10,      /* tries to read the clocks without an interruption */
};

/*
 * Reads tick, time and CPU time at about one moment.  The kernel often preempts a thread in
 * these calls, so a slow reading is repeated; if all are slow, as under a tracer, the
 * fastest counts.
 */
static struct presence presence_now(const struct machine *m)
{
    struct presence best = { 0 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < READINGS && least > MIN_ABSENCE; i++) {
        struct timespec cpu;
        uint64_t before = record_nanoseconds();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
        uint64_t tick = record_tick(m), ns = record_nanoseconds();
        if (ns - before >= least)
            continue;
        least = ns - before;
        best = (struct presence){
            .latest = tick,
            .tick = tick,
            .ns = ns,
            .cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec,
        };
    }
    return best;
}

uint64_t record_absence(const struct presence *since, const struct presence *now)
{
    uint64_t ns = now->ns - since->ns, cpu = now->cpu_ns - since->cpu_ns;
    if (now->ns <= since->ns || now->cpu_ns < since->cpu_ns || now->tick <= since->latest
        || cpu + MIN_ABSENCE > ns)
        return 0;
    double ticks_per_ns = (double)(now->tick - since->tick) / (double)ns;
    uint64_t ticks = (uint64_t)((double)(ns - cpu) * ticks_per_ns);
    uint64_t most = now->tick - since->latest;
    return ticks < most ? ticks : most;
}

/* Returns the tick of the next record, and records before it a time off the processor. */
static uint64_t next_tick(struct pe *pe)
{
    struct presence *since = &pe->presence;
    uint64_t tick = record_tick(pe->machine);
    if (tick <= since->latest + LONG || pe->machine->options.pace) {
        since->latest = tick;
        return tick;
    }
    struct presence now = presence_now(pe->machine);
    uint64_t absent = record_absence(since, &now);
    if (absent)
        log_idle(&pe->log, now.tick - absent, now.tick);
    *since = now;
    return now.tick;
}

/* ---- What happens ---- */

void record_reduction(struct pe *pe, uint32_t clause)
{
    if (log_is_full(&pe->log))
        flush(pe, false);
    log_reduction(&pe->log, next_tick(pe), pe->parent_pe, pe->parent_index,
                  (uint16_t)clause, pe->waiting);
    if (pe->waiting) {
        free(pe->waiting);
        pe->waiting = NULL;
    }
}

/* Returns the number of the argument that is the unbound variable; 0: it is a part of
 * one. */
static uint16_t argument_of(const struct goal *goal, term variable)
{
    for (uint32_t i = 0; i < goal->arity; i++)
        if (term_deref(goal->arguments[i]) == variable)
            return (uint16_t)(i + 1);
    return 0;
}

void record_suspension(struct pe *pe, struct goal *goal)
{
    if (goal->is_builtin) /* a built-in process is not a reduction */
        return;
    if (!goal->waiting) {
        goal->waiting = weft_zalloc(1, sizeof *goal->waiting);
        goal->waiting->suspended = record_tick(pe->machine);
        goal->waiting->site = goal->site;
        goal->waiting->argument = pe->n_waited ? argument_of(goal, pe->waited[0]) : 0;
    }
    goal->waiting->count++;
    goal->waiting->by_index = 0;
    /* Stays if the variable is bound before the goal waits, since no PE wakes it then. */
    goal->waiting->woken = record_tick(pe->machine);
}

/* A binding by a built-in process counts for the reduction that called the process. */
void record_waking(struct pe *pe, struct goal *goal)
{
    if (!goal->waiting)
        return;
    goal->waiting->woken = record_tick(pe->machine);
    goal->waiting->by_pe = pe->is_builtin ? pe->parent_pe : pe->number;
    goal->waiting->by_index = pe->is_builtin ? pe->parent_index : (uint32_t)pe->reductions;
}

uint64_t record_idle_begin(struct pe *pe)
{
    return next_tick(pe);
}

void record_idle_end(struct pe *pe, uint64_t since)
{
    if (log_is_full(&pe->log))
        flush(pe, false);
    uint64_t until = record_tick(pe->machine);
    if (until > since + LONG) { /* time off the processor in it is idle in any case */
        pe->presence = presence_now(pe->machine);
        until = pe->presence.tick;
    }
    pe->presence.latest = until;
    log_idle(&pe->log, since, until);
}

void record_start(struct pe *pe)
{
    if (pe->machine->options.record_to)
        pe->presence = presence_now(pe->machine);
}
