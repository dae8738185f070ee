/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the machine that its files share.
 *
 *     execute_instructions.c  executes instructions: reduces a goal, then the first goal
 *                             of its body, and so on until a body has no goal
 *     unify_and_suspend.c     unification, suspending and waking goals
 *     arith.c                 arithmetic
 *     heap.c                  allocates terms
 *     garbage_collector.c     the garbage collector
 *     goals.c                 memory of goals that are not running, and each PE's stack of
 *                             goals
 *     steal_goals_and_safe_points.c
 *                             stealing goals, and the safe points at which all PEs stop
 *     record.c                records a run
 *     builtin_processes.c     built-in processes; builtin_streams.c has those of streams
 *     builtin_functions.c     built-in functions
 *     stream_files.c          the files, pipes and terminals that streams read and write
 *     print.c                 prints terms
 *     read_terms.c            reads terms
 *     term_walk.c             walks through terms without recursion
 *     machine.c               a run from its start to its end
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

/* The most goals that a PE (thread) gives another one at a time; the size of a cache
 * line. */
enum {
    /* Goals that a PE gives away at a time: a quarter of its stack, at most this many,
     * since it copies them before its own next reduction. */
    MAX_STOLEN = 32,
    LINE_OF_CACHE = 64, /* bytes of a cache line on x86-64 and AArch64 */
};

/* The result of a test, a unification or an operation: it succeeded, it failed, or it
 * depends on unbound variables, which it has added to pe->waited (or the run has ended). */
enum outcome { OUTCOME_YES, OUTCOME_NO, OUTCOME_WAIT };

/* ---- Goals ---- */

/* A process: a call of a procedure, or of a built-in process, and its arguments.
 * goal_new() makes it; goal_free() gives it back. */
struct goal {
    /*
     * Counts suspensions and wakings: odd while the goal is suspended.  When several PEs
     * bind variables that it waits for, the PE whose compare-and-swap makes the odd number
     * even takes the goal.
     */
    _Atomic uint32_t wait;
    uint32_t parent_index; /* of the reduction that made it, on parent_pe; 0: none */
    uint16_t parent_pe, procedure; /* procedure: index in program.procedures; if is_builtin,
                                    * enum builtin */
    uint16_t site;                 /* index in program.calls; 0: none */
    uint8_t arity, size_class;     /* number of arguments; index in pe->goals */
    bool is_builtin, is_used;      /* is_used: between goal_new() and goal_free() */
    union {
        struct goal *next;         /* while unused: the next unused goal */
        struct fghc_wait *waiting; /* its suspensions, if recorded and it has any; owned */
    };
    term arguments[]; /* [arity]; there is room for those of its size class */
};
_Static_assert(sizeof(struct goal) == 32, "a goal's head is half a line of the cache");

/* The numbers of size classes of goals, and of goals in a batch. */
enum {
    GOAL_CLASSES = 13,  /* size classes: class_arity in goals.c has their arities */
    GOALS_A_BATCH = 64, /* goals that move between a PE and the pool under one lock */
};

struct goal_batch { /* a linked list of unused goals of one size class */
    struct goal *first;
    uint32_t n;
};

struct goal_slab { /* the memory of N goals of one size class, STRIDE bytes apart */
    struct goal_slab *next;
    uint32_t n;
    size_t stride; /* bytes */
    char *goals;   /* the memory, owned */
};

struct goal_pool { /* unused goals that any PE may take, and all allocations of goals */
    pthread_mutex_t lock;
    struct goal **batches[GOAL_CLASSES]; /* lists of GOALS_A_BATCH unused goals */
    size_t n_batches[GOAL_CLASSES], capacity[GOAL_CLASSES];
    struct goal_slab *slabs; /* linked list of all allocations, the newest first */
    _Atomic uint64_t bytes;  /* of all allocations */
};

/* ---- Heap ---- */

/* Bytes that a PE (thread) takes from the heap at a time, and most of one term: large, so
 * that it seldom takes the heap's lock. */
enum { CHUNK_BITS = 18, CHUNK = 1 << CHUNK_BITS };
/* Bytes of the heap in use below which no garbage collection runs, unless the run's memory
 * is less than twice as much: stopping all PEs (threads) would cost more. */
enum { MIN_USED_BYTES = 8 << 20 };

/* The memory of terms, in chunks of CHUNK bytes; heap_open() makes it, heap_close() frees
 * it. */
struct heap {
    pthread_mutex_t lock; /* held while a chunk is taken */
    char *base;           /* reserved addresses; NULL: none */
    size_t mapped;        /* bytes from there */
    uint8_t *spaces;      /* [n_chunks] 0: free; else the space that the chunk belongs to */
    uint32_t *free;       /* [n_free] chunks that were used and are free again */
    size_t n_chunks, n_free, n_fresh; /* chunks from n_fresh on were never used */
    /* Chunks: in use; in use when a collection runs; that the run may have, for old and new
     * copies of terms. */
    size_t used, trigger, most;
    uint8_t space; /* 1 or 2: that of new chunks; each collection changes it */
    void **beyond; /* memory given out after the heap was full; freed with the heap */
    size_t n_beyond, beyond_capacity;
};

/* A suspended goal in the list of those that wait for an unbound cell; the cell holds a
 * WAIT word (term.h) with the address of the first.  In the heap: the collector frees
 * it. */
struct waiter {
    struct goal *goal; /* the suspended goal */
    term next;         /* another WAIT word; at the end the cell's own REF */
    uint64_t wait; /* goal->wait at the suspension; if it differs now, the goal was woken */
};
/* The size of a struct waiter in words of the heap. */
enum { WAITER_WORDS = sizeof(struct waiter) / sizeof(term) };

/* ---- Processing elements ---- */

/* A moment at which the thread of a recorded PE ran on a processor, and the time of its
 * latest record since then. */
struct presence {
    uint64_t latest; /* tick of the latest record */
    uint64_t tick, ns,
        cpu_ns; /* the moment: tick, monotonic time, and the thread's CPU time */
};

/* Bits of a PE's `attention`: requests of other threads, served between two reductions. */
enum attention {
    ATTENTION_STOP = 1,    /* the run ends */
    ATTENTION_COLLECT = 2, /* stop until a collection is done */
    ATTENTION_WANTED = 4,  /* another PE asks for goals */
    ATTENTION_FLUSH = 8,   /* write the records so far to the file */
};
/* The state of a PE's (thread's) request to another one for goals: none, not answered yet,
 * answered without goals, answered with goals in pe->mailed. */
enum mail { MAIL_NONE, MAIL_AWAITED, MAIL_EMPTY, MAIL_GOALS };

/* A processing element: a thread of the run, with its stack of goals.  fghc_run() makes and
 * frees all of them.  Other threads touch only the atomic fields, and the mail while this
 * one waits for goals. */
struct pe {
    /* Fields that every reduction touches come first. */
    _Atomic uint32_t attention;
    _Atomic bool has_goals; /* its stack is not empty: other PEs may ask it for goals */
    bool is_builtin;        /* the running goal is a built-in process */
    /* Its number, from 0; of the running goal: indices in program.procedures and
     * program.calls (0: none), and its parent, as in struct goal. */
    uint16_t number, procedure, site, parent_pe;
    uint32_t parent_index;    /* of the running goal, as in struct goal */
    uint32_t n_waited;        /* entries of `waited` */
    term *registers, *others; /* [most_registers] each; others: for the next goal */
    char *free, *limit;       /* the unused part of its chunk of the heap */
    struct goal **stack;      /* a ring of goals, the newest at newest - 1 */
    uint64_t oldest, newest, stack_mask; /* newest - oldest goals; size of the ring - 1 */
    uint64_t reductions;                 /* done so far */
    struct machine *machine;             /* the run that it belongs to */
    const union word *code;              /* this and the next two: the program's arrays */
    const term *constants;
    const struct procedure *procedures;
    term unknown; /* a variable that is never bound: a cell that refers to itself */
    term *waited; /* [n_waited] unbound variables that the running goal needs */
    size_t waited_capacity;
    struct term_walk walk; /* of the term that is compared, unified, tested or evaluated */
    int64_t *values;       /* evaluation of an expression: the stack of operands */
    size_t value_capacity;
    struct result { /* values of subexpressions, by their classes in the walk */
        int64_t value;
        bool is_known; /* false: it is still being evaluated */
    } * results;
    size_t result_capacity;
    bool by_zero;              /* evaluate() divided by 0; the caller clears it before */
    struct fghc_wait *waiting; /* the running goal's suspensions, if recorded; owned */
    struct record_log log;     /* its records not yet in the file */
    struct presence presence;  /* its thread's latest */
    /* Unused goals by size class: the batch that is in use, and a full one or none. */
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
    struct goal *mailed[MAX_STOLEN];           /* goals that another PE gave */
    char apart[LINE_OF_CACHE]; /* keeps the next struct pe off these cache lines */
};

struct program_file { /* a file that the program has opened */
    FILE *stream;     /* NULL: closed */
    char *path;       /* owned; for error messages */
    int error;        /* errno of the first write that failed; 0: none */
};

/* A run of a program; fghc_run() makes and frees it. */
struct machine {
    struct program *program;
    struct fghc_options options; /* a copy of the caller's */
    struct pe *pes;              /* [n_pes] by number */
    unsigned n_pes;
    struct heap heap;      /* memory of terms */
    struct goal_pool pool; /* memory of goals */
    term *answers;         /* [n_answers] the typed goal's variables */
    uint32_t n_answers;
    pthread_mutex_t lock;         /* of the fields down to `err`, except the atomic ones */
    pthread_cond_t changed;       /* a collection is done, or the run ends */
    unsigned n_idle, n_arrived;   /* PEs without goals; PEs stopped for a collection */
    _Atomic unsigned n_ready;     /* PEs whose threads have started; all begin together */
    _Atomic bool begun;           /* the clocks were read: PEs may reduce goals */
    _Atomic unsigned collections; /* done so far */
    bool is_crowded;              /* more PEs than processors */
    struct weft_err err;          /* the run's first error */
    _Atomic bool stopped;         /* the run ends: PEs stop at their next safe point */
    bool has_counter;             /* ticks are the processor's counter (rdtsc), else ns */
    uint64_t began, ended;        /* ns of the monotonic clock */
    uint64_t first_tick;          /* at `began` */
    struct recorder recorder;     /* open if options.record_to is set */
    pthread_mutex_t out_lock;     /* held while a stream is read or written */
    uint64_t name_bytes; /* under out_lock: memory of the names that gett has read */
    FILE *given_in, *given_out,
        *given_errors; /* the caller's streams, for which ends_open may put others */
    struct program_file *files; /* under out_lock */
    size_t n_files, file_capacity;
    struct weft_err lost; /* the error of the first file that could not be written */
    pthread_t watcher;    /* ends a cancelled run, has records flushed */
    pthread_cond_t over;  /* with the lock: the run has ended */
    bool is_over;         /* all PEs have ended, so the watcher ends, too */
    bool exited;          /* the program has called exit(0) */
};

/* ---- execute_instructions.c ---- */
/*
 * Reduces (rewrites by a clause) the goal whose arguments are in PE's registers, and whose
 * procedure and parent are in PE, then the first goal of its body, and so on.  PE is this
 * thread.  Returns when a body has no goal, when the goal was suspended, when no clause
 * fits it, which ends the run with an error, or when the run has ended.
 */
void run_goal(struct pe *pe);
/* Returns the value of an operand of an instruction: of a register of PE, or a constant of
 * the program; not for OPERAND_NEW. */
static inline term pe_operand(const struct pe *pe, uint16_t operand)
{
    return operand < OPERAND_CONSTANT ? pe->registers[operand]
                                      : pe->constants[operand - OPERAND_CONSTANT];
}

/* ---- arith.c ---- */
/* Returns true if the numbers A and B pass a test from TEST_LESS to TEST_OTHER_NUMBER. */
static inline bool numbers_are(enum test test, int64_t a, int64_t b)
{
    return test == TEST_LESS           ? a < b
           : test == TEST_GREATER      ? a > b
           : test == TEST_AT_MOST      ? a <= b
           : test == TEST_AT_LEAST     ? a >= b
           : test == TEST_OTHER_NUMBER ? a != b
                                       : a == b;
}
/* Computes X op Y into *RESULT; X and Y may be expressions.  OP_NOT complements Y, and
 * X must be a number.  NO: one is no number, the divisor is 0, or the exponent is
 * negative.  WAIT: one holds an unbound variable, which is added to pe->waited, or the
 * run has ended. */
enum outcome arithmetic(struct pe *pe, enum operation op, term x, term y, term *result);
/* Compares the values of the expressions X and Y by TEST (TEST_LESS to TEST_OTHER_NUMBER).
 * NO: the test fails, or one is no number.  WAIT: one holds an unbound variable, which is
 * added to pe->waited, or the run has ended. */
enum outcome compare_numbers(struct pe *pe, enum test test, term x, term y);
/* Computes the value of an arithmetic expression into *VALUE, an integer.  NO: it is no
 * expression, or holds a negative exponent or a division by 0 (sets pe->by_zero).  WAIT: it
 * holds an unbound variable, which is added to pe->waited, or the run has ended. */
enum outcome evaluate(struct pe *pe, term expression, term *value);

/* ---- heap.c ---- */
/* Reserves addresses in the zeroed *HEAP for BYTES of terms, but at least 6 PES + 32
 * chunks, and for 6 PES + 32 chunks beyond the limit, which PES threads may take before
 * they stop.  Returns false with WEFT_ERR_LIMIT. heap_close() frees it, also on failure. */
bool heap_open(struct heap *heap, uint64_t bytes, unsigned pes, struct weft_err *err);
/* Frees all terms and the memory behind HEAP, not HEAP itself. */
void heap_close(struct heap *heap);
/* Returns an unused chunk of CHUNK bytes of the machine's heap, or NULL when that is full.
 * Asks all PEs (threads) for a garbage collection when heap.trigger chunks are used. */
char *heap_chunk(struct machine *machine);
/* Returns uninitialised memory of CHUNK bytes outside the heap, which heap_close() frees;
 * never NULL.  For a run that ends because its heap is full, but still needs memory up to
 * its next safe point (between two reductions). */
char *heap_beyond(struct heap *heap);
/* Returns uninitialised memory of WORDS words, at most CHUNK bytes, from a new chunk, in
 * which PE allocates from then on; never NULL.  When the heap is full the run ends with an
 * error. */
term *heap_alloc_chunk(struct pe *pe, size_t words);
/* Returns uninitialised memory of WORDS words, at most CHUNK bytes, in the heap; never
 * NULL. The garbage collector frees it.  When the heap is full the run ends with an
 * error. */
static inline term *heap_alloc(struct pe *pe, size_t words)
{
    size_t size = words * sizeof(term);
    if ((size_t)(pe->limit - pe->free) < size)
        return heap_alloc_chunk(pe, words);
    term *at = (term *)(void *)pe->free;
    pe->free += size;
    return at;
}
/* Returns a fresh unbound variable in the heap: the REF of a cell that refers to itself. */
static inline term heap_variable(struct pe *pe)
{
    term *cell = heap_alloc(pe, 1);
    *cell = term_of(cell, TERM_REF);
    return *cell;
}
/* Returns the list [head|tail], whose two words are allocated in the heap. */
static inline term heap_list(struct pe *pe, term head, term tail)
{
    term *pair = heap_alloc(pe, 2);
    pair[0] = head;
    pair[1] = tail;
    return term_of(pair, TERM_LIST);
}
/* Returns VALUE as a term, wrapped to 32 bits if the run asks for it (options.int32); more
 * than 61 bits go to a box in the heap. */
term heap_integer(struct pe *pe, int64_t value);
/* Returns a string in the heap that is a copy of LENGTH bytes, at most MAX_STRING. */
term heap_string(struct pe *pe, const char *bytes, size_t length);

/* ---- garbage_collector.c ---- */
/* The result of a garbage collection. */
enum collected {
    COLLECTED,            /* the live terms were copied, and the run may go on */
    COLLECTED_TOO_LITTLE, /* the live terms leave too little of half the run's memory */
    COLLECTED_IN_PART,    /* the run was cancelled: terms must not be read any more */
};
/* Collects garbage: copies the live terms, which goals, answers and registers refer to, and
 * frees the chunks they were in.  All PEs (threads) must be stopped between two reductions
 * or idle, and the caller holds machine->lock. */
enum collected collect_heap(struct machine *machine);

/* ---- unify_and_suspend.c ---- */
/* Steps of a walk through a term between two looks whether the run has ended: some 100
 * us. */
enum { LOOK_EVERY_STEPS = 1 << 14 };
/*
 * Returns true when a walk through a term must be abandoned, with OUTCOME_WAIT, because the
 * run has ended.  STEP is the walk's number of steps, from 1; only each multiple of
 * LOOK_EVERY_STEPS looks.
 */
static inline bool is_cut_off(const struct pe *pe, uint32_t step)
{
    return step % LOOK_EVERY_STEPS == 0
           && atomic_load_explicit(&pe->machine->stopped, memory_order_relaxed);
}
/* Adds VARIABLE, the REF of an unbound cell, to pe->waited, the variables that the running
 * goal needs, unless it is pe->unknown or among the latest there. */
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
/* Returns true when two dereferenced terms are the same number, atom or string (of equal
 * bytes), or refer to the same address: equal lists and structures at different addresses
 * give false. */
bool same_constants(term a, term b);
/* Compares two terms (passive unification): binds nothing.  YES: they are equal.  NO: they
 * differ, whatever unbound variables become.  WAIT: it depends on unbound variables, which
 * are added to pe->waited, or the run has ended. */
enum outcome same_terms(struct pe *pe, term a, term b);
/* Compares the principal functors (name and arity) of two terms, or their constants.  YES:
 * they differ.  NO: they are the same.  WAIT: one is an unbound variable, which is added to
 * pe->waited. */
enum outcome other_functors(struct pe *pe, term a, term b);
/*
 * Tests whether the terms on the walk's stack are ground, that is, hold no unbound
 * variable: YES or WAIT.  WAIT: one holds a variable, which is added to pe->waited, or the
 * run has ended; the parts not yet tested, that variable on top, are left on the stack.
 */
enum outcome is_known(struct pe *pe, struct term_walk *walk);
/* Unifies two terms (active unification): binds variables and wakes the goals that wait for
 * them.  YES: the terms are equal now.  NO: they differ; some variables may be bound.
 * WAIT: only when the run has ended meanwhile. */
enum outcome unify(struct pe *pe, term a, term b);
/* Suspends GOAL until one of the N_WAITED variables in pe->waited is bound; the PE
 * (thread) that binds it pushes the goal, or this PE if one is bound meanwhile.  Another PE
 * may run and free the goal before this returns. */
void suspend(struct pe *pe, struct goal *goal);

/* ---- goals.c ---- */
/* Prepares a zeroed pool, which has no goals yet. */
void goals_open(struct goal_pool *pool);
/* Frees all goals of the run, used or not, but not POOL itself; the records in their
 * `waiting` must be freed before. */
void goals_close(struct goal_pool *pool);
/* Returns a goal that is no built-in process and has no recorded suspensions; the caller
 * sets its procedure, site, parent and ARITY arguments, at most 255, and goal_free() frees
 * it. Never NULL; ends the run with an error when goals take more than the run's memory. */
struct goal *goal_new(struct pe *pe, uint32_t arity);
/* Gives a goal back, for this PE (thread) or another to use again, and frees its recorded
 * suspensions.  Its memory stays readable until the end of the run. */
void goal_free(struct pe *pe, struct goal *goal);
/* Puts a goal on top of this PE's (thread's) stack of goals to be reduced, which owns
 * it. */
void push_goal(struct pe *pe, struct goal *goal);
/* Takes the newest goal off this PE's (thread's) stack, or with options.seed a random one
 * of the 8 newest; NULL when the stack is empty.  The caller owns the goal. */
struct goal *pop_goal(struct pe *pe);
/* Answers the PE (thread) TO, which asked PE for goals, with the oldest quarter of PE's
 * stack, rounded up, at most MAX_STOLEN, or with MAIL_EMPTY.  Called by PE's own thread. */
void give_goals(struct pe *pe, struct pe *to);
/* Returns the next of this PE's (thread's) pseudo-random numbers, of 64 bits
 * (xorshift64). */
uint64_t pe_random(struct pe *pe);

/* ---- steal_goals_and_safe_points.c ---- */
/* Serves the requests of other threads in pe->attention (enum attention), on PE's own
 * thread, between two reductions; returns false when the run has ended.  A garbage
 * collection may move terms: only the first pe->n_live registers, used goals and the
 * answers are updated. */
bool attend(struct pe *pe);
/* Serves requests of other threads, if any, between two reductions; returns false when the
 * run has ended.  A garbage collection may move terms: only the first n_live registers,
 * used goals and the answers are updated. */
static inline bool safe_point(struct pe *pe)
{
    return !atomic_load_explicit(&pe->attention, memory_order_relaxed) || attend(pe);
}
/* Returns true when a request of another thread waits in pe->attention: a long built-in
 * process then pushes its goal and returns, so that the request is served. */
static inline bool is_wanted(const struct pe *pe)
{
    return atomic_load_explicit(&pe->attention, memory_order_relaxed) != 0;
}
/* Returns the next goal for this PE (thread) to reduce, which the caller then owns: from
 * its stack, or stolen from another PE, for which it waits.  NULL at the end of the run. */
struct goal *next_goal(struct pe *pe);
/* Requests WHAT of every PE (thread), the caller's own too, which serves it between two
 * reductions. */
void call_for(struct machine *machine, enum attention what);
/* Ends the run with the error CODE and the message FMT, at the line of the goal SITE, an
 * index in program.calls, or 0 for none; the run's first error is kept.  Takes
 * machine->lock. */
void stop_with(struct machine *machine, enum weft_err_code code, uint32_t site,
               const char *fmt, ...) WEFT_PRINTF(4, 5);

/* Ends the run without an error, as the program's exit(0) does: the remaining goals are
 * dropped.  Takes machine->lock. */
void stop_well(struct machine *machine);

/* ---- record.c ---- */
/* Returns true when the kernel keeps time with the processor's counter (clocksource tsc),
 * which is then steady, and equal on all processors. */
bool record_counter_is_clock(void);
/* Returns the time of CLOCK_MONOTONIC in ns. */
uint64_t record_nanoseconds(void);
/* Returns the time in ticks, the unit of a recording: the processor's counter (rdtsc) if
 * the machine has_counter, else ns of CLOCK_MONOTONIC. */
uint64_t record_tick(const struct machine *machine);
/* Writes an empty block for each PE (thread) to the recording, if there is one, before the
 * first reduction: it says what the clocks showed at the beginning. */
void record_begin(struct machine *machine);
/* Writes each PE's (thread's) last block to the recording, if there is one, when all PEs
 * have ended. */
void record_end(struct machine *machine);
/* Writes this PE's (thread's) records so far to the recording, which must exist.  A failure
 * ends the run with an error. */
void record_flush(struct pe *pe);
/* Returns for how many ticks a PE's thread ran on no processor between the moments SINCE
 * and NOW, at most as many as lie between since->latest and NOW; 0 if they are too few to
 * tell or the clocks went backwards. */
uint64_t record_absence(const struct presence *since, const struct presence *now);
/* Begins the recording of a PE, on its own thread, before its first goal: sets pe->presence
 * to the present moment; no effect if the run is not recorded. */
void record_start(struct pe *pe);
/* Records the reduction of PE's running goal by the clause of this number, and the goal's
 * suspensions, pe->waiting, which is freed.  The run must be recorded. */
void record_reduction(struct pe *pe, uint32_t clause);
/* Notes in goal->waiting, which it allocates at the first suspension, that GOAL is
 * suspended on pe->waited; does nothing for a built-in process.  The run must be
 * recorded. */
void record_suspension(struct pe *pe, struct goal *goal);
/* Notes in goal->waiting, if that exists, that the reduction which PE runs woke GOAL; for a
 * built-in process, the reduction that called it.  The run must be recorded. */
void record_waking(struct pe *pe, struct goal *goal);
/* Returns the tick at which a PE (thread) becomes idle, for record_idle_end().  The run
 * must be recorded. */
uint64_t record_idle_begin(struct pe *pe);
/* Records that the PE (thread) was idle from the tick SINCE until now.  The run must be
 * recorded. */
void record_idle_end(struct pe *pe, uint64_t since);

/* ---- builtin_processes.c, builtin_streams.c ---- */
/* Runs a built-in process, GOAL, up to its end or until it must wait; then GOAL has been
 * freed, suspended or pushed. */
void run_builtin(struct pe *pe, struct goal *goal);
/* Runs outstream(Commands): a stream to the run's standard output and from its input.  GOAL
 * is freed, and a process `writing` in its place runs. */
void run_outstream(struct pe *pe, struct goal *goal);
/* Runs writing(Commands, Untested, Stream), which carries out the list of commands of an
 * open stream as far as they are bound; then GOAL has been freed, suspended or pushed. */
void run_writing(struct pe *pe, struct goal *goal);
/* Returns a new goal, the built-in process BUILTIN with the call site and parent of the
 * goal MAKER; the caller sets its ARITY arguments and runs or pushes it.  Never NULL. */
struct goal *process_of(struct pe *pe, const struct goal *maker, enum builtin builtin,
                        uint32_t arity);
/* Runs klicio(Requests), which opens the streams that a list of requests names, such as
 * stdout(Result), as far as it is bound; then GOAL has been freed, suspended or pushed. */
void run_klicio(struct pe *pe, struct goal *goal);
/* Closes the files that the program opened, when all PEs (threads) have ended; a file that
 * could not be written fails the run. */
void close_files(struct machine *machine);
/* Runs merge(In, Out), which merges a list, or a vector of lists, into the list Out: moves
 * one element; then GOAL has been freed, suspended or pushed. */
void run_merge(struct pe *pe, struct goal *goal);
/* Suspends GOAL, with suspend(), until T, the dereferenced REF of a variable, is bound;
 * pe->waited is overwritten. */
void again_when(struct pe *pe, struct goal *goal, term t);
/* Ends the run with an error, the text of GOAL, a built-in process that has failed, and
 * WHY, unless the run has ended already.  Frees GOAL. */
void builtin_fail(struct pe *pe, struct goal *goal, const char *why);
/*
 * Returns true when all elements of the list in argument ARGUMENT (from 0) of GOAL, a
 * built-in process, are ground, that is, hold no unbound variable.  Otherwise the goal is
 * suspended until a variable is bound, and the argument is replaced by the list of the
 * parts that are not yet tested.
 */
bool when_known(struct pe *pe, struct goal *goal, uint32_t argument);
/* ---- stream_files.c ---- */
/* Replaces the standard streams in machine->options that are no files on a disk, but pipes
 * or terminals, by streams whose reads and writes stop waiting when the run ends. */
void ends_open(struct machine *machine);
/* Flushes and closes the streams of ends_open() and restores the caller's; output that is
 * lost fails the run, unless it was cancelled or nobody reads a pipe. */
void ends_close(struct machine *machine);
/* Opens the file PATH for the program with fopen's MODE, and waits for the reader of a
 * named pipe.  The caller closes it with fclose().  Returns NULL, and sets errno, when it
 * cannot be opened, or the run ends first. */
FILE *end_of_path(const struct machine *machine, const char *path, const char *mode);
/* Returns true when the run has ended or was cancelled. */
bool is_ending(const struct machine *machine);
/* ---- read_terms.c ---- */
/*
 * The maximum of names that gett may add.  program.names has room for them from the start
 * and never moves, so PEs read it without a lock.
 */
enum { MAX_READ_NAMES = 1 << 16 };
/*
 * Reads a term from IN up to its full stop, or the atom end_of_file at the end of the
 * input, into *OUT, allocated in the heap.  Returns false when the text is no term or has
 * too many names, or when the run ends; a term that takes too much memory ends it.  New
 * names stay in the program.  The caller holds machine->out_lock.
 */
bool read_term(struct pe *pe, FILE *in, term *out);

/* ---- builtin_functions.c ---- */
/*
 * Runs a built-in function, an index from function_find(), on ARGUMENTS, one for each of
 * its arity, where it replaces the outputs by its results and may dereference the others.
 * NO: the arguments are not of its kind, or a test is false.  WAIT: it needs an unbound
 * variable, which is added to pe->waited, or the run has ended.
 */
enum outcome function_run(struct pe *pe, uint32_t function, term *arguments);
/* Runs GOAL, a built-in process that is a function (BUILTIN_FUNCTION + its index), and
 * unifies its results with the goal's arguments; then GOAL has been freed or suspended. */
void run_function(struct pe *pe, struct goal *goal);

/* ---- print.c ---- */
/* Returns a term as text for an error message, cut to 150 bytes; the caller frees it. */
char *term_text(const struct machine *machine, term t);
/* Returns a goal, with its name and arguments, as text for an error message, cut to 300
 * bytes; the caller frees it. */
char *goal_text(const struct machine *machine, const struct goal *goal);

#endif
