/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traces that the server was given.  Each is opened, on a thread of its own, when it is
 * first asked for, and stays open until the server ends or it is reloaded.  A request holds
 * the traces that its answer is made of; one that was reloaded is closed when nobody holds
 * it any more.  Any thread may call these.
 */
#ifndef WEFT_SERVE_TRACES_H
#define WEFT_SERVE_TRACES_H

#include "base/job.h"
#include "read/reader.h"

struct traces;

enum trace_state { TRACE_UNOPENED, TRACE_LOADING, TRACE_READY, TRACE_FAILED };

struct trace_entry { /* a file, as far as it is known without opening it */
    const char *path;
    const char
        *name; /* its path below the folder that was given, or the file's own name; its
                         path, when another has that name, too */
    const char *format;
    uint64_t size;
    double seconds; /* its span; negative: not known before it is read */
};

struct trace_progress {
    enum trace_state state;
    uint64_t done, total;
    struct weft_err err; /* when it failed */
};

/*
 * Find the traces at PATHS: files, and all files that a reader knows of folders and of the
 * folders in them, to a depth of 3 and at most 10000.  Errors: a path that cannot be read,
 * or nothing that is a trace.
 */
struct traces *traces_find(const char *const *paths, size_t n_paths,
                           const struct weft_read_options *reading,
                           struct weft_err *err) WEFT_MUST_CHECK;
/* Nobody holds a trace any more.  Cancels what is loading. */
void traces_close(struct traces *traces);

/*
 * Before a trace that was reloaded is closed, FORGET is called, by the thread that was the
 * last to hold it: whoever keeps things that were made of the trace frees them.  To be
 * called before the first trace is held.
 */
void traces_forget_by(struct traces *traces,
                      void (*forget)(void *user, struct weft_trace *trace), void *user);

/* The part of the folders that was not searched, and why, as half a sentence; NULL if all
   was searched. */
const char *traces_remark(const struct traces *traces);

size_t traces_count(const struct traces *traces);
const struct trace_entry *traces_entry(const struct traces *traces, size_t index);

/* Start to open a trace that is unopened or has failed, and say how far it is. */
void traces_open(struct traces *traces, size_t index, struct trace_progress *progress);
/*
 * True when the file of an open trace is not the one any more that was opened: replaced,
 * written to, cut or gone.  Data read from it may be wrong, but is safe to read.
 */
bool traces_changed(struct traces *traces, size_t index);
/*
 * Open the file anew when it has changed.  Answers that are being made of the old one stay
 * possible: who holds it has it.
 */
void traces_reload(struct traces *traces, size_t index);
void traces_cancel(struct traces *traces, size_t index);
/*
 * The opened trace, waiting for it while JOB is not cancelled; NULL with *err when it
 * fails.  It stays open until it has been released as often as it was held.
 */
struct weft_trace *traces_hold(struct traces *traces, size_t index, struct weft_job *job,
                               struct weft_err *err) WEFT_MUST_CHECK;
void traces_release(struct traces *traces, size_t index, struct weft_trace *trace);

#endif
