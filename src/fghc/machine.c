/* SPDX-License-Identifier: Apache-2.0 */
#include "fghc/machine_priv.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct chunk {
    struct chunk *next;
};

static uint64_t now(const struct machine *machine)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)(t.tv_sec - machine->began.tv_sec) * 1000000000u + (uint64_t)t.tv_nsec
           - (uint64_t)machine->began.tv_nsec;
}

static void keep_record(struct pe *pe, const struct goal *goal, uint32_t clause)
{
    if (!pe->machine->options.record || !clause)
        return;
    pe->records = weft_grow(pe->records, &pe->record_capacity, pe->n_records + 1,
                            sizeof *pe->records);
    pe->records[pe->n_records++] = (struct fghc_record){
        .time = now(pe->machine),
        .parent_index = goal->parent_index,
        .parent_pe = goal->parent_pe,
        .clause = (uint16_t)clause,
    };
}

/* "=" and ":=" at once; a ":=" whose numbers are not there yet becomes a goal of its own. */
static bool run_inline(struct pe *pe, const struct goal_call *call)
{
    if (call->kind == GOAL_UNIFY) {
        term left = build(pe, &call->arguments[0]), right = build(pe, &call->arguments[1]);
        if (unify(pe, left, right))
            return true;
        stop_with(pe->machine, WEFT_ERR_FORMAT, call->line,
                  "the program fails: two different terms are unified");
        return false;
    }
    struct goal *goal = goal_new(BUILTIN_ASSIGN, 2);
    goal->is_builtin = true;
    goal->line = call->line;
    goal->arguments[0] = build(pe, &call->arguments[0]);
    goal->arguments[1] = build(pe, &call->arguments[1]);
    run_builtin(pe, goal);
    return !atomic_load_explicit(&pe->machine->stop, memory_order_relaxed);
}

static void spawn(struct pe *pe, const struct goal_call *call, struct goal **list,
                  uint32_t *n)
{
    struct goal *goal = goal_new(call->procedure, call->arity);
    goal->is_builtin = call->kind == GOAL_BUILTIN;
    goal->line = call->line;
    goal->parent_pe = (uint16_t)pe->number;
    goal->parent_index = (uint32_t)pe->reductions;
    for (uint32_t i = 0; i < call->arity; i++)
        goal->arguments[i] = build(pe, &call->arguments[i]);
    list[(*n)++] = goal;
}

static void commit(struct pe *pe, struct goal *goal, const struct clause *clause)
{
    enum { FEW = 64 };
    struct goal *few[FEW], **list = few;
    uint32_t n = 0;
    pe->reductions += clause->number != 0; /* the goal that was typed is none */
    keep_record(pe, goal, clause->number);
    free(goal);
    if (clause->n_body > FEW)
        list = weft_alloc(clause->n_body * sizeof *list);
    bool ok = true;
    for (uint32_t i = 0; ok && i < clause->n_body; i++) {
        const struct goal_call *call = &clause->body[i];
        if (call->kind == GOAL_CALL || call->kind == GOAL_BUILTIN)
            spawn(pe, call, list, &n);
        else
            ok = run_inline(pe, call);
    }
    while (n)
        push_goal(pe, list[--n]); /* the first comes next */
    if (list != few)
        free(list);
}

static enum outcome try_clause(struct pe *pe, const struct goal *goal,
                               const struct clause *clause)
{
    enum outcome all = OUTCOME_YES;
    for (uint32_t i = 0; i < goal->arity; i++) {
        enum outcome one = match(pe, &clause->head[i], goal->arguments[i]);
        if (one == OUTCOME_NO)
            return OUTCOME_NO;
        all = one == OUTCOME_WAIT ? one : all;
    }
    for (uint32_t i = 0; all == OUTCOME_YES && i < clause->n_guards; i++)
        all = test_guard(pe, &clause->guards[i]);
    return all;
}

void reduce(struct pe *pe, struct goal *goal)
{
    const struct procedure *procedure = &pe->machine->program->procedures[goal->procedure];
    bool waits = false;
    pe->n_waited = 0;
    for (uint32_t c = 0; c < procedure->n_clauses; c++) {
        const struct clause *clause = &procedure->clauses[c];
        if (clause->after_otherwise && waits)
            break; /* those before have not all failed yet */
        enum outcome outcome = try_clause(pe, goal, clause);
        if (outcome == OUTCOME_YES) {
            commit(pe, goal, clause);
            return;
        }
        waits |= outcome == OUTCOME_WAIT;
    }
    if (waits) {
        suspend(pe, goal);
        return;
    }
    char *text = goal_text(pe->machine, goal);
    stop_with(pe->machine, WEFT_ERR_FORMAT, goal->line, "no clause fits the goal %s", text);
    free(text);
    free(goal);
}

static void *work(void *argument)
{
    struct pe *pe = argument;
    for (struct goal *goal; (goal = next_goal(pe));)
        (goal->is_builtin ? run_builtin : reduce)(pe, goal);
    return NULL;
}

/* ---- A run ---- */

static void start_machine(struct machine *m, struct program *program,
                          const struct fghc_options *options)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < program->n_procedures; i++)
        for (uint32_t c = 0; c < program->procedures[i].n_clauses; c++)
            if (program->procedures[i].clauses[c].n_variables > most)
                most = program->procedures[i].clauses[c].n_variables;
    m->program = program;
    m->options = *options;
    if (!m->options.most_bytes)
        m->options.most_bytes = UINT64_C(2) << 30;
    m->n_pes = options->pes;
    m->pes = weft_zalloc(m->n_pes, sizeof *m->pes);
    pthread_mutex_init(&m->idle_lock, NULL);
    pthread_mutex_init(&m->out_lock, NULL);
    pthread_cond_init(&m->idle_changed, NULL);
    for (unsigned i = 0; i < m->n_pes; i++) {
        struct pe *pe = &m->pes[i];
        pe->machine = m;
        pe->number = i;
        pe->dice = (options->seed + 1) * 0x9e3779b97f4a7c15u + i * 0x2545f4914f6cdd1du;
        pe->variables = weft_zalloc(most, sizeof *pe->variables);
        pthread_spin_init(&pe->lock, PTHREAD_PROCESS_PRIVATE);
    }
}

/* A goal that nobody will ever wake: said with its text and line. */
static void report_waiting(struct machine *m)
{
    size_t n = 0;
    struct goal *first = NULL;
    for (unsigned i = 0; i < m->n_pes; i++)
        for (struct suspension *s = m->pes[i].suspensions; s; s = s->next) {
            struct goal *goal = atomic_load(&s->goal);
            /* The system's own processes may wait for more of a stream for ever. */
            if (!goal || (goal->is_builtin && goal->procedure != BUILTIN_ASSIGN))
                continue;
            first = goal;
            n++;
        }
    if (!n || m->err.code)
        return;
    char *goal = goal_text(m, first);
    char *text =
        n == 1 ? weft_strdup(goal) : weft_asprintf("%s, and %zu more", goal, n - 1);
    stop_with(m, WEFT_ERR_FORMAT, first->line, "a goal waits for ever: %s", text);
    free(text);
    free(goal);
}

static void collect(struct machine *m, const struct query *query, const term *answers,
                    struct fghc_result *result)
{
    result->pes = m->n_pes;
    result->by_pe = weft_zalloc(m->n_pes, sizeof *result->by_pe);
    result->records = weft_zalloc(m->n_pes, sizeof *result->records);
    result->n_records = weft_zalloc(m->n_pes, sizeof *result->n_records);
    result->answers = weft_zalloc(query->n_variables + 1, sizeof *result->answers);
    for (unsigned i = 0; i < m->n_pes; i++) {
        struct pe *pe = &m->pes[i];
        result->reductions += result->by_pe[i] = pe->reductions;
        result->suspensions += pe->n_suspensions;
        result->migrations += pe->migrations;
        result->records[i] = pe->records;
        result->n_records[i] = pe->n_records;
    }
    for (uint32_t v = 0; v < query->n_variables; v++) {
        size_t size;
        FILE *text = open_memstream(&result->answers[v], &size);
        print_term(text, m->program, answers[v], true);
        fclose(text);
    }
}

static void end_machine(struct machine *m)
{
    for (unsigned i = 0; i < m->n_pes; i++) {
        struct pe *pe = &m->pes[i];
        for (struct goal *g = pe->newest, *next; g; g = next) {
            next = g->next;
            free(g);
        }
        for (struct suspension *s = pe->suspensions, *next; s; s = next) {
            next = s->next;
            free(atomic_load(&s->goal));
            free(s);
        }
        for (struct chunk *c = pe->chunks, *next; c; c = next) {
            next = c->next;
            free(c);
        }
        free(pe->variables);
        pthread_spin_destroy(&pe->lock);
    }
    pthread_mutex_destroy(&m->idle_lock);
    pthread_mutex_destroy(&m->out_lock);
    pthread_cond_destroy(&m->idle_changed);
    free(m->pes);
}

bool fghc_run(struct program *program, const struct query *query,
              const struct fghc_options *options, struct fghc_result *result,
              struct weft_err *err)
{
    struct machine m = { 0 };
    *result = (struct fghc_result){ 0 };
    start_machine(&m, program, options);
    clock_gettime(CLOCK_MONOTONIC, &m.began);
    struct goal *goal = goal_new(query->procedure, query->n_variables);
    term *answers = weft_zalloc(query->n_variables + 1, sizeof *answers);
    for (uint32_t v = 0; v < query->n_variables; v++)
        goal->arguments[v] = answers[v] = heap_variable(&m.pes[0]);
    push_goal(&m.pes[0], goal);
    unsigned started = 1;
    while (started < m.n_pes
           && pthread_create(&m.pes[started].thread, NULL, work, &m.pes[started]) == 0)
        started++;
    if (started < m.n_pes)
        stop_with(&m, WEFT_ERR_READ, 0, "cannot start a thread");
    work(&m.pes[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(m.pes[i].thread, NULL);
    result->seconds = (double)now(&m) / 1e9;
    report_waiting(&m);
    collect(&m, query, answers, result);
    free(answers);
    *err = m.err;
    end_machine(&m);
    return !err->code;
}

void fghc_result_free(struct fghc_result *result, const struct query *query)
{
    for (unsigned i = 0; i < result->pes; i++)
        free(result->records[i]);
    for (uint32_t v = 0; result->answers && v < query->n_variables; v++)
        free(result->answers[v]);
    free(result->records);
    free(result->n_records);
    free(result->answers);
    free(result->by_pe);
    *result = (struct fghc_result){ 0 };
}

/* All PEs' records in order of time; those of one PE are so already. */
bool fghc_write_vista(const struct fghc_result *result, FILE *out)
{
    uint64_t *at = weft_zalloc(result->pes, sizeof *at);
    fprintf(out, "%u\n", result->pes);
    for (;;) {
        const struct fghc_record *first = NULL;
        unsigned from = 0;
        for (unsigned i = 0; i < result->pes; i++) {
            const struct fghc_record *r = &result->records[i][at[i]];
            if (at[i] < result->n_records[i] && (!first || r->time < first->time)) {
                first = r;
                from = i;
            }
        }
        if (!first)
            break;
        fprintf(out, "%llu\t%u\t%u\t%llu\t%u\t%u\n",
                (unsigned long long)(first->time / 1000), first->clause, from,
                (unsigned long long)++at[from], first->parent_pe, first->parent_index);
    }
    free(at);
    return !ferror(out);
}
