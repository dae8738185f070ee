/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes lists of goals of bodies.  A condition in a body becomes an auxiliary procedure:
 *
 *
 *     p :- a, (X > 0 -> b ; c), d.
 *
 * becomes p :- a, q(X), d. with the clauses q(X) :- X > 0 | b.  otherwise.  q(X) :- c.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/parse_priv.h"

struct goal_call *parser_add_goal(struct goals *goals)
{
    goals->list =
        weft_grow(goals->list, &goals->capacity, goals->n + 1, sizeof *goals->list);
    struct goal_call *goal = &goals->list[goals->n++];
    *goal = (struct goal_call){ .procedure = UINT32_MAX };
    return goal;
}

/* ---- ~(Expression) ---- */

bool parser_new_variable(struct parser *p, const char *text, uint32_t *index)
{
    if (p->n_variables == MAX_VARIABLES)
        return parser_wrong(p, "too many variables in one clause");
    *index = p->n_variables++;
    p->variables[*index] = (struct variable){ .text = text, .length = 1, .uses = 2 };
    return true;
}

/* Replaces ~(Expression) by a new variable, and appends a goal that assigns the value. */
static bool move_out(struct parser *p, struct node *node, bool in_guard,
                     struct goals *goals)
{
    struct node *pair = weft_arena_zalloc(&p->program->arena, 2, sizeof *pair);
    pair[0] = (struct node){ NODE_VARIABLE, .line = node->line, .column = node->column };
    pair[1] = node->arguments[0];
    if (!parser_new_variable(p, "~", &pair[0].variable)
        || !parser_expand(p, &pair[1], 1, in_guard, goals)
        || (in_guard && !parser_check_number(p, &pair[1])))
        return false;
    *parser_add_goal(goals) = (struct goal_call){ .kind = in_guard ? GOAL_TEST : GOAL_CALL,
                                                  .test = TEST_ASSIGN,
                                                  .procedure = UINT32_MAX,
                                                  .module = p->module,
                                                  .name = program_name(p->program, ":=", 2),
                                                  .arguments = pair,
                                                  .arity = 2,
                                                  .line = node->line,
                                                  .column = node->column };
    *node = pair[0];
    return true;
}

bool parser_expand(struct parser *p, struct node *nodes, uint32_t n, bool in_guard,
                   struct goals *goals)
{
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = &nodes[i];
        for (; node->kind == NODE_LIST; node = &node->arguments[1]) /* lists may be long */
            if (!parser_expand(p, node->arguments, 1, in_guard, goals))
                return false;
        if (node->kind != NODE_STRUCT)
            continue;
        if (node->arity == 1 && strcmp(parser_name_of(p, node), "~") == 0) {
            if (!goals)
                return parser_wrong_at(
                    p, node->line, node->column,
                    "~(...) cannot stand in a head: write a variable, and "
                    "a guard that compares");
            if (!move_out(p, node, in_guard, goals))
                return false;
        } else if (!parser_expand(p, node->arguments, node->arity, in_guard, goals)) {
            return false;
        }
    }
    return true;
}

/* ---- Conditions ---- */

static void count_variables(const struct node *node, uint32_t *counts)
{
    for (; node->kind == NODE_LIST; node = &node->arguments[1])
        count_variables(&node->arguments[0], counts);
    if (node->kind == NODE_VARIABLE)
        counts[node->variable]++;
    for (uint32_t i = 0; node->kind == NODE_STRUCT && i < node->arity; i++)
        count_variables(&node->arguments[i], counts);
}

/*
 * Returns the head of a condition's procedure: its arguments are the variables that the
 * condition shares with the rest of its clause.  Other variables are local to its clauses,
 * so a guard may bind them.
 */
static struct node shared_variables(struct parser *p, const struct node *node)
{
    uint32_t *counts = weft_zalloc(p->n_variables + 1, sizeof *counts);
    struct node *list = weft_zalloc(p->n_variables + 1, sizeof *list);
    struct node head = { NODE_STRUCT, .line = node->line, .column = node->column };
    count_variables(node, counts);
    for (uint32_t v = 0; v < p->n_variables; v++)
        if (counts[v] && counts[v] < p->variables[v].uses)
            list[head.arity++] = (struct node){ NODE_VARIABLE, .variable = v };
    head.arguments = parser_nodes(p, list, head.arity);
    free(counts);
    free(list);
    return head;
}

static bool is_atom(const struct parser *p, const struct node *node, const char *text)
{
    return node->kind == NODE_ATOM && strcmp(parser_name_of(p, node), text) == 0;
}

/*
 * Adds an alternative, "Guard -> Goals", as a clause with the head HEAD.  The last
 * alternative may be goals alone, which run when no guard holds.
 */
static bool add_alternative(struct parser *p, const struct node *head, struct node *node,
                            bool is_last)
{
    if (is_atom(p, node, "otherwise") || is_atom(p, node, "alternatively")) {
        p->otherwise |= is_atom(p, node, "otherwise");
        return true;
    }
    bool has_guard = parser_is_operator(p, node, "->");
    if (!has_guard && !is_last)
        return parser_wrong_at(p, node->line, node->column,
                               "a condition is (Guard -> Goals ; Guard -> Goals ; Goals)");
    struct node own = *head;
    own.arguments = parser_nodes(p, head->arguments, head->arity);
    p->otherwise |= !has_guard;
    return parser_add_clause(p, &own, has_guard ? &node->arguments[0] : NULL,
                             has_guard ? &node->arguments[1] : node, true);
}

static bool condition(struct parser *p, struct node *node, struct goals *goals)
{
    bool before = p->otherwise, ok = true;
    struct node head = shared_variables(p, node);
    head.name = parser_auxiliary_name(p);
    if (head.arity > MAX_ARITY)
        return parser_wrong_at(p, node->line, node->column,
                               "more than 255 variables in a condition");
    *parser_add_goal(goals) = (struct goal_call){ .kind = GOAL_CALL,
                                                  .procedure = UINT32_MAX,
                                                  .module = p->module,
                                                  .name = head.name,
                                                  .arguments = head.arguments,
                                                  .arity = head.arity,
                                                  .line = node->line,
                                                  .column = node->column };
    p->otherwise = false;
    for (; ok && parser_is_operator(p, node, ";"); node = &node->arguments[1])
        ok = add_alternative(p, &head, &node->arguments[0], false);
    ok = ok && add_alternative(p, &head, node, true);
    p->otherwise = before;
    return ok;
}

/* ---- Goals ---- */

/* Names a generic goal: generic:new(merge, In, Out) is merge(In, Out), generic:new(C, ...)
 * is new_C(...), and generic:M(...) is the procedure "generic:M". */
static bool generic(struct parser *p, const struct node *node, struct goal_call *goal)
{
    const char *method = parser_name_of(p, node);
    char text[100];
    if (strcmp(method, "new") == 0 && node->kind == NODE_STRUCT
        && node->arguments[0].kind == NODE_ATOM) {
        const char *class = parser_name_of(p, &node->arguments[0]);
        snprintf(text, sizeof text, strcmp(class, "merge") == 0 ? "%s" : "new_%s", class);
        goal->arguments = node->arguments + 1;
        goal->arity = node->arity - 1;
    } else {
        snprintf(text, sizeof text, "generic:%s", method);
    }
    goal->name = program_name(p->program, text, strlen(text));
    goal->is_generic = true;
    return true;
}

static bool call(struct parser *p, struct node *node, const struct node *module,
                 struct goals *goals)
{
    if (node->kind != NODE_ATOM && node->kind != NODE_STRUCT)
        return parser_wrong_at(p, node->line, node->column,
                               "a goal must be an atom or a structure");
    if (node->kind == NODE_STRUCT
        && !parser_expand(p, node->arguments, node->arity, false, goals))
        return false;
    struct goal_call *goal = parser_add_goal(goals);
    *goal = (struct goal_call){ .kind = GOAL_CALL,
                                .procedure = UINT32_MAX,
                                .module = module ? module->name : p->module,
                                .has_module = module != NULL,
                                .name = node->name,
                                .arguments = node->arguments,
                                .arity = node->arity,
                                .line = node->line,
                                .column = node->column };
    if (module && strcmp(parser_name_of(p, module), "generic") == 0)
        return generic(p, node, goal);
    return true;
}

bool parser_body(struct parser *p, struct node *node, struct goals *goals)
{
    for (; parser_is_operator(p, node, ","); node = &node->arguments[1])
        if (!parser_body(p, &node->arguments[0], goals))
            return false;
    if (parser_is_operator(p, node, "@")) /* a priority or a node: ignored */
        return parser_body(p, &node->arguments[0], goals);
    if (parser_is_operator(p, node, ";") || parser_is_operator(p, node, "->"))
        return condition(p, node, goals);
    if (is_atom(p, node, "true"))
        return true;
    if (parser_is_operator(p, node, "|"))
        return parser_wrong_at(p, node->line, node->column, "a second | in one clause");
    if (!parser_is_operator(p, node, ":"))
        return call(p, node, NULL, goals);
    struct node *module = &node->arguments[0];
    if (module->kind != NODE_ATOM)
        return parser_wrong_at(p, node->line, node->column, "a module is named by an atom");
    return call(p, &node->arguments[1], module, goals);
}
