/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/operators.h"
#include "domains/trees/fghc/parse_priv.h"

uint32_t program_find(const struct program *program, uint32_t module, uint32_t name,
                      uint32_t arity)
{
    for (uint32_t i = 0; i < program->n_procedures; i++) {
        const struct procedure *procedure = &program->procedures[i];
        if (procedure->name == name && procedure->arity == arity
            && (module == ANY_MODULE || procedure->module == module))
            return i;
    }
    return UINT32_MAX;
}

static uint32_t procedure_of(struct parser *p, const struct node *head)
{
    struct program *program = p->program;
    uint32_t index = program_find(program, p->module, head->name, head->arity);
    if (index == UINT32_MAX) {
        size_t capacity = program->n_procedures; /* no spare: procedures are few */
        program->procedures =
            weft_grow(program->procedures, &capacity, program->n_procedures + 1,
                      sizeof *program->procedures);
        index = program->n_procedures++;
        program->procedures[index] = (struct procedure){ .module = p->module,
                                                         .name = head->name,
                                                         .arity = head->arity,
                                                         .line = head->line };
    }
    return index;
}

uint32_t parser_auxiliary_name(struct parser *p)
{
    char text[300];
    /* A name of the source cannot hold "$" without quotes. */
    snprintf(text, sizeof text, "%.200s$%u", p->program->names[p->procedure],
             ++p->n_auxiliary);
    return program_name(p->program, text, strlen(text));
}

/* ---- Clauses ---- */

static void keep_goals(struct parser *p, struct goals *goals, struct goal_call **list,
                       uint32_t *n)
{
    *n = goals->n;
    *list = weft_arena_alloc(&p->program->arena, (goals->n + 1) * sizeof **list);
    if (goals->n)
        memcpy(*list, goals->list, goals->n * sizeof **list);
    free(goals->list);
    *goals = (struct goals){ 0 };
}

/* The common parts of the clauses into which the alternatives of a guard are split. */
struct new_clause {
    struct clause clause;
    uint32_t procedure;
};

static bool put_clause(struct parser *p, struct goals *guards, void *user)
{
    struct new_clause *new = user;
    struct procedure *procedure = &p->program->procedures[new->procedure];
    keep_goals(p, guards, &new->clause.guards, &new->clause.n_guards);
    procedure->clauses =
        weft_grow(procedure->clauses, &procedure->clauses_capacity,
                  (size_t)procedure->n_clauses + 1, sizeof *procedure->clauses);
    p->added = weft_grow(p->added, &p->added_capacity, p->n_added + 1, sizeof *p->added);
    p->added[p->n_added++] = (struct added){ new->procedure, procedure->n_clauses };
    procedure->clauses[procedure->n_clauses++] = new->clause;
    return true;
}

bool parser_add_clause(struct parser *p, struct node *head, struct node *guard,
                       struct node *body, bool is_inner)
{
    struct goals goals = { 0 }, no_guards = { 0 };
    if (head->kind != NODE_ATOM && head->kind != NODE_STRUCT)
        return parser_wrong_at(p, head->line, head->column,
                               "the head of a clause must be an atom or a structure");
    if (!is_inner)
        p->procedure = head->name;
    struct new_clause new = { .procedure = procedure_of(p, head) };
    new.clause = (struct clause){ .head = head->arguments,
                                  .line = head->line,
                                  .path = p->path,
                                  .after_otherwise = p->otherwise };
    p->otherwise = false;
    bool ok = parser_expand(p, head->arguments, head->arity, false, NULL)
              && (!body || parser_body(p, body, &goals));
    keep_goals(p, &goals, &new.clause.body, &new.clause.n_body);
    if (ok && !is_inner && p->program->n_clauses == MAX_CLAUSES)
        ok = parser_wrong_at(p, head->line, 0, "more than %d clauses", MAX_CLAUSES);
    if (ok && !is_inner)
        new.clause.number = ++p->program->n_clauses;
    p->program->procedures[new.procedure].is_auxiliary |= is_inner;
    return ok
           && (guard ? parser_guard(p, guard, put_clause, &new)
                     : put_clause(p, &no_guards, &new));
}

/* Turns variables that occur once into voids, which need no register. */
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

static void mark_goals(const struct parser *p, struct goal_call *goals, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        mark_void(p, goals[i].arguments, goals[i].arity);
}

/* Warns of variables that occur once, unless their names begin with _. */
static void warn_of_singletons(struct parser *p)
{
    for (uint32_t v = 0; v < p->n_variables; v++) {
        const struct variable *variable = &p->variables[v];
        int length = (int)(variable->length < 60 ? variable->length : 60);
        if (variable->uses == 1 && variable->text[0] != '_')
            parser_warn_at(p, variable->line, variable->column,
                           "%.*s occurs once in this clause (_%.*s says that it shall)",
                           length, variable->text, length, variable->text);
    }
}

/* Finishes the clauses made of one clause of the source, when all of it was read. */
static void finish_clauses(struct parser *p)
{
    struct weft_arena *arena = &p->program->arena;
    const char **names = weft_arena_alloc(arena, (p->n_variables + 1) * sizeof *names);
    for (uint32_t v = 0; v < p->n_variables; v++)
        names[v] = weft_arena_printf(arena, "%.*s", (int)p->variables[v].length,
                                     p->variables[v].text);
    for (size_t i = 0; i < p->n_added; i++) {
        const struct procedure *procedure = &p->program->procedures[p->added[i].procedure];
        struct clause *clause = &procedure->clauses[p->added[i].clause];
        clause->variables = names;
        clause->n_variables = p->n_variables;
        mark_void(p, clause->head, procedure->arity);
        mark_goals(p, clause->guards, clause->n_guards);
        mark_goals(p, clause->body, clause->n_body);
    }
    warn_of_singletons(p);
}

static bool add_clause(struct parser *p, struct node *whole)
{
    struct node *head = whole, *guard = NULL, *rest = NULL;
    if (parser_is_operator(p, whole, ":-")) {
        head = &whole->arguments[0];
        rest = &whole->arguments[1];
    }
    if (rest && parser_is_operator(p, rest, "|")) {
        guard = &rest->arguments[0];
        rest = &rest->arguments[1];
    }
    p->n_added = 0;
    if (!parser_pairs(p, head, &rest) || !parser_add_clause(p, head, guard, rest, false))
        return false;
    finish_clauses(p);
    return true;
}

static bool directive(struct parser *p, const struct node *whole)
{
    const struct node *inner = &whole->arguments[0];
    const char *name = parser_name_of(p, inner);
    if (strcmp(name, "module") == 0 && inner->kind == NODE_STRUCT
        && inner->arguments[0].kind == NODE_ATOM) {
        p->module = inner->arguments[0].name;
        return true;
    }
    if (strcmp(name, "public") == 0) /* all procedures are public */
        return true;
    if (strcmp(name, "with_macro") == 0)
        return parser_wrong_at(p, whole->line, 0,
                               "there are no macros but ~(Expression): ':- with_macro' is "
                               "not supported");
    return parser_wrong_at(p, whole->line, 0, "the directive ':- %s' is not supported",
                           name[0] ? name : "...");
}

/*
 * Notes that a clause does not end with a full stop.  If the token begins a line, it begins
 * the next clause, and the error tells the line on which this one began; else it names the
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
    if (!parser_expression(p, PRIORITY_CLAUSE, whole))
        return false;
    if (p->token.kind != TOKEN_STOP)
        return no_stop(p, began);
    const char *name = parser_name_of(p, whole);
    if (whole->kind == NODE_ATOM && strcmp(name, "otherwise") == 0) {
        p->otherwise = true;
        return true;
    }
    /* "alternatively." has no effect: clauses are tried in their order anyway. */
    if (whole->kind == NODE_ATOM && strcmp(name, "alternatively") == 0)
        return true;
    if (whole->kind == NODE_STRUCT && whole->arity == 1 && strcmp(name, ":-") == 0)
        return directive(p, whole);
    return add_clause(p, whole);
}

bool parser_read_text(struct parser *p, const struct program_text *text)
{
    size_t errors = p->program->notes.n_errors;
    p->path = text->path;
    p->at = p->line_start = text->text;
    p->end = text->text + text->size;
    p->line = 1;
    p->module = NO_MODULE;
    p->otherwise = false;
    p->failed = false;
    bool ok = parser_next(p);
    while (!ok || p->token.kind != TOKEN_END) {
        if (!ok || !read_clause(p))
            parser_skip_clause(p);
        if (p->token.kind == TOKEN_END)
            break;
        ok = parser_next(p); /* behind the full stop */
    }
    return p->program->notes.n_errors == errors;
}

static uint32_t count_calls(const struct clause *clause)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < clause->n_body; i++)
        n += clause->body[i].kind == GOAL_CALL;
    return n;
}

/* Makes the clause "$goal(Variables...) :- Goals". */
static struct node *goal_clause(struct parser *p, const struct node *goals,
                                struct query *query)
{
    struct program *program = p->program;
    struct node head = { .kind = NODE_STRUCT, .arity = p->n_variables };
    head.name = program_name(program, "$goal", 5);
    head.arguments =
        weft_arena_zalloc(&program->arena, p->n_variables + 1, sizeof *head.arguments);
    query->n_variables = p->n_variables;
    query->names = weft_arena_alloc(&program->arena, (p->n_variables + 1) * sizeof(char *));
    for (uint32_t v = 0; v < p->n_variables; v++) {
        query->names[v] = weft_arena_printf(
            &program->arena, "%.*s", (int)p->variables[v].length, p->variables[v].text);
        head.arguments[v] = (struct node){ .kind = NODE_VARIABLE, .variable = v };
        p->variables[v].uses += 2; /* neither a singleton nor a void */
    }
    struct node pair[2] = { head, *goals },
                *clause = weft_arena_alloc(&program->arena, sizeof *clause);
    *clause = (struct node){ .kind = NODE_STRUCT, .arity = 2 };
    clause->name = program_name(program, ":-", 2);
    clause->arguments = parser_nodes(p, pair, 2);
    return clause;
}

bool parser_read_goal(struct parser *p, const char *text, struct query *query)
{
    struct program *program = p->program;
    char *copy = weft_arena_printf(&program->arena, "%s .", text);
    struct node *whole = weft_arena_alloc(&program->arena, sizeof *whole);
    p->path = "goal";
    p->line = 1;
    p->module = NO_MODULE;
    p->at = p->line_start = copy;
    p->end = copy + strlen(copy);
    query->text = weft_arena_strdup(&program->arena, text);
    if (!parser_next(p) || !parser_expression(p, PRIORITY_CLAUSE, whole))
        return false;
    if (p->token.kind != TOKEN_STOP)
        return parser_wrong(p, "the goal does not end here");
    if (p->n_variables > MAX_ARITY)
        return parser_wrong(p, "more than 255 variables");
    uint32_t name = program_name(program, "$goal", 5);
    if (program_find(program, NO_MODULE, name, p->n_variables) != UINT32_MAX)
        return parser_wrong(p, "the program has a procedure of its own called '$goal'");
    if (!add_clause(p, goal_clause(p, whole, query)))
        return false;
    query->procedure = program_find(program, NO_MODULE, name, query->n_variables);
    /* The typed goal is not a numbered clause of the program. */
    program->procedures[query->procedure].clauses[0].number = 0;
    program->n_clauses--;
    if (!parser_resolve(p))
        return false;
    query->n_calls = count_calls(&program->procedures[query->procedure].clauses[0]);
    return true;
}
