/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading programs: an operator-precedence parser for the part of Prolog's syntax that FGHC
 * and KL1 use.  It reads a clause as one term, then takes that apart.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "fghc/program.h"

enum { MOST_ARITY = 255, MOST_VARIABLES = 4096, MOST_DEPTH = 2000, MOST_NAME = 1 << 20 };

enum token_kind {
    TOKEN_END, /* of the text */
    TOKEN_STOP,
    TOKEN_NAME,
    TOKEN_QUOTED,
    TOKEN_VARIABLE,
    TOKEN_INTEGER,
    TOKEN_STRING,
    TOKEN_MARK, /* ( ) [ ] , | */
};

struct token {
    enum token_kind kind;
    char mark;
    bool before_open; /* "name(" without a space */
    const char *text;
    size_t length;
    int64_t integer;
    uint32_t line, column;
};

struct variable {
    const char *text;
    size_t length;
    uint32_t uses;
};

struct parser {
    struct program *program;
    const char *path, *at, *end, *line_start;
    uint32_t line;
    struct token token;
    struct variable variables[MOST_VARIABLES];
    uint32_t n_variables, depth;
    bool otherwise;
    struct weft_err *err;
    bool failed;
};

/* ---- Trouble ---- */

static WEFT_PRINTF(4, 5) bool wrong_at(struct parser *p, uint32_t line, uint32_t column,
                                       const char *fmt, ...)
{
    char text[400];
    va_list args;
    if (p->failed)
        return false;
    p->failed = true;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (column)
        weft_fail_at(p->err, WEFT_ERR_FORMAT, p->path, line, "column %u: %s", column, text);
    else
        weft_fail_at(p->err, WEFT_ERR_FORMAT, p->path, line, "%s", text);
    return false;
}

static bool wrong(struct parser *p, const char *text)
{
    return wrong_at(p, p->token.line, p->token.column, "%s", text);
}

/* ---- Tokens ---- */

static void new_line(struct parser *p, const char *at)
{
    p->line++;
    p->line_start = at;
}

static void skip_space(struct parser *p)
{
    while (p->at < p->end) {
        if (*p->at == '\n') {
            new_line(p, ++p->at);
        } else if (isspace((unsigned char)*p->at)) {
            p->at++;
        } else if (*p->at == '%') {
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        } else if (*p->at == '/' && p->at + 1 < p->end && p->at[1] == '*') {
            for (p->at += 2; p->at < p->end; p->at++) {
                if (*p->at == '\n')
                    new_line(p, p->at + 1);
                if (*p->at == '*' && p->at + 1 < p->end && p->at[1] == '/')
                    break;
            }
            p->at = p->at < p->end ? p->at + 2 : p->end;
        } else {
            return;
        }
    }
}

static bool is_symbol(char c)
{
    return c && strchr("+-*/\\^<>=~:.?@#&$", c) != NULL;
}

static bool quoted(struct parser *p, struct token *t, char quote)
{
    size_t most = (size_t)(p->end - p->at), n = 0;
    char *out = weft_arena_alloc(&p->program->arena, most + 1);
    for (p->at++; p->at < p->end; p->at++) {
        char c = *p->at;
        if (c == quote && !(p->at + 1 < p->end && p->at[1] == quote))
            break;
        if (c == quote)
            p->at++;
        if (c == '\n')
            return wrong_at(p, t->line, t->column, "this %s does not end on its line",
                            quote == '"' ? "string" : "quoted atom");
        if (c == '\\' && p->at + 1 < p->end) {
            c = *++p->at;
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        out[n++] = c;
    }
    if (p->at == p->end)
        return wrong_at(p, t->line, t->column, "this %s has no end",
                        quote == '"' ? "string" : "quoted atom");
    p->at++;
    out[n] = '\0';
    t->text = out;
    t->length = n;
    t->kind = quote == '"' ? TOKEN_STRING : TOKEN_QUOTED;
    return true;
}

static bool number(struct parser *p, struct token *t)
{
    uint64_t value = 0;
    t->kind = TOKEN_INTEGER;
    if (*p->at == '0' && p->at + 2 < p->end && p->at[1] == '\'') {
        t->integer = (unsigned char)p->at[2];
        p->at += 3;
        return true;
    }
    for (; p->at < p->end && isdigit((unsigned char)*p->at); p->at++) {
        unsigned digit = (unsigned)(*p->at - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10)
            return wrong_at(p, t->line, t->column, "this number does not fit into 64 bits");
        value = value * 10 + digit;
    }
    if (p->at + 1 < p->end && *p->at == '.' && isdigit((unsigned char)p->at[1]))
        return wrong_at(p, t->line, t->column, "floating-point numbers are not supported");
    t->integer = (int64_t)value;
    return true;
}

static bool next(struct parser *p)
{
    skip_space(p);
    struct token *t = &p->token;
    *t = (struct token){ .line = p->line,
                         .column = (uint32_t)(p->at - p->line_start) + 1,
                         .text = p->at };
    if (p->failed)
        return false;
    if (p->at >= p->end)
        return true;
    unsigned char c = (unsigned char)*p->at;
    if (isdigit(c))
        return number(p, t);
    if (c == '\'' || c == '"') {
        if (!quoted(p, t, (char)c))
            return false;
        t->before_open = c == '\'' && p->at < p->end && *p->at == '(';
        return true;
    }
    if (c == '{' || c == '}')
        return wrong_at(p, t->line, t->column, "vectors { ... } are not supported");
    if (strchr("()[],|", c)) {
        t->kind = TOKEN_MARK;
        t->mark = (char)c;
        p->at++;
        return true;
    }
    if (c == '.' && (p->at + 1 == p->end || isspace((unsigned char)p->at[1]) || p->at[1] == '%')) {
        t->kind = TOKEN_STOP;
        p->at++;
        return true;
    }
    if (isalpha(c) || c == '_') {
        t->kind = isupper(c) || c == '_' ? TOKEN_VARIABLE : TOKEN_NAME;
        while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
            p->at++;
    } else if (is_symbol((char)c)) {
        t->kind = TOKEN_NAME;
        while (p->at < p->end && is_symbol(*p->at))
            p->at++;
    } else if (c == ';' || c == '!') {
        return wrong_at(p, t->line, t->column, "'%s' is not part of FGHC",
                        c == ';' ? ";" : "!");
    } else {
        return wrong_at(p, t->line, t->column, "a character that begins no term");
    }
    t->length = (size_t)(p->at - t->text);
    t->before_open = p->at < p->end && *p->at == '(';
    return true;
}

static bool is_name(const struct parser *p, const char *text)
{
    return p->token.kind == TOKEN_NAME && strlen(text) == p->token.length
           && memcmp(p->token.text, text, p->token.length) == 0;
}

static bool is_mark(const struct parser *p, char mark)
{
    return p->token.kind == TOKEN_MARK && p->token.mark == mark;
}

/* ---- Terms ---- */

/* Binary operators: how tightly they bind (less is tighter), and on which side equals may be. */
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
    if (is_mark(p, ','))
        return &comma;
    if (is_mark(p, '|'))
        return &bar;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (is_name(p, operators[i].text))
            return &operators[i];
    return NULL;
}

static bool expression(struct parser *p, int most, struct node *out);

uint32_t program_name(struct program *program, const char *text, size_t length)
{
    uint32_t index = weft_text_map_get(&program->names_map, text, length);
    if (index != WEFT_MAP_NONE)
        return index;
    index = (uint32_t)program->n_names;
    program->names = weft_grow(program->names, &program->name_capacity, program->n_names + 1,
                               sizeof *program->names);
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
        return next(p);
    }
    uint32_t v = 0;
    while (v < p->n_variables
           && !(p->variables[v].length == t->length
                && memcmp(p->variables[v].text, t->text, t->length) == 0))
        v++;
    if (v == MOST_VARIABLES)
        return wrong(p, "too many variables in one clause");
    if (v == p->n_variables)
        p->variables[p->n_variables++] = (struct variable){ t->text, t->length, 0 };
    p->variables[v].uses++;
    out->variable = v;
    return next(p);
}

static struct node *node_list(struct parser *p, const struct node *nodes, size_t n)
{
    struct node *copy = weft_arena_alloc(&p->program->arena, (n + 1) * sizeof *copy);
    if (n)
        memcpy(copy, nodes, n * sizeof *copy);
    return copy;
}

/* Arguments up to the closing mark, which is consumed. */
static bool arguments(struct parser *p, struct node *out)
{
    struct node *list = NULL;
    size_t n = 0, capacity = 0;
    bool ok = next(p); /* the opening parenthesis */
    while (ok) {
        list = weft_grow(list, &capacity, n + 1, sizeof *list);
        ok = expression(p, 999, &list[n++]);
        if (ok && n > MOST_ARITY)
            ok = wrong(p, "more than 255 arguments");
        if (!ok || !is_mark(p, ','))
            break;
        ok = next(p);
    }
    if (ok && !is_mark(p, ')'))
        ok = wrong(p, "an argument list must end with )");
    out->arguments = ok ? node_list(p, list, n) : NULL;
    out->arity = (uint32_t)n;
    free(list);
    return ok && next(p);
}

static bool list_term(struct parser *p, struct node *out)
{
    uint32_t line = p->token.line, column = p->token.column;
    if (!next(p))
        return false;
    if (is_mark(p, ']')) {
        *out = (struct node){ .kind = NODE_ATOM, .name = ATOM_NIL, .line = line };
        return next(p);
    }
    struct node *at = out;
    for (;;) {
        struct node pair[2] = { { 0 }, { .kind = NODE_ATOM, .name = ATOM_NIL } };
        if (!expression(p, 999, &pair[0]))
            return false;
        *at = (struct node){ .kind = NODE_LIST, .arity = 2, .line = line, .column = column };
        at->arguments = node_list(p, pair, 2);
        at = &at->arguments[1];
        if (is_mark(p, ',')) {
            if (!next(p))
                return false;
            continue;
        }
        if (is_mark(p, '|') && (!next(p) || !expression(p, 999, at)))
            return false;
        return is_mark(p, ']') ? next(p) : wrong(p, "a list must end with ]");
    }
}

static bool primary(struct parser *p, struct node *out)
{
    struct token t = p->token;
    *out = (struct node){ .line = t.line, .column = t.column };
    if (++p->depth > MOST_DEPTH)
        return wrong(p, "terms are nested too deeply");
    bool ok = false;
    if (t.kind == TOKEN_INTEGER) {
        out->kind = NODE_INTEGER;
        out->integer = t.integer;
        ok = next(p);
    } else if (t.kind == TOKEN_STRING) {
        out->kind = NODE_STRING;
        out->string = t.text;
        ok = next(p);
    } else if (t.kind == TOKEN_VARIABLE) {
        ok = variable(p, out);
    } else if (is_mark(p, '(')) {
        ok = next(p) && expression(p, 1200, out)
             && (is_mark(p, ')') ? next(p) : wrong(p, "a ) is missing"));
    } else if (is_mark(p, '[')) {
        ok = list_term(p, out);
    } else if (is_name(p, "-") && !t.before_open) {
        ok = next(p);
        if (ok && p->token.kind == TOKEN_INTEGER) {
            out->kind = NODE_INTEGER;
            out->integer = -p->token.integer;
            ok = next(p);
        } else if (ok) {
            struct node pair[2] = { { .kind = NODE_INTEGER } };
            ok = expression(p, 200, &pair[1]);
            out->kind = NODE_STRUCT;
            out->name = ATOM_MINUS;
            out->arity = 2;
            out->arguments = node_list(p, pair, 2);
        }
    } else if (t.kind == TOKEN_NAME || t.kind == TOKEN_QUOTED) {
        out->kind = NODE_ATOM;
        out->name = program_name(p->program, t.text, t.length);
        ok = next(p);
        if (ok && t.before_open) {
            out->kind = NODE_STRUCT;
            ok = arguments(p, out);
        }
    } else {
        ok = wrong(p, t.kind == TOKEN_END ? "the text ends within a clause%s"
                                          : "a term is missing here");
    }
    p->depth--;
    return ok;
}

static bool expression(struct parser *p, int most, struct node *out)
{
    bool prefix = is_name(p, ":-");
    if (prefix) {
        struct node inner;
        uint32_t line = p->token.line;
        if (!next(p) || !expression(p, 1199, &inner))
            return false;
        *out = (struct node){ .kind = NODE_STRUCT, .arity = 1, .line = line };
        out->name = program_name(p->program, ":-", 2);
        out->arguments = node_list(p, &inner, 1);
        return true;
    }
    if (!primary(p, out))
        return false;
    int priority = 0;
    for (const struct operator_entry *op;
         (op = operator_of(p)) && op->priority <= most && priority <= op->left;) {
        struct node pair[2] = { *out };
        uint32_t line = p->token.line, column = p->token.column;
        if (!next(p) || !expression(p, op->right, &pair[1]))
            return false;
        *out = (struct node){
            .kind = NODE_STRUCT, .arity = 2, .line = line, .column = column
        };
        out->name = program_name(p->program, op->text, strlen(op->text));
        out->arguments = node_list(p, pair, 2);
        priority = op->priority;
    }
    return true;
}

/* ---- Clauses ---- */

static const char *name_of(const struct parser *p, const struct node *node)
{
    return node->kind == NODE_ATOM || node->kind == NODE_STRUCT
               ? p->program->names[node->name]
               : "";
}

static bool is_operator(const struct parser *p, const struct node *node, const char *text)
{
    return node->kind == NODE_STRUCT && node->arity == 2
           && strcmp(name_of(p, node), text) == 0;
}

static const struct test_name {
    const char *text;
    uint32_t arity;
    enum test test;
} test_names[] = {
    { "true", 0, TEST_TRUE },        { "fail", 0, TEST_FAIL },
    { "<", 2, TEST_LESS },           { ">", 2, TEST_GREATER },
    { "=<", 2, TEST_AT_MOST },       { ">=", 2, TEST_AT_LEAST },
    { "<=", 2, TEST_AT_MOST },       { "=:=", 2, TEST_EQUAL_NUMBER },
    { "=\\=", 2, TEST_OTHER_NUMBER }, { "==", 2, TEST_SAME },
    { "\\=", 2, TEST_OTHER },        { "integer", 1, TEST_INTEGER },
    { "atom", 1, TEST_ATOM },        { "atomic", 1, TEST_ATOMIC },
    { "list", 1, TEST_LIST },        { "string", 1, TEST_STRING },
    { "functor", 1, TEST_FUNCTOR },  { "wait", 1, TEST_WAIT },
    { "=", 2, TEST_UNIFY },          { ":=", 2, TEST_ASSIGN },
};

struct goals {
    struct goal_call *list;
    uint32_t n;
    size_t capacity;
};

static struct goal_call *add_goal(struct goals *goals)
{
    goals->list = weft_grow(goals->list, &goals->capacity, goals->n + 1, sizeof *goals->list);
    struct goal_call *goal = &goals->list[goals->n++];
    *goal = (struct goal_call){ 0 };
    return goal;
}

static bool guard(struct parser *p, const struct node *node, struct goals *goals)
{
    if (is_operator(p, node, ","))
        return guard(p, &node->arguments[0], goals) && guard(p, &node->arguments[1], goals);
    const char *name = name_of(p, node);
    for (size_t i = 0; i < sizeof test_names / sizeof *test_names; i++) {
        if (strcmp(name, test_names[i].text) != 0 || node->arity != test_names[i].arity)
            continue;
        struct goal_call *goal = add_goal(goals);
        *goal = (struct goal_call){ .kind = GOAL_TEST,
                                    .test = test_names[i].test,
                                    .arguments = node->arguments,
                                    .arity = node->arity,
                                    .line = node->line };
        return true;
    }
    return wrong_at(p, node->line, node->column,
                    "'%s' is no test that a guard may hold (user-defined guards would not be "
                    "flat)",
                    name[0] ? name : "this");
}

static bool body(struct parser *p, const struct node *node, struct goals *goals)
{
    if (is_operator(p, node, ","))
        return body(p, &node->arguments[0], goals) && body(p, &node->arguments[1], goals);
    if (is_operator(p, node, "@"))
        return body(p, &node->arguments[0], goals); /* priorities and places are hints */
    if (is_operator(p, node, ":"))
        return body(p, &node->arguments[1], goals); /* module:goal */
    if (node->kind != NODE_ATOM && node->kind != NODE_STRUCT)
        return wrong_at(p, node->line, node->column, "a goal must be an atom or a structure");
    const char *name = name_of(p, node);
    if (strcmp(name, "true") == 0 && !node->arity)
        return true;
    if (strcmp(name, "|") == 0)
        return wrong_at(p, node->line, node->column, "a second | in one clause");
    struct goal_call *goal = add_goal(goals);
    *goal = (struct goal_call){ .kind = GOAL_CALL,
                                .procedure = UINT32_MAX,
                                .arguments = node->arguments,
                                .arity = node->arity,
                                .line = node->line };
    goal->test = (enum test)node->name; /* until resolve() knows what it is */
    return true;
}

/* First occurrences in the order in which head, guards and body are worked through. */
struct order {
    uint8_t seen[MOST_VARIABLES];
    const struct parser *parser;
};

static void mark_first(struct order *order, struct node *node)
{
    if (node->kind == NODE_VARIABLE) {
        if (order->parser->variables[node->variable].uses == 1)
            node->kind = NODE_VOID;
        else if (!order->seen[node->variable])
            node->kind = NODE_FIRST;
        order->seen[node->variable] = 1;
        return;
    }
    for (uint32_t i = 0; node->arguments && i < node->arity; i++)
        mark_first(order, &node->arguments[i]);
}

static void mark_all(struct order *order, struct node *nodes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        mark_first(order, &nodes[i]);
}

static void keep_goals(struct parser *p, struct goals *goals, struct goal_call **list,
                       uint32_t *n)
{
    *n = goals->n;
    *list = weft_arena_alloc(&p->program->arena, (goals->n + 1) * sizeof **list);
    if (goals->n)
        memcpy(*list, goals->list, goals->n * sizeof **list);
    free(goals->list);
}

uint32_t program_find(const struct program *program, uint32_t name, uint32_t arity)
{
    for (uint32_t i = 0; i < program->n_procedures; i++)
        if (program->procedures[i].name == name && program->procedures[i].arity == arity)
            return i;
    return UINT32_MAX;
}

static struct procedure *procedure_of(struct parser *p, const struct node *head)
{
    struct program *program = p->program;
    uint32_t index = program_find(program, head->name, head->arity);
    if (index == UINT32_MAX) {
        size_t capacity = program->n_procedures; /* grown one by one: programs are small */
        program->procedures = weft_grow(program->procedures, &capacity,
                                        program->n_procedures + 1,
                                        sizeof *program->procedures);
        index = program->n_procedures++;
        program->procedures[index] = (struct procedure){
            .name = head->name, .arity = head->arity, .line = head->line
        };
    }
    return &program->procedures[index];
}

static bool add_clause(struct parser *p, struct node *whole)
{
    struct node *head = whole, *rest = NULL;
    struct goals guards = { 0 }, goals = { 0 };
    if (is_operator(p, whole, ":-")) {
        head = &whole->arguments[0];
        rest = &whole->arguments[1];
    }
    if (head->kind != NODE_ATOM && head->kind != NODE_STRUCT)
        return wrong_at(p, head->line, head->column,
                        "the head of a clause must be an atom or a structure");
    bool ok = true;
    if (rest && is_operator(p, rest, "|"))
        ok = guard(p, &rest->arguments[0], &guards) && body(p, &rest->arguments[1], &goals);
    else if (rest)
        ok = body(p, rest, &goals);
    struct clause clause = { .head = head->arguments,
                             .n_variables = p->n_variables,
                             .line = head->line,
                             .after_otherwise = p->otherwise };
    keep_goals(p, &guards, &clause.guards, &clause.n_guards);
    keep_goals(p, &goals, &clause.body, &clause.n_body);
    if (!ok)
        return false;
    struct order *order = weft_zalloc(1, sizeof *order);
    order->parser = p;
    mark_all(order, head->arguments, head->arity);
    for (uint32_t i = 0; i < clause.n_guards; i++)
        mark_all(order, clause.guards[i].arguments, clause.guards[i].arity);
    for (uint32_t i = 0; i < clause.n_body; i++)
        mark_all(order, clause.body[i].arguments, clause.body[i].arity);
    free(order);
    clause.number = ++p->program->n_clauses;
    struct procedure *procedure = procedure_of(p, head);
    size_t capacity = procedure->n_clauses;
    procedure->clauses = weft_grow(procedure->clauses, &capacity, procedure->n_clauses + 1,
                                   sizeof *procedure->clauses);
    procedure->clauses[procedure->n_clauses++] = clause;
    p->otherwise = false;
    return true;
}

static bool directive(struct parser *p, const struct node *whole)
{
    const struct node *inner = &whole->arguments[0];
    const char *name = name_of(p, inner);
    static const char *const accepted[] = { "module", "public", "with_macro", "inline" };
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
        if (strcmp(name, accepted[i]) == 0)
            return true;
    return wrong_at(p, whole->line, 0, "the directive ':- %s' is not supported",
                    name[0] ? name : "...");
}

static bool read_clause(struct parser *p)
{
    struct node *whole = weft_arena_alloc(&p->program->arena, sizeof *whole);
    p->n_variables = p->depth = 0;
    /* ":- module main." has a prefix of two words: read it by hand. */
    if (is_name(p, ":-")) {
        const char *at = p->at;
        uint32_t line = p->line;
        const char *start = p->line_start;
        struct token token = p->token;
        if (!next(p))
            return false;
        if (is_name(p, "module") || is_name(p, "public")) {
            while (p->token.kind != TOKEN_STOP && p->token.kind != TOKEN_END)
                if (!next(p))
                    return false;
            return next(p);
        }
        p->at = at;
        p->line = line;
        p->line_start = start;
        p->token = token;
    }
    if (!expression(p, 1200, whole))
        return false;
    if (p->token.kind != TOKEN_STOP)
        return wrong(p, "a clause must end with a full stop");
    const char *name = name_of(p, whole);
    bool ok;
    if (whole->kind == NODE_ATOM
        && (strcmp(name, "otherwise") == 0 || strcmp(name, "alternatively") == 0)) {
        p->otherwise = true;
        ok = true;
    } else if (whole->kind == NODE_STRUCT && whole->arity == 1 && strcmp(name, ":-") == 0) {
        ok = directive(p, whole);
    } else {
        ok = add_clause(p, whole);
    }
    return ok && next(p);
}

/* Which goals are calls, unifications, assignments; and that all procedures are there. */
static bool resolve(struct parser *p)
{
    struct program *program = p->program;
    for (uint32_t i = 0; i < program->n_procedures; i++)
        for (uint32_t c = 0; c < program->procedures[i].n_clauses; c++) {
            struct clause *clause = &program->procedures[i].clauses[c];
            clause->n_calls = 0;
            for (uint32_t g = 0; g < clause->n_body; g++) {
                struct goal_call *goal = &clause->body[g];
                if (goal->kind == GOAL_CALL && goal->procedure == UINT32_MAX) {
                    uint32_t name = (uint32_t)goal->test;
                    const char *text = program->names[name];
                    int builtin = builtin_find(text, goal->arity);
                    uint32_t found = program_find(program, name, goal->arity);
                    if (strcmp(text, "=") == 0 && goal->arity == 2) {
                        goal->kind = GOAL_UNIFY;
                    } else if (strcmp(text, ":=") == 0 && goal->arity == 2) {
                        goal->kind = GOAL_ASSIGN;
                    } else if (found != UINT32_MAX) {
                        goal->procedure = found;
                    } else if (builtin >= 0) {
                        goal->kind = GOAL_BUILTIN;
                        goal->procedure = (uint32_t)builtin;
                    } else {
                        char what[300];
                        snprintf(what, sizeof what, "%s/%u", text, goal->arity);
                        return wrong_at(p, goal->line, 0, "no clause defines %s", what);
                    }
                }
                clause->n_calls += goal->kind == GOAL_CALL;
            }
        }
    return true;
}

static void fixed_names(struct program *program)
{
    static const char *const fixed[ATOM_FIXED] = { "[]", "-", "+", "*", "/", "," };
    for (size_t i = 0; i < ATOM_FIXED; i++)
        (void)program_name(program, fixed[i], strlen(fixed[i]));
}

static bool read_text(struct program *program, const char *path, const char *text,
                      size_t size, struct weft_err *err)
{
    struct parser *p = weft_zalloc(1, sizeof *p);
    p->program = program;
    p->path = path;
    p->at = p->line_start = text;
    p->end = text + size;
    p->line = 1;
    p->err = err;
    bool ok = next(p);
    while (ok && p->token.kind != TOKEN_END)
        ok = read_clause(p);
    ok = ok && !p->failed && resolve(p);
    free(p);
    return ok;
}

bool program_read(struct program *program, const char *path, struct weft_err *err)
{
    struct weft_mapping map;
    *program = (struct program){ .path = weft_strdup(path) };
    fixed_names(program);
    if (!weft_map_file(&map, path, err)) {
        program_free(program);
        return false;
    }
    /* Texts of the program are pointed at: they live as long as it does. */
    char *text = weft_arena_alloc(&program->arena, map.size + 1);
    if (map.size)
        memcpy(text, map.data, map.size);
    bool ok = read_text(program, program->path, text, map.size, err);
    if (ok && !program->n_procedures)
        ok = weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "no clause is in this file");
    weft_unmap(&map);
    if (!ok)
        program_free(program);
    return ok;
}

bool program_read_goal(struct program *program, const char *text, struct query *query,
                       struct weft_err *err)
{
    struct parser *p = weft_zalloc(1, sizeof *p);
    char *copy = weft_arena_printf(&program->arena, "%s .", text);
    *p = (struct parser){ .program = program, .path = "goal", .line = 1, .err = err };
    p->at = p->line_start = copy;
    p->end = copy + strlen(copy);
    struct node *whole = weft_arena_alloc(&program->arena, sizeof *whole);
    bool ok = next(p) && expression(p, 1200, whole)
              && (p->token.kind == TOKEN_STOP || wrong(p, "the goal does not end here"));
    if (ok) {
        query->n_variables = p->n_variables;
        query->names = weft_arena_alloc(&program->arena, (p->n_variables + 1) * sizeof(char *));
        struct node head = { .kind = NODE_STRUCT, .arity = p->n_variables };
        head.name = program_name(program, "$goal", 5);
        head.arguments =
            weft_arena_zalloc(&program->arena, p->n_variables + 1, sizeof *head.arguments);
        for (uint32_t v = 0; v < p->n_variables; v++) {
            query->names[v] = weft_arena_printf(&program->arena, "%.*s",
                                                (int)p->variables[v].length,
                                                p->variables[v].text);
            head.arguments[v] = (struct node){ .kind = NODE_VARIABLE, .variable = v };
            p->variables[v].uses += 2;
        }
        struct node pair[2] = { head, *whole }, *clause = weft_arena_alloc(&program->arena, sizeof *clause);
        *clause = (struct node){ .kind = NODE_STRUCT, .arity = 2 };
        clause->name = program_name(program, ":-", 2);
        clause->arguments = node_list(p, pair, 2);
        ok = add_clause(p, clause) && resolve(p);
        query->procedure = program_find(program, head.name, head.arity);
        if (ok) /* the goal is no clause of the program */
            program->procedures[query->procedure].clauses[0].number = 0;
        program->n_clauses--;
    }
    free(p);
    return ok;
}

void program_free(struct program *program)
{
    for (uint32_t i = 0; i < program->n_procedures; i++)
        free(program->procedures[i].clauses);
    free(program->procedures);
    free(program->names);
    weft_text_map_free(&program->names_map);
    weft_arena_free(&program->arena);
    free(program->path);
    *program = (struct program){ 0 };
}
