/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of GCC's OpenMP runtime (libgomp), which waits by system calls of its own: parallel
 * regions, barriers, critical sections, locks, ordered parts, and waits for tasks.  The
 * function of a parallel region is called through part(), so the begin and the end of each
 * thread's part are seen.  LLVM's runtime, which has the same entry points, is not recorded
 * here: it waits by functions of the C library.
 *
 * Not hooked: barriers in regions that may be cancelled, which some threads may leave out;
 * nested locks; and the entry points that only GCC before 4.9 used.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "domains/threads/record/hook_helpers.h"

/* A parallel region, on the stack of the thread that begins it, until all have left it. */
struct team {
    void (*function)(void *);
    void *data;
    int (*size)(void); /* the runtime's omp_get_num_threads */
    uint64_t site;     /* of the region: return address of the hook */
    const void *frame; /* frame address of the hook */
    uint64_t at_barriers,
        at_end; /* threads that have come, over all barriers; to the end */
    /* of the thread that begins it: until its workers are there; and at the region's end */
    struct weft_waiting start, end;
};

static __thread struct {
    struct team *begins;   /* the region that it has begun last and is in; or NULL */
    struct team *team;     /* that it is in; NULL: none, or it is alone there */
    struct team *executes; /* whose function it is in; NULL: none */
    uint32_t size;         /* of that team */
    bool is_free;          /* a worker: the wait since its latest part is not ended */
} self __attribute__((tls_model("initial-exec")));

/* ---- The runtime ---- */

static bool global_is_gnu; /* the runtime that all libraries of the program see is GCC's */

/*
 * Functions of runtimes that a library has for itself (dlopen's RTLD_LOCAL), by the caller
 * and the row of the function.  Entries stay.
 */
enum { FOUND_BITS = 8, N_FOUND = 1 << FOUND_BITS };
static struct found {
    uint64_t key; /* 0: free */
    void *function;
} found[N_FOUND],
    gnu[N_FOUND]; /* gnu: those of GCC's, by address; `function` is not used */

/* The rows of this file's functions (struct weft_real), which most programs do not have. */
extern WEFT_HIDDEN struct weft_real __start_weft_gomp[], __stop_weft_gomp[];

static bool is_gnu(const void *function)
{
    Dl_info info;

    return function && dladdr(function, &info) && info.dli_fname
           && strstr(info.dli_fname, "libgomp");
}

static int is_libgomp(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    return library->dlpi_name && strstr(library->dlpi_name, "libgomp") != NULL;
}

/*
 * Before the program runs, since dlsym and dladdr take the loader's lock; only where the
 * library is, since a search in vain allocates memory, as if the program did.
 */
__attribute__((constructor(102))) static void look_for_runtime(void)
{
    if (!dl_iterate_phdr(is_libgomp, NULL))
        return;
    global_is_gnu = is_gnu(dlsym(RTLD_NEXT, "GOMP_parallel"));
    for (struct weft_real *real = __start_weft_gomp; real < __stop_weft_gomp; real++)
        __atomic_store_n(&real->function, dlsym(RTLD_NEXT, real->name), __ATOMIC_RELAXED);
    (void)dlerror();
}

/* Returns the entry of KEY; a free one gets it if ADD.  NULL: none, or TABLE is full. */
static struct found *entry_of(struct found *table, uint64_t key, bool add)
{
    uint64_t first = (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - FOUND_BITS);

    for (uint64_t i = 0; i < N_FOUND; i++) {
        struct found *entry = &table[(first + i) % N_FOUND];
        uint64_t there = __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE);
        if (there == 0 && !add)
            return NULL;
        if (there == 0
            && __atomic_compare_exchange_n(&entry->key, &there, key, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return entry;
        if (there == key)
            return entry;
    }
    return NULL;
}

/* weft_real_find_for() for the code at SITE, which looks each function up once. */
static void *find_once(struct weft_real *real, uint64_t site)
{
    enum { ROW_BITS = 16, ROW = sizeof(struct weft_real) };
    uint64_t row = (uint64_t)(uintptr_t)real / ROW;
    struct found *entry = entry_of(found, site << ROW_BITS ^ (row & 0xffff), true);
    void *function = entry ? __atomic_load_n(&entry->function, __ATOMIC_ACQUIRE) : NULL;

    if (function)
        return function;
    function = weft_real_find_for(real, (const void *)(uintptr_t)site);
    if (is_gnu(function))
        (void)entry_of(gnu, (uint64_t)(uintptr_t)function, true);
    if (entry)
        __atomic_store_n(&entry->function, function, __ATOMIC_RELEASE);
    return function;
}

/*
 * A hook calls the function of another runtime last, and so that the compiler makes a jump
 * of the call: the recorder of that runtime needs the program's return address.
 */
#ifdef __clang__
# define JUMPS
#else
# define JUMPS __attribute__((optimize("optimize-sibling-calls")))
#endif
/* In a hook: the real function. */
#define REAL(name) WEFT_REAL_IN_("weft_gomp", name, NULL, find_once(&row_, WEFT_SITE))
/* Whether the function that REAL() returned is GCC's. */
#define IS_GNU(real) (global_is_gnu || entry_of(gnu, (uint64_t)(uintptr_t)(real), false))

/* ---- Parallel regions ---- */

/* Counts a thread of SIZE that has come; returns the flag of the last. */
static uint32_t come(uint64_t *count, uint32_t size)
{
    return __atomic_add_fetch(count, 1, __ATOMIC_ACQ_REL) % size == 0 ? WEFT_TEAM_LAST : 0;
}

/* A region that a thread has begun, as a number of a team. */
static uint64_t begun(const struct team *team)
{
    return (uint64_t)(uintptr_t)&team->start;
}

static void worker_goes(const struct team *team)
{
    if (!self.is_free)
        return;
    self.is_free = false;
    weft_log_put_word(weft_log_get(), weft_ticks(), WEFT_RECORD_TEAM_GO, 0, begun(team));
}

/* A worker has ended its part; nothing tells when it is let go. */
static void worker_waits(struct team *team, uint32_t flags)
{
    uint64_t words[2] = { (uint64_t)(uintptr_t)team, team->site };

    self.is_free = true;
    weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_TEAM_WAIT,
                       flags | WEFT_TEAM_WORKER, words, 2);
}

uint64_t weft_region_place(void)
{
    return self.executes ? (uint64_t)(uintptr_t)self.executes->function + 1 : 0;
}

/*
 * A thread's part of a region; alone in its section, by which weft_program_place() knows
 * it.
 */
__attribute__((noinline, section("weft_part"))) static void part(void *data)
{
    struct team *team = data;
    struct team *outer = self.team, *outside = self.executes;
    uint32_t outer_size = self.size, size = (uint32_t)team->size();
    bool begins = self.begins == team;

    if (begins)
        weft_waiting_left(&team->start);
    else
        worker_goes(team);
    self.team = size > 1 ? team : NULL;
    self.size = size;
    self.executes = team;
    team->function(team->data);
    self.executes = outside;
    self.team = outer;
    self.size = outer_size;
    if (size <= 1)
        return;
    if (begins)
        weft_team_begins(&team->end, (uint64_t)(uintptr_t)team, come(&team->at_end, size),
                         team->site, team->frame);
    else
        worker_waits(team, come(&team->at_end, size));
}

/* Declared here, since another compiler may lack the header. */
int omp_get_num_threads(void);

/*
 * A region begins: the runtime waits until the workers have come from the last.  THREADS
 * is the number that the program asks for, 0: any; 1: it needs no worker.
 */
static void begin_region(struct team *team, unsigned threads)
{
    self.begins = team;
    if (threads == 1)
        return;
    CORE.see(team->site);
    weft_team_begins(&team->start, begun(team), WEFT_TEAM_BEGINS, team->site, team->frame);
}

/* The thread that began a region is back; a team of one has recorded no end. */
static void end_region(struct team *team, struct team *outer)
{
    weft_waiting_left(&team->start);
    weft_waiting_left(&team->end);
    self.begins = outer;
}

/* A team, in a hook that begins a region. */
#define NEW_TEAM                                                                           \
 {                                                                                         \
  .function = function, .data = data, .size = REAL(omp_get_num_threads),                   \
  .site = WEFT_SITE, .frame = __builtin_frame_address(0),                                  \
 }

/* A hook of an entry that begins a region; the last arguments are those after the data. */
#define REGION(name, parameters, ...)                                                      \
 WEFT_EXPORT void name parameters;                                                         \
 WEFT_EXPORT JUMPS void name parameters                                                    \
 {                                                                                         \
  __typeof__(&name) real = REAL(name);                                                     \
  if (IS_GNU(real)) {                                                                      \
   struct team team = NEW_TEAM, *outer = self.begins;                                      \
   begin_region(&team, threads);                                                           \
   real(part, &team, __VA_ARGS__);                                                         \
   end_region(&team, outer);                                                               \
   return;                                                                                 \
  }                                                                                        \
  real(function, data, __VA_ARGS__);                                                       \
 }

/* A hook of a parallel loop with a chunk, and of one without. */
#define LOOP(name)                                                                         \
 REGION(name,                                                                              \
        (void (*function)(void *), void *data, unsigned threads, long from, long to,       \
         long step, long chunk, unsigned flags),                                           \
        threads, from, to, step, chunk, flags)
#define LOOP_BY_ENVIRONMENT(name)                                                          \
 REGION(name,                                                                              \
        (void (*function)(void *), void *data, unsigned threads, long from, long to,       \
         long step, unsigned flags),                                                       \
        threads, from, to, step, flags)

REGION(GOMP_parallel,
       (void (*function)(void *), void *data, unsigned threads, unsigned flags), threads,
       flags)
REGION(GOMP_parallel_sections,
       (void (*function)(void *), void *data, unsigned threads, unsigned count,
        unsigned flags),
       threads, count, flags)
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_runtime)
LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

WEFT_EXPORT unsigned GOMP_parallel_reductions(void (*function)(void *), void *data,
                                              unsigned threads, unsigned flags);
WEFT_EXPORT JUMPS unsigned GOMP_parallel_reductions(void (*function)(void *), void *data,
                                                    unsigned threads, unsigned flags)
{
    __typeof__(&GOMP_parallel_reductions) real = REAL(GOMP_parallel_reductions);

    if (IS_GNU(real)) {
        struct team team = NEW_TEAM, *outer = self.begins;
        begin_region(&team, threads);
        unsigned size = real(part, &team, threads, flags);
        end_region(&team, outer);
        return size;
    }
    return real(function, data, threads, flags);
}

/* ---- Barriers ---- */

/* A hook of a function in which each thread of a team waits for all others. */
#define BARRIER(name)                                                                      \
 WEFT_EXPORT void name(void);                                                              \
 WEFT_EXPORT JUMPS void name(void)                                                         \
 {                                                                                         \
  __typeof__(&name) real = REAL(name);                                                     \
  struct team *team = self.team;                                                           \
  if (team) {                                                                              \
   WEFT_WAITING;                                                                           \
   uint64_t site = weft_program_place(WEFT_SITE);                                          \
   CORE.see(site);                                                                         \
   weft_team_begins(&waiting, (uint64_t)(uintptr_t)team,                                   \
                    come(&team->at_barriers, self.size), site,                             \
                    __builtin_frame_address(0));                                           \
   real();                                                                                 \
   weft_team_ends(&waiting);                                                               \
   return;                                                                                 \
  }                                                                                        \
  real();                                                                                  \
 }

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

/* ---- Waits for tasks, and for a turn ---- */

/* A hook of a function of OpenMP that may wait, as a call of kind WHAT. */
#define WAIT(what, name, parameters, ...)                                                  \
 WEFT_EXPORT void name parameters;                                                         \
 WEFT_EXPORT JUMPS void name parameters                                                    \
 {                                                                                         \
  __typeof__(&name) real = REAL(name);                                                     \
  if (self.team) {                                                                         \
   WEFT_WAITING;                                                                           \
   uint64_t site = weft_program_place(WEFT_SITE);                                          \
   CORE.see(site);                                                                         \
   weft_call_begins(&waiting, what, site, __builtin_frame_address(0));                     \
   real(__VA_ARGS__);                                                                      \
   weft_call_ends(&waiting);                                                               \
   return;                                                                                 \
  }                                                                                        \
  real(__VA_ARGS__);                                                                       \
 }

WAIT(WEFT_CALL_TASKS, GOMP_taskwait, (void))
WAIT(WEFT_CALL_TASKS, GOMP_taskwait_depend, (void **depend), depend)
WAIT(WEFT_CALL_TASKS, GOMP_taskgroup_end, (void))
WAIT(WEFT_CALL_TURN, GOMP_ordered_start, (void))

/* ---- Critical sections and locks ---- */

/*
 * Critical sections without a name are one lock, at this address, known to
 * join/object_names.c.  Its first word, which is not 0 while a thread is in one, may be
 * late: libgomp has a lock of its own.
 */
static int weft_unnamed_critical_section;

/*
 * Evaluates CALL, by which a thread takes the LOCK: a wait is recorded if the lock's first
 * word, which is 0 while it is free, says that there is one.
 */
#define TAKE(lock, call)                                                                   \
 do {                                                                                      \
  WEFT_WAITING;                                                                            \
  bool held_ = __atomic_load_n((const int *)(const void *)(lock), __ATOMIC_RELAXED) != 0;  \
  if (held_)                                                                               \
   weft_waiting_begins(&waiting, WEFT_OBJECT_MUTEX, lock, NULL, WEFT_SITE,                 \
                       __builtin_frame_address(0));                                        \
  call;                                                                                    \
  if (held_)                                                                               \
   weft_waiting_ends(&waiting, WEFT_RECORD_ACQUIRE);                                       \
  else                                                                                     \
   weft_event(WEFT_RECORD_ACQUIRE, WEFT_OBJECT_MUTEX, lock, WEFT_SITE);                    \
 } while (0)

WEFT_EXPORT void GOMP_critical_start(void);
WEFT_EXPORT JUMPS void GOMP_critical_start(void)
{
    __typeof__(&GOMP_critical_start) real = REAL(GOMP_critical_start);

    if (IS_GNU(real)) {
        TAKE(&weft_unnamed_critical_section, real());
        __atomic_store_n(&weft_unnamed_critical_section, 1, __ATOMIC_RELAXED);
        return;
    }
    real();
}

WEFT_EXPORT void GOMP_critical_end(void);
WEFT_EXPORT JUMPS void GOMP_critical_end(void)
{
    __typeof__(&GOMP_critical_end) real = REAL(GOMP_critical_end);

    if (IS_GNU(real)) {
        weft_event(WEFT_RECORD_RELEASE, WEFT_OBJECT_MUTEX, &weft_unnamed_critical_section,
                   WEFT_SITE);
        __atomic_store_n(&weft_unnamed_critical_section, 0, __ATOMIC_RELAXED);
    }
    real();
}

/* Hooks of functions that take, give back or try a lock; its first word is 0 while free. */
#define LOCK(name)                                                                         \
 WEFT_EXPORT void name(void *lock);                                                        \
 WEFT_EXPORT JUMPS void name(void *lock)                                                   \
 {                                                                                         \
  __typeof__(&name) real = REAL(name);                                                     \
  if (IS_GNU(real)) {                                                                      \
   TAKE(lock, real(lock));                                                                 \
   return;                                                                                 \
  }                                                                                        \
  real(lock);                                                                              \
 }
#define UNLOCK(name)                                                                       \
 WEFT_EXPORT void name(void *lock);                                                        \
 WEFT_EXPORT JUMPS void name(void *lock)                                                   \
 {                                                                                         \
  __typeof__(&name) real = REAL(name);                                                     \
  if (IS_GNU(real))                                                                        \
   weft_event(WEFT_RECORD_RELEASE, WEFT_OBJECT_MUTEX, lock, WEFT_SITE);                    \
  real(lock);                                                                              \
 }
#define TRY(name)                                                                          \
 WEFT_EXPORT int name(void *lock);                                                         \
 WEFT_EXPORT JUMPS int name(void *lock)                                                    \
 {                                                                                         \
  __typeof__(&name) real = REAL(name);                                                     \
  if (IS_GNU(real)) {                                                                      \
   int result = real(lock);                                                                \
   if (result)                                                                             \
    weft_event(WEFT_RECORD_ACQUIRE, WEFT_OBJECT_MUTEX, lock, WEFT_SITE);                   \
   return result;                                                                          \
  }                                                                                        \
  return real(lock);                                                                       \
 }

LOCK(GOMP_critical_name_start)
UNLOCK(GOMP_critical_name_end)
LOCK(omp_set_lock)
UNLOCK(omp_unset_lock)
TRY(omp_test_lock)
LOCK(omp_set_lock_) /* of Fortran */
UNLOCK(omp_unset_lock_)
TRY(omp_test_lock_)
