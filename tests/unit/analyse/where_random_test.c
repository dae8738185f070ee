/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random selections of random traces, against a second implementation: it asks each item of
 * the list from which the trace was made, without tables, tracks or windows of fields.
 */
#include <stdarg.h>
#include <string.h>

#include "analyse/where_selection.h"
#include "base/compare.h"
#include "tests/random.h"
#include "tests/test.h"
#include "tests/unit/store/random_trace.h"

static struct random_trace model;

/* ---- Expressions: a tree, whose text the tested code gets ---- */

enum sort {
    BOTH,
    EITHER,
    NEITHER,
    VALUE,
    ROLE,
    KIND,
    TYPE,
    ROW,
    FROM,
    TO,
    DURATION,
    BEGIN,
    END,
    TIME,
    FIELD,  /* f0, f1, ... of states */
    BYTES,  /* of links, by the role of the field "size" */
    OBJECT, /* of a link, where it arrives: states here have none */
    SORTS
};

static const char *const operators[] = { "=", "!=", "<", "<=", ">", ">=" };

struct expression {
    enum sort sort;
    const struct expression *a, *b;
    int op; /* of a number: index of operators; else 0: =, 1: !=, 2: in */
    int64_t n, length;
    double real;
    enum random_field field;
    bool absent; /* compared with "" */
    char text[32];
};

static struct weft_arena arena;

static struct expression *any_term(void)
{
    static const char *const values[] = { "a", "b", "c", "d", "e", "tick", "data", "" };
    static const char *const roles[] = { "blocked", "sleeping", "blocked-on-lock", "busy" };
    static const char *const kinds[] = { "state", "event", "link" };
    static const char *const types[] = { "state", "event", "message" };
    struct expression *e = weft_arena_zalloc(&arena, 1, sizeof *e);
    e->sort = (enum sort)(VALUE + roll(SORTS - VALUE));
    e->op = (int)roll(2);
    switch (e->sort) {
    case VALUE: strcpy(e->text, values[roll(8)]); break;
    case ROLE: strcpy(e->text, roles[roll(4)]); break;
    case KIND: strcpy(e->text, kinds[roll(3)]); break;
    case TYPE: strcpy(e->text, types[roll(3)]); break;
    case ROW:
    case FROM:
    case TO:
    case OBJECT:
        e->n = (int64_t)roll(RANDOM_CONTAINERS);
        e->op = (int)roll(3);
        snprintf(e->text, sizeof e->text, "t%d", (int)e->n);
        break;
    case DURATION:
        e->op = (int)roll(6);
        e->n = (int64_t)roll(60) - 10;
        break;
    case BEGIN:
    case END:
        e->op = (int)roll(6);
        e->n = (int64_t)roll(RANDOM_END);
        break;
    case TIME:
        e->n = (int64_t)roll(RANDOM_END);
        e->length = 1 + (int64_t)roll(500);
        break;
    case FIELD:
        e->field = (enum random_field)roll(RANDOM_FIELDS);
        if (e->field == RANDOM_ENTITY)
            e->field = RANDOM_TEXT;
        e->absent = !roll(5);
        if (!e->absent
            && (e->field == RANDOM_INTEGER || e->field == RANDOM_PLAIN
                || e->field == RANDOM_REAL))
            e->op = (int)roll(6);
        e->n = (int64_t)roll(e->field == RANDOM_CONTAINER ? RANDOM_CONTAINERS : 25);
        e->real = (double)roll(30) / 7 - 2;
        break;
    case BYTES:
        e->op = (int)roll(6);
        e->n = (int64_t)roll(5) * 1024; /* written as "2Ki" */
        break;
    default: break;
    }
    return e;
}

static const struct expression *any_expression(int depth)
{
    struct expression *e;
    if (!depth || !roll(3))
        return any_term();
    e = weft_arena_zalloc(&arena, 1, sizeof *e);
    e->sort = (enum sort)roll(VALUE);
    e->a = any_expression(depth - 1);
    e->b = any_expression(depth - 1);
    return e;
}

static void write_field(FILE *out, const struct expression *e)
{
    fprintf(out, "%sf%d %s ", roll(2) ? "" : " ", (int)e->field, operators[e->op]);
    if (e->absent)
        fprintf(out, "\"\"");
    else if (e->field == RANDOM_REAL)
        fprintf(out, "%.17g", e->real);
    else if (e->field == RANDOM_TEXT)
        fprintf(out, roll(2) ? "w%d" : "\"w%d\"", (int)e->n);
    else if (e->field == RANDOM_SITE)
        fprintf(out, "a.c:%d", (int)e->n);
    else if (e->field == RANDOM_CONTAINER)
        fprintf(out, "t%d", (int)e->n);
    else
        fprintf(out, "%d", (int)e->n);
}

static void write_term(FILE *out, const struct expression *e)
{
    static const char *const names[] = {
        [VALUE] = "value",   [ROLE] = "role", [KIND] = "kind", [TYPE] = "type",
        [ROW] = "row",       [FROM] = "from", [TO] = "to",     [DURATION] = "duration",
        [BEGIN] = "begin",   [END] = "end",   [TIME] = "time", [BYTES] = "bytes",
        [OBJECT] = "object",
    };
    switch (e->sort) {
    case FIELD: write_field(out, e); break;
    case ROW:
    case FROM:
    case TO:
    case OBJECT:
        fprintf(out, "%s %s %s", names[e->sort], e->op == 2 ? "in" : operators[e->op],
                e->text);
        break;
    case DURATION: fprintf(out, "duration%s%dns", operators[e->op], (int)e->n); break;
    case BEGIN:
    case END:
        fprintf(out, "%s %s %dns", names[e->sort], operators[e->op], (int)e->n);
        break;
    case TIME: fprintf(out, "time in %dns+%dns", (int)e->n, (int)e->length); break;
    case BYTES: fprintf(out, "bytes %s %dKi", operators[e->op], (int)(e->n / 1024)); break;
    default: fprintf(out, "%s %s \"%s\"", names[e->sort], operators[e->op], e->text);
    }
}

static void write_expression(FILE *out, const struct expression *e)
{
    if (e->sort >= VALUE) {
        write_term(out, e);
        return;
    }
    if (e->sort == NEITHER) {
        fprintf(out, "not (");
    } else {
        fprintf(out, "(");
        write_expression(out, e->b);
        fprintf(out, e->sort == BOTH ? " and " : " or ");
    }
    write_expression(out, e->a);
    fprintf(out, ")");
}

/* ---- The second implementation ---- */

static bool compares(int op, int order)
{
    const bool answers[] = { order == 0, order != 0, order<0, order <= 0, order> 0,
                             order >= 0 };
    return answers[op];
}

static bool is_below(uint32_t container, uint32_t root)
{
    const struct weft_schema *schema = model.source->schema;
    while (container != WEFT_NONE && container != root)
        container = schema->containers[container].parent;
    return container != WEFT_NONE;
}

static bool is_container(const struct expression *e, uint32_t container)
{
    uint32_t asked = model.containers[e->n];
    return e->op == 2 ? is_below(container, asked) : container == asked;
}

static bool overlaps(const struct random_item *item, int64_t begin, int64_t end)
{
    int64_t low = item->begin < item->end ? item->begin : item->end;
    int64_t high = item->begin < item->end ? item->end : item->begin;
    return low < end && (high > begin || (low == high && low == begin));
}

static const char *value_of(const struct random_item *item)
{
    return item->value == WEFT_NONE ? "" : model.source->schema->values[item->value].name;
}

/* The roles of the trace: a is blocked-on-lock, b sleeping, c running. */
static bool has_role(const struct random_item *item, const char *role)
{
    const char *value = item->kind == WEFT_STATE ? value_of(item) : "";
    if (strcmp(role, "blocked") == 0 || strcmp(role, "blocked-on-lock") == 0)
        return strcmp(value, "a") == 0;
    return strcmp(value, strcmp(role, "sleeping") == 0 ? "b" : "c") == 0;
}

static bool field_holds(const struct random_item *item, const struct expression *e)
{
    bool has = item->kind == WEFT_STATE && item->has >> e->field & 1;
    int64_t bits = has ? item->fields[e->field] : 0;
    const struct weft_schema *schema = model.source->schema;
    char text[16];
    double real;
    if (e->absent)
        return (e->op == 1) == has;
    bool number = e->field == RANDOM_INTEGER || e->field == RANDOM_PLAIN;
    if (!has)
        return e->op == 1; /* not (f = x) */
    if (number)
        return compares(e->op, WEFT_COMPARE(bits, e->n));
    memcpy(&real, &bits, sizeof real);
    switch (e->field) {
    case RANDOM_REAL: return compares(e->op, WEFT_COMPARE(real, e->real));
    case RANDOM_TEXT:
        snprintf(text, sizeof text, "w%d", (int)e->n);
        return (e->op == 1) != (strcmp(schema->strings[bits], text) == 0);
    case RANDOM_SITE: /* a line 0 is not known: no place is called "a.c:0" */
        return (e->op == 1) != (e->n && schema->sites[bits].line == e->n);
    default: return (e->op == 1) != (bits == model.containers[e->n]);
    }
}

static bool term_holds(const struct random_item *item, const struct expression *e)
{
    bool link = item->kind == WEFT_LINK, is;
    switch (e->sort) {
    case DURATION: return compares(e->op, WEFT_COMPARE(item->end - item->begin, e->n));
    case BEGIN: return compares(e->op, WEFT_COMPARE(item->begin, e->n));
    case END: return compares(e->op, WEFT_COMPARE(item->end, e->n));
    case TIME: return overlaps(item, e->n, e->n + e->length);
    case FIELD: return field_holds(item, e);
    case BYTES:
        if (!link || !item->bytes)
            return e->op == 1;
        return compares(e->op, WEFT_COMPARE(item->bytes, e->n));
    case VALUE: is = strcmp(value_of(item), e->text) == 0; break;
    case ROLE: is = has_role(item, e->text); break;
    case KIND: is = strcmp(weft_kind_name(item->kind), e->text) == 0; break;
    case TYPE:
        is = strcmp(model.source->schema->types[item->type].name, e->text) == 0;
        break;
    case ROW:
        is = link ? is_container(e, item->from) || is_container(e, item->to)
                  : is_container(e, item->container);
        break;
    case FROM: is = link && is_container(e, item->from); break;
    default: is = link && is_container(e, item->to); break; /* TO, OBJECT */
    }
    return (e->op == 1) != is;
}

static bool holds(const struct random_item *item, const struct expression *e)
{
    switch (e->sort) {
    case BOTH: return holds(item, e->a) && holds(item, e->b);
    case EITHER: return holds(item, e->a) || holds(item, e->b);
    case NEITHER: return !holds(item, e->a);
    default: return term_holds(item, e);
    }
}

/* ---- Comparing ---- */

/* A thing is identified by these; links have no id in the model. */
struct key {
    uint64_t id;
    int64_t begin, end;
    uint32_t value, from, to;
};

struct keys {
    struct key list[RANDOM_MAX_ITEMS];
    size_t n;
};

static int by_all(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return WEFT_COMPARE(x->id, y->id) ?: WEFT_COMPARE(x->begin, y->begin)
           ?: WEFT_COMPARE(x->end, y->end)
           ?: WEFT_COMPARE(x->value, y->value) ?: WEFT_COMPARE(x->from, y->from)
           ?: WEFT_COMPARE(x->to, y->to);
}

static bool gather(void *user, const struct weft_thing *thing)
{
    struct keys *keys = user;
    bool link = thing->from != WEFT_NONE || thing->to != WEFT_NONE;
    keys->list[keys->n++] = (struct key){ link ? WEFT_NO_ID : thing->id,
                                          thing->begin,
                                          thing->end,
                                          thing->value,
                                          thing->from,
                                          thing->to };
    return true;
}

static bool is_asked(const struct random_item *item, struct weft_span window,
                     uint32_t under)
{
    bool in = item->kind == WEFT_LINK
                  ? !under || is_below(item->from, under) || is_below(item->to, under)
                  : is_below(item->container, under);
    return item->kind != WEFT_VARIABLE && in && overlaps(item, window.begin, window.end);
}

static void expect(const struct expression *e, struct weft_span window, uint32_t under,
                   struct keys *keys)
{
    keys->n = 0;
    for (uint32_t i = 0; i < model.n_items; i++) {
        const struct random_item *item = &model.items[i];
        bool link = item->kind == WEFT_LINK;
        if (!is_asked(item, window, under) || !holds(item, e))
            continue;
        keys->list[keys->n++] = (struct key){ link ? WEFT_NO_ID : random_id(&model, item),
                                              item->begin,
                                              item->end,
                                              item->value,
                                              link ? item->from : WEFT_NONE,
                                              link ? item->to : WEFT_NONE };
    }
    qsort(keys->list, keys->n, sizeof *keys->list, by_all);
}

static void find(const char *text, struct weft_span window, uint32_t under,
                 struct keys *keys)
{
    struct weft_err err;
    struct weft_where *where = weft_where_new(model.source, text, &err);
    if (!where)
        fail_msg("%s: %s", text, err.message);
    struct weft_where_query query = { where, window, under, NULL };
    size_t n;
    uint32_t *tracks = weft_where_tracks(&query, &arena, &n);
    keys->n = 0;
    for (size_t i = 0; i < n; i++)
        weft_where_walk(&query, tracks[i], gather, keys);
    qsort(keys->list, keys->n, sizeof *keys->list, by_all);
    weft_where_free(where);
}

static void check(const struct expression *e)
{
    static struct keys expected, found;
    char *text;
    size_t size;
    FILE *out = weft_text_begin(&text, &size);
    write_expression(out, e);
    weft_text_end(out);
    struct weft_span window = { -10, RANDOM_END + 10 };
    if (roll(2)) {
        window.begin = (int64_t)roll(RANDOM_END);
        window.end = window.begin + 1 + (int64_t)roll(2000);
    }
    uint32_t under = roll(3) ? 0 : model.containers[roll(RANDOM_CONTAINERS)];
    expect(e, window, under, &expected);
    find(text, window, under, &found);
    if (found.n != expected.n)
        fail_msg("%s: %zu instead of %zu", text, found.n, expected.n);
    for (size_t i = 0; i < found.n; i++)
        if (by_all(&found.list[i], &expected.list[i]) != 0)
            fail_msg("%s: thing %zu differs", text, i);
    free(text);
    weft_arena_reset(&arena);
}

static void random_selections_find_what_a_list_has(void **unused)
{
    (void)unused;
    for (int trace = 0; trace < 3; trace++) {
        roll_from((uint64_t)trace + 40);
        random_trace_begin(&model, false);
        for (int i = 0; i < 500; i++)
            check(any_expression(1 + (int)roll(4)));
        random_trace_end(&model);
    }
    weft_arena_free(&arena);
}

/* Words of selections in any order: most are refused, with a reason, the others walked. */
static void random_words_are_taken_or_refused(void **unused)
{
    (void)unused;
    static const char *const words[] = {
        "value",    "role",     "kind",         "type",
        "row",      "from",     "to",           "object",
        "partner",  "waker",    "communicator", "site",
        "time",     "begin",    "f0",           "f1",
        "f2",       "f3",       "f4",           "f5",
        "bytes",    "=",        "!=",           "<",
        "<=",       ">",        ">=",           "~",
        "in",       "and",      "or",           "not",
        "(",        ")",        "\"",           "\\",
        "a",        "tick",     "data",         "state",
        "link",     "t1",       "t*",           "5ns",
        "50%",      "0:5us",    "5ns+3ns",      "64k",
        "1e400",    "-3",       "nan",          "0x10",
        "**",       "\"\"",     "\"t1",         "blocked",
        "w3",       "a.c:3",    "#2",           "#9999",
        "ü",        "@3",       "\n",           "999999999999999999999",
        "duration", "function", "processor 3",
    };
    static struct keys found;
    size_t taken = 0;
    roll_from(77);
    random_trace_begin(&model, false);
    for (int i = 0; i < 15000; i++) {
        struct weft_err err = { 0 };
        char text[512] = "";
        for (uint64_t n = 1 + roll(14); n; n--)
            sprintf(text + strlen(text), "%s%s", words[roll(sizeof words / sizeof *words)],
                    roll(5) ? " " : "");
        if (!roll(10))
            text[roll(strlen(text))] = (char)(1 + roll(255));
        struct weft_where *where = weft_where_new(model.source, text, &err);
        if (!where && (err.code != WEFT_ERR_USAGE || !err.message[0]))
            fail_msg("%s", text);
        if (where && ++taken % 16 == 0)
            find(text, (struct weft_span){ 0, RANDOM_END }, 0, &found);
        weft_where_free(where);
    }
    assert_in_range(taken, 500, 5000);
    weft_arena_free(&arena);
    random_trace_end(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_selections_find_what_a_list_has),
        cmocka_unit_test(random_words_are_taken_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
