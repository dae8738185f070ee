/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traces that the server was given.  Each is opened, on a thread of its own, when it is
 * first requested, and stays open until the server ends or it is reloaded.  A request holds
 * the traces of its answer; a replaced trace is closed when it is no longer held.  Any
 * thread may call these functions.
 */
#ifndef WEFT_SERVE_TRACES_H
#define WEFT_SERVE_TRACES_H

#include "base/progress_and_cancel.h"
#include "read/reader.h"

/* The traces that a server was given; traces_find() makes it, traces_close() frees it. */
struct traces;

/*
 * The state of one trace: TRACE_UNOPENED at first, TRACE_LOADING while a thread opens it,
 * then TRACE_READY (open), or TRACE_FAILED until traces_open() has reported that: then it
 * is unopened again.
 */
enum trace_state { TRACE_UNOPENED, TRACE_LOADING, TRACE_READY, TRACE_FAILED };

struct trace_entry {  /* a file, and what is known without opening it */
    const char *path; /* as given, or below the given folder */
    const char
        *name; /* its path below the given folder, or the file's own name; its full path
                  if another has the same name */
    const char *format; /* name of the format, a literal */
    uint64_t size;      /* bytes of the file when the server began */
    /* length of its span, if the file is in a given folder and is a store or has an index;
       negative: not known; it is not updated when the trace is opened */
    double seconds;
};

struct trace_progress { /* how far the opening of a trace is */
    enum trace_state state;
    uint64_t done, total; /* as in struct weft_job: `done` of `total` (0: unknown) */
    struct weft_err err;  /* why, in the state TRACE_FAILED */
};

/*
 * Finds the traces at PATHS: files, and in folders, to a depth of 3 below, all files of a
 * known format whose names do not begin with a dot, at most 10000.  They are numbered in
 * the order of PATHS, those of a folder by name.  The texts of READING must outlive the
 * result.  NULL with WEFT_ERR_READ if a path is unreadable or a folder has no trace, or
 * WEFT_ERR_FORMAT if a file is none.
 */
struct traces *traces_find(const char *const *paths, size_t n_paths,
                           const struct weft_read_options *reading,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Cancels loading, waits for it, closes all traces and frees TRACES (may be NULL); no
 * trace may be held.
 */
void traces_close(struct traces *traces);

/*
 * Sets a function that is called before a replaced trace is closed, by the thread that
 * released the trace last: it frees things that were made from the trace.  Call it before
 * the first trace is held.
 */
void traces_forget_by(struct traces *traces,
                      void (*forget)(void *user, struct weft_trace *trace), void *user);

/*
 * Returns which part of the folders was not searched, and why, as half a sentence that
 * lives as long as TRACES; NULL if all was searched.
 */
const char *traces_remark(const struct traces *traces);

/* Returns the number of traces; it does not change. */
size_t traces_count(const struct traces *traces);
/* Returns what is known of trace INDEX, less than traces_count(); it lives as TRACES. */
const struct trace_entry *traces_entry(const struct traces *traces, size_t index);

/*
 * Starts to open trace INDEX, in the background, if it is unopened, and sets *PROGRESS.
 * The call that reports a failure makes the trace unopened again, so that the next call
 * tries again.
 */
void traces_open(struct traces *traces, size_t index, struct trace_progress *progress);
/*
 * Returns true if the file of trace INDEX has changed since it was opened: replaced,
 * written to, cut or removed; false if the trace is not open.  Reading a changed trace is
 * safe, but may give wrong data.
 */
bool traces_changed(struct traces *traces, size_t index);
/*
 * Starts to open the file of trace INDEX anew, in the background, if it is open and has
 * changed: the trace is TRACE_LOADING from then on, and traces_hold() waits for the new
 * one. A request that holds the old trace keeps it; it is closed when nobody holds it.
 */
void traces_reload(struct traces *traces, size_t index);
/*
 * Asks that the opening of trace INDEX be cancelled, and does not wait; no effect unless it
 * is being opened.
 */
void traces_cancel(struct traces *traces, size_t index);
/*
 * Returns trace INDEX, opened first if need be, for which it waits; NULL with *ERR if that
 * fails (or has failed and was not reported by traces_open() yet), or JOB is cancelled
 * meanwhile (WEFT_ERR_CANCELLED; so also if too many wait, weft_job_waits()).  The trace
 * stays open until it has been released, by traces_release(), as often as held.
 */
struct weft_trace *traces_hold(struct traces *traces, size_t index, struct weft_job *job,
                               struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Releases TRACE, which traces_hold() returned for INDEX; closes it if it has been replaced
 * and nobody else holds it.
 */
void traces_release(struct traces *traces, size_t index, struct weft_trace *trace);

#endif
