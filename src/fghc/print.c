/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fghc/machine_priv.h"

static bool is_plain(const char *name)
{
    if (strcmp(name, "[]") == 0)
        return true;
    if (islower((unsigned char)name[0])) {
        for (const char *at = name; *at; at++)
            if (!isalnum((unsigned char)*at) && *at != '_')
                return false;
        return true;
    }
    return name[0] && strspn(name, "+-*/\\^<>=~:.?@#&$") == strlen(name);
}

static void print_atom(FILE *out, const char *name, bool quotes)
{
    if (!quotes || is_plain(name)) {
        fputs(name, out);
        return;
    }
    fputc('\'', out);
    for (; *name; name++)
        fprintf(out, *name == '\'' ? "''" : "%c", *name);
    fputc('\'', out);
}

static bool is_binary(const char *name)
{
    static const char *const names[] = { "-", "+", "*", "/", ":", "=", ":=", "mod" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/*
 * Terms may be cyclic: beyond these limits "..." is printed.  Depth is bounded by the
 * stack, and the number of parts by what anybody would read; an error has the length of a
 * few lines (in characters, and in parts).
 */
enum { MOST_PRINTED_DEPTH = 1000, MOST_PRINTED = 10000000, MOST_IN_AN_ERROR = 300 };

struct printer {
    FILE *out;
    const struct program *program;
    bool quotes;
    uint64_t left; /* parts that may still be printed */
};

static void print_at(struct printer *p, term t, uint32_t depth);

static void print_list(struct printer *p, term t, uint32_t depth)
{
    fputc('[', p->out);
    for (;;) {
        print_at(p, term_cell(t)[0], depth + 1);
        t = term_deref(term_cell(t)[1]);
        if (term_tag(t) != TERM_LIST || !p->left)
            break;
        fputc(',', p->out);
    }
    if (t != term_atom(ATOM_NIL)) {
        fputc('|', p->out);
        print_at(p, t, depth + 1);
    }
    fputc(']', p->out);
}

static void print_struct(struct printer *p, term t, uint32_t depth)
{
    const term *at = term_cell(t);
    uint32_t arity = term_arity(at[0]);
    const char *name = p->program->names[term_name(at[0])];
    if (arity == 2 && is_binary(name)) {
        print_at(p, at[1], depth + 1);
        fputs(name, p->out);
        print_at(p, at[2], depth + 1);
        return;
    }
    bool vector = term_name(at[0]) == ATOM_VECTOR;
    if (!vector)
        print_atom(p->out, name, p->quotes);
    fputc(vector ? '{' : '(', p->out);
    for (uint32_t i = 1; i <= arity; i++) {
        if (i > 1)
            fputc(',', p->out);
        print_at(p, at[i], depth + 1);
    }
    fputc(vector ? '}' : ')', p->out);
}

static void print_at(struct printer *p, term t, uint32_t depth)
{
    t = term_deref(t);
    if (depth > MOST_PRINTED_DEPTH || !p->left) {
        fputs("...", p->out);
        return;
    }
    p->left--;
    switch (term_tag(t)) {
    case TERM_INT:
    case TERM_BOX: fprintf(p->out, "%lld", (long long)term_integer(t)); break;
    case TERM_ATOM:
        print_atom(p->out, p->program->names[term_atom_index(t)], p->quotes);
        break;
    case TERM_LIST: print_list(p, t, depth); break;
    case TERM_STRUCT: print_struct(p, t, depth); break;
    case TERM_STRING:
        fprintf(p->out, p->quotes ? "\"%s\"" : "%s", (const char *)term_cell(t));
        break;
    case TERM_REF:
    case TERM_WAIT: fputc('_', p->out); break;
    }
}

void print_term(FILE *out, const struct program *program, term t, bool quotes)
{
    struct printer p = { out, program, quotes, MOST_PRINTED };
    print_at(&p, t, 0);
}

char *term_text(const struct machine *machine, term t)
{
    char *text;
    size_t size;
    FILE *out = weft_text_begin(&text, &size);
    struct printer p = { out, machine->program, true, MOST_IN_AN_ERROR };
    print_at(&p, t, 0);
    weft_text_end(out);
    if (size > MOST_IN_AN_ERROR / 2)
        memcpy(text + MOST_IN_AN_ERROR / 2 - 3, "...", 4);
    return text;
}

char *goal_text(const struct machine *machine, const struct goal *goal)
{
    static const char *const builtins[] = { ":=", "outstream", "klicio", "merge", "print" };
    char *text;
    size_t size;
    FILE *out = weft_text_begin(&text, &size);
    const struct program *program = machine->program;
    struct printer p = { out, program, true, MOST_IN_AN_ERROR };
    if (goal->is_builtin && goal->procedure == BUILTIN_ASSIGN) {
        print_at(&p, goal->arguments[0], 0);
        fputs(" := ", out);
        print_at(&p, goal->arguments[1], 0);
    } else {
        fputs(goal->is_builtin ? builtins[goal->procedure]
                               : program->names[program->procedures[goal->procedure].name],
              out);
        for (uint32_t i = 0; i < goal->arity; i++) {
            fputc(i ? ',' : '(', out);
            print_at(&p, goal->arguments[i], 0);
        }
        if (goal->arity)
            fputc(')', out);
    }
    weft_text_end(out);
    if (size > MOST_IN_AN_ERROR)
        memcpy(text + MOST_IN_AN_ERROR - 3, "...", 4);
    return text;
}
