/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observes a program from outside, without privileges: when each of its threads ran, on
 * which processor, in which system call it was blocked, and which functions it executed.
 * The sources are the kernel's records of switches and samples (perf_event_open), and looks
 * at blocked threads in /proc.  Where the kernel refuses the records of switches, the
 * threads' counts in /proc are read up to 100 times a second, and there are no samples.
 * Nothing is loaded into the program, so static programs and all languages are observed
 * alike.
 */
#ifndef WEFT_OBSERVE_H
#define WEFT_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* A running observation: its thread, file and buffers. */
struct observer;

/*
 * Begins to observe process CHILD, a child that has not called execve() yet, from its
 * execve() on, and all threads and processes that it starts.  A thread of the observer's
 * own writes a new file "schedule-HOST-CHILD" (format/schedule_layout.h) in FOLDER, an
 * existing one, until observer_end().  Each thread's call stack is sampled once for each
 * SAMPLE_NS (ns) of its processor time; 0 or less: never.  COUNTERS is a list of names of
 * weft_counter_table, with commas, at most WEFT_COUNTERS_MAX, or NULL: they are counted of
 * each thread; with FAULTS so are its page faults, if the kernel may be counted.  Counters
 * make a switch a little slower, the more processors there are.
 *
 * A kernel that refuses switches or samples is no failure: the file's head says why.  One
 * that refuses a counter is none, either; a record says why.
 * Returns NULL with *ERR if the file exists or cannot be made (WEFT_ERR_WRITE), or no
 * thread can be started (WEFT_ERR_READ).  observer_end() frees the result.
 */
struct observer *observer_begin(pid_t child, const char *folder, int64_t sample_ns,
                                const char *counters, bool faults, struct weft_err *err);
/*
 * Stops observing, though observed processes may still run; writes the records that the
 * kernel's buffers still hold, closes the file, and frees OBSERVER.  Returns false with
 * *ERR (WEFT_ERR_WRITE) if a write failed since observer_begin(): the file then ends there.
 * Returns true for NULL.
 */
bool observer_end(struct observer *observer, struct weft_err *err);

#endif
