/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the machine: bind.c the heap, variables and waiting, match.c heads, guards and
 * arithmetic, schedule.c PEs and their goals, machine.c reductions, builtin.c processes of the
 * system, print.c terms as text.
 */
#ifndef WEFT_FGHC_MACHINE_PRIV_H
#define WEFT_FGHC_MACHINE_PRIV_H

#include <pthread.h>

#include "fghc/machine.h"

enum { MOST_WAITED = 16, CHUNK = 1 << 20 };

struct goal {
    struct goal *next, *previous; /* in a PE's stack */
    uint32_t procedure;           /* or the builtin, when is_builtin */
    uint32_t arity, line;
    uint32_t parent_index;
    uint16_t parent_pe;
    bool is_builtin;
    term arguments[];
};

/* A goal that waits: shared by the cells of all variables that it waits for. */
struct suspension {
    struct suspension *next;     /* all of a PE's, for the report at the end */
    _Atomic(struct goal *) goal; /* taken by whoever wakes it first */
};
struct waiter {
    struct suspension *suspension;
    term next; /* another WAIT word, or the cell's own REF */
};

struct pe {
    struct machine *machine;
    unsigned number;
    pthread_t thread;
    /* heap */
    char *free, *limit;
    struct chunk *chunks;
    /* goals, the newest first; others take from the oldest */
    pthread_spinlock_t lock;
    struct goal *newest, *oldest;
    _Atomic uint32_t n_goals;
    struct suspension *suspensions;
    uint64_t reductions, n_suspensions, migrations, dice;
    struct fghc_record *records;
    size_t n_records, record_capacity;
    /* of the reduction that is tried */
    term *variables; /* [largest n_variables] */
    term waited[MOST_WAITED];
    uint32_t n_waited;
    char apart[128]; /* no two PEs write to one line of the cache */
};

struct machine {
    struct program *program;
    struct fghc_options options;
    struct pe *pes;
    unsigned n_pes;
    struct timespec began;
    _Atomic uint64_t bytes;
    _Atomic bool stop;
    pthread_mutex_t idle_lock;
    pthread_cond_t idle_changed;
    unsigned n_idle;
    pthread_mutex_t out_lock;
    struct weft_err err; /* of the first that failed; under idle_lock */
};

/* ---- bind.c ---- */
term *heap_take(struct pe *pe, size_t words);
term heap_variable(struct pe *pe);
term heap_integer(struct pe *pe, int64_t value);
term heap_string(struct pe *pe, const char *text);
const char *string_text(term t);
/* Active unification; false: the terms differ. */
bool unify(struct pe *pe, term a, term b);
/* Let a goal wait for the unbound cells in pe->waited; it may be woken at once. */
void suspend(struct pe *pe, struct goal *goal);

/* ---- match.c ---- */
enum outcome { OUTCOME_YES, OUTCOME_NO, OUTCOME_WAIT };
enum outcome match(struct pe *pe, const struct node *pattern, term value);
enum outcome test_guard(struct pe *pe, const struct goal_call *goal);
term build(struct pe *pe, const struct node *node);
/* The value of an arithmetic expression; on WAIT the variable is noted in pe->waited. */
enum outcome evaluate(struct pe *pe, term expression, int64_t *value);
void wait_for(struct pe *pe, term variable);

/* ---- schedule.c ---- */
struct goal *goal_new(uint32_t procedure, uint32_t arity);
void push_goal(struct pe *pe, struct goal *goal);
/* The next goal; NULL at the end of the run. */
struct goal *next_goal(struct pe *pe);
void stop_with(struct machine *machine, enum weft_err_code code, uint32_t line,
               const char *fmt, ...) WEFT_PRINTF(4, 5);

/* ---- machine.c, builtin.c, print.c ---- */
void reduce(struct pe *pe, struct goal *goal);
void run_builtin(struct pe *pe, struct goal *goal);
void print_term(FILE *out, const struct program *program, term t, bool quotes);
char *goal_text(const struct machine *machine, const struct goal *goal);

#endif
