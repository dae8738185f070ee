/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins a recording (format/recording_layout.h) into a store: `weft record` does it when
 * the program has ended, `weft recover` if it could not.
 */
#ifndef WEFT_READ_RECORDING_H
#define WEFT_READ_RECORDING_H

#include "format/recording_layout.h"
#include "read/reader.h"

struct weft_recording_report {
    uint64_t processes, threads;
    uint64_t events; /* records about the program */
    uint64_t lost;
    /* Recorded data that are not in the trace: files, and threads that lack records. */
    uint64_t unread;
    uint64_t unfinished; /* processes that were still running */
    uint64_t bytes;      /* of records */
    /*
     * Time that recording took from the program: starts, begins and ends of threads, and
     * writing, as measured; and its events, at the measured cost of one event.
     */
    uint64_t overhead_ns;
    /* Bits 1 << number of families that would have recorded something, but were absent. */
    uint32_t missed;
};

/*
 * Join the recording in FOLDERS (several if machines wrote to disks of their own) into a
 * new store at STORE_PATH.  REPORT may be NULL.  Returns false with *ERR.
 */
bool weft_recording_join(const char *const *folders, size_t n_folders,
                         const char *store_path, struct weft_recording_report *report,
                         struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* The kinds of files in the folder of a machine (h-..., recording_layout.h), by name. */
enum weft_recording_file {
    WEFT_RECORDING_OTHER, /* not of the recorder: any folder may hold a recording */
    WEFT_RECORDING_LOG,
    WEFT_RECORDING_WORD, /* empty: its name says that a process could not make a log */
};
enum weft_recording_file weft_recording_file_of(const char *name);

/* Returns the time by several clocks of this machine, as a recorder samples them. */
struct weft_clock_sample weft_recording_clocks(void);

extern const struct weft_reader weft_reader_recording;

/* Key of a note: path of a PICL trace that the program requested (weft/mpicl/binding.h). */
#define WEFT_NOTE_TRACE_FILE "trace file"
/* Key of a note: absolute path of the (first) folder that the trace was joined from. */
#define WEFT_JOINED_FROM "joined from"

#endif
