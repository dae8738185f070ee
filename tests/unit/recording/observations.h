/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of observations written record by record, as format/schedule_layout.h says, and
 * joined with a recording (synthetic.h).  The clock counts nanoseconds, so that a record's
 * number is its time.
 */
#ifndef WEFT_TESTS_OBSERVATIONS_H
#define WEFT_TESTS_OBSERVATIONS_H

#include <linux/perf_event.h>

#include "format/schedule_layout.h"
#include "synthetic.h"

enum { ROOM = 1 << 14 };

struct file {
    unsigned char bytes[ROOM];
    size_t size;
};

/* Appends SIZE bytes, which must fit. */
void put(struct file *file, const void *bytes, size_t size);
/* Returns a file with its head only: of the host "alpha", with two processors. */
struct file begin_file(void);
/* Appends a record of the kernel: header, body and sample identifier. */
void put_record(struct file *file, uint32_t type, uint16_t misc, const void *body,
                size_t size, struct weft_schedule_sample sample);

/* The `misc` of a switch: the thread got a processor, or lost it: blocked, or preempted. */
enum {
    IN = 0,
    OUT = PERF_RECORD_MISC_SWITCH_OUT,
    PREEMPTED = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
};
void put_switch(struct file *file, int64_t time, uint32_t processor, uint32_t pid,
                uint32_t tid, uint16_t misc);
/* TYPE: PERF_RECORD_FORK or PERF_RECORD_EXIT. */
void put_life(struct file *file, uint32_t type, int64_t time, uint32_t processor,
              uint32_t pid, uint32_t tid, uint32_t parent);
/* The thread executed a program of this NAME, of at most 7 bytes. */
void put_name(struct file *file, int64_t time, uint32_t pid, uint32_t tid,
              const char *name);

/* Joins a recording with this description and these observations. */
struct recorded trace_of(const char *description, const struct file *file);
/*
 * Returns the states of a container's track as "running 1000, ready 3000, end 4000"; valid
 * until the next call.
 */
const char *story(const struct recorded *recorded, const char *type, const char *name,
                  const char *states_type);

#endif
