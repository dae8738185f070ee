/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the recorder of references: the arrays of a process, its current step, and the
 * references that each thread collects.
 *
 * A thread collects references in memory of its own.  They are written when the thread
 * first makes a reference in a new step, when it ends, and when the process ends by exit()
 * or a return from main.  In a forked child that memory is cleared.
 */
#ifndef WEFT_RECORD_ARRAYS_ARRAYS_H
#define WEFT_RECORD_ARRAYS_ARRAYS_H

#include <stddef.h>

#include "domains/arrays/record/code_loops.h"
#include "domains/arrays/record/load_store_hooks.h"
#include "domains/arrays/record/loop_nests.h"

/* Where an array of the process lies in memory. */
struct array_memory {
    uintptr_t begin, size;  /* address of its first byte; bytes */
    uint64_t element_bytes; /* bytes of an element, above 0 */
    uint16_t array;         /* its number */
    bool by_columns;        /* column-major */
    uint8_t shift; /* element_bytes is 2 to the power of this; 64 if it is no power */
};

/* Returns how many elements BYTES bytes are, rounded down; of a stride they are whole. */
static inline int64_t array_elements_of(const struct array_memory *memory, int64_t bytes)
{
    return memory->shift < 64 ? bytes >> memory->shift
                              : bytes / (int64_t)memory->element_bytes;
}

/* State that all threads share: the current step and the addresses of arrays. */
struct array_world {
    uint64_t stamp; /* odd; changes with the step and with the addresses of arrays */
    uint32_t step;  /* the current one, from 0: the highest that any thread has begun */
    uint32_t n_memories; /* arrays with an address */
    /* [n_memories], of the arrays with an address, in no order. */
    struct array_memory memories[WEFT_RECORD_ARRAYS_MAX];
};
/* The one struct array_world of the process: the current step, and where arrays lie. */
WEFT_HIDDEN extern struct array_world array_world;

/* Limits of the recorder of references. */
enum {
    ARRAY_SITES = WEFT_HOOK_SITES, /* slots for sites (places in the program) of a thread */
    ARRAY_BODY = 64,               /* references in the body of a loop, at most */
    ARRAY_GATES = 16,              /* libraries with hooks that are recorded, at most */
    ARRAY_TRAIL = 256,             /* references of iterations that have not ended */
    ARRAY_ANCHORS = 8,             /* reads that may tell where a write would be */
    ARRAY_PENDING = 4096,          /* reads for which not enough writes were seen yet */
};

/* A site (a place in the program that refers to arrays) of one thread: the recorder's view
   of a struct weft_hook_site.  A run is a sequence of equally spaced references of a site.
   Site I of struct array_thread, in hooks.sites, has its references in places[I]. */
struct array_site {
    struct weft_hook_next next; /* the hook's prediction */
    uint64_t start; /* next.expected when prediction began; 0 if nothing was predicted */
    uintptr_t base; /* the first address of the run */
    struct array_site *previous; /* site of the reference before it in the loop body */
    uint32_t seen;     /* references of the run that were not predicted; 0: no run */
    uint16_t position; /* index in the loop body; ARRAY_BODY if not in it */
    bool writes;       /* the run is of writes, else of reads */
};
_Static_assert(sizeof(struct array_site) <= sizeof(struct weft_hook_site), "a site fits");

/* References of one site that follow each other by constant strides, of the elements and
   of their owners; with N of 0 there are none. */
struct array_run {
    struct array_nest nest; /* the first one, with a loop if it has several elements */
    uint64_t n;
    int64_t stride, owner_stride; /* if N is above 1 */
};

/* A read from whose element that of a write of the same iteration follows: its indices
   always had the same distances from the read's. */
struct array_anchor {
    uint16_t place;          /* of the read: its index */
    uint16_t array, of;      /* arrays of the read and of the write */
    uint8_t order, of_order; /* WEFT_ARRAY_BY_COLUMNS or 0 */
    uint64_t read, written;  /* elements when the write was executed first */
};

/* The references that a thread has collected at one site. */
struct array_place {
    uint64_t site;  /* return address into the program; 0 if the slot is free */
    uint32_t step;  /* the step of all of them */
    uint32_t bytes; /* size of a reference in the current run */
    /* Nests in this step that were so short that their elements were counted instead. */
    uint32_t strays;
    bool awaits;       /* there are reads in WAITING or AWAITING */
    bool seasoned;     /* it was met in three rounds of a loop */
    bool looked;       /* FUNCTION was looked for */
    bool unreadable;   /* its function was looked at and not read: reads are nobody's */
    uint8_t n_anchors; /* of a write */
    uint32_t code;     /* its index in FUNCTION */
    struct code_function *function; /* NULL if its code is unknown */
    struct array_memory memory;     /* copy of the array's range for the current run */
    struct array_run run;           /* references with known owners, not yet in LEVELS */
    struct array_run waiting;       /* reads not yet in AWAITING */
    struct array_levels levels;     /* nests of loops, with known owners */
    struct array_levels awaiting;   /* reads whose owner is an element written later */
    /* Reads of CODE_CALLER that wait are for GIVEN, unless its site GIVEN_BY, or another
       write of its array, comes first. */
    struct array_nest given;
    uint64_t given_by; /* 0 if there is none */
    uint64_t writes;   /* how often it was executed with all its anchors before it */
    struct array_anchor anchors[ARRAY_ANCHORS];
};

/* A reference of an iteration that has not ended. */
struct array_trail {
    uint16_t place; /* index */
    bool open;      /* a read that has no owner yet */
    uint32_t piece; /* number of the piece of a loop that it is of */
    struct array_nest nest;
    int64_t stride; /* elements from this to that of the next round of its piece */
};

/* Reads that are on behalf of an element that was not written, while it is not known yet
   which one that is. */
struct array_pending {
    struct array_run run; /* owners unknown */
    struct array_origin origin;
    uint64_t target; /* site of the write */
    uint32_t n_anchors;
    struct {
        uint16_t place, array;
        uint64_t element;
        int64_t stride;
    } anchors[ARRAY_ANCHORS]; /* what was read in the same iteration */
};

/* The memory in which a thread collects references. */
struct array_thread {
    struct weft_hook_thread hooks;                 /* first member: hooks point to it */
    struct weft_hook_thread **selves[ARRAY_GATES]; /* the gates' pointers to this thread */
    struct weft_hook_thread *nothing[ARRAY_GATES]; /* their values after its end, or NULL */
    uint32_t n_selves;                             /* entries of the two arrays above */
    struct array_place places[ARRAY_SITES];        /* hash table by site */
    /* Indices of the places in use, and of those with `awaits`. */
    uint16_t used[ARRAY_SITES], awaiting[ARRAY_SITES];
    uint32_t n_used, n_awaiting;
    uint64_t stamp;                      /* array_world.stamp when the thread saw it last */
    uint32_t step;                       /* array_world.step then */
    uint32_t n_body;                     /* sites in `body` */
    struct array_site *body[ARRAY_BODY]; /* sites in the current loop's body, in order */
    struct array_trail trail[ARRAY_TRAIL]; /* [n_trail], in the order they were made */
    uint32_t n_trail;
    uint32_t piece;  /* number of the current piece of a loop (array_meet) */
    uint64_t rounds; /* of the current piece that are handled as one */
    struct code_functions functions;
    struct array_pending pending[ARRAY_PENDING]; /* [n_pending] */
    uint32_t n_pending;
    bool repeats; /* the body is complete: its first site came again after its last */
    bool ready;   /* initialized; false at first, and in a forked child */
    bool busy;    /* inside the recorder: a signal handler's references are lost */
    struct array_sink sink; /* references that have left the places */
};

/* The calling thread's memory; NULL before its first reference and after its end. */
WEFT_HIDDEN extern __thread struct array_thread *array_self
    __attribute__((tls_model("initial-exec")));

/*
 * Returns the calling thread's memory, ready for collecting references in the current step
 * (references of an earlier step are written first), and marks it busy until
 * array_thread_leave().  NULL, and the reference is lost, if memory cannot be allocated, or
 * if a signal handler interrupted the thread in the recorder (this is recorded as a loss).
 */
WEFT_HIDDEN struct array_thread *array_thread_enter(void);
/* Ends what array_thread_enter() began; THREAD is its result, not NULL. */
static inline void array_thread_leave(struct array_thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = false;
}
/*
 * Returns the index, in thread->places and thread->hooks.sites, of the place in the program
 * with return address SITE (not 0), which is added if new.  If 3/4 of ARRAY_SITES are in
 * use when one is added, all are written and removed first: indices of earlier calls are
 * void.  Called between array_thread_enter() and array_thread_leave().
 */
WEFT_HIDDEN uint32_t array_thread_place(struct array_thread *thread, uint64_t site);
/* Returns the return address and the step of a place's references. */
static inline struct array_origin array_origin_of(const struct array_place *place)
{
    return (struct array_origin){ place->site, place->step };
}

/* Returns the site of thread->places[INDEX]. */
static inline struct array_site *array_site_of(struct array_thread *thread, uint32_t index)
{
    return (struct array_site *)(void *)&thread->hooks.sites[index];
}
/* Returns the index of SITE, one of the thread's, in thread->hooks.sites and ->places. */
static inline uint32_t array_index_of(struct array_thread *thread,
                                      const struct array_site *site)
{
    return (uint32_t)((const struct weft_hook_site *)(const void *)site
                      - thread->hooks.sites);
}

/* Says what the hook at TARGET, or at the end of a jump there, does: as code_hook_kind. */
WEFT_HIDDEN unsigned array_hook_kind(uint64_t target);

/*
 * Ends the runs (equally spaced references) of all sites of the thread, adds them, as nests
 * of loops, to the levels of its places (detect_loops.h), and forgets the predictions and
 * the current loop's body.
 */
WEFT_HIDDEN void array_close_runs(struct array_thread *thread);
/*
 * Tells the hooks of the program and all libraries, also those that attach later, that all
 * arrays are in the SIZE bytes from address BEGIN on (SIZE 0: hooks record nothing), and
 * gives them array_world.stamp as the key, which voids their predictions if it has changed.
 * The caller blocks signals.
 */
WEFT_HIDDEN void array_tell_hooks(uintptr_t begin, uintptr_t size);
/* Makes all hooks that use the predictions of THREAD, the calling thread, which ends, use
   none, by resetting their thread-local pointers. */
WEFT_HIDDEN void array_leave_hooks(struct array_thread *thread);
/*
 * Takes the spin lock *LOCKED (true while it is held) before a fork, so that no other
 * thread holds it during the fork; the caller clears it afterwards.  Returns false, after
 * 10,000 tries, if it does not become free: a signal handler may fork in the thread that
 * holds it.
 */
WEFT_HIDDEN bool array_lock_for_fork(bool *locked);
/* Takes the lock of the list of hooks before a fork, by array_lock_for_fork(), so that no
   other thread holds it during the fork; goes on without it if it does not become free. */
WEFT_HIDDEN void array_hooks_fork(void);
/* Releases the lock of array_hooks_fork() after the fork: in the parent if it was taken, in
   the child always, since the other threads do not exist there. */
WEFT_HIDDEN void array_hooks_forked(bool in_child);

/*
 * Declares an array with the extents SHAPE[RANK]; the first 127 bytes of its name are
 * copied, and only these are compared.  Returns its number, from 0, which is the old one if
 * an array with that name and shape exists; or -1, with a record of the loss, if NAME or
 * SHAPE is NULL, the shape is invalid (right: rank 1 to 7, extents of at least 1, fewer
 * than 2^48 elements), the name has another shape, or there are WEFT_RECORD_ARRAYS_MAX
 * arrays.
 */
WEFT_HIDDEN int array_declare(const char *name, unsigned rank, const size_t *shape);
/*
 * Sets the address of the array with number ARRAY, which must be declared; NULL, or
 * ELEMENT_BYTES 0, if it has none any more.  Voids the predictions of all hooks, and if
 * ADDRESS is not NULL, writes a record of ELEMENT_BYTES (at most 2^15) and BY_COLUMNS (the
 * array is column-major).
 */
WEFT_HIDDEN void array_lies_at(int array, const void *address, size_t element_bytes,
                               bool by_columns);
/* Returns the extents of a declared array, and sets *RANK to their number. */
WEFT_HIDDEN const uint64_t *array_shape(int array, uint32_t *rank);
/* Records in the log of the calling thread that NUMBER references (or declarations, or
   libraries with hooks) were lost, for the reason LOSS. */
WEFT_HIDDEN void array_lose(enum weft_array_loss loss, uint64_t number);

#endif
