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

/* The buffer of one processor. */
struct buffer {
    int processor;      /* its number */
    int event, sampler; /* descriptors of the switches and samples; sampler -1: none */
    struct perf_event_mmap_page *page; /* the kernel's page before the data: head, tail */
    const unsigned char *data;         /* mapped, buffers->bytes of them */
};

/*
 * The kernel's ring buffers of records about a process and all that it starts, one for each
 * processor; buffers_open() sets them up, buffers_close() frees what it owns.
 */
struct buffers {
    struct buffer *items; /* [n], of the processors online at buffers_open(); heap */
    size_t n;
    uint32_t processors; /* one more than the highest number of a processor in `items` */
    size_t bytes;        /* size of each buffer's data: a power of two */
};

/*
 * Sets *BUFFERS to one buffer for each online processor.  The kernel writes the switches,
 * names, begins, ends and executable mappings of process CHILD, from its next execve() on,
 * and of all threads and processes that it starts.  Returns false with *ERR (WEFT_ERR_READ)
 * and *BUFFERS zeroed if the kernel refuses.
 */
bool buffers_open(struct buffers *buffers, pid_t child, struct weft_err *err);
/*
 * Adds samples of the same threads to each buffer: where a thread is, its call chain and,
 * on x86-64, its registers and the top of its stack, for each PERIOD_NS (ns) of its
 * processor time.  Call it once after buffers_open(), before CHILD calls execve().  Returns
 * false with *ERR (WEFT_ERR_READ), and adds no samples, if the kernel refuses; the switches
 * stay.
 */
bool buffers_sample(struct buffers *buffers, pid_t child, int64_t period_ns,
                    struct weft_err *err);
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
