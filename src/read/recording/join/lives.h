/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, processes and threads as containers: begin, names, ends.  And the core's records. */
#ifndef WEFT_READ_RECORDING_LIVES_H
#define WEFT_READ_RECORDING_LIVES_H

#include "read/recording/join/join.h"

void lives_define_containers(struct join *join);
/* What is on them; after the families' types, which people rather read first. */
void lives_define_types(struct join *join);
/* Threads and processes of the recording, and the threads' names as far as they are known. */
void lives_prepare(struct join *join);
void lives_start_thread(struct join *join, struct join_thread *thread, int64_t time);
void lives_end_thread(struct join *join, struct join_thread *thread, int64_t time);
/* One of the core's own records. */
void lives_take(struct join *join, struct join_thread *thread, const struct record *record,
                int64_t time);
/* The thread has no record more. */
void lives_records_end(struct join *join, struct join_thread *thread);
/* Processes that ended by themselves say when; of killed ones the recorder knows. */
void lives_end_processes(struct join *join);
/* When a process ended, as far as anybody knows; INT64_MIN: nobody does. */
int64_t lives_end_of(const struct join *join, size_t process);
void lives_free(struct join *join);
/* What a process image is called: never empty. */
const char *lives_program_name(const struct image *image);

/* The kinds that lives_take takes, and those that are used up before it. */
extern const struct record_kinds lives_kinds;

#endif
