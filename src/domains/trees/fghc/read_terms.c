/* SPDX-License-Identifier: Apache-2.0 */
/* Reads terms for a running program: gett(Term). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/machine_priv.h"
#include "domains/trees/fghc/operators.h"
#include "domains/trees/fghc/parse_priv.h"

/*
 * Limits of reading: the text of a term and the names that the run has read may take a
 * quarter of the run's memory each.  The nodes of a term, which take several times as much
 * as the term, may take as much as the run.
 */
static size_t quarter(const struct machine *m)
{
    return m->options.most_bytes / 4;
}

/* ---- Text up to a full stop ---- */

enum { LOOK_EVERY = 1 << 14 }; /* bytes between two looks whether the run ends */

/*
 * The search for a term's full stop.  At each "." that may be one, the new text is split
 * into tokens.  Linear in the text: whole tokens are not read again, and the search for the
 * end of an unfinished token goes on where it stopped.
 */
struct scan {
    struct parser *parser;
    char *text;
    size_t length, capacity;
    size_t next;    /* the end of the last whole token, or the begin of an unfinished one */
    size_t n_names; /* tokens that may be names */
    /* The unfinished token: its quote, '*' or '%' for a comment; 0: none. */
    char within;
    size_t looked;                        /* its end is not before this */
    bool is_whole, is_wrong, is_too_long; /* is_wrong: no text behind makes it a term */
};

/* Returns the length of the character or escape at AT in quotes or a comment; 0 at its
 * end. */
static size_t step_within(char within, const char *at)
{
    if (within == '%')
        return *at != '\n';
    if (within == '*')
        return at[0] != '*' || at[1] != '/';
    if (*at == '\\' || (at[0] == within && at[1] == within))
        return 2;
    return *at != within && *at != '\n';
}

/* Returns true when the full stop at the end of the text is in quotes or a comment. */
static bool is_within(struct scan *scan)
{
    while (scan->within && scan->looked < scan->length) {
        size_t step = step_within(scan->within, scan->text + scan->looked);
        scan->looked += step;
        if (!step)
            scan->within = 0;
    }
    return scan->within != 0;
}

/* Notes the quotes or the comment in which the text ends. */
static void note_unfinished(struct scan *scan)
{
    const struct parser *p = scan->parser;
    bool is_quoted =
        p->token.text < p->end && (*p->token.text == '"' || *p->token.text == '\'');
    const char *begin = is_quoted ? p->token.text : p->comment;
    if (!begin)
        return;
    scan->next = (size_t)(begin - scan->text);
    scan->within = (char)(is_quoted || *begin == '%' ? *begin : '*');
    scan->looked = scan->next + (scan->within == '*' ? 2 : 1);
}

/* Returns true when the text ends with a full stop that is not in quotes or a comment. */
static bool is_whole(struct scan *scan)
{
    struct parser *p = scan->parser;
    struct weft_arena arena = { 0 }, *kept = p->arena;
    p->arena = &arena; /* these tokens are not kept */
    p->at = p->line_start = scan->text + scan->next;
    p->end = scan->text + scan->length;
    p->comment = NULL;
    p->failed = false;
    bool ok;
    do {
        ok = parser_next(p);
        scan->n_names += p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_QUOTED;
        if (ok && p->token.kind != TOKEN_END)
            scan->next = (size_t)(p->at - scan->text);
    } while (ok && p->token.kind != TOKEN_STOP && p->at < p->end);
    weft_arena_free(&arena);
    p->arena = kept;
    scan->is_wrong = !ok && p->at < p->end;
    scan->is_whole = ok && p->token.kind == TOKEN_STOP;
    if (!scan->is_wrong && (!ok || p->token.kind == TOKEN_END))
        note_unfinished(scan);
    return scan->is_whole;
}

/* Reads the text of the next term; `text` is NULL at the end of the input. */
static void next_text(struct scan *scan, FILE *in, const struct machine *m)
{
    for (int c; (c = fgetc(in)) != EOF;) {
        if (!scan->length && isspace(c))
            continue;
        scan->text = weft_grow(scan->text, &scan->capacity, scan->length + 2, 1);
        scan->text[scan->length++] = (char)c;
        scan->text[scan->length] = '\0';
        scan->is_too_long = scan->length > quarter(m);
        if (scan->is_too_long || (scan->length % LOOK_EVERY == 0 && is_ending(m)))
            return;
        if (c != '.')
            continue;
        int next = fgetc(in);
        if (next != EOF)
            ungetc(next, in);
        if ((next == EOF || isspace(next) || next == '%') && !is_within(scan)
            && (is_whole(scan) || scan->is_wrong))
            return;
    }
}

/* ---- From nodes to terms ---- */

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
    term *at = heap_alloc(r->pe, 1 + (size_t)node->arity);
    at[0] = term_functor(node->name, node->arity);
    for (uint32_t i = 0; i < node->arity; i++)
        at[1 + i] = term_of_node(r, &node->arguments[i]);
    return term_of(at, TERM_STRUCT);
}

/* Returns true when all strings of a term fit into the heap. */
static bool has_room(const struct node *node)
{
    if (node->kind == NODE_STRING)
        return node->length <= MAX_STRING;
    for (; node->kind == NODE_LIST; node = &node->arguments[1])
        if (!has_room(&node->arguments[0]))
            return false;
    for (uint32_t i = 0; node->kind == NODE_STRUCT && i < node->arity; i++)
        if (!has_room(&node->arguments[i]))
            return false;
    return true;
}

enum { MARKS = 4 }; /* names without a name token: ascii, "," and "|" */

/* Parses the text; returns false when it is no term, or takes too much memory. */
static bool parse(struct scan *scan, struct machine *m, struct node *node)
{
    struct program *program = m->program;
    struct parser *p = scan->parser;
    size_t before = program->arena.used;
    p->at = p->line_start = scan->text;
    p->end = scan->text + scan->length;
    p->line = 1;
    p->failed = false;
    /* The list of names must have room for all tokens that may be names, and for the
     * marks. */
    bool ok = scan->is_whole
              && scan->n_names + MARKS < program->name_capacity - program->n_names
              && parser_next(p) && parser_expression(p, PRIORITY_CLAUSE, node)
              && p->token.kind == TOKEN_STOP && has_room(node);
    m->name_bytes += program->arena.used - before;
    scan->is_too_long |= parser_is_too_large(p) || m->name_bytes > quarter(m);
    return ok && !scan->is_too_long;
}

bool read_term(struct pe *pe, FILE *in, term *out)
{
    struct machine *m = pe->machine;
    struct weft_arena arena = { 0 };
    struct parser *p = weft_zalloc(1, sizeof *p);
    p->program = m->program;
    p->arena = &arena;
    p->most_bytes = m->options.most_bytes;
    p->job = m->options.job;
    p->path = "input";
    struct node node;
    struct scan scan = { .parser = p };
    next_text(&scan, in, m);
    *out = term_atom(program_name(m->program, "end_of_file", 11));
    /* An unfinished term is an error of the parser. */
    bool ok = !scan.text || parse(&scan, m, &node);
    if (scan.text && ok) {
        struct reader reader = { pe, weft_zalloc(p->n_variables + 1, sizeof(term)) };
        *out = term_of_node(&reader, &node);
        free(reader.variables);
    }
    if (scan.is_too_long)
        stop_with(m, WEFT_ERR_LIMIT, 0,
                  "the terms that the run reads need more memory than "
                  "it may have");
    weft_arena_free(&arena);
    free(scan.text);
    free(p);
    return ok;
}
