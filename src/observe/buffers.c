/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "observe/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

/*
 * An ordinary user may lock 516 KiB for each processor (kernel.perf_event_mlock_kb): this
 * and the page before it.  It holds 16,384 switches.
 */
enum { BUFFER_BYTES = 512 * 1024 };

static int open_event(pid_t child, int processor)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
        .sample_id_all = 1,
        .context_switch = 1,
        .task = 1,
        .comm = 1,
        .comm_exec = 1,
        .inherit = 1,
        .disabled = 1,
        .enable_on_exec = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = BUFFER_BYTES / 2,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, child, processor, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

static bool open_buffer(struct buffer *buffer, pid_t child, int processor)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *map;

    buffer->event = open_event(child, processor);
    if (buffer->event < 0)
        return false;
    map = mmap(NULL, page + BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->event,
               0);
    if (map == MAP_FAILED)
        return false;
    buffer->page = map;
    buffer->data = (const unsigned char *)map + page;
    return true;
}

/* Returns the value of kernel.perf_event_paranoid; -1 if it cannot be read. */
static int paranoid(void)
{
    FILE *in = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int value = -1;

    if (in && fscanf(in, "%d", &value) != 1)
        value = -1;
    if (in)
        fclose(in);
    return value;
}

static void fail(struct weft_err *err, int error)
{
    if ((error == EACCES || error == EPERM) && paranoid() > 2)
        weft_fail(err, WEFT_ERR_READ,
                  "the kernel tells nobody but root when threads ran "
                  "(kernel.perf_event_paranoid is %d; 2 is enough)",
                  paranoid());
    else
        weft_fail(err, WEFT_ERR_READ, "the kernel does not tell when threads ran: %s",
                  strerror(error));
}

bool buffers_open(struct buffers *buffers, pid_t child, struct weft_err *err)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);

    *buffers = (struct buffers){ .bytes = BUFFER_BYTES,
                                 .items = weft_zalloc((size_t)processors,
                                                      sizeof *buffers->items) };
    for (int i = 0; i < processors; i++) {
        if (open_buffer(&buffers->items[buffers->n], child, i)) {
            buffers->n++;
            buffers->processors = (uint32_t)i + 1;
        } else if (errno != ENODEV) { /* ENODEV: that processor is offline */
            fail(err, errno);
            if (buffers->items[buffers->n].event >= 0)
                close(buffers->items[buffers->n].event);
            buffers_close(buffers);
            return false;
        }
    }
    return true;
}

size_t buffers_drain(struct buffers *buffers, size_t index, unsigned char *to)
{
    struct buffer *buffer = &buffers->items[index];
    uint64_t head = __atomic_load_n(&buffer->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = buffer->page->data_tail;
    size_t n = (size_t)(head - tail), at = (size_t)(tail % buffers->bytes);
    size_t first = n < buffers->bytes - at ? n : buffers->bytes - at;

    memcpy(to, buffer->data + at, first);
    memcpy(to + first, buffer->data, n - first);
    __atomic_store_n(&buffer->page->data_tail, head, __ATOMIC_RELEASE);
    return n;
}

void buffers_close(struct buffers *buffers)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < buffers->n; i++) {
        munmap(buffers->items[i].page, page + buffers->bytes);
        close(buffers->items[i].event);
    }
    free(buffers->items);
    *buffers = (struct buffers){ 0 };
}
