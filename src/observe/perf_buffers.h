/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring buffers into which the kernel writes records of switches and samples
 * (perf_event_open), one for each processor.  Records that find no room are lost; the
 * kernel then writes a PERF_RECORD_LOST with their number.
 */
#ifndef WEFT_OBSERVE_PERF_BUFFERS_H
#define WEFT_OBSERVE_PERF_BUFFERS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "format/schedule_layout.h"

/* The buffer of one processor. */
struct buffer {
    int processor;      /* its number */
    int event, sampler; /* descriptors of the switches and samples; sampler -1: none */
    int counters[WEFT_SCHEDULE_COUNTERS]; /* descriptors, by number; -1: not counted */
    struct perf_event_mmap_page *page; /* the kernel's page before the data: head, tail */
    const unsigned char *data;         /* mapped, buffers->bytes of them */
};

/* A counter that the kernel allows. */
struct counter_wanted {
    const struct weft_counter_row *row; /* NULL: none */
    bool kernel;                        /* also of what happens in the kernel */
};

/*
 * The kernel's ring buffers of records about a process and all that it starts, one for each
 * processor.  Zeroed at first; buffers_open() sets them up, buffers_close() frees what they
 * own.
 */
struct buffers {
    struct buffer *items; /* [n], of the processors online at buffers_open(); heap */
    size_t n;
    uint32_t processors; /* one more than the highest number of a processor in `items` */
    size_t bytes;        /* size of each buffer's data: a power of two */
    int64_t sample_ns;   /* buffers_sample(); 0: no samples */
    struct counter_wanted counters[WEFT_SCHEDULE_COUNTERS]; /* buffers_count() */
};

/*
 * Asks for samples of the threads that buffers_open() will observe, in zeroed BUFFERS: the
 * place of a thread, its call chain and, on x86-64, its registers and the top of its stack,
 * for each PERIOD_NS (ns) of its processor time.  Returns false with *ERR (WEFT_ERR_READ),
 * and there will be no samples, if the kernel refuses.
 */
bool buffers_sample(struct buffers *buffers, pid_t child, int64_t period_ns,
                    struct weft_err *err);
/*
 * Asks for counts of ROW's events, likewise, as counter NUMBER (below
 * WEFT_SCHEDULE_COUNTERS): of those in user mode, with KERNEL of those in the kernel, too.
 * At each thread's end the kernel writes what it counted (struct weft_schedule_read).  ROW
 * is kept.  Returns 0; or errno, and there will be no counts, if the kernel refuses.
 */
int buffers_count(struct buffers *buffers, pid_t child, unsigned number,
                  const struct weft_counter_row *row, bool kernel);
/*
 * Opens one buffer for each online processor.  The kernel writes the switches, names,
 * begins, ends and executable mappings of process CHILD, from its next execve() on, and of
 * all threads and processes that it starts; and what was asked for before.  Returns false
 * with *ERR (WEFT_ERR_READ) and *BUFFERS zeroed if the kernel refuses.
 */
bool buffers_open(struct buffers *buffers, pid_t child, struct weft_err *err);
/*
 * Sets *TOTAL to what counter NUMBER has counted until now on the processor of
 * buffers->items[INDEX].  Returns false if it does not count there.
 */
bool buffers_total(const struct buffers *buffers, size_t index, unsigned number,
                   struct weft_schedule_total *total);
/*
 * Copies all whole records that the kernel has written into buffers->items[INDEX] since the
 * last call to TO, which has room for buffers->bytes, and gives their room back to the
 * kernel.  Does not wait.  Returns the number of bytes copied; 0: no record.
 */
size_t buffers_drain(struct buffers *buffers, size_t index, unsigned char *to);
/*
 * Unmaps and closes all buffers, which drops records not yet drained, and zeroes *BUFFERS.
 * Has no effect on zeroed BUFFERS, such as those of a failed buffers_open().
 */
void buffers_close(struct buffers *buffers);

#endif
