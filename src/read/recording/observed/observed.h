/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of weft record from outside the program (format/schedule_layout.h): for
 * each thread of it when it ran, on which processor, looks at what it was blocked in, and
 * samples of what it executed.
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
    OBSERVED_MIXED,     /* it ran at times from here on: only counts are known */
};

enum { OBSERVED_NO_PROCESSOR = UINT16_MAX + 1 };

/* One change of a thread on a processor, as the kernel reported it. */
struct observed_switch {
    int64_t time;       /* ns of CLOCK_MONOTONIC */
    uint32_t processor; /* OBSERVED_NO_PROCESSOR: not known */
    enum observed_change change;
};

/* A thread of the program as it was observed from outside; in struct observed. */
struct observed_thread {
    uint32_t pid, tid;
    uint32_t parent_pid; /* of the process's creator; 0: unknown */
    uint32_t process;    /* index of the first thread of the process among the threads */
    int64_t begin, end;  /* of its life, as far as it was observed */
    bool lives;          /* it had not ended when the kernel's records ended */
    char name[16];       /* the last that it had */
    bool named;          /* NAME is its own: not inherited from its creator */
    struct observed_switch *switches; /* [n_switches], in order of time; heap */
    size_t n_switches, switches_capacity;
    const struct weft_schedule_look **looks; /* [n_looks], in order of time; heap */
    size_t n_looks, looks_capacity;
    const struct weft_schedule_place **samples; /* [n_samples], in order of time; heap */
    size_t n_samples, samples_capacity;
    uint32_t container; /* of the thread in the store, once it is written; or WEFT_NONE */
    uint32_t later;     /* index of a later thread with the same tid, or WEFT_NONE */
    /* The first stream of the recording that is this thread's, or NULL. */
    const struct stream *stream;
};

/* Body of PERF_RECORD_MMAP2; a path follows, then the sample identifier. */
struct observed_memory {
    uint32_t pid, tid;
    uint64_t begin, size, offset; /* addresses, and the offset of the first in the file */
    uint32_t major, minor;
    uint64_t inode, generation;
    uint32_t protection, flags;
};

/* A process mapped a file as executable memory, or (no record) executed a program. */
struct observed_mapping {
    int64_t time;
    uint32_t thread; /* the thread that did; later the first thread of its process */
    const unsigned char *record; /* PERF_RECORD_MMAP2 in the mapped file; NULL: execve() */
};

/* The observations in one file; observed_read() fills it, observed_free() frees it. */
struct observed {
    const struct weft_schedule_head *head; /* in the mapped file */
    uint32_t log, folder;                  /* the file's indices in the recording */
    struct observed_thread *threads;       /* in order of begin; heap */
    size_t n_threads, threads_capacity;
    struct observed_mapping *mappings; /* [n_mappings], by process, then time; heap */
    size_t n_mappings, mappings_capacity;
    uint64_t lost; /* records that found no room in the kernel's buffers */
    bool damaged;  /* the file ends within a record, or has a wrong one */
};

/*
 * Reads the SIZE bytes of a file of observations at DATA, which must stay mapped, into
 * *OBSERVED, except for `log` and `folder`.  Returns false, with nothing to free, if the
 * file does not begin as it must.  A damaged rest is left out, and sets `damaged`.
 */
bool observed_read(struct observed *observed, const void *data, size_t size);
/*
 * Returns the top of the thread's stack in a sample, from its stack pointer on, and sets
 * *SIZE to its bytes: 0 if the sample has none.
 */
const unsigned char *observed_top_of_stack(const struct weft_schedule_place *place,
                                           size_t *size);
/* Frees the threads of OBSERVED, not OBSERVED itself; the file stays mapped. */
void observed_free(struct observed *observed);

/*
 * Adds to the recording's images and streams the processes and threads that were observed
 * by the kernel's switches and not recorded from inside; their streams have no records.
 * Call it before images get their processes.
 */
void observed_add_processes(struct recording *recording);
/*
 * Sets image->code of all images of the recording whose processes were observed: the
 * executable memory of the program that the image is of, and when that program ran.  Call
 * it when forks are related and the clocks are fitted.
 */
void observed_relate_code(struct recording *recording);
/*
 * Returns true if the program of IMAGE (an index) ran at TIME, ns of CLOCK_MONOTONIC, and
 * had ADDRESS in executable memory.
 */
bool observed_is_code(const struct recording *recording, uint32_t image, int64_t time,
                      uint64_t address);
/*
 * Sets stream->observed, the observations of the stream's thread, of all streams of the
 * recording whose threads were observed: same machine, thread id and time of life.  Call it
 * when the clocks are fitted.
 */
void observed_relate(struct recording *recording);

#endif
