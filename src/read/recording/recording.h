/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joining a recording (format/recording_layout.h) into a store: what `weft record` does when
 * the program has ended, and `weft recover` when it could not.
 */
#ifndef WEFT_READ_RECORDING_H
#define WEFT_READ_RECORDING_H

#include "format/recording_layout.h"
#include "read/reader.h"

struct weft_recording_report {
    uint64_t processes, threads;
    uint64_t events; /* records that say something of the program */
    uint64_t lost;
    /* What was there and is not in the trace: files, and threads of which records are not. */
    uint64_t unread;
    uint64_t unfinished; /* processes that went on meanwhile */
    uint64_t bytes; /* of records */
    /*
     * What recording took of the program's time: starts, beginnings and ends of threads,
     * writing, all as measured; and its events, at what one event took when it was tried.
     */
    uint64_t overhead_ns;
    /* A program had an OpenMP runtime in it, and what that does was not recorded. */
    bool without_openmp;
};

/*
 * Join the recording in FOLDERS (at least one; several when machines wrote to disks of their
 * own) into a new store at STORE_PATH.  REPORT may be NULL.
 */
bool weft_recording_join(const char *const *folders, size_t n_folders,
                         const char *store_path, struct weft_recording_report *report,
                         struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* What the folder of a machine (h-..., recording_layout.h) has under a name. */
enum weft_recording_file {
    WEFT_RECORDING_OTHER, /* somebody else's: a recording may be left in any folder */
    WEFT_RECORDING_LOG,
    WEFT_RECORDING_WORD, /* that a process could make no log */
};
enum weft_recording_file weft_recording_file_of(const char *name);

/* Where the clocks stand now. */
struct weft_clock_sample weft_recording_clocks(void);

extern const struct weft_reader weft_reader_recording;

/* The key of a note: the path of a PICL trace that the program asked for (include/binding.h). */
#define WEFT_NOTE_TRACE_FILE "trace file"
/* The key of a note: the absolute path of the (first) folder that the trace was joined from. */
#define WEFT_JOINED_FROM "joined from"

#endif
