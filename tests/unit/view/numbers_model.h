/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slow, obvious second implementation of what tables of numbers count: a small random
 * trace as a plain list of all its states, events and links, selections that are asked one
 * thing at a time, and rows that are asked what they did one tick at a time.
 */
#ifndef WEFT_TESTS_NUMBERS_MODEL_H
#define WEFT_TESTS_NUMBERS_MODEL_H

#include "tests/small_store.h"

enum {
    NUMBERS_PROCESSES = 2,
    NUMBERS_THREADS = 6,
    NUMBERS_LOCKS = 2,
    NUMBERS_SITES = 4,
    NUMBERS_VALUES = 9,  /* of states */
    NUMBERS_SPAN = 100,  /* ticks, of 1 ns */
    NUMBERS_ITEMS = 800, /* the most in a trace */
    NUMBERS_TERMS = 16,  /* the most in a selection */
};

/* A state, event or link. */
struct numbers_item {
    enum weft_kind kind;
    bool call;          /* a state of the thread's calls, not of its scheduling */
    bool wakes;         /* a link that is a wake-up */
    uint32_t container; /* of a state or an event */
    int value;          /* of a state: index of numbers_values; else -1 */
    int64_t begin, end;
    int depth;
    int lock, site;    /* of a state: its object and its place; -1: none */
    uint32_t peer;     /* of a call: the thread that it names, or WEFT_NONE */
    uint32_t from, to; /* of a link */
    int waits;         /* of a wake-up: index of the state that it names; -1: none */
    uint64_t id;       /* while building */
};

/* The role of a state's value, in words of doc/command-line.md and doc/roles.md. */
struct numbers_value {
    const char *name;
    enum weft_role role;
    bool call;
    const char *class;
    bool waits; /* a wait, of which partners and wakers are known */
};
extern const struct numbers_value numbers_values[NUMBERS_VALUES];

struct numbers {
    struct weft_trace *trace;
    const struct weft_source *source;
    uint32_t processes[NUMBERS_PROCESSES], threads[NUMBERS_THREADS], locks[NUMBERS_LOCKS];
    struct numbers_item list[NUMBERS_ITEMS];
    int n;
};

/* Makes a random trace; numbers_end() closes it. */
void numbers_begin(struct numbers *numbers);
void numbers_end(struct numbers *numbers);

/* Texts of tables. */
const char *numbers_name(const struct numbers *numbers, uint32_t container); /* "": none */
const char *numbers_site(int site, bool line);                               /* -1: "" */
const char *numbers_type(const struct numbers_item *item);
const char *numbers_value_name(const struct numbers_item *item);

/* Returns the partner, or the waker, of ITEM, as doc/selections.md says; WEFT_NONE: none. */
uint32_t numbers_partner(const struct numbers *numbers, const struct numbers_item *item);
uint32_t numbers_waker(const struct numbers *numbers, const struct numbers_item *item);
/* Returns true if CONTAINER is ROOT or in it. */
bool numbers_is_in(const struct numbers *numbers, uint32_t container, uint32_t root);

/* A random selection: terms, and how they are joined. */
struct numbers_selection {
    enum { SELECT_ALL, SELECT_TERM, SELECT_AND, SELECT_OR, SELECT_NOT } join;
    int a, b; /* of joins: indices in the same array */
    enum {
        TERM_VALUE,
        TERM_STATE,
        TERM_ROW,
        TERM_ROW_IN,
        TERM_DURATION,
        TERM_OBJECT,
        TERM_SITE,
        TERM_PARTNER,
        TERM_WAKER,
        TERM_TIME,
        TERMS
    } term;
    int64_t n, length; /* what the term compares with */
};
/* Sets the array to a random selection, whose root is the first, and TEXT to its text. */
void numbers_select(struct numbers_selection *array, char *text, size_t size);
/* Returns true if element AT of the array means ITEM. */
bool numbers_holds(const struct numbers *numbers, const struct numbers_selection *array,
                   int at, const struct numbers_item *item);

/*
 * Returns the index of the state that THREAD is in at the tick TIME, as
 * analyse/activity_intervals.h says; -1: in none.
 */
int numbers_state_at(const struct numbers *numbers, uint32_t thread, int64_t time);
/* Returns true if THREAD has states, and true in *SCHEDULED if some are no calls. */
bool numbers_has_states(const struct numbers *numbers, uint32_t thread, bool *scheduled);

#endif
