/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the terms of selections about fields: by name or role, sites, and objects. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/call_stack_profile.h"
#include "analyse/where_compile.h"
#include "base/nearest_name.h"

/* The costs of reading a field, and of finding what ended a wait, by that of comparing. */
enum { FIELD_COST = 16, AWAITED_COST = 256 };

static const struct weft_schema *schema_of(const struct where_compiler *compiler)
{
    return compiler->where->source->schema;
}

uint32_t weft_where_object_field(const struct weft_schema *schema, uint32_t type)
{
    static const struct {
        enum weft_role role;
        enum weft_field_kind kind;
    } sorts[] = {
        { WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER },
        { WEFT_ROLE_COMMUNICATOR_OF, WEFT_FIELD_CONTAINER },
        { WEFT_ROLE_OBJECT, WEFT_FIELD_TEXT },
    };
    uint32_t field = WEFT_NONE;
    for (size_t i = 0; field == WEFT_NONE && i < sizeof sorts / sizeof *sorts; i++)
        field = weft_field_of_type(schema, type, sorts[i].role, sorts[i].kind);
    return field;
}

/* ---- Numbers ---- */

/* Parses a number with a factor behind it: 64, 1.5, 64k (64,000), 64Ki (65,536). */
static bool parse_number(const char *text, struct where_number *number)
{
    static const struct {
        const char *name;
        double factor;
    } factors[] = {
        { "", 1 },        { "k", 1e3 },     { "M", 1e6 },
        { "G", 1e9 },     { "T", 1e12 },    { "Ki", 0x1p10 },
        { "Mi", 0x1p20 }, { "Gi", 0x1p30 }, { "Ti", 0x1p40 },
    };
    char *end;
    if (!text[0] || !strchr("+-.0123456789", text[0]))
        return false;
    errno = 0;
    number->integer = strtoll(text, &end, 10);
    number->whole = end != text && !*end && !errno;
    if (number->whole)
        return true;
    number->real = strtod(text, &end);
    if (end == text || memchr(text, 'x', (size_t)(end - text)) || !isfinite(number->real))
        return false;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        if (strcmp(end, factors[i].name) != 0)
            continue;
        number->real *= factors[i].factor;
        number->whole = fabs(number->real) < 0x1p53 && trunc(number->real) == number->real;
        if (number->whole)
            number->integer = (int64_t)number->real;
        return true;
    }
    return false;
}

/* ---- The fields of a term ---- */

struct field_list {
    struct where_field *fields;
    size_t n, capacity;
};

static void add_field(struct field_list *list, const struct weft_schema *schema,
                      uint32_t field)
{
    list->fields =
        weft_grow(list->fields, &list->capacity, list->n + 1, sizeof *list->fields);
    list->fields[list->n++] = (struct where_field){ schema->fields[field].type, field,
                                                    schema->fields[field].kind };
}

/* Gives the node the fields, in the selection's memory. */
static void keep_fields(struct where_compiler *compiler, struct field_list *list,
                        struct where_node *node)
{
    struct where_field *kept =
        weft_arena_alloc(&compiler->where->arena, (list->n + 1) * sizeof *kept);
    if (list->n)
        memcpy(kept, list->fields, list->n * sizeof *kept);
    node->fields = kept;
    node->n_fields = list->n;
    node->test = TEST_FIELD;
    node->cost = FIELD_COST;
    free(list->fields);
}

static bool is_ordered(enum where_operator op)
{
    return op != WHERE_LIKE && op != WHERE_IN;
}

static bool is_equality(enum where_operator op)
{
    return op == WHERE_IS || op == WHERE_IS_NOT || op == WHERE_LIKE;
}

static void compile_texts(struct where_compiler *compiler, const struct where_text *text,
                          struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    if (node->strings)
        return;
    node->strings = where_bits(compiler, schema->n_strings);
    for (uint32_t i = 0; i < schema->n_strings; i++)
        node->strings[i] = where_text_is(text, schema->strings[i]);
}

/*
 * Makes what the field's kind is compared with.  Returns NULL, or why the term does not
 * suit it.
 */
static const char *compile_comparison(struct where_compiler *compiler,
                                      const struct where_syntax *term,
                                      enum weft_field_kind kind, struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct where_text text = where_text_of(&compiler->where->arena, &term->value, term->op);
    bool absent = text.exact && !text.text[0];
    node->none |= absent && is_equality(term->op);
    switch (kind) {
    case WEFT_FIELD_INTEGER:
    case WEFT_FIELD_REAL:
        if (!is_ordered(term->op))
            return "this is a number: right are = != < <= > >=";
        if (absent && node->none) /* no number is like that */
            node->number = (struct where_number){ .real = (double)NAN };
        else if (!parse_number(text.text, &node->number))
            return "right: a number, such as 4096, 1.5, 64k or 64Ki";
        return NULL;
    case WEFT_FIELD_TEXT:
        if (!is_equality(term->op))
            return "this is a text: right are = != ~";
        compile_texts(compiler, &text, node);
        return NULL;
    case WEFT_FIELD_SITE:
        if (!is_equality(term->op))
            return "this is a place in the program: right are = != ~";
        if (!node->sites) {
            node->sites = where_bits(compiler, schema->n_sites);
            where_sites(schema, &text, node->sites);
        }
        return NULL;
    case WEFT_FIELD_CONTAINER:
        if (!is_equality(term->op) && term->op != WHERE_IN)
            return "this is a container: right are = != ~ in";
        if (!node->containers) {
            node->containers = where_bits(compiler, schema->n_containers);
            where_containers(compiler->where->source, &text, true, term->op == WHERE_IN,
                             node->containers);
        }
        return NULL;
    case WEFT_FIELD_ENTITY:
    case WEFT_FIELD_KINDS: break;
    }
    return "this field leads to another thing and cannot be compared";
}

/* Returns true if a field of things has the name, or the role, that a term has. */
static bool is_named(const struct weft_schema *schema, uint32_t field, const char *name)
{
    const struct weft_field *f = &schema->fields[field];
    enum weft_kind kind = schema->types[f->type].kind;
    if (kind != WEFT_STATE && kind != WEFT_EVENT && kind != WEFT_LINK)
        return false;
    return strcmp(f->name, name) == 0
           || (f->role != WEFT_ROLE_NONE && strcmp(weft_role_name(f->role), name) == 0);
}

uint32_t weft_where_number_field(const struct weft_schema *schema, uint32_t type,
                                 const char *name)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].type == type
            && (schema->fields[f].kind == WEFT_FIELD_INTEGER
                || schema->fields[f].kind == WEFT_FIELD_REAL)
            && is_named(schema, f, name))
            return f;
    return WEFT_NONE;
}

static const char *name_of_term(size_t i, void *user)
{
    const struct weft_schema *schema = user;
    if (i >= schema->n_fields)
        return where_built_in_name(i - schema->n_fields);
    return is_named(schema, (uint32_t)i, schema->fields[i].name) ? schema->fields[i].name
                                                                 : NULL;
}

static bool fail_name(struct where_compiler *compiler, const struct where_word *name)
{
    enum { BUILT_IN = 18 };
    const struct weft_schema *schema = schema_of(compiler);
    const char *near = weft_nearest(name->text, schema->n_fields + (size_t)BUILT_IN,
                                    name_of_term, (void *)schema);
    if (near)
        return where_fail(compiler->err, compiler->text, name->at, name->size,
                          "no field is called so (did you mean %s?)", near);
    return where_fail_at(
        compiler, name,
        "no field is called so; right are a field of the trace, value, state, "
        "role, kind, type, row, object, partner, waker, communicator, site, function, "
        "duration, time, begin, end, from, to");
}

/* Lets the node ask about waits, and be the last that is looked at. */
static void await(struct where_compiler *compiler, struct where_node *node,
                  enum where_awaited awaited)
{
    node->awaited = awaited;
    node->cost = AWAITED_COST;
    compiler->where->needs_finder = true;
}

bool where_compile_field(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct field_list list = { 0 };
    const char *why = NULL;
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        if (!is_named(schema, f, term->name.text))
            continue;
        const char *unsuited =
            compile_comparison(compiler, term, schema->fields[f].kind, node);
        if (unsuited)
            why = unsuited;
        else
            add_field(&list, schema, f);
    }
    bool suits = list.n > 0;
    keep_fields(compiler, &list, node);
    if (suits && strcmp(term->name.text, weft_role_name(WEFT_ROLE_TAG)) == 0)
        await(compiler, node, AWAITED_TAG);
    if (suits)
        return true;
    return why ? where_fail_at(compiler, &term->value, why)
               : fail_name(compiler, &term->name);
}

/* ---- Sites and objects ---- */

static const char *site_text(size_t i, void *user)
{
    const struct weft_schema *schema = user;
    return schema->sites[i].function;
}

static bool fail_site(struct where_compiler *compiler, const struct where_word *value)
{
    const struct weft_schema *schema = schema_of(compiler);
    const char *near =
        weft_nearest(value->text, schema->n_sites, site_text, (void *)schema);
    return where_fail(compiler->err, compiler->text, value->at, value->size,
                      "the trace has no such place: a function, FILE:LINE, or "
                      "\"FUNCTION (FILE:LINE)\"%s%s%s",
                      near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static bool compile_sites(struct where_compiler *compiler, const struct where_syntax *term,
                          struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct where_text text = where_text_of(&compiler->where->arena, &term->value, term->op);
    node->sites = where_bits(compiler, schema->n_sites);
    node->none = text.exact && !text.text[0];
    return where_sites(schema, &text, node->sites) || node->none || !text.exact
           || fail_site(compiler, &term->value);
}

/* Objects that are texts exist only in traces whose object fields are. */
static bool compile_objects(struct where_compiler *compiler,
                            const struct where_syntax *term, bool texts,
                            struct where_node *node)
{
    struct where_text text = where_text_of(&compiler->where->arena, &term->value, term->op);
    struct weft_err *err = compiler->err, ignored;
    if (texts) {
        compile_texts(compiler, &text, node);
        compiler->err = &ignored;
    }
    bool known = where_compile_containers(compiler, &term->value, true, node);
    compiler->err = err;
    node->links_to = true;
    return known || texts;
}

bool where_compile_special(struct where_compiler *compiler, const struct where_syntax *term,
                           enum weft_role role, struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct field_list list = { 0 };
    bool texts = false;
    for (uint32_t t = 0; t < schema->n_types; t++) {
        enum weft_kind kind = schema->types[t].kind;
        bool object = role == WEFT_ROLE_OBJECT;
        if (kind != WEFT_STATE && kind != WEFT_EVENT && (kind != WEFT_LINK || object))
            continue;
        uint32_t field = object ? weft_where_object_field(schema, t)
                                : weft_field_of_type(schema, t, role, WEFT_FIELD_SITE);
        if (field == WEFT_NONE)
            continue;
        add_field(&list, schema, field);
        texts |= schema->fields[field].kind == WEFT_FIELD_TEXT;
    }
    keep_fields(compiler, &list, node);
    return role == WEFT_ROLE_OBJECT ? compile_objects(compiler, term, texts, node)
                                    : compile_sites(compiler, term, node);
}

/* ---- What waits were for, and who ended them ---- */

bool where_compile_awaited(struct where_compiler *compiler, const struct where_syntax *term,
                           enum where_awaited awaited, struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    enum weft_role role =
        awaited == AWAITED_COMMUNICATOR ? WEFT_ROLE_COMMUNICATOR_OF : WEFT_ROLE_PARTNER;
    struct field_list list = { 0 };
    for (uint32_t t = 0; awaited != AWAITED_WAKER && t < schema->n_types; t++) {
        enum weft_kind kind = schema->types[t].kind;
        if (kind != WEFT_STATE && kind != WEFT_EVENT && kind != WEFT_LINK)
            continue;
        uint32_t field = weft_field_of_type(schema, t, role, WEFT_FIELD_CONTAINER);
        if (field != WEFT_NONE)
            add_field(&list, schema, field);
    }
    keep_fields(compiler, &list, node);
    await(compiler, node, awaited);
    return where_compile_containers(compiler, &term->value, awaited != AWAITED_PARTNER,
                                    node);
}

/* ---- Functions ---- */

/* Returns true if one of the names of a call stack is TEXT's. */
static bool stack_has(struct weft_arena *arena, const char *stack,
                      const struct where_text *text)
{
    const char *name;
    size_t size;
    bool has = false;
    while (!has && (name = weft_profile_name(&stack, &size)))
        has = where_text_is(text, weft_arena_printf(arena, "%.*s", (int)size, name));
    weft_arena_reset(arena);
    return has;
}

/* A thing with a call stack is in all functions of it, another in that of its site. */
static void add_function_fields(struct field_list *list, const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_types; t++) {
        enum weft_kind kind = schema->types[t].kind;
        if (kind != WEFT_STATE && kind != WEFT_EVENT && kind != WEFT_LINK)
            continue;
        uint32_t stack =
            weft_field_of_type(schema, t, WEFT_ROLE_CALL_STACK, WEFT_FIELD_TEXT);
        uint32_t site = weft_field_of_type(schema, t, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
        if (stack != WEFT_NONE)
            add_field(list, schema, stack);
        if (site != WEFT_NONE)
            add_field(list, schema, site);
    }
}

bool where_compile_function(struct where_compiler *compiler,
                            const struct where_syntax *term, struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct where_text text = where_text_of(&compiler->where->arena, &term->value, term->op);
    struct field_list list = { 0 };
    struct weft_arena arena = { 0 };
    size_t n = 0;
    add_function_fields(&list, schema);
    keep_fields(compiler, &list, node);
    /* Tables call the function of what has no call stack so. */
    node->none = text.exact && strcmp(text.text, "[unknown]") == 0;
    node->first_decides = true;
    node->strings = where_bits(compiler, schema->n_strings);
    node->sites = where_bits(compiler, schema->n_sites);
    for (uint32_t i = 0; i < schema->n_strings; i++)
        n += node->strings[i] = stack_has(&arena, schema->strings[i], &text);
    weft_arena_free(&arena);
    for (uint32_t s = 0; s < schema->n_sites; s++)
        n += node->sites[s] = where_text_is(&text, schema->sites[s].function);
    return n || node->none || !text.exact
           || where_fail_at(compiler, &term->value, "the trace has no such function");
}
