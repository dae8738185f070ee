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

/*
 * Returns the descriptor of the EVENT of one processor, in the group of LEADER (-1: none);
 * -1 with errno.
 */
static int open_event(struct perf_event_attr *event, pid_t child, int processor, int leader)
{
    return (int)syscall(SYS_perf_event_open, event, child, processor, leader,
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

    return open_event(&attributes, child, processor, -1);
}

/* Its records other than samples end like those of the switches. */
static int open_sampler(pid_t child, int processor, int64_t period_ns, int leader)
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

    return open_event(&attributes, child, processor, leader);
}

/*
 * With inherit_stat each thread has counts of its own, which the kernel writes at its end.
 * To be quick, the kernel hands the events of a thread on to the next one that runs and
 * swaps their counts, pair by pair in the order of two lists.  The lists agree if all
 * events of a processor are in one group, opened one processor after the other.  A counter
 * of the processor cannot be in the group, which would not count at all where there is no
 * room for that; PERF_SAMPLE_READ, without a period, forbids the swap, from Linux 6.12 on.
 * Before that it is not allowed together with inherit: EINVAL.
 */
static int open_counter(pid_t child, int processor, const struct counter_wanted *counter,
                        int leader)
{
    bool software = counter->row->type == PERF_TYPE_SOFTWARE;
    struct perf_event_attr attributes = {
        .type = counter->row->type,
        .size = sizeof attributes,
        .config = counter->row->config,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU
                       | (software ? 0 : PERF_SAMPLE_READ),
        .sample_id_all = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID,
        .inherit = 1,
        .inherit_stat = 1,
        .disabled = 1,
        .enable_on_exec = 1,
        .exclude_kernel = !counter->kernel,
        .exclude_hv = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };

    return open_event(&attributes, child, processor, software ? leader : -1);
}

/* Opens the samples and counters of a processor, as far as the kernel has allowed them. */
static bool open_more(const struct buffers *buffers, struct buffer *buffer, pid_t child)
{
    if (buffers->sample_ns > 0) {
        buffer->sampler =
            open_sampler(child, buffer->processor, buffers->sample_ns, buffer->event);
        if (buffer->sampler < 0
            || ioctl(buffer->sampler, PERF_EVENT_IOC_SET_OUTPUT, buffer->event) != 0)
            return false;
    }
    for (unsigned i = 0; i < WEFT_SCHEDULE_COUNTERS; i++) {
        const struct counter_wanted *wanted = &buffers->counters[i];
        if (!wanted->row)
            continue;
        buffer->counters[i] = open_counter(child, buffer->processor, wanted, buffer->event);
        if (buffer->counters[i] < 0
            || ioctl(buffer->counters[i], PERF_EVENT_IOC_SET_OUTPUT, buffer->event) != 0)
            return false;
    }
    return true;
}

static bool open_buffer(const struct buffers *buffers, struct buffer *buffer, pid_t child,
                        int processor)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *map;

    buffer->sampler = -1;
    memset(buffer->counters, 0xff, sizeof buffer->counters);
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
    return open_more(buffers, buffer, child);
}

static void close_buffer(struct buffer *buffer)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (unsigned i = 0; i < WEFT_SCHEDULE_COUNTERS; i++)
        if (buffer->counters[i] >= 0)
            close(buffer->counters[i]);
    if (buffer->sampler >= 0)
        close(buffer->sampler);
    if (buffer->page)
        munmap(buffer->page, page + BUFFER_BYTES);
    if (buffer->event >= 0)
        close(buffer->event);
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

    buffers->bytes = BUFFER_BYTES;
    buffers->items = weft_zalloc((size_t)processors, sizeof *buffers->items);
    for (int i = 0; i < processors; i++) {
        struct buffer *buffer = &buffers->items[buffers->n];
        if (open_buffer(buffers, buffer, child, i)) {
            buffers->n++;
            buffers->processors = (uint32_t)i + 1;
            continue;
        }
        int error = errno;
        close_buffer(buffer);
        *buffer = (struct buffer){ 0 };
        if (error != ENODEV) { /* ENODEV: that processor is offline */
            fail(err, error, "when threads ran");
            buffers_close(buffers);
            return false;
        }
    }
    return true;
}

bool buffers_sample(struct buffers *buffers, pid_t child, int64_t period_ns,
                    struct weft_err *err)
{
    int tried = open_sampler(child, -1, period_ns, -1);

    if (tried < 0)
        return fail(err, errno, "what threads executed");
    close(tried);
    buffers->sample_ns = period_ns;
    return true;
}

int buffers_count(struct buffers *buffers, pid_t child, unsigned number,
                  const struct weft_counter_row *row, bool kernel)
{
    struct counter_wanted wanted = { row, kernel };
    int tried = open_counter(child, -1, &wanted, -1);

    if (tried < 0)
        return errno;
    close(tried);
    buffers->counters[number] = wanted;
    return 0;
}

bool buffers_total(const struct buffers *buffers, size_t index, unsigned number,
                   struct weft_schedule_total *total)
{
    uint64_t values[3]; /* by the event's read_format */
    int counter = buffers->items[index].counters[number];

    if (counter < 0 || read(counter, values, sizeof values) != sizeof values)
        return false;
    *total = (struct weft_schedule_total){ .type = WEFT_SCHEDULE_TOTAL,
                                           .size = sizeof *total,
                                           .value = values[0],
                                           .running_ns = values[1],
                                           .id = values[2] };
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
    for (size_t i = 0; i < buffers->n; i++)
        close_buffer(&buffers->items[i]);
    free(buffers->items);
    *buffers = (struct buffers){ 0 };
}
