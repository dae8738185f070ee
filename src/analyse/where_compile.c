/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles selections against a trace: each term becomes a node, with tables of bits over
 * the values, types, containers, sites or texts that it names.  Fields are in
 * where_fields.c.
 */
#include "analyse/where_compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest_name.h"
#include "store/time.h"

static const struct weft_schema *schema_of(const struct where_compiler *compiler)
{
    return compiler->where->source->schema;
}

bool where_fail_at(struct where_compiler *compiler, const struct where_word *word,
                   const char *why)
{
    return where_fail(compiler->err, compiler->text, word->at, word->size, "%s", why);
}

uint8_t *where_bits(struct where_compiler *compiler, size_t n)
{
    return weft_arena_zalloc(&compiler->where->arena, n + 1, 1);
}

/* ---- Values, roles, types, kinds ---- */

static bool is_of_things(enum weft_kind kind)
{
    return kind == WEFT_STATE || kind == WEFT_EVENT || kind == WEFT_LINK;
}

static void begin_named(struct where_compiler *compiler, struct where_node *node)
{
    node->values = where_bits(compiler, schema_of(compiler)->n_values);
    node->types = where_bits(compiler, schema_of(compiler)->n_types);
    node->any_of_type = where_bits(compiler, schema_of(compiler)->n_types);
}

/* Sets the bits of values with the text; returns how many. */
static size_t set_values(struct where_compiler *compiler, struct where_node *node,
                         const struct where_text *text)
{
    const struct weft_schema *schema = schema_of(compiler);
    size_t n = 0;
    for (uint32_t v = 0; v < schema->n_values; v++) {
        const struct weft_value *value = &schema->values[v];
        if (!where_text_is(text, value->name)
            && !(value->alias[0] && where_text_is(text, value->alias)))
            continue;
        node->values[v] = 1;
        n++;
    }
    node->none |= text->exact && !text->text[0];
    return n + node->none;
}

static void set_roles(struct where_compiler *compiler, struct where_node *node,
                      enum weft_role role)
{
    const struct weft_schema *schema = schema_of(compiler);
    for (uint32_t v = 0; v < schema->n_values; v++)
        node->values[v] |= weft_role_is(schema->values[v].role, role);
    for (uint32_t t = 0; t < schema->n_types; t++)
        node->types[t] |= is_of_things(schema->types[t].kind)
                          && weft_role_is(schema->types[t].role, role);
}

/* Returns the role of things, their values or their types with the name; or none. */
static enum weft_role role_of_things(const char *name)
{
    enum weft_role role = weft_role_find(name);
    switch (weft_role_subject(role)) {
    case WEFT_ROLE_OF_STATE:
    case WEFT_ROLE_OF_VALUE:
    case WEFT_ROLE_OF_EVENT:
    case WEFT_ROLE_OF_LINK: return role;
    default: return WEFT_ROLE_NONE;
    }
}

static enum weft_kind kind_of(const char *name)
{
    return strcmp(name, "state") == 0   ? WEFT_STATE
           : strcmp(name, "event") == 0 ? WEFT_EVENT
           : strcmp(name, "link") == 0  ? WEFT_LINK
                                        : WEFT_CONTAINER;
}

static void set_kind(struct where_compiler *compiler, struct where_node *node,
                     enum weft_kind kind)
{
    const struct weft_schema *schema = schema_of(compiler);
    for (uint32_t t = 0; t < schema->n_types; t++)
        node->types[t] |= schema->types[t].kind == kind;
}

/* Names that a mistyped one may be: the values', then the roles'. */
static const char *value_or_role(size_t i, void *user)
{
    const struct weft_schema *schema = user;
    if (i < schema->n_values)
        return schema->values[i].name;
    const char *name = weft_role_name((enum weft_role)(i - schema->n_values));
    return role_of_things(name) != WEFT_ROLE_NONE ? name : NULL;
}

static bool fail_value(struct where_compiler *compiler, const struct where_word *word,
                       const char *unknown, const char *right, bool roles)
{
    const struct weft_schema *schema = schema_of(compiler);
    const char *near =
        weft_nearest(word->text, (size_t)schema->n_values + (roles ? WEFT_ROLE_LIMIT : 0),
                     value_or_role, (void *)schema);
    if (near)
        return where_fail(compiler->err, compiler->text, word->at, word->size,
                          "%s (did you mean %s?)", unknown, near);
    return where_fail(compiler->err, compiler->text, word->at, word->size, "%s%s", unknown,
                      right);
}

static bool compile_value(struct where_compiler *compiler, const struct where_syntax *term,
                          struct where_node *node)
{
    struct where_text text = where_text_of(&compiler->where->arena, &term->value, node->op);
    begin_named(compiler, node);
    if (!set_values(compiler, node, &text) && text.exact)
        return fail_value(compiler, &term->value, "this trace has no value of that name",
                          "", false);
    return true;
}

static const char *role_name(size_t i, void *unused)
{
    (void)unused;
    const char *name = weft_role_name((enum weft_role)i);
    return role_of_things(name) != WEFT_ROLE_NONE ? name : NULL;
}

static bool compile_role(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    const char *name = term->value.text;
    enum weft_role role = role_of_things(name);
    begin_named(compiler, node);
    if (role != WEFT_ROLE_NONE) {
        set_roles(compiler, node, role);
        return true;
    }
    if (!name[0]) { /* values without a role */
        for (uint32_t v = 0; v < schema->n_values; v++)
            node->values[v] = schema->values[v].role == WEFT_ROLE_NONE;
        return node->none = true;
    }
    const char *near = weft_nearest(name, WEFT_ROLE_LIMIT, role_name, NULL);
    return where_fail(compiler->err, compiler->text, term->value.at, term->value.size,
                      "no state, event or link has that role%s%s%s",
                      near ? " (did you mean " : " (doc/roles.md lists the roles)",
                      near ? near : "", near ? "?)" : "");
}

static bool compile_kind(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    begin_named(compiler, node);
    if (kind_of(term->value.text) == WEFT_CONTAINER)
        return where_fail_at(compiler, &term->value, "right: state, event or link");
    set_kind(compiler, node, kind_of(term->value.text));
    return true;
}

static const char *type_name(size_t i, void *user)
{
    const struct weft_schema *schema = user;
    return is_of_things(schema->types[i].kind) ? schema->types[i].name : NULL;
}

static bool compile_type(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct where_text text = where_text_of(&compiler->where->arena, &term->value, node->op);
    size_t n = 0;
    begin_named(compiler, node);
    for (uint32_t t = 0; t < schema->n_types; t++) {
        const struct weft_type *type = &schema->types[t];
        /* Tables tell types of the same name apart: "State of Thread". */
        const char *of =
            type->parent == WEFT_NONE
                ? type->name
                : weft_arena_printf(&compiler->where->arena, "%s of %s", type->name,
                                    schema->types[type->parent].name);
        node->types[t] = is_of_things(type->kind)
                         && (where_text_is(&text, type->name) || where_text_is(&text, of)
                             || (type->alias[0] && where_text_is(&text, type->alias)));
        n += node->types[t];
    }
    if (n || !text.exact)
        return true;
    const char *near =
        weft_nearest(term->value.text, schema->n_types, type_name, (void *)schema);
    return where_fail(compiler->err, compiler->text, term->value.at, term->value.size,
                      "this trace has no states, events or links of that type%s%s%s",
                      near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* A name alone: a kind of thing, a role, or a value. */
static bool compile_name(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    const struct where_word *name = &term->name;
    struct where_text text = where_text_of(&compiler->where->arena, name, WHERE_IS);
    enum weft_role role = name->quoted ? WEFT_ROLE_NONE : role_of_things(name->text);
    begin_named(compiler, node);
    if (!name->quoted && kind_of(name->text) != WEFT_CONTAINER) {
        set_kind(compiler, node, kind_of(name->text));
        return true;
    }
    if (role != WEFT_ROLE_NONE)
        set_roles(compiler, node, role);
    if (set_values(compiler, node, &text) || role != WEFT_ROLE_NONE || !text.exact)
        return true;
    return fail_value(compiler, name, "no value or role has that name",
                      "; right are also row = NAME, object = NAME, duration > 1ms, FIELD = "
                      "TEXT",
                      true);
}

/* ---- Containers ---- */

static const char *container_name(size_t i, void *user)
{
    const struct weft_schema *schema = user;
    return schema->containers[i].name;
}

bool where_compile_containers(struct where_compiler *compiler,
                              const struct where_word *value, bool objects,
                              struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct where_text text = where_text_of(&compiler->where->arena, value, node->op);
    node->containers = where_bits(compiler, schema->n_containers);
    node->none = text.exact && !text.text[0];
    if (where_containers(compiler->where->source, &text, objects, node->op == WHERE_IN,
                         node->containers)
        || node->none || !text.exact)
        return true;
    const char *near =
        weft_nearest(value->text, schema->n_containers, container_name, (void *)schema);
    return where_fail(compiler->err, compiler->text, value->at, value->size,
                      "no container is called so%s%s%s", near ? " (did you mean " : "",
                      near ? near : "", near ? "?)" : "");
}

static bool compile_row(struct where_compiler *compiler, const struct where_syntax *term,
                        struct where_node *node)
{
    return where_compile_containers(compiler, &term->value, false, node);
}

/* ---- Times ---- */

static bool fail_time(struct where_compiler *compiler, const struct where_word *value,
                      const struct weft_err *why)
{
    return where_fail_at(compiler, value, why->message);
}

static bool compile_duration(struct where_compiler *compiler,
                             const struct where_syntax *term, struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    const char *text = term->value.text;
    struct weft_err why;
    if (text[0] == '@'
        || !weft_parse_time(schema, text, strlen(text), &node->number.integer, &why))
        return where_fail_at(
            compiler, &term->value,
            "right: a length of time, such as 1.5s, 20ms, 300us or 5000ns");
    node->number.whole = true;
    node->number.integer = weft_ticks_between(schema->span.begin, node->number.integer);
    return true;
}

static bool compile_moment(struct where_compiler *compiler, const struct where_syntax *term,
                           struct where_node *node)
{
    const char *text = term->value.text;
    struct weft_err why;
    node->number.whole = true;
    return weft_parse_time(schema_of(compiler), text, strlen(text), &node->number.integer,
                           &why)
           || fail_time(compiler, &term->value, &why);
}

static bool compile_time(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    struct weft_err why;
    if (!weft_parse_range(schema, term->value.text, &node->span, &why))
        return fail_time(compiler, &term->value, &why);
    /* A range that ends with the trace includes events at its very end. */
    node->span.end += node->span.end == schema->span.end;
    return true;
}

/* ---- Terms ---- */

static bool compile_site(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    return where_compile_special(compiler, term, WEFT_ROLE_SITE, node);
}

static bool compile_object(struct where_compiler *compiler, const struct where_syntax *term,
                           struct where_node *node)
{
    return where_compile_special(compiler, term, WEFT_ROLE_OBJECT, node);
}

static bool compile_partner(struct where_compiler *compiler,
                            const struct where_syntax *term, struct where_node *node)
{
    return where_compile_awaited(compiler, term, AWAITED_PARTNER, node);
}

static bool compile_waker(struct where_compiler *compiler, const struct where_syntax *term,
                          struct where_node *node)
{
    return where_compile_awaited(compiler, term, AWAITED_WAKER, node);
}

static bool compile_communicator(struct where_compiler *compiler,
                                 const struct where_syntax *term, struct where_node *node)
{
    return where_compile_awaited(compiler, term, AWAITED_COMMUNICATOR, node);
}

/* The name of a state's value, as tables with a column "state" have it. */
static bool compile_state(struct where_compiler *compiler, const struct where_syntax *term,
                          struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    if (!compile_value(compiler, term, node))
        return false;
    for (uint32_t v = 0; v < schema->n_values; v++)
        node->values[v] &= schema->types[schema->values[v].type].kind == WEFT_STATE;
    return true;
}

enum accepts { TEXTS, EXACT, CONTAINERS, NUMBERS, RANGE };

static const struct built_in {
    const char *name;
    bool (*compile)(struct where_compiler *, const struct where_syntax *,
                    struct where_node *);
    enum where_test test;
    enum accepts accepts;
} built_in[] = {
    { "value", compile_value, TEST_NAMED, TEXTS },
    { "state", compile_state, TEST_NAMED, TEXTS },
    { "role", compile_role, TEST_NAMED, EXACT },
    { "kind", compile_kind, TEST_NAMED, EXACT },
    { "type", compile_type, TEST_NAMED, TEXTS },
    { "row", compile_row, TEST_ROW, CONTAINERS },
    { "from", compile_row, TEST_FROM, CONTAINERS },
    { "to", compile_row, TEST_TO, CONTAINERS },
    { "object", compile_object, TEST_FIELD, CONTAINERS },
    { "partner", compile_partner, TEST_FIELD, CONTAINERS },
    { "waker", compile_waker, TEST_FIELD, CONTAINERS },
    { "communicator", compile_communicator, TEST_FIELD, CONTAINERS },
    { "site", compile_site, TEST_FIELD, TEXTS },
    { "function", where_compile_function, TEST_FIELD, TEXTS },
    { "duration", compile_duration, TEST_DURATION, NUMBERS },
    { "begin", compile_moment, TEST_BEGIN, NUMBERS },
    { "end", compile_moment, TEST_END, NUMBERS },
    { "time", compile_time, TEST_TIME, RANGE },
};

static const char *const right_operators[] = {
    [TEXTS] = "right: = != ~",
    [EXACT] = "right: = !=",
    [CONTAINERS] = "right: = != ~ in",
    [NUMBERS] = "right: = != < <= > >=",
    [RANGE] = "right: in",
};

static bool accepts(enum accepts what, enum where_operator op)
{
    bool is = op == WHERE_IS || op == WHERE_IS_NOT;
    switch (what) {
    case TEXTS: return is || op == WHERE_LIKE;
    case EXACT: return is;
    case CONTAINERS: return is || op == WHERE_LIKE || op == WHERE_IN;
    case NUMBERS: return op != WHERE_LIKE && op != WHERE_IN;
    case RANGE: return op == WHERE_IN;
    }
    return false;
}

const char *where_built_in_name(size_t i)
{
    return i < sizeof built_in / sizeof *built_in ? built_in[i].name : NULL;
}

static bool compile_term(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node)
{
    node->test = TEST_NAMED;
    node->cost = 1;
    node->op = term->op;
    if (term->op == WHERE_NO_OPERATOR)
        return compile_name(compiler, term, node);
    for (size_t i = 0; !term->name.quoted && i < sizeof built_in / sizeof *built_in; i++) {
        if (strcmp(built_in[i].name, term->name.text) != 0)
            continue;
        if (!accepts(built_in[i].accepts, term->op))
            return where_fail_at(compiler, &term->name,
                                 right_operators[built_in[i].accepts]);
        node->test = built_in[i].test;
        return built_in[i].compile(compiler, term, node);
    }
    return where_compile_field(compiler, term, node);
}

/* ---- Nodes ---- */

static uint32_t new_node(struct where_compiler *compiler, struct where_node node)
{
    node.next = WEFT_NONE;
    compiler->where->nodes[compiler->where->n_nodes] = node;
    return compiler->where->n_nodes++;
}

/* Whether a type has some value of those that a term names. */
static void note_types(struct where_compiler *compiler, struct where_node *node)
{
    const struct weft_schema *schema = schema_of(compiler);
    for (uint32_t v = 0; v < schema->n_values; v++)
        node->any_of_type[schema->values[v].type] |= node->values[v];
}

static uint32_t compile(struct where_compiler *compiler, const struct where_syntax *syntax);

/* Puts a child before those that cost more: "and" and "or" stop at the first that
   decides. */
static void insert(struct weft_where *where, struct where_node *parent, uint32_t child)
{
    uint32_t *at = &parent->first;
    while (*at != WEFT_NONE && where->nodes[*at].cost <= where->nodes[child].cost)
        at = &where->nodes[*at].next;
    where->nodes[child].next = *at;
    *at = child;
    parent->cost += where->nodes[child].cost;
}

static uint32_t compile_joined(struct where_compiler *compiler,
                               const struct where_syntax *syntax)
{
    struct where_node node = { .test = syntax->kind == WHERE_AND  ? TEST_AND
                                       : syntax->kind == WHERE_OR ? TEST_OR
                                                                  : TEST_NOT,
                               .first = WEFT_NONE };
    for (const struct where_syntax *c = syntax->first; c; c = c->next) {
        uint32_t child = compile(compiler, c);
        if (child == WEFT_NONE)
            return WEFT_NONE;
        insert(compiler->where, &node, child);
    }
    return new_node(compiler, node);
}

/* Returns the index of the node; WEFT_NONE on an error. */
static uint32_t compile(struct where_compiler *compiler, const struct where_syntax *syntax)
{
    struct where_node node = { .test = TEST_ALL, .first = WEFT_NONE };
    if (syntax->kind == WHERE_ALL)
        return new_node(compiler, node);
    if (syntax->kind != WHERE_TERM)
        return compile_joined(compiler, syntax);
    if (!compile_term(compiler, syntax, &node))
        return WEFT_NONE;
    if (node.test == TEST_NAMED)
        note_types(compiler, &node);
    uint32_t index = new_node(compiler, node);
    if (syntax->op != WHERE_IS_NOT || node.test == TEST_DURATION || node.test == TEST_BEGIN
        || node.test == TEST_END)
        return index;
    /* "a != b" is "not a = b"; numbers of a thing itself are compared at once. */
    return new_node(compiler, (struct where_node){
                                  .test = TEST_NOT, .first = index, .cost = node.cost });
}

/* ---- The time outside of which nothing matches ---- */

static struct weft_span hull(const struct weft_where *where, uint32_t index)
{
    const struct where_node *node = &where->nodes[index];
    struct weft_span all = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT };
    if (node->test == TEST_TIME)
        return node->span;
    if (node->test != TEST_AND && node->test != TEST_OR)
        return all;
    struct weft_span span = hull(where, node->first);
    for (uint32_t c = where->nodes[node->first].next; c != WEFT_NONE;
         c = where->nodes[c].next) {
        struct weft_span more = hull(where, c);
        bool both = node->test == TEST_AND;
        if (both == (more.begin > span.begin))
            span.begin = more.begin;
        if (both == (more.end < span.end))
            span.end = more.end;
    }
    return span;
}

struct weft_where *weft_where_new(const struct weft_source *source, const char *text,
                                  struct weft_err *err)
{
    struct weft_where *where = weft_zalloc(1, sizeof *where);
    struct where_compiler compiler = { where, text, err };
    const struct where_syntax *syntax = where_parse(&where->arena, text, err);
    where->source = source;
    /* Each "!=" is two nodes. */
    where->nodes =
        weft_arena_zalloc(&where->arena, 2 * WEFT_WHERE_TERMS, sizeof *where->nodes);
    where->root = syntax ? compile(&compiler, syntax) : WEFT_NONE;
    if (where->root == WEFT_NONE) {
        weft_where_free(where);
        return NULL;
    }
    where->span = hull(where, where->root);
    if (where->needs_finder) /* without a job it cannot fail */
        where->finder = weft_wait_ends_finder_new(source, NULL, err);
    return where;
}

void weft_where_free(struct weft_where *where)
{
    if (!where)
        return;
    weft_wait_ends_finder_free(where->finder);
    weft_arena_free(&where->arena);
    free(where);
}
