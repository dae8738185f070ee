/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References to arrays: tell `weft record` which elements your program reads and writes, on
 * behalf of which other elements, and in which step.  Weft then shows which references
 * would be remote under any distribution.  C99 and C++11; include it, link nothing.  When
 * no recording runs, each call is one load and one branch.
 *
 *     weft_array("B", 2, (const size_t[]){ 10, 11 });     name, dimensions, their lengths
 *     ...
 *     for (col = 0; col < 10; col++) {
 *         B[j][col] = c * B[j][col];
 *         TRACE(time, j, col, j, j, j, j, 0);       for (j, col): reads (j, j), of which
 *         TRACE(time, j, col, j, j, col, col, 0);   c is made, reads its own element,
 *         TRACE(time, j, col, j, j, col, col, 1);   and writes it
 *     }
 *     time++;            references of the same time may be concurrent
 *
 * Indices count from 0, ranges include their last element, the operation is 0 (read) or 1
 * (write).  TRACE is that of S. T. Hackstadt and A. D. Malony, CIS-TR-93-21.
 *
 * A program that is compiled with hooks at its loads and stores needs no TRACE.  It says
 * where its arrays lie, and calls weft_array_step() after each step:
 *
 *     weft_array("B", 2, (const size_t[]){ 4096, 4096 });
 *     weft_array_at(B, sizeof B[0][0]);
 *     for (sweep = 0; sweep < 60; sweep++) {
 *         relax(B);
 *         weft_array_step();
 *     }
 *
 *     cc -O1 -g -fsanitize=thread -c program.c
 *     cc program.o -lweft-array -o program       not -fsanitize=thread: Weft's hooks
 *     weft record --with arrays -- ./program
 *
 * All calls may be made from any thread; none fails or blocks.  A wrong call (an index
 * beyond the array, no array declared) is not recorded, and counted as a problem of the
 * trace.
 */
#ifndef WEFT_ARRAY_H
#define WEFT_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The functions of the recorder, which exports them as the object weft_rt_array_v1; the
 * inline functions below call them, and tell more of what they do.
 */
struct weft_array_runtime {
    uint32_t version; /* 1 */
    /* Declares an array of RANK dimensions; returns its number, -1: not kept. */
    int (*declare)(const char *name, unsigned rank, const size_t *shape);
    void (*use)(int array); /* `at` and `trace` are about ARRAY from now on */
    /* The array declared or used last lies at ADDRESS; NULL: nowhere any more. */
    void (*at)(const void *address, size_t element_bytes, int column_by_column);
    void (*step)(void); /* the time step is done */
    /*
     * `trace` records that elements of the array declared or used last, `reference` that
     * elements of ARRAY were read (OPERATION 0) or written (1) in step TIME, on behalf of
     * the element OWNER; ranges include their ends.
     */
    void (*trace)(int time, int owner_row, int owner_column, int first_row, int last_row,
                  int first_column, int last_column, int operation);
    void (*reference)(long time, int owner_array, const size_t *owner, int array,
                      const size_t *first, const size_t *last, int operation);
};

/* dlsym, without <dlfcn.h>; its address is NULL in a program that is linked statically. */
extern void *weft_array_dlsym_(void *handle, const char *symbol) __asm__("dlsym")
    __attribute__((weak));

/*
 * Points to the recorder's functions (struct weft_array_runtime); NULL: no recording runs;
 * the variable's own address: not looked up yet.  Each file that includes this header has a
 * copy.
 */
static const void *weft_array_runtime_ __attribute__((unused)) = &weft_array_runtime_;

/*
 * Returns the recorder's functions by dlsym(), or NULL if no recording runs, and keeps them
 * in weft_array_runtime_.
 */
static __attribute__((noinline, cold, unused)) const struct weft_array_runtime *
weft_array_look_up_(void)
{
    const void *found = NULL;

    if (weft_array_dlsym_ != NULL)
        found = weft_array_dlsym_(NULL, "weft_rt_array_v1");
    __atomic_store_n(&weft_array_runtime_, found, __ATOMIC_RELEASE);
    return (const struct weft_array_runtime *)found;
}

/*
 * Begins the inline functions of this header.  "artificial" gives inlined code the caller's
 * line in debugging information, and hooks do not count its loads as the program's.
 */
#define WEFT_ARRAY_INLINE_ static inline __attribute__((always_inline, artificial, unused))

/*
 * Returns the recorder's functions, looked up at the first call; NULL: no recording runs.
 */
WEFT_ARRAY_INLINE_ const struct weft_array_runtime *weft_array_get_(void)
{
    const void *runtime = __atomic_load_n(&weft_array_runtime_, __ATOMIC_RELAXED);

    if (__builtin_expect(runtime == NULL, 1))
        return NULL;
    if (__builtin_expect(runtime == &weft_array_runtime_, 0))
        return weft_array_look_up_();
    return (const struct weft_array_runtime *)runtime;
}

/*
 * Declares an array NAME (its first 127 bytes count) of RANK dimensions (1 to 7) with the
 * lengths SHAPE[RANK], each at least 1, together less than 2^48 elements; NAME and SHAPE
 * are copied; 64 arrays at most.  TRACE and weft_array_at() are about it, in all threads,
 * until another array is declared or used.  Returns its number for weft_array_use() and
 * weft_array_reference(); -1 if no recording runs or it cannot be kept: then TRACE and
 * weft_array_at() are about no array.  A second declaration with the same name and shape
 * returns the same number; with another shape, -1.
 */
WEFT_ARRAY_INLINE_ int weft_array(const char *name, unsigned rank, const size_t *shape)
{
    const struct weft_array_runtime *runtime = weft_array_get_();

    return runtime != NULL ? runtime->declare(name, rank, shape) : -1;
}

/*
 * Makes TRACE and weft_array_at(), in all threads, about the array with the number ARRAY,
 * which weft_array() returned, until another is declared or used.  With -1, or a number
 * that was not declared, they are about no array.
 */
WEFT_ARRAY_INLINE_ void weft_array_use(int array)
{
    const struct weft_array_runtime *runtime = weft_array_get_();

    if (runtime != NULL)
        runtime->use(array);
}

/*
 * Says that the array declared or used last lies at ADDRESS, row by row (last index
 * fastest), with elements of ELEMENT_BYTES, 32768 at most, and no longer where it lay
 * before.  ADDRESS NULL, or ELEMENT_BYTES 0: it lies nowhere any more; call this before its
 * memory is freed.  Without such an array, or with larger elements, no effect but a problem
 * of the trace.
 */
WEFT_ARRAY_INLINE_ void weft_array_at(const void *address, size_t element_bytes)
{
    const struct weft_array_runtime *runtime = weft_array_get_();

    if (runtime != NULL)
        runtime->at(address, element_bytes, 0);
}

/*
 * Says that the array declared or used last lies at ADDRESS column by column (first index
 * fastest), as Fortran's arrays do; all else is as in weft_array_at(): ELEMENT_BYTES is at
 * most 32768, and a NULL ADDRESS means that it lies nowhere any more.
 */
WEFT_ARRAY_INLINE_ void weft_array_at_by_columns(const void *address, size_t element_bytes)
{
    const struct weft_array_runtime *runtime = weft_array_get_();

    if (runtime != NULL)
        runtime->at(address, element_bytes, 1);
}

/*
 * Says that a time step is done: later loads and stores that hooks record, in all threads,
 * are in the next one.  The first step is 0.
 */
WEFT_ARRAY_INLINE_ void weft_array_step(void)
{
    const struct weft_array_runtime *runtime = weft_array_get_();

    if (runtime != NULL)
        runtime->step();
}

/*
 * Records, for the array declared or used last, which has one or two dimensions, that on
 * behalf of its element (ownerRow, ownerCol) each element of rows minRow to maxRow and
 * columns minCol to maxCol was read (op 0) or written (op 1) once, in the step TIME, 0 or
 * more.  Indices count from 0; the row indices are 0 for an array of one dimension.  A TIME
 * after the present step begins that step, for hooks, too; one before it counts in that
 * earlier step.  A range whose end is before its begin is no reference; an index beyond the
 * array only makes a problem of the trace.
 */
WEFT_ARRAY_INLINE_ void weft_array_trace(int time, int ownerRow, int ownerCol, int minRow,
                                         int maxRow, int minCol, int maxCol, int op)
{
    const struct weft_array_runtime *runtime = weft_array_get_();

    if (runtime != NULL)
        runtime->trace(time, ownerRow, ownerCol, minRow, maxRow, minCol, maxCol, op);
}

/* The name of weft_array_trace() in CIS-TR-93-21. */
#define TRACE(time, ownerRow, ownerCol, minRow, maxRow, minCol, maxCol, op)                \
 weft_array_trace(time, ownerRow, ownerCol, minRow, maxRow, minCol, maxCol, op)

/*
 * Records, for any number of dimensions, that in the step TIME, 0 to 2^32 - 2, the elements
 * of ARRAY from FIRST to LAST, included, in each dimension were each read (OP 0) or written
 * (OP 1) once, on behalf of the element OWNER of OWNER_ARRAY.  Each vector has as many
 * indices, from 0, as its array has dimensions; the arrays are numbers from weft_array().
 * A TIME after the present step begins that step, and one before it counts in that earlier
 * one.  A LAST before FIRST is no reference; an unknown array or an index beyond it only
 * makes a problem of the trace.
 */
WEFT_ARRAY_INLINE_ void weft_array_reference(long time, int owner_array,
                                             const size_t *owner, int array,
                                             const size_t *first, const size_t *last,
                                             int op)
{
    const struct weft_array_runtime *runtime = weft_array_get_();

    if (runtime != NULL)
        runtime->reference(time, owner_array, owner, array, first, last, op);
}

#ifdef __cplusplus
}
#endif

#endif
