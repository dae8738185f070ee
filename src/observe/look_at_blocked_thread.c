/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "observe/look_at_blocked_thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "observe/blocking_system_calls.h"
#include "observe/proc_file.h"

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Parses "0 0x3 0x7ffc ... 0x7ffc0e 0x7f32c1", or "-1 0x7ffc0e 0x7f32c1". */
static bool parse_call(const char *text, struct weft_schedule_look *look)
{
    uint64_t numbers[8] = { 0 };
    char *end;
    int n = 0;

    look->call = strtoll(text, &end, 10);
    if (end == text)
        return false; /* "running" */
    for (text = end; n < 8; text = end) {
        numbers[n] = strtoull(text, &end, 16);
        if (end == text)
            break;
        n++;
    }
    if (n != 2 && n != 8)
        return false;
    if (n == 8)
        memcpy(look->arguments, numbers, sizeof look->arguments);
    look->stack_pointer = numbers[n - 2];
    look->program_counter = numbers[n - 1];
    return true;
}

static void read_descriptor(uint32_t pid, struct weft_schedule_look *look)
{
    const struct system_call *call = system_call(look->call);
    char path[64];
    ssize_t n;

    if (!call || call->descriptor < 0)
        return;
    snprintf(path, sizeof path, "/proc/%u/fd/%d", pid,
             (int)look->arguments[call->descriptor]);
    n = readlink(path, look->file, sizeof look->file - 1);
    look->file[n > 0 ? n : 0] = 0;
}

/*
 * Reads the stack of process PID from the stack pointer on, in two parts: the kernel reads
 * a part as a whole or not at all, and the stack may end at the page's end.
 */
static size_t read_stack(uint32_t pid, uint64_t pointer, unsigned char *stack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), first = page - pointer % page;
    struct iovec to = { stack, WEFT_SCHEDULE_LOOK_STACK };
    struct iovec parts[2];
    ssize_t n;

    if (pointer == 0 || pointer % 8 != 0)
        return 0;
    if (first > WEFT_SCHEDULE_LOOK_STACK)
        first = WEFT_SCHEDULE_LOOK_STACK;
    parts[0] = (struct iovec){ (void *)(uintptr_t)pointer, first };
    parts[1] = (struct iovec){ (void *)(uintptr_t)(pointer + first),
                               WEFT_SCHEDULE_LOOK_STACK - first };
    n = process_vm_readv((pid_t)pid, &to, 1, parts, 2, 0);
    return n > 0 ? (size_t)n / 8 * 8 : 0;
}

/*
 * Returns true if a thread is stopped, by a signal or a debugger: "1234 (name) T ...".  A
 * thread that is blocked, and in no system call, else waits for a page.
 */
static bool is_stopped(uint32_t pid, uint32_t tid)
{
    char path[64], text[512];
    const char *after;

    snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, tid);
    if (!proc_file_read(path, text, sizeof text))
        return false;
    after = strrchr(text, ')'); /* a name may have brackets */
    return after && after[1] == ' ' && (after[2] == 'T' || after[2] == 't');
}

bool look_at(uint32_t pid, uint32_t tid, struct look *look)
{
    struct weft_schedule_look *record = &look->record;
    char path[64], text[256];
    int64_t took;

    *record = (struct weft_schedule_look){
        .type = WEFT_SCHEDULE_LOOK, .pid = pid, .tid = tid, .time = now_ns()
    };
    snprintf(path, sizeof path, "/proc/%u/task/%u/syscall", pid, tid);
    if (!proc_file_read(path, text, sizeof text) || !parse_call(text, record))
        return false;
    /* A thread that stops itself is seen in the call by which it does. */
    if (!system_call(record->call) && is_stopped(pid, tid))
        record->call = WEFT_LOOK_STOPPED;
    read_descriptor(pid, record);
    record->size =
        (uint16_t)(sizeof *record + read_stack(pid, record->stack_pointer, look->stack));
    took = (now_ns() - record->time) / 1000 + 1;
    record->misc = took < UINT16_MAX ? (uint16_t)took : UINT16_MAX;
    return true;
}
