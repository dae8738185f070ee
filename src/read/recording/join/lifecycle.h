/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and ends the containers of hosts, processes and threads, by the core's records. */
#ifndef WEFT_READ_RECORDING_LIFECYCLE_H
#define WEFT_READ_RECORDING_LIFECYCLE_H

#include "read/recording/join/join.h"

/*
 * Defines the container types of hosts (only if there are several), processes and threads
 * in the builder, with their fields.  Call before the families define their types.
 */
void lifecycle_define_containers(struct join *join);
/*
 * Defines the core's types of events (names), variables (processor time) and links (spawns)
 * in the builder.  Call after the families have defined theirs, which lists show first.
 */
void lifecycle_define_types(struct join *join);
/*
 * Makes join->threads and join->processes, in the join's arena, from the loaded recording.
 * Threads are named by the function that they run, where it is known (join->sites is set).
 */
void lifecycle_prepare(struct join *join);
/*
 * Starts THREAD at TIME in ns: makes its container, and those of its process and host if
 * needed, and tells the families.  The first thread of a program that its process executed
 * later continues the container of the main thread, and all other threads end.
 */
void lifecycle_start_thread(struct join *join, struct join_thread *thread, int64_t time);
/* Ends THREAD, which has started, at TIME in ns: tells the families, ends its container. */
void lifecycle_end_thread(struct join *join, struct join_thread *thread, int64_t time);
/*
 * Takes a record of THREAD that the core's recorder library wrote (lifecycle_kinds): a
 * slot, a name of a thread, an end, processor time.  TIME is in ns.
 */
void lifecycle_record(struct join *join, struct join_thread *thread,
                      const struct record *record, int64_t time);
/*
 * Call when THREAD has no more records: frees its slots, and ends it at its last record if
 * it has recorded its end.
 */
void lifecycle_records_end(struct join *join, struct join_thread *thread);
/*
 * After all records: ends the container of each process whose end is known (by its own log,
 * by a process that waited for it, or by weft record).  If its own log has the end, its
 * threads end first, and the families are told (join_family.process_ends).
 */
void lifecycle_end_processes(struct join *join);
/*
 * Returns the time in ns when PROCESS (index into join->processes) ended, not before its
 * last record; INT64_MIN if that is unknown, or the process has no container.
 */
int64_t lifecycle_end_of(const struct join *join, size_t process);
/* Frees what is not in the join's arena: slots of threads, and maps of names and ids. */
void lifecycle_free(struct join *join);
/*
 * Returns the name of an image's program, without its folder; "program" if it is unknown.
 * It lives as long as IMAGE.
 */
const char *lifecycle_program_name(const struct image *image);

/*
 * The kinds of records that the core's recorder library writes: those that
 * lifecycle_record() takes, and those that are used up before it (holes, times, names).
 */
extern const struct record_kinds lifecycle_kinds;

#endif
