/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/compare.h"
#include "domains/trees/fghc/machine_priv.h"

enum {
    WAITING_NAMED = 10,     /* call sites that the error of a deadlock lists */
    WATCH_EVERY = 10000000, /* ns: a cancelled run ends about so soon */
    FLUSH_EVERY = 5,        /* times WATCH_EVERY: the records that a killed run loses */
};

/* ---- A PE ---- */

static void load_registers(struct pe *pe, struct goal *goal)
{
    memcpy(pe->registers, goal->arguments, goal->arity * sizeof(term));
    pe->procedure = goal->procedure;
    pe->site = goal->site;
    pe->parent_pe = goal->parent_pe;
    pe->parent_index = goal->parent_index;
    pe->waiting = goal->waiting;
    goal->waiting = NULL;
    goal_free(pe, goal);
}

/* Waits until all threads have started, so that no PE works before the others can. */
static void wait_for_begin(struct machine *m)
{
    atomic_fetch_add(&m->n_ready, 1);
    while (!atomic_load(&m->begun))
        sched_yield();
}

static void *work(void *argument)
{
    struct pe *pe = argument;
    if (pe->number)
        wait_for_begin(pe->machine);
    record_start(pe);
    for (struct goal *goal; (goal = next_goal(pe));) {
        if (goal->is_builtin) {
            pe->is_builtin = true;
            pe->parent_pe = goal->parent_pe;
            pe->parent_index = goal->parent_index;
            run_builtin(pe, goal);
            pe->is_builtin = false;
        } else {
            load_registers(pe, goal);
            run_goal(pe);
        }
    }
    return NULL;
}

static void open_pe(struct machine *m, unsigned number)
{
    struct pe *pe = &m->pes[number];
    uint32_t registers = m->program->most_registers;
    if (registers < UINT8_MAX + 1)
        registers = UINT8_MAX + 1; /* room for the arguments of any goal */
    pe->machine = m;
    pe->number = (uint16_t)number;
    pe->dice = (m->options.seed + 1) * 0x9e3779b97f4a7c15u + number * 0x2545f4914f6cdd1du;
    if (!pe->dice)
        pe->dice = 0x9e3779b97f4a7c15u; /* 0 would throw 0 for ever */
    pe->registers = weft_zalloc(registers, sizeof(term));
    pe->others = weft_zalloc(registers, sizeof(term));
    pe->code = m->program->code;
    pe->constants = m->program->constants;
    pe->procedures = m->program->procedures;
    pe->unknown = term_of(&pe->unknown, TERM_REF);
    if (m->options.record_to)
        log_open(&pe->log, (uint16_t)number);
    atomic_init(&pe->asker, -1);
}

static void close_pe(struct pe *pe)
{
    free(pe->registers);
    free(pe->others);
    free(pe->stack);
    free(pe->waited);
    free(pe->waiting);
    free(pe->values);
    free(pe->results);
    walk_free(&pe->walk);
    log_close(&pe->log);
}

/* ---- The machine ---- */

static bool open_machine(struct machine *m, struct program *program,
                         const struct fghc_options *options, struct weft_err *err)
{
    m->program = program;
    program->names = weft_grow(program->names, &program->name_capacity,
                               program->n_names + MAX_READ_NAMES, sizeof *program->names);
    m->options = *options;
    m->n_pes = options->pes;
    m->is_crowded = m->n_pes > (unsigned long)sysconf(_SC_NPROCESSORS_ONLN);
    if (!m->options.most_bytes)
        m->options.most_bytes = UINT64_C(2) << 30;
    if (!heap_open(&m->heap, m->options.most_bytes, m->n_pes, err)) {
        heap_close(&m->heap);
        return false;
    }
    size_t first = MIN_USED_BYTES / CHUNK;
    m->heap.trigger = first < m->heap.most / 2 ? first : m->heap.most / 2;
    goals_open(&m->pool);
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->out_lock, NULL);
    pthread_cond_init(&m->changed, NULL);
    pthread_cond_init(&m->over, NULL);
    m->pes = aligned_alloc(LINE_OF_CACHE, m->n_pes * sizeof *m->pes);
    WEFT_REQUIRE(m->pes, "no memory for %u PEs", m->n_pes);
    memset(m->pes, 0, m->n_pes * sizeof *m->pes);
    for (unsigned i = 0; i < m->n_pes; i++)
        open_pe(m, i);
    m->has_counter = record_counter_is_clock();
    ends_open(m);
    return true;
}

/* Returns the goal at an index of a slab, or NULL when it is unused. */
static struct goal *goal_at(const struct goal_slab *slab, uint32_t index)
{
    struct goal *goal = (struct goal *)(void *)(slab->goals + index * slab->stride);
    return goal->is_used ? goal : NULL;
}

static void close_machine(struct machine *m)
{
    for (const struct goal_slab *slab = m->pool.slabs; slab; slab = slab->next)
        for (uint32_t i = 0; i < slab->n; i++)
            if (goal_at(slab, i))
                free(goal_at(slab, i)->waiting);
    for (unsigned i = 0; i < m->n_pes; i++)
        close_pe(&m->pes[i]);
    goals_close(&m->pool);
    heap_close(&m->heap);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->out_lock);
    pthread_cond_destroy(&m->changed);
    pthread_cond_destroy(&m->over);
    free(m->answers);
    free(m->pes);
}

static void start(struct machine *m, const struct query *query)
{
    struct pe *pe = &m->pes[0];
    struct goal *goal = goal_new(pe, query->n_variables);
    m->n_answers = query->n_variables;
    m->answers = weft_zalloc(query->n_variables + 1, sizeof *m->answers);
    goal->procedure = (uint16_t)query->procedure;
    goal->site = 0;
    goal->parent_pe = 0;
    goal->parent_index = 0;
    for (uint32_t v = 0; v < query->n_variables; v++)
        goal->arguments[v] = m->answers[v] = heap_variable(pe);
    push_goal(pe, goal);
}

static void run_pes(struct machine *m)
{
    unsigned started = 1;
    while (started < m->n_pes
           && pthread_create(&m->pes[started].thread, NULL, work, &m->pes[started]) == 0)
        started++;
    if (started < m->n_pes)
        stop_with(m, WEFT_ERR_READ, 0, "cannot start a thread");
    while (atomic_load(&m->n_ready) + 1 < started)
        sched_yield();
    m->began = record_nanoseconds();
    m->first_tick = record_tick(m);
    record_begin(m);
    atomic_store(&m->begun, true);
    work(&m->pes[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(m->pes[i].thread, NULL);
    m->ended = record_nanoseconds();
    record_end(m);
}

/* ---- Ending it early ---- */

/*
 * Writes the output and the records so far, since a run may have no end.  The caller does
 * not hold machine.lock, since the reader of the output may make the write wait.
 */
static void flush_all(struct machine *m)
{
    if (m->options.record_to)
        call_for(m, ATTENTION_FLUSH);
    if (m->options.out && pthread_mutex_trylock(&m->out_lock) == 0) {
        fflush(m->options.out);
        pthread_mutex_unlock(&m->out_lock);
    }
}

/* Looks at the job and flushes at intervals, so that the PEs need not. */
static void *watch(void *machine)
{
    struct machine *m = machine;
    struct weft_err cancelled = { 0 };
    pthread_mutex_lock(&m->lock);
    for (unsigned times = 1; !m->is_over && !cancelled.code; times++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WATCH_EVERY;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&m->over, &m->lock, &until);
        if (!m->is_over && times % FLUSH_EVERY == 0) {
            pthread_mutex_unlock(&m->lock);
            flush_all(m);
            pthread_mutex_lock(&m->lock);
        }
        if (!m->is_over && !weft_job_step(m->options.job, 0, 0, &cancelled)) {
            pthread_mutex_unlock(&m->lock);
            stop_with(m, WEFT_ERR_CANCELLED, 0, "%s", cancelled.message);
            pthread_mutex_lock(&m->lock);
        }
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

static void run_watched(struct machine *m)
{
    bool is_watched = m->options.job || m->options.record_to;
    if (is_watched && pthread_create(&m->watcher, NULL, watch, m) != 0) {
        stop_with(m, WEFT_ERR_READ, 0, "cannot start a thread");
        return;
    }
    run_pes(m);
    if (!is_watched)
        return;
    pthread_mutex_lock(&m->lock);
    m->is_over = true;
    pthread_cond_signal(&m->over);
    pthread_mutex_unlock(&m->lock);
    pthread_join(m->watcher, NULL);
    if (weft_job_cancelled(m->options.job)) /* perhaps after the watcher's last look */
        stop_with(m, WEFT_ERR_CANCELLED, 0, "cancelled");
}

/* ---- Results ---- */

static int by_place(const void *a, const void *b)
{
    const struct goal *const *x = a, *const *y = b;
    return WEFT_COMPARE((*x)->site, (*y)->site);
}

/* Returns true for a built-in process that waits for more of a stream, which is no
 * error. */
static bool waits_for_stream(const struct goal *goal)
{
    if (!goal->is_builtin)
        return false;
    return goal->procedure == BUILTIN_KLICIO || goal->procedure == BUILTIN_MERGE
           || goal->procedure == BUILTIN_OUTSTREAM
           || (goal->procedure == BUILTIN_WRITING && goal->arguments[1] == term_small(0));
}

/* Returns the goals that wait for ever at the end of the run, in source order. */
static struct goal **find_waiting(const struct machine *m, size_t *n)
{
    struct goal **list = NULL;
    size_t capacity = 0;
    *n = 0;
    for (const struct goal_slab *slab = m->pool.slabs; slab; slab = slab->next)
        for (uint32_t i = 0; i < slab->n; i++) {
            struct goal *goal = goal_at(slab, i);
            if (!goal || waits_for_stream(goal))
                continue;
            list = weft_grow(list, &capacity, *n + 1, sizeof(struct goal *));
            list[(*n)++] = goal;
        }
    if (*n)
        qsort(list, *n, sizeof(struct goal *), by_place);
    return list;
}

/* Writes one goal of each call site, and how many more wait there. */
static void write_waiting(const struct machine *m, struct goal *const *list, size_t n,
                          FILE *out)
{
    size_t places = 0;
    for (size_t i = 0, end; i < n; i = end) {
        const struct goal *goal = list[i];
        for (end = i + 1; end < n && list[end]->site == goal->site;)
            end++;
        if (places++ == WAITING_NAMED) {
            fputs(", ...", out);
            return;
        }
        char *text = goal_text(m, goal);
        fprintf(out, i ? ", %s" : "%s", text);
        free(text);
        if (i && goal->site)
            fprintf(out, " (line %u)", m->program->calls[goal->site].goal->line);
        if (end - i > 1)
            fprintf(out, " and %zu more there", end - i - 1);
    }
}

static void report_waiting(struct machine *m)
{
    size_t n, size;
    struct goal **list = find_waiting(m, &n);
    char *text;
    FILE *out = weft_text_begin(&text, &size);
    write_waiting(m, list, n, out);
    weft_text_end(out);
    if (n == 1)
        stop_with(m, WEFT_ERR_FORMAT, list[0]->site, "a goal waits for ever: %s", text);
    else if (n)
        stop_with(m, WEFT_ERR_FORMAT, list[0]->site, "%zu goals wait for ever: %.400s", n,
                  text);
    free(list);
    free(text);
}

/*
 * Prints the values of the goal's variables, except of those whose names begin with _.  The
 * texts may take half of the run's memory, like the terms: a shared part of a term is
 * printed each time, so a text may be much longer than its term.
 */
static void print_answers(struct machine *m, const struct query *query,
                          struct fghc_result *result)
{
    struct print_names names = { 0 };
    enum printed printed = PRINTED_ALL;
    uint64_t left = m->options.most_bytes / 2;
    print_names_of(&names, query->names, m->answers, query->n_variables);
    for (uint32_t v = 0; v < query->n_variables && printed != PRINTED_IN_PART; v++) {
        size_t size;
        if (query->names[v][0] == '_')
            continue;
        FILE *text = weft_text_begin(&result->answers[v], &size);
        term value = term_deref(m->answers[v]);
        printed = PRINTED_ALL;
        if (weft_id_map_get(&names.indices, value) == v) /* unbound */
            fputc('_', text);
        else
            printed = print_value(text, m->program, m->options.job, value, left, &names);
        weft_text_end(text);
        if (printed == PRINTED_ALL) {
            left -= size < left ? size : left - 1; /* at least 1, since 0 is no limit */
            continue;
        }
        free(result->answers[v]);
        result->answers[v] = NULL;
        if (printed == PRINTED_TOO_LONG)
            stop_with(
                m, WEFT_ERR_LIMIT, 0,
                "the value of %.100s is too long to be printed in the memory that the "
                "run may have",
                query->names[v]);
    }
    print_names_free(&names);
    if (weft_job_cancelled(m->options.job))
        stop_with(m, WEFT_ERR_CANCELLED, 0, "cancelled");
}

static void gather(struct machine *m, const struct query *query, struct fghc_result *result)
{
    result->pes = m->n_pes;
    result->seconds = (double)(m->ended - m->began) / 1e9;
    result->collections = atomic_load(&m->collections);
    result->by_pe = weft_zalloc(m->n_pes, sizeof *result->by_pe);
    result->answers = weft_zalloc(query->n_variables + 1, sizeof *result->answers);
    for (unsigned i = 0; i < m->n_pes; i++) {
        struct pe *pe = &m->pes[i];
        result->reductions += result->by_pe[i] = pe->reductions;
        result->suspensions += pe->n_suspensions;
        result->migrations += pe->migrations;
    }
    if (m->err.code != WEFT_ERR_CANCELLED) /* a cancelled run shall end at once */
        print_answers(m, query, result);
}

bool fghc_run(struct program *program, const struct query *query,
              const struct fghc_options *options, struct fghc_result *result,
              struct weft_err *err)
{
    struct machine m = { 0 };
    *result = (struct fghc_result){ 0 };
    m.recorder.fd = -1;
    if (options->record_to
        && !recorder_open(&m.recorder, options->record_to, program, query, options->pes,
                          err)) {
        recorder_close(&m.recorder);
        return false;
    }
    if (!open_machine(&m, program, options, err)) {
        if (options->record_to)
            recorder_close(&m.recorder);
        return false;
    }
    start(&m, query);
    run_watched(&m);
    if (!m.err.code && !m.exited)
        report_waiting(&m);
    gather(&m, query, result);
    close_files(&m);
    ends_close(&m);
    *err = m.err;
    if (options->record_to)
        recorder_close(&m.recorder);
    close_machine(&m);
    return !err->code;
}

void fghc_result_free(struct fghc_result *result, const struct query *query)
{
    for (uint32_t v = 0; result->answers && v < query->n_variables; v++)
        free(result->answers[v]);
    free(result->answers);
    free(result->by_pe);
    *result = (struct fghc_result){ 0 };
}
