/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/operators.h"
#include "domains/trees/fghc/parse_priv.h"

/* Returns the infix operator that the token is, or NULL. */
static const struct operator_entry *infix_at(const struct parser *p)
{
    const struct token *t = &p->token;
    if (parser_is_mark(p, ',') || parser_is_mark(p, '|'))
        return operator_infix(&t->mark, 1);
    return t->kind == TOKEN_NAME ? operator_infix(t->text, t->length) : NULL;
}

uint32_t program_name(struct program *program, const char *text, size_t length)
{
    uint32_t index = weft_text_map_get(&program->names_map, text, length);
    if (index != WEFT_MAP_NONE)
        return index;
    index = (uint32_t)program->n_names;
    program->names = weft_grow(program->names, &program->name_capacity,
                               program->n_names + 1, sizeof *program->names);
    char *copy = weft_arena_alloc(&program->arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    program->names[program->n_names++] = copy;
    weft_text_map_put(&program->names_map, text, length, index);
    return index;
}

static bool variable(struct parser *p, struct node *out)
{
    const struct token *t = &p->token;
    out->kind = NODE_VARIABLE;
    if (t->length == 1 && *t->text == '_') {
        out->kind = NODE_VOID;
        return parser_next(p);
    }
    uint32_t v = 0;
    while (v < p->n_variables
           && !(p->variables[v].length == t->length
                && memcmp(p->variables[v].text, t->text, t->length) == 0))
        v++;
    if (v == MAX_VARIABLES)
        return parser_wrong(p, "too many variables in one clause");
    if (v == p->n_variables)
        p->variables[p->n_variables++] =
            (struct variable){ t->text, t->length, 0, t->line, t->column };
    p->variables[v].uses++;
    out->variable = v;
    return parser_next(p);
}

struct node *parser_nodes(struct parser *p, const struct node *nodes, size_t n)
{
    struct node *copy = weft_arena_alloc(parser_arena(p), (n + 1) * sizeof *copy);
    if (n)
        memcpy(copy, nodes, n * sizeof *copy);
    return copy;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Parses arguments up to and including the mark CLOSE. */
static bool arguments(struct parser *p, struct node *out, char close)
{
    struct node *list = NULL;
    size_t n = 0, capacity = 0;
    uint32_t height = 0;
    bool ok = parser_next(p); /* the opening parenthesis */
    bool is_empty = close == '}' && parser_is_mark(p, close);
    while (ok && !is_empty) {
        list = weft_grow(list, &capacity, n + 1, sizeof *list);
        ok = parser_expression(p, PRIORITY_ARGUMENT, &list[n++]);
        height = higher(p->height + 1, height);
        if (ok && n > MAX_ARITY)
            ok = parser_wrong(p, "more than 255 arguments");
        if (!ok || !parser_is_mark(p, ','))
            break;
        ok = parser_next(p);
    }
    if (ok && !parser_is_mark(p, close))
        ok = parser_wrong_at(p, p->token.line, p->token.column,
                             close == ')' ? "the argument list of line %u must end with )"
                                          : "what { begins on line %u must end with }",
                             out->line);
    out->arguments = ok ? parser_nodes(p, list, n) : NULL;
    out->arity = (uint32_t)n;
    p->height = height;
    free(list);
    return ok && parser_next(p);
}

static bool list_term(struct parser *p, struct node *out)
{
    uint32_t line = p->token.line, column = p->token.column, height = 0;
    if (!parser_next(p))
        return false;
    if (parser_is_mark(p, ']')) {
        *out = (struct node){ .kind = NODE_ATOM, .name = ATOM_NIL, .line = line };
        return parser_next(p);
    }
    struct node *at = out;
    for (;;) {
        struct node pair[2] = { { 0 }, { .kind = NODE_ATOM, .name = ATOM_NIL } };
        if (!parser_expression(p, PRIORITY_ARGUMENT, &pair[0]))
            return false;
        height = higher(p->height + 1, height);
        *at =
            (struct node){ .kind = NODE_LIST, .arity = 2, .line = line, .column = column };
        at->arguments = parser_nodes(p, pair, 2);
        at = &at->arguments[1];
        if (parser_is_mark(p, ',')) {
            if (!parser_next(p))
                return false;
            continue;
        }
        if (parser_is_mark(p, '|')
            && (!parser_next(p) || !parser_expression(p, PRIORITY_ARGUMENT, at)))
            return false;
        p->height = higher(p->height + 1, height);
        return parser_is_mark(p, ']') ? parser_next(p)
                                      : parser_wrong(p, "a list must end with ]");
    }
}

/* Parses the token behind "#" by the name before it: string#"abc", ascii#"a", key#lf,
 * 16#"ff". */
static bool after_hash(struct parser *p, struct node *out)
{
    const char *name = out->kind == NODE_ATOM ? p->program->names[out->name] : "";
    const struct token t = p->token;
    bool is_text = t.kind == TOKEN_STRING, is_base = out->kind == NODE_INTEGER;
    if (is_text && strcmp(name, "string") == 0) {
        out->kind = NODE_STRING;
        out->string = t.text;
        out->length = t.length;
        return parser_next(p);
    }
    out->kind = NODE_INTEGER;
    if (is_text && t.length == 1
        && (strcmp(name, "ascii") == 0 || strcmp(name, "c") == 0)) {
        out->integer = (unsigned char)t.text[0];
    } else if (strcmp(name, "key") == 0
               && (parser_is_name(p, "lf") || parser_is_name(p, "cr"))) {
        out->integer = parser_is_name(p, "lf") ? '\n' : '\r';
    } else if (is_text && is_base && out->integer >= 2 && out->integer <= 36) {
        char *end = NULL;
        errno = 0;
        out->integer = strtoll(t.text, &end, (int)out->integer);
        if (errno || *end || !t.length)
            return parser_wrong(p, "this is no number of that base");
    } else {
        return parser_wrong(p, "with # there are string#\"...\", ascii#\"c\", key#lf and "
                               "numbers of a base, 16#\"ff\"");
    }
    return parser_next(p);
}

/* Returns true when the token cannot begin a term: an operator before it is then an
 * atom. */
static bool begins_no_term(const struct parser *p)
{
    const struct token *t = &p->token;
    if (t->kind == TOKEN_MARK)
        return t->mark != '(' && t->mark != '[' && t->mark != '{';
    return t->kind == TOKEN_STOP || t->kind == TOKEN_END
           || (t->kind == TOKEN_NAME && !t->before_open
               && operator_infix(t->text, t->length)
               && !operator_prefix(t->text, t->length));
}

/* Parses the operand of a prefix operator; *HAS_OPERAND is false when the operator is an
 * atom. */
static bool prefixed(struct parser *p, const struct operator_entry *op, int most,
                     struct node *out, bool *has_operand)
{
    struct node inner;
    *has_operand = op->priority <= most && !begins_no_term(p);
    if (!*has_operand)
        return true;
    if (strcmp(op->text, "-") == 0 && p->token.kind == TOKEN_INTEGER) {
        out->kind = NODE_INTEGER;
        out->integer = (int64_t)(0 - (uint64_t)p->token.integer);
        return parser_next(p);
    }
    if (!parser_expression(p, op->right, &inner))
        return false;
    out->kind = NODE_STRUCT;
    out->arity = 1;
    out->arguments = parser_nodes(p, &inner, 1);
    p->height++;
    return true;
}

/* Parses an atom, a structure, or a prefix operator with its operand; only then sets
 * *PRIORITY. */
static bool named(struct parser *p, int most, struct node *out, int *priority)
{
    const struct token t = p->token;
    const struct operator_entry *op =
        t.kind == TOKEN_NAME ? operator_prefix(t.text, t.length) : NULL;
    bool has_operand = false;
    out->kind = NODE_ATOM;
    out->name = program_name(p->program, t.text, t.length);
    if (!parser_next(p))
        return false;
    if (t.before_open) {
        out->kind = NODE_STRUCT;
        if (!arguments(p, out, ')'))
            return false;
        if (out->arity == 2 && t.length == 1 && *t.text == '.')
            out->kind = NODE_LIST;
        return true;
    }
    if (op && !prefixed(p, op, most, out, &has_operand))
        return false;
    if (has_operand && out->kind != NODE_INTEGER)
        *priority = op->priority;
    if (!op && t.kind == TOKEN_NAME && parser_is_name(p, "#"))
        return parser_next(p) && after_hash(p, out);
    return true;
}

static bool integer(struct parser *p, struct node *out)
{
    out->kind = NODE_INTEGER;
    out->integer = p->token.integer;
    if (p->token.is_minimum)
        return parser_wrong(p, "this number does not fit into 64 bits");
    if (!parser_next(p))
        return false;
    return !parser_is_name(p, "#") || (parser_next(p) && after_hash(p, out));
}

/* Parses a term in (), [] or {}; returns false without an error for other tokens. */
static bool bracketed(struct parser *p, struct node *out)
{
    if (parser_is_mark(p, '['))
        return list_term(p, out);
    if (parser_is_mark(p, '{')) { /* a vector, as in merge({A, B}, C) */
        out->kind = NODE_STRUCT;
        out->name = ATOM_VECTOR;
        return arguments(p, out, '}');
    }
    return parser_is_mark(p, '(') && parser_next(p)
           && parser_expression(p, PRIORITY_CLAUSE, out)
           && (parser_is_mark(p, ')') ? parser_next(p) : parser_wrong(p, "a ) is missing"));
}

static bool primary(struct parser *p, int most, struct node *out, int *priority)
{
    const struct token t = p->token;
    *out = (struct node){ .line = t.line, .column = t.column };
    p->height = 0;
    switch (t.kind) {
    case TOKEN_INTEGER: return integer(p, out);
    case TOKEN_STRING:
        out->kind = NODE_STRING;
        out->string = t.text;
        out->length = t.length;
        return parser_next(p);
    case TOKEN_VARIABLE:
        return t.before_open
                   ? parser_wrong(p, "a variable cannot be called; the names of goals and "
                                     "structures begin with a small letter, or are quoted")
                   : variable(p, out);
    case TOKEN_NAME:
        if (parser_is_name(p, "#")) { /* #"a" is ascii#"a" */
            out->kind = NODE_ATOM;
            out->name = program_name(p->program, "ascii", 5);
            return parser_next(p) && after_hash(p, out);
        }
        return named(p, most, out, priority);
    case TOKEN_QUOTED: return named(p, most, out, priority);
    case TOKEN_MARK: return bracketed(p, out) || parser_wrong(p, "a term is missing here");
    case TOKEN_END: return parser_wrong(p, "the text ends within a clause");
    case TOKEN_STOP: break;
    }
    return parser_wrong(p, "a term is missing here");
}

bool parser_expression(struct parser *p, int most, struct node *out)
{
    int priority = 0;
    if (++p->depth > MAX_DEPTH)
        return parser_wrong(p, "terms are nested too deeply");
    if (!primary(p, most, out, &priority))
        return false;
    /* Left-associative operators nest terms without recursion. */
    for (const struct operator_entry *op;
         (op = infix_at(p)) && op->priority <= most && priority <= op->left;) {
        struct node pair[2] = { *out };
        uint32_t line = p->token.line, column = p->token.column, left = p->height;
        if (!parser_next(p) || !parser_expression(p, op->right, &pair[1]))
            return false;
        p->height = higher(left, p->height) + 1;
        if (p->height > MAX_DEPTH)
            return parser_wrong(p, "terms are nested too deeply");
        *out = (struct node){
            .kind = NODE_STRUCT, .arity = 2, .line = line, .column = column
        };
        out->name = program_name(p->program, op->text, strlen(op->text));
        out->arguments = parser_nodes(p, pair, 2);
        priority = op->priority;
    }
    p->depth--;
    return true;
}
