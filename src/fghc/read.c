/* SPDX-License-Identifier: Apache-2.0 */
/* Terms that a running program reads: gett(Term). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fghc/machine_priv.h"
#include "fghc/operators.h"
#include "fghc/parse_priv.h"

/* ---- Text up to a full stop ---- */

struct scan {
    struct parser *parser;
    size_t n_names;          /* tokens that may be names */
    bool is_whole, is_wrong; /* wrong: it is no term, whatever follows */
    /* A byte without which the text cannot be whole: text in quotes, which may have many full
     * stops, is not read again from its beginning at each. */
    char awaited;
};

static char quote_at(const char *text)
{
    return (char)(*text == '"' || *text == '\'' ? *text : 0);
}

/* True when a text of tokens ends with a full stop, and not within quotes or a comment. */
static bool is_whole(struct scan *scan, const char *text, size_t length)
{
    struct parser *p = scan->parser;
    struct weft_arena kept = p->program->arena;
    p->program->arena = (struct weft_arena){ 0 }; /* what it takes is not needed any more */
    p->at = p->line_start = text;
    p->end = text + length;
    p->failed = false;
    scan->n_names = 0;
    bool ok;
    do {
        ok = parser_next(p);
        scan->n_names += p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_QUOTED;
    } while (ok && p->token.kind != TOKEN_STOP && p->token.kind != TOKEN_END);
    weft_arena_free(&p->program->arena);
    p->program->arena = kept;
    scan->awaited = 0;
    if (!ok) /* in quotes, or in a comment */
        scan->awaited = p->token.text == p->end ? '/' : quote_at(p->token.text);
    scan->is_wrong = !ok && p->at < p->end;
    scan->is_whole = ok && p->token.kind == TOKEN_STOP;
    return scan->is_whole;
}

/*
 * The text of the next term; NULL at the end of the input.  Free it.  When it has no full stop
 * at its end, the scan is not whole.
 */
static char *next_text(struct scan *scan, FILE *in)
{
    char *text = NULL;
    size_t n = 0, capacity = 0;
    bool blank = true;
    for (int c; (c = fgetc(in)) != EOF;) {
        text = weft_grow(text, &capacity, n + 2, 1);
        text[n++] = (char)c;
        text[n] = '\0';
        blank &= isspace(c) != 0;
        if (c == scan->awaited)
            scan->awaited = 0;
        if (c != '.')
            continue;
        int next = fgetc(in);
        if (next != EOF)
            ungetc(next, in);
        if ((next == EOF || isspace(next) || next == '%') && !scan->awaited
            && (is_whole(scan, text, n) || scan->is_wrong))
            return text;
    }
    if (!blank) /* an unfinished term is told apart from none by the parser */
        return text;
    free(text);
    return NULL;
}

/* ---- Terms of nodes ---- */

struct reader {
    struct pe *pe;
    term *variables; /* by number */
};

static term term_of_node(struct reader *r, const struct node *node);

static term list_of_node(struct reader *r, const struct node *node)
{
    term first = 0, *last = NULL;
    for (; node->kind == NODE_LIST; node = &node->arguments[1]) {
        term list = heap_list(r->pe, term_of_node(r, &node->arguments[0]), 0);
        if (last)
            *last = list;
        else
            first = list;
        last = &term_cell(list)[1];
    }
    *last = term_of_node(r, node);
    return first;
}

static term term_of_node(struct reader *r, const struct node *node)
{
    switch (node->kind) {
    case NODE_VOID: return heap_variable(r->pe);
    case NODE_VARIABLE:
        if (!r->variables[node->variable])
            r->variables[node->variable] = heap_variable(r->pe);
        return r->variables[node->variable];
    case NODE_INTEGER: return heap_integer(r->pe, node->integer);
    case NODE_ATOM: return term_atom(node->name);
    case NODE_STRING: return heap_string(r->pe, node->string, node->length);
    case NODE_LIST: return list_of_node(r, node);
    case NODE_STRUCT: break;
    }
    term *at = heap_take(r->pe, 1 + (size_t)node->arity);
    at[0] = term_functor(node->name, node->arity);
    for (uint32_t i = 0; i < node->arity; i++)
        at[1 + i] = term_of_node(r, &node->arguments[i]);
    return term_of(at, TERM_STRUCT);
}

/* True when all strings of a term fit into the heap. */
static bool has_room(const struct node *node)
{
    if (node->kind == NODE_STRING)
        return node->length <= MOST_STRING;
    for (; node->kind == NODE_LIST; node = &node->arguments[1])
        if (!has_room(&node->arguments[0]))
            return false;
    for (uint32_t i = 0; node->kind == NODE_STRUCT && i < node->arity; i++)
        if (!has_room(&node->arguments[i]))
            return false;
    return true;
}

enum { MARKS = 4 }; /* ascii, ',' and '|', which may come without a token that is a name */

bool read_term(struct pe *pe, FILE *in, term *out)
{
    struct program *program = pe->machine->program;
    struct parser *p = weft_zalloc(1, sizeof *p);
    p->program = program;
    p->path = "input";
    struct node node;
    struct scan scan = { .parser = p };
    char *text = next_text(&scan, in);
    bool ok = true;
    *out = term_atom(program_name(program, "end_of_file", 11));
    if (text) {
        p->at = p->line_start = text;
        p->end = text + strlen(text);
        p->line = 1;
        p->n_variables = 0;
        p->failed = false;
        /* The list of names must have room for what it may have, and for marks that are names. */
        ok = scan.is_whole
             && scan.n_names + MARKS < program->name_capacity - program->n_names
             && parser_next(p) && parser_expression(p, PRIORITY_CLAUSE, &node)
             && p->token.kind == TOKEN_STOP && has_room(&node);
    }
    if (text && ok) {
        struct reader reader = { pe, weft_zalloc(p->n_variables + 1, sizeof(term)) };
        *out = term_of_node(&reader, &node);
        free(reader.variables);
    }
    free(text);
    free(p);
    return ok;
}
