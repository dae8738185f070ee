/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the procedures that goals in bodies call, after all clauses have been read. */
#include <string.h>

#include "domains/trees/fghc/parse_priv.h"

/* Arithmetic that cannot be evaluated in any run is an error of the source. */
bool parser_check_number(struct parser *p, const struct node *node)
{
    if (node->kind == NODE_INTEGER || node->kind == NODE_VARIABLE
        || node->kind == NODE_VOID)
        return true;
    if (node->kind != NODE_STRUCT)
        return parser_wrong_at(p, node->line, node->column, "this is no number");
    if (program_arithmetic(node->name, node->arity) < 0)
        return parser_wrong_at(p, node->line, node->column,
                               "%s/%u is no arithmetic (+ - * / // mod /\\ \\/ "
                               "xor << >> ^, and - + \\ of one number)",
                               p->program->names[node->name], node->arity);
    for (uint32_t i = 0; i < node->arity; i++)
        if (!parser_check_number(p, &node->arguments[i]))
            return false;
    return true;
}

/* ---- Goals that nothing defines ---- */

/* Returns advice for an undefined goal that is common in other languages; NULL: none. */
static const char *hint_of(const char *name, uint32_t arity)
{
    static const struct {
        const char *name, *hint;
    } hints[] = {
        { "is", "X := Expression gives a variable the value of an expression" },
        { "$:=", "there are no floating-point numbers" },
        { "!", "there is no cut: the first clause that fits is chosen for good" },
        { "\\+", "\\+ stands in guards" },
        { "otherwise", "otherwise. is a clause of its own, before those that it is for" },
        { "<=", "X <= T sends to an argument pair, outside of conditions" },
        { "=>", "argument pairs know X <= T, X <== T, X += T, -=, *= and /=" },
        { "-", "argument pairs cannot stand in conditions" },
        { "+", "argument pairs cannot stand in conditions" },
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(name, hints[i].name) == 0)
            return hints[i].hint;
    return parser_is_test(name, arity)
               ? "a test belongs into the guard, before the |, or into a condition, "
                 "(Test -> Goals ; Goals)"
               : NULL;
}

/* Returns true for an undefined goal whose name begins like KL1's built-in goals. */
static bool is_unsupported(const char *name)
{
    static const char *const begins[] = { "vector_",     "set_vector_", "string_",
                                          "set_string_", "new_",        "apply",
                                          "unbound",     "generic:" };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t length = strlen(begins[i]);
        char last = begins[i][length - 1];
        if (strncmp(name, begins[i], length) == 0
            && (last == '_' || last == ':' || !name[length]))
            return true;
    }
    return false;
}

/* Returns a procedure with this name: a wrong number of arguments is a common slip. */
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
    const char *hint = hint_of(text, goal->arity);
    if (hint && !other)
        return parser_wrong_at(p, goal->line, goal->column, "no clause defines %s/%u: %s",
                               text, goal->arity, hint);
    if (is_unsupported(text) && !other)
        return parser_wrong_at(p, goal->line, goal->column, "%s/%u is not supported", text,
                               goal->arity);
    if (other && other->arity != goal->arity)
        return parser_wrong_at(p, goal->line, goal->column,
                               "no clause defines %s/%u (there is %s/%u)", text,
                               goal->arity, text, other->arity);
    if (other)
        return parser_wrong_at(p, goal->line, goal->column,
                               "no clause of this module defines %s/%u (there is %s:%s/%u)",
                               text, goal->arity, p->program->names[other->module], text,
                               other->arity);
    return parser_wrong_at(p, goal->line, goal->column, "no clause defines %s/%u", text,
                           goal->arity);
}

/* ---- Goals ---- */

static bool has_module(const struct program *program, uint32_t module)
{
    for (uint32_t i = 0; i < program->n_procedures; i++)
        if (program->procedures[i].module == module)
            return true;
    return false;
}

/*
 * Finds the procedure that a goal calls: in the module that it names, else in its own
 * module. A typed goal, or one that names a module without procedures, may call any
 * module's.
 */
static uint32_t find_procedure(const struct parser *p, const struct goal_call *goal,
                               bool is_typed)
{
    const struct program *program = p->program;
    if (goal->is_generic)
        return UINT32_MAX;
    uint32_t found = program_find(program, goal->module, goal->name, goal->arity);
    bool any = goal->has_module ? !has_module(program, goal->module) : is_typed;
    return found == UINT32_MAX && any
               ? program_find(program, ANY_MODULE, goal->name, goal->arity)
               : found;
}

/* Returns true for a goal such as unix:exit(0), which is built in even if the program has
 * an exit/1. */
static bool is_of_system(const struct parser *p, const struct goal_call *goal)
{
    return goal->has_module && !has_module(p->program, goal->module);
}

/* Turns a goal such as add(X,Y,Z) into Z := X + Y. */
static bool is_named_arithmetic(struct parser *p, struct goal_call *goal, const char *text)
{
    const struct node at = { .line = goal->line, .column = goal->column };
    struct node *arguments =
        parser_named_arithmetic(p, text, goal->arguments, goal->arity, &at);
    if (!arguments)
        return false;
    goal->kind = GOAL_ASSIGN;
    goal->arguments = arguments;
    goal->arity = 2;
    goal->name = program_name(p->program, ":=", 2);
    return true;
}

static bool resolve_goal(struct parser *p, struct goal_call *goal, bool is_typed)
{
    const char *text = p->program->names[goal->name];
    uint32_t found = find_procedure(p, goal, is_typed);
    int builtin = builtin_find(text, goal->arity);
    if (goal->arity == 2 && strcmp(text, "=") == 0) {
        goal->kind = GOAL_UNIFY;
    } else if (goal->arity == 2 && strcmp(text, ":=") == 0) {
        goal->kind = GOAL_ASSIGN;
        return parser_check_number(p, &goal->arguments[1]);
    } else if (found != UINT32_MAX && !(builtin >= 0 && is_of_system(p, goal))) {
        goal->procedure = found;
    } else if (builtin >= 0) {
        goal->kind = GOAL_BUILTIN;
        goal->procedure = (uint32_t)builtin;
    } else if (is_named_arithmetic(p, goal, text)) {
        return parser_check_number(p, &goal->arguments[1]);
    } else {
        return is_undefined(p, goal, text);
    }
    return true;
}

bool parser_resolve(struct parser *p)
{
    const struct program *program = p->program;
    const char *path = p->path;
    bool ok = true;
    for (uint32_t i = 0; i < program->n_procedures; i++)
        for (uint32_t c = 0; c < program->procedures[i].n_clauses; c++) {
            const struct clause *clause = &program->procedures[i].clauses[c];
            bool is_typed =
                strcmp(program->names[program->procedures[i].name], "$goal") == 0;
            for (uint32_t g = 0; g < clause->n_body; g++) {
                struct goal_call *goal = &clause->body[g];
                p->path = clause->path;
                p->failed = false; /* each goal may have an error of its own */
                if (goal->kind == GOAL_CALL && goal->procedure == UINT32_MAX)
                    ok &= resolve_goal(p, goal, is_typed);
            }
        }
    p->path = path;
    return ok;
}
