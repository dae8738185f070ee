/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations: tell `weft record` what your program is doing.  C99 and C++11; include it,
 * link nothing.  When no recording runs, each call is one load and one branch.
 *
 *     weft_begin("solve");            a region of the calling thread; regions nest
 *     weft_instant("restarted");
 *     weft_counter("queue length", n);
 *     weft_end();
 *
 *     weft_send("halo", id, bytes);   a message: the receiver gives the same name and id
 *     weft_receive("halo", id, bytes);
 *     weft_task_begin("tile", flops); a task, and the amount of its work in any unit
 *     weft_task_end();
 *     weft_thread_name("worker 3");
 *     weft_name_object(&queue->lock, "queue of orders");
 *
 * The names are string literals, looked up once a call site.  For names that are made at
 * run time there is weft_begin_text(name), which copies the first 240 bytes of the text at
 * every call; NULL is an empty one.  weft_thread_name() and weft_name_object() copy theirs,
 * too.
 *
 * The ends close the region, or the task, that the thread began last.  A counter belongs to
 * the process.  Sends and receives of one name and id are paired in order.
 *
 * weft_name_object(object, name) names a mutex, read-write lock, spin lock, condition
 * variable, semaphore or barrier by its address.  Call it after the object was initialized;
 * the name ends when the object is destroyed, or its memory is initialized again.
 *
 * All calls may be made from any thread and from signal handlers; none fails, blocks or
 * allocates.  A statically linked program runs unchanged and records nothing.
 */
#ifndef WEFT_H
#define WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name at one call site; static, since the recorder keeps its number there. */
struct weft_name {
    const char *text; /* NULL counts as empty */
    uint32_t number;  /* the recorder's number for TEXT; 0 until the first recorded call */
};

/*
 * The recorder's functions, which it exports as the object weft_rt_v1; the macro
 * weft_begin() calls `begin`, and so on.  A struct weft_name must be static; other texts
 * are copied, and NULL is an empty one.  Later versions add members at the end, so a member
 * may be read only if the version is high enough.
 */
struct weft_runtime {
    uint32_t version; /* from 1 */
    /* A region of the calling thread begins; regions nest. */
    void (*begin)(struct weft_name *name);
    void (*begin_text)(const char *name); /* the first 240 bytes of NAME count */
    void (*end)(void); /* the region that the calling thread began last ends */
    void (*instant)(struct weft_name *name); /* an event of the calling thread, now */
    void (*counter)(struct weft_name *name, double value); /* of the process, from now on */
    /* The ends of a message; those of one name and ID are paired in order. */
    void (*send)(struct weft_name *name, uint64_t id, uint64_t bytes);
    void (*receive)(struct weft_name *name, uint64_t id, uint64_t bytes);
    /* A task of the calling thread begins; WORK is its amount of work in any unit. */
    void (*task_begin)(struct weft_name *name, double work);
    void (*task_end)(void); /* the task that the calling thread began last ends */
    void (*thread_name)(const char *name); /* names the calling thread */
    /*
     * From version 2 on, for mpicl/binding.h: tasks and marks with numbers in place of
     * names.  numbered_end ends the task that the thread began last, whatever NUMBER is;
     * WORK is ignored if HAS_WORK is 0.
     */
    void (*numbered_begin)(uint32_t number);
    void (*numbered_end)(uint32_t number, int has_work, double work);
    void (*numbered_mark)(uint32_t number);
    /*
     * From version 3 on, for mpicl/binding.h: asks for a PICL trace to be made at PATH,
     * which is copied.
     */
    void (*trace_file)(const char *path);
    /*
     * From version 4 on, for mpicl/binding.h: event NUMBER with the array VALUES[N], of
     * the type ITEM (enum weft_item), which is copied; NULL: no values.  SAID is an enum
     * weft_said; DATA is the program's number for the data (WEFT_SAID_DATA), else 0.
     */
    void (*numbered_values)(uint32_t said, uint32_t number, int32_t data, uint32_t item,
                            uint32_t n, const void *values);
    /* From version 5 on: names the mutex, condition or the like at the address OBJECT. */
    void (*name_object)(const volatile void *object, const char *name);
};

/* The kind of an event with values: MPICL's mark, label, message (NOTE) or tracedata. */
enum weft_said { WEFT_SAID_MARK, WEFT_SAID_LABEL, WEFT_SAID_NOTE, WEFT_SAID_DATA };
/* The C type of an event's values. */
enum weft_item {
    WEFT_ITEM_CHARACTER, /* char */
    WEFT_ITEM_INTEGER,   /* int */
    WEFT_ITEM_LONG,
    WEFT_ITEM_FLOAT,
    WEFT_ITEM_REAL, /* float, by its name in Fortran */
    WEFT_ITEM_DOUBLE,
    WEFT_ITEMS, /* the number of types */
};

/*
 * dlsym, declared under a name of our own, so that <dlfcn.h> need not be included.  It is
 * weak: in a statically linked program, which has no dlsym, its address is NULL.
 */
extern void *weft_dlsym_(void *handle, const char *symbol) __asm__("dlsym")
    __attribute__((weak));

/*
 * Points to the recorder's functions (struct weft_runtime); NULL: no recording runs; the
 * variable's own address: not looked up yet.  Each file that includes this header has a
 * copy.
 */
static const void *weft_runtime_ __attribute__((unused)) = &weft_runtime_;

/* Returns the recorder's functions by dlsym(), or NULL, and keeps them in weft_runtime_. */
static __attribute__((noinline, cold, unused)) const struct weft_runtime *
weft_look_up_(void)
{
    const void *found = NULL;

    if (weft_dlsym_ != NULL)
        found = weft_dlsym_(NULL, "weft_rt_v1");
    __atomic_store_n(&weft_runtime_, found, __ATOMIC_RELEASE);
    return (const struct weft_runtime *)found;
}

/*
 * Returns the recorder's functions, looked up at the first call; NULL if no recording
 * runs.
 */
static inline __attribute__((unused)) const struct weft_runtime *weft_get_(void)
{
    const void *runtime = __atomic_load_n(&weft_runtime_, __ATOMIC_ACQUIRE);

    if (__builtin_expect(runtime == NULL, 1))
        return NULL;
    if (__builtin_expect(runtime == &weft_runtime_, 0))
        return weft_look_up_();
    return (const struct weft_runtime *)runtime;
}

#ifdef __cplusplus
}
#endif

/*
 * Calls a function of struct weft_runtime, as CALL says, which is the function's name and
 * its arguments; no effect if no recording runs.
 */
#define WEFT_CALL_(call)                                                                   \
 do {                                                                                      \
  const struct weft_runtime *weft_r_ = weft_get_();                                        \
  if (weft_r_ != NULL)                                                                     \
   weft_r_->call;                                                                          \
 } while (0)

/*
 * Calls a function of struct weft_runtime that is there from version SINCE on, as CALL
 * says; no effect if no recording runs, or the recorder is of an older version.
 */
#define WEFT_SINCE_(since, call)                                                           \
 do {                                                                                      \
  const struct weft_runtime *weft_r_ = weft_get_();                                        \
  if (weft_r_ != NULL && weft_r_->version >= (since))                                      \
   weft_r_->call;                                                                          \
 } while (0)

/*
 * Calls a function of struct weft_runtime, as CALL says, which may use &weft_n_: the name
 * LITERAL (a string literal) of this call site.  No effect if no recording runs.
 */
#define WEFT_NAMED_(literal, call)                                                         \
 do {                                                                                      \
  const struct weft_runtime *weft_r_ = weft_get_();                                        \
  if (weft_r_ != NULL) {                                                                   \
   static struct weft_name weft_n_ = { "" literal, 0 };                                    \
   weft_r_->call;                                                                          \
  }                                                                                        \
 } while (0)

/*
 * The calls of a program; no effect if no recording runs.  weft_begin and weft_end enclose
 * a region of the calling thread, weft_task_begin and weft_task_end a task with an amount
 * WORK of work in any unit; an end closes the one that the thread began last.  weft_instant
 * is an event of the thread, weft_counter sets a counter of the process to VALUE.
 * weft_send and weft_receive are the ends of a message of BYTES bytes; those of one name
 * and ID are paired in order.  weft_thread_name names the calling thread, weft_name_object
 * the lock, condition variable, semaphore or barrier at the address OBJECT.
 *
 * NAME is a string literal, but any text in weft_begin_text, weft_thread_name and
 * weft_name_object, which copy it (the first 240 bytes in weft_begin_text).
 */
#define weft_begin(name)               WEFT_NAMED_(name, begin(&weft_n_))
#define weft_end()                     WEFT_CALL_(end())
#define weft_instant(name)             WEFT_NAMED_(name, instant(&weft_n_))
#define weft_counter(name, value)      WEFT_NAMED_(name, counter(&weft_n_, (value)))
#define weft_send(name, id, bytes)     WEFT_NAMED_(name, send(&weft_n_, (id), (bytes)))
#define weft_receive(name, id, bytes)  WEFT_NAMED_(name, receive(&weft_n_, (id), (bytes)))
#define weft_task_begin(name, work)    WEFT_NAMED_(name, task_begin(&weft_n_, (work)))
#define weft_task_end()                WEFT_CALL_(task_end())
#define weft_begin_text(name)          WEFT_CALL_(begin_text(name))
#define weft_thread_name(name)         WEFT_CALL_(thread_name(name))
#define weft_name_object(object, name) WEFT_SINCE_(5, name_object((object), (name)))

#endif
