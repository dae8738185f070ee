/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of a function of the program, read from its machine code, and what follows from
 * them: on behalf of which write a read with a hook is made.
 *
 * A read belongs to the first write that stores its value, or that its value decides
 * (code_values.h), and follows it in the same iteration of the innermost loop around it.
 * If that iteration has none, it is part of a sum or the like, and belongs to the first
 * write of its value behind the loop, in the same iteration of the next loop, if that
 * follows in any case and is in no other loop.  Else it belongs to nobody.
 *
 * Only x86-64 is read.  All memory is mapped, since hooks run where malloc must not.
 */
#ifndef WEFT_RECORD_ARRAYS_CODE_LOOPS_H
#define WEFT_RECORD_ARRAYS_CODE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/core/core.h"

/* On behalf of which write a read is made. */
enum code_owner {
    CODE_NEXT,   /* of the next write: it is not known more */
    CODE_CALLER, /* of a write of the caller, if one follows; the function has none */
    CODE_DIRECT, /* of one of its targets, in the same iteration of its innermost loop */
    CODE_SUM,    /* of its targets, the one that comes first, some iterations later */
    CODE_NOBODY,
};

enum { CODE_TARGETS = 6 };

/* A read or write with a hook. */
struct code_site {
    uint64_t address; /* as hooks tell it: a return address */
    uint16_t loop;    /* number of its innermost loop; 0 if it is in none */
    bool writes;
    bool conditional; /* a write that an iteration which reads for it may leave out */
    bool met;         /* it was executed, on an array */
    bool elsewhere;   /* a write of other memory, which is as if it were not there */
    bool followed;    /* a write of which it is known what it stores */
    bool returned;    /* a read of which the value is part of the function's result */
    bool wraps;       /* its index may not grow with that of its loop: a remainder */
    bool certain;     /* a read behind which its one target is always executed */
    /* Only reads have these.  Targets are writes, by their index in struct code_function; a
       target is a second one if another one may come before it in the same iteration. */
    uint8_t owner; /* enum code_owner */
    uint8_t n_targets;
    uint8_t seconds; /* bits: target I is a second */
    uint16_t targets[CODE_TARGETS];
};

/*
 * A function.  Sites are sorted such that in an iteration each comes behind those with
 * lower indices: when a site comes that is not behind the one before, a new iteration of a
 * loop around both has begun, or the function was called anew.
 */
struct code_function {
    struct code_function *next;
    uint64_t begin, end; /* its addresses, without parts that the compiler put elsewhere */
    uint32_t n_sites;
    uint32_t n_loops;
    uint16_t *parents; /* [n_loops + 1] the loop around each; loop 0 is all of it */
    bool known;        /* else its code cannot be read, and it has no sites */
    struct code_site sites[];
};

/* Functions that were looked at, which stay mapped.  Zeroed, there are none. */
struct code_functions {
    struct code_function *first;
    uint32_t n;
};

/* Says what the code at TARGET, which is called, does: 1 reads, 2 writes, 3 reads, then
   writes; 0 it is no hook. */
typedef unsigned code_hook_kind(uint64_t target);

/*
 * Finds the site ADDRESS in FUNCTIONS, to which its function is added.  Returns false if
 * the function's code cannot be read, or the site is not found in it; *FUNCTION and *INDEX
 * are then not set.
 */
WEFT_HIDDEN bool code_find(struct code_functions *functions, uint64_t address,
                           code_hook_kind *kind, struct code_function **function,
                           uint32_t *index);
/*
 * Returns true if ADDRESS is a site of a function whose code code_find() looked at and
 * could not read: it is too large, or has a table of jumps.
 */
WEFT_HIDDEN bool code_is_unreadable(const struct code_functions *functions,
                                    uint64_t address);
/* Notes that the write INDEX of a function is not of arrays, and sets the owners of its
   reads anew, KIND being that of code_find(). */
WEFT_HIDDEN void code_write_elsewhere(struct code_function *function, uint32_t index,
                                      code_hook_kind *kind);
/* Notes that the site INDEX of a function was executed on an array; if it was thought to be
   elsewhere, sets the owners anew. */
WEFT_HIDDEN void code_met(struct code_function *function, uint32_t index,
                          code_hook_kind *kind);

/* Returns true if the loop INNER is OUTER or lies in it. */
static inline bool code_inside(const struct code_function *function, uint32_t inner,
                               uint32_t outer)
{
    while (inner != outer && inner != 0)
        inner = function->parents[inner];
    return inner == outer;
}

/* Returns the innermost loop around both. */
static inline uint32_t code_common_loop(const struct code_function *function, uint32_t a,
                                        uint32_t b)
{
    while (!code_inside(function, b, a))
        a = function->parents[a];
    return a;
}

#endif
