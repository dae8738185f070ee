/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams.  An output stream is a list of commands that the program extends: outstream
 * carries the commands out, klicio opens such streams, merge makes one list of several.
 */
#include <string.h>

#include "fghc/machine_priv.h"

/*
 * print, write and putc wait until their term has no unbound variable, so that a run prints
 * the same whatever its schedule; putt and putwt print a term as it is now.
 */
static enum outcome may_be_written(struct pe *pe, term command)
{
    if (term_tag(command) != TERM_STRUCT)
        return OUTCOME_YES;
    const char *name = pe->machine->program->names[term_name(*term_cell(command))];
    if (strcmp(name, "print") != 0 && strcmp(name, "write") != 0
        && strcmp(name, "fwrite") != 0 && strcmp(name, "putc") != 0)
        return OUTCOME_YES;
    return is_known(pe, term_cell(command)[1]);
}

/* Carry out a command of an output stream; false when there is no such command. */
static bool write_command(struct pe *pe, term command)
{
    const struct program *program = pe->machine->program;
    FILE *out = pe->machine->options.out;
    if (term_tag(command) == TERM_ATOM) {
        const char *name = program->names[term_atom_index(command)];
        if (strcmp(name, "nl") == 0)
            fputc('\n', out);
        else if (strcmp(name, "fflush") == 0 || strcmp(name, "flush") == 0)
            fflush(out);
        else
            return false;
        return true;
    }
    if (term_tag(command) != TERM_STRUCT)
        return false;
    const term *at = term_cell(command);
    const char *name = program->names[term_name(at[0])];
    static const char *const plain[] = { "print", "write", "putt", "fwrite" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(name, plain[i]) == 0) {
            print_term(out, program, at[1], false);
            return true;
        }
    bool quoted = strcmp(name, "putwt") == 0 || strcmp(name, "putwtq") == 0
                  || strcmp(name, "writeq") == 0;
    term code = term_deref(at[1]);
    if (quoted)
        print_term(out, program, at[1], true);
    else if (strcmp(name, "putc") == 0 && term_is_integer(code))
        fputc((int)(term_integer(code) & 255), out);
    else if (strcmp(name, "flush") == 0 || strcmp(name, "fflush") == 0)
        fflush(out);
    else
        return false;
    if (strcmp(name, "flush") == 0 || strcmp(name, "fflush") == 0)
        return unify(pe, at[1], term_atom(ATOM_NIL)) == OUTCOME_YES;
    return true;
}

void run_outstream(struct pe *pe, struct goal *goal)
{
    for (;;) {
        term list = term_deref(goal->arguments[0]);
        if (term_tag(list) == TERM_REF) {
            again_when(pe, goal, list);
            return;
        }
        if (list == term_atom(ATOM_NIL)) {
            goal_free(pe, goal);
            return;
        }
        if (term_tag(list) != TERM_LIST) {
            builtin_fail(pe, goal, "that is no stream");
            return;
        }
        term command = term_deref(term_cell(list)[0]);
        if (term_tag(command) == TERM_REF) {
            again_when(pe, goal, command);
            return;
        }
        switch (may_be_written(pe, command)) {
        case OUTCOME_NO: suspend(pe, goal); return;
        case OUTCOME_WAIT: builtin_fail(pe, goal, "it is nested too deeply"); return;
        case OUTCOME_YES: break;
        }
        pthread_mutex_lock(&pe->machine->out_lock);
        bool known = write_command(pe, command);
        pthread_mutex_unlock(&pe->machine->out_lock);
        if (!known) {
            builtin_fail(pe, goal, "the stream does not know this command");
            return;
        }
        goal->arguments[0] = term_cell(list)[1];
    }
}

/* A new process of the system, made by another for the same call of the program. */
static struct goal *process_of(struct pe *pe, const struct goal *maker,
                               enum builtin builtin, uint32_t arity)
{
    struct goal *goal = goal_new(pe, arity);
    goal->is_builtin = true;
    goal->procedure = (uint16_t)builtin;
    goal->site = maker->site;
    goal->parent_pe = maker->parent_pe;
    goal->parent_index = maker->parent_index;
    return goal;
}

/* klicio([stdout(Result)|...]): each result is normal(Stream). */
void run_klicio(struct pe *pe, struct goal *goal)
{
    const struct program *program = pe->machine->program;
    for (;;) {
        term list = term_deref(goal->arguments[0]);
        if (term_tag(list) == TERM_REF) {
            again_when(pe, goal, list);
            return;
        }
        if (term_tag(list) != TERM_LIST) {
            goal_free(pe, goal);
            return;
        }
        term request = term_deref(term_cell(list)[0]);
        if (term_tag(request) == TERM_REF) {
            again_when(pe, goal, request);
            return;
        }
        const term *at = term_tag(request) == TERM_STRUCT ? term_cell(request) : NULL;
        if (!at || term_arity(at[0]) != 1
            || strcmp(program->names[term_name(at[0])], "stdout") != 0) {
            builtin_fail(pe, goal, "only stdout(Result) can be asked for");
            return;
        }
        struct goal *stream = process_of(pe, goal, BUILTIN_OUTSTREAM, 1);
        stream->arguments[0] = heap_variable(pe);
        term *normal = heap_take(pe, 2);
        normal[0] = term_functor(ATOM_NORMAL, 1);
        normal[1] = stream->arguments[0];
        push_goal(pe, stream);
        if (unify(pe, at[1], term_of(normal, TERM_STRUCT)) != OUTCOME_YES) {
            builtin_fail(pe, goal, "the result has another value already");
            return;
        }
        goal->arguments[0] = term_cell(list)[1];
    }
}

/* ---- merge(In, Out) ---- */

/* The vector of streams IN without its part I, or with part I replaced by *WITH. */
static term other_inputs(struct pe *pe, term in, uint32_t i, const term *with)
{
    const term *at = term_cell(in);
    uint32_t n = term_arity(at[0]);
    if (!with && n == 1)
        return term_atom(ATOM_NIL);
    uint32_t rest = with ? n : n - 1;
    term *fresh = heap_take(pe, 1 + (size_t)rest);
    fresh[0] = term_functor(ATOM_VECTOR, rest);
    /* The streams after I come first, so that all have their turn. */
    for (uint32_t k = 1; k < n; k++)
        fresh[k] = at[1 + (i + k) % n];
    if (with)
        fresh[n] = *with;
    return term_of(fresh, TERM_STRUCT);
}

/*
 * Append an element to the merged stream; the goal's second argument is then its new end.
 */
static bool put_element(struct pe *pe, struct goal *goal, term element)
{
    term *pair = heap_take(pe, 2);
    pair[0] = element;
    pair[1] = heap_variable(pe);
    if (unify(pe, goal->arguments[1], term_of(pair, TERM_LIST)) != OUTCOME_YES) {
        builtin_fail(pe, goal, "the merged stream has another value already");
        return false;
    }
    goal->arguments[1] = pair[1];
    return true;
}

/*
 * Take the next of {A,B,...} that has an element, has ended, or is a vector of streams
 * itself.
 */
static void merge_several(struct pe *pe, struct goal *goal, term in)
{
    const term *at = term_cell(in);
    pe->n_waited = 0;
    for (uint32_t i = 0; i < term_arity(at[0]); i++) {
        term one = term_deref(at[1 + i]);
        if (term_tag(one) == TERM_REF) {
            wait_for(pe, one);
            continue;
        }
        if (one == term_atom(ATOM_NIL)) {
            goal->arguments[0] = other_inputs(pe, in, i, NULL);
        } else if (term_tag(one) == TERM_LIST) {
            if (!put_element(pe, goal, term_cell(one)[0]))
                return;
            goal->arguments[0] = other_inputs(pe, in, i, &term_cell(one)[1]);
        } else if (term_tag(one) == TERM_STRUCT
                   && term_name(*term_cell(one)) == ATOM_VECTOR) {
            /* Another merge process makes one stream of them. */
            struct goal *inner = process_of(pe, goal, BUILTIN_MERGE, 2);
            inner->arguments[0] = one;
            inner->arguments[1] = heap_variable(pe);
            goal->arguments[0] = other_inputs(pe, in, i, &inner->arguments[1]);
            push_goal(pe, inner);
        } else {
            builtin_fail(pe, goal, "only lists can be merged");
            return;
        }
        push_goal(pe, goal);
        return;
    }
    suspend(pe, goal);
}

void run_merge(struct pe *pe, struct goal *goal)
{
    term in = term_deref(goal->arguments[0]);
    if (term_tag(in) == TERM_REF) {
        again_when(pe, goal, in);
    } else if (in == term_atom(ATOM_NIL)) {
        if (unify(pe, goal->arguments[1], in) != OUTCOME_YES)
            builtin_fail(pe, goal, "the merged stream has another end");
        else
            goal_free(pe, goal);
    } else if (term_tag(in) == TERM_LIST) {
        if (!put_element(pe, goal, term_cell(in)[0]))
            return;
        goal->arguments[0] = term_cell(in)[1];
        push_goal(pe, goal);
    } else if (term_tag(in) == TERM_STRUCT && term_name(*term_cell(in)) == ATOM_VECTOR) {
        merge_several(pe, goal, in);
    } else {
        builtin_fail(pe, goal, "only lists can be merged");
    }
}
