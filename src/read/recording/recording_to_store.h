/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins a recording (format/recording_layout.h) into a store: `weft record` does it when
 * the program has ended, `weft recover` if it could not.
 */
#ifndef WEFT_READ_RECORDING_TO_STORE_H
#define WEFT_READ_RECORDING_TO_STORE_H

#include "format/recording_layout.h"
#include "read/reader.h"

/* Numbers about a recording, which weft_recording_join() sets. */
struct weft_recording_report {
    /* those recorded or observed; a process or thread that executes a program is one */
    uint64_t processes, threads;
    uint64_t events; /* records about the program, not those about the recording itself */
    uint64_t lost;   /* events that the recorder could not write */
    /*
     * Recorded data that are not in the trace, as a sum: files, threads with missing or
     * damaged records, and records of kinds that this weft does not know.
     */
    uint64_t unread;
    uint64_t unfinished; /* processes that were still running when this was read */
    uint64_t bytes;      /* of records that were read */
    uint64_t switches;   /* of threads from and to processors, as the kernel told */
    /*
     * Time, summed over threads, in which they were blocked, in intervals of a millisecond
     * or more; the part of it whose cause a family knows (waits); and of the rest the part
     * in which the thread was looked at.
     */
    int64_t blocked_ns, blocked_known_ns, blocked_seen_ns;
    /*
     * Time that recording took from the program's threads: starts, begins and ends of
     * threads, and writing, as measured; and its events, at the measured cost of one event.
     * 0 if damage makes it 10^18 or more.
     */
    uint64_t overhead_ns;
    /*
     * Bits 1 << number of recorder families (recorder_registry.h) that would have recorded
     * something in some program, but were not loaded there.
     */
    uint32_t missed;
};

/*
 * Joins the recording in the N_FOLDERS FOLDERS (several if machines wrote to disks of
 * their own; at least one), which stay, into a new store at STORE_PATH.  *REPORT (REPORT
 * may be NULL) is set once the folders could be loaded, even if the join then fails.
 * Returns false with *ERR, and writes no store, also if JOB (may be NULL) is cancelled;
 * damaged parts are no failure: the trace reports them as problems.
 */
bool weft_recording_join(const char *const *folders, size_t n_folders,
                         const char *store_path, struct weft_recording_report *report,
                         struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* The kinds of files in a machine's folder of a recording (h-..., recording_layout.h). */
enum weft_recording_file {
    WEFT_RECORDING_OTHER, /* not of the recorder: any folder may hold a recording */
    WEFT_RECORDING_LOG,   /* l<pid>-<n>: records */
    WEFT_RECORDING_WORD,  /* x<pid>-<errno>: an empty file; the process could make no log */
};
/* Returns the kind of a file in a machine's folder by its NAME, without the folder. */
enum weft_recording_file weft_recording_file_of(const char *name);

/*
 * Returns the time now by several clocks of this machine, as the preloaded recorder
 * samples them: TSC ticks (elsewhere than on x86-64 ns of CLOCK_MONOTONIC),
 * CLOCK_MONOTONIC and time of day, with the error of the first: the most exact of five
 * readings.
 */
struct weft_clock_sample weft_recording_clocks(void);

/* Reads a recording that was not joined yet, by the path of its file "recording". */
extern const struct weft_reader weft_reader_recording;

/*
 * Key of a note (key and text about the whole trace): path of a PICL trace that the program
 * asked for (weft/mpicl/binding.h).
 */
#define WEFT_NOTE_TRACE_FILE "trace file"
/*
 * Key of a note (key and text about the whole trace): absolute path of the (first) folder
 * that the trace was joined from.
 */
#define WEFT_JOINED_FROM "joined from"

#endif
