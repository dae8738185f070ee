/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arrays of a process, the step that it is in, and what each thread collects.
 *
 * A thread's references are collected in memory of its own, and written when it takes part
 * in a new step, when it ends, and when the process does, by exit() or a return from main.
 * A forked child finds that memory cleared, and begins anew.
 */
#ifndef WEFT_RECORD_ARRAYS_ARRAYS_H
#define WEFT_RECORD_ARRAYS_ARRAYS_H

#include <stddef.h>

#include "domains/arrays/record/hooks.h"
#include "domains/arrays/record/nests.h"

struct array_memory { /* an array that lies somewhere */
    uintptr_t begin, size;
    uint64_t element_bytes;
    uint16_t array;
    bool by_columns;
};

struct array_world {
    uint64_t stamp; /* odd; changes with the step, and with where arrays lie */
    uint32_t step;
    uint32_t n_memories;
    struct array_memory memories[WEFT_RECORD_ARRAYS_MOST];
};
WEFT_HIDDEN extern struct array_world array_world;

enum {
    ARRAY_SITES = WEFT_HOOK_SITES,
    ARRAY_BODY = 64,  /* references in the body of a loop, at most */
    ARRAY_GATES = 16, /* libraries with hooks that are recorded, at most */
};

/* A site of a hook, with what is the recorder's. */
struct array_site {
    struct weft_hook_next next;
    uint64_t start; /* what was expected first; 0: nothing was foreseen in this run */
    uintptr_t base; /* the first address of the run */
    struct array_site *previous; /* that of the reference before it, in the body */
    uint32_t seen;               /* references of the run that were not foreseen */
    uint16_t position;           /* in the body; ARRAY_BODY: it is not in it */
    bool writes;
};
_Static_assert(sizeof(struct array_site) <= sizeof(struct weft_hook_site), "a site fits");

/* What was collected of a place. */
struct array_place {
    uint64_t site; /* return address; 0: there is none */
    uint32_t step;
    uint32_t bytes;  /* of a reference */
    uint32_t strays; /* references in this step that fitted into no nest */
    bool awaits;
    struct array_memory memory; /* that the run is in, as it was then */
    struct array_levels levels;
    struct array_levels awaiting; /* reads on behalf of what is written next */
};

struct array_thread {
    struct weft_hook_thread hooks;                 /* first: hooks know it as this */
    struct weft_hook_thread **selves[ARRAY_GATES]; /* that point here */
    struct weft_hook_thread *nothing[ARRAY_GATES]; /* instead of it, when the thread ends */
    uint32_t n_selves;
    struct array_place places[ARRAY_SITES];            /* of the sites */
    uint16_t used[ARRAY_SITES], awaiting[ARRAY_SITES]; /* which of them */
    uint32_t n_used, n_awaiting;
    uint64_t stamp; /* of the world, as far as the thread has seen */
    uint32_t step;
    uint32_t n_body;
    struct array_site *body[ARRAY_BODY]; /* of the loop that the thread is in */
    bool repeats; /* the body is whole: its last is followed by its first */
    bool ready;   /* false in a forked child */
    bool busy;    /* a signal handler that comes now cannot be recorded */
    struct array_sink sink;
};

WEFT_HIDDEN extern __thread struct array_thread *array_self
    __attribute__((tls_model("initial-exec")));

/*
 * The calling thread's, for one to collect in, ready, and of the world's step; NULL: there
 * is no memory, or a signal handler has interrupted the thread in here: the reference is
 * lost.
 */
WEFT_HIDDEN struct array_thread *array_thread_enter(void);
static inline void array_thread_leave(struct array_thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = false;
}
/* The index of a site's place, made when it is new. */
WEFT_HIDDEN uint32_t array_thread_place(struct array_thread *thread, uint64_t site);
/* Where a place's references are. */
static inline struct array_origin array_origin_of(const struct array_place *place)
{
    return (struct array_origin){ place->site, place->step };
}

static inline struct array_site *array_site_of(struct array_thread *thread, uint32_t index)
{
    return (struct array_site *)(void *)&thread->hooks.sites[index];
}
static inline uint32_t array_index_of(struct array_thread *thread,
                                      const struct array_site *site)
{
    return (uint32_t)((const struct weft_hook_site *)(const void *)site
                      - thread->hooks.sites);
}

/* What the thread's hooks have begun goes to the levels of its places (runs.h). */
WEFT_HIDDEN void array_close_runs(struct array_thread *thread);
/* Hooks are told where arrays lie now; all that they foresee is void.  With signals
   blocked. */
WEFT_HIDDEN void array_tell_hooks(uintptr_t begin, uintptr_t size);
/* The thread's hooks find nothing any more. */
WEFT_HIDDEN void array_leave_hooks(struct array_thread *thread);
/*
 * Around a fork: take what other threads must not hold while it is made, as far as they
 * give it back (a handler of signals may fork in a thread that has it), and give it back;
 * in the child, where none of them is, all of it.
 */
WEFT_HIDDEN bool array_take_for_fork(bool *locked);
WEFT_HIDDEN void array_hooks_fork(void);
WEFT_HIDDEN void array_hooks_forked(bool in_child);

/* Declare an array; negative: it cannot be.  It is not made the current one. */
WEFT_HIDDEN int array_declare(const char *name, unsigned rank, const size_t *shape);
/* It lies there; NULL: nowhere. */
WEFT_HIDDEN void array_lies_at(int array, const void *address, size_t element_bytes,
                               bool by_columns);
/* References were not recorded. */
WEFT_HIDDEN void array_lose(enum weft_array_loss loss, uint64_t number);

#endif
