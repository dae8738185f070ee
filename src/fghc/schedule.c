/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "fghc/machine_priv.h"

struct goal *goal_new(uint32_t procedure, uint32_t arity)
{
    struct goal *goal = weft_alloc(sizeof *goal + arity * sizeof(term));
    *goal = (struct goal){ .procedure = procedure, .arity = arity };
    return goal;
}

void push_goal(struct pe *pe, struct goal *goal)
{
    bool alone = pe->machine->n_pes == 1;
    if (!alone)
        pthread_spin_lock(&pe->lock);
    goal->previous = NULL;
    goal->next = pe->newest;
    if (pe->newest)
        pe->newest->previous = goal;
    else
        pe->oldest = goal;
    pe->newest = goal;
    atomic_store_explicit(&pe->n_goals,
                          atomic_load_explicit(&pe->n_goals, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (!alone)
        pthread_spin_unlock(&pe->lock);
}

static void take_out(struct pe *pe, struct goal *goal)
{
    *(goal->previous ? &goal->previous->next : &pe->newest) = goal->next;
    *(goal->next ? &goal->next->previous : &pe->oldest) = goal->previous;
    atomic_store_explicit(&pe->n_goals,
                          atomic_load_explicit(&pe->n_goals, memory_order_relaxed) - 1,
                          memory_order_relaxed);
}

/* xorshift64 (Marsaglia 2003) */
static uint64_t roll(struct pe *pe)
{
    pe->dice ^= pe->dice << 13;
    pe->dice ^= pe->dice >> 7;
    pe->dice ^= pe->dice << 17;
    return pe->dice;
}

/* From one's own stack the newest (or any, with a seed); from another's the oldest. */
static struct goal *pop(struct pe *pe, struct pe *from)
{
    bool alone = pe->machine->n_pes == 1;
    if (!atomic_load_explicit(&from->n_goals, memory_order_relaxed) && from != pe)
        return NULL;
    if (!alone)
        pthread_spin_lock(&from->lock);
    struct goal *goal = from == pe ? from->newest : from->oldest;
    if (goal && pe->machine->options.seed)
        for (uint64_t skip = roll(pe) % 8; skip && goal->next; skip--)
            goal = goal->next;
    if (goal)
        take_out(from, goal);
    if (!alone)
        pthread_spin_unlock(&from->lock);
    return goal;
}

static struct goal *steal(struct pe *pe)
{
    struct machine *machine = pe->machine;
    unsigned first = (unsigned)(roll(pe) % machine->n_pes);
    for (unsigned i = 0; i < machine->n_pes; i++) {
        struct pe *victim = &machine->pes[(first + i) % machine->n_pes];
        struct goal *goal = victim == pe ? NULL : pop(pe, victim);
        if (goal)
            return goal;
    }
    return NULL;
}

/*
 * Without goals: look at the others until there is one, or all PEs are idle.  Only a PE that
 * is not idle makes goals, so when all are, none will come.
 */
static struct goal *wait_for_work(struct pe *pe)
{
    struct machine *machine = pe->machine;
    struct goal *goal = NULL;
    pthread_mutex_lock(&machine->idle_lock);
    machine->n_idle++;
    for (;;) {
        if (machine->n_idle == machine->n_pes)
            atomic_store(&machine->stop, true);
        if (atomic_load(&machine->stop)) {
            pthread_cond_broadcast(&machine->idle_changed);
            break;
        }
        machine->n_idle--; /* while it looks it may come to have one */
        pthread_mutex_unlock(&machine->idle_lock);
        goal = steal(pe);
        pthread_mutex_lock(&machine->idle_lock);
        if (goal)
            break;
        machine->n_idle++;
        if (machine->n_idle == machine->n_pes)
            continue;
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 50000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&machine->idle_changed, &machine->idle_lock, &soon);
    }
    pthread_mutex_unlock(&machine->idle_lock);
    return goal;
}

struct goal *next_goal(struct pe *pe)
{
    if (atomic_load_explicit(&pe->machine->stop, memory_order_relaxed))
        return NULL;
    struct goal *goal = pop(pe, pe);
    if (goal)
        return goal;
    goal = pe->machine->n_pes > 1 ? wait_for_work(pe) : NULL;
    if (goal && goal->parent_pe != pe->number)
        pe->migrations++;
    return goal;
}

void stop_with(struct machine *machine, enum weft_err_code code, uint32_t line,
               const char *fmt, ...)
{
    va_list args;
    pthread_mutex_lock(&machine->idle_lock);
    if (!machine->err.code) {
        char text[480];
        va_start(args, fmt);
        vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        weft_fail_at(&machine->err, code, machine->program->path, line, "%s", text);
    }
    atomic_store(&machine->stop, true);
    pthread_cond_broadcast(&machine->idle_changed);
    pthread_mutex_unlock(&machine->idle_lock);
}
