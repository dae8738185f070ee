/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "fghc/parse_priv.h"

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
    { "true", 0, TEST_TRUE },
    { "fail", 0, TEST_FAIL },
    { "<", 2, TEST_LESS },
    { ">", 2, TEST_GREATER },
    { "=<", 2, TEST_AT_MOST },
    { ">=", 2, TEST_AT_LEAST },
    { "<=", 2, TEST_AT_MOST },
    { "=:=", 2, TEST_EQUAL_NUMBER },
    { "=\\=", 2, TEST_OTHER_NUMBER },
    { "==", 2, TEST_SAME },
    { "\\=", 2, TEST_OTHER },
    { "integer", 1, TEST_INTEGER },
    { "atom", 1, TEST_ATOM },
    { "atomic", 1, TEST_ATOMIC },
    { "list", 1, TEST_LIST },
    { "string", 1, TEST_STRING },
    { "functor", 1, TEST_FUNCTOR },
    { "wait", 1, TEST_WAIT },
    { "=", 2, TEST_UNIFY },
    { ":=", 2, TEST_ASSIGN },
};

struct goals {
    struct goal_call *list;
    uint32_t n;
    size_t capacity;
};

static struct goal_call *add_goal(struct goals *goals)
{
    goals->list =
        weft_grow(goals->list, &goals->capacity, goals->n + 1, sizeof *goals->list);
    struct goal_call *goal = &goals->list[goals->n++];
    *goal = (struct goal_call){ 0 };
    return goal;
}

static bool takes_numbers(enum test test)
{
    return (test >= TEST_LESS && test <= TEST_OTHER_NUMBER) || test == TEST_ASSIGN;
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
                                    .name = node->name,
                                    .arguments = node->arguments,
                                    .arity = node->arity,
                                    .line = node->line,
                                    .column = node->column };
        return !takes_numbers(goal->test)
               || (parser_check_number(p, &node->arguments[0])
                   && parser_check_number(p, &node->arguments[1]));
    }
    return parser_wrong_at(
        p, node->line, node->column,
        "'%s' is no test that a guard may hold (user-defined guards would not be "
        "flat)",
        name[0] ? name : "this");
}

static bool body(struct parser *p, const struct node *node, struct goals *goals)
{
    if (is_operator(p, node, ","))
        return body(p, &node->arguments[0], goals) && body(p, &node->arguments[1], goals);
    if (is_operator(p, node, "@")) /* a priority or a place: ignored */
        return body(p, &node->arguments[0], goals);
    if (is_operator(p, node, ":")) { /* module:goal */
        const char *module = name_of(p, &node->arguments[0]);
        if (strcmp(module, "generic") == 0)
            return parser_wrong_at(p, node->line, node->column,
                                   "objects (generic:...) are not supported");
        return body(p, &node->arguments[1], goals);
    }
    if (node->kind != NODE_ATOM && node->kind != NODE_STRUCT)
        return parser_wrong_at(p, node->line, node->column,
                               "a goal must be an atom or a structure");
    const char *name = name_of(p, node);
    if (strcmp(name, "true") == 0 && !node->arity)
        return true;
    if (strcmp(name, "|") == 0)
        return parser_wrong_at(p, node->line, node->column, "a second | in one clause");
    struct goal_call *goal = add_goal(goals);
    *goal = (struct goal_call){ .kind = GOAL_CALL,
                                .procedure = UINT32_MAX,
                                .name = node->name,
                                .arguments = node->arguments,
                                .arity = node->arity,
                                .line = node->line,
                                .column = node->column };
    return true;
}

/* Turn variables that occur once into voids: they need no register. */
static void mark_void(const struct parser *p, struct node *nodes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = &nodes[i];
        while (node->kind == NODE_LIST) { /* without recursion, since lists may be long */
            mark_void(p, node->arguments, 1);
            node = &node->arguments[1];
        }
        if (node->kind == NODE_VARIABLE && p->variables[node->variable].uses == 1)
            node->kind = NODE_VOID;
        else if (node->kind == NODE_STRUCT)
            mark_void(p, node->arguments, node->arity);
    }
}

static void keep_variables(struct parser *p, struct clause *clause)
{
    struct weft_arena *arena = &p->program->arena;
    clause->n_variables = p->n_variables;
    clause->variables = weft_arena_alloc(arena, (p->n_variables + 1) * sizeof(char *));
    for (uint32_t v = 0; v < p->n_variables; v++)
        clause->variables[v] = weft_arena_printf(arena, "%.*s", (int)p->variables[v].length,
                                                 p->variables[v].text);
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
        size_t capacity = program->n_procedures; /* exact: procedures are few */
        program->procedures =
            weft_grow(program->procedures, &capacity, program->n_procedures + 1,
                      sizeof *program->procedures);
        index = program->n_procedures++;
        program->procedures[index] = (struct procedure){ .name = head->name,
                                                         .arity = head->arity,
                                                         .line = head->line };
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
        return parser_wrong_at(p, head->line, head->column,
                               "the head of a clause must be an atom or a structure");
    bool ok = true;
    if (rest && is_operator(p, rest, "|"))
        ok = guard(p, &rest->arguments[0], &guards) && body(p, &rest->arguments[1], &goals);
    else if (rest)
        ok = body(p, rest, &goals);
    struct clause clause = { .head = head->arguments,
                             .line = head->line,
                             .after_otherwise = p->otherwise };
    keep_goals(p, &guards, &clause.guards, &clause.n_guards);
    keep_goals(p, &goals, &clause.body, &clause.n_body);
    if (!ok)
        return false;
    keep_variables(p, &clause);
    mark_void(p, head->arguments, head->arity);
    for (uint32_t i = 0; i < clause.n_guards; i++)
        mark_void(p, clause.guards[i].arguments, clause.guards[i].arity);
    for (uint32_t i = 0; i < clause.n_body; i++)
        mark_void(p, clause.body[i].arguments, clause.body[i].arity);
    if (p->program->n_clauses == UINT16_MAX)
        return parser_wrong_at(p, head->line, 0, "more than %d clauses", UINT16_MAX);
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
    return parser_wrong_at(p, whole->line, 0, "the directive ':- %s' is not supported",
                           name[0] ? name : "...");
}

/*
 * A clause without a full stop.  When the next token begins a line, it begins the next
 * clause, and the error names the line of the clause before; else the error names the
 * token.
 */
static bool no_stop(struct parser *p, uint32_t began)
{
    const struct token *t = &p->token;
    if (t->column == 1 || t->kind == TOKEN_END || !t->length)
        return parser_wrong_at(p, t->line, t->column,
                               "the clause that began on line %u must end with a full stop",
                               began);
    return parser_wrong_at(p, t->line, t->column,
                           "'%.*s' cannot follow here; a clause must end with a full stop",
                           (int)(t->length < 40 ? t->length : 40), t->text);
}

static bool read_clause(struct parser *p)
{
    uint32_t began = p->token.line;
    struct node *whole = weft_arena_alloc(&p->program->arena, sizeof *whole);
    p->n_variables = p->depth = 0;
    /* ":- module main." has two prefixes in a row, which the operators here do not know. */
    if (parser_is_name(p, ":-")) {
        const char *at = p->at;
        uint32_t line = p->line;
        const char *start = p->line_start;
        struct token token = p->token;
        if (!parser_next(p))
            return false;
        if (parser_is_name(p, "module") || parser_is_name(p, "public")) {
            while (p->token.kind != TOKEN_STOP && p->token.kind != TOKEN_END)
                if (!parser_next(p))
                    return false;
            return parser_next(p);
        }
        p->at = at;
        p->line = line;
        p->line_start = start;
        p->token = token;
    }
    if (!parser_expression(p, 1200, whole))
        return false;
    if (p->token.kind != TOKEN_STOP)
        return no_stop(p, began);
    const char *name = name_of(p, whole);
    bool ok;
    if (whole->kind == NODE_ATOM && strcmp(name, "otherwise") == 0) {
        p->otherwise = true;
        ok = true;
    } else if (whole->kind == NODE_ATOM && strcmp(name, "alternatively") == 0) {
        ok = true; /* "alternatively.": clauses are tried in their order anyway */
    } else if (whole->kind == NODE_STRUCT && whole->arity == 1 && strcmp(name, ":-") == 0) {
        ok = directive(p, whole);
    } else {
        ok = add_clause(p, whole);
    }
    return ok && parser_next(p);
}

static void fixed_names(struct program *program)
{
    static const char *const fixed[ATOM_FIXED] = {
        [ATOM_NIL] = "[]",    [ATOM_PLUS] = "+",        [ATOM_MINUS] = "-",
        [ATOM_TIMES] = "*",   [ATOM_SLASH] = "/",       [ATOM_MOD] = "mod",
        [ATOM_AND] = "/\\",   [ATOM_OR] = "\\/",        [ATOM_XOR] = "xor",
        [ATOM_LEFT] = "<<",   [ATOM_RIGHT] = ">>",      [ATOM_SLASHES] = "//",
        [ATOM_VECTOR] = "{}", [ATOM_NORMAL] = "normal",
    };
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
    bool ok = parser_next(p);
    while (ok && p->token.kind != TOKEN_END)
        ok = read_clause(p);
    ok = ok && !p->failed && parser_resolve(p) && program_compile(program, path, err);
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
    /* Terms point into the text of the program, so it is kept as long as the program. */
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

static uint32_t count_calls(const struct clause *clause)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < clause->n_body; i++)
        n += clause->body[i].kind == GOAL_CALL;
    return n;
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
    bool ok =
        parser_next(p) && parser_expression(p, 1200, whole)
        && (p->token.kind == TOKEN_STOP || parser_wrong(p, "the goal does not end here"));
    if (ok) {
        query->n_variables = p->n_variables;
        query->names =
            weft_arena_alloc(&program->arena, (p->n_variables + 1) * sizeof(char *));
        struct node head = { .kind = NODE_STRUCT, .arity = p->n_variables };
        head.name = program_name(program, "$goal", 5);
        head.arguments =
            weft_arena_zalloc(&program->arena, p->n_variables + 1, sizeof *head.arguments);
        for (uint32_t v = 0; v < p->n_variables; v++) {
            query->names[v] = weft_arena_printf(
                &program->arena, "%.*s", (int)p->variables[v].length, p->variables[v].text);
            head.arguments[v] = (struct node){ .kind = NODE_VARIABLE, .variable = v };
            p->variables[v].uses += 2;
        }
        struct node pair[2] = { head, *whole },
                    *clause = weft_arena_alloc(&program->arena, sizeof *clause);
        *clause = (struct node){ .kind = NODE_STRUCT, .arity = 2 };
        clause->name = program_name(program, ":-", 2);
        clause->arguments = parser_nodes(p, pair, 2);
        ok = add_clause(p, clause);
        query->procedure = program_find(program, head.name, head.arity);
        if (ok) { /* the typed goal is not a numbered clause of the program */
            program->procedures[query->procedure].clauses[0].number = 0;
            program->n_clauses--;
        }
        ok = ok && parser_resolve(p) && program_compile(program, "goal", err);
        if (ok)
            query->n_calls = count_calls(&program->procedures[query->procedure].clauses[0]);
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
    weft_text_map_free(&program->strings_map);
    weft_id_map_free(&program->constants_map);
    free(program->strings);
    free(program->code);
    free(program->constants);
    free(program->calls);
    weft_arena_free(&program->arena);
    free(program->path);
    *program = (struct program){ 0 };
}
