/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and ends the containers of hosts, processes and threads, by the core's records. */
#ifndef WEFT_READ_RECORDING_LIFECYCLE_H
#define WEFT_READ_RECORDING_LIFECYCLE_H

#include "read/recording/join/join.h"

/* Define the types of hosts, processes and threads. */
void lifecycle_define_containers(struct join *join);
/* Define names, processor time and spawns; after the families' types, listed before. */
void lifecycle_define_types(struct join *join);
/* Make the threads and processes of the join, with the names known so far. */
void lifecycle_prepare(struct join *join);
void lifecycle_start_thread(struct join *join, struct join_thread *thread, int64_t time);
void lifecycle_end_thread(struct join *join, struct join_thread *thread, int64_t time);
/* Take a record of the core's family. */
void lifecycle_record(struct join *join, struct join_thread *thread,
                      const struct record *record, int64_t time);
/* Call it when the thread has no more records. */
void lifecycle_records_end(struct join *join, struct join_thread *thread);
/* End the processes whose end their own logs or the recorder recorded. */
void lifecycle_end_processes(struct join *join);
/* Returns the time when a process ended; INT64_MIN if unknown. */
int64_t lifecycle_end_of(const struct join *join, size_t process);
void lifecycle_free(struct join *join);
/* Returns the name of an image's program; never empty. */
const char *lifecycle_program_name(const struct image *image);

/* The kinds of the core: for lifecycle_record(), and consumed before it. */
extern const struct record_kinds lifecycle_kinds;

#endif
