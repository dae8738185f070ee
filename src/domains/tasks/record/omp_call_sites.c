/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLVM's runtime creates the tasks of a taskloop inside of itself and reports places in its
 * own code for them.  So its entry points for taskloops are hooked, and note the place of
 * the call.
 */
#define _GNU_SOURCE
#include "domains/tasks/record/omp_call_sites.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "record/core/real_functions.h"

/* The addresses of a mapped file. */
struct range {
    uintptr_t begin, end;
};

/* The runtime's file, empty if it is linked into the program itself; and this library. */
static struct range runtime, own;
/* The return address of the hook that the thread is in, of the innermost; 0: none. */
static __thread uint64_t hooked __attribute__((tls_model("initial-exec")));
/* The return address of the taskloop call that the thread is in; 0: none. */
static __thread uint64_t taskloop __attribute__((tls_model("initial-exec")));

/* The thread has called what begins an undeferred task, and its event is to come. */
static __thread bool undeferred __attribute__((tls_model("initial-exec")));

/* A file that is looked for: the one that ADDRESS is in. */
struct wanted {
    uintptr_t address;
    struct range *range; /* where to store its addresses */
};

/* Called for each mapped file, the program first. */
static int look(struct dl_phdr_info *file, size_t size, void *user)
{
    const struct wanted *wanted = user;
    struct range range = { UINTPTR_MAX, 0 };

    (void)size;
    for (int i = 0; i < file->dlpi_phnum; i++) {
        uintptr_t at = file->dlpi_addr + file->dlpi_phdr[i].p_vaddr;
        uintptr_t end = at + file->dlpi_phdr[i].p_memsz;
        if (file->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        range.begin = at < range.begin ? at : range.begin;
        range.end = end > range.end ? end : range.end;
    }
    if (wanted->address < range.begin || wanted->address >= range.end)
        return 0;
    if (file->dlpi_name && file->dlpi_name[0])
        *wanted->range = range;
    return 1;
}

void omp_places_begin(const void *address)
{
    struct wanted wanted[] = { { (uintptr_t)address, &runtime },
                               { (uintptr_t)&runtime, &own } };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        (void)dl_iterate_phdr(look, &wanted[i]);
}

static bool is_in(const struct range *range, uint64_t address)
{
    return address - range->begin < range->end - range->begin;
}

static bool is_in_runtime(uint64_t address)
{
    return is_in(&runtime, address);
}

uint64_t omp_place(const void *site)
{
    uint64_t address = (uint64_t)(uintptr_t)site;

    if (is_in(&own, address))
        return hooked;
    return is_in_runtime(address) ? taskloop : address;
}

uint64_t omp_hook_enters(const void *site)
{
    uint64_t outer = hooked, address = (uint64_t)(uintptr_t)site;

    if (!is_in_runtime(address))
        hooked = address;
    return outer;
}

uint64_t omp_hook_place(void)
{
    return hooked;
}

void omp_hook_leaves(uint64_t outer)
{
    hooked = outer;
}

uint64_t omp_place_by_frame(const struct ompt_frame *frame, const void *site)
{
#ifdef __x86_64__
    /* The return address follows the saved frame pointer.  It is used only if the frame is
       just above this call, else it belongs to another one.  The runtime's own calls need a
       few hundred bytes of stack. */
    const uintptr_t near = 4096;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), at;
    uint64_t found;

    if (!frame || (frame->enter_frame_flags & OMPT_FRAME_KINDS) != OMPT_FRAME_POINTER)
        return omp_place(site);
    at = (uintptr_t)frame->enter_frame.pointer;
    if (at <= here || at - here >= near || at % sizeof at != 0)
        return omp_place(site);
    memcpy(&found, (const char *)frame->enter_frame.pointer + sizeof at, sizeof found);
    return is_in_runtime(found) || is_in(&own, found) ? omp_place(site) : found;
#else
    (void)frame;
    return omp_place(site);
#endif
}

bool omp_begins_undeferred(void)
{
    bool begins = undeferred;

    undeferred = false;
    return begins;
}

/* ---- Hooks ---- */

/* The places that were noted outside of a hook of a taskloop. */
struct outer {
    uint64_t taskloop, hooked;
};

/* Notes the place of a taskloop; returns those of what is around it.  The runtime's entry
   points for programs of GCC call those for LLVM's: theirs is noted already. */
static struct outer enter(const void *site)
{
    struct outer outer = { taskloop, omp_hook_enters(site) };
    uint64_t address = (uint64_t)(uintptr_t)site;

    if (!is_in_runtime(address))
        taskloop = address;
    return outer;
}

static void leave(const struct outer *outer)
{
    taskloop = outer->taskloop;
    omp_hook_leaves(outer->hooked);
}

/* Notes the place of this call until the end of the block, also when the thread is
   cancelled or an exception passes. */
#define NOTE_PLACE                                                                         \
 struct outer outer __attribute__((cleanup(leave), unused)) =                              \
     enter(__builtin_return_address(0))

/* Declared by no header: kmp.h and libgomp_g.h are the runtimes' own. */
WEFT_EXPORT void __kmpc_taskloop(void *place, int thread, void *task, int condition,
                                 uint64_t *lower, uint64_t *upper, int64_t step,
                                 int no_group, int schedule, uint64_t grain, void *copy);
WEFT_EXPORT void __kmpc_taskloop_5(void *place, int thread, void *task, int condition,
                                   uint64_t *lower, uint64_t *upper, int64_t step,
                                   int no_group, int schedule, uint64_t grain, int modifier,
                                   void *copy);
WEFT_EXPORT void GOMP_taskloop(void (*run)(void *), void *data,
                               void (*copy)(void *, void *), long size, long align,
                               unsigned flags, unsigned long tasks, int priority, long from,
                               long to, long step);
WEFT_EXPORT void GOMP_taskloop_ull(void (*run)(void *), void *data,
                                   void (*copy)(void *, void *), long size, long align,
                                   unsigned flags, unsigned long tasks, int priority,
                                   unsigned long long from, unsigned long long to,
                                   unsigned long long step);

void __kmpc_taskloop(void *place, int thread, void *task, int condition, uint64_t *lower,
                     uint64_t *upper, int64_t step, int no_group, int schedule,
                     uint64_t grain, void *copy)
{
    NOTE_PLACE;
    WEFT_REAL_FOR(__kmpc_taskloop, __builtin_return_address(0))
    (place, thread, task, condition, lower, upper, step, no_group, schedule, grain, copy);
}

void __kmpc_taskloop_5(void *place, int thread, void *task, int condition, uint64_t *lower,
                       uint64_t *upper, int64_t step, int no_group, int schedule,
                       uint64_t grain, int modifier, void *copy)
{
    NOTE_PLACE;
    WEFT_REAL_FOR(__kmpc_taskloop_5, __builtin_return_address(0))
    (place, thread, task, condition, lower, upper, step, no_group, schedule, grain,
     modifier, copy);
}

void GOMP_taskloop(void (*run)(void *), void *data, void (*copy)(void *, void *), long size,
                   long align, unsigned flags, unsigned long tasks, int priority, long from,
                   long to, long step)
{
    NOTE_PLACE;
    WEFT_REAL_FOR(GOMP_taskloop, __builtin_return_address(0))
    (run, data, copy, size, align, flags, tasks, priority, from, to, step);
}

void GOMP_taskloop_ull(void (*run)(void *), void *data, void (*copy)(void *, void *),
                       long size, long align, unsigned flags, unsigned long tasks,
                       int priority, unsigned long long from, unsigned long long to,
                       unsigned long long step)
{
    NOTE_PLACE;
    WEFT_REAL_FOR(GOMP_taskloop_ull, __builtin_return_address(0))
    (run, data, copy, size, align, flags, tasks, priority, from, to, step);
}

/*
 * An undeferred task begins: in programs of GCC, too, whose GOMP_task calls this.  The
 * runtime looks for the creator's frame behind its own one, so the call must leave none:
 * it is a jump, if the compiler makes one, and the task's event takes the note back.
 */
WEFT_EXPORT void __kmpc_omp_task_begin_if0(void *place, int thread, void *task);

void __kmpc_omp_task_begin_if0(void *place, int thread, void *task)
{
    undeferred = true;
    WEFT_REAL_FOR(__kmpc_omp_task_begin_if0, __builtin_return_address(0))
    (place, thread, task);
}
