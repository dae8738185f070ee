/* SPDX-License-Identifier: Apache-2.0 */
/* Terms as text: what is printed reads as the same term, for terms of all kinds. */
#include "domains/trees/fghc/operators.h"
#include "domains/trees/fghc/parse_priv.h"
#include "domains/trees/fghc/term_order.h"
#include "one_pe.h"
#include "tests/random.h"
#include "tests/test.h"

/* ---- Reading: the slow way, a heap term for each node ---- */

static struct program names; /* that the terms' names are of */
static term variables[MAX_VARIABLES];
static uint32_t n_seen;

static term build(const struct node *node)
{
    switch (node->kind) {
    case NODE_INTEGER: return heap_integer(pe, node->integer);
    case NODE_ATOM: return term_atom(node->name);
    case NODE_STRING: return heap_string(pe, node->string, node->length);
    case NODE_VARIABLE:
        while (n_seen <= node->variable)
            variables[n_seen++] = heap_variable(pe);
        return variables[node->variable];
    case NODE_VOID: return heap_variable(pe);
    case NODE_LIST: {
        term head = build(&node->arguments[0]);
        return heap_list(pe, head, build(&node->arguments[1]));
    }
    case NODE_STRUCT: break;
    }
    term parts[MAX_ARITY + 1];
    for (uint32_t i = 0; i < node->arity; i++)
        parts[i] = build(&node->arguments[i]);
    term *at = heap_alloc(pe, 1 + (size_t)node->arity);
    at[0] = term_functor(node->name, node->arity);
    memcpy(at + 1, parts, node->arity * sizeof *at);
    return term_of(at, TERM_STRUCT);
}

/* The term that a text is, or 0 when it is none. */
static term parse_term(const char *text)
{
    struct parser *p = calloc(1, sizeof *p);
    char *copy = weft_arena_printf(&names.arena, "%s .", text);
    struct node *node = weft_arena_alloc(&names.arena, sizeof *node);
    p->program = &names;
    p->path = "text";
    p->at = p->line_start = copy;
    p->end = copy + strlen(copy);
    p->line = 1;
    n_seen = 0;
    bool ok = parser_next(p) && parser_expression(p, PRIORITY_CLAUSE, node)
              && p->token.kind == TOKEN_STOP;
    free(p);
    return ok ? build(node) : 0;
}

static char *print(term t)
{
    char *text;
    size_t size;
    FILE *out = weft_text_begin(&text, &size);
    print_term(out, &names, NULL, t, true);
    weft_text_end(out);
    return text;
}

/* The same term, with the variables of one standing for those of the other, one to one. */
static bool is_variant(term a, term b, term (*pairs)[2], size_t *n)
{
    a = term_deref(a);
    b = term_deref(b);
    if (term_tag(a) == TERM_REF || term_tag(b) == TERM_REF) {
        for (size_t i = 0; i < *n; i++)
            if (pairs[i][0] == a || pairs[i][1] == b)
                return pairs[i][0] == a && pairs[i][1] == b;
        pairs[*n][0] = a;
        pairs[(*n)++][1] = b;
        return term_tag(a) == term_tag(b);
    }
    if (term_tag(a) != term_tag(b))
        return false;
    bool list = term_tag(a) == TERM_LIST;
    if (!list && term_tag(a) != TERM_STRUCT)
        return same_constants(a, b);
    const term *x = term_cell(a), *y = term_cell(b);
    if (!list && *x != *y)
        return false;
    uint32_t arity = list ? 2 : term_arity(*x);
    for (uint32_t i = 0; i < arity; i++)
        if (!is_variant(x[i + !list], y[i + !list], pairs, n))
            return false;
    return true;
}

/* ---- Random terms ---- */

static uint32_t random_name(void)
{
    static const char *const all[] = {
        "a",   "foo", "x1_Y",   "[]", "{}",        "A b",   "",         "it's",
        "\\",  "\n",  "+",      "-",  "*",         "/",     "//",       "mod",
        "xor", "=",   "==",     ":-", ":",         "|",     ",",        ";",
        "!",   "->",  "\\+",    "~",  "#",         "@",     "..",       "/*",
        "*/",  "<<",  "is",     ":=", "^",         "$",     "&",        "module",
        "X",   "_",   "0",      "%",  "string",    "ascii", "\"",       "`",
        "=..", "?-",  "public", "(",  "otherwise", "\x01",  "\xc3\xa4",
    };
    const char *name = all[roll(sizeof all / sizeof *all)];
    return program_name(&names, name, strlen(name));
}

static term random_string(void)
{
    char bytes[12];
    size_t n = roll(sizeof bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)(roll(3) ? 32 + roll(95) : roll(256));
    return heap_string(pe, bytes, n);
}

static term random_integer(void)
{
    static const int64_t some[] = { 0, 1, -1, 9, -9, INT64_MAX, INT64_MIN, 1 << 30 };
    return heap_integer(pe, roll(2) ? some[roll(8)] : (int64_t)roll(0));
}

/* A term of at most DEPTH levels; VARIABLES may occur in it. */
static term random_term(uint32_t depth, const term *some)
{
    switch (roll(depth ? 12 : 5)) {
    case 0: return random_integer();
    case 1:
    case 2: return term_atom(random_name());
    case 3: return random_string();
    case 4: return some[roll(4)];
    case 5:
    case 6: {
        term head = random_term(depth - 1, some);
        return heap_list(pe, head,
                         roll(3) ? term_atom(ATOM_NIL) : random_term(depth - 1, some));
    }
    default: break;
    }
    uint32_t arity = roll(3) ? 2 : roll(5);
    uint32_t name = arity ? random_name() : ATOM_VECTOR;
    term parts[5];
    for (uint32_t i = 0; i < arity; i++)
        parts[i] = random_term(depth - 1, some);
    if (arity == 2 && name == ATOM_DOT)
        return heap_list(pe, parts[0], parts[1]);
    term *at = heap_alloc(pe, 1 + (size_t)arity);
    at[0] = term_functor(name, arity);
    memcpy(at + 1, parts, arity * sizeof *at);
    return term_of(at, TERM_STRUCT);
}

static int set_up_names(void **state)
{
    struct weft_err err;
    struct program_text text = { "names", "p.", 2 };
    assert_true(program_read_texts(&names, &text, 1, &err));
    return set_up(state);
}

static int tear_down_names(void **state)
{
    program_free(&names);
    return tear_down(state);
}

static void test_random_terms_read_as_they_print(void **state)
{
    (void)state;
    term pairs[16][2];
    for (int i = 0; i < 100000; i++) {
        if (i % 1000 == 999) { /* nothing is needed any more */
            pe->registers[0] = term_atom(ATOM_NIL);
            pe->n_live = 1;
            assert_int_equal(collect_heap(&machine), COLLECTED);
            program_free(&names);
            struct weft_err err;
            struct program_text text = { "names", "p.", 2 };
            assert_true(program_read_texts(&names, &text, 1, &err));
        }
        term some[4];
        for (int k = 0; k < 4; k++)
            some[k] = heap_variable(pe);
        term t = random_term(5, some);
        char *printed = print(t);
        term again = parse_term(printed);
        size_t n = 0;
        if (!again || !is_variant(t, again, pairs, &n))
            fail_msg("does not read as it prints: %s", printed);
        char *second = print(again);
        assert_string_equal(printed, second);
        free(printed);
        free(second);
    }
}

/* What people expect to see. */
static void test_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(1+2)*3",   "1+2*3",
        "a-(b-c)",   "a-b-c",
        "2-(-1)",    "\"a\\\"b\\n\"",
        "[A,B|A]",   "'A b'",
        "[]",        "{}",
        "{1,[a|b]}", "f(-)",
        "(-)-1",     "-(1)",
        "-1",        "1- -(2)",
        "(a,b)",     "f((a,b),c)",
        "(a->b;c)",  "2^3^4",
        "(2^3)^4",   "a mod b",
        "a=(b=c)",   "f(:-)",
        ":-(a,b)",   "-9223372036854775808",
        "'\\\\'(x)", "\\",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i];
        term t = parse_term(text);
        if (!t)
            fail_msg("does not read: %s", text);
        char *printed = print(t);
        /* The name of a backslash needs no quotes: it is of symbols. */
        assert_string_equal(printed, strcmp(text, "'\\\\'(x)") == 0 ? "\\(x)" : text);
        free(printed);
    }
}

/* Other ways of writing the same. */
static void test_notations(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        { "16'fF", "255" },          { "2#\"101\"", "5" },           { "0'a", "97" },
        { "#\"a\"", "97" },          { "ascii#\"b\"", "98" },        { "key#lf", "10" },
        { "string#\"x\"", "\"x\"" }, { "'.'(a,[])", "[a]" },         { "- 3", "-3" },
        { "'don''t'", "'don\\'t'" }, { "\"\\101\\x42\"", "\"AB\"" }, { "\\ a", "\\(a)" },
        { "[a|[b|[]]]", "[a,b]" },   { "a:b:c", "a:(b:c)" },
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        term a = parse_term(same[i][0]), b = parse_term(same[i][1]);
        if (!a || !b || same_terms(pe, a, b) != OUTCOME_YES)
            fail_msg("%s is not %s", same[i][0], same[i][1]);
    }
}

/* ---- Walks ---- */

static term nested(uint32_t depth, term inner)
{
    for (uint32_t i = 0; i < depth; i++) {
        term *at = heap_alloc(pe, 3);
        at[0] = term_functor(ATOM_PLUS, 2);
        at[1] = inner;
        at[2] = term_small(1);
        inner = term_of(at, TERM_STRUCT);
    }
    return inner;
}

static term shared(uint32_t depth, term inner)
{
    for (uint32_t i = 0; i < depth; i++) {
        term *at = heap_alloc(pe, 3);
        at[0] = term_functor(ATOM_PLUS, 2);
        at[1] = at[2] = inner;
        inner = term_of(at, TERM_STRUCT);
    }
    return inner;
}

/* As deep as memory allows, and 2^62 steps if shared parts were looked at each time. */
static void test_deep_and_shared_terms(void **state)
{
    (void)state;
    term value;
    term a = nested(300000, term_small(0)), b = nested(300000, term_small(0));
    assert_int_equal(same_terms(pe, a, b), OUTCOME_YES);
    assert_int_equal(unify(pe, a, b), OUTCOME_YES);
    assert_int_equal(evaluate(pe, a, &value), OUTCOME_YES);
    assert_int_equal(term_integer(value), 300000);
    assert_int_equal(same_terms(pe, a, nested(300000, term_small(1))), OUTCOME_NO);
    term c = shared(62, term_small(1)), d = shared(62, term_small(1));
    assert_int_equal(same_terms(pe, c, d), OUTCOME_YES);
    assert_int_equal(unify(pe, c, d), OUTCOME_YES);
    assert_int_equal(same_terms(pe, c, shared(62, term_small(2))), OUTCOME_NO);
    assert_int_equal(evaluate(pe, c, &value), OUTCOME_YES);
    assert_int_equal(term_integer(value), INT64_C(1) << 62);
    walk_begin(&pe->walk);
    walk_push(&pe->walk, c);
    assert_int_equal(is_known(pe, &pe->walk), OUTCOME_YES);
}

/* Terms that are parts of themselves end, too: they are equal when no difference is found. */
static void test_cyclic_terms(void **state)
{
    (void)state;
    term hole = heap_variable(pe), other = heap_variable(pe), value;
    term one = nested(3, hole), two = nested(5, other);
    *term_cell(hole) = one;
    *term_cell(other) = two;
    assert_int_equal(same_terms(pe, one, two), OUTCOME_YES);
    assert_int_equal(unify(pe, one, two), OUTCOME_YES);
    assert_int_equal(evaluate(pe, one, &value), OUTCOME_NO);
    walk_begin(&pe->walk);
    walk_push(&pe->walk, one);
    assert_int_equal(is_known(pe, &pe->walk), OUTCOME_YES);
    char *text = print(one);
    assert_true(strlen(text) < 1000); /* of 3 levels: a few times as many are printed */
    assert_non_null(strstr(text, "..."));
    free(text);
    term list = heap_list(pe, term_small(7), heap_variable(pe));
    *term_cell(term_cell(list)[1]) = list;
    text = print(list);
    assert_non_null(strstr(text, "7|...]"));
    free(text);
    /* What is shared is no cycle. */
    term leaf = heap_list(pe, term_small(1), term_atom(ATOM_NIL));
    text = print(heap_list(pe, leaf, heap_list(pe, leaf, heap_list(pe, leaf, leaf))));
    assert_string_equal(text, "[[1],[1],[1],1]");
    free(text);
}

/* A walk through a long term ends with the run, without a result; a short one has its result. */
static void test_walks_end_with_the_run(void **state)
{
    (void)state;
    term hole = heap_variable(pe), value, order[3] = { 0 };
    term a = nested(300000, term_small(0)), b = nested(300000, hole), c;
    term copy = nested(300000, term_small(0));
    machine.stopped = true;
    assert_int_equal(same_terms(pe, a, copy), OUTCOME_WAIT);
    assert_int_equal(unify(pe, a, b), OUTCOME_WAIT);
    assert_true(term_deref(hole) == hole);
    assert_int_equal(evaluate(pe, a, &value), OUTCOME_WAIT);
    order[0] = a;
    order[1] = copy;
    assert_int_equal(run_compare(pe, order), OUTCOME_WAIT);
    walk_begin(&pe->walk);
    walk_push(&pe->walk, a);
    assert_int_equal(is_known(pe, &pe->walk), OUTCOME_WAIT);
    assert_true(pe->walk.n > 0); /* what is left */
    c = nested(1000, hole);
    assert_int_equal(unify(pe, c, nested(1000, term_small(0))), OUTCOME_YES);
    assert_true(term_deref(hole) == term_small(0));
    machine.stopped = false;
    assert_int_equal(is_known(pe, &pe->walk), OUTCOME_YES);
    assert_int_equal(unify(pe, a, b), OUTCOME_YES);
}

static term list_of(size_t n, term element)
{
    term list = term_atom(ATOM_NIL);
    while (n--)
        list = heap_list(pe, element, list);
    return list;
}

/* A long term is printed no further when nobody waits for it, or when its text is too long. */
static void test_prints_that_end_early(void **state)
{
    (void)state;
    struct weft_job job = { 0 };
    struct print_names none = { 0 };
    char *text;
    size_t size;
    const term ones = list_of(200000, term_small(1));
    const term strings =
        list_of(1000, heap_string(pe, "\1\n\"a-------------------------------", 29));
    const struct {
        term t;
        bool cancelled;
        uint64_t most;
        enum printed printed;
        size_t least, greatest; /* bytes that are printed */
    } cases[] = {
        { ones, false, 0, PRINTED_ALL, 400001, 400001 },
        { ones, false, 400001, PRINTED_ALL, 400001, 400001 },
        { ones, false, 400000, PRINTED_TOO_LONG, 400000, 400001 },
        { ones, true, 0, PRINTED_IN_PART, 0, 200000 },
        { list_of(10, term_small(1)), false, 0, PRINTED_ALL, 21, 21 },
        /* In quotes 4 + 2 + 2 + 26 bytes; and a comma or bracket. */
        { strings, false, 37001, PRINTED_ALL, 37001, 37001 },
        { strings, false, 37000, PRINTED_TOO_LONG, 37000, 37001 },
        { strings, false, 1000, PRINTED_TOO_LONG, 1000, 1040 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        job.cancelled = cases[i].cancelled;
        FILE *out = weft_text_begin(&text, &size);
        assert_int_equal(print_value(out, &names, &job, cases[i].t, cases[i].most, &none),
                         cases[i].printed);
        weft_text_end(out);
        assert_in_range(size, cases[i].least, cases[i].greatest);
        free(text);
    }
    print_names_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_terms_read_as_they_print, set_up_names,
                                        tear_down_names),
        cmocka_unit_test_setup_teardown(test_texts, set_up_names, tear_down_names),
        cmocka_unit_test_setup_teardown(test_notations, set_up_names, tear_down_names),
        cmocka_unit_test_setup_teardown(test_deep_and_shared_terms, set_up_names,
                                        tear_down_names),
        cmocka_unit_test_setup_teardown(test_cyclic_terms, set_up_names, tear_down_names),
        cmocka_unit_test_setup_teardown(test_walks_end_with_the_run, set_up_names,
                                        tear_down_names),
        cmocka_unit_test_setup_teardown(test_prints_that_end_early, set_up_names,
                                        tear_down_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
