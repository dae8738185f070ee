/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file "schedule-HOST-PID" in the folder of a recording: what weft record observed from
 * outside the program, byte by byte; little-endian.  It begins with struct
 * weft_schedule_head.  Records follow, each with struct perf_event_header of
 * <linux/perf_event.h> (type, misc, size in bytes with the header; a multiple of 8):
 *
 * - records of the kernel as they came out of its buffers, one buffer after the other:
 *   PERF_RECORD_SWITCH, FORK, EXIT, COMM, MMAP2 (executable memory) and LOST, each with a
 *   sample identifier of PERF_SAMPLE_TID, TIME (CLOCK_MONOTONIC) and CPU at its end.  The
 *   records of one processor are in order of time;
 * - PERF_RECORD_SAMPLE among them: one for each `sample_ns` that a thread had a processor,
 *   unless it was in the kernel then.  It has struct weft_schedule_place and a call chain;
 * - WEFT_SCHEDULE_COUNTER: a performance counter; PERF_RECORD_READ among the records of the
 *   kernel: what one counted of a thread on one processor, at the thread's end (struct
 *   weft_schedule_read); WEFT_SCHEDULE_TOTAL: what one counted of all threads;
 * - WEFT_SCHEDULE_LOOK: what a blocked thread waits for;
 * - WEFT_SCHEDULE_ASKED, with PERF_RECORD_FORK, EXIT and COMM: where the kernel refused its
 *   records, what threads did by its counts, which were read in rounds.
 */
#ifndef WEFT_FORMAT_SCHEDULE_LAYOUT_H
#define WEFT_FORMAT_SCHEDULE_LAYOUT_H

#include <stdint.h>

#include "format/performance_counters.h"
#include "format/recording_layout.h"

/* How the names of these files begin, in the recording's folder, and the first 8 bytes. */
#define WEFT_SCHEDULE_PREFIX "schedule-"
#define WEFT_SCHEDULE_MAGIC  UINT64_C(0x3348435357454689)

/* Bytes, with the NUL, of a text why the kernel refuses something, and of a file's path. */
enum { WEFT_SCHEDULE_REFUSAL = 256, WEFT_SCHEDULE_TEXT = 104 };

/* The beginning of a file of observations. */
struct weft_schedule_head {
    uint64_t magic;         /* WEFT_SCHEDULE_MAGIC */
    uint64_t pid_namespace; /* to which the process and thread ids belong; 0: unknown */
    uint32_t pid;           /* of the first process observed */
    uint32_t processors;    /* one more than the highest number of a processor */
    int64_t sample_ns;      /* processor time of a thread between samples; 0: no samples */
    char host[WEFT_HOST_TEXT];           /* name of the machine */
    char boot[WEFT_BOOT_TEXT];           /* identifier of its boot (a UUID), or "" */
    char refused[WEFT_SCHEDULE_REFUSAL]; /* why there are no switches; "": there are */
    /* why there are no samples; "": there are, none were asked for, or `refused` says it */
    char unsampled[WEFT_SCHEDULE_REFUSAL];
};

/* The last bytes of each of the kernel's records but PERF_RECORD_SAMPLE. */
struct weft_schedule_sample {
    uint32_t pid, tid;
    int64_t time;               /* ns of CLOCK_MONOTONIC */
    uint32_t processor, unused; /* the processor's number */
};

/*
 * The first bytes of a PERF_RECORD_SAMPLE, behind its header.  N words follow: the address
 * that the thread was at and the return addresses of its callers, innermost first.  A word
 * from WEFT_SCHEDULE_CONTEXT on is no address; it says where the next ones are from (enum
 * perf_callchain_context).
 *
 * Behind them may be the thread's registers: a word 2 for a thread of 64 bits, 1 for one of
 * 32 bits, and WEFT_SCHEDULE_REGISTERS words; or a word 0, if there are more words behind
 * it.  Then there may be a copy of the top of the thread's stack, from its stack pointer
 * on: its size as a word, a multiple of 8, and unless that is 0 so many bytes, and as a
 * word how many of these were read.
 */
struct weft_schedule_place {
    uint64_t address; /* of the instruction that the thread was at */
    struct weft_schedule_sample sample;
    uint64_t n;
};

/* The least word of a call chain that is no address but an enum perf_callchain_context. */
#define WEFT_SCHEDULE_CONTEXT ((uint64_t)-4095)
/* Most addresses of a call chain: the kernel leaves out the outermost callers. */
enum { WEFT_SCHEDULE_CHAIN = 127 };
/*
 * Most bytes of the top of the stack that a sample has: enough for functions that have no
 * frame of their own.
 */
enum { WEFT_SCHEDULE_STACK = 256 };

/*
 * Registers of x86-64 behind a sample, in this order: rax, rbx, rcx, rdx, rsi, rdi, rbp,
 * rsp, the flags, r8 to r15.
 */
enum { WEFT_SCHEDULE_REGISTERS = 17 };
/* The word before the registers of a thread of 64 bits, of one of 32 bits. */
enum { WEFT_SCHEDULE_64_BITS = 2, WEFT_SCHEDULE_32_BITS = 1 };

/* Most bytes of the stack behind a look: those of the C library's functions, and more. */
enum { WEFT_SCHEDULE_LOOK_STACK = 2048 };

/*
 * Types of Weft's own records; the kernel numbers its types from 1.  _LOOK: a look at what
 * a blocked thread waits for (struct weft_schedule_look).  _ASKED: what a thread did
 * between two readings of the kernel's counts, where the kernel refused its own records
 * (struct weft_schedule_asked).  _COUNTER, _TOTAL and _USAGE: struct
 * weft_schedule_counter, weft_schedule_total and weft_schedule_usage.
 */
enum {
    WEFT_SCHEDULE_LOOK = 0x10000,
    WEFT_SCHEDULE_ASKED = 0x10001,
    WEFT_SCHEDULE_COUNTER = 0x10002,
    WEFT_SCHEDULE_TOTAL = 0x10003,
    WEFT_SCHEDULE_USAGE = 0x10004,
};

/*
 * In place of a system call's number, in struct weft_schedule_look: the thread waits for a
 * page of memory (in no call); a signal stopped it.
 */
enum { WEFT_LOOK_PAGE = -1, WEFT_LOOK_STOPPED = -2 };

/*
 * A look at a blocked thread, which began at `time` and took `misc` microseconds (65535: or
 * more): in which system call the thread was, with which arguments.  It holds for the
 * thread's interval off the processors if begin and end of the look both lie in that.  The
 * bytes behind the struct, up to `size` of the record, are the top of the thread's stack,
 * from `stack_pointer` on.
 */
struct weft_schedule_look {
    uint32_t type;       /* WEFT_SCHEDULE_LOOK */
    uint16_t misc, size; /* size: bytes of the record, this struct included */
    uint32_t pid, tid;
    int64_t time; /* ns of CLOCK_MONOTONIC */
    int64_t call; /* number of the system call, or WEFT_LOOK_PAGE or WEFT_LOOK_STOPPED */
    uint64_t arguments[6];
    uint64_t stack_pointer, program_counter;
    /* the file that the call's descriptor leads to ("/etc/passwd", "pipe:[7]"), cut; "":
       it has none, or that is unknown */
    char file[WEFT_SCHEDULE_TEXT];
};

/* A thread's activity between two rounds, by the kernel's counts. */
enum {
    WEFT_ASKED_RUNS,  /* it ran all the time */
    WEFT_ASKED_READY, /* it wanted a processor all the time */
    WEFT_ASKED_OFF,   /* it was blocked all the time */
    WEFT_ASKED_MIXED, /* more than one of these, at unknown times */
};

/* A record: thread TID did `change` from `time` on, until its next such record. */
struct weft_schedule_asked {
    uint32_t type;       /* WEFT_SCHEDULE_ASKED */
    uint16_t misc, size; /* misc: 0 */
    uint32_t pid, tid;
    /* ns of CLOCK_MONOTONIC: when the earlier of the two rounds read the thread's counts,
       or the thread began */
    int64_t time;
    uint32_t change, unused; /* WEFT_ASKED_RUNS, ... */
};

/*
 * The counters of a file: those of --counters in the order of its list, in user mode, and
 * behind these the page faults of threads, those in the kernel among them.
 */
enum {
    WEFT_SCHEDULE_FAULTS = WEFT_COUNTERS_MAX, /* number of the last counter */
    WEFT_SCHEDULE_COUNTERS,                   /* most counters */
};

/* A record: a performance counter on one processor, or that the kernel refuses it. */
struct weft_schedule_counter {
    uint32_t type;       /* WEFT_SCHEDULE_COUNTER */
    uint16_t misc, size; /* misc: 0 */
    uint32_t counter;    /* its number, below WEFT_SCHEDULE_COUNTERS */
    int32_t error;       /* errno of the refusal, for all processors; 0: it counts */
    uint64_t id;         /* the kernel's number for it on the one processor; 0 if refused */
    char name[24];       /* as in weft_counter_table, NUL-terminated */
};

/*
 * The body of PERF_RECORD_READ, behind its header; the sample identifier follows.  A
 * thread has one for each counter and processor, just after its PERF_RECORD_EXIT; but one
 * thread of all has none: the kernel moves the counters' first instance between threads.
 */
struct weft_schedule_read {
    uint32_t pid, tid;
    uint64_t value, running_ns; /* counted while the thread was on the processor so long */
    uint64_t id;
};

/* A record: what a counter counted on one processor of all threads, until the end. */
struct weft_schedule_total {
    uint32_t type;                  /* WEFT_SCHEDULE_TOTAL */
    uint16_t misc, size;            /* misc: 0 */
    uint64_t value, running_ns, id; /* as of weft_schedule_read */
};

/*
 * A record: how the kernel had divided the processor time of thread TID until `time`.  A
 * thread that has run for about a second has one, and then one for each twentieth that it
 * has run longer, so its latest record lacks little.
 */
struct weft_schedule_usage {
    uint32_t type;       /* WEFT_SCHEDULE_USAGE */
    uint16_t misc, size; /* misc: 0 */
    uint32_t pid, tid;
    int64_t time; /* ns of CLOCK_MONOTONIC */
    uint64_t user_ns, system_ns;
};

#endif
