/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of the system.  A stream to the outside is a list that grows: outstream works its
 * commands off, klicio hands such streams out, merge makes one list of two.
 */
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

/* Try again when T is bound. */
static void again_when(struct pe *pe, struct goal *goal, term t)
{
    pe->n_waited = 0;
    wait_for(pe, t);
    suspend(pe, goal);
}

static void fail(struct pe *pe, struct goal *goal, const char *why)
{
    char *text = goal_text(pe->machine, goal), *all = weft_asprintf("%s: %s", text, why);
    stop_with(pe->machine, WEFT_ERR_FORMAT, goal->line, "%s", all);
    free(all);
    free(text);
    free(goal);
}

static void run_assign(struct pe *pe, struct goal *goal)
{
    int64_t value;
    pe->n_waited = 0;
    switch (evaluate(pe, goal->arguments[1], &value)) {
    case OUTCOME_WAIT: suspend(pe, goal); return;
    case OUTCOME_NO: fail(pe, goal, "that is no number"); return;
    case OUTCOME_YES: break;
    }
    if (!unify(pe, goal->arguments[0], heap_integer(pe, value)))
        fail(pe, goal, "it has another value already");
    else
        free(goal);
}

/* Is all of a term known?  Else its first unbound variable is noted in pe->waited. */
static bool is_known(struct pe *pe, term t)
{
    for (;;) {
        t = term_deref(t);
        const term *at = term_cell(t);
        switch (term_tag(t)) {
        case TERM_REF: wait_for(pe, t); return false;
        case TERM_LIST:
            if (!is_known(pe, at[0]))
                return false;
            t = at[1];
            continue;
        case TERM_STRUCT:
            for (uint32_t i = 1; i <= term_arity(at[0]); i++)
                if (!is_known(pe, at[i]))
                    return false;
            return true;
        default: return true;
        }
    }
}

/*
 * What print, write and putc say waits until it is known, so that a run prints the same
 * whatever its schedule; putt and putwt show a term as it is now.
 */
static bool may_be_written(struct pe *pe, term command)
{
    if (term_tag(command) != TERM_STRUCT)
        return true;
    const char *name = pe->machine->program->names[term_name(*term_cell(command))];
    pe->n_waited = 0;
    return (strcmp(name, "print") != 0 && strcmp(name, "write") != 0
            && strcmp(name, "fwrite") != 0 && strcmp(name, "putc") != 0)
           || is_known(pe, term_cell(command)[1]);
}

/* One command of an output stream; false: it is not known. */
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
        return unify(pe, at[1], term_atom(ATOM_NIL));
    return true;
}

static void run_outstream(struct pe *pe, struct goal *goal)
{
    for (;;) {
        term list = term_deref(goal->arguments[0]);
        if (term_tag(list) == TERM_REF) {
            again_when(pe, goal, list);
            return;
        }
        if (list == term_atom(ATOM_NIL)) {
            free(goal);
            return;
        }
        if (term_tag(list) != TERM_LIST) {
            fail(pe, goal, "that is no stream");
            return;
        }
        term command = term_deref(term_cell(list)[0]);
        if (term_tag(command) == TERM_REF) {
            again_when(pe, goal, command);
            return;
        }
        if (!may_be_written(pe, command)) {
            suspend(pe, goal);
            return;
        }
        pthread_mutex_lock(&pe->machine->out_lock);
        bool known = write_command(pe, command);
        pthread_mutex_unlock(&pe->machine->out_lock);
        if (!known) {
            fail(pe, goal, "the stream does not know this command");
            return;
        }
        goal->arguments[0] = term_cell(list)[1];
    }
}

/* klicio([stdout(Result)|...]): each result is normal(Stream). */
static void run_klicio(struct pe *pe, struct goal *goal)
{
    struct program *program = pe->machine->program;
    for (;;) {
        term list = term_deref(goal->arguments[0]);
        if (term_tag(list) == TERM_REF) {
            again_when(pe, goal, list);
            return;
        }
        if (term_tag(list) != TERM_LIST) {
            free(goal);
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
            fail(pe, goal, "only stdout(Result) can be asked for");
            return;
        }
        struct goal *stream = goal_new(BUILTIN_OUTSTREAM, 1);
        stream->is_builtin = true;
        stream->line = goal->line;
        stream->arguments[0] = heap_variable(pe);
        term *normal = heap_take(pe, 2);
        uint32_t name = weft_text_map_get(&program->names_map, "normal", 6);
        normal[0] = term_functor(name == WEFT_MAP_NONE ? ATOM_NIL : name, 1);
        normal[1] = stream->arguments[0];
        push_goal(pe, stream);
        if (!unify(pe, at[1], term_of(normal, TERM_STRUCT))) {
            fail(pe, goal, "the result has another value already");
            return;
        }
        goal->arguments[0] = term_cell(list)[1];
    }
}

/* merge(In, Out), where In may hold merge(A, B) in the place of an element. */
static void run_merge(struct pe *pe, struct goal *goal)
{
    term list = term_deref(goal->arguments[0]);
    if (term_tag(list) == TERM_REF) {
        again_when(pe, goal, list);
        return;
    }
    if (list == term_atom(ATOM_NIL)) {
        if (!unify(pe, goal->arguments[1], list))
            fail(pe, goal, "the merged stream has another end");
        else
            free(goal);
        return;
    }
    if (term_tag(list) != TERM_LIST) {
        fail(pe, goal, "only a list can be merged");
        return;
    }
    term *pair = heap_take(pe, 2);
    pair[0] = term_cell(list)[0];
    pair[1] = heap_variable(pe);
    if (!unify(pe, goal->arguments[1], term_of(pair, TERM_LIST))) {
        fail(pe, goal, "the merged stream has another value already");
        return;
    }
    goal->arguments[0] = term_cell(list)[1];
    goal->arguments[1] = pair[1];
    push_goal(pe, goal);
}

static void run_print(struct pe *pe, struct goal *goal)
{
    pe->n_waited = 0;
    if (!is_known(pe, goal->arguments[0])) {
        suspend(pe, goal);
        return;
    }
    pthread_mutex_lock(&pe->machine->out_lock);
    print_term(pe->machine->options.out, pe->machine->program, goal->arguments[0], false);
    fputc('\n', pe->machine->options.out);
    pthread_mutex_unlock(&pe->machine->out_lock);
    free(goal);
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
