/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints terms so that the text reads as the same term: operators by their priorities,
 * quotes where a name or a string needs them, and one name for each variable.  A stack
 * holds the parts still to be printed, so that terms may be as deep as memory allows.
 */
#include "domains/trees/fghc/print.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/builtin_functions.h"
#include "domains/trees/fghc/machine_priv.h"
#include "domains/trees/fghc/operators.h"

/*
 * Limits, beyond which "..." is printed, like for a part that contains itself: parts of a
 * term, more than anybody reads; and parts and bytes of a term in an error, a few lines.
 */
enum { MAX_PRINTED = 10000000, MAX_IN_ERROR = 300 };
/* Parts and bytes between two looks at the job: about a millisecond. */
enum { LOOK_EVERY = 1 << 16 };

struct item {
    enum { ITEM_TERM, ITEM_TEXT, ITEM_OPERATOR, ITEM_TAIL } kind;
    int priority;   /* of a term: an operator above this needs parentheses */
    uint32_t depth; /* of a term or tail: the number of terms that contain it */
    term t;
    const char *text; /* of a term: not NULL if it is an operand */
};

struct printer {
    FILE *out;
    const struct program *program;
    bool quotes;
    struct print_names *names;
    const struct weft_job *job;  /* may be NULL */
    uint64_t left;               /* parts that may still be printed */
    uint64_t most, bytes, parts; /* most: limit of bytes; 0: none */
    uint64_t look_at;            /* bytes + parts at the next look at the job */
    char last; /* the last character printed: two tokens must not become one */
    struct item *stack;
    size_t n, capacity;
    term *path; /* by depth: the terms that contain the current one */
    size_t path_capacity;
    uint32_t depth; /* of the current term's parts */
};

/* ---- Characters ---- */

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Prints a token, with a space before it if it would be read as one with the last token. */
static void put(struct printer *p, const char *text, size_t length)
{
    if (!length)
        return;
    if ((in_word(p->last) && in_word(text[0]))
        || (operator_symbol(p->last) && operator_symbol(text[0]))) {
        fputc(' ', p->out);
        p->bytes++;
    }
    fwrite(text, 1, length, p->out);
    p->bytes += length;
    p->last = text[length - 1];
}

static void put_text(struct printer *p, const char *text)
{
    put(p, text, strlen(text));
}

/* Prints a byte in quotes, escaped if necessary; returns the number of bytes printed. */
static unsigned put_in_quotes(FILE *out, unsigned char c, char quote)
{
    static const char names[] = "abtnvfr", codes[] = "\a\b\t\n\v\f\r";
    const char *code = c ? strchr(codes, c) : NULL;
    if (code) {
        fprintf(out, "\\%c", names[code - codes]);
        return 2;
    }
    if (c < ' ' || c == 0x7f) {
        fprintf(out, "\\%03o", c);
        return 4;
    }
    bool is_escaped = c == (unsigned char)quote || c == '\\';
    if (is_escaped)
        fputc('\\', out);
    fputc(c, out);
    return is_escaped ? 2 : 1;
}

static void put_quoted(struct printer *p, const char *bytes, size_t length, char quote)
{
    bool apart = in_word(p->last) && quote == '\''; /* else a number before it is a base */
    if (apart)
        fputc(' ', p->out);
    fputc(quote, p->out);
    for (size_t i = 0; i < length; i++)
        p->bytes += put_in_quotes(p->out, (unsigned char)bytes[i], quote);
    fputc(quote, p->out);
    p->bytes += apart ? 3 : 2;
    p->last = quote;
}

/* Returns true for a name that is an atom without quotes. */
static bool is_plain(const char *name)
{
    if (strcmp(name, "[]") == 0 || strcmp(name, ";") == 0 || strcmp(name, "!") == 0)
        return true;
    if (islower((unsigned char)name[0])) {
        for (const char *at = name; *at; at++)
            if (!in_word(*at))
                return false;
        return true;
    }
    if (!name[0] || strcmp(name, ".") == 0 || strcmp(name, "#") == 0
        || strncmp(name, "/*", 2) == 0)
        return false;
    for (const char *at = name; *at; at++)
        if (!operator_symbol(*at))
            return false;
    return true;
}

static void put_atom(struct printer *p, const char *name)
{
    if (!p->quotes || is_plain(name))
        put_text(p, name);
    else
        put_quoted(p, name, strlen(name), '\'');
}

/* ---- Variables ---- */

void print_names_free(struct print_names *names)
{
    weft_id_map_free(&names->indices);
}

/* Makes the name number I: A, B, ... Z, A1, ... */
static void name_number(uint32_t i, char out[PRINT_NAME])
{
    if (i < 26)
        snprintf(out, PRINT_NAME, "%c", 'A' + (char)i);
    else
        snprintf(out, PRINT_NAME, "%c%u", 'A' + (char)(i % 26), i / 26);
}

static bool is_taken(const struct print_names *names, const char *name)
{
    for (uint32_t k = 0; k < names->n_taken; k++)
        if (strcmp(names->taken[k], name) == 0)
            return true;
    return false;
}

/* Prints a variable's name in the goal, else the first made name that is not taken. */
static void put_variable(struct printer *p, term t)
{
    struct print_names *names = p->names;
    char name[PRINT_NAME];
    uint32_t index = weft_id_map_get(&names->indices, t);
    if (index == WEFT_MAP_NONE) {
        do
            name_number(names->n_given++, name);
        while (is_taken(names, name));
        index = names->n_taken + names->n_given - 1;
        weft_id_map_put(&names->indices, t, index);
    }
    if (index >= names->n_taken)
        name_number(index - names->n_taken, name);
    put_text(p, index < names->n_taken ? names->taken[index] : name);
}

/* ---- Terms ---- */

static struct item *push(struct printer *p, int kind)
{
    p->stack = weft_grow(p->stack, &p->capacity, p->n + 1, sizeof *p->stack);
    struct item *item = &p->stack[p->n++];
    *item = (struct item){ .kind = kind };
    return item;
}

static void push_term(struct printer *p, term t, int priority)
{
    struct item *item = push(p, ITEM_TERM);
    item->t = t;
    item->priority = priority;
    item->depth = p->depth;
}

static void push_tail(struct printer *p, term t)
{
    struct item *item = push(p, ITEM_TAIL);
    item->t = t;
    item->depth = p->depth;
}

/*
 * Enters a list or structure; returns false when it contains itself.  It is compared with
 * the enclosing term whose depth is the latest power of two: a cycle comes back to that
 * (Brent, "An improved Monte Carlo factorization algorithm", 1980).
 */
static bool enter(struct printer *p, term t, uint32_t depth)
{
    uint32_t turtle = 1;
    while (turtle <= depth / 2)
        turtle *= 2;
    if (depth > turtle && p->path[turtle] == t)
        return false;
    p->path = weft_grow(p->path, &p->path_capacity, depth + (size_t)1, sizeof *p->path);
    p->path[depth] = t;
    p->depth = depth + 1;
    return true;
}

static void push_text(struct printer *p, const char *text)
{
    push(p, ITEM_TEXT)->text = text;
}

/* Returns the infix operator with which a structure is printed, or NULL. */
static const struct operator_entry *operator_of(const struct printer *p, const term *at)
{
    const char *name = p->program->names[term_name(at[0])];
    const struct operator_entry *op =
        term_arity(at[0]) == 2 ? operator_infix(name, strlen(name)) : NULL;
    bool reads_otherwise =
        op && (strcmp(name, "|") == 0 || strcmp(name, "#") == 0 || strcmp(name, ":-") == 0);
    return reads_otherwise ? NULL : op;
}

static void print_struct(struct printer *p, term t, int priority)
{
    const term *at = term_cell(t);
    uint32_t arity = term_arity(at[0]);
    const struct operator_entry *op = operator_of(p, at);
    if (op) {
        bool parentheses = op->priority > priority;
        if (parentheses) {
            put_text(p, "(");
            push_text(p, ")");
        }
        push_term(p, at[2], op->right);
        push(p, ITEM_OPERATOR)->text = op->text;
        push_term(p, at[1], op->left);
        p->stack[p->n - 1].text = p->stack[p->n - 3].text = op->text;
        return;
    }
    bool vector = term_name(at[0]) == ATOM_VECTOR;
    if (!vector && p->quotes && term_name(at[0]) == ATOM_NIL)
        put_quoted(p, "[]", 2, '\'');
    else if (!vector)
        put_atom(p, p->program->names[term_name(at[0])]);
    put_text(p, vector ? "{" : "(");
    push_text(p, vector ? "}" : ")");
    for (uint32_t i = arity; i; i--) {
        push_term(p, at[i], PRIORITY_ARGUMENT);
        if (i > 1)
            push_text(p, ",");
    }
}

/* Prints an atom or a number, which may need parentheses as an operand. */
static void print_atomic(struct printer *p, term t, int priority, bool is_operand)
{
    char digits[24];
    if (term_is_integer(t)) {
        snprintf(digits, sizeof digits, "%lld", (long long)term_integer(t));
        bool parentheses = is_operand && digits[0] == '-' && priority < 699;
        put_text(p, parentheses ? "(" : "");
        put_text(p, digits);
        put_text(p, parentheses ? ")" : "");
        return;
    }
    const char *name = p->program->names[term_atom_index(t)];
    const struct operator_entry *op = operator_infix(name, strlen(name));
    const struct operator_entry *before = operator_prefix(name, strlen(name));
    bool parentheses = p->quotes && is_operand && priority < PRIORITY_CLAUSE
                       && (op || before) && is_plain(name);
    put_text(p, parentheses ? "(" : "");
    put_atom(p, name);
    put_text(p, parentheses ? ")" : "");
}

/* Prints the next element of a list and pushes the rest, or prints the end. */
static void print_tail(struct printer *p, term t, uint32_t depth)
{
    t = term_deref(t);
    if (t == term_atom(ATOM_NIL)) {
        put_text(p, "]");
        return;
    }
    if (term_tag(t) != TERM_LIST) {
        put_text(p, "|");
        push_text(p, "]");
        p->depth = depth;
        push_term(p, t, PRIORITY_ARGUMENT);
    } else if (!p->left || !enter(p, t, depth)) {
        put_text(p, "|...]");
    } else {
        put_text(p, ",");
        push_tail(p, term_cell(t)[1]);
        push_term(p, term_cell(t)[0], PRIORITY_ARGUMENT);
    }
}

static void print_item(struct printer *p, const struct item *item)
{
    term t = term_deref(item->t);
    bool has_parts = term_tag(t) == TERM_LIST || term_tag(t) == TERM_STRUCT;
    if (!p->left || (has_parts && !enter(p, t, item->depth))) {
        put_text(p, "...");
        return;
    }
    p->left--;
    switch (term_tag(t)) {
    case TERM_INT:
    case TERM_BOX:
    case TERM_ATOM: print_atomic(p, t, item->priority, item->text != NULL); break;
    case TERM_LIST:
        put_text(p, "[");
        push_tail(p, term_cell(t)[1]);
        push_term(p, term_cell(t)[0], PRIORITY_ARGUMENT);
        break;
    case TERM_STRUCT: print_struct(p, t, item->priority); break;
    case TERM_STRING:
        if (p->quotes)
            put_quoted(p, term_bytes(t), term_length(t), '"');
        else
            put(p, term_bytes(t), term_length(t));
        break;
    case TERM_REF:
    case TERM_WAIT: put_variable(p, t); break;
    }
}

static void put_operator(struct printer *p, const char *text)
{
    bool word = in_word(text[0]);
    if (word && p->last != ' ')
        put_text(p, " ");
    put_text(p, text);
    if (word)
        put_text(p, " ");
}

/* Returns why the printer must end here; PRINTED_ALL: it may go on. */
static enum printed look(struct printer *p)
{
    uint64_t done = p->bytes + ++p->parts;
    if (p->most && p->bytes > p->most)
        return PRINTED_TOO_LONG;
    if (done < p->look_at)
        return PRINTED_ALL;
    p->look_at = done + LOOK_EVERY;
    return weft_job_cancelled(p->job) ? PRINTED_IN_PART : PRINTED_ALL;
}

static enum printed run(struct printer *p)
{
    enum printed printed = PRINTED_ALL;
    while (p->n && (printed = look(p)) == PRINTED_ALL) {
        struct item item = p->stack[--p->n];
        switch (item.kind) {
        case ITEM_TERM: print_item(p, &item); break;
        case ITEM_TEXT: put_text(p, item.text); break;
        case ITEM_OPERATOR: put_operator(p, item.text); break;
        case ITEM_TAIL: print_tail(p, item.t, item.depth); break;
        }
    }
    if (printed == PRINTED_ALL && p->most && p->bytes > p->most)
        printed = PRINTED_TOO_LONG;
    free(p->stack);
    free(p->path);
    return printed;
}

/* ---- Entry points ---- */

void print_term(FILE *out, const struct program *program, const struct weft_job *job,
                term t, bool quotes)
{
    struct print_names names = { 0 };
    struct printer p = { .out = out,
                         .program = program,
                         .job = job,
                         .quotes = quotes,
                         .names = &names,
                         .left = MAX_PRINTED };
    push_term(&p, t, PRIORITY_ARGUMENT);
    (void)run(&p);
    print_names_free(&names);
}

enum printed print_value(FILE *out, const struct program *program,
                         const struct weft_job *job, term t, uint64_t most,
                         struct print_names *names)
{
    struct printer p = { .out = out,
                         .program = program,
                         .job = job,
                         .quotes = true,
                         .names = names,
                         .left = MAX_PRINTED,
                         .most = most };
    push_term(&p, t, operator_infix("=", 1)->right);
    p.stack[0].text = "=";
    return run(&p);
}

void print_names_of(struct print_names *names, const char *const *taken, const term *terms,
                    uint32_t n)
{
    names->taken = taken;
    names->n_taken = n;
    for (uint32_t i = 0; i < n; i++) {
        term t = term_deref(terms[i]);
        if (term_tag(t) == TERM_REF && weft_id_map_get(&names->indices, t) == WEFT_MAP_NONE)
            weft_id_map_put(&names->indices, t, i);
    }
}

/* Cuts a text for an error to MOST bytes. */
static char *cut(char *text, size_t size, size_t most)
{
    if (size > most)
        memcpy(text + most - 3, "...", 4);
    return text;
}

char *term_text(const struct machine *machine, term t)
{
    char *text;
    size_t size;
    struct print_names names = { 0 };
    FILE *out = weft_text_begin(&text, &size);
    struct printer p = { .out = out,
                         .program = machine->program,
                         .quotes = true,
                         .names = &names,
                         .left = MAX_IN_ERROR,
                         .most = MAX_IN_ERROR };
    push_term(&p, t, PRIORITY_ARGUMENT);
    (void)run(&p);
    print_names_free(&names);
    weft_text_end(out);
    return cut(text, size, MAX_IN_ERROR / 2);
}

/* Returns the name of a goal, and the number of its arguments in the source. */
static const char *name_of(const struct program *program, const struct goal *goal,
                           uint32_t *arity)
{
    static const char *const builtins[BUILTIN_FUNCTION] = {
        [BUILTIN_ASSIGN] = ":=",         [BUILTIN_OUTSTREAM] = "outstream",
        [BUILTIN_KLICIO] = "klicio",     [BUILTIN_MERGE] = "merge",
        [BUILTIN_PRINT] = "print",       [BUILTIN_EXIT] = "exit",
        [BUILTIN_WRITING] = "outstream", [BUILTIN_PRINTING] = "print",
    };
    *arity = goal->arity;
    if (!goal->is_builtin)
        return program->names[program->procedures[goal->procedure].name];
    if (goal->procedure >= BUILTIN_FUNCTION) {
        *arity = function_arity(goal->procedure - BUILTIN_FUNCTION);
        return function_name(goal->procedure - BUILTIN_FUNCTION);
    }
    if (goal->procedure == BUILTIN_WRITING || goal->procedure == BUILTIN_PRINTING)
        *arity = 1;
    return builtins[goal->procedure];
}

char *goal_text(const struct machine *machine, const struct goal *goal)
{
    char *text;
    size_t size;
    uint32_t arity;
    struct print_names names = { 0 };
    FILE *out = weft_text_begin(&text, &size);
    const char *name = name_of(machine->program, goal, &arity);
    struct printer p = { .out = out,
                         .program = machine->program,
                         .quotes = true,
                         .names = &names,
                         .left = MAX_IN_ERROR,
                         .most = MAX_IN_ERROR };
    bool assigns = goal->is_builtin && goal->procedure == BUILTIN_ASSIGN;
    push_text(&p, assigns || !arity ? "" : ")");
    for (uint32_t i = arity; i--;) {
        push_term(&p, goal->arguments[i], assigns ? 699 : PRIORITY_ARGUMENT);
        push_text(&p, assigns ? i ? " := " : "" : i ? "," : "(");
    }
    if (!assigns)
        fputs(name, out);
    (void)run(&p);
    print_names_free(&names);
    weft_text_end(out);
    return cut(text, size, MAX_IN_ERROR);
}
