/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites argument pairs (KLIC's manual, "Argument Pairs"): a state or a stream that runs
 * through a clause, without names for its intermediate values.
 *
 *
 *     p(X)-S :- S <= a(X), q(X)-S, S += 1, r-S.
 *
 * becomes p(X,S,S4) :- S = [a(X)|S1], q(X,S1,S2), S3 := S2 + 1, r(S3,S4).  A "+T" behind a
 * goal or a head is one more argument T.  "S <== T" replaces the state by T.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/parse_priv.h"

struct pair {
    bool in_head;
    uint32_t uses; /* uses in the body that are still to come */
    uint32_t now;  /* the variable of its latest state */
    uint32_t last; /* the variable of the pair's second argument in the head */
};

struct pairs {
    struct parser *p;
    struct pair *of; /* by variable of the source */
    uint32_t n;
};

static bool is_suffix(const struct parser *p, const struct node *node)
{
    return parser_is_operator(p, node, "-") || parser_is_operator(p, node, "+");
}

/* Returns the functor that replaces an update such as S <= T, or NULL for other goals. */
static const char *update_of(const struct parser *p, const struct node *node)
{
    static const char *const updates[][2] = {
        { "<=", "[" }, { "<==", "=" }, { "+=", "+" },
        { "-=", "-" }, { "*=", "*" },  { "/=", "/" }
    };
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++)
        if (parser_is_operator(p, node, updates[i][0])
            && node->arguments[0].kind == NODE_VARIABLE)
            return updates[i][1];
    return NULL;
}

/* Returns GOAL of MODULE:GOAL@PLACE. */
static struct node *goal_in(const struct parser *p, struct node *node)
{
    if (parser_is_operator(p, node, "@"))
        node = &node->arguments[0];
    return parser_is_operator(p, node, ":") ? &node->arguments[1] : node;
}

static bool has_pairs(const struct parser *p, struct node *body)
{
    for (; parser_is_operator(p, body, ","); body = &body->arguments[1])
        if (has_pairs(p, &body->arguments[0]))
            return true;
    body = goal_in(p, body);
    return is_suffix(p, body) || update_of(p, body);
}

/* ---- States ---- */

static void count_use(struct pairs *pairs, const struct node *variable)
{
    if (variable->kind == NODE_VARIABLE)
        pairs->of[variable->variable].uses++;
}

static void count_uses(struct pairs *pairs, struct node *body)
{
    const struct parser *p = pairs->p;
    for (; parser_is_operator(p, body, ","); body = &body->arguments[1])
        count_uses(pairs, &body->arguments[0]);
    body = goal_in(p, body);
    if (update_of(p, body))
        count_use(pairs, &body->arguments[0]);
    for (; is_suffix(p, body); body = &body->arguments[0])
        if (parser_is_operator(p, body, "-"))
            count_use(pairs, &body->arguments[1]);
}

static struct node variable_node(const struct node *at, uint32_t variable)
{
    return (struct node){ NODE_VARIABLE, .variable = variable, .line = at->line,
                          .column = at->column };
}

/* Makes the variables of the states before and after a use of VARIABLE. */
static bool step(struct pairs *pairs, const struct node *variable, struct node *before,
                 struct node *after)
{
    struct parser *p = pairs->p;
    if (variable->kind != NODE_VARIABLE)
        return parser_wrong_at(p, variable->line, variable->column,
                               "an argument pair is -Variable");
    struct pair *pair = &pairs->of[variable->variable];
    uint32_t next;
    *before = variable_node(variable, pair->now);
    if (--pair->uses == 0 && pair->in_head)
        next = pair->last;
    else if (!parser_new_variable(p, "S", &next))
        return false;
    *after = variable_node(variable, next);
    pair->now = next;
    return true;
}

/* ---- Goals and heads ---- */

enum { MAX_PAIRS = 64 }; /* suffixes of one goal */

/* Makes a copy of a goal with N more arguments. */
static bool extend(struct pairs *pairs, const struct node *goal, const struct node *more,
                   uint32_t n, struct node *out)
{
    struct parser *p = pairs->p;
    struct node *list;
    *out = *goal;
    if ((goal->kind != NODE_ATOM && goal->kind != NODE_STRUCT)
        || goal->arity + n > MAX_ARITY)
        return parser_wrong_at(p, goal->line, goal->column,
                               "argument pairs stand behind a goal or a head, with at most "
                               "255 arguments in all");
    list = weft_arena_zalloc(&p->program->arena, goal->arity + n + 1, sizeof *list);
    if (goal->arity)
        memcpy(list, goal->arguments, goal->arity * sizeof *list);
    memcpy(list + goal->arity, more, n * sizeof *list);
    out->kind = NODE_STRUCT;
    out->arguments = list;
    out->arity = goal->arity + n;
    return true;
}

/* Collects the arguments that the suffixes of a goal stand for, in order, and finds the
 * goal. */
static bool gather(struct pairs *pairs, const struct node *node, bool is_head,
                   struct node *list, uint32_t *n, const struct node **goal)
{
    struct parser *p = pairs->p;
    if (!is_suffix(p, node)) {
        *goal = node;
        return true;
    }
    const struct node *what = &node->arguments[1];
    if (!gather(pairs, &node->arguments[0], is_head, list, n, goal))
        return false;
    if (*n + 2 > MAX_PAIRS)
        return parser_wrong_at(p, node->line, node->column, "too many argument pairs");
    if (parser_is_operator(p, node, "+")) {
        list[(*n)++] = *what;
        return true;
    }
    if (!is_head) {
        *n += 2;
        return step(pairs, what, &list[*n - 2], &list[*n - 1]);
    }
    struct pair *pair = what->kind == NODE_VARIABLE ? &pairs->of[what->variable] : NULL;
    if (!pair || pair->in_head)
        return parser_wrong_at(p, what->line, what->column,
                               "an argument pair is -Variable, once in a head");
    if (!parser_new_variable(p, "S", &pair->last))
        return false;
    pair->in_head = true;
    list[(*n)++] = *what;
    list[(*n)++] = variable_node(what, pair->last);
    return true;
}

static bool rewrite_call(struct pairs *pairs, struct node *node, bool is_head)
{
    struct node list[MAX_PAIRS];
    const struct node *goal;
    uint32_t n = 0;
    return gather(pairs, node, is_head, list, &n, &goal)
           && extend(pairs, goal, list, n, node);
}

static struct node structure(struct pairs *pairs, const struct node *at, const char *name,
                             const struct node *first, const struct node *second)
{
    struct parser *p = pairs->p;
    struct node both[2] = { *first, *second };
    struct node made = { .kind = NODE_STRUCT, .arity = 2 };
    made.line = at->line;
    made.column = at->column;
    made.kind = *name == '[' ? NODE_LIST : NODE_STRUCT;
    made.name = *name == '[' ? 0 : program_name(p->program, name, strlen(name));
    made.arguments = parser_nodes(p, both, 2);
    return made;
}

/* Rewrites S <= T to S = [T|S1], S += T to S1 := S + T, S <== T to S1 = T. */
static bool rewrite_update(struct pairs *pairs, struct node *node, const char *functor)
{
    struct node before, after, value = node->arguments[1];
    if (!step(pairs, &node->arguments[0], &before, &after))
        return false;
    if (*functor == '[') {
        struct node list = structure(pairs, node, "[", &value, &after);
        *node = structure(pairs, node, "=", &before, &list);
    } else if (*functor == '=') {
        *node = structure(pairs, node, "=", &after, &value);
    } else {
        struct node sum = structure(pairs, node, functor, &before, &value);
        *node = structure(pairs, node, ":=", &after, &sum);
    }
    return true;
}

static bool rewrite_body(struct pairs *pairs, struct node *body)
{
    const struct parser *p = pairs->p;
    for (; parser_is_operator(p, body, ","); body = &body->arguments[1])
        if (!rewrite_body(pairs, &body->arguments[0]))
            return false;
    body = goal_in(p, body);
    const char *update = update_of(p, body);
    if (update)
        return rewrite_update(pairs, body, update);
    return !is_suffix(p, body) || rewrite_call(pairs, body, false);
}

/* Unifies the two arguments of each pair in the head that the body does not use. */
static void pass_through(struct pairs *pairs, struct node **body)
{
    struct parser *p = pairs->p;
    for (uint32_t v = 0; v < pairs->n; v++) {
        const struct pair *pair = &pairs->of[v];
        if (!pair->in_head || pair->now != v)
            continue;
        struct node at = { .line = 0 };
        if (*body)
            at = **body;
        struct node in = variable_node(&at, v), out = variable_node(&at, pair->last);
        struct node *both = weft_arena_zalloc(&p->program->arena, 1, sizeof *both);
        *both = structure(pairs, &at, "=", &out, &in);
        p->variables[v].uses++;
        if (*body)
            *both = structure(pairs, &at, ",", both, *body);
        *body = both;
    }
}

bool parser_pairs(struct parser *p, struct node *head, struct node **body)
{
    if (!is_suffix(p, head) && !(*body && has_pairs(p, *body)))
        return true;
    struct pairs pairs = { .p = p, .n = p->n_variables };
    pairs.of = weft_zalloc(MAX_VARIABLES + 1, sizeof *pairs.of);
    for (uint32_t v = 0; v < MAX_VARIABLES; v++)
        pairs.of[v].now = v;
    bool ok = !is_suffix(p, head) || rewrite_call(&pairs, head, true);
    if (ok && *body) {
        count_uses(&pairs, *body);
        ok = rewrite_body(&pairs, *body);
    }
    if (ok)
        pass_through(&pairs, body);
    free(pairs.of);
    return ok;
}
