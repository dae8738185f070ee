/* SPDX-License-Identifier: Apache-2.0 */
/* Finding what the goals of bodies call, after all clauses have been read. */
#include <string.h>

#include "fghc/parse_priv.h"

/* Arithmetic that cannot be evaluated in any run is an error of the source. */
bool parser_check_number(struct parser *p, const struct node *node)
{
    if (node->kind == NODE_INTEGER || node->kind == NODE_VARIABLE
        || node->kind == NODE_VOID)
        return true;
    if (node->kind != NODE_STRUCT)
        return parser_wrong_at(p, node->line, node->column, "this is no number");
    if (node->arity != 2 || program_arithmetic(node->name) < 0)
        return parser_wrong_at(p, node->line, node->column,
                               "%s/%u is no arithmetic (+ - * / // mod /\\ \\/ "
                               "xor << >>)",
                               p->program->names[node->name], node->arity);
    return parser_check_number(p, &node->arguments[0])
           && parser_check_number(p, &node->arguments[1]);
}

/* Names of KL1's built-in goals that are not supported. */
static bool is_unsupported(const char *name)
{
    static const char *const begins[] = { "new_vector",   "vector_",    "set_vector_",
                                          "vector",       "new_string", "string_",
                                          "set_string_",  "apply",      "->",
                                          "new_predicate" };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t length = strlen(begins[i]);
        if (strncmp(name, begins[i], length) == 0
            && (begins[i][length - 1] == '_' || !name[length]))
            return true;
    }
    return false;
}

/* A procedure of this name with another number of arguments: the commonest slip. */
static const struct procedure *namesake(const struct program *program, uint32_t name)
{
    for (uint32_t i = 0; i < program->n_procedures; i++)
        if (program->procedures[i].name == name)
            return &program->procedures[i];
    return NULL;
}

static bool is_undefined(struct parser *p, const struct goal_call *goal, const char *text)
{
    const struct procedure *other = namesake(p->program, goal->name);
    if (is_unsupported(text))
        return parser_wrong_at(p, goal->line, goal->column, "%s/%u is not supported", text,
                               goal->arity);
    if (other)
        return parser_wrong_at(p, goal->line, goal->column,
                               "no clause defines %s/%u (there is %s/%u)", text,
                               goal->arity, text, other->arity);
    return parser_wrong_at(p, goal->line, goal->column, "no clause defines %s/%u", text,
                           goal->arity);
}

static bool resolve_goal(struct parser *p, struct goal_call *goal)
{
    const char *text = p->program->names[goal->name];
    uint32_t found = program_find(p->program, goal->name, goal->arity);
    int builtin = builtin_find(text, goal->arity);
    if (goal->arity == 2 && strcmp(text, "=") == 0) {
        goal->kind = GOAL_UNIFY;
    } else if (goal->arity == 2 && strcmp(text, ":=") == 0) {
        goal->kind = GOAL_ASSIGN;
        return parser_check_number(p, &goal->arguments[1]);
    } else if (found != UINT32_MAX) {
        goal->procedure = found;
    } else if (builtin >= 0) {
        goal->kind = GOAL_BUILTIN;
        goal->procedure = (uint32_t)builtin;
    } else {
        return is_undefined(p, goal, text);
    }
    return true;
}

bool parser_resolve(struct parser *p)
{
    const struct program *program = p->program;
    for (uint32_t i = 0; i < program->n_procedures; i++)
        for (uint32_t c = 0; c < program->procedures[i].n_clauses; c++) {
            const struct clause *clause = &program->procedures[i].clauses[c];
            for (uint32_t g = 0; g < clause->n_body; g++) {
                struct goal_call *goal = &clause->body[g];
                if (goal->kind == GOAL_CALL && goal->procedure == UINT32_MAX
                    && !resolve_goal(p, goal))
                    return false;
            }
        }
    return true;
}
