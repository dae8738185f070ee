/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small pool of workers for tasks, in C99 and C++11, to compare two ways of scheduling
 * (Guo, Barik, Raman, Sarkar: "Work-first and help-first scheduling policies for
 * async-finish task parallelism", IPDPS 2009):
 *
 *     WEFT_POOL=work  a new task runs at once; the rest of its creator waits to be stolen
 *     WEFT_POOL=help  a new task waits to be stolen or run; its creator continues
 *
 * It is work first unless WEFT_POOL is "help".
 *
 * Each worker has a queue: it takes the newest task, thieves take the oldest (Blumofe and
 * Leiserson 1999).  A worker without work steals from others, chosen at random.
 * WEFT_POOL_WORKERS is the number of workers, by default that of processors.
 *
 * Under work first, a task has its own stack, and may continue on another thread after a
 * creation or a wait, so it must not keep thread-local data across these.  The pool is for
 * studying schedules, not for speed: a change of stacks takes a system call.  No exception
 * may leave a task.
 */
#ifndef WEFT_POOL_H
#define WEFT_POOL_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of the pool. */
enum {
    WEFT_POOL_MOST = 64, /* workers */
    /* Bytes of a task's stack, of which pages are used when touched. */
    WEFT_POOL_STACK = 256 * 1024,
    /* Tasks in a queue; if it is full, help first runs a new task at once. */
    WEFT_POOL_QUEUE = 1 << 16
};

/* The code of a task, called once with the argument that it was created with. */
typedef void (*weft_pool_function)(void *argument);

/*
 * Tasks that are waited for together.  The caller owns it, and sets it to zero: it is then
 * empty, and needs no end.
 */
typedef struct weft_pool_group {
    char lock; /* weft_pool_lock_() */
    long left; /* tasks that have not ended */
    /* work first: the task that waits for the group, and continues when none are left */
    struct weft_pool_task *waiter;
} weft_pool_group;

/* A task: one that has not begun, or, work first, also one that runs or can continue. */
struct weft_pool_task {
    weft_pool_function function;
    void *argument;
    weft_pool_group *group;
    ucontext_t context; /* work first only: where it continues */
    void *stack;        /* work first only: WEFT_POOL_STACK bytes, kept for reuse */
    struct weft_pool_task *next; /* in weft_pool_worker.unused, of tasks to be reused */
};

/* A thread that runs tasks, and its queue. */
struct weft_pool_worker {
    char lock;                      /* of the queue: weft_pool_lock_() */
    struct weft_pool_task **queue;  /* [WEFT_POOL_QUEUE], circular */
    uint64_t oldest, newest;        /* tasks [oldest, newest), modulo the queue's size */
    uint64_t random;                /* state of the generator that chooses victims */
    ucontext_t scheduler;           /* on the thread's own stack */
    struct weft_pool_task *running; /* work first: the task on whose stack the worker is */
    /* Work first: the creator of the running task, to be put into the queue. */
    struct weft_pool_task *parent;
    struct weft_pool_task *ended;  /* ended task whose stack was left, not yet in UNUSED */
    struct weft_pool_task *waits;  /* task that was left until its group ... */
    weft_pool_group *waits_for;    /* ... has ended */
    struct weft_pool_task *unused; /* list of tasks whose stacks are reused */
};

/* The pool: its policy and its workers. */
struct weft_pool_state {
    int n;                                           /* number of workers; 0: not started */
    int help_first;                                  /* 0: work first */
    struct weft_pool_worker workers[WEFT_POOL_MOST]; /* the first n are used */
};

/* The program's only pool.  Weak, so that all files of the program share it. */
__attribute__((weak)) struct weft_pool_state weft_pool_ = {};
/* The worker of the pool that the calling thread is; NULL: it is none. */
__attribute__((weak)) __thread struct weft_pool_worker *weft_pool_self_ = NULL;

/*
 * Returns the worker that the calling thread is; NULL: it is none.  Not inlined: after a
 * change of stacks the thread may be another.
 */
static __attribute__((noinline, unused)) struct weft_pool_worker *weft_pool_self(void)
{
    __asm__ volatile("");
    return weft_pool_self_;
}

/* Takes *LOCK, a spin lock that is free when 0; yields the processor while it is held. */
static inline void weft_pool_lock_(char *lock)
{
    while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* Gives *LOCK back, which weft_pool_lock_() took. */
static inline void weft_pool_unlock_(char *lock)
{
    __atomic_clear(lock, __ATOMIC_RELEASE);
}

/* ---- Queues ---- */

/*
 * Puts TASK into WORKER's queue as the newest and returns 1; returns 0 if the queue is
 * full.
 */
static inline int weft_pool_push_(struct weft_pool_worker *worker,
                                  struct weft_pool_task *task)
{
    int pushed;

    weft_pool_lock_(&worker->lock);
    pushed = worker->newest - worker->oldest < WEFT_POOL_QUEUE;
    if (pushed)
        worker->queue[worker->newest++ % WEFT_POOL_QUEUE] = task;
    weft_pool_unlock_(&worker->lock);
    return pushed;
}

/*
 * Takes the newest task out of WORKER's queue if OWN, else the oldest, and returns it;
 * NULL: the queue is empty.
 */
static inline struct weft_pool_task *weft_pool_take_(struct weft_pool_worker *worker,
                                                     int own)
{
    struct weft_pool_task *task = NULL;

    if (__atomic_load_n(&worker->newest, __ATOMIC_RELAXED)
        == __atomic_load_n(&worker->oldest, __ATOMIC_RELAXED))
        return NULL;
    weft_pool_lock_(&worker->lock);
    if (worker->newest != worker->oldest)
        task = worker->queue[(own ? --worker->newest : worker->oldest++) % WEFT_POOL_QUEUE];
    weft_pool_unlock_(&worker->lock);
    return task;
}

/*
 * Takes the newest task out of WORKER's queue, the calling thread's; else tries the oldest
 * of as many queues as there are workers, chosen at random.  NULL: none found, although
 * another queue may hold one.
 */
static inline struct weft_pool_task *weft_pool_find_(struct weft_pool_worker *worker)
{
    struct weft_pool_task *task = weft_pool_take_(worker, 1);

    for (int i = 0; !task && i < weft_pool_.n; i++) {
        worker->random = worker->random * 6364136223846793005u + 1442695040888963407u;
        task = weft_pool_take_(
            &weft_pool_.workers[(worker->random >> 33) % (uint64_t)weft_pool_.n], 0);
    }
    return task;
}

/* ---- Help first: a task is a call from a worker that is idle or waits ---- */

/* Help first: runs TASK by a call, frees it, and counts it as ended in its group. */
static inline void weft_pool_call_(struct weft_pool_task *task)
{
    weft_pool_group *group = task->group;

    task->function(task->argument);
    free(task);
    __atomic_fetch_sub(&group->left, 1, __ATOMIC_RELEASE);
}

/*
 * Help first: runs one task to its end, if WORKER finds one, and returns 1; else yields the
 * processor and returns 0.
 */
static inline int weft_pool_help_(struct weft_pool_worker *worker)
{
    struct weft_pool_task *task = weft_pool_find_(worker);

    if (task)
        weft_pool_call_(task);
    else
        sched_yield();
    return task != NULL;
}

/* ---- Work first: a task has a stack ---- */

/*
 * After a change of stacks: does for the worker what the code that left the old stack could
 * not do while on it.  Keeps the ended task for reuse; puts the creator of the task that
 * runs now into the queue, for which it may wait until a thief makes room; or hands the
 * task that waits to its group, or puts it into the queue if the group has just ended.
 */
static __attribute__((noinline, unused)) void weft_pool_arrive_(void)
{
    struct weft_pool_worker *worker = weft_pool_self();
    struct weft_pool_task *task = worker->waits;
    weft_pool_group *group = worker->waits_for;
    int over;

    if (worker->ended) {
        worker->ended->next = worker->unused;
        worker->unused = worker->ended;
        worker->ended = NULL;
    }
    if (worker->parent) {
        task = worker->parent;
        worker->parent = NULL;
        while (!weft_pool_push_(worker, task))
            sched_yield(); /* until a thief makes room */
    } else if (task) {
        worker->waits = NULL;
        weft_pool_lock_(&group->lock);
        over = group->left == 0;
        if (!over)
            group->waiter = task;
        weft_pool_unlock_(&group->lock);
        while (over && !weft_pool_push_(worker, task))
            sched_yield();
    }
}

/*
 * Leaves the stack of the calling code, kept in *FROM, for that of TASK, or for the
 * thread's own if TASK is NULL.  Returns when FROM is continued, perhaps on another thread.
 */
static __attribute__((noinline, unused)) void weft_pool_switch_(ucontext_t *from,
                                                                struct weft_pool_task *task)
{
    struct weft_pool_worker *worker = weft_pool_self();

    worker->running = task;
    (void)swapcontext(from, task ? &task->context : &worker->scheduler);
    weft_pool_arrive_();
}

/*
 * The first function on the new stack of a task, which is the worker's `running`: calls the
 * task's function and counts the task as ended in its group.  Then leaves the stack, which
 * is kept for reuse, and never returns: the task that waited for the group continues if
 * this was its last; else the newest task of the worker's queue, else the thread's own
 * stack.
 */
static void weft_pool_main_(void)
{
    struct weft_pool_task *task, *next;
    weft_pool_group *group;

    weft_pool_arrive_();
    task = weft_pool_self()->running;
    task->function(task->argument);
    group = task->group;
    weft_pool_lock_(&group->lock);
    next = --group->left == 0 ? group->waiter : NULL;
    if (next)
        group->waiter = NULL;
    weft_pool_unlock_(&group->lock);
    if (!next)
        next = weft_pool_take_(weft_pool_self(), 1);
    weft_pool_self()->ended = task;
    weft_pool_switch_(&task->context, next);
}

/*
 * Work first: returns a task with a stack, new or one of WORKER's unused; the caller sets
 * its function, argument and group, and switches to it.  It is never freed.  Aborts without
 * memory.
 */
static inline struct weft_pool_task *weft_pool_stack_(struct weft_pool_worker *worker)
{
    struct weft_pool_task *task = worker->unused;

    if (task) {
        worker->unused = task->next;
    } else {
        task = (struct weft_pool_task *)calloc(1, sizeof *task);
        if (!task)
            abort();
        task->stack = mmap(NULL, WEFT_POOL_STACK, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (task->stack == MAP_FAILED)
            abort();
    }
    (void)getcontext(&task->context);
    task->context.uc_stack.ss_sp = task->stack;
    task->context.uc_stack.ss_size = WEFT_POOL_STACK;
    task->context.uc_link = NULL;
    makecontext(&task->context, weft_pool_main_, 0);
    return task;
}

/* ---- Workers ---- */

/*
 * Called on the own stack of WORKER, the calling thread, when it runs no task: finds a
 * task and runs it, or yields the processor if it finds none.  Under work first it returns
 * when the worker finds no further task in its queue, and so comes back to this stack.
 */
static inline void weft_pool_turn_(struct weft_pool_worker *worker)
{
    struct weft_pool_task *task;

    if (weft_pool_.help_first) {
        (void)weft_pool_help_(worker);
        return;
    }
    task = weft_pool_find_(worker);
    if (task)
        weft_pool_switch_(&worker->scheduler, task);
    else
        sched_yield();
}

/*
 * The start routine of a worker's thread: runs tasks as WORKER, a struct weft_pool_worker,
 * until the program ends; never returns.
 */
static __attribute__((unused)) void *weft_pool_thread_(void *worker)
{
    weft_pool_self_ = (struct weft_pool_worker *)worker;
    for (;;)
        weft_pool_turn_((struct weft_pool_worker *)worker);
    return NULL;
}

/*
 * Starts the workers, as the environment variables WEFT_POOL and WEFT_POOL_WORKERS (clamped
 * to 1 to 64) say; the calling thread is one, the others are new, and run until the program
 * ends.  No effect when they have been started; not for two threads at once.  Aborts
 * without memory or threads.
 */
static __attribute__((unused)) void weft_pool_start(void)
{
    const char *how = getenv("WEFT_POOL"), *many = getenv("WEFT_POOL_WORKERS");
    long n = many ? atol(many) : sysconf(_SC_NPROCESSORS_ONLN);

    if (weft_pool_.n > 0)
        return;
    n = n < 1 ? 1 : n > (long)WEFT_POOL_MOST ? (long)WEFT_POOL_MOST : n;
    weft_pool_.help_first = how != NULL && strcmp(how, "help") == 0;
    for (long i = 0; i < n; i++) {
        weft_pool_.workers[i].random = (uint64_t)i + 1;
        weft_pool_.workers[i].queue = (struct weft_pool_task **)malloc(
            WEFT_POOL_QUEUE * sizeof(struct weft_pool_task *));
        if (!weft_pool_.workers[i].queue)
            abort();
    }
    weft_pool_.n = (int)n;
    weft_pool_self_ = &weft_pool_.workers[0];
    for (long i = 1; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, weft_pool_thread_, &weft_pool_.workers[i]) != 0)
            abort();
        (void)pthread_detach(thread);
    }
}

/* ---- Tasks ---- */

/*
 * Creates a task of GROUP that calls FUNCTION(ARGUMENT); weft_pool_wait() waits for it, and
 * GROUP and ARGUMENT must exist until then.  Under work first it may return on another
 * thread.  It is a plain call on threads that are no workers, under work first outside of
 * weft_pool_root(), and under help first when the queue is full.  Aborts without memory.
 */
static __attribute__((noinline, unused)) void
weft_pool_run(weft_pool_group *group, weft_pool_function function, void *argument)
{
    struct weft_pool_worker *worker = weft_pool_self();
    struct weft_pool_task *task, *parent = worker ? worker->running : NULL;

    if (!worker || (!weft_pool_.help_first && !parent)) {
        function(argument);
        return;
    }
    if (weft_pool_.help_first)
        task = (struct weft_pool_task *)calloc(1, sizeof *task);
    else
        task = weft_pool_stack_(worker);
    if (!task)
        abort();
    task->function = function;
    task->argument = argument;
    task->group = group;
    if (weft_pool_.help_first) {
        __atomic_fetch_add(&group->left, 1, __ATOMIC_RELAXED);
        if (!weft_pool_push_(worker, task))
            weft_pool_call_(task);
        return;
    }
    weft_pool_lock_(&group->lock);
    group->left++;
    weft_pool_unlock_(&group->lock);
    worker->parent = parent;
    weft_pool_switch_(&parent->context, task);
}

/*
 * Waits until all tasks of the group have ended, meanwhile running any others.  Called by
 * the code that created them; under work first it may return on another thread.  On a
 * thread that is no worker it returns at once.
 */
static __attribute__((noinline, unused)) void weft_pool_wait(weft_pool_group *group)
{
    struct weft_pool_worker *worker = weft_pool_self();

    if (!worker)
        return;
    if (__atomic_load_n(&group->left, __ATOMIC_ACQUIRE) == 0) {
        /* The thread that ended the last task may still hold it. */
        weft_pool_lock_(&group->lock);
        weft_pool_unlock_(&group->lock);
        return;
    }
    if (weft_pool_.help_first) {
        while (__atomic_load_n(&group->left, __ATOMIC_ACQUIRE) > 0)
            (void)weft_pool_help_(worker);
        return;
    }
    worker->waits = worker->running;
    worker->waits_for = group;
    weft_pool_switch_(&worker->running->context, weft_pool_take_(worker, 1));
}

/*
 * Runs FUNCTION(ARGUMENT) as the root of all tasks; returns, on the same thread, when
 * FUNCTION has ended, which must wait for its tasks itself.  The calling thread must have
 * called weft_pool_start(); otherwise, and under help first, it is a plain call.
 */
static __attribute__((unused)) void weft_pool_root(weft_pool_function function,
                                                   void *argument)
{
    struct weft_pool_worker *worker = weft_pool_self();
    weft_pool_group group = {};
    struct weft_pool_task *task;

    if (!worker || weft_pool_.help_first) {
        function(argument);
        return;
    }
    task = weft_pool_stack_(worker);
    task->function = function;
    task->argument = argument;
    task->group = &group;
    group.left = 1;
    weft_pool_switch_(&worker->scheduler, task);
    while (__atomic_load_n(&group.left, __ATOMIC_ACQUIRE) > 0)
        weft_pool_turn_(worker);
    weft_pool_lock_(&group.lock); /* the thread that ended it may still hold it */
    weft_pool_unlock_(&group.lock);
}

#ifdef __cplusplus
}
#endif
#endif
