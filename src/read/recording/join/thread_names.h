/* SPDX-License-Identifier: Apache-2.0 */
/* Names that threads get from the program, and the C library's handles of threads. */
#ifndef WEFT_READ_RECORDING_THREAD_NAMES_H
#define WEFT_READ_RECORDING_THREAD_NAMES_H

#include "read/recording/join/join.h"

/* Renames the thread's container, and writes an event with the name at TIME. */
void thread_names_show(struct join *join, struct join_thread *thread, const char *name,
                       int64_t time);
/*
 * Keeps the name that another thread gave to the thread with HANDLE before its first event;
 * it is copied.
 */
void thread_names_keep(struct join *join, uint32_t process, uint64_t handle,
                       const char *name);
/*
 * The thread begins at TIME: join_find_thread() finds it by its handle from now on, and it
 * gets the name that was kept for that handle.
 */
void thread_names_begin(struct join *join, struct join_thread *thread, int64_t time);
void thread_names_free(struct join *join);

#endif
