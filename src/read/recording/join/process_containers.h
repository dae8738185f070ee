/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and ends the containers of hosts, processes and threads, by the core's records. */
#ifndef WEFT_READ_RECORDING_PROCESS_CONTAINERS_H
#define WEFT_READ_RECORDING_PROCESS_CONTAINERS_H

#include "read/recording/join/join.h"

/*
 * Defines the container types of hosts (only if there are several), processes and threads
 * in the builder, with their fields, and sets their indices in JOIN.  Call it first, since
 * the families' types belong to these.
 */
void lifecycle_define_containers(struct join *join);
/*
 * Defines the core's types of events (names), variables (processor time) and links (spawns)
 * in the builder, and sets their indices in JOIN.  Call it after the families have defined
 * theirs, which lists then show first, and before threads start.
 */
void lifecycle_define_types(struct join *join);
/*
 * Makes join->threads, join->processes and the other arrays by thread, image and host, in
 * the join's arena, from the loaded recording.  Threads are named by the function that they
 * run, where it is known, with a number if several threads of the image run it.  Call it
 * after names_collect(), and when join->sites is set.
 */
void lifecycle_prepare(struct join *join);
/*
 * Starts THREAD, which has not started, at TIME in ns, or at its process's latest record if
 * that is later: makes its container, those of its process and host if needed, and a link
 * from its creator if that is known, and tells the families.  If the process was running
 * another program before, its main thread THREAD continues the container of the main thread
 * before (unless that has ended), and all other threads of the process end.
 */
void lifecycle_start_thread(struct join *join, struct join_thread *thread, int64_t time);
/*
 * Ends THREAD, which must have started and not ended, at TIME in ns: tells the families,
 * and ends its states and its container.
 */
void lifecycle_end_thread(struct join *join, struct join_thread *thread, int64_t time);
/*
 * Takes a record of THREAD, which has started, that the core's recorder library wrote: the
 * definition of a slot, a thread's name, its end, a child that shares its log, the end of a
 * child process, processor time, or the kernel's counts of a thread.  Other kinds have no
 * effect.  TIME is in ns.
 */
void lifecycle_record(struct join *join, struct join_thread *thread,
                      const struct record *record, int64_t time);
/*
 * Call when THREAD has no more records: frees its slots, and ends it, unless it has ended,
 * at its last record if it has recorded its end, or where its observation ended if it was
 * only observed from outside.  Otherwise lifecycle_end_processes() may end it.
 */
void lifecycle_records_end(struct join *join, struct join_thread *thread);
/*
 * After all records: ends the container of each process whose end is known (by its own log,
 * by its parent that waited for it, or by weft record), with those of its threads.  If its
 * own log has the end, its threads are ended first (lifecycle_end_thread), and the families
 * are told (join_family.process_ends).  For threads of all other processes, what was
 * observed after their last records is written first.  Containers of processes with unknown
 * ends, and of their threads, stay open.
 */
void lifecycle_end_processes(struct join *join);
/*
 * Returns the time in ns when PROCESS (index into join->processes) ended, by its own log,
 * else by process->ended; at least the time of its last record.  Returns INT64_MIN if that
 * is unknown, or the process has no container.
 */
int64_t lifecycle_end_of(const struct join *join, size_t process);
/*
 * Frees what is not in the join's arena: slots of threads, and maps of names and ids.  It
 * may be called before lifecycle_prepare().
 */
void lifecycle_free(struct join *join);
/*
 * Returns the name of an image's program, without its folder: by its path, else by the
 * first word of its command line; "program" if both are empty.  It points into IMAGE.
 */
const char *lifecycle_program_name(const struct image *image);

/*
 * The kinds of records that the core's recorder library writes: those that
 * lifecycle_record() takes, and those that are read before it (names, starts of programs,
 * times).
 */
extern const struct record_kinds lifecycle_kinds;

#endif
