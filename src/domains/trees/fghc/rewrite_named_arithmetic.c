/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites the named arithmetic of KLIC: add(X,Y,Z) is Z := X + Y, in guards and bodies. */
#include <string.h>

#include "domains/trees/fghc/parse_priv.h"

static const struct {
    const char *name;
    uint32_t arity; /* the operands and the result */
    const char *functor;
} names[] = {
    { "add", 3, "+" },          { "subtract", 3, "-" },       { "multiply", 3, "*" },
    { "divide", 3, "/" },       { "modulo", 3, "mod" },       { "and", 3, "/\\" },
    { "or", 3, "\\/" },         { "exclusive_or", 3, "xor" }, { "shift_left", 3, "<<" },
    { "shift_right", 3, ">>" }, { "complement", 2, "\\" },
};

static struct node *arguments_of(struct parser *p, const struct node *arguments, uint32_t n,
                                 const char *functor, const struct node *at)
{
    struct node *both = weft_arena_zalloc(&p->program->arena, 2, sizeof *both);
    both[0] = arguments[n - 1];
    both[1] = *at;
    both[1].kind = NODE_STRUCT;
    both[1].name = program_name(p->program, functor, strlen(functor));
    both[1].arguments = parser_nodes(p, arguments, n - 1);
    both[1].arity = n - 1;
    return both;
}

struct node *parser_named_arithmetic(struct parser *p, const char *name,
                                     const struct node *arguments, uint32_t arity,
                                     const struct node *at)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (arity == names[i].arity && strcmp(name, names[i].name) == 0)
            return arguments_of(p, arguments, arity, names[i].functor, at);
    return NULL;
}
