/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the clauses of an FGHC program: their number, name, line and how many goals of
 * their body the program itself defines. Directives (:- ...) and the separators
 * "otherwise." and "alternatively." have no number. A goal that the program does not define
 * (=, :=, true) is no reduction. A condition, (Guard -> Goals ; Goals), is a goal; its
 * alternatives are clauses of a procedure of its own, numbered after those of the source.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "domains/trees/read/vista_priv.h"

enum { MAX_CHILDREN = 65535 }; /* most goals of a body: they are counted in 16 bits */

enum token_kind { TOKEN_NAME, TOKEN_PUNCTUATION, TOKEN_OPERATOR, TOKEN_STOP, TOKEN_END };

struct token {
    enum token_kind kind;
    const char *text;
    uint32_t length;
    uint32_t line;
    int depth; /* number of brackets around it */
    bool call; /* a name directly followed by "(" */
};

struct vista_goal {
    const char *name; /* NULL: a condition */
    uint32_t length, arity;
    uint32_t clause; /* the clause with it in its body; with IN_CONDITION, an index in
                        `conditions` */
};

enum {
    IN_CONDITION = 1 << 30,
    MAX_NESTED = 500, /* conditions and brackets; programs with deeper ones are refused */
};

/* An alternative of a condition, as a clause. */
struct vista_condition {
    struct vista_clause clause;
    uint32_t number; /* number of the condition, from 1 */
    uint32_t place;  /* index among the program's clauses */
};

struct scanner {
    const char *at, *end;
    uint32_t line;
    int depth;
    struct token *tokens; /* tokens of one clause */
    size_t n, capacity;
};

static bool is_symbol(char c)
{
    return c && strchr("+-*/\\^<>=~:?@#&$.", c);
}

static void skip_block_comment(struct scanner *s)
{
    for (s->at += 2; s->at < s->end; s->at++) {
        s->line += *s->at == '\n';
        if (*s->at == '*' && s->at + 1 < s->end && s->at[1] == '/') {
            s->at += 2;
            return;
        }
    }
}

static void skip_blanks(struct scanner *s)
{
    while (s->at < s->end) {
        if (*s->at == '%') {
            while (s->at < s->end && *s->at != '\n')
                s->at++;
        } else if (*s->at == '/' && s->at + 1 < s->end && s->at[1] == '*') {
            skip_block_comment(s);
        } else if (isspace((unsigned char)*s->at)) {
            s->line += *s->at++ == '\n';
        } else {
            return;
        }
    }
}

/*
 * Skips a quoted atom or a string; a doubled quote or one after a backslash does not end
 * it.
 */
static void scan_quoted(struct scanner *s)
{
    char quote = *s->at++;
    while (s->at < s->end) {
        char c = *s->at++;
        s->line += c == '\n';
        if (c == '\\' && s->at < s->end)
            s->at++;
        else if (c == quote && (s->at == s->end || *s->at != quote))
            return;
        else if (c == quote)
            s->at++;
    }
}

static void scan_word(struct scanner *s)
{
    while (s->at < s->end && (isalnum((unsigned char)*s->at) || *s->at == '_'))
        s->at++;
}

/* Returns true for the number of a base, 2 to 36: a quote and digits may follow. */
static bool is_base(const char *text, size_t length)
{
    return (length == 1 && *text >= '2' && *text <= '9')
           || (length == 2 && isdigit((unsigned char)text[0])
               && isdigit((unsigned char)text[1]) && memcmp(text, "02", 2) >= 0
               && memcmp(text, "36", 2) <= 0);
}

/* Skips a name, a number, one of another base (16'ff), or the code of a character (0'c). */
static void scan_name(struct scanner *s)
{
    const char *text = s->at;
    scan_word(s);
    size_t length = (size_t)(s->at - text);
    if (s->end - s->at < 2 || *s->at != '\'')
        return;
    if (length == 1 && *text == '0') {
        s->at += s->at[1] == '\\' && s->end - s->at > 2 ? 3 : 2;
        if (s->at[-2] == '\\') /* \x41 and \101: the digits are a word by themselves */
            scan_word(s);
    } else if (isalnum((unsigned char)s->at[1]) && is_base(text, length)) {
        s->at++;
        scan_word(s);
    }
}

static bool ends_clause(const struct scanner *s)
{
    return *s->at == '.'
           && (s->at + 1 == s->end || isspace((unsigned char)s->at[1]) || s->at[1] == '%');
}

static struct token next(struct scanner *s)
{
    skip_blanks(s);
    struct token token = { TOKEN_END, s->at, 0, s->line, s->depth, false };
    if (s->at == s->end)
        return token;
    char c = *s->at;
    if (isalnum((unsigned char)c) || c == '_' || c == '\'' || c == '"') {
        token.kind = TOKEN_NAME;
        if (c == '\'' || c == '"')
            scan_quoted(s);
        else
            scan_name(s);
        token.call = s->at < s->end && *s->at == '(';
    } else if (ends_clause(s)) {
        token.kind = TOKEN_STOP;
        s->at++;
    } else if (is_symbol(c)) {
        token.kind = TOKEN_OPERATOR;
        while (s->at < s->end && is_symbol(*s->at) && !ends_clause(s))
            s->at++;
    } else {
        token.kind = TOKEN_PUNCTUATION;
        s->at++;
        if (c == '(' || c == '[' || c == '{')
            s->depth++;
        if (c == ')' || c == ']' || c == '}')
            token.depth = --s->depth;
    }
    token.length = (uint32_t)(s->at - token.text);
    return token;
}

static bool is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

/*
 * Returns the number of arguments of the goal at AT: a name, perhaps with arguments in
 * brackets.
 */
static uint32_t arity_of(const struct token *at, const struct token *end)
{
    if (!at->call || at + 1 >= end)
        return 0;
    uint32_t arity = 1;
    int inside = at[1].depth + 1;
    for (const struct token *t = at + 2; t < end; t++) {
        if (t->depth < inside)
            break; /* the closing bracket */
        arity += t->depth == inside && is(t, ",");
    }
    return arity;
}

/* p(X)-S has two more arguments than p(X), p(X)+T one more. */
static bool is_pair(const struct token *t)
{
    return t->kind == TOKEN_OPERATOR && (is(t, "-") || is(t, "+"));
}

static uint32_t arity_with_pairs(const struct token *at, const struct token *end)
{
    uint32_t arity = arity_of(at, end);
    for (const struct token *t = at + 1; t < end && !(t->depth == at->depth && is(t, "@"));
         t++)
        if (t->depth == at->depth && is_pair(t))
            arity += is(t, "-") ? 2 : 1;
    return arity;
}

/* Adds a goal to the program. */
static void keep_goal(struct vista_program *program, struct vista_goal goal)
{
    program->goals = weft_grow(program->goals, &program->goal_capacity,
                               program->n_goals + 1, sizeof *program->goals);
    program->goals[program->n_goals++] = goal;
}

static void add_goals(struct vista_program *program, const struct token *from,
                      const struct token *to, uint32_t clause);

static void add_goal(struct vista_program *program, const struct token *from,
                     const struct token *to, uint32_t clause)
{
    if (from < to && is(from, "(")) {
        add_goals(program, from + 1, to - 1, clause);
        return;
    }
    if (from + 2 < to && from[1].kind == TOKEN_OPERATOR && is(&from[1], ":"))
        from += 2; /* module:goal */
    if (from >= to || from->kind != TOKEN_NAME)
        return;
    for (const struct token *t = from; t < to; t++) {
        if (t->depth > from->depth || t->kind != TOKEN_OPERATOR || is_pair(t))
            continue;
        if (!is(t, "@"))
            return; /* a comparison, unification or arithmetic */
        break;      /* a pragma */
    }
    keep_goal(program, (struct vista_goal){ from->text, from->length,
                                            arity_with_pairs(from, to), clause });
}

/* Returns the first token TEXT at the depth of FROM, or TO. */
static const struct token *find(const struct token *from, const struct token *to,
                                const char *text)
{
    int depth = from < to ? from->depth : 0;
    while (from < to && !(from->depth == depth && is(from, text)))
        from++;
    return from;
}

/* Adds an alternative of a condition as a clause; its body follows "->". */
static void add_alternative(struct vista_program *program, const struct token *from,
                            const struct token *to, uint32_t number)
{
    if (to == from + 1 && (is(from, "otherwise") || is(from, "alternatively")))
        return;
    const struct token *arrow = find(from, to, "->");
    uint32_t clause = (uint32_t)program->n_conditions;
    program->conditions = weft_grow(program->conditions, &program->condition_capacity,
                                    program->n_conditions + 1, sizeof *program->conditions);
    program->conditions[program->n_conditions++] = (struct vista_condition){
        .clause = { .name = weft_arena_printf(&program->arena, "%.200s$%u",
                                              program->clauses[program->n_clauses].name,
                                              number),
                    .line = from->line },
        .number = number
    };
    add_goals(program, arrow < to ? arrow + 1 : from, to, IN_CONDITION | clause);
}

/* Adds goals separated by commas, or a condition. */
static void add_goals(struct vista_program *program, const struct token *from,
                      const struct token *to, uint32_t clause)
{
    if (program->nesting == MAX_NESTED) {
        program->too_deep = program->too_deep ? program->too_deep : from->line;
        return;
    }
    program->nesting++;
    bool condition = find(from, to, "->") < to || find(from, to, ";") < to;
    uint32_t number = condition ? ++program->numbers : 0;
    if (condition)
        keep_goal(program, (struct vista_goal){ .clause = clause });
    while (from < to) {
        const struct token *end = find(from, to, condition ? ";" : ",");
        if (condition)
            add_alternative(program, from, end, number);
        else
            add_goal(program, from, end, clause);
        from = end + 1;
    }
    program->nesting--;
}

static void add_body(struct vista_program *program, const struct token *from,
                     const struct token *to)
{
    for (const struct token *t = from; t < to; t++)
        if (t->depth == 0 && is(t, "|"))
            from = t + 1; /* the guard ends before "|" */
    add_goals(program, from, to, (uint32_t)program->n_clauses);
}

static const char *name_of(struct weft_arena *arena, const struct token *token)
{
    bool quoted = token->length >= 2 && *token->text == '\'';
    return weft_arena_printf(arena, "%.*s", (int)(token->length - 2 * quoted),
                             token->text + quoted);
}

static void add_clause(struct vista_program *program, const struct scanner *s)
{
    const struct token *head = s->tokens;
    if (s->n == 0 || head->kind != TOKEN_NAME)
        return; /* a directive */
    const struct token *end = head + s->n;
    if (s->n == 1 && (is(head, "otherwise") || is(head, "alternatively")))
        return;
    const struct token *neck = head;
    while (neck < end && !(neck->depth == 0 && is(neck, ":-")))
        neck++;
    program->clauses = weft_grow(program->clauses, &program->capacity,
                                 program->n_clauses + 1, sizeof *program->clauses);
    program->clauses[program->n_clauses] =
        (struct vista_clause){ .name = name_of(&program->arena, head),
                               .arity = arity_with_pairs(head, neck),
                               .line = head->line };
    if (neck < end)
        add_body(program, neck + 1, end);
    program->n_clauses++;
}

/* Appends the clauses of all conditions, condition by condition, to those of the source. */
static void add_conditions(struct vista_program *program)
{
    size_t n = program->n_conditions;
    uint32_t *places = weft_zalloc(program->numbers + (size_t)2, sizeof *places);
    uint32_t first = (uint32_t)program->n_clauses;
    for (size_t i = 0; i < n; i++)
        places[program->conditions[i].number + 1]++;
    for (uint32_t k = 1; k <= program->numbers; k++)
        places[k + 1] += places[k];
    program->clauses = weft_grow(program->clauses, &program->capacity, first + n + 1,
                                 sizeof *program->clauses);
    program->n_clauses += n;
    for (size_t i = 0; i < n; i++) {
        struct vista_condition *condition = &program->conditions[i];
        condition->place = first + places[condition->number]++;
        program->clauses[condition->place] = condition->clause;
    }
    for (size_t i = 0; i < program->n_goals; i++) {
        uint32_t *clause = &program->goals[i].clause;
        if (*clause & IN_CONDITION)
            *clause = program->conditions[*clause & ~(uint32_t)IN_CONDITION].place;
    }
    free(places);
}

/*
 * Counts the children of each clause: the goals of its body for which the program has
 * clauses.
 */
static void count_children(struct vista_program *program)
{
    struct weft_text_map defined = { 0 };
    for (size_t i = 0; i < program->n_clauses; i++) {
        const struct vista_clause *c = &program->clauses[i];
        char *key = weft_asprintf("%u/%s", c->arity, c->name);
        weft_text_map_put(&defined, key, strlen(key), 1);
        free(key);
    }
    for (size_t i = 0; i < program->n_goals; i++) {
        const struct vista_goal *goal = &program->goals[i];
        if (!goal->name) {
            program->clauses[goal->clause].children +=
                program->clauses[goal->clause].children < MAX_CHILDREN;
            continue;
        }
        struct token token = { .text = goal->name, .length = goal->length };
        char *key = weft_asprintf("%u/%s", goal->arity, name_of(&program->arena, &token));
        if (weft_text_map_get(&defined, key, strlen(key)) != WEFT_MAP_NONE)
            program->clauses[goal->clause].children +=
                program->clauses[goal->clause].children < MAX_CHILDREN;
        free(key);
    }
    weft_text_map_free(&defined);
}

static bool scan(struct vista_program *program, struct scanner *s, const char *path,
                 struct weft_err *err)
{
    for (;;) {
        struct token token = next(s);
        if (token.kind == TOKEN_END)
            break;
        if (token.kind != TOKEN_STOP) {
            s->tokens = weft_grow(s->tokens, &s->capacity, s->n + 1, sizeof *s->tokens);
            s->tokens[s->n++] = token;
            continue;
        }
        if (s->depth != 0)
            return weft_fail_at(err, WEFT_ERR_FORMAT, path, token.line,
                                "a clause ends here, but its brackets do not match");
        add_clause(program, s);
        if (program->too_deep)
            return weft_fail_at(err, WEFT_ERR_FORMAT, path, program->too_deep,
                                "goals stand more than %d deep in one another here",
                                MAX_NESTED);
        s->n = 0;
    }
    if (s->n)
        return weft_fail_at(err, WEFT_ERR_FORMAT, path, s->tokens[0].line,
                            "the clause that begins here has no end (a point)");
    return program->n_clauses > 0
           || weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "the program has no clause");
}

bool vista_program_read(struct vista_program *program, const char *path,
                        struct weft_err *err)
{
    enum { LARGEST = 16 << 20 }; /* bytes: no hand-written program is larger */
    struct weft_mapping map;
    *program = (struct vista_program){ 0 };
    if (!weft_map_file(&map, path, err))
        return false;
    if (map.size > LARGEST) {
        weft_unmap(&map);
        return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0,
                            "this is no program of at most %d MiB", LARGEST >> 20);
    }
    struct scanner s = { .at = (const char *)map.data,
                         .end = (const char *)map.data + map.size,
                         .line = 1 };
    bool ok = scan(program, &s, path, err);
    if (ok) {
        add_conditions(program);
        count_children(program);
    }
    free(s.tokens);
    weft_unmap(&map);
    if (!ok)
        vista_program_free(program);
    return ok;
}

void vista_program_free(struct vista_program *program)
{
    free(program->clauses);
    free(program->goals);
    free(program->conditions);
    weft_arena_free(&program->arena);
    *program = (struct vista_program){ 0 };
}
