/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and ends the containers of hosts, processes and threads, by the core's records. */
#ifndef WEFT_READ_RECORDING_LIVES_H
#define WEFT_READ_RECORDING_LIVES_H

#include "read/recording/join/join.h"

/* Define the types of hosts, processes and threads. */
void lives_define_containers(struct join *join);
/* Define names, processor time and spawns; after the families' types, listed before. */
void lives_define_types(struct join *join);
/* Make the threads and processes of the join, with the names known so far. */
void lives_prepare(struct join *join);
void lives_start_thread(struct join *join, struct join_thread *thread, int64_t time);
void lives_end_thread(struct join *join, struct join_thread *thread, int64_t time);
/* Take a record of the core's family. */
void lives_take(struct join *join, struct join_thread *thread, const struct record *record,
                int64_t time);
/* Call it when the thread has no more records. */
void lives_records_end(struct join *join, struct join_thread *thread);
/* End the processes whose end their own logs or the recorder recorded. */
void lives_end_processes(struct join *join);
/* Returns the time when a process ended; INT64_MIN if unknown. */
int64_t lives_end_of(const struct join *join, size_t process);
void lives_free(struct join *join);
/* Returns the name of an image's program; never empty. */
const char *lives_program_name(const struct image *image);

/* The kinds of the core: those for lives_take(), and those that are consumed before. */
extern const struct record_kinds lives_kinds;

#endif
