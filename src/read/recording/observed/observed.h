/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what weft record observed from outside the program (format/schedule_layout.h): when
 * each thread ran, on which processor, what it was blocked in, and samples of what it
 * executed.  Relates it to what was recorded inside.  Times are ns of CLOCK_MONOTONIC.
 */
#ifndef WEFT_READ_RECORDING_OBSERVED_H
#define WEFT_READ_RECORDING_OBSERVED_H

#include "base/hash_map.h"
#include "base/memory.h"
#include "format/schedule_layout.h"

struct recording;
struct stream; /* read/recording/logs/load_recording.h */

/* The state of a thread from a switch on, until its next one. */
enum observed_change {
    OBSERVED_IN,        /* it runs */
    OBSERVED_SPINNING,  /* it runs, and polls memory (join/spins.h) */
    OBSERVED_OUT,       /* it is blocked */
    OBSERVED_PREEMPTED, /* it could run, but has no processor: it is ready */
    OBSERVED_LOST,      /* unknown: records were lost, or the observation ended */
    OBSERVED_MIXED,     /* more than one of run, ready and blocked, at unknown times */
};

/* No processor has this number, or a higher one. */
enum { OBSERVED_NO_PROCESSOR = UINT16_MAX + 1 };

/*
 * A change of a thread: a switch that the kernel recorded; or, where it records none, what
 * its counts in /proc, which weft record reads in rounds, say of the time between two
 * rounds (then the processor is not known).
 */
struct observed_switch {
    int64_t time;       /* ns of CLOCK_MONOTONIC */
    uint32_t processor; /* its number; OBSERVED_NO_PROCESSOR: not known; OBSERVED_LOST: the
                           one whose records were lost */
    enum observed_change change;
};

/* A count of a performance counter, of one thread or of all. */
struct observed_count {
    uint64_t value;
    uint64_t running_ns; /* time on a processor in which it counted */
};

/* A performance counter; element of observed->counters. */
struct observed_counter {
    char name[24]; /* "": nobody asked for it */
    int error;     /* errno with which the kernel refused it; 0: it counted */
    bool ended;    /* the observer lived to write `total`, of all threads */
    struct observed_count total;
};

/* A thread of the program as it was observed from outside; in observed->threads. */
struct observed_thread {
    uint32_t pid, tid; /* in the namespace of the file's head */
    uint32_t
        parent_pid; /* of a main thread's process: its creator's pid; else, or unknown: 0 */
    uint32_t process;   /* index in observed->threads of its process's main thread; if that
                            was not observed, its own index */
    int64_t begin, end; /* its first and last record: its life as far as it was observed */
    bool lives;         /* it had not ended when the kernel's records ended; in rounds,
                            without these records, always false */
    char name[16];      /* its last, cut to 15 bytes; else its creator's, or "" */
    bool named;         /* `name` is its own: not inherited from its creator */
    struct observed_switch *switches; /* [n_switches], in order of time; heap */
    size_t n_switches, switches_capacity;
    const struct weft_schedule_look **looks; /* [n_looks], in order of time; heap */
    size_t n_looks, looks_capacity;
    const struct weft_schedule_place **samples; /* [n_samples], in order of time; heap */
    size_t n_samples, samples_capacity;
    /* by number of the counter: what it counted of the thread's whole life */
    struct observed_count counts[WEFT_SCHEDULE_COUNTERS];
    const struct weft_schedule_usage *usage; /* the latest; NULL: none */
    uint8_t counted;                         /* bits 1 << number: this count is known */
    uint32_t container; /* of the thread in the store, once processors_write() has met it;
                           WEFT_NONE before */
    uint32_t later;     /* index of the next later thread with the same tid, or WEFT_NONE */
    /*
     * The first of the streams that were recorded inside this thread (one for each program
     * that it executed); NULL before observed_relate(), and if there is none.
     */
    const struct stream *stream;
};

/*
 * Body of PERF_RECORD_MMAP2, behind its header; a NUL-terminated path follows, then the
 * sample identifier.
 */
struct observed_memory {
    uint32_t pid, tid;
    uint64_t begin, size, offset; /* addresses, and the offset of the first in the file */
    uint32_t major, minor;        /* the device with the file */
    uint64_t inode, generation;   /* the file on it */
    uint32_t protection, flags;   /* as of mmap() */
};

/* A process mapped a file as executable memory, or (no record) executed a program. */
struct observed_mapping {
    int64_t time;    /* ns of CLOCK_MONOTONIC */
    uint32_t thread; /* index of the main thread of its process (`process` of the thread) */
    const unsigned char *record; /* PERF_RECORD_MMAP2 in the mapped file; NULL: execve() */
};

/* The observations in one file; observed_read() fills it, observed_free() frees it. */
struct observed {
    const struct weft_schedule_head *head; /* in the mapped file */
    uint32_t log, folder;            /* the file, as in struct image; set by the caller */
    struct observed_thread *threads; /* in order of begin; heap */
    size_t n_threads, threads_capacity;
    struct observed_mapping *mappings; /* [n_mappings], by process, then time; heap */
    size_t n_mappings, mappings_capacity;
    struct observed_counter counters[WEFT_SCHEDULE_COUNTERS];
    struct weft_id_map counter_ids; /* the kernel's id of a counter on a processor: number;
                                       empty after observed_read() */
    uint64_t lost; /* records, of any kind, that found no room in the kernel's buffers */
    bool damaged;  /* the file ends within a record, or has a wrong one */
};

/*
 * Reads the SIZE bytes of a file of observations at DATA, which must be aligned to 8 and
 * stay mapped as long as *OBSERVED is used, into *OBSERVED; `log` and `folder` become 0.
 * Returns false, with nothing to free, if the file's head is not valid.  From the first
 * damaged record on the rest is left out, and `damaged` is set; that is no failure.
 */
bool observed_read(struct observed *observed, const void *data, size_t size);
/*
 * Returns the WEFT_SCHEDULE_REGISTERS registers of a sample of a thread of 64 bits; NULL if
 * the sample has none.  PLACE must be one of thread->samples.
 */
const uint64_t *observed_registers(const struct weft_schedule_place *place);
/*
 * Returns the copy of the top of the thread's stack in a sample, from its stack pointer on,
 * and sets *SIZE to its bytes; 0 if the sample has none, then the result is not to be read.
 * PLACE must be one of thread->samples: the record's header before it is read, too.
 */
const unsigned char *observed_top_of_stack(const struct weft_schedule_place *place,
                                           size_t *size);
/*
 * Frees the threads and mappings of OBSERVED, not OBSERVED itself; the file stays mapped.
 */
void observed_free(struct observed *observed);

/* thread_counters.c, for observed_read() */
/* Takes a counter on a processor, or its refusal. */
void observed_add_counter(struct observed *observed,
                          const struct weft_schedule_counter *record);
/* Adds what a counter counted of all threads on one processor. */
void observed_add_total(struct observed *observed,
                        const struct weft_schedule_total *record);
/* Adds what a counter counted of THREAD on one processor. */
void observed_add_read(struct observed *observed, struct observed_thread *thread,
                       const struct weft_schedule_read *record);
/* Completes the counts, after all records; forgets them if records were lost. */
void observed_finish_counters(struct observed *observed);

/*
 * Adds an image for each process, and a stream without records for each thread, that was
 * observed and not recorded from inside (no recorded image of the machine has its process
 * id).  Call it when all logs are loaded, before images get their processes.
 */
void observed_add_processes(struct recording *recording);
/*
 * Sets image->code of each image of the recording whose process was observed: the
 * executable memory of the program that the image is of, and when that program ran.  It is
 * linked into image->maps, so that maps_find() finds these mappings, too.  Others keep a
 * zeroed `code`.  Call it once, when forks are related and the clocks are fitted.
 */
void observed_relate_code(struct recording *recording);
/*
 * Returns true if the program of IMAGE (index in the recording) ran at TIME, in ns of
 * CLOCK_MONOTONIC, and had ADDRESS in executable memory, by its own mappings or those that
 * it was forked with.  Returns false for all addresses of an image that was not observed.
 */
bool observed_is_code(const struct recording *recording, uint32_t image, int64_t time,
                      uint64_t address);
/*
 * Sets stream->observed of each recorded stream whose thread was observed: on the same
 * machine a thread with the same id that lived, within 1 ms, when the stream began.  Adds
 * a stream without records (`outside`) for each observed thread of a recorded process that
 * no stream has the id of.  Sets thread->stream of all these threads.  Call it once, when
 * the clocks are fitted, and do not move the streams after it.
 */
void observed_relate(struct recording *recording);

#endif
