/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observes a program from outside, without privileges: when each of its threads ran, on
 * which processor, in which system call it was blocked, and which functions it executed.
 * The kernel's records of switches and samples (perf_event_open) and looks at /proc say it.
 * Where the kernel refuses the records, the threads' counts in /proc are read 100 times a
 * second.  Nothing is loaded into the program, so static programs and all languages are
 * observed alike.
 */
#ifndef WEFT_OBSERVE_H
#define WEFT_OBSERVE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct observer;

/*
 * Begins to observe process CHILD, which must be a child that has not called execve() yet,
 * from its execve() on; also all threads and processes that it starts.  Writes to a new
 * file in FOLDER, that of a recording (format/schedule_layout.h), in a thread of its own,
 * until observer_end().  Takes a sample of each thread, the functions that it is in, for
 * each SAMPLE_NS of its processor time; 0: none.  If the kernel refuses the samples, or
 * switches and samples, the file says so.  Returns NULL with *ERR if the file cannot be
 * made, or no thread started.
 */
struct observer *observer_begin(pid_t child, const char *folder, int64_t sample_ns,
                                struct weft_err *err);
/*
 * Writes what the kernel's buffers still hold, and frees OBSERVER, which may be NULL.
 * Returns false with *ERR if some of the file could not be written.
 */
bool observer_end(struct observer *observer, struct weft_err *err);

#endif
