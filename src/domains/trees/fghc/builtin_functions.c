/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/fghc/builtin_functions.h"

#include <string.h>

#include "domains/trees/fghc/term_order.h"

/* ---- Parts of terms ---- */

static bool is_vector(term t)
{
    return term_tag(t) == TERM_STRUCT && term_name(*term_cell(t)) == ATOM_VECTOR;
}

static uint32_t size_of(term t)
{
    return is_vector(t)                 ? term_arity(*term_cell(t))
           : term_tag(t) == TERM_STRING ? (uint32_t)term_length(t)
                                        : 0;
}

static bool is_index(term t, uint32_t n)
{
    return term_is_integer(t) && term_integer(t) >= 0 && (uint64_t)term_integer(t) < n;
}

/* functor(Term, Name, Arity); a list has the functor "."/2, other terms are their own
 * name. */
static enum outcome run_functor(struct pe *pe, term *a)
{
    (void)pe;
    term t = a[0];
    bool list = term_tag(t) == TERM_LIST,
         structure = term_tag(t) == TERM_STRUCT && !is_vector(t);
    a[1] = list ? term_atom(ATOM_DOT) : structure ? term_atom(term_name(*term_cell(t))) : t;
    a[2] = term_small(list ? 2 : structure ? (int64_t)term_arity(*term_cell(t)) : 0);
    return OUTCOME_YES;
}

/* Returns the arguments of a list or a structure, and their number; NULL for other
 * terms. */
static const term *arguments_of(term t, uint32_t *n)
{
    *n = 0;
    if (term_tag(t) == TERM_LIST) {
        *n = 2;
        return term_cell(t);
    }
    if (term_tag(t) != TERM_STRUCT || is_vector(t))
        return NULL;
    *n = term_arity(*term_cell(t));
    return term_cell(t) + 1;
}

static enum outcome run_arg(struct pe *pe, term *a)
{
    (void)pe;
    uint32_t n;
    const term *arguments = arguments_of(a[1], &n);
    if (!term_is_integer(a[0]) || term_integer(a[0]) < 1 || term_integer(a[0]) > n)
        return OUTCOME_NO;
    a[2] = arguments[term_integer(a[0]) - 1];
    return OUTCOME_YES;
}

/* Returns a copy of a term of WORDS words with one word replaced. */
static term with_word(struct pe *pe, term t, size_t words, size_t index, term word)
{
    term *copy = heap_alloc(pe, words);
    memcpy(copy, term_cell(t), words * sizeof *copy);
    copy[index] = word;
    return term_of(copy, term_tag(t));
}

/* setarg(Position, Term, New, Result), or (Position, Term, Old, New, Result) */
static enum outcome set_argument(struct pe *pe, term *a, uint32_t last)
{
    uint32_t n;
    const term *arguments = arguments_of(a[1], &n);
    if (!term_is_integer(a[0]) || term_integer(a[0]) < 1 || term_integer(a[0]) > n)
        return OUTCOME_NO;
    size_t at = (size_t)term_integer(a[0]) - 1,
           before = (size_t)(arguments - term_cell(a[1]));
    if (last == 4)
        a[2] = arguments[at];
    a[last] = with_word(pe, a[1], before + n, before + at, a[last - 1]);
    return OUTCOME_YES;
}
static enum outcome run_setarg(struct pe *pe, term *a)
{
    return set_argument(pe, a, 3);
}
static enum outcome run_exchange_arg(struct pe *pe, term *a)
{
    return set_argument(pe, a, 4);
}

static term *new_struct(struct pe *pe, uint32_t name, uint32_t arity, term *out)
{
    term *at = heap_alloc(pe, 1 + (size_t)arity);
    at[0] = term_functor(name, arity);
    *out = term_of(at, TERM_STRUCT);
    return at + 1;
}

/* new_functor(Term, Name, Arity): a structure whose arguments are 0. */
static enum outcome run_new_functor(struct pe *pe, term *a)
{
    if (term_tag(a[1]) != TERM_ATOM || !is_index(a[2], MAX_VECTOR + 1))
        return OUTCOME_NO;
    uint32_t arity = (uint32_t)term_integer(a[2]);
    bool list = arity == 2 && a[1] == term_atom(ATOM_DOT);
    if (!arity || list) {
        a[0] = list ? heap_list(pe, term_small(0), term_small(0)) : a[1];
        return OUTCOME_YES;
    }
    term *at = new_struct(pe, term_atom_index(a[1]), arity, &a[0]);
    for (uint32_t i = 0; i < arity; i++)
        at[i] = term_small(0);
    return OUTCOME_YES;
}

/* ---- Vectors and strings ---- */

/* Counts the elements of a list; WAIT: its end, or WITH_ELEMENTS an element, is unbound.
 * NO: it is no list, or longer than MAX_STRING. */
static enum outcome length_of(struct pe *pe, term list, bool with_elements, uint32_t *n)
{
    for (*n = 0;; ++*n) {
        list = term_deref(list);
        if (list == term_atom(ATOM_NIL))
            return OUTCOME_YES;
        if (term_tag(list) == TERM_REF)
            wait_for(pe, list);
        if (term_tag(list) == TERM_REF)
            return OUTCOME_WAIT;
        if (term_tag(list) != TERM_LIST || *n > MAX_STRING)
            return OUTCOME_NO;
        term element = term_deref(term_cell(list)[0]);
        if (with_elements && term_tag(element) == TERM_REF) {
            wait_for(pe, element);
            return OUTCOME_WAIT;
        }
        list = term_cell(list)[1];
    }
}

/* new_vector(Vector, Size or List) */
static enum outcome run_new_vector(struct pe *pe, term *a)
{
    uint32_t n = 0;
    bool is_size = term_is_integer(a[1]);
    enum outcome outcome = is_size ? OUTCOME_YES : length_of(pe, a[1], false, &n);
    if (outcome != OUTCOME_YES)
        return outcome;
    if (is_size ? !is_index(a[1], MAX_VECTOR + 1) : n > MAX_VECTOR)
        return OUTCOME_NO;
    n = is_size ? (uint32_t)term_integer(a[1]) : n;
    term *at = new_struct(pe, ATOM_VECTOR, n, &a[0]);
    for (uint32_t i = 0; i < n; i++) {
        term list = is_size ? 0 : term_deref(a[1]);
        at[i] = is_size ? term_small(0) : term_cell(list)[0];
        a[1] = is_size ? a[1] : term_cell(list)[1];
    }
    return OUTCOME_YES;
}

static term new_string(struct pe *pe, uint32_t length, char **bytes)
{
    size_t words = term_string_words(length);
    term *at = heap_alloc(pe, words);
    at[words - 1] = 0; /* also the NUL at its end */
    at[0] = term_small(length);
    *bytes = (char *)(at + 1);
    return term_of(at, TERM_STRING);
}

/* new_string(String, Size or List, Width): Width must be 8 bits. */
static enum outcome run_new_string(struct pe *pe, term *a)
{
    uint32_t n = 0;
    bool is_size = term_is_integer(a[1]);
    enum outcome outcome = is_size ? OUTCOME_YES : length_of(pe, a[1], true, &n);
    if (outcome != OUTCOME_YES)
        return outcome;
    if (a[2] != term_small(8)
        || (is_size ? !is_index(a[1], MAX_STRING + 1) : n > MAX_STRING))
        return OUTCOME_NO;
    n = is_size ? (uint32_t)term_integer(a[1]) : n;
    char *bytes;
    term list = a[1];
    a[0] = new_string(pe, n, &bytes);
    memset(bytes, 0, n);
    for (uint32_t i = 0; !is_size && i < n; i++) {
        list = term_deref(list);
        term code = term_deref(term_cell(list)[0]);
        if (!is_index(code, 256))
            return OUTCOME_NO;
        bytes[i] = (char)term_integer(code);
        list = term_cell(list)[1];
    }
    return OUTCOME_YES;
}

static enum outcome run_size(struct pe *pe, term *a)
{
    (void)pe;
    a[1] = term_small(size_of(a[0]));
    return is_vector(a[0]) || term_tag(a[0]) == TERM_STRING ? OUTCOME_YES : OUTCOME_NO;
}
static enum outcome run_vector_size(struct pe *pe, term *a)
{
    return is_vector(a[0]) ? run_size(pe, a) : OUTCOME_NO;
}
static enum outcome run_string_size(struct pe *pe, term *a)
{
    a[2] = term_small(8);
    return term_tag(a[0]) == TERM_STRING ? run_size(pe, a) : OUTCOME_NO;
}

static enum outcome run_element(struct pe *pe, term *a)
{
    (void)pe;
    if (!is_index(a[1], size_of(a[0])))
        return OUTCOME_NO;
    size_t at = (size_t)term_integer(a[1]);
    a[2] = is_vector(a[0]) ? term_cell(a[0])[1 + at]
                           : term_small((unsigned char)term_bytes(a[0])[at]);
    return OUTCOME_YES;
}
static enum outcome run_vector_element(struct pe *pe, term *a)
{
    return is_vector(a[0]) ? run_element(pe, a) : OUTCOME_NO;
}
static enum outcome run_string_element(struct pe *pe, term *a)
{
    return is_vector(a[0]) ? OUTCOME_NO : run_element(pe, a);
}

/* set_element(Object, Index, New, Result), or (Object, Index, Old, New, Result) */
static enum outcome set_element(struct pe *pe, term *a, uint32_t last)
{
    if (!is_index(a[1], size_of(a[0])))
        return OUTCOME_NO;
    size_t at = (size_t)term_integer(a[1]), n = size_of(a[0]);
    term fresh = a[last - 1];
    if (last == 4)
        (void)run_element(pe, a);
    if (is_vector(a[0])) {
        a[last] = with_word(pe, a[0], 1 + n, 1 + at, fresh);
        return OUTCOME_YES;
    }
    fresh = term_deref(fresh);
    if (term_tag(fresh) == TERM_REF) {
        wait_for(pe, fresh);
        return OUTCOME_WAIT;
    }
    if (!is_index(fresh, 256))
        return OUTCOME_NO;
    char *bytes;
    a[last] = new_string(pe, (uint32_t)n, &bytes);
    memcpy(bytes, term_bytes(a[0]), n);
    bytes[at] = (char)term_integer(fresh);
    return OUTCOME_YES;
}
static enum outcome run_set_element(struct pe *pe, term *a)
{
    return set_element(pe, a, 3);
}
static enum outcome run_exchange_element(struct pe *pe, term *a)
{
    return set_element(pe, a, 4);
}

/* Returns a copy of N elements of a vector or a string. */
static term part_of(struct pe *pe, term t, uint32_t from, uint32_t n)
{
    term part;
    char *bytes;
    if (is_vector(t)) {
        memcpy(new_struct(pe, ATOM_VECTOR, n, &part), term_cell(t) + 1 + from,
               n * sizeof part);
    } else {
        part = new_string(pe, n, &bytes);
        memcpy(bytes, term_bytes(t) + from, n);
    }
    return part;
}

static enum outcome run_split(struct pe *pe, term *a)
{
    uint32_t n = size_of(a[0]);
    if ((!is_vector(a[0]) && term_tag(a[0]) != TERM_STRING) || !is_index(a[1], n + 1))
        return OUTCOME_NO;
    uint32_t at = (uint32_t)term_integer(a[1]);
    a[2] = part_of(pe, a[0], 0, at);
    a[3] = part_of(pe, a[0], at, n - at);
    return OUTCOME_YES;
}

static enum outcome run_join(struct pe *pe, term *a)
{
    uint32_t n = size_of(a[0]), m = size_of(a[1]);
    bool vectors = is_vector(a[0]) && is_vector(a[1]);
    if (!vectors && (term_tag(a[0]) != TERM_STRING || term_tag(a[1]) != TERM_STRING))
        return OUTCOME_NO;
    if (n + m > (vectors ? MAX_VECTOR : MAX_STRING))
        return OUTCOME_NO;
    char *bytes;
    if (vectors) {
        term *at = new_struct(pe, ATOM_VECTOR, n + m, &a[2]);
        memcpy(at, term_cell(a[0]) + 1, n * sizeof *at);
        memcpy(at + n, term_cell(a[1]) + 1, m * sizeof *at);
    } else {
        a[2] = new_string(pe, n + m, &bytes);
        memcpy(bytes, term_bytes(a[0]), n);
        memcpy(bytes + n, term_bytes(a[1]), m);
    }
    return OUTCOME_YES;
}

/* search_character(String, Start, End, Code, Where): the first index in Start..End-1, or
 * -1. */
static enum outcome run_search(struct pe *pe, term *a)
{
    (void)pe;
    uint32_t n = size_of(a[0]);
    if (term_tag(a[0]) != TERM_STRING || !is_index(a[1], n + 1) || !is_index(a[2], n + 1)
        || !is_index(a[3], 256))
        return OUTCOME_NO;
    const char *bytes = term_bytes(a[0]);
    a[4] = term_small(-1);
    for (int64_t i = term_integer(a[1]); i < term_integer(a[2]); i++)
        if ((unsigned char)bytes[i] == term_integer(a[3])) {
            a[4] = term_small(i);
            break;
        }
    return OUTCOME_YES;
}

/* ---- The run ---- */

static enum outcome run_node(struct pe *pe, term *a)
{
    a[0] = term_small(pe->number);
    a[1] = term_small(pe->machine->n_pes);
    return OUTCOME_YES;
}

/* Goals have no priorities here: each has the highest. */
static enum outcome run_priority(struct pe *pe, term *a)
{
    (void)pe;
    a[0] = term_small((INT64_C(1) << 59) - 1);
    return OUTCOME_YES;
}

static enum outcome run_argc(struct pe *pe, term *a)
{
    a[0] = term_small((int64_t)pe->machine->options.n_arguments);
    return OUTCOME_YES;
}

static enum outcome run_argv(struct pe *pe, term *a)
{
    const struct fghc_options *options = &pe->machine->options;
    a[0] = term_atom(ATOM_NIL);
    for (size_t i = options->n_arguments; i--;) {
        char *bytes;
        size_t length = strlen(options->arguments[i]);
        if (length > MAX_STRING)
            return OUTCOME_NO;
        term *pair = heap_alloc(pe, 2);
        pair[0] = new_string(pe, (uint32_t)length, &bytes);
        memcpy(bytes, options->arguments[i], length);
        pair[1] = a[0];
        a[0] = term_of(pair, TERM_LIST);
    }
    return OUTCOME_YES;
}

/* ---- The table ---- */

enum { A = 1, B = 2, C = 4, D = 8, E = 16 }; /* bit masks of arguments */
enum where { BODY = 1, GUARD = 2, BOTH = 3 };

static const struct function {
    const char *name;
    uint8_t arity;
    enum where where;
    uint8_t inputs, outputs;
    enum outcome (*run)(struct pe *pe, term *a);
} functions[] = {
    { "functor", 3, BOTH, A, B | C, run_functor },
    { "arg", 3, BOTH, A | B, C, run_arg },
    { "setarg", 4, BODY, A | B, D, run_setarg },
    { "setarg", 5, BODY, A | B, C | E, run_exchange_arg },
    { "new_functor", 3, BODY, B | C, A, run_new_functor },
    { "new_vector", 2, BODY, B, A, run_new_vector },
    { "vector", 2, BOTH, A, B, run_vector_size },
    { "vector_element", 3, BOTH, A | B, C, run_vector_element },
    { "set_vector_element", 4, BODY, A | B, D, run_set_element },
    { "set_vector_element", 5, BODY, A | B, C | E, run_exchange_element },
    { "split_vector", 4, BODY, A | B, C | D, run_split },
    { "join_vector", 3, BODY, A | B, C, run_join },
    { "new_string", 3, BODY, B | C, A, run_new_string },
    { "string", 3, BOTH, A, B | C, run_string_size },
    { "string_element", 3, BOTH, A | B, C, run_string_element },
    { "set_string_element", 4, BODY, A | B | C, D, run_set_element },
    { "split_string", 4, BODY, A | B, C | D, run_split },
    { "join_string", 3, BODY, A | B, C, run_join },
    { "search_character", 5, BODY, A | B | C | D, E, run_search },
    { "string_less_than", 2, GUARD, A | B, 0, run_before },
    { "string_not_less_than", 2, GUARD, A | B, 0, run_not_before },
    { "generic:vector", 2, BOTH, A, B, run_vector_size },
    { "generic:string", 3, BOTH, A, B | C, run_string_size },
    { "generic:size", 2, BOTH, A, B, run_size },
    { "generic:element", 3, BOTH, A | B, C, run_element },
    { "generic:set_element", 4, BODY, A | B, D, run_set_element },
    { "generic:set_element", 5, BODY, A | B, C | E, run_exchange_element },
    { "generic:split", 4, BODY, A | B, C | D, run_split },
    { "generic:join", 3, BODY, A | B, C, run_join },
    { "generic:search_character", 5, BODY, A | B | C | D, E, run_search },
    { "compare", 3, BOTH, 0, C, run_compare },
    { "@<", 2, GUARD, 0, 0, run_before },
    { "@=<", 2, GUARD, 0, 0, run_not_after },
    { "@>", 2, GUARD, 0, 0, run_after },
    { "@>=", 2, GUARD, 0, 0, run_not_before },
    { "hash", 2, BOTH, A, B, run_hash },
    { "current_priority", 1, BOTH, 0, A, run_priority },
    { "current_node", 2, BODY, 0, A | B, run_node },
    { "argc", 1, BODY, 0, A, run_argc },
    { "argv", 1, BODY, 0, A, run_argv },
};

int function_find(const char *name, uint32_t arity, bool in_guard)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].arity == arity && strcmp(functions[i].name, name) == 0
            && functions[i].where & (in_guard ? GUARD : BODY))
            return (int)i;
    return -1;
}

const char *function_name(int function)
{
    return functions[function].name;
}

uint32_t function_arity(int function)
{
    return functions[function].arity;
}

uint32_t function_inputs(int function)
{
    return functions[function].inputs;
}

uint32_t function_outputs(int function)
{
    return functions[function].outputs;
}

enum outcome function_run(struct pe *pe, uint32_t function, term *arguments)
{
    const struct function *f = &functions[function];
    bool waits = false;
    for (uint32_t i = 0; i < f->arity; i++)
        if (f->inputs >> i & 1) {
            arguments[i] = term_deref(arguments[i]);
            if (term_tag(arguments[i]) != TERM_REF)
                continue;
            wait_for(pe, arguments[i]);
            waits = true;
        }
    return waits ? OUTCOME_WAIT : f->run(pe, arguments);
}

/*
 * Waits until a list has an end.  The argument is the rest of the list that was not visited
 * yet. A rest longer than MAX_VECTOR, perhaps endless, counts as ended.
 */
static bool when_closed(struct pe *pe, struct goal *goal, uint32_t argument)
{
    term list = term_deref(goal->arguments[argument]);
    for (uint32_t n = 0; term_tag(list) == TERM_LIST; n++)
        list = n > MAX_VECTOR ? term_atom(ATOM_NIL) : term_deref(term_cell(list)[1]);
    goal->arguments[argument] = list;
    if (term_tag(list) == TERM_REF)
        again_when(pe, goal, list);
    return term_tag(list) != TERM_REF;
}

/*
 * Waits for the list of which new_vector or new_string makes its result.  The goal gets one
 * more argument, the part of the list still to be waited for, so that the list is not
 * visited from its begin each time.  Returns the goal, or NULL when it is suspended.
 */
static struct goal *when_listed(struct pe *pe, struct goal *goal, const struct function *f)
{
    bool is_string = f->run == run_new_string;
    if (!is_string && f->run != run_new_vector)
        return goal;
    if (goal->arity == f->arity) {
        struct goal *fresh =
            process_of(pe, goal, (enum builtin)goal->procedure, f->arity + UINT32_C(1));
        memcpy(fresh->arguments, goal->arguments, f->arity * sizeof(term));
        fresh->arguments[f->arity] =
            is_string ? heap_list(pe, goal->arguments[1], term_atom(ATOM_NIL))
                      : goal->arguments[1];
        goal_free(pe, goal);
        goal = fresh;
    }
    bool is_ready =
        is_string ? when_known(pe, goal, f->arity) : when_closed(pe, goal, f->arity);
    return is_ready ? goal : NULL;
}

void run_function(struct pe *pe, struct goal *goal)
{
    uint32_t function = goal->procedure - BUILTIN_FUNCTION;
    const struct function *f = &functions[function];
    term arguments[MAX_FUNCTION_ARITY];
    goal = when_listed(pe, goal, f);
    if (!goal)
        return;
    memcpy(arguments, goal->arguments, f->arity * sizeof *arguments);
    pe->n_waited = 0;
    switch (function_run(pe, function, arguments)) {
    case OUTCOME_WAIT: suspend(pe, goal); return;
    case OUTCOME_NO: builtin_fail(pe, goal, "these are no arguments for it"); return;
    case OUTCOME_YES: break;
    }
    for (uint32_t i = 0; i < f->arity; i++)
        if (f->outputs >> i & 1
            && unify(pe, goal->arguments[i], arguments[i]) != OUTCOME_YES) {
            builtin_fail(pe, goal, "a result has another value already");
            return;
        }
    goal_free(pe, goal);
}
