/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of hosts, processes and threads, and the records of the core. */
#ifndef WEFT_READ_RECORDING_LIVES_H
#define WEFT_READ_RECORDING_LIVES_H

#include "read/recording/join/join.h"

void lives_define_containers(struct join *join);
/* Define the types on them; after the families' types, so that views list these first. */
void lives_define_types(struct join *join);
/* Make the threads and processes of the join, with the names known so far. */
void lives_prepare(struct join *join);
void lives_start_thread(struct join *join, struct join_thread *thread, int64_t time);
void lives_end_thread(struct join *join, struct join_thread *thread, int64_t time);
/* Take a record of the core. */
void lives_take(struct join *join, struct join_thread *thread, const struct record *record,
                int64_t time);
/* The thread has no more records. */
void lives_records_end(struct join *join, struct join_thread *thread);
/* End the processes whose end is known: by themselves, or as the recorder saw it. */
void lives_end_processes(struct join *join);
/* Returns the time when a process ended; INT64_MIN if unknown. */
int64_t lives_end_of(const struct join *join, size_t process);
void lives_free(struct join *join);
/* Returns the name of an image's program; never empty. */
const char *lives_program_name(const struct image *image);

/* The kinds that lives_take takes, and those that are consumed before. */
extern const struct record_kinds lives_kinds;

#endif
