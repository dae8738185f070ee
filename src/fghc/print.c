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

static void print_list(FILE *out, const struct program *program, term t, bool quotes)
{
    fputc('[', out);
    for (;;) {
        print_term(out, program, term_cell(t)[0], quotes);
        t = term_deref(term_cell(t)[1]);
        if (term_tag(t) != TERM_LIST)
            break;
        fputc(',', out);
    }
    if (t != term_atom(ATOM_NIL)) {
        fputc('|', out);
        print_term(out, program, t, quotes);
    }
    fputc(']', out);
}

static void print_struct(FILE *out, const struct program *program, term t, bool quotes)
{
    const term *at = term_cell(t);
    uint32_t arity = term_arity(at[0]);
    const char *name = program->names[term_name(at[0])];
    if (arity == 2 && is_binary(name)) {
        print_term(out, program, at[1], quotes);
        fputs(name, out);
        print_term(out, program, at[2], quotes);
        return;
    }
    print_atom(out, name, quotes);
    fputc('(', out);
    for (uint32_t i = 1; i <= arity; i++) {
        if (i > 1)
            fputc(',', out);
        print_term(out, program, at[i], quotes);
    }
    fputc(')', out);
}

void print_term(FILE *out, const struct program *program, term t, bool quotes)
{
    t = term_deref(t);
    switch (term_tag(t)) {
    case TERM_INT:
    case TERM_BOX: fprintf(out, "%lld", (long long)term_integer(t)); break;
    case TERM_ATOM: print_atom(out, program->names[term_atom_index(t)], quotes); break;
    case TERM_LIST: print_list(out, program, t, quotes); break;
    case TERM_STRUCT: print_struct(out, program, t, quotes); break;
    case TERM_STRING: fprintf(out, quotes ? "\"%s\"" : "%s", string_text(t)); break;
    case TERM_REF:
    case TERM_WAIT: fputc('_', out); break;
    }
}

char *goal_text(const struct machine *machine, const struct goal *goal)
{
    static const char *const builtins[] = { ":=", "outstream", "klicio", "merge", "print" };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct program *program = machine->program;
    fputs(goal->is_builtin ? builtins[goal->procedure]
                           : program->names[program->procedures[goal->procedure].name],
          out);
    for (uint32_t i = 0; i < goal->arity; i++) {
        fputc(i ? ',' : '(', out);
        print_term(out, program, goal->arguments[i], true);
    }
    if (goal->arity)
        fputc(')', out);
    fclose(out);
    if (size > 300) /* one line of an error */
        memcpy(text + 297, "...", 4);
    return text;
}
