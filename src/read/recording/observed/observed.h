/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of weft record from outside the program (format/schedule_layout.h): for
 * each thread of it when it ran, on which processor, and looks at what it was blocked in.
 */
#ifndef WEFT_READ_RECORDING_OBSERVED_H
#define WEFT_READ_RECORDING_OBSERVED_H

#include "base/memory.h"
#include "format/schedule_layout.h"

struct recording;
struct stream; /* read/recording/logs/files.h */

/* How a thread's state changes by a switch that the kernel reported. */
enum observed_change {
    OBSERVED_IN,        /* the thread runs from here on */
    OBSERVED_OUT,       /* it is blocked from here on */
    OBSERVED_PREEMPTED, /* it could run, and another thread got its processor */
    OBSERVED_LOST,      /* records were lost: unknown from here on */
};

/* One change of a thread on a processor, as the kernel reported it. */
struct observed_switch {
    int64_t time; /* ns of CLOCK_MONOTONIC */
    uint32_t processor;
    enum observed_change change;
};

/* A thread of the program as it was observed from outside; in struct observed. */
struct observed_thread {
    uint32_t pid, tid;
    uint32_t parent_pid; /* of the process's creator; 0: unknown */
    uint32_t process;    /* index of the first thread of the process among the threads */
    int64_t begin, end;  /* of its life, as far as it was observed */
    char name[16];       /* the last that it had */
    bool named;          /* NAME is its own: not inherited from its creator */
    struct observed_switch *switches; /* [n_switches], in order of time; heap */
    size_t n_switches, switches_capacity;
    const struct weft_schedule_look **looks; /* [n_looks], in order of time; heap */
    size_t n_looks, looks_capacity;
    uint32_t container; /* of the thread in the store, once it is written; or WEFT_NONE */
    uint32_t later;     /* index of a later thread with the same tid, or WEFT_NONE */
    /* The first stream of the recording that is this thread's, or NULL. */
    const struct stream *stream;
};

/* The observations in one file; observed_read() fills it, observed_free() frees it. */
struct observed {
    const struct weft_schedule_head *head; /* in the mapped file */
    uint32_t log, folder;                  /* the file's indices in the recording */
    struct observed_thread *threads;       /* in order of begin; heap */
    size_t n_threads, threads_capacity;
    uint64_t lost; /* records that found no room in the kernel's buffers */
    bool damaged;  /* the file ends within a record, or has a wrong one */
};

/*
 * Reads the SIZE bytes of a file of observations at DATA, which must stay mapped, into
 * *OBSERVED, except for `log` and `folder`.  Returns false, with nothing to free, if the
 * file does not begin as it must.  A damaged rest is left out, and sets `damaged`.
 */
bool observed_read(struct observed *observed, const void *data, size_t size);
/* Frees the threads of OBSERVED, not OBSERVED itself; the file stays mapped. */
void observed_free(struct observed *observed);

/*
 * Adds to the recording's images and streams the processes and threads that were observed
 * by the kernel's switches and not recorded from inside; their streams have no records.
 * Call it before images get their processes.
 */
void observed_add_processes(struct recording *recording);
/*
 * Sets stream->observed, the observations of the stream's thread, of all streams of the
 * recording whose threads were observed: same machine, thread id and time of life.  Call it
 * when the clocks are fitted.
 */
void observed_relate(struct recording *recording);

#endif
