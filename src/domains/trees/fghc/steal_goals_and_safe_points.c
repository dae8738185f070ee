/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work stealing, and safe points.
 *
 * Only a PE's own thread touches its stack of goals.  A PE without goals (the asker) writes
 * its number into `asker` of a PE that has goals (the victim), and sets a bit of the
 * victim's `attention`; at its next safe point the victim puts goals into the asker's mail.
 * So goals move without a lock, and a PE that is not asked pays one load a reduction.
 *
 * A PE is idle while it looks for a victim.  When all are idle no goal is left, and the run
 * ends.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "domains/trees/fghc/machine_priv.h"

enum {
    /* Pauses before a PE asks again: from below a microsecond to some tens of them. */
    MIN_PATIENCE = 8,
    MAX_PATIENCE = 1024,
    WORTHWHILE = 64, /* reductions: stolen goals that gave fewer cost more than they gave */
    /* An idle PE pauses, then yields its processor, then sleeps, each time longer. */
    SPINS = 4096,       /* pauses: about 0.1 ms, when there is a processor for each PE */
    YIELDS = 64,        /* calls of sched_yield */
    SLEEP_STEP = 20000, /* ns by which a sleep is longer than the last */
    MAX_SLEEP = 200000, /* ns: new goals are noticed after this at the latest */
};

static void pause_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Waits a little; the longer, the more TIMES the caller has waited in vain. */
static void wait_a_little(const struct pe *pe, uint32_t times)
{
    uint32_t spins = pe->machine->is_crowded ? 0 : SPINS;
    if (times < spins) {
        pause_briefly();
    } else if (times < spins + YIELDS) {
        sched_yield();
    } else {
        uint64_t sleep = (uint64_t)(times - spins - YIELDS + 1) * SLEEP_STEP;
        struct timespec t = { 0, (long)(sleep < MAX_SLEEP ? sleep : MAX_SLEEP) };
        nanosleep(&t, NULL);
    }
}

/* ---- Attention ---- */

void call_for(struct machine *machine, enum attention what)
{
    for (unsigned i = 0; i < machine->n_pes; i++)
        atomic_fetch_or(&machine->pes[i].attention, what);
}

static void stop_all(struct machine *machine) /* under the lock */
{
    atomic_store(&machine->stopped, true);
    call_for(machine, ATTENTION_STOP);
    pthread_cond_broadcast(&machine->changed);
}

static void fail(struct machine *machine, enum weft_err_code code, uint32_t site,
                 const char *text)
{
    const struct call_site *at = &machine->program->calls[site];
    if (!machine->err.code)
        weft_fail_at(&machine->err, code, site ? at->path : machine->program->path,
                     site ? at->goal->line : 0, "%s", text);
    stop_all(machine);
}

void stop_with(struct machine *machine, enum weft_err_code code, uint32_t site,
               const char *fmt, ...)
{
    char text[480];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    pthread_mutex_lock(&machine->lock);
    fail(machine, code, site, text);
    pthread_mutex_unlock(&machine->lock);
}

void stop_well(struct machine *machine)
{
    pthread_mutex_lock(&machine->lock);
    machine->exited = true;
    stop_all(machine);
    pthread_mutex_unlock(&machine->lock);
}

/*
 * Collects garbage if each PE has arrived or is idle: the last PE to arrive does it for
 * all.  The lock keeps idle PEs idle meanwhile.  Returns true when it has collected.
 */
static bool collect_when_all_are_here(struct machine *machine) /* under the lock */
{
    if (!machine->n_arrived || machine->n_arrived + machine->n_idle < machine->n_pes
        || atomic_load(&machine->stopped))
        return false;
    enum collected collected = collect_heap(machine);
    if (collected == COLLECTED_TOO_LITTLE)
        fail(machine, WEFT_ERR_LIMIT, 0, "the run needs more memory than it may have");
    if (collected == COLLECTED_IN_PART)
        fail(machine, WEFT_ERR_CANCELLED, 0, "cancelled");
    for (unsigned i = 0; i < machine->n_pes; i++)
        atomic_fetch_and(&machine->pes[i].attention, ~(uint32_t)ATTENTION_COLLECT);
    machine->n_arrived = 0;
    atomic_fetch_add(&machine->collections, 1);
    pthread_cond_broadcast(&machine->changed);
    return true;
}

/* Waits at a safe point for the other PEs until memory is collected or the run ends. */
static void meet(struct pe *pe)
{
    struct machine *machine = pe->machine;
    pthread_mutex_lock(&machine->lock);
    unsigned before = atomic_load(&machine->collections);
    if (!(atomic_load(&pe->attention) & ATTENTION_COLLECT)) {
        pthread_mutex_unlock(&machine->lock);
        return;
    }
    machine->n_arrived++;
    if (!collect_when_all_are_here(machine)) {
        pthread_mutex_unlock(&machine->lock);
        for (uint32_t i = 0; !machine->is_crowded && i < SPINS; i++) {
            if (atomic_load(&machine->collections) != before)
                return;
            pause_briefly();
        }
        pthread_mutex_lock(&machine->lock);
        while (atomic_load(&machine->collections) == before
               && !atomic_load(&machine->stopped))
            pthread_cond_wait(&machine->changed, &machine->lock);
    }
    pthread_mutex_unlock(&machine->lock);
}

static void answer(struct pe *pe)
{
    atomic_fetch_and(&pe->attention, ~(uint32_t)ATTENTION_WANTED);
    int asker = atomic_exchange(&pe->asker, -1);
    if (asker >= 0)
        give_goals(pe, &pe->machine->pes[asker]);
}

static void flush(struct pe *pe)
{
    atomic_fetch_and(&pe->attention, ~(uint32_t)ATTENTION_FLUSH);
    record_flush(pe);
}

bool attend(struct pe *pe)
{
    for (;;) {
        uint32_t what = atomic_load(&pe->attention);
        if (what & ATTENTION_STOP)
            return false;
        if (what & ATTENTION_COLLECT)
            meet(pe);
        else if (what & ATTENTION_WANTED)
            answer(pe);
        else if (what & ATTENTION_FLUSH)
            flush(pe);
        else
            return true;
    }
}

/* ---- Without goals: stealing ---- */

static struct pe *find_victim(struct pe *pe)
{
    struct machine *machine = pe->machine;
    unsigned first = (unsigned)(pe_random(pe) % machine->n_pes);
    for (unsigned i = 0; i < machine->n_pes; i++) {
        struct pe *other = &machine->pes[(first + i) % machine->n_pes];
        if (other != pe && atomic_load_explicit(&other->has_goals, memory_order_relaxed))
            return other;
    }
    return NULL;
}

/* Waits, idle, for a victim; returns NULL when the run has ended. */
static struct pe *wait_for_victim(struct pe *pe)
{
    struct machine *machine = pe->machine;
    pthread_mutex_lock(&machine->lock);
    if (++machine->n_idle == machine->n_pes)
        stop_all(machine);
    else
        collect_when_all_are_here(machine);
    pthread_mutex_unlock(&machine->lock);
    struct pe *other = NULL;
    for (uint32_t times = 0;; times++) {
        uint32_t what = atomic_load_explicit(&pe->attention, memory_order_relaxed);
        if (what & ATTENTION_STOP)
            return NULL;
        if (what & ATTENTION_WANTED)
            answer(pe);
        if (what & ATTENTION_FLUSH)
            flush(pe);
        if (times >= pe->patience && (other = find_victim(pe)) != NULL)
            break;
        wait_a_little(pe, times < pe->patience ? 0 : times);
    }
    pthread_mutex_lock(&machine->lock);
    machine->n_idle--;
    pthread_mutex_unlock(&machine->lock);
    return other;
}

/* Asks OTHER for goals; returns false when it has another asker or no goals, or the run has
 * ended. */
static bool ask(struct pe *pe, struct pe *other)
{
    int no_asker = -1;
    atomic_store(&pe->mail, MAIL_AWAITED);
    if (!atomic_compare_exchange_strong(&other->asker, &no_asker, pe->number))
        return false;
    atomic_fetch_or(&other->attention, ATTENTION_WANTED);
    for (uint32_t times = 0; atomic_load(&pe->mail) == MAIL_AWAITED; times++) {
        if (!safe_point(pe))
            return false;
        wait_a_little(pe, times);
    }
    if (atomic_load(&pe->mail) != MAIL_GOALS)
        return false;
    for (uint32_t i = pe->n_mail; i--;) /* the oldest is run next: it gives most work */
        push_goal(pe, pe->mailed[i]);
    return true;
}

/* Sets the patience: longer if the goals stolen last gave little work. */
static void be_patient(struct pe *pe)
{
    if (pe->reductions - pe->stolen_at >= WORTHWHILE)
        pe->patience = MIN_PATIENCE;
    else if (pe->patience < MAX_PATIENCE)
        pe->patience = pe->patience ? 2 * pe->patience : MIN_PATIENCE;
}

static bool find_goals(struct pe *pe)
{
    uint64_t since = pe->machine->options.record_to ? record_idle_begin(pe) : 0;
    be_patient(pe);
    struct pe *other;
    bool found = false;
    while (!found && (other = wait_for_victim(pe)) != NULL)
        found = ask(pe, other);
    pe->stolen_at = pe->reductions;
    if (pe->machine->options.record_to)
        record_idle_end(pe, since);
    return found;
}

struct goal *next_goal(struct pe *pe)
{
    for (;;) {
        if (!safe_point(pe))
            return NULL;
        struct goal *goal = pop_goal(pe);
        if (goal || !find_goals(pe))
            return goal;
    }
}
