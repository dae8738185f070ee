/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime's entry points for loops, for programs of LLVM's compilers and of GCC, know
 * the schedule and the chunk, which its interface for tools does not tell.  They are
 * hooked, and keep both in the thread until the event of the loop, inside of the same call,
 * takes them.  Calls that ask for iterations are counted, and some of them timed, too.
 *
 * GCC's loops with schedule(static) call no such function, so nothing is known of them.  In
 * GCC's calls that begin a region and its loop at once, the other threads of the team come
 * to the loop inside of the runtime: what the first thread says of it is true for all.
 */
#define _GNU_SOURCE
#include "domains/tasks/record/omp_loops.h"

#include <stdbool.h>

#include "domains/tasks/format/records.h"
#include "domains/tasks/record/omp_call_sites.h"
#include "record/core/real_functions.h"
#include "record/log/log.h"

/* The loop whose entry point the thread is in, until its event. */
static __thread struct omp_loop begun __attribute__((tls_model("initial-exec")));

struct omp_loop omp_loop_take(void)
{
    struct omp_loop loop = begun;

    begun.schedule = WEFT_OMP_SCHEDULE_UNKNOWN;
    return loop;
}

bool omp_begins_sections(void)
{
    return begun.schedule == OMP_SECTIONS;
}

/* ---- Asking for iterations ---- */

/* How often the calling thread has asked for iterations of its loop, and how long some of
   these calls took, in ticks. */
struct dispatch {
    uint64_t begin; /* of the loop; 0: in none, or a loop inside it was begun */
    uint64_t n, timed, ticks, least; /* least: ticks of the shortest call so far */
};
static __thread struct dispatch dispatch __attribute__((tls_model("initial-exec")));

enum {
    TIMED_EACH = 16,
    FIRST_TIMED = 3
}; /* one of so many calls is timed, from the 4th on */

void omp_dispatch_begins(void)
{
    dispatch = (struct dispatch){ .begin = weft_ticks() };
}

bool omp_dispatch_ends(uint64_t words[2])
{
    struct dispatch ended = dispatch;
    uint64_t lasted = ended.begin ? weft_ticks() - ended.begin : 0;
    double share;

    dispatch.begin = 0;
    if (ended.n == 0 || lasted == 0)
        return false;
    share = ended.timed == 0 ? 0
                             : (double)ended.ticks / (double)ended.timed * (double)ended.n
                                   / (double)lasted;
    words[0] = ended.n;
    words[1] = (uint64_t)((share < 1 ? share : 1) * WEFT_OMP_WHOLE_LOOP);
    return true;
}

/* Returns the ticks that a call takes that does nothing, as it is timed here. */
static uint64_t cost_of_timing(void)
{
    static __thread uint64_t cost __attribute__((tls_model("initial-exec")));

    for (int i = 0; cost == 0 && i < 16; i++) {
        uint64_t begin = weft_ticks(), ticks = weft_ticks() - begin;
        cost = i == 0 || ticks < cost ? ticks : cost;
    }
    return cost;
}

/* Returns true if the call that begins is one of those to be timed. */
static bool is_timed(void)
{
    return dispatch.begin != 0 && dispatch.n++ % TIMED_EACH == FIRST_TIMED;
}

/* A call in which the thread had no processor for a while does not count. */
static void add_timed(uint64_t ticks)
{
    enum { LONG = 128 }; /* times the shortest: a microsecond or two */
    uint64_t cost = cost_of_timing();

    ticks = ticks > cost ? ticks - cost : 1;
    if (dispatch.timed == 0 || ticks < dispatch.least)
        dispatch.least = ticks;
    if (ticks / LONG > dispatch.least)
        return;
    dispatch.ticks += ticks;
    dispatch.timed++;
}

/* ---- What the entry points are told ---- */

/* Declared by the runtimes' headers, which are not used here. */
void omp_get_schedule(int *kind, int *chunk);

/* Returns what the runtime was told to do with schedule(runtime), by OMP_SCHEDULE or by the
   program; SITE is in the program's code. */
static struct omp_loop told_runtime(const void *site)
{
    /* By OpenMP's omp_sched_t. */
    static const uint8_t schedules[] = { WEFT_OMP_SCHEDULE_RUNTIME,
                                         WEFT_OMP_SCHEDULE_STATIC,
                                         WEFT_OMP_SCHEDULE_DYNAMIC,
                                         WEFT_OMP_SCHEDULE_GUIDED, WEFT_OMP_SCHEDULE_AUTO };
    const unsigned monotonic = 0x80000000u;
    int kind = 0, chunk = 0;
    unsigned known;

    WEFT_REAL_FOR(omp_get_schedule, site)(&kind, &chunk);
    known = (unsigned)kind & ~monotonic;
    if (known == 0 || known >= sizeof schedules)
        return (struct omp_loop){ WEFT_OMP_SCHEDULE_RUNTIME, 0 };
    return (struct omp_loop){ schedules[known], chunk > 0 ? (uint64_t)chunk : 0 };
}

/* Returns the loop with the clause SCHEDULE, enum weft_omp_schedule with its bit, and
   CHUNK; 0 or less: none. */
static struct omp_loop told(unsigned schedule, int64_t chunk, const void *site)
{
    struct omp_loop loop = { schedule, chunk > 0 ? (uint64_t)chunk : 0 };

    if ((schedule & ~(unsigned)WEFT_OMP_SCHEDULE_ORDERED) == WEFT_OMP_SCHEDULE_RUNTIME) {
        loop = told_runtime(site);
        loop.schedule |= schedule & WEFT_OMP_SCHEDULE_ORDERED;
    }
    return loop;
}

/* Returns the loop of a call of LLVM's compilers; KIND is the runtime's sched_type. */
static struct omp_loop told_by_llvm(int kind, int64_t chunk, const void *site)
{
    enum {
        MODIFIERS = 0x60000000, /* monotonic, nonmonotonic */
        NO_MERGE = 128,         /* what is added for loops whose chunks stay separate */
        ORDERED = 32,           /* what is added for ordered ones */
        FIRST = 33,
        ORDERED_FIRST = FIRST + ORDERED,
        DISTRIBUTE_FIRST = 91,
    };
    static const struct {
        uint8_t schedule;
        bool chunks; /* the call's chunk is one */
    } kinds[] = {
        { WEFT_OMP_SCHEDULE_STATIC, true },
        { WEFT_OMP_SCHEDULE_STATIC, false },
        { WEFT_OMP_SCHEDULE_DYNAMIC, true },
        { WEFT_OMP_SCHEDULE_GUIDED, true },
        { WEFT_OMP_SCHEDULE_RUNTIME, false },
        { WEFT_OMP_SCHEDULE_AUTO, false },
        [45 - FIRST] = { WEFT_OMP_SCHEDULE_STATIC, true }, /* of loops with simd */
        [46 - FIRST] = { WEFT_OMP_SCHEDULE_GUIDED, true },
        [47 - FIRST] = { WEFT_OMP_SCHEDULE_RUNTIME, false },
    };
    unsigned ordered = 0;

    kind &= ~MODIFIERS;
    if (kind > NO_MERGE)
        kind -= NO_MERGE;
    if (kind >= DISTRIBUTE_FIRST)
        kind -= DISTRIBUTE_FIRST - FIRST;
    else if (kind >= ORDERED_FIRST) {
        kind -= ORDERED;
        ordered = WEFT_OMP_SCHEDULE_ORDERED;
    }
    kind -= FIRST;
    if (kind < 0 || kind >= (int)(sizeof kinds / sizeof *kinds)
        || kinds[kind].schedule == WEFT_OMP_SCHEDULE_UNKNOWN)
        return (struct omp_loop){ WEFT_OMP_SCHEDULE_UNKNOWN, 0 };
    return told(kinds[kind].schedule | ordered, kinds[kind].chunks ? chunk : 0, site);
}

static uint64_t enter(struct omp_loop loop, const void *site)
{
    begun = loop;
    return omp_hook_enters(site);
}

static void leave(const uint64_t *outer)
{
    begun.schedule = WEFT_OMP_SCHEDULE_UNKNOWN;
    omp_hook_leaves(*outer);
}

/* Notes the loop and the place of this call until the end of the block, also when the
   thread is cancelled or an exception passes. */
#define NOTE(loop)                                                                         \
 uint64_t outer __attribute__((cleanup(leave), unused)) = enter(loop, site)
#define SITE const void *site = __builtin_return_address(0)

/* ---- Hooks ---- */

/* Programs of LLVM's compilers: T is the loop variable's type, S that type signed. */
#define LLVM(suffix, T, S)                                                                 \
 WEFT_EXPORT void __kmpc_for_static_init_##suffix(void *place, int thread, int schedule,   \
                                                  int *last, T *lower, T *upper,           \
                                                  S *stride, S step, S chunk);             \
 void __kmpc_for_static_init_##suffix(void *place, int thread, int schedule, int *last,    \
                                      T *lower, T *upper, S *stride, S step, S chunk)      \
 {                                                                                         \
  SITE;                                                                                    \
  NOTE(told_by_llvm(schedule, chunk, site));                                               \
  WEFT_REAL_FOR(__kmpc_for_static_init_##suffix, site)                                     \
  (place, thread, schedule, last, lower, upper, stride, step, chunk);                      \
 }                                                                                         \
 WEFT_EXPORT void __kmpc_dispatch_init_##suffix(void *place, int thread, int schedule,     \
                                                T lower, T upper, S step, S chunk);        \
 void __kmpc_dispatch_init_##suffix(void *place, int thread, int schedule, T lower,        \
                                    T upper, S step, S chunk)                              \
 {                                                                                         \
  SITE;                                                                                    \
  NOTE(told_by_llvm(schedule, chunk, site));                                               \
  WEFT_REAL_FOR(__kmpc_dispatch_init_##suffix, site)                                       \
  (place, thread, schedule, lower, upper, step, chunk);                                    \
 }

LLVM(4, int32_t, int32_t)
LLVM(4u, uint32_t, int32_t)
LLVM(8, int64_t, int64_t)
LLVM(8u, uint64_t, int64_t)

/* All programs, since the runtime's entry points for GCC's call these: a thread asks for
   iterations.  A call that is not timed leaves no frame, as the compiler makes it a jump. */
#define DISPATCH(suffix, T, S)                                                             \
 WEFT_EXPORT int __kmpc_dispatch_next_##suffix(void *place, int thread, int *last,         \
                                               T *lower, T *upper, S *stride);             \
 int __kmpc_dispatch_next_##suffix(void *place, int thread, int *last, T *lower, T *upper, \
                                   S *stride)                                              \
 {                                                                                         \
  SITE;                                                                                    \
  __typeof__(&__kmpc_dispatch_next_##suffix) next =                                        \
      WEFT_REAL_FOR(__kmpc_dispatch_next_##suffix, site);                                  \
  uint64_t begin;                                                                          \
  int more;                                                                                \
  if (!is_timed())                                                                         \
   return next(place, thread, last, lower, upper, stride);                                 \
  begin = weft_ticks();                                                                    \
  more = next(place, thread, last, lower, upper, stride);                                  \
  add_timed(weft_ticks() - begin);                                                         \
  return more;                                                                             \
 }

DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)

/* Programs of GCC: a hook calls NAME with ARGUMENTS, which PARAMETERS declares. */
#define GCC(type, name, schedule, chunk, parameters, arguments)                            \
 WEFT_EXPORT type name parameters;                                                         \
 type name parameters                                                                      \
 {                                                                                         \
  SITE;                                                                                    \
  NOTE(told(schedule, chunk, site));                                                       \
  return WEFT_REAL_FOR(name, site) arguments;                                              \
 }

typedef unsigned long long ull;

/* Loops in a region: of signed variables, and of unsigned ones. */
#define LOOP(which, schedule)                                                              \
 GCC(bool, GOMP_loop_##which##_start, schedule, chunk,                                     \
     (long from, long to, long step, long chunk, long *first, long *end),                  \
     (from, to, step, chunk, first, end))                                                  \
 GCC(bool, GOMP_loop_ull_##which##_start, schedule, (int64_t)chunk,                        \
     (bool up, ull from, ull to, ull step, ull chunk, ull *first, ull *end),               \
     (up, from, to, step, chunk, first, end))
#define RUNTIME_LOOP(which, schedule)                                                      \
 GCC(bool, GOMP_loop_##which##_start, schedule, 0,                                         \
     (long from, long to, long step, long *first, long *end),                              \
     (from, to, step, first, end))                                                         \
 GCC(bool, GOMP_loop_ull_##which##_start, schedule, 0,                                     \
     (bool up, ull from, ull to, ull step, ull *first, ull *end),                          \
     (up, from, to, step, first, end))
/* ordered(n), for `depend(sink)`. */
#define NEST(which, schedule)                                                              \
 GCC(bool, GOMP_loop_doacross_##which##_start, schedule, chunk,                            \
     (unsigned n, long *counts, long chunk, long *first, long *end),                       \
     (n, counts, chunk, first, end))                                                       \
 GCC(bool, GOMP_loop_ull_doacross_##which##_start, schedule, (int64_t)chunk,               \
     (unsigned n, ull *counts, ull chunk, ull *first, ull *end),                           \
     (n, counts, chunk, first, end))
/* A region that is a loop. */
#define REGION(which, schedule)                                                            \
 GCC(void, GOMP_parallel_loop_##which, schedule, chunk,                                    \
     (void (*run)(void *), void *data, unsigned threads, long from, long to, long step,    \
      long chunk, unsigned flags),                                                         \
     (run, data, threads, from, to, step, chunk, flags))
#define RUNTIME_REGION(which)                                                              \
 GCC(void, GOMP_parallel_loop_##which, WEFT_OMP_SCHEDULE_RUNTIME, 0,                       \
     (void (*run)(void *), void *data, unsigned threads, long from, long to, long step,    \
      unsigned flags),                                                                     \
     (run, data, threads, from, to, step, flags))
#define ORDERED(schedule) (WEFT_OMP_SCHEDULE_ORDERED | (schedule))

LOOP(static, WEFT_OMP_SCHEDULE_STATIC)
LOOP(dynamic, WEFT_OMP_SCHEDULE_DYNAMIC)
LOOP(guided, WEFT_OMP_SCHEDULE_GUIDED)
LOOP(nonmonotonic_dynamic, WEFT_OMP_SCHEDULE_DYNAMIC)
LOOP(nonmonotonic_guided, WEFT_OMP_SCHEDULE_GUIDED)
LOOP(ordered_static, ORDERED(WEFT_OMP_SCHEDULE_STATIC))
LOOP(ordered_dynamic, ORDERED(WEFT_OMP_SCHEDULE_DYNAMIC))
LOOP(ordered_guided, ORDERED(WEFT_OMP_SCHEDULE_GUIDED))
RUNTIME_LOOP(runtime, WEFT_OMP_SCHEDULE_RUNTIME)
RUNTIME_LOOP(nonmonotonic_runtime, WEFT_OMP_SCHEDULE_RUNTIME)
RUNTIME_LOOP(maybe_nonmonotonic_runtime, WEFT_OMP_SCHEDULE_RUNTIME)
RUNTIME_LOOP(ordered_runtime, ORDERED(WEFT_OMP_SCHEDULE_RUNTIME))
NEST(static, ORDERED(WEFT_OMP_SCHEDULE_STATIC))
NEST(dynamic, ORDERED(WEFT_OMP_SCHEDULE_DYNAMIC))
NEST(guided, ORDERED(WEFT_OMP_SCHEDULE_GUIDED))
GCC(bool, GOMP_loop_doacross_runtime_start, ORDERED(WEFT_OMP_SCHEDULE_RUNTIME), 0,
    (unsigned n, long *counts, long *first, long *end), (n, counts, first, end))
GCC(bool, GOMP_loop_ull_doacross_runtime_start, ORDERED(WEFT_OMP_SCHEDULE_RUNTIME), 0,
    (unsigned n, ull *counts, ull *first, ull *end), (n, counts, first, end))
REGION(static, WEFT_OMP_SCHEDULE_STATIC)
REGION(dynamic, WEFT_OMP_SCHEDULE_DYNAMIC)
REGION(guided, WEFT_OMP_SCHEDULE_GUIDED)
REGION(nonmonotonic_dynamic, WEFT_OMP_SCHEDULE_DYNAMIC)
REGION(nonmonotonic_guided, WEFT_OMP_SCHEDULE_GUIDED)
RUNTIME_REGION(runtime)
RUNTIME_REGION(nonmonotonic_runtime)
RUNTIME_REGION(maybe_nonmonotonic_runtime)

/* Sections: in a region, and a region that is sections. */
GCC(unsigned, GOMP_sections_start, OMP_SECTIONS, 0, (unsigned count), (count))
GCC(unsigned, GOMP_sections2_start, OMP_SECTIONS, 0,
    (unsigned count, uintptr_t *reductions, void **memory), (count, reductions, memory))
GCC(void, GOMP_parallel_sections, OMP_SECTIONS, 0,
    (void (*run)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
    (run, data, threads, count, flags))
