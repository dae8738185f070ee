/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fghc/parse_priv.h"

/* Binary operators with their priorities as in Prolog (less binds tighter): the operator's
 * own, and the greatest that its left and its right operand may have. */
static const struct operator_entry {
    const char *text;
    int priority, left, right;
} operators[] = {
    { ":-", 1200, 1199, 1199 }, { "=", 700, 699, 699 },    { ":=", 700, 699, 699 },
    { "=:=", 700, 699, 699 },   { "=\\=", 700, 699, 699 }, { "\\=", 700, 699, 699 },
    { "==", 700, 699, 699 },    { "<", 700, 699, 699 },    { ">", 700, 699, 699 },
    { "=<", 700, 699, 699 },    { ">=", 700, 699, 699 },   { "<=", 700, 699, 699 },
    { "@", 650, 649, 649 },     { ":", 640, 639, 640 },    { "+", 500, 500, 499 },
    { "-", 500, 500, 499 },     { "/\\", 500, 500, 499 },  { "\\/", 500, 500, 499 },
    { "xor", 500, 500, 499 },   { "*", 400, 400, 399 },    { "/", 400, 400, 399 },
    { "//", 400, 400, 399 },    { "mod", 400, 400, 399 },  { "<<", 400, 400, 399 },
    { ">>", 400, 400, 399 },
};

static const struct operator_entry *operator_of(const struct parser *p)
{
    static const struct operator_entry comma = { ",", 1000, 999, 1000 },
                                       bar = { "|", 1100, 1099, 1100 };
    if (parser_is_mark(p, ','))
        return &comma;
    if (parser_is_mark(p, '|'))
        return &bar;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (parser_is_name(p, operators[i].text))
            return &operators[i];
    return NULL;
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
    if (v == MOST_VARIABLES)
        return parser_wrong(p, "too many variables in one clause");
    if (v == p->n_variables)
        p->variables[p->n_variables++] = (struct variable){ t->text, t->length, 0 };
    p->variables[v].uses++;
    out->variable = v;
    return parser_next(p);
}

struct node *parser_nodes(struct parser *p, const struct node *nodes, size_t n)
{
    struct node *copy = weft_arena_alloc(&p->program->arena, (n + 1) * sizeof *copy);
    if (n)
        memcpy(copy, nodes, n * sizeof *copy);
    return copy;
}

/* Arguments up to the closing mark, which is consumed. */
static bool arguments(struct parser *p, struct node *out, char close)
{
    struct node *list = NULL;
    size_t n = 0, capacity = 0;
    bool ok = parser_next(p); /* the opening parenthesis */
    while (ok) {
        list = weft_grow(list, &capacity, n + 1, sizeof *list);
        ok = parser_expression(p, 999, &list[n++]);
        if (ok && n > MOST_ARITY)
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
    free(list);
    return ok && parser_next(p);
}

static bool list_term(struct parser *p, struct node *out)
{
    uint32_t line = p->token.line, column = p->token.column;
    if (!parser_next(p))
        return false;
    if (parser_is_mark(p, ']')) {
        *out = (struct node){ .kind = NODE_ATOM, .name = ATOM_NIL, .line = line };
        return parser_next(p);
    }
    struct node *at = out;
    for (;;) {
        struct node pair[2] = { { 0 }, { .kind = NODE_ATOM, .name = ATOM_NIL } };
        if (!parser_expression(p, 999, &pair[0]))
            return false;
        *at =
            (struct node){ .kind = NODE_LIST, .arity = 2, .line = line, .column = column };
        at->arguments = parser_nodes(p, pair, 2);
        at = &at->arguments[1];
        if (parser_is_mark(p, ',')) {
            if (!parser_next(p))
                return false;
            continue;
        }
        if (parser_is_mark(p, '|') && (!parser_next(p) || !parser_expression(p, 999, at)))
            return false;
        return parser_is_mark(p, ']') ? parser_next(p)
                                      : parser_wrong(p, "a list must end with ]");
    }
}

static bool primary(struct parser *p, struct node *out)
{
    struct token t = p->token;
    *out = (struct node){ .line = t.line, .column = t.column };
    bool ok = false;
    if (t.kind == TOKEN_INTEGER) {
        out->kind = NODE_INTEGER;
        out->integer = t.integer;
        ok = parser_next(p);
    } else if (t.kind == TOKEN_STRING) {
        out->kind = NODE_STRING;
        out->string = t.text;
        ok = parser_next(p);
    } else if (t.kind == TOKEN_VARIABLE) {
        ok = variable(p, out);
    } else if (parser_is_mark(p, '(')) {
        ok = parser_next(p) && parser_expression(p, 1200, out)
             && (parser_is_mark(p, ')') ? parser_next(p)
                                        : parser_wrong(p, "a ) is missing"));
    } else if (parser_is_mark(p, '[')) {
        ok = list_term(p, out);
    } else if (parser_is_mark(p, '{')) { /* a vector, as in merge({A, B}, C) */
        out->kind = NODE_STRUCT;
        out->name = ATOM_VECTOR;
        ok = arguments(p, out, '}');
    } else if (parser_is_name(p, "-") && !t.before_open) {
        ok = parser_next(p);
        if (ok && p->token.kind == TOKEN_INTEGER) {
            out->kind = NODE_INTEGER;
            out->integer = (int64_t)(0 - (uint64_t)p->token.integer);
            ok = parser_next(p);
        } else if (ok) {
            struct node pair[2] = { { .kind = NODE_INTEGER } };
            ok = parser_expression(p, 200, &pair[1]);
            out->kind = NODE_STRUCT;
            out->name = ATOM_MINUS;
            out->arity = 2;
            out->arguments = parser_nodes(p, pair, 2);
        }
    } else if (t.kind == TOKEN_NAME || t.kind == TOKEN_QUOTED) {
        out->kind = NODE_ATOM;
        out->name = program_name(p->program, t.text, t.length);
        ok = parser_next(p);
        if (ok && t.before_open) {
            out->kind = NODE_STRUCT;
            ok = arguments(p, out, ')');
        }
    } else {
        ok = parser_wrong(p, t.kind == TOKEN_END ? "the text ends within a clause"
                                                 : "a term is missing here");
    }
    return ok;
}

static bool prefixed(struct parser *p, struct node *out)
{
    struct node inner;
    uint32_t line = p->token.line;
    if (!parser_next(p) || !parser_expression(p, 1199, &inner))
        return false;
    *out = (struct node){ .kind = NODE_STRUCT, .arity = 1, .line = line };
    out->name = program_name(p->program, ":-", 2);
    out->arguments = parser_nodes(p, &inner, 1);
    return true;
}

static bool operators_at(struct parser *p, int most, struct node *out)
{
    if (!primary(p, out))
        return false;
    int priority = 0;
    uint32_t n = 0; /* operators that bind to the left nest terms without recursion */
    for (const struct operator_entry *op;
         (op = operator_of(p)) && op->priority <= most && priority <= op->left; n++) {
        struct node pair[2] = { *out };
        uint32_t line = p->token.line, column = p->token.column;
        if (n == MOST_DEPTH)
            return parser_wrong(p, "terms are nested too deeply");
        if (!parser_next(p) || !parser_expression(p, op->right, &pair[1]))
            return false;
        *out = (struct node){
            .kind = NODE_STRUCT, .arity = 2, .line = line, .column = column
        };
        out->name = program_name(p->program, op->text, strlen(op->text));
        out->arguments = parser_nodes(p, pair, 2);
        priority = op->priority;
    }
    return true;
}

bool parser_expression(struct parser *p, int most, struct node *out)
{
    if (++p->depth > MOST_DEPTH)
        return parser_wrong(p, "terms are nested too deeply");
    bool ok = parser_is_name(p, ":-") ? prefixed(p, out) : operators_at(p, most, out);
    p->depth--;
    return ok;
}
