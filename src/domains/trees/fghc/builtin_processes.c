/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in processes: their table, :=, exit and print; builtin_streams.c has the others. */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/builtin_functions.h"
#include "domains/trees/fghc/machine_priv.h"

int builtin_find(const char *name, uint32_t arity)
{
    static const struct {
        const char *name;
        uint32_t arity;
        enum builtin builtin;
    } all[] = { { "outstream", 1, BUILTIN_OUTSTREAM },
                { "instream", 1, BUILTIN_OUTSTREAM }, /* a stream reads and writes */
                { "exit", 1, BUILTIN_EXIT },
                { "klicio", 1, BUILTIN_KLICIO },
                { "unix", 1, BUILTIN_KLICIO },
                { "merge", 2, BUILTIN_MERGE },
                { "print", 1, BUILTIN_PRINT } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0 && all[i].arity == arity)
            return (int)all[i].builtin;
    int function = function_find(name, arity, false);
    return function < 0 ? -1 : BUILTIN_FUNCTION + function;
}

void again_when(struct pe *pe, struct goal *goal, term t)
{
    pe->n_waited = 0;
    wait_for(pe, t);
    suspend(pe, goal);
}

void builtin_fail(struct pe *pe, struct goal *goal, const char *why)
{
    if (!atomic_load(&pe->machine->stopped)) { /* else that may be why it failed */
        char *text = goal_text(pe->machine, goal);
        stop_with(pe->machine, WEFT_ERR_FORMAT, goal->site, "%s: %s", text, why);
        free(text);
    }
    goal_free(pe, goal);
}

static void run_assign(struct pe *pe, struct goal *goal)
{
    term value;
    pe->n_waited = 0;
    pe->by_zero = false;
    switch (evaluate(pe, goal->arguments[1], &value)) {
    case OUTCOME_WAIT: suspend(pe, goal); return;
    case OUTCOME_NO:
        builtin_fail(pe, goal, pe->by_zero ? "a division by zero" : "that is no number");
        return;
    case OUTCOME_YES: break;
    }
    if (unify(pe, goal->arguments[0], value) != OUTCOME_YES)
        builtin_fail(pe, goal, "it has another value already");
    else
        goal_free(pe, goal);
}

/*
 * The goal keeps the parts not yet tested as a list, so that a list or a vector whose parts
 * are bound one by one is tested once, and not again from its begin.
 */
bool when_known(struct pe *pe, struct goal *goal, uint32_t argument)
{
    struct term_walk *walk = &pe->walk;
    term left = goal->arguments[argument];
    enum outcome outcome = OUTCOME_YES;
    walk_begin(walk);
    pe->n_waited = 0;
    while (term_tag(left) == TERM_LIST && outcome == OUTCOME_YES) {
        walk_push(walk, term_cell(left)[0]);
        left = term_cell(left)[1];
        outcome = is_known(pe, walk);
    }
    for (size_t i = 0; i < walk->n; i++) /* the last one is tested first */
        left = heap_list(pe, walk->stack[i], left);
    goal->arguments[argument] = left;
    if (outcome == OUTCOME_WAIT)
        suspend(pe, goal);
    return outcome == OUTCOME_YES;
}

/* printing(Term, List): prints the term when the elements of the list are ground. */
static void run_printing(struct pe *pe, struct goal *goal)
{
    if (!when_known(pe, goal, 1))
        return;
    FILE *out = pe->machine->options.out;
    pthread_mutex_lock(&pe->machine->out_lock);
    print_term(out, pe->machine->program, pe->machine->options.job, goal->arguments[0],
               false);
    fputc('\n', out);
    pthread_mutex_unlock(&pe->machine->out_lock);
    goal_free(pe, goal);
}

static void run_print(struct pe *pe, struct goal *goal)
{
    struct goal *printing = process_of(pe, goal, BUILTIN_PRINTING, 2);
    printing->arguments[0] = goal->arguments[0];
    printing->arguments[1] = heap_list(pe, goal->arguments[0], term_atom(ATOM_NIL));
    goal_free(pe, goal);
    run_printing(pe, printing);
}

/* exit(Status): ends the run; a status other than 0 is an error. */
static void run_exit(struct pe *pe, struct goal *goal)
{
    term status = term_deref(goal->arguments[0]);
    if (term_tag(status) == TERM_REF) {
        again_when(pe, goal, status);
        return;
    }
    if (!term_is_integer(status)) {
        builtin_fail(pe, goal, "a status is a number");
        return;
    }
    if (status == term_small(0))
        stop_well(pe->machine);
    else
        builtin_fail(pe, goal, "the program has ended itself");
    if (status == term_small(0))
        goal_free(pe, goal);
}

void run_builtin(struct pe *pe, struct goal *goal)
{
    if (goal->procedure >= BUILTIN_FUNCTION) {
        run_function(pe, goal);
        return;
    }
    switch ((enum builtin)goal->procedure) {
    case BUILTIN_ASSIGN: run_assign(pe, goal); break;
    case BUILTIN_OUTSTREAM: run_outstream(pe, goal); break;
    case BUILTIN_KLICIO: run_klicio(pe, goal); break;
    case BUILTIN_MERGE: run_merge(pe, goal); break;
    case BUILTIN_EXIT: run_exit(pe, goal); break;
    case BUILTIN_PRINT: run_print(pe, goal); break;
    case BUILTIN_WRITING: run_writing(pe, goal); break;
    case BUILTIN_PRINTING: run_printing(pe, goal); break;
    case BUILTIN_FUNCTION: break;
    }
}
