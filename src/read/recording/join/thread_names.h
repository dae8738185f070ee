/* SPDX-License-Identifier: Apache-2.0 */
/* Names that threads get from the program, and the C library's handles of threads. */
#ifndef WEFT_READ_RECORDING_THREAD_NAMES_H
#define WEFT_READ_RECORDING_THREAD_NAMES_H

#include "read/recording/join/join.h"

/*
 * Gives THREAD, which has a container, the name NAME, which is copied: sets thread->name,
 * renames its container, and writes an event of type "Name" at TIME, in ns.
 */
void thread_names_show(struct join *join, struct join_thread *thread, const char *name,
                       int64_t time);
/*
 * Keeps NAME, which is copied, for the next thread of PROCESS (index into join->processes)
 * that begins with the pthread_t HANDLE: another thread named it before it began.  A second
 * call for the same thread replaces the name.
 */
void thread_names_keep(struct join *join, uint32_t process, uint64_t handle,
                       const char *name);
/*
 * Call when THREAD, which has a container, begins at TIME in ns: join_find_thread() finds
 * it by its pthread_t from now on, instead of an earlier thread with the same one.  THREAD
 * gets the name that thread_names_keep() has kept for that handle, if any; a name is used
 * once.
 */
void thread_names_begin(struct join *join, struct join_thread *thread, int64_t time);
/* Frees the maps of handles and the kept names, at the end of the join. */
void thread_names_free(struct join *join);

#endif
