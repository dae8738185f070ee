/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of the system: their table, assignment, printing. */
#include <stdlib.h>
#include <string.h>

#include "fghc/machine_priv.h"

int builtin_find(const char *name, uint32_t arity)
{
    static const struct {
        const char *name;
        uint32_t arity;
        enum builtin builtin;
    } all[] = { { "outstream", 1, BUILTIN_OUTSTREAM },
                { "klicio", 1, BUILTIN_KLICIO },
                { "merge", 2, BUILTIN_MERGE },
                { "print", 1, BUILTIN_PRINT } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0 && all[i].arity == arity)
            return (int)all[i].builtin;
    return -1;
}

void again_when(struct pe *pe, struct goal *goal, term t)
{
    pe->n_waited = 0;
    wait_for(pe, t);
    suspend(pe, goal);
}

void builtin_fail(struct pe *pe, struct goal *goal, const char *why)
{
    char *text = goal_text(pe->machine, goal);
    stop_with(pe->machine, WEFT_ERR_FORMAT, goal->site, "%s: %s", text, why);
    free(text);
    goal_free(pe, goal);
}

/* True of an expression of numbers only: when it has no value, it divides by zero. */
static bool is_arithmetic(term t, uint32_t depth)
{
    t = term_deref(t);
    if (term_is_integer(t))
        return true;
    const term *at = term_cell(t);
    return term_tag(t) == TERM_STRUCT && term_arity(at[0]) == 2
           && program_arithmetic(term_name(at[0])) >= 0 && depth < MOST_TERM_DEPTH
           && is_arithmetic(at[1], depth + 1) && is_arithmetic(at[2], depth + 1);
}

static void run_assign(struct pe *pe, struct goal *goal)
{
    term value;
    pe->n_waited = 0;
    switch (evaluate(pe, goal->arguments[1], &value)) {
    case OUTCOME_WAIT: suspend(pe, goal); return;
    case OUTCOME_NO:
        builtin_fail(pe, goal,
                     is_arithmetic(goal->arguments[1], 0) ? "a division by zero"
                                                          : "that is no number");
        return;
    case OUTCOME_YES: break;
    }
    if (unify(pe, goal->arguments[0], value) != OUTCOME_YES)
        builtin_fail(pe, goal, "it has another value already");
    else
        goal_free(pe, goal);
}

static enum outcome known_at(struct pe *pe, term t, uint32_t depth, uint64_t *steps)
{
    for (;;) {
        t = term_deref(t);
        enum term_tag tag = term_tag(t);
        if (tag == TERM_REF) {
            wait_for(pe, t);
            return OUTCOME_NO;
        }
        if (tag != TERM_LIST && tag != TERM_STRUCT)
            return OUTCOME_YES;
        if (depth == MOST_TERM_DEPTH || ++*steps > MOST_STEPS)
            return OUTCOME_WAIT;
        const term *at = term_cell(t);
        uint32_t first = tag == TERM_STRUCT, n = first ? term_arity(at[0]) : 2;
        for (uint32_t i = first; i + 1 < first + n; i++) {
            enum outcome one = known_at(pe, at[i], depth + 1, steps);
            if (one != OUTCOME_YES)
                return one;
        }
        t = at[first + n - 1];
    }
}

enum outcome is_known(struct pe *pe, term t)
{
    uint64_t steps = 0;
    pe->n_waited = 0;
    return known_at(pe, t, 0, &steps);
}

static void run_print(struct pe *pe, struct goal *goal)
{
    switch (is_known(pe, goal->arguments[0])) {
    case OUTCOME_NO: suspend(pe, goal); return;
    case OUTCOME_WAIT: builtin_fail(pe, goal, "it is nested too deeply"); return;
    case OUTCOME_YES: break;
    }
    FILE *out = pe->machine->options.out;
    pthread_mutex_lock(&pe->machine->out_lock);
    print_term(out, pe->machine->program, goal->arguments[0], false);
    fputc('\n', out);
    pthread_mutex_unlock(&pe->machine->out_lock);
    goal_free(pe, goal);
}

void run_builtin(struct pe *pe, struct goal *goal)
{
    switch ((enum builtin)goal->procedure) {
    case BUILTIN_ASSIGN: run_assign(pe, goal); break;
    case BUILTIN_OUTSTREAM: run_outstream(pe, goal); break;
    case BUILTIN_KLICIO: run_klicio(pe, goal); break;
    case BUILTIN_MERGE: run_merge(pe, goal); break;
    case BUILTIN_PRINT: run_print(pe, goal); break;
    }
}
