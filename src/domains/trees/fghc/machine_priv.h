/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the machine.
 *
 *     run.c       the instructions: reduces a goal, then the first goal of its body, and so on
 *                 until a body has no goal
 *     bind.c      unification, waiting and waking
 *     arith.c     numbers
 *     heap.c      memory for terms; collect.c reclaims it
 *     goals.c     goals that are not running: their memory, and each PE's stack of them
 *     schedule.c  PEs without goals, and the safe points at which all PEs stop
 *     record.c    what a recording keeps
 *     builtin.c, stream.c  processes of the system; functions.c those that are functions
 *     ends.c      what streams read and write
 *     print.c     terms as text; read.c terms of a text
 *     walk.c      terms part by part, without recursion
 *     machine.c   a run from its start to its end
 *
 * A PE is one thread.  Other threads touch the atomic fields of its struct pe, and its mail
 * while it waits for some; all else belongs to its own thread.  A safe point is the moment
 * between two reductions: there a PE looks at one word, its `attention`, in which others
 * ask it for something.
 */
#ifndef WEFT_FGHC_MACHINE_PRIV_H
#define WEFT_FGHC_MACHINE_PRIV_H

#include <pthread.h>

#include "domains/trees/fghc/machine.h"
#include "domains/trees/fghc/print.h"
#include "domains/trees/fghc/recording.h"
#include "domains/trees/fghc/walk.h"

enum {
    MOST_STOLEN = 32, /* goals that a PE gives to one that asks: a quarter of its stack, or
                           so many, which it copies before its own next reduction */
    LINE_OF_CACHE = 64, /* bytes, of the processors that are built for */
};

enum outcome { OUTCOME_YES, OUTCOME_NO, OUTCOME_WAIT };

/* ---- Goals ---- */

struct goal {
    /*
     * Counts suspensions and wakings: odd while the goal waits.  Several PEs may bind
     * variables that it waits for: the one whose compare-and-swap makes the odd number even
     * takes the goal.
     */
    _Atomic uint32_t wait;
    uint32_t parent_index;
    uint16_t parent_pe, procedure; /* or the builtin, when is_builtin */
    uint16_t site;                 /* in program.calls */
    uint8_t arity, size_class;
    bool is_builtin, is_used;
    union {
        struct goal *next;         /* in the chain of unused goals */
        struct fghc_wait *waiting; /* in a recording, when the goal was suspended */
    };
    term arguments[];
};
_Static_assert(sizeof(struct goal) == 32, "a goal's head is half a line of the cache");

enum {
    GOAL_CLASSES = 13,  /* sizes of goals: class_arity in goals.c has their arguments */
    GOALS_A_BATCH = 64, /* goals that move between a PE and the pool under one lock */
};

struct goal_batch { /* a chain of unused goals of one class */
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

/*
 * Bytes that a PE takes from the heap at a time: large, so that it seldom takes the lock.
 */
enum { CHUNK_BITS = 18, CHUNK = 1 << CHUNK_BITS };
/* Bytes in use below which memory is not reclaimed: stopping all PEs would cost more. */
enum { LEAST_USED = 8 << 20 };

struct heap {
    pthread_mutex_t lock;
    char *base;
    size_t mapped;
    uint8_t *spaces; /* [n_chunks] 0: free; else 1 or 2, in turns from collection to next */
    uint32_t *free;  /* [n_free] chunks that were used and are free again */
    size_t n_chunks, n_free, n_fresh; /* chunks from n_fresh on were never used */
    size_t used, trigger, most;       /* in chunks */
    uint8_t space;
    void **beyond; /* memory given out after the heap was full, until the run ends */
    size_t n_beyond, beyond_capacity;
};

/* A goal that waits for a cell.  The cell holds the first of a chain of these. */
struct waiter {
    struct goal *goal;
    term next;     /* another WAIT word, or the cell's own REF */
    uint64_t wait; /* the goal's when it was suspended; if it differs now, it was woken */
};
enum { WAITER_WORDS = sizeof(struct waiter) / sizeof(term) };

/* ---- Processing elements ---- */

/* When a recorded PE was last known to have its processor. */
struct presence {
    uint64_t latest; /* tick of the latest record */
    uint64_t tick, ns,
        cpu_ns; /* one moment: ticks, time, and the PE's time on processors */
};

enum attention {
    ATTENTION_STOP = 1,
    ATTENTION_COLLECT = 2, /* stop, so that memory can be reclaimed */
    ATTENTION_WANTED = 4,  /* another PE asks for goals */
    ATTENTION_FLUSH = 8,   /* write what was recorded */
};
enum mail { MAIL_NONE, MAIL_AWAITED, MAIL_EMPTY, MAIL_GOALS };

struct pe {
    /* Fields that every reduction touches come first. */
    _Atomic uint32_t attention;
    _Atomic bool has_goals; /* that it could give to another PE */
    bool is_builtin;        /* the running goal is a process of the system */
    uint16_t number, procedure, site, parent_pe;
    uint32_t parent_index;
    uint32_t n_waited;
    term *registers, *others; /* [most_registers] each */
    char *free, *limit;       /* heap */
    struct goal **stack;      /* a ring of goals, the newest at newest - 1 */
    uint64_t oldest, newest, stack_mask;
    uint64_t reductions;
    struct machine *machine;
    const union word *code;
    const term *constants;
    const struct procedure *procedures;
    term unknown; /* a variable that nothing binds: a cell that refers to itself */
    term *waited; /* unbound variables that clauses of the running goal need */
    size_t waited_capacity;
    struct walk walk;
    int64_t *values; /* of an expression that is a term */
    size_t value_capacity;
    struct result { /* of the parts of such an expression, by their classes in the walk */
        int64_t value;
        bool is_known;
    } * results;
    size_t result_capacity;
    bool by_zero;              /* it divided by 0 */
    struct fghc_wait *waiting; /* of the running goal, in a run that is recorded */
    struct record_log log;
    struct presence presence;
    struct goal_batch goals[GOAL_CLASSES], spare[GOAL_CLASSES];
    uint32_t n_live; /* registers that hold the running goal, at a safe point */
    uint64_t n_suspensions, migrations, dice;
    uint64_t stolen_at; /* `reductions` when goals last came from another PE */
    uint32_t patience;  /* pauses that it makes before it asks another PE */
    pthread_t thread;
    /* Fields that other threads touch stand on lines of the cache of their own. */
    _Alignas(LINE_OF_CACHE) _Atomic int asker;
    _Atomic int mail;
    uint32_t n_mail;
    struct goal *mailed[MOST_STOLEN];
    char apart[LINE_OF_CACHE]; /* from the next struct pe */
};

struct program_file { /* that the program has opened */
    FILE *stream;     /* NULL: it is closed again */
    char *path;
    int error; /* errno of the first write that failed; 0: none did */
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
    /* For PEs that are idle or stop together. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_idle, n_arrived;
    _Atomic unsigned n_ready; /* PEs whose threads have started; all begin together */
    _Atomic bool begun;
    _Atomic unsigned collections;
    bool is_crowded;     /* more PEs than processors */
    struct weft_err err; /* of the first PE that failed */
    _Atomic bool stopped;
    bool has_counter;      /* times are read from the processor's counter */
    uint64_t began, ended; /* ns */
    uint64_t first_tick;
    struct recorder recorder;
    pthread_mutex_t out_lock;
    uint64_t name_bytes; /* under out_lock: of names that the run has read */
    FILE *given_in, *given_out,
        *given_errors;          /* by the caller: ends_open may replace them */
    struct program_file *files; /* under out_lock */
    size_t n_files, file_capacity;
    struct weft_err lost; /* of the first file that could not be written */
    pthread_t watcher;
    pthread_cond_t over; /* with the lock: the run has ended */
    bool is_over;
    bool exited; /* the program has ended itself */
};

/* ---- run.c ---- */
/*
 * Reduce the goal in the registers, then the first goal of its body, until a body has none.
 */
void run_goal(struct pe *pe);
/* The term that an operand of a body stands for. */
static inline term pe_operand(const struct pe *pe, uint16_t operand)
{
    return operand < OPERAND_CONSTANT ? pe->registers[operand]
                                      : pe->constants[operand - OPERAND_CONSTANT];
}

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
/* x (op) y.  WAIT: an operand is unbound, which is noted in pe->waited.  NO: an operand is not
 * a number, or the divisor is 0. */
enum outcome arithmetic(struct pe *pe, enum operation op, term x, term y, term *result);
enum outcome compare_numbers(struct pe *pe, enum test test, term x, term y);
/* The value of an expression that is a term. */
enum outcome evaluate(struct pe *pe, term expression, term *value);

/* ---- heap.c ---- */
bool heap_open(struct heap *heap, uint64_t bytes, unsigned pes, struct weft_err *err);
void heap_close(struct heap *heap);
/* A chunk of the space in use, or NULL; asks for a collection when many are used. */
char *heap_chunk(struct machine *machine);
/* A chunk for a run that ends because its heap is full. */
char *heap_beyond(struct heap *heap);
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
static inline term heap_list(struct pe *pe, term head, term tail)
{
    term *pair = heap_take(pe, 2);
    pair[0] = head;
    pair[1] = tail;
    return term_of(pair, TERM_LIST);
}
term heap_integer(struct pe *pe, int64_t value);
/* A string of at most MOST_STRING bytes. */
term heap_string(struct pe *pe, const char *bytes, size_t length);

/* ---- collect.c ---- */
enum collected {
    COLLECTED,
    COLLECTED_TOO_LITTLE, /* what is still needed is more than half of what the run may have */
    COLLECTED_IN_PART,    /* the run is cancelled: no term may be looked at any more */
};
/* Reclaim memory; all PEs must be at a safe point. */
enum collected collect_heap(struct machine *machine);

/* ---- bind.c ---- */
enum { LOOK_EVERY_STEPS = 1 << 14 }; /* of a walk through a term: some 100 us */
/*
 * True of a walk that ends because the run has: its goal then has no result, as if it waited.
 * STEP counts from 1.
 */
static inline bool is_cut_off(const struct pe *pe, uint32_t step)
{
    return step % LOOK_EVERY_STEPS == 0
           && atomic_load_explicit(&pe->machine->stopped, memory_order_relaxed);
}
void wait_for(struct pe *pe, term variable);
/* Wait for those of two terms that are variables; false when neither is. */
static inline bool wait_for_either(struct pe *pe, term a, term b)
{
    if (term_tag(a) == TERM_REF)
        wait_for(pe, a);
    if (term_tag(b) == TERM_REF)
        wait_for(pe, b);
    return term_tag(a) == TERM_REF || term_tag(b) == TERM_REF;
}
/* True of two terms without parts that are the same: the same number, atom or text. */
bool same_constants(term a, term b);
/* Passive unification, which binds nothing.  WAIT: it depends on variables that are unbound,
 * which are noted in pe->waited, or the run has ended. */
enum outcome same_terms(struct pe *pe, term a, term b);
/* YES: two terms differ at their outside, as atoms, or in a functor's name or arity. */
enum outcome other_functors(struct pe *pe, term a, term b);
/*
 * YES: the terms on the walk's stack hold no variable.  WAIT: they hold one, which is noted in
 * pe->waited; the walk's stack has it and what is still to be looked at.  Or the run has ended.
 */
enum outcome is_known(struct pe *pe, struct walk *walk);
/* Active unification; NO: the terms differ.  WAIT: the run has ended before all was unified. */
enum outcome unify(struct pe *pe, term a, term b);
/* Let a goal wait for the variables in pe->waited; it may be woken at once. */
void suspend(struct pe *pe, struct goal *goal);

/* ---- goals.c ---- */
void goals_open(struct goal_pool *pool);
void goals_close(struct goal_pool *pool);
struct goal *goal_new(struct pe *pe, uint32_t arity);
void goal_free(struct pe *pe, struct goal *goal);
void push_goal(struct pe *pe, struct goal *goal);
/* The newest goal, or with a seed a random one of the newest; NULL when there is none. */
struct goal *pop_goal(struct pe *pe);
/* Hand the oldest goals to a PE that asked. */
void give_goals(struct pe *pe, struct pe *to);
uint64_t pe_random(struct pe *pe);

/* ---- schedule.c ---- */
/* Do what pe->attention asks for; false when the run has ended. */
bool attend(struct pe *pe);
static inline bool safe_point(struct pe *pe)
{
    return !atomic_load_explicit(&pe->attention, memory_order_relaxed) || attend(pe);
}
/* True of a PE that something is asked of: what takes long is to be put back, and goes on later. */
static inline bool is_wanted(const struct pe *pe)
{
    return atomic_load_explicit(&pe->attention, memory_order_relaxed) != 0;
}
/* The next goal; NULL at the end of the run. */
struct goal *next_goal(struct pe *pe);
void call_for(struct machine *machine, enum attention what);
/* End the run with an error; SITE: in program.calls, or 0. */
void stop_with(struct machine *machine, enum weft_err_code code, uint32_t site,
               const char *fmt, ...) WEFT_PRINTF(4, 5);

/* End the run, whatever is left to do. */
void stop_well(struct machine *machine);

/* ---- record.c ---- */
bool record_counter_is_clock(void);
uint64_t record_nanoseconds(void);
uint64_t record_tick(const struct machine *machine);
/* Before the first reduction, and when all PEs have ended. */
void record_begin(struct machine *machine);
void record_end(struct machine *machine);
/* Write what this PE has recorded so far. */
void record_flush(struct pe *pe);
/* For how many ticks until NOW, at most since `latest`, a PE was off its processor. */
uint64_t record_absence(const struct presence *since, const struct presence *now);
void record_start(struct pe *pe); /* on its own thread, before all else */
void record_reduction(struct pe *pe, uint32_t clause);
void record_suspension(struct pe *pe, struct goal *goal);
void record_waking(struct pe *pe, struct goal *goal);
/* Since when a PE is idle, and, when it is not any more, that it was. */
uint64_t record_idle_begin(struct pe *pe);
void record_idle_end(struct pe *pe, uint64_t since);

/* ---- builtin.c, stream.c, print.c ---- */
void run_builtin(struct pe *pe, struct goal *goal);
void run_outstream(struct pe *pe, struct goal *goal);
void run_writing(struct pe *pe, struct goal *goal);
struct goal *process_of(struct pe *pe, const struct goal *maker, enum builtin builtin,
                        uint32_t arity);
void run_klicio(struct pe *pe, struct goal *goal);
void close_files(struct machine *machine); /* that the program has opened */
void run_merge(struct pe *pe, struct goal *goal);
/* Suspend a goal until T is bound. */
void again_when(struct pe *pe, struct goal *goal, term t);
/* The goal fails, which ends the run, unless that has ended already. */
void builtin_fail(struct pe *pe, struct goal *goal, const char *why);
/*
 * YES when the goal's argument has no variables.  Else the goal is suspended until one of them
 * is bound, and the argument is left to be what is still to be looked at.
 */
bool when_known(struct pe *pe, struct goal *goal, uint32_t argument);
/* ---- ends.c ---- */
/* Replace what the run reads and writes by streams that wait no longer than the run lasts. */
void ends_open(struct machine *machine);
void ends_close(struct machine *machine);
/* A file of the program, by fopen's MODE; NULL: it cannot be opened. */
FILE *end_of_path(const struct machine *machine, const char *path, const char *mode);
/* True of a run that ends or is about to: nothing is read any more. */
bool is_ending(const struct machine *machine);
/* ---- read.c ---- */
/*
 * Names that a run may read, at most: the program's list of them has room from the start, so
 * that those who look names up need no lock.
 */
enum { MOST_READ_NAMES = 1 << 16 };
/*
 * Read a term up to its full stop; at the end of the input it is end_of_file.  False when the
 * text is no term, or when the run ends; it does so when the term takes too much memory.  Of
 * what reading takes only names are kept.  Under the lock of the output.
 */
bool read_term(struct pe *pe, FILE *in, term *out);

/* ---- functions.c ---- */
/*
 * Run a function of the system on its arguments; YES: its results are among them.  NO: they
 * are none for it.  WAIT: for variables, which are noted in pe->waited.
 */
enum outcome function_run(struct pe *pe, uint32_t function, term *arguments);
void run_function(struct pe *pe, struct goal *goal);
/* The text of a term, and of a goal, for an error message; the caller frees it. */
char *term_text(const struct machine *machine, term t);
char *goal_text(const struct machine *machine, const struct goal *goal);

#endif
