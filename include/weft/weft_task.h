/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks, in the same words on several runtimes: programs include this, are compiled for one
 * of them, and are recorded by `weft record --with omp`.  Nothing is linked for the
 * recording; when none runs, each point costs a load and a branch.
 *
 *     long fib(int n)
 *     {
 *         long x, y;
 *         if (n < 2)
 *             return n;
 *         weft_make_group;
 *         weft_create_task(x, x = fib(n - 1));     x: a variable that the task writes
 *         weft_create_task(y, y = fib(n - 2));     others are copied when it is created
 *         weft_wait_tasks;                         for the tasks of the group
 *         return x + y;
 *     }
 *
 *     int main(void)
 *     {
 *         long result;
 *         weft_run_tasks(weft_task_start(); result = fib(30); weft_task_stop(););
 *     }
 *
 * The task DAG covers the time from weft_task_start to weft_task_stop. weft_run_tasks makes
 * the runtime's workers ready, and the calling thread continues as one of them.
 *
 * The runtime is chosen by a macro before this header is included, or on the command line:
 *
 *     WEFT_TASKS_OPENMP   C and C++; the default if OpenMP is on (-fopenmp)
 *     WEFT_TASKS_TBB      C++: oneTBB (-ltbb)
 *     WEFT_TASKS_POOL     C++: a small pool of Weft's own (weft_pool.h, -pthread),
 *                         work first (WEFT_POOL=work) or help first (WEFT_POOL=help)
 *     WEFT_TASKS_SERIAL   C and C++: a task is a call; the default otherwise
 *     WEFT_TASKS_MYTH     C++: MassiveThreads (-lmyth)
 *     WEFT_TASKS_QTHREADS C++: Qthreads (-lqthread)
 *     WEFT_TASKS_CILK     C++: OpenCilk (its clang++, -fopencilk)
 *
 * The last follows its documentation, and was tried with a small stand-in, not yet with
 * OpenCilk itself.
 *
 * C++ also has the class weft::task_group with run(function) and wait(), as oneTBB's, but
 * not on OpenCilk, where tasks belong to the function that spawns them. weft_task_words.h
 * has the words of DAG Recorder's papers for all this.
 */
#ifndef WEFT_TASK_H
#define WEFT_TASK_H

#include <stddef.h>
#include <stdint.h>

#if !defined(WEFT_TASKS_OPENMP) && !defined(WEFT_TASKS_TBB) && !defined(WEFT_TASKS_POOL)   \
    && !defined(WEFT_TASKS_SERIAL) && !defined(WEFT_TASKS_MYTH)                            \
    && !defined(WEFT_TASKS_QTHREADS) && !defined(WEFT_TASKS_CILK)
# ifdef _OPENMP
#  define WEFT_TASKS_OPENMP
# else
#  define WEFT_TASKS_SERIAL
# endif
#endif

/* Attributes of inline functions: debugging information gives them their caller's line. */
#define WEFT_TASK_INLINE_ __attribute__((always_inline, artificial, unused))

/* The runtime's name as displays show it; an expression of type const char *. */
#if defined(WEFT_TASKS_OPENMP)
# define WEFT_TASKS_NAME_ "OpenMP"
#elif defined(WEFT_TASKS_TBB)
# define WEFT_TASKS_NAME_ "oneTBB"
#elif defined(WEFT_TASKS_POOL)
# define WEFT_TASKS_NAME_ weft_pool_name_()
#elif defined(WEFT_TASKS_MYTH)
# define WEFT_TASKS_NAME_ "MassiveThreads"
#elif defined(WEFT_TASKS_QTHREADS)
# define WEFT_TASKS_NAME_ "Qthreads"
#elif defined(WEFT_TASKS_CILK)
# define WEFT_TASKS_NAME_ "OpenCilk"
#else
# define WEFT_TASKS_NAME_ "calls"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(WEFT_TASKS_POOL)
/* getenv, without <stdlib.h>. */
extern char *weft_task_getenv_(const char *name) __asm__("getenv");
/* Returns the name of Weft's pool with its policy, as WEFT_POOL says. */
static inline __attribute__((unused)) const char *weft_pool_name_(void)
{
    const char *policy = weft_task_getenv_("WEFT_POOL");

    /* strcmp, without <string.h> */
    for (int i = 0; policy && policy[i] == "help"[i]; i++)
        if (policy[i] == 0)
            return "Weft's pool, help first";
    return "Weft's pool, work first";
}
#endif

/* The points in a task's run that are recorded, besides its creation. */
enum weft_task_point {
    WEFT_TASK_BEGINS,  /* its code begins to run */
    WEFT_TASK_ENDS,    /* its code has run */
    WEFT_TASK_CREATED, /* continues after it has created a task */
    WEFT_TASK_WAITS,   /* begins to wait for the tasks of its group */
    WEFT_TASK_WAITED,  /* continues after that */
    WEFT_TASK_SECTION, /* a group begins */
    WEFT_TASK_YIELDS,  /* begins something that may move it to another worker */
    WEFT_TASK_YIELDED, /* continues after that */
    WEFT_TASK_POINTS   /* the number of points */
};

/*
 * The functions of the recorder, which exports them as the object weft_task_rt_v1.  A TASK
 * is the number of a task that start or creates returned, never 0.  SITE is the code
 * address to be recorded; 0: the function's return address.
 */
struct weft_task_runtime {
    uint32_t version;            /* from 1 */
    uint64_t (*start)(void);     /* begins a DAG; returns the number of its root task */
    void (*stop)(uint64_t task); /* ends the DAG; TASK is its root */
    /* TASK creates a task, whose number is returned. */
    uint64_t (*creates)(uint64_t task, uint64_t site);
    /* TASK is at the point WHAT (enum weft_task_point), on the calling thread. */
    void (*point)(uint64_t task, uint32_t what, uint64_t site);
    void (*runs_on)(const char *runtime); /* from version 2 on: the name of the runtime */
};

/* dlsym, without <dlfcn.h>; its address is NULL in a program that is linked statically. */
extern void *weft_task_dlsym_(void *handle, const char *symbol) __asm__("dlsym")
    __attribute__((weak));

/*
 * The recorder's functions, set by weft_task_start() and cleared by weft_task_stop(); NULL
 * before, after, and if no recording runs.  One for all files of the program.
 */
__attribute__((weak)) const struct weft_task_runtime *weft_task_runtime_ = NULL;
/* The number of the task that the thread runs; 0: none, or one that is not recorded. */
__attribute__((weak)) __thread uint64_t weft_task_self_ = 0;

/*
 * Returns weft_task_self_ of the calling thread: the number of the task that it runs; 0:
 * none, or one that is not recorded.  Not inlined: a task may move to another thread in the
 * middle of a function, which must not keep the variable's address.
 */
static __attribute__((noinline, unused)) uint64_t weft_task_self_get_(void)
{
    __asm__ volatile("");
    return weft_task_self_;
}

/* Sets weft_task_self_ of the calling thread; 0: it runs no recorded task. */
static __attribute__((noinline, unused)) void weft_task_self_set_(uint64_t task)
{
    __asm__ volatile("");
    weft_task_self_ = task;
}

/* Returns the recorder's functions; NULL: no task DAG is being recorded. */
static inline WEFT_TASK_INLINE_ const struct weft_task_runtime *weft_task_get_(void)
{
    return __atomic_load_n(&weft_task_runtime_, __ATOMIC_ACQUIRE);
}

/*
 * Records that the calling thread's task is at the point `what` (enum weft_task_point), in
 * the code at the address SITE; 0: the caller's.  No effect if no DAG is being recorded, or
 * the thread's task is not in it.
 */
static inline WEFT_TASK_INLINE_ void weft_task_point_(uint32_t what, uint64_t site)
{
    const struct weft_task_runtime *runtime = weft_task_get_();

    if (__builtin_expect(runtime != NULL, 0)) {
        uint64_t self = weft_task_self_get_();
        if (self != 0)
            runtime->point(self, what, site);
    }
}

/*
 * Records that the calling thread's task creates a task, at the code address SITE (0: the
 * caller's); returns the new task's number, or 0 if no DAG is being recorded, or the
 * thread's task is not in it.
 */
static inline WEFT_TASK_INLINE_ uint64_t weft_task_creates_(uint64_t site)
{
    const struct weft_task_runtime *runtime = weft_task_get_();
    uint64_t self = __builtin_expect(runtime != NULL, 0) ? weft_task_self_get_() : 0;

    return self != 0 ? runtime->creates(self, site) : 0;
}

/*
 * Records that task SELF (0: no effect), which weft_task_creates_() was called in,
 * continues after the creation, perhaps on another thread: it becomes the calling thread's
 * task.  SITE is a code address, or 0: the caller's.
 */
static inline WEFT_TASK_INLINE_ void weft_task_created_(uint64_t self, uint64_t site)
{
    const struct weft_task_runtime *runtime = weft_task_get_();

    if (__builtin_expect(runtime != NULL, 0) && self != 0) {
        weft_task_self_set_(self);
        runtime->point(self, WEFT_TASK_CREATED, site);
    }
}

/*
 * Records that TASK (0: no effect) begins on the calling thread, whose task it becomes;
 * returns the number of the thread's task before, for weft_task_ends_().
 */
static inline WEFT_TASK_INLINE_ uint64_t weft_task_begins_(uint64_t task)
{
    const struct weft_task_runtime *runtime = weft_task_get_();
    uint64_t before = 0;

    if (__builtin_expect(runtime != NULL, 0) && task != 0) {
        before = weft_task_self_get_();
        weft_task_self_set_(task);
        runtime->point(task, WEFT_TASK_BEGINS, 0);
    }
    return before;
}

/*
 * Records that TASK (0: no effect) ends on the calling thread, whose task becomes BEFORE,
 * the value of weft_task_begins_().
 */
static inline WEFT_TASK_INLINE_ void weft_task_ends_(uint64_t task, uint64_t before)
{
    const struct weft_task_runtime *runtime = weft_task_get_();

    if (__builtin_expect(runtime != NULL, 0) && task != 0) {
        runtime->point(task, WEFT_TASK_ENDS, 0);
        weft_task_self_set_(before);
    }
}

/*
 * Records that task SELF (0: no effect) continues after a wait, perhaps on another thread:
 * it becomes the calling thread's task.  SITE is a code address, or 0: the caller's.
 */
static inline WEFT_TASK_INLINE_ void weft_task_waited_(uint64_t self, uint64_t site)
{
    const struct weft_task_runtime *runtime = weft_task_get_();

    if (__builtin_expect(runtime != NULL, 0) && self != 0) {
        weft_task_self_set_(self);
        runtime->point(self, WEFT_TASK_WAITED, site);
    }
}

/*
 * Begins the recorded task DAG, if a recording runs, else no effect: the code that follows,
 * on the calling thread, is its root task, which later calls weft_task_stop().  One DAG at
 * a time; a program may record several, one after the other.
 */
static inline WEFT_TASK_INLINE_ void weft_task_start(void)
{
    const struct weft_task_runtime *runtime = NULL;

    if (weft_task_dlsym_ != NULL)
        runtime =
            (const struct weft_task_runtime *)weft_task_dlsym_(NULL, "weft_task_rt_v1");
    if (runtime != NULL) {
        weft_task_self_set_(runtime->start());
        if (runtime->version >= 2)
            runtime->runs_on(WEFT_TASKS_NAME_);
        __atomic_store_n(&weft_task_runtime_, runtime, __ATOMIC_RELEASE);
    }
}

/*
 * Ends the recorded task DAG; called in its root task.  No effect in a thread whose task
 * is not recorded.
 */
static inline WEFT_TASK_INLINE_ void weft_task_stop(void)
{
    const struct weft_task_runtime *runtime = weft_task_get_();
    uint64_t self = runtime != NULL ? weft_task_self_get_() : 0;

    if (self != 0) {
        runtime->stop(self);
        weft_task_self_set_(0);
        __atomic_store_n(&weft_task_runtime_, (const struct weft_task_runtime *)NULL,
                         __ATOMIC_RELEASE);
    }
}

/*
 * Does nothing: for programs that call DAG Recorder's dr_dump(), which writes its file;
 * `weft record` writes the recording.
 */
static inline __attribute__((unused)) void weft_task_dump(void) {}

#ifdef __cplusplus
}
#endif

/* The pragma TEXT, for use in macros: WEFT_PRAGMA_(omp taskwait). */
#define WEFT_PRAGMA_(text) _Pragma(#text)

/* ---- OpenMP and plain calls: C and C++ ---- */

/*
 * weft_make_group; begins a group of tasks.  weft_create_task(x, statements) creates a task
 * of it that runs the statements, with the variable X shared and copies of the others.
 * weft_wait_tasks; waits for the group's tasks; OpenMP waits for all tasks that the calling
 * task has created.  weft_run_tasks(statements) runs the statements, by one thread, with
 * the runtime's workers ready.
 */

#if defined(WEFT_TASKS_OPENMP)
/* Makes a task of the statement that follows; the variable X is shared. */
# define WEFT_TASK_(x) WEFT_PRAGMA_(omp task shared(x) firstprivate(weft_new_))
/* Waits for all tasks that the calling task has created. */
# define WEFT_TASKWAIT_ WEFT_PRAGMA_(omp taskwait)
/* Runs the statements by one thread of a parallel region, whose others run tasks. */
# define weft_run_tasks(...)                                                               \
  do {                                                                                     \
   WEFT_PRAGMA_(omp parallel)                                                              \
   WEFT_PRAGMA_(omp single)                                                                \
   {                                                                                       \
    __VA_ARGS__;                                                                           \
   }                                                                                       \
  } while (0)
#elif defined(WEFT_TASKS_SERIAL)
/* Empty: without a runtime a task is the statement that follows, run at once. */
# define WEFT_TASK_(x)
# define WEFT_TASKWAIT_
/* Runs the statements. */
# define weft_run_tasks(...)                                                               \
  do {                                                                                     \
   __VA_ARGS__;                                                                            \
  } while (0)
#endif

#if defined(WEFT_TASKS_OPENMP) || defined(WEFT_TASKS_SERIAL)
/* Begins a group of tasks; only a point of the recording, as OpenMP has no such groups. */
# define weft_make_group weft_task_point_(WEFT_TASK_SECTION, 0)
/*
 * Creates a task that runs the statements, with the variable X shared, so that it may write
 * it, and copies of the others (OpenMP), or runs them at once (plain calls).
 */
# define weft_create_task(x, ...)                                                          \
  do {                                                                                     \
   uint64_t weft_new_ = weft_task_creates_(0);                                             \
   uint64_t weft_parent_ = weft_new_ != 0 ? weft_task_self_get_() : 0;                     \
   WEFT_TASK_(x)                                                                           \
   {                                                                                       \
    uint64_t weft_before_ = weft_task_begins_(weft_new_);                                  \
    __VA_ARGS__;                                                                           \
    weft_task_ends_(weft_new_, weft_before_);                                              \
   }                                                                                       \
   weft_task_created_(weft_parent_, 0);                                                    \
  } while (0)
/* Waits for all tasks that the calling task has created; plain calls have ended before. */
# define weft_wait_tasks                                                                   \
  do {                                                                                     \
   uint64_t weft_parent_ = weft_task_get_() != NULL ? weft_task_self_get_() : 0;           \
   weft_task_point_(WEFT_TASK_WAITS, 0);                                                   \
   WEFT_TASKWAIT_                                                                          \
   weft_task_waited_(weft_parent_, 0);                                                     \
  } while (0)
#endif

/* ---- Groups: C++, on all runtimes ---- */

#ifdef __cplusplus
# if defined(WEFT_TASKS_TBB)
#  include <tbb/task_group.h>
# elif defined(WEFT_TASKS_POOL)
#  include "weft_pool.h"
# elif defined(WEFT_TASKS_MYTH)
#  include <myth/myth.h>
# elif defined(WEFT_TASKS_QTHREADS)
#  include <qthread/qthread.h>
# elif defined(WEFT_TASKS_CILK)
#  include <cilk/cilk.h>
# endif
# include <utility>

namespace weft
{

# if defined(WEFT_TASKS_MYTH) || defined(WEFT_TASKS_QTHREADS)
/*
 * A task that a thread of the runtime runs, in the list of its group: begin() starts that
 * thread, end() waits until it has ended, run() is the task's code.  `before` is the task
 * given to the group before it; NULL: it is the first.
 */
class made_task
{
  public:
    made_task *before;
#  if defined(WEFT_TASKS_MYTH)
    myth_thread_t thread;

    void begin() { thread = myth_create(call, this); }
    void end() { myth_join(thread, nullptr); }
    static void *call(void *task)
    {
        static_cast<made_task *>(task)->run();
        return nullptr;
    }
#  else
    aligned_t done; /* empty until it has ended */

    void begin() { qthread_fork(call, this, &done); }
    void end() { qthread_readFF(nullptr, &done); }
    static aligned_t call(void *task)
    {
        static_cast<made_task *>(task)->run();
        return 0;
    }
#  endif
    explicit made_task(made_task *last) : before(last) {}
    virtual ~made_task() {}
    virtual void run() = 0;
};

/* A made_task that calls FUNCTION, which it owns, once. */
template <typename Function> class made_of final : public made_task
{
    Function function;

  public:
    made_of(Function &&call, made_task *last) : made_task(last), function(std::move(call))
    {
    }
    void run() override { function(); }
};
# endif

/*
 * The runtime's own group of tasks, not recorded; there is one of these classes a runtime.
 * run() makes a task that calls a copy of FUNCTION, wait() waits for all of the group's, on
 * OpenMP for all that the calling task has created.
 */
# if defined(WEFT_TASKS_TBB)
/*
 * The group of tasks on oneTBB, not recorded: run() makes a task, wait() waits for all of
 * them.
 */
class any_group
{
    tbb::task_group group;

  public:
    /* oneTBB calls a const function object; a task may change its copies of variables. */
    template <typename Function> void run(Function function)
    {
        group.run([function]() {
            Function own(function);
            own();
        });
    }
    void wait() { group.wait(); }
};
# elif defined(WEFT_TASKS_POOL)
/*
 * The group of tasks on Weft's pool, not recorded: run() makes a task, wait() waits for
 * all of them.
 */
class any_group
{
    weft_pool_group group = {};

    template <typename Function> static void call(void *function)
    {
        Function *own = static_cast<Function *>(function);
        (*own)();
        delete own;
    }

  public:
    template <typename Function> void run(Function function)
    {
        weft_pool_run(&group, call<Function>, new Function(std::move(function)));
    }
    void wait() { weft_pool_wait(&group); }
};
# elif defined(WEFT_TASKS_MYTH) || defined(WEFT_TASKS_QTHREADS)
/*
 * The group of tasks on MassiveThreads and Qthreads, not recorded: run() makes a task,
 * wait() waits for all of them and frees them.
 */
class any_group
{
    made_task *last = nullptr;

  public:
    template <typename Function> void run(Function function)
    {
        last = new made_of<Function>(std::move(function), last);
        last->begin();
    }
    void wait()
    {
        while (last != nullptr) {
            made_task *task = last;
            task->end();
            last = task->before;
            delete task;
        }
    }
};
# elif !defined(WEFT_TASKS_CILK)
/*
 * The group of tasks on OpenMP, not recorded: run() makes a task, wait() waits for all that
 * the calling task has created.  Without OpenMP run() is a plain call.
 */
class any_group
{
  public:
    template <typename Function> void run(Function function)
    {
#  if defined(WEFT_TASKS_OPENMP)
#   pragma omp task firstprivate(function)
#  endif
        function();
    }
    void wait()
    {
#  if defined(WEFT_TASKS_OPENMP)
#   pragma omp taskwait
#  endif
    }
};
# endif

# if defined(WEFT_TASKS_CILK)
/*
 * Runs FUNCTION, a copy for this call, as the recorded task with the number MADE; it is
 * spawned, so that it may begin on another worker.
 */
template <typename Function> void spawned(Function function, uint64_t made)
{
    uint64_t before = weft_task_begins_(made);
    function();
    weft_task_ends_(made, before);
}
# else
/* The return address of the function that uses it: the place in the program of the call. */
#  define WEFT_TASK_SITE_ ((uint64_t)(uintptr_t)__builtin_return_address(0))
/*
 * A group of tasks that is recorded: run() makes a task that calls a copy of its function,
 * and wait() waits for all of them; the destructor does not.  On OpenMP wait() waits for
 * all tasks that the calling task has created.  The functions are not inlined, so that
 * their return address is the call site.
 */
class task_group
{
    any_group group;

  public:
    __attribute__((noinline)) task_group()
    {
        weft_task_point_(WEFT_TASK_SECTION, WEFT_TASK_SITE_);
    }
    task_group(const task_group &) = delete;
    task_group &operator=(const task_group &) = delete;

    template <typename Function> __attribute__((noinline)) void run(Function function)
    {
        uint64_t site = WEFT_TASK_SITE_, made = weft_task_creates_(site);
        uint64_t self = made != 0 ? weft_task_self_get_() : 0;
        group.run([function, made]() mutable {
            uint64_t before = weft_task_begins_(made);
            function();
            weft_task_ends_(made, before);
        });
        weft_task_created_(self, site);
    }

    __attribute__((noinline)) void wait()
    {
        uint64_t site = WEFT_TASK_SITE_;
        uint64_t self = weft_task_get_() != NULL ? weft_task_self_get_() : 0;
        weft_task_point_(WEFT_TASK_WAITS, site);
        group.wait();
        weft_task_waited_(self, site);
    }
};
# endif

# if defined(WEFT_TASKS_POOL)
/* The weft_pool_function of a root: calls FUNCTION, which points to a Function. */
template <typename Function> void call_root(void *function)
{
    (*static_cast<Function *>(function))();
}

/* Starts the pool (weft_pool_start()), and runs FUNCTION as the root of its tasks. */
template <typename Function> void run_root(Function function)
{
    weft_pool_start();
    weft_pool_root(call_root<Function>, &function);
}
# endif

}  // namespace weft

# if defined(WEFT_TASKS_CILK)
/* Begins a group of tasks: only a point of the recording. */
#  define weft_make_group weft_task_point_(WEFT_TASK_SECTION, 0)
/* Spawns a task that runs the statements, with X shared and copies of other variables. */
#  define weft_create_task(x, ...)                                                         \
   do {                                                                                    \
    uint64_t weft_new_ = weft_task_creates_(0);                                            \
    uint64_t weft_parent_ = weft_new_ != 0 ? weft_task_self_get_() : 0;                    \
    auto weft_call_ = [=, &x]() mutable { __VA_ARGS__; };                                  \
    cilk_spawn weft::spawned(weft_call_, weft_new_);                                       \
    weft_task_created_(weft_parent_, 0);                                                   \
   } while (0)
/* Waits for all tasks that the calling function has spawned. */
#  define weft_wait_tasks                                                                  \
   do {                                                                                    \
    uint64_t weft_parent_ = weft_task_get_() != NULL ? weft_task_self_get_() : 0;          \
    weft_task_point_(WEFT_TASK_WAITS, 0);                                                  \
    cilk_sync;                                                                             \
    weft_task_waited_(weft_parent_, 0);                                                    \
   } while (0)
# elif !defined(WEFT_TASKS_OPENMP) && !defined(WEFT_TASKS_SERIAL)
/* Declares the group of tasks of the enclosing block. */
#  define weft_make_group          weft::task_group weft_group_
/* Creates a task of it that runs the statements, with X shared, the others copied. */
#  define weft_create_task(x, ...) weft_group_.run([=, &x]() mutable { __VA_ARGS__; })
/* Waits for all tasks of the group. */
#  define weft_wait_tasks          weft_group_.wait()
# endif
# if defined(WEFT_TASKS_QTHREADS)
/* Starts Qthreads, and runs the statements. */
#  define weft_run_tasks(...)                                                              \
   do {                                                                                    \
    qthread_initialize();                                                                  \
    __VA_ARGS__;                                                                           \
   } while (0)
# elif defined(WEFT_TASKS_MYTH)
/* Starts MassiveThreads, and runs the statements. */
#  define weft_run_tasks(...)                                                              \
   do {                                                                                    \
    myth_init();                                                                           \
    __VA_ARGS__;                                                                           \
   } while (0)
# elif defined(WEFT_TASKS_TBB) || defined(WEFT_TASKS_CILK)
/* Runs the statements; the runtime starts its workers itself. */
#  define weft_run_tasks(...)                                                              \
   do {                                                                                    \
    __VA_ARGS__;                                                                           \
   } while (0)
# elif defined(WEFT_TASKS_POOL)
/* Starts the pool, and runs the statements as the root of its tasks. */
#  define weft_run_tasks(...) weft::run_root([&]() { __VA_ARGS__; })
# endif
#elif !defined(WEFT_TASKS_OPENMP) && !defined(WEFT_TASKS_SERIAL)
# error                                                                                    \
     "only OpenMP and calls are for C; the others are for C++ (weft_pool.h alone for C, too)"
#endif

#endif
