/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of DAG Recorder's common interface (A. Huynh, "DAGViz", master's thesis, The
 * University of Tokyo, 2015, figure 1.2a), as words of weft_task.h: a program that uses
 * them compiles unchanged for any of the runtimes.
 *
 *     cilk int fib(int n)
 *     {
 *         ...
 *         mk_task_group;
 *         create_task(x, x = spawn fib(n - 1));
 *         create_task(y, y = spawn fib(n - 2));
 *         wait_tasks;
 *         return x + y;
 *     }
 */
#ifndef WEFT_TASK_WORDS_H
#define WEFT_TASK_WORDS_H

#include "../weft_task.h"

/*
 * Cilk's words `cilk` and `spawn`, empty here; then the words of the interface:
 * mk_task_group; begins a group of tasks, create_task(x, statements) creates a task of it
 * that runs the statements and writes the variable X, and wait_tasks; waits for the group's
 * tasks.
 */
#define cilk
#define spawn
#define mk_task_group       weft_make_group
#define create_task(x, ...) weft_create_task(x, __VA_ARGS__)
#define wait_tasks          weft_wait_tasks

/*
 * Begins the recorded task DAG, if a recording runs (weft_task_start()): the code that
 * follows, on the calling thread, is its root task, which later calls dr_stop().  One DAG
 * at a time.
 */
static inline WEFT_TASK_INLINE_ void dr_start(void)
{
    weft_task_start();
}

/*
 * Ends the recorded task DAG; called in its root task.  No effect in a thread whose task is
 * not recorded.
 */
static inline WEFT_TASK_INLINE_ void dr_stop(void)
{
    weft_task_stop();
}

/* Does nothing: DAG Recorder writes its file here, `weft record` at the end. */
static inline __attribute__((unused)) void dr_dump(void)
{
    weft_task_dump();
}

#endif
