/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "observe/perf_buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/schedule_layout.h"

/*
 * An ordinary user may lock 516 KiB for each processor (kernel.perf_event_mlock_kb): this
 * and the page before it.  It holds 16,384 switches, or 350 samples of the longest chains.
 */
enum { BUFFER_BYTES = 512 * 1024 };

/*
 * Only functions of x86-64 are unwound by what is on the stack, and only its loops are
 * examined.
 */
#ifdef __x86_64__
# include <asm/perf_regs.h>
enum { STACK_TOP = PERF_SAMPLE_STACK_USER, REGISTERS = PERF_SAMPLE_REGS_USER };
/* All but the address of the instruction, which a sample has anyway, and the segments. */
# define REGISTER_MASK                                                                     \
  (0xff | UINT64_C(1) << PERF_REG_X86_FLAGS | UINT64_C(0xff) << PERF_REG_X86_R8)
#else
enum { STACK_TOP = 0, REGISTERS = 0 };
# define REGISTER_MASK 0
#endif

/* Returns the descriptor of the EVENT of one processor; -1 with errno. */
static int open_event(struct perf_event_attr *event, pid_t child, int processor)
{
    return (int)syscall(SYS_perf_event_open, event, child, processor, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

static int open_switches(pid_t child, int processor)
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
        .mmap = 1,
        .mmap2 = 1,
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

    return open_event(&attributes, child, processor);
}

/* Its records other than samples end like those of the switches. */
static int open_sampler(pid_t child, int processor, int64_t period_ns)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = (uint64_t)period_ns,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU
                       | PERF_SAMPLE_CALLCHAIN | REGISTERS | STACK_TOP,
        .sample_regs_user = REGISTER_MASK,
        .sample_id_all = 1,
        .sample_max_stack = WEFT_SCHEDULE_CHAIN,
        .sample_stack_user = STACK_TOP ? WEFT_SCHEDULE_STACK : 0,
        .inherit = 1,
        .disabled = 1,
        .enable_on_exec = 1,
        .exclude_kernel = 1,
        .exclude_callchain_kernel = 1,
        .exclude_hv = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = BUFFER_BYTES / 2,
    };

    return open_event(&attributes, child, processor);
}

static bool open_buffer(struct buffer *buffer, pid_t child, int processor)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *map;

    buffer->sampler = -1;
    buffer->processor = processor;
    buffer->event = open_switches(child, processor);
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

/* WHAT: "when threads ran". */
static bool fail(struct weft_err *err, int error, const char *what)
{
    if ((error == EACCES || error == EPERM) && paranoid() > 2)
        return weft_fail(err, WEFT_ERR_READ,
                         "the kernel tells nobody but root %s "
                         "(kernel.perf_event_paranoid is %d; 2 is enough)",
                         what, paranoid());
    return weft_fail(err, WEFT_ERR_READ, "the kernel does not tell %s: %s", what,
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
            fail(err, errno, "when threads ran");
            if (buffers->items[buffers->n].event >= 0)
                close(buffers->items[buffers->n].event);
            buffers_close(buffers);
            return false;
        }
    }
    return true;
}

static void close_samplers(struct buffers *buffers)
{
    for (size_t i = 0; i < buffers->n; i++) {
        if (buffers->items[i].sampler >= 0)
            close(buffers->items[i].sampler);
        buffers->items[i].sampler = -1;
    }
}

bool buffers_sample(struct buffers *buffers, pid_t child, int64_t period_ns,
                    struct weft_err *err)
{
    for (size_t i = 0; i < buffers->n; i++) {
        struct buffer *buffer = &buffers->items[i];
        buffer->sampler = open_sampler(child, buffer->processor, period_ns);
        if (buffer->sampler < 0
            || ioctl(buffer->sampler, PERF_EVENT_IOC_SET_OUTPUT, buffer->event) != 0) {
            fail(err, errno, "what threads executed");
            close_samplers(buffers);
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

    close_samplers(buffers);
    for (size_t i = 0; i < buffers->n; i++) {
        munmap(buffers->items[i].page, page + buffers->bytes);
        close(buffers->items[i].event);
    }
    free(buffers->items);
    *buffers = (struct buffers){ 0 };
}
