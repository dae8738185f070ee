/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's parts that a program does not show: numbers, collection. */
#include "one_pe.h"
#include "tests/random.h"
#include "tests/test.h"

/* Reclaim everything that is not in register 0. */
static void collect(void)
{
    pe->n_live = 1;
    assert_int_equal(collect_heap(&machine), COLLECTED);
    pe->n_live = 0;
}

/* ---- Numbers ---- */

static int64_t result_of(enum operation op, int64_t a, int64_t b)
{
    term value = 0;
    term x = heap_integer(pe, a), y = heap_integer(pe, b);
    assert_int_equal(arithmetic(pe, op, x, y, &value), OUTCOME_YES);
    return term_integer(value);
}

static void test_arithmetic(void **state)
{
    (void)state;
    const int64_t big = INT64_C(1) << 60; /* the first that needs a box */
    assert_int_equal(result_of(OP_ADD, big - 1, 1), big);
    assert_int_equal(result_of(OP_SUBTRACT, -big, 1), -big - 1);
    assert_int_equal(result_of(OP_ADD, INT64_MAX, 1), INT64_MIN);
    assert_int_equal(result_of(OP_MULTIPLY, INT64_C(1) << 40, INT64_C(1) << 40), 0);
    assert_int_equal(result_of(OP_DIVIDE, -7, 2), -3); /* towards zero */
    assert_int_equal(result_of(OP_MODULO, -7, 2), -1);
    assert_int_equal(result_of(OP_DIVIDE, INT64_MIN, -1), INT64_MIN);
    assert_int_equal(result_of(OP_MODULO, INT64_MIN, -1), 0);
    assert_int_equal(result_of(OP_SHIFT_LEFT, 1, 63), INT64_MIN);
    assert_int_equal(result_of(OP_SHIFT_LEFT, 1, 64), 0);
    assert_int_equal(result_of(OP_SHIFT_RIGHT, -8, 1), -4);
    assert_int_equal(result_of(OP_SHIFT_RIGHT, -8, 1000), -1);
    assert_int_equal(result_of(OP_XOR, 6, 3), 5);
    assert_int_equal(result_of(OP_NOT, 0, 5), -6);
    assert_int_equal(result_of(OP_POWER, -3, 3), -27);
    assert_int_equal(result_of(OP_POWER, 2, 64), 0);
    machine.options.int32 = true;
    assert_int_equal(result_of(OP_ADD, INT32_MAX, 1), INT32_MIN);
    assert_int_equal(result_of(OP_MULTIPLY, 65536, 65536), 0);
}

static void test_what_is_no_number(void **state)
{
    (void)state;
    term value, one = term_small(1), variable = heap_variable(pe);
    assert_int_equal(arithmetic(pe, OP_DIVIDE, one, term_small(0), &value), OUTCOME_NO);
    assert_int_equal(arithmetic(pe, OP_ADD, one, term_atom(1), &value), OUTCOME_NO);
    assert_int_equal(arithmetic(pe, OP_ADD, one, variable, &value), OUTCOME_WAIT);
    assert_int_equal(pe->n_waited, 1);
    assert_true(pe->waited[0] == variable);
    assert_int_equal(compare_numbers(pe, TEST_LESS, variable, term_atom(1)), OUTCOME_NO);
}

/* ---- Collection ---- */

static term pair(term head, term tail)
{
    term *at = heap_alloc(pe, 2);
    at[0] = head;
    at[1] = tail;
    return term_of(at, TERM_LIST);
}

static term structure(uint32_t name, term a, term b)
{
    term *at = heap_alloc(pe, 3);
    at[0] = term_functor(name, 2);
    at[1] = a;
    at[2] = b;
    return term_of(at, TERM_STRUCT);
}

static term part(term t, unsigned i)
{
    return term_cell(t)[i];
}

static void test_sharing_is_kept(void **state)
{
    (void)state;
    term shared = pair(term_small(1), term_atom(ATOM_NIL));
    term ring = pair(term_small(2), term_atom(ATOM_NIL));
    term_cell(ring)[1] = ring;
    pe->registers[0] = structure(1, pair(shared, shared), ring);
    collect();
    term both = part(pe->registers[0], 1);
    assert_true(part(both, 0) == part(both, 1));
    assert_true(part(both, 0) != shared); /* it has moved */
    assert_int_equal(term_integer(part(part(both, 0), 0)), 1);
    term moved = part(pe->registers[0], 2);
    assert_true(part(moved, 1) == moved);
}

/* A string that two terms share is copied once, and keeps bytes of any code. */
static void test_strings_are_kept(void **state)
{
    (void)state;
    term text = heap_string(pe, "a\0b", 3);
    pe->registers[0] = pair(text, text);
    collect();
    term one = part(pe->registers[0], 0);
    assert_true(one == part(pe->registers[0], 1) && one != text);
    assert_int_equal(term_length(one), 3);
    assert_memory_equal(term_bytes(one), "a\0b", 4);
}

/* So is an integer in a box. */
static void test_boxes_are_shared(void **state)
{
    (void)state;
    term box = heap_integer(pe, INT64_MIN + 3); /* its last bits are those of a REF */
    pe->registers[0] = pair(box, pair(box, heap_integer(pe, INT64_MAX)));
    collect();
    term one = part(pe->registers[0], 0), rest = part(pe->registers[0], 1);
    assert_true(one == part(rest, 0) && one != box);
    assert_true(term_integer(one) == INT64_MIN + 3);
    assert_true(term_integer(part(rest, 1)) == INT64_MAX);
}

static void test_variables_stay_themselves(void **state)
{
    (void)state;
    term a = heap_variable(pe), chain = heap_variable(pe), value = heap_variable(pe);
    *term_cell(chain) = a; /* a reference to a variable */
    *term_cell(value) = heap_integer(pe, INT64_MAX);
    pe->registers[0] = structure(2, pair(a, chain), value);
    collect();
    term both = part(pe->registers[0], 1);
    assert_true(part(both, 0) == part(both, 1)); /* the chain is gone */
    assert_int_equal(term_tag(part(both, 0)), TERM_REF);
    assert_int_equal(term_integer(part(pe->registers[0], 2)), INT64_MAX);
    assert_int_equal(unify(pe, part(both, 0), term_atom(1)), OUTCOME_YES);
    assert_true(term_deref(part(both, 1)) == term_atom(1));
}

/* A goal that waits for two variables is woken once, before or after a collection. */
static void test_waiters(void **state)
{
    (void)state;
    term a = heap_variable(pe), b = heap_variable(pe);
    struct goal *goal = goal_new(pe, 1);
    goal->arguments[0] = a;
    pe->n_waited = 0;
    wait_for(pe, a);
    wait_for(pe, b);
    suspend(pe, goal);
    assert_null(pop_goal(pe));
    pe->registers[0] = pair(a, b);
    collect();
    a = part(pe->registers[0], 0);
    b = part(pe->registers[0], 1);
    assert_true(goal->arguments[0] == a); /* goals are looked into, too */
    assert_int_equal(term_tag(*term_cell(a)), TERM_WAIT);
    assert_int_equal(unify(pe, a, b), OUTCOME_YES);
    assert_ptr_equal(pop_goal(pe), goal);
    collect();
    /* Who waited for the other is no longer there. */
    assert_true(part(pe->registers[0], 0) == part(pe->registers[0], 1));
    assert_true(*term_cell(part(pe->registers[0], 0)) == part(pe->registers[0], 0));
    assert_int_equal(unify(pe, part(pe->registers[0], 0), term_small(1)), OUTCOME_YES);
    assert_null(pop_goal(pe));
    goal_free(pe, goal);
}

/* Also one that waits for a variable twice, which is noted again when many others came between. */
static void test_noted_twice(void **state)
{
    (void)state;
    enum { MANY = 100 };
    term variables[MANY];
    struct goal *goal = goal_new(pe, 0);
    pe->n_waited = 0;
    for (int i = 0; i < 2 * MANY; i++) {
        if (i < MANY)
            variables[i] = heap_variable(pe);
        wait_for(pe, variables[i % MANY]);
        wait_for(pe, variables[i % MANY]);
    }
    assert_true(pe->n_waited <= 2 * MANY);
    suspend(pe, goal);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(unify(pe, variables[i], term_small(i)), OUTCOME_YES);
    assert_ptr_equal(pop_goal(pe), goal);
    assert_null(pop_goal(pe));
    goal_free(pe, goal);
}

static void test_garbage_is_reclaimed(void **state)
{
    (void)state;
    pe->registers[0] = term_atom(ATOM_NIL);
    for (int i = 0; i < 1000000; i++)
        (void)pair(term_small(i), term_atom(ATOM_NIL));
    assert_true(machine.heap.used >= 16000000 / CHUNK);
    collect();
    assert_true(machine.heap.used <= 2);
}

/* A random term without cycles says the same afterwards, whatever is shared in it. */
static void test_random_terms(void **state)
{
    (void)state;
    enum { NODES = 400 };
    term nodes[NODES];
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < NODES; i++) {
            uint64_t bits = roll(0);
            unsigned kind = (unsigned)(bits >> 60), back = i < 20 ? 1 + (unsigned)i : 20;
            term x = i ? nodes[i - 1 - (int)((bits >> 32) % back) % i] : 0;
            term y = i ? nodes[i - 1 - (int)((bits >> 40) % back) % i] : 0;
            if (i < 20)
                nodes[i] = heap_integer(pe, (int64_t)bits);
            else if (kind < 4)
                nodes[i] = structure(kind % 3, x, (bits >> 30 & 3) ? term_atom(2) : y);
            else if (kind < 10)
                nodes[i] = pair(x, term_small(i));
            else {
                nodes[i] = heap_variable(pe);
                *term_cell(nodes[i]) = x;
            }
        }
        pe->registers[0] = nodes[NODES - 1];
        char *before = term_text(&machine, pe->registers[0]);
        collect();
        char *after = term_text(&machine, pe->registers[0]);
        assert_string_equal(before, after);
        free(before);
        free(after);
    }
}

/* A collection of a run that is cancelled ends before all that there is was copied. */
static void test_a_cancelled_collection_ends(void **state)
{
    (void)state;
    enum { LENGTH = 300000 };
    struct weft_job job = { 0 };
    size_t chunks[2] = { 0 };
    for (int cancelled = 0; cancelled < 2; cancelled++) {
        term list = term_atom(ATOM_NIL);
        for (int i = 0; i < LENGTH; i++)
            list = heap_list(pe, term_small(i), list);
        pe->registers[0] = list;
        pe->n_live = 1;
        machine.options.job = &job;
        atomic_store(&job.cancelled, cancelled);
        size_t before = machine.heap.used;
        assert_int_equal(collect_heap(&machine), cancelled ? COLLECTED_IN_PART : COLLECTED);
        chunks[cancelled] = machine.heap.used - (cancelled ? before : 0);
        pe->n_live = 0;
        if (!cancelled)
            collect();
    }
    /* Of LENGTH cells a quarter at most was copied, and nothing was freed. */
    assert_true(chunks[1] <= chunks[0] / 4);
}

/* More than half of the heap is live, taken by one goal: all is copied, and the run must end. */
static void test_no_room_for_copies(void **state)
{
    (void)state;
    enum { PAIRS = 40 << 16 }; /* 40 MB of 64 */
    term list = term_small(7);
    for (int i = 0; i < PAIRS; i++)
        list = pair(term_small(i), list);
    pe->registers[0] = list;
    pe->n_live = 1;
    assert_int_equal(collect_heap(&machine), COLLECTED_TOO_LITTLE);
    pe->n_live = 0;
    list = pe->registers[0];
    for (int i = PAIRS; i--; list = part(list, 1))
        if (part(list, 0) != term_small(i))
            fail_msg("element %d is another", i);
    assert_true(list == term_small(7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arithmetic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sharing_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_strings_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_boxes_are_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_variables_stay_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waiters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_noted_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_garbage_is_reclaimed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_terms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_cancelled_collection_ends, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_no_room_for_copies, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
