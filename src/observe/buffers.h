/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's buffers of switches and samples, one for each processor. */
#ifndef WEFT_OBSERVE_BUFFERS_H
#define WEFT_OBSERVE_BUFFERS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct buffer {
    int processor;
    int event, sampler; /* descriptors; sampler -1: none */
    struct perf_event_mmap_page *page;
    const unsigned char *data;
};

struct buffers {
    struct buffer *items; /* [n], of the processors that are online */
    size_t n;
    uint32_t processors; /* one more than the highest number of a processor */
    size_t bytes;        /* of the data of each: a power of two */
};

/*
 * Opens a buffer for each processor with the switches of process CHILD, from its execve()
 * on, and of all that it starts.  Returns false with *ERR if the kernel refuses it.
 */
bool buffers_open(struct buffers *buffers, pid_t child, struct weft_err *err);
/*
 * Adds to each buffer the samples of what the same threads execute: one for each PERIOD_NS
 * that a thread has a processor.  Returns false with *ERR, and adds none, if the kernel
 * refuses it.
 */
bool buffers_sample(struct buffers *buffers, pid_t child, int64_t period_ns,
                    struct weft_err *err);
/*
 * Copies the records that have come into buffer INDEX since the last call to TO, which has
 * room for buffers->bytes, and gives their room back to the kernel.  Returns the bytes.
 */
size_t buffers_drain(struct buffers *buffers, size_t index, unsigned char *to);
/* Closes what buffers_open() opened, also after it has failed. */
void buffers_close(struct buffers *buffers);

#endif
