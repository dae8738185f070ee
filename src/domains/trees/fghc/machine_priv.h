/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the machine that its files share.
 *
 *     run.c       executes instructions: reduces a goal, then the first goal of its body,
 *                 and so on until a body has no goal
 *     bind.c      unification, suspending and waking goals
 *     arith.c     arithmetic
 *     heap.c      allocates terms; collect.c is the garbage collector
 *     goals.c     memory of goals that are not running, and each PE's stack of goals
 *     schedule.c  stealing goals, and the safe points at which all PEs stop
 *     record.c    records a run
 *     builtin.c, stream.c  built-in processes; functions.c built-in functions
 *     ends.c      the files, pipes and terminals that streams read and write
 *     print.c     prints terms; read.c reads terms
 *     term_walk.c walks through terms without recursion
 *     machine.c   a run from its start to its end
 *
 * A PE (processing element) is one thread.  Other threads touch only the atomic fields of
 * its struct pe, and its mail while it waits for goals; its own thread touches the rest.  A
 * safe point lies between two reductions: there the PE reads its `attention`, one word of
 * requests from other threads.
 */
#ifndef WEFT_FGHC_MACHINE_PRIV_H
#define WEFT_FGHC_MACHINE_PRIV_H

#include <pthread.h>

#include "domains/trees/fghc/machine.h"
#include "domains/trees/fghc/print.h"
#include "domains/trees/fghc/recording.h"
#include "domains/trees/fghc/term_walk.h"

enum {
    /* Goals that a PE gives away at a time: a quarter of its stack, at most this many,
     * since it copies them before its own next reduction. */
    MAX_STOLEN = 32,
    LINE_OF_CACHE = 64, /* bytes of a cache line on x86-64 and AArch64 */
};

/* The result of a test, a unification or an operation.  WAIT: it depends on unbound
 * variables, which are in pe->waited. */
enum outcome { OUTCOME_YES, OUTCOME_NO, OUTCOME_WAIT };

/* ---- Goals ---- */

/* A process: a call of a procedure, or of a built-in process, and its arguments. */
struct goal {
    /*
     * Counts suspensions and wakings: odd while the goal is suspended.  When several PEs
     * bind variables that it waits for, the PE whose compare-and-swap makes the odd number
     * even takes the goal.
     */
    _Atomic uint32_t wait;
    uint32_t parent_index;
    uint16_t parent_pe, procedure; /* procedure: index; if is_builtin, enum builtin */
    uint16_t site;                 /* index in program.calls; 0: none */
    uint8_t arity, size_class;
    bool is_builtin, is_used;
    union {
        struct goal *next;         /* while unused: the next unused goal */
        struct fghc_wait *waiting; /* its suspensions, if recorded and it has any; owned */
    };
    term arguments[];
};
_Static_assert(sizeof(struct goal) == 32, "a goal's head is half a line of the cache");

enum {
    GOAL_CLASSES = 13,  /* size classes: class_arity in goals.c has their arities */
    GOALS_A_BATCH = 64, /* goals that move between a PE and the pool under one lock */
};

struct goal_batch { /* a linked list of unused goals of one size class */
    struct goal *first;
    uint32_t n;
};

struct goal_slab { /* an allocation of N goals of one size class, STRIDE bytes apart */
    struct goal_slab *next;
    uint32_t n;
    size_t stride;
    char *goals;
};

struct goal_pool { /* unused goals that any PE may take, and all allocations of goals */
    pthread_mutex_t lock;
    struct goal **batches[GOAL_CLASSES]; /* lists of GOALS_A_BATCH unused goals */
    size_t n_batches[GOAL_CLASSES], capacity[GOAL_CLASSES];
    struct goal_slab *slabs;
    _Atomic uint64_t bytes; /* of all allocations */
};

/* ---- Heap ---- */

/* Bytes that a PE takes from the heap at a time: large, so that it seldom takes the
 * lock. */
enum { CHUNK_BITS = 18, CHUNK = 1 << CHUNK_BITS };
/* Bytes in use below which no collection runs: stopping all PEs would cost more. */
enum { MIN_USED_BYTES = 8 << 20 };

/* The memory of terms, in chunks of CHUNK bytes. */
struct heap {
    pthread_mutex_t lock;
    char *base;
    size_t mapped;   /* bytes */
    uint8_t *spaces; /* [n_chunks] 0: free; else the space that the chunk belongs to */
    uint32_t *free;  /* [n_free] chunks that were used and are free again */
    size_t n_chunks, n_free, n_fresh; /* chunks from n_fresh on were never used */
    size_t used, trigger, most; /* chunks; a collection runs when `trigger` are used */
    uint8_t space;              /* 1 or 2: that of new chunks; each collection changes it */
    void **beyond; /* memory given out after the heap was full; freed with the heap */
    size_t n_beyond, beyond_capacity;
};

/* A suspended goal in the list of those that wait for a cell; the cell refers to the
 * first. */
struct waiter {
    struct goal *goal;
    term next;     /* another WAIT word; at the end the cell's own REF */
    uint64_t wait; /* goal->wait at the suspension; if it differs now, the goal was woken */
};
enum { WAITER_WORDS = sizeof(struct waiter) / sizeof(term) };

/* ---- Processing elements ---- */

/* A moment at which a recorded PE was on a processor, and its latest record since then. */
struct presence {
    uint64_t latest; /* tick of the latest record */
    uint64_t tick, ns,
        cpu_ns; /* the moment: tick, monotonic time, and the thread's CPU time */
};

enum attention {
    ATTENTION_STOP = 1,    /* the run ends */
    ATTENTION_COLLECT = 2, /* stop until a collection is done */
    ATTENTION_WANTED = 4,  /* another PE asks for goals */
    ATTENTION_FLUSH = 8,   /* write the records so far to the file */
};
/* A PE's request for goals: none, not answered yet, answered without or with goals. */
enum mail { MAIL_NONE, MAIL_AWAITED, MAIL_EMPTY, MAIL_GOALS };

struct pe {
    /* Fields that every reduction touches come first. */
    _Atomic uint32_t attention;
    _Atomic bool has_goals; /* its stack is not empty: other PEs may ask it for goals */
    bool is_builtin;        /* the running goal is a built-in process */
    uint16_t number, procedure, site, parent_pe;
    uint32_t parent_index;
    uint32_t n_waited;
    term *registers, *others; /* [most_registers] each */
    char *free, *limit;       /* the unused part of its chunk of the heap */
    struct goal **stack;      /* a ring of goals, the newest at newest - 1 */
    uint64_t oldest, newest, stack_mask;
    uint64_t reductions;
    struct machine *machine;
    const union word *code;
    const term *constants;
    const struct procedure *procedures;
    term unknown; /* a variable that is never bound: a cell that refers to itself */
    term *waited; /* [n_waited] unbound variables that the running goal needs */
    size_t waited_capacity;
    struct term_walk walk;
    int64_t *values; /* evaluation of an expression: the stack of operands */
    size_t value_capacity;
    struct result { /* values of subexpressions, by their classes in the walk */
        int64_t value;
        bool is_known;
    } * results;
    size_t result_capacity;
    bool by_zero;              /* the evaluation divided by 0 */
    struct fghc_wait *waiting; /* the running goal's suspensions, if recorded; owned */
    struct record_log log;
    struct presence presence;
    struct goal_batch goals[GOAL_CLASSES], spare[GOAL_CLASSES];
    uint32_t n_live; /* registers in use at a safe point: the goal's arguments */
    uint64_t n_suspensions, migrations, dice; /* DICE: state of pe_random() */
    uint64_t stolen_at; /* `reductions` when it last stopped looking for goals */
    uint32_t patience;  /* pauses before it asks another PE for goals */
    pthread_t thread;
    /* Fields that other threads touch have cache lines of their own. */
    _Alignas(LINE_OF_CACHE) _Atomic int asker; /* PE that asks for goals; -1: none */
    _Atomic int mail;                          /* enum mail */
    uint32_t n_mail;                           /* goals in MAILED */
    struct goal *mailed[MAX_STOLEN];
    char apart[LINE_OF_CACHE]; /* keeps the next struct pe off these cache lines */
};

struct program_file { /* a file that the program has opened */
    FILE *stream;     /* NULL: closed */
    char *path;
    int error; /* errno of the first write that failed; 0: none */
};

struct machine {
    struct program *program;
    struct fghc_options options;
    struct pe *pes;
    unsigned n_pes;
    struct heap heap;
    struct goal_pool pool;
    term *answers; /* [n_answers] the typed goal's variables */
    uint32_t n_answers;
    pthread_mutex_t lock;       /* of the fields down to `err`, except the atomic ones */
    pthread_cond_t changed;     /* a collection is done, or the run ends */
    unsigned n_idle, n_arrived; /* PEs without goals; PEs stopped for a collection */
    _Atomic unsigned n_ready;   /* PEs whose threads have started; all begin together */
    _Atomic bool begun;
    _Atomic unsigned collections; /* done so far */
    bool is_crowded;              /* more PEs than processors */
    struct weft_err err;          /* the run's first error */
    _Atomic bool stopped;
    bool has_counter;      /* ticks are the processor's counter (rdtsc), else ns */
    uint64_t began, ended; /* ns of the monotonic clock */
    uint64_t first_tick;   /* at `began` */
    struct recorder recorder;
    pthread_mutex_t out_lock;
    uint64_t name_bytes; /* under out_lock: memory of the names that gett has read */
    FILE *given_in, *given_out,
        *given_errors; /* the caller's streams, for which ends_open may put others */
    struct program_file *files; /* under out_lock */
    size_t n_files, file_capacity;
    struct weft_err lost; /* the error of the first file that could not be written */
    pthread_t watcher;
    pthread_cond_t over; /* with the lock: the run has ended */
    bool is_over;
    bool exited; /* the program has called exit(0) */
};

/* ---- run.c ---- */
/*
 * Reduces the goal in the registers, then the first goal of its body, and so on.  Returns
 * when a body has no goal, when the goal was suspended, or at a safe point when the run has
 * ended.
 */
void run_goal(struct pe *pe);
/* Returns the value of an operand: a register or a constant, not OPERAND_NEW. */
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
/* Computes X op Y into *RESULT; X and Y may be expressions.  NO: one is no number, the
 * divisor is 0, or the exponent is negative.  WAIT: one holds an unbound variable. */
enum outcome arithmetic(struct pe *pe, enum operation op, term x, term y, term *result);
enum outcome compare_numbers(struct pe *pe, enum test test, term x, term y);
/* Computes the value of an expression into *VALUE; outcomes as for arithmetic(). */
enum outcome evaluate(struct pe *pe, term expression, term *value);

/* ---- heap.c ---- */
/* Reserves addresses for BYTES of terms and a margin.  False with WEFT_ERR_LIMIT. */
bool heap_open(struct heap *heap, uint64_t bytes, unsigned pes, struct weft_err *err);
void heap_close(struct heap *heap);
/* Returns an unused chunk, or NULL when the heap is full.  Asks all PEs for a collection
 * when heap.trigger chunks are used. */
char *heap_chunk(struct machine *machine);
/* Returns CHUNK bytes outside the heap, for a run that ends because its heap is full. */
char *heap_beyond(struct heap *heap);
/* Like heap_alloc(), but from a new chunk; when the heap is full the run ends. */
term *heap_alloc_chunk(struct pe *pe, size_t words);
/* Returns uninitialised memory of WORDS words, at most CHUNK bytes; never NULL. */
static inline term *heap_alloc(struct pe *pe, size_t words)
{
    size_t size = words * sizeof(term);
    if ((size_t)(pe->limit - pe->free) < size)
        return heap_alloc_chunk(pe, words);
    term *at = (term *)(void *)pe->free;
    pe->free += size;
    return at;
}
/* Returns a fresh unbound variable. */
static inline term heap_variable(struct pe *pe)
{
    term *cell = heap_alloc(pe, 1);
    *cell = term_of(cell, TERM_REF);
    return *cell;
}
static inline term heap_list(struct pe *pe, term head, term tail)
{
    term *pair = heap_alloc(pe, 2);
    pair[0] = head;
    pair[1] = tail;
    return term_of(pair, TERM_LIST);
}
/* Returns an integer, wrapped to 32 bits if the run asks for it, boxed if necessary. */
term heap_integer(struct pe *pe, int64_t value);
/* Returns a copy of at most MAX_STRING bytes as a string. */
term heap_string(struct pe *pe, const char *bytes, size_t length);

/* ---- collect.c ---- */
enum collected {
    COLLECTED,
    COLLECTED_TOO_LITTLE, /* the live terms leave too little of half the run's memory */
    COLLECTED_IN_PART,    /* the run was cancelled: terms must not be read any more */
};
/* Copies the live terms and frees the chunks they were in; all PEs must be at a safe
 * point. */
enum collected collect_heap(struct machine *machine);

/* ---- bind.c ---- */
enum { LOOK_EVERY_STEPS = 1 << 14 }; /* steps of a walk through a term: some 100 us */
/*
 * Returns true when a walk must be abandoned because the run has ended.  STEP counts from
 * 1; the run is looked at every LOOK_EVERY_STEPS.  The walk's caller then returns
 * OUTCOME_WAIT.
 */
static inline bool is_cut_off(const struct pe *pe, uint32_t step)
{
    return step % LOOK_EVERY_STEPS == 0
           && atomic_load_explicit(&pe->machine->stopped, memory_order_relaxed);
}
/* Adds an unbound variable to pe->waited, unless it is pe->unknown. */
void wait_for(struct pe *pe, term variable);
/* Adds A and B, dereferenced terms, to pe->waited where they are variables; returns false
 * when neither is. */
static inline bool wait_for_either(struct pe *pe, term a, term b)
{
    if (term_tag(a) == TERM_REF)
        wait_for(pe, a);
    if (term_tag(b) == TERM_REF)
        wait_for(pe, b);
    return term_tag(a) == TERM_REF || term_tag(b) == TERM_REF;
}
/* Returns true when two dereferenced terms are the same number, atom or string, or one
 * word. */
bool same_constants(term a, term b);
/* Compares two terms (passive unification): binds nothing.  WAIT: it depends on unbound
 * variables, or the run has ended. */
enum outcome same_terms(struct pe *pe, term a, term b);
/* Compares the principal functors of two terms, or their constants; YES: they differ. */
enum outcome other_functors(struct pe *pe, term a, term b);
/*
 * Tests whether the terms on the walk's stack are ground.  WAIT: one holds an unbound
 * variable, or the run has ended; the parts not yet tested, that variable first, are left
 * on the stack.
 */
enum outcome is_known(struct pe *pe, struct term_walk *walk);
/* Unifies two terms (active unification): binds variables and wakes the goals that wait for
 * them.  NO: the terms differ.  WAIT: only when the run has ended meanwhile. */
enum outcome unify(struct pe *pe, term a, term b);
/* Suspends GOAL until one of the variables in pe->waited is bound.  Another PE may run and
 * free the goal before this returns. */
void suspend(struct pe *pe, struct goal *goal);

/* ---- goals.c ---- */
void goals_open(struct goal_pool *pool);
void goals_close(struct goal_pool *pool);
/* Returns a goal that is no built-in process and was never suspended; the caller sets its
 * procedure, site, parent and ARITY arguments.  Ends the run when goals take more than the
 * run's memory. */
struct goal *goal_new(struct pe *pe, uint32_t arity);
void goal_free(struct pe *pe, struct goal *goal);
void push_goal(struct pe *pe, struct goal *goal);
/* Takes the newest goal off the stack, or with a seed a random one of the 8 newest; NULL
 * when the stack is empty. */
struct goal *pop_goal(struct pe *pe);
/* Answers the PE TO, which asked for goals: with the oldest quarter of PE's stack, or with
 * MAIL_EMPTY. */
void give_goals(struct pe *pe, struct pe *to);
uint64_t pe_random(struct pe *pe);

/* ---- schedule.c ---- */
/* Serves the requests in pe->attention; returns false when the run has ended. */
bool attend(struct pe *pe);
/* Serves requests, if any, between two reductions; returns false when the run has ended.
 * May move terms: only n_live registers, used goals and the answers are updated. */
static inline bool safe_point(struct pe *pe)
{
    return !atomic_load_explicit(&pe->attention, memory_order_relaxed) || attend(pe);
}
/* Returns true when a request waits: a long built-in process then pushes its goal and
 * returns. */
static inline bool is_wanted(const struct pe *pe)
{
    return atomic_load_explicit(&pe->attention, memory_order_relaxed) != 0;
}
/* Returns the next goal for this PE to reduce, from its stack or another PE's; NULL at the
 * end of the run. */
struct goal *next_goal(struct pe *pe);
/* Sets a bit of every PE's `attention`. */
void call_for(struct machine *machine, enum attention what);
/* Ends the run with an error, of which the first is kept.  SITE is the goal's index in
 * program.calls, or 0. */
void stop_with(struct machine *machine, enum weft_err_code code, uint32_t site,
               const char *fmt, ...) WEFT_PRINTF(4, 5);

/* Ends the run without an error, as exit(0) does: the remaining goals are dropped. */
void stop_well(struct machine *machine);

/* ---- record.c ---- */
/* Returns true when the kernel keeps time with the processor's counter (clocksource tsc):
 * it is then steady, and equal on all processors. */
bool record_counter_is_clock(void);
uint64_t record_nanoseconds(void); /* CLOCK_MONOTONIC */
uint64_t record_tick(const struct machine *machine);
/* Writes an empty block for each PE to the recording, before the first reduction: it says
 * what the clocks showed at the beginning. */
void record_begin(struct machine *machine);
/* Writes each PE's last block to the recording, when all PEs have ended. */
void record_end(struct machine *machine);
/* Writes this PE's records so far to the recording. */
void record_flush(struct pe *pe);
/* Returns the ticks that a PE was off its processor between SINCE and NOW, at most those
 * after since->latest; 0 if they are too few to tell or the clocks went backwards. */
uint64_t record_absence(const struct presence *since, const struct presence *now);
void record_start(struct pe *pe); /* first, on the PE's own thread */
void record_reduction(struct pe *pe, uint32_t clause);
void record_suspension(struct pe *pe, struct goal *goal);
void record_waking(struct pe *pe, struct goal *goal);
/* Returns the tick at which a PE becomes idle, for record_idle_end(). */
uint64_t record_idle_begin(struct pe *pe);
/* Records that the PE was idle from SINCE until now. */
void record_idle_end(struct pe *pe, uint64_t since);

/* ---- builtin.c, stream.c ---- */
/* Each runs a built-in process, and frees, suspends or pushes its goal. */
void run_builtin(struct pe *pe, struct goal *goal);
void run_outstream(struct pe *pe, struct goal *goal);
void run_writing(struct pe *pe, struct goal *goal);
/* Returns a new built-in process with the call site and parent of MAKER. */
struct goal *process_of(struct pe *pe, const struct goal *maker, enum builtin builtin,
                        uint32_t arity);
void run_klicio(struct pe *pe, struct goal *goal);
/* Closes the files that the program opened; a file that could not be written fails the
 * run. */
void close_files(struct machine *machine);
void run_merge(struct pe *pe, struct goal *goal);
/* Suspends a goal until the variable T is bound. */
void again_when(struct pe *pe, struct goal *goal, term t);
/* Frees a goal that has failed, and ends the run with an error unless it has ended
 * already. */
void builtin_fail(struct pe *pe, struct goal *goal, const char *why);
/*
 * Returns true when all elements of the list in a goal's argument are ground.  Otherwise
 * the goal is suspended until a variable is bound, and the argument is replaced by the list
 * of the parts that are not yet tested.
 */
bool when_known(struct pe *pe, struct goal *goal, uint32_t argument);
/* ---- ends.c ---- */
/* Replaces the run's streams that are pipes or terminals by streams that stop waiting when
 * the run ends. */
void ends_open(struct machine *machine);
/* Closes the streams of ends_open() and restores the caller's; output that is lost fails
 * the run. */
void ends_close(struct machine *machine);
/* Opens a file of the program with fopen's MODE; waits for the reader of a named pipe.
 * Returns NULL when it cannot be opened. */
FILE *end_of_path(const struct machine *machine, const char *path, const char *mode);
/* Returns true when the run has ended or was cancelled. */
bool is_ending(const struct machine *machine);
/* ---- read.c ---- */
/*
 * The maximum of names that gett may add.  program.names has room for them from the start
 * and never moves, so PEs read it without a lock.
 */
enum { MAX_READ_NAMES = 1 << 16 };
/*
 * Reads a term up to its full stop, or the atom end_of_file at the end of the input.
 * Returns false when the text is no term, or when the run ends; a term that takes too much
 * memory ends it.  Only new names stay allocated.  The caller holds out_lock.
 */
bool read_term(struct pe *pe, FILE *in, term *out);

/* ---- functions.c ---- */
/*
 * Runs a built-in function (functions.h) on ARGUMENTS, where it replaces the outputs by its
 * results.  NO: the arguments are not of its kind, or a test is false.  WAIT: it needs an
 * unbound variable, which is in pe->waited.
 */
enum outcome function_run(struct pe *pe, uint32_t function, term *arguments);
void run_function(struct pe *pe, struct goal *goal);

/* ---- print.c ---- */
/* Return a term or a goal as text for an error message, cut to 150 or 300 bytes; the caller
 * frees it. */
char *term_text(const struct machine *machine, term t);
char *goal_text(const struct machine *machine, const struct goal *goal);

#endif
