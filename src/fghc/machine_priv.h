/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the machine.
 *
 *     run.c       the instructions: one goal after the other, as far as a chain of first
 *                 goals goes
 *     bind.c      unification, waiting and waking
 *     arith.c     numbers
 *     heap.c      where terms are; collect.c what is no longer needed there
 *     goals.c     goals that are not running: their memory, and each PE's stack of them
 *     schedule.c  PEs without goals, and the safe points at which they meet
 *     record.c    what a recording keeps
 *     builtin.c, stream.c  processes of the system
 *     print.c     terms as text
 *     machine.c   a run from its start to its end
 *
 * A PE is one thread.  What others may touch of it are the atomic fields of struct pe; all
 * else belongs to its thread.  Between two reductions it looks at one word, "attention".
 */
#ifndef WEFT_FGHC_MACHINE_PRIV_H
#define WEFT_FGHC_MACHINE_PRIV_H

#include <pthread.h>

#include "fghc/machine.h"

enum { MOST_STOLEN = 32, LINE_OF_CACHE = 64 };

enum outcome { OUTCOME_YES, OUTCOME_NO, OUTCOME_WAIT };

/* ---- Goals ---- */

struct goal {
    /* Counts up; odd: it waits.  Who makes an odd number even has the goal. */
    _Atomic uint32_t wait;
    uint32_t parent_index;
    uint16_t parent_pe, procedure; /* or the builtin, when is_builtin */
    uint16_t site;                 /* in program.calls */
    uint8_t arity, size_class;
    bool is_builtin, is_used;
    union {
        struct goal *next;         /* of those that are not used */
        struct fghc_wait *waiting; /* in a recording, of a goal that was suspended */
    };
    term arguments[];
};
_Static_assert(sizeof(struct goal) == 32, "a goal's head is half a line of the cache");

enum { GOAL_CLASSES = 13, GOALS_A_BATCH = 64 };

struct goal_batch { /* a chain of goals of one class that are not used */
    struct goal *first;
    uint32_t n;
};

struct goal_slab {
    struct goal_slab *next;
    uint32_t n;
    size_t stride;
    char *goals;
};

struct goal_pool {
    pthread_mutex_t lock;
    struct goal **batches[GOAL_CLASSES]; /* each GOALS_A_BATCH long */
    size_t n_batches[GOAL_CLASSES], capacity[GOAL_CLASSES];
    struct goal_slab *slabs;
    _Atomic uint64_t bytes;
};

/* ---- Heap ---- */

enum { CHUNK_BITS = 18, CHUNK = 1 << CHUNK_BITS };
enum { LEAST_USED = 8 << 20 }; /* bytes, before it is worth to reclaim some */

struct heap {
    pthread_mutex_t lock;
    char *base;
    size_t mapped;
    uint8_t *spaces; /* [n_chunks] 0: free; 1, 2: the one in use, and that before */
    uint32_t *free;  /* chunks that were used before */
    size_t n_chunks, n_free, n_fresh; /* n_fresh: chunks from here on were never used */
    size_t used, trigger, most;       /* in chunks */
    uint8_t space;
    void **beyond; /* what did not fit: the run ends */
    size_t n_beyond, beyond_capacity;
};

/* A goal that waits for a cell: a chain of these hangs at it. */
struct waiter {
    struct goal *goal;
    term next;     /* another WAIT word, or the cell's own REF */
    uint64_t wait; /* the goal's, as long as it still waits */
};
enum { WAITER_WORDS = sizeof(struct waiter) / sizeof(term) };

/* ---- Processing elements ---- */

enum attention {
    ATTENTION_STOP = 1,
    ATTENTION_COLLECT = 2, /* come to where memory is reclaimed */
    ATTENTION_WANTED = 4,  /* another PE asks for goals */
};
enum mail { MAIL_NONE, MAIL_AWAITED, MAIL_EMPTY, MAIL_GOALS };

struct pe {
    /* What is touched in each reduction. */
    _Atomic uint32_t attention;
    _Atomic bool has_goals; /* to give away */
    bool is_builtin;        /* what runs is a process of the system */
    uint16_t number, procedure, site, parent_pe;
    uint32_t parent_index;
    uint32_t n_waited;
    term *registers, *others; /* [most_registers] each */
    char *free, *limit;       /* heap */
    struct goal **stack;      /* goals: a ring, the newest at newest - 1 */
    uint64_t oldest, newest, stack_mask;
    uint64_t reductions;
    struct machine *machine;
    const union word *code;
    const term *constants;
    const struct procedure *procedures;
    term unknown; /* a variable that is never bound: it refers to itself */
    term *waited; /* unbound variables that clauses asked for */
    size_t waited_capacity;
    struct fghc_wait *waiting; /* in a recording: of the goal that runs */
    struct fghc_recording recording;
    struct goal_batch goals[GOAL_CLASSES], spare[GOAL_CLASSES];
    uint32_t n_live; /* registers that hold the running goal, at a safe point */
    uint64_t n_suspensions, migrations, dice;
    uint64_t stolen_at; /* reductions when goals were last got from another */
    uint32_t patience;  /* how long it waits before it asks again */
    pthread_t thread;
    /* What others touch. */
    _Alignas(LINE_OF_CACHE) _Atomic int asker;
    _Atomic int mail;
    uint32_t n_mail;
    struct goal *mailed[MOST_STOLEN];
    char apart[LINE_OF_CACHE]; /* no two PEs write to one line of the cache */
};

struct machine {
    struct program *program;
    struct fghc_options options;
    struct pe *pes;
    unsigned n_pes;
    struct heap heap;
    struct goal_pool pool;
    term *answers; /* of the goal's variables */
    uint32_t n_answers;
    /* where PEs meet */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_idle, n_arrived;
    _Atomic unsigned n_ready; /* PEs whose threads run; they all begin together */
    _Atomic bool begun;
    _Atomic unsigned collections;
    bool is_crowded;     /* more PEs than processors */
    struct weft_err err; /* of the first that failed */
    _Atomic bool stopped;
    bool has_counter;      /* times are of the processor's own counter */
    uint64_t began, ended; /* ns */
    uint64_t first_tick, last_tick;
    pthread_mutex_t out_lock;
};

/* ---- run.c ---- */
/* Reduce the goal in the registers, then what it makes, as far as first goals go. */
void run_goal(struct pe *pe);
/* What a body's operand means. */
static inline term pe_operand(const struct pe *pe, uint16_t operand)
{
    return operand < OPERAND_CONSTANT ? pe->registers[operand]
                                      : pe->constants[operand - OPERAND_CONSTANT];
}

/* Terms may be cyclic: what is deeper, or takes longer, than any that fits is given up. */
enum { MOST_TERM_DEPTH = 10000, MOST_STEPS = 200000000 };

/* ---- arith.c ---- */
static inline bool numbers_are(enum test test, int64_t a, int64_t b)
{
    return test == TEST_LESS           ? a < b
           : test == TEST_GREATER      ? a > b
           : test == TEST_AT_MOST      ? a <= b
           : test == TEST_AT_LEAST     ? a >= b
           : test == TEST_OTHER_NUMBER ? a != b
                                       : a == b;
}
/* x (op) y; on WAIT what is missing is noted, on NO there is no such number. */
enum outcome arithmetic(struct pe *pe, enum operation op, term x, term y, term *result);
enum outcome compare_numbers(struct pe *pe, enum test test, term x, term y);
/* The value of an expression that is a term. */
enum outcome evaluate(struct pe *pe, term expression, term *value);

/* ---- heap.c ---- */
bool heap_open(struct heap *heap, uint64_t bytes, unsigned pes, struct weft_err *err);
void heap_close(struct heap *heap);
/* A chunk of the space in use, or NULL; asks for a collection when many are used. */
char *heap_chunk(struct machine *machine);
term *heap_take_chunk(struct pe *pe, size_t words);
static inline term *heap_take(struct pe *pe, size_t words)
{
    size_t size = words * sizeof(term);
    if ((size_t)(pe->limit - pe->free) < size)
        return heap_take_chunk(pe, words);
    term *at = (term *)(void *)pe->free;
    pe->free += size;
    return at;
}
static inline term heap_variable(struct pe *pe)
{
    term *cell = heap_take(pe, 1);
    *cell = term_of(cell, TERM_REF);
    return *cell;
}
term heap_integer(struct pe *pe, int64_t value);

/* ---- collect.c ---- */
/* Keep what is still needed; all PEs are at a safe point.  False: that is too much. */
bool collect_heap(struct machine *machine);

/* ---- bind.c ---- */
void wait_for(struct pe *pe, term variable);
/* Are two terms the same?  Passive: what keeps that open is noted. */
enum outcome same_terms(struct pe *pe, term a, term b);
/* Active unification; NO: the terms differ, WAIT: they are nested too deeply to tell. */
enum outcome unify(struct pe *pe, term a, term b);
/* Let a goal wait for the variables in pe->waited; it may be woken at once. */
void suspend(struct pe *pe, struct goal *goal);

/* ---- goals.c ---- */
void goals_open(struct goal_pool *pool);
void goals_close(struct goal_pool *pool);
struct goal *goal_new(struct pe *pe, uint32_t arity);
void goal_free(struct pe *pe, struct goal *goal);
void push_goal(struct pe *pe, struct goal *goal);
/* The newest, or with a seed any of the newest; NULL: there is none. */
struct goal *pop_goal(struct pe *pe);
/* Hand the oldest to a PE that asked. */
void give_goals(struct pe *pe, struct pe *to);
uint64_t roll(struct pe *pe);

/* ---- schedule.c ---- */
/* What the word of attention says; false: the run has ended. */
bool attend(struct pe *pe);
static inline bool safe_point(struct pe *pe)
{
    return !atomic_load_explicit(&pe->attention, memory_order_relaxed) || attend(pe);
}
/* The next goal; NULL at the end of the run. */
struct goal *next_goal(struct pe *pe);
void call_for(struct machine *machine, enum attention what);
/* End the run with an error; SITE: in program.calls, or 0. */
void stop_with(struct machine *machine, enum weft_err_code code, uint32_t site,
               const char *fmt, ...) WEFT_PRINTF(4, 5);

/* ---- record.c ---- */
bool record_counter_is_clock(void);
uint64_t record_nanoseconds(void);
uint64_t record_tick(const struct machine *machine);
/* Make nanoseconds from the start of all ticks. */
void record_convert(struct machine *machine, struct fghc_recording *recording);
void record_reduction(struct pe *pe, uint32_t clause);
void record_suspension(struct pe *pe, struct goal *goal);
void record_waking(struct pe *pe, struct goal *goal);
void record_idle(struct pe *pe, uint64_t since);

/* ---- builtin.c, stream.c, print.c ---- */
void run_builtin(struct pe *pe, struct goal *goal);
void run_outstream(struct pe *pe, struct goal *goal);
void run_klicio(struct pe *pe, struct goal *goal);
void run_merge(struct pe *pe, struct goal *goal);
/* Try a goal again when T is bound. */
void again_when(struct pe *pe, struct goal *goal, term t);
/* End the run: the goal fails. */
void builtin_fail(struct pe *pe, struct goal *goal, const char *why);
/* NO: an unbound variable in it is noted; WAIT: it is nested too deeply. */
enum outcome is_known(struct pe *pe, term t);
void print_term(FILE *out, const struct program *program, term t, bool quotes);
/* A term, and a goal, for an error's line; the caller frees it. */
char *term_text(const struct machine *machine, term t);
char *goal_text(const struct machine *machine, const struct goal *goal);

#endif
