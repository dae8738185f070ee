/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes lists of tests of guards.  A guard with ";" or "\+" may become several lists, one
 * for each alternative: each belongs to a clause of its own with the same head, body and
 * number.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/builtin_functions.h"
#include "domains/trees/fghc/parse_priv.h"

static const struct test_name {
    const char *text;
    uint32_t arity;
    enum test test;
} test_names[] = {
    { "true", 0, TEST_TRUE },
    { "fail", 0, TEST_FAIL },
    { "display_console", 1, TEST_TRUE }, /* KLIC's debugging print: ignored */
    { "<", 2, TEST_LESS },
    { ">", 2, TEST_GREATER },
    { "=<", 2, TEST_AT_MOST },
    { ">=", 2, TEST_AT_LEAST },
    { "<=", 2, TEST_AT_MOST },
    { "=:=", 2, TEST_EQUAL_NUMBER },
    { "=\\=", 2, TEST_OTHER_NUMBER },
    { "==", 2, TEST_SAME },
    { "\\==", 2, TEST_OTHER },
    { "\\=", 2, TEST_OTHER_FUNCTOR },
    { "integer", 1, TEST_INTEGER },
    { "atom", 1, TEST_ATOM },
    { "atomic", 1, TEST_ATOMIC },
    { "list", 1, TEST_LIST },
    { "string", 1, TEST_STRING },
    { "functor", 1, TEST_FUNCTOR },
    { "vector", 1, TEST_VECTOR },
    { "less_than", 2, TEST_LESS },
    { "not_less_than", 2, TEST_AT_LEAST },
    { "wait", 1, TEST_WAIT },
    { "=", 2, TEST_UNIFY },
    { ":=", 2, TEST_ASSIGN },
};

static const struct test_name *find_test(const char *name, uint32_t arity)
{
    for (size_t i = 0; i < sizeof test_names / sizeof *test_names; i++)
        if (strcmp(name, test_names[i].text) == 0 && arity == test_names[i].arity)
            return &test_names[i];
    return NULL;
}

bool parser_is_test(const char *name, uint32_t arity)
{
    return find_test(name, arity) != NULL;
}

static bool takes_numbers(enum test test)
{
    return (test >= TEST_LESS && test <= TEST_OTHER_NUMBER) || test == TEST_ASSIGN;
}

/* Makes the call generic:m(Object, ..., Output, ...) of generic:m(Object,
 * ...):Output:... */
static bool flatten_generic(struct parser *p, const struct node *node, struct node *out)
{
    struct node list[8], *method = &node->arguments[1];
    char text[100];
    uint32_t n = 0;
    if (strcmp(parser_name_of(p, &node->arguments[0]), "generic") != 0) {
        *out = *method; /* builtin:test */
        return true;
    }
    const struct node *outputs = NULL;
    if (parser_is_operator(p, method, ":")) {
        outputs = &method->arguments[1];
        method = &method->arguments[0];
    }
    for (; n < method->arity && n < 4; n++)
        list[n] = method->arguments[n];
    for (; outputs && n < 7; n++) {
        bool more = parser_is_operator(p, outputs, ":");
        list[n] = more ? outputs->arguments[0] : *outputs;
        outputs = more ? &outputs->arguments[1] : NULL;
    }
    snprintf(text, sizeof text, "generic:%s", parser_name_of(p, method));
    *out = *node;
    out->kind = NODE_STRUCT;
    out->name = program_name(p->program, text, strlen(text));
    out->arguments = parser_nodes(p, list, n);
    out->arity = n;
    return true;
}

static bool add_test(struct parser *p, struct node *node, bool is_negated,
                     struct goals *goals)
{
    struct node flat;
    if (parser_is_operator(p, node, ":") && flatten_generic(p, node, &flat))
        node = &flat;
    if (!parser_expand(p, node->arguments, node->arity, true, goals))
        return false;
    const char *name = parser_name_of(p, node);
    struct node assignment = *node;
    assignment.arguments =
        parser_named_arithmetic(p, name, node->arguments, node->arity, node);
    if (assignment.arguments) {
        assignment.name = program_name(p->program, ":=", 2);
        assignment.arity = 2;
        node = &assignment;
        name = ":=";
    }
    const struct test_name *found = find_test(name, node->arity);
    int function = found ? -1 : function_find(name, node->arity, true);
    if (!found && function < 0)
        return parser_wrong_at(p, node->line, node->column,
                               "'%s' is no test that a guard may hold (user-defined guards "
                               "would not be flat)",
                               name[0] ? name : "this");
    if (is_negated
        && (found ? found->test == TEST_ASSIGN || found->test == TEST_UNIFY
                  : function_outputs(function) != 0))
        return parser_wrong_at(p, node->line, node->column,
                               "\\+ can stand before tests that give nothing a value");
    struct goal_call *goal = parser_add_goal(goals);
    *goal = (struct goal_call){ .kind = GOAL_TEST,
                                .test = found ? found->test : TEST_FUNCTION,
                                .is_negated = is_negated,
                                .name = node->name,
                                .procedure = (uint32_t)function,
                                .arguments = node->arguments,
                                .arity = node->arity,
                                .line = node->line,
                                .column = node->column };
    return !takes_numbers(goal->test)
           || (parser_check_number(p, &node->arguments[0])
               && parser_check_number(p, &node->arguments[1]));
}

/*
 * Appends the tests of one alternative.  At each ";" (a "," below "\+") the lowest bit of
 * *CHOICE selects the left or the right side, and is shifted out.
 */
static bool walk_guard(struct parser *p, struct node *node, bool is_negated,
                       uint32_t *choice, struct goals *goals)
{
    if (node->kind == NODE_STRUCT && node->arity == 1
        && strcmp(parser_name_of(p, node), "\\+") == 0)
        return walk_guard(p, &node->arguments[0], !is_negated, choice, goals);
    bool is_and = parser_is_operator(p, node, is_negated ? ";" : ",");
    bool is_or = parser_is_operator(p, node, is_negated ? "," : ";");
    if (is_and)
        return walk_guard(p, &node->arguments[0], is_negated, choice, goals)
               && walk_guard(p, &node->arguments[1], is_negated, choice, goals);
    if (!is_or)
        return add_test(p, node, is_negated, goals);
    bool right = *choice & 1;
    *choice >>= 1;
    return walk_guard(p, &node->arguments[right], is_negated, choice, goals);
}

/* Returns the number of ";" ("," below "\+") in a guard. */
static uint32_t count_choices(const struct parser *p, const struct node *node,
                              bool is_negated)
{
    if (node->kind == NODE_STRUCT && node->arity == 1
        && strcmp(parser_name_of(p, node), "\\+") == 0)
        return count_choices(p, &node->arguments[0], !is_negated);
    if (!parser_is_operator(p, node, ",") && !parser_is_operator(p, node, ";"))
        return 0;
    return count_choices(p, &node->arguments[0], is_negated)
           + count_choices(p, &node->arguments[1], is_negated)
           + parser_is_operator(p, node, is_negated ? "," : ";");
}

static struct node copy_node(struct parser *p, const struct node *node)
{
    struct node copy = *node, *at = &copy;
    for (; at->kind == NODE_LIST; at = &at->arguments[1]) { /* lists may be long */
        at->arguments = parser_nodes(p, at->arguments, 2);
        at->arguments[0] = copy_node(p, &at->arguments[0]);
    }
    if (at->kind != NODE_STRUCT)
        return copy;
    at->arguments = parser_nodes(p, at->arguments, at->arity);
    for (uint32_t i = 0; i < at->arity; i++)
        at->arguments[i] = copy_node(p, &at->arguments[i]);
    return copy;
}

bool parser_guard(struct parser *p, struct node *node,
                  bool (*add)(struct parser *p, struct goals *guards, void *user),
                  void *user)
{
    uint32_t choices = count_choices(p, node, false);
    if (choices > 6)
        return parser_wrong_at(p, node->line, node->column,
                               "more than 6 choices (;) in one guard");
    for (uint32_t i = 0; i < UINT32_C(1) << choices; i++) {
        struct goals guards = { 0 };
        uint32_t choice = i;
        /* ~(...) is replaced in place, so each alternative has terms of its own. */
        struct node own = choices ? copy_node(p, node) : *node;
        bool ok = walk_guard(p, &own, false, &choice, &guards);
        if (ok && choice) { /* bits are left: this alternative was added already */
            free(guards.list);
            continue;
        }
        if (!ok || !add(p, &guards, user)) {
            free(guards.list);
            return false;
        }
    }
    return true;
}
