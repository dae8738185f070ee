/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording: the folder that `weft record` and the preloaded libraries write, byte by
 * byte.  It is read once, by the join that makes a .weft store of it; little-endian.
 *
 *     recording          text: the line WEFT_RECORDING_MAGIC, then lines KEY=VALUE
 *     h-<host>-<boot>/   one machine: its name, and the beginning of its boot identifier
 *         l<pid>-<n>     a log: all that one executed program did, with the processes that
 *                        were forked from it, and with the programs that these executed
 *                        when they could make no log any more
 *         x<pid>-<errno> empty: this process could make no log, for this reason
 *
 * Several such folders, each written on the disk of its own machine, are joined as one.
 *
 * All threads and forked processes share one file, because a process opens it once, at its
 * start, and may then change its user, its root, or its permissions (seccomp); because its
 * children inherit the open file; and because a file for each thread would be most of the
 * cost of a short thread.
 *
 * A log is struct weft_log_head in its first WEFT_PIECE_ALIGN bytes, then pieces.  A
 * process takes room for a piece by adding to the head's `end`.  Each begins at a multiple
 * of WEFT_PIECE_ALIGN with a struct weft_piece; space that does not begin with
 * WEFT_PIECE_MAGIC was allocated but not used, up to the next multiple.
 *
 *     process  struct weft_process_header   one process image: begun by exec or by fork
 *     threads  struct weft_thread_header[]  of a process, in any order
 *     maps     text                         of /proc/self/maps, cut anywhere: all copies of
 *                                           a process one after the other, as the map
 *                                           changed
 *     buffer   records                      mapped; one thread writes here; when it has
 *                                           ended, another one goes on behind its records
 *     stream   records                      what was in a buffer when that was full
 *
 * The records written through a buffer are one sequence of bytes: its stream pieces in
 * order of `base`, up to byte `drained`, followed by the buffer's own bytes if its base
 * equals drained.  The bytes from a thread's `begin` to that of the buffer's next thread
 * are that thread's.  Bytes in no piece were lost.  A buffer is drained in this order, so
 * that a kill at any point loses and repeats nothing: write the stream piece; set drained
 * (the buffer now counts as empty); clear the buffer; set base (it counts again).
 *
 * A record is one or more 64-bit words.  The first one:
 *
 *     bits  0-31  low half of the time, in ticks of the process's clock
 *     bits 32-40  kind: number of the family << 5 | number in the family
 *     bits 41-43  words that follow; WEFT_WORDS_LONG: as many as the argument says
 *     bits 44-63  argument
 *
 * So a reader can skip records of unknown families.  Text is always last, and is padded
 * with zero bytes to whole words.
 *
 * The buffer is clear where nothing has been written yet: a first word of 0 is a hole of 8
 * bytes.  A record of several words is a WEFT_RECORD_HOLE of its length until it is
 * complete: its first word is stored as a hole first, and overwritten with the real one
 * last.
 *
 * The high half of the time follows from the record before, by the nearest fit; a thread
 * that was silent for long writes WEFT_RECORD_TIME first.  Records of one thread may run
 * backwards by a little (signal handlers).
 *
 * Objects and call sites: WEFT_RECORD_PAIR defines a slot number from here on.
 * Names: WEFT_RECORD_NAME defines a name's number, for the whole process image and the
 * images forked from it later.
 */
#ifndef WEFT_FORMAT_RECORDING_LAYOUT_H
#define WEFT_FORMAT_RECORDING_LAYOUT_H

#include <stdint.h>

#include "format/record_family_numbers.h"

/*
 * The first line of the file "recording"; the first 8 bytes of a log, of each piece in use,
 * and of each entry in use of a table of threads.
 */
#define WEFT_RECORDING_MAGIC "WEFT recording 3"
#define WEFT_LOG_MAGIC       UINT64_C(0x334c544645570a89)
#define WEFT_PIECE_MAGIC     UINT64_C(0x3350544645570a89)
#define WEFT_THREAD_MAGIC    UINT64_C(0x3354544645570a89)

/*
 * Key of a line in the file "recording": its value says why the program cannot be recorded,
 * if that was known before it started.
 */
#define WEFT_RECORDING_OBSTACLE "obstacle"

/* Environment variable of the traced program: the folder of the recording. */
#define WEFT_RECORD_DIR_VARIABLE "WEFT_RECORD_DIR"
/*
 * Environment variable: the state that a program hands over to one that it executes
 * (record/process/handover.h).
 */
#define WEFT_RECORD_LOG_VARIABLE "WEFT_RECORD_LOG"

/* Sizes in a recording. */
enum {
    WEFT_PIECE_ALIGN = 4096,    /* bytes: the smallest page size */
    WEFT_BUFFER_PIECE = 65536,  /* bytes of a buffer with its two struct weft_piece */
    WEFT_THREADS_PIECE = 65536, /* bytes of a table of threads but a process's first one */
    /* Slots of a thread (numbers for pairs of object and site): at most, and at first. */
    WEFT_LOG_SLOTS = 16384,
    WEFT_LOG_SLOTS_FIRST = 1024,
    WEFT_LOG_HANDLER_SLOT = WEFT_LOG_SLOTS, /* for a single event, in signal handlers */
    WEFT_PROCESS_TEXT = 2048, /* bytes of a process's arguments; more are cut */
    WEFT_PROGRAM_TEXT = 64,   /* bytes of a program's name */
    WEFT_HOST_TEXT = 64,      /* POSIX allows names of hosts 64 bytes on Linux */
    WEFT_BOOT_TEXT = 40,      /* a UUID as text is 36 */
    WEFT_FOLDER_TEXT = 505,   /* bytes of the path of a recording's folder, with the NUL */
    WEFT_CLOCK_SAMPLES = 32,  /* kept between the first and the last of a process image */
};

/* The beginning of a log, the file of one program and the processes forked from it. */
struct weft_log_head {
    uint64_t magic; /* WEFT_LOG_MAGIC */
    uint64_t end;   /* bytes of the file allocated so far */
    uint64_t lost;  /* lost events of processes that have no piece of their own */
};

/* The kinds of pieces of a log, and what each holds. */
enum weft_piece_kind {
    WEFT_PIECE_PROCESS = 1, /* struct weft_process_header: one process image */
    WEFT_PIECE_THREADS,     /* struct weft_thread_header[]: threads of a process */
    WEFT_PIECE_MAPS,        /* a part of the copies of /proc/self/maps of a process */
    WEFT_PIECE_BUFFER,      /* records; mapped: one thread at a time writes here */
    WEFT_PIECE_STREAM,      /* records that were in a buffer when it was full */
};

/* The header of a piece of a log; the bytes of the piece follow. */
struct weft_piece {
    uint64_t magic; /* WEFT_PIECE_MAGIC; stored last, when the rest is complete */
    uint32_t kind;  /* enum weft_piece_kind */
    uint32_t taken; /* threads: entries allocated, may exceed the capacity; else 0 */
    uint64_t size;  /* size in the file, including this; a multiple of WEFT_PIECE_ALIGN */
    /* bytes used after this; threads: room for entries; buffer: of records, as of the last
       end of a thread */
    uint64_t bytes;
    /* offset in the file of its process's piece; stream: of its buffer's piece; of a
       process's own piece: 0 */
    uint64_t of;
    uint64_t base;    /* maps, buffer, stream: position of its first byte in the sequence */
    uint64_t drained; /* buffer: bytes of the sequence that are in stream pieces, or lost */
    uint64_t ended;   /* threads: entries whose thread has ended */
};

/*
 * Bytes of records in a buffer.  Two struct weft_piece precede them: the buffer's own, and
 * that of the stream piece that is written out with them.
 */
enum { WEFT_LOG_BUFFER = WEFT_BUFFER_PIECE - 2 * (int)sizeof(struct weft_piece) };

/*
 * Readings of several clocks at about one moment: `ticks` was read within error_ticks of
 * monotonic_ns.
 */
struct weft_clock_sample {
    uint64_t ticks; /* of the process's clock (enum weft_clock_source); 0: no sample */
    int64_t monotonic_ns; /* CLOCK_MONOTONIC */
    int64_t realtime_ns;  /* time of day: CLOCK_REALTIME, since 1970 */
    uint64_t error_ticks;
};

/* The clock whose ticks stamp records: ns of CLOCK_MONOTONIC, or the time-stamp counter. */
enum weft_clock_source { WEFT_CLOCK_MONOTONIC_NS = 0, WEFT_CLOCK_TSC = 1 };

/* The content of a piece WEFT_PIECE_PROCESS: a process image, begun by exec or by fork. */
struct weft_process_header {
    uint64_t image; /* ticks when it began: with the pid, identifies the image */
    uint32_t pid;
    uint32_t parent_pid;       /* as getppid() returned when the image began */
    uint64_t forked_image;     /* `image` of the one that it was forked from ... */
    uint32_t forked_pid;       /* ... and its pid; 0: it was executed, not forked */
    uint32_t forked_thread;    /* ordinal, in that image, of the forking thread */
    uint32_t names_inherited;  /* names numbered 1 to this are those of forked_image */
    uint32_t clock;            /* enum weft_clock_source: with boot, its clock domain */
    char host[WEFT_HOST_TEXT]; /* name of the machine */
    char boot[WEFT_BOOT_TEXT]; /* identifier of this boot of the machine, or empty */
    uint64_t pid_namespace;    /* in which pid is unique; 0: unknown */
    uint32_t families;         /* bit 1 << number of each family that records */
    uint32_t exited;           /* 1: it ended by exit() or return from main */
    uint32_t full;      /* errno of the failure that ended recording early; 0: none */
    uint32_t n_samples; /* in samples[], besides first and last */
    struct weft_clock_sample first, last;                 /* last: the latest so far */
    struct weft_clock_sample samples[WEFT_CLOCK_SAMPLES]; /* between, in no order */
    uint64_t lost;          /* events that no thread's header could count */
    uint64_t spent;         /* processor time of recording besides events, in ticks */
    uint32_t event_cost;    /* of one event, in 1024ths of a tick; as measured */
    uint32_t threads;       /* ordinals given out so far: 0 to threads - 1 */
    uint32_t command_bytes; /* bytes used of command */
    char command[WEFT_PROCESS_TEXT]; /* arguments, each NUL-terminated */
    char program[WEFT_PROGRAM_TEXT]; /* its name; empty: the first word of command */
};

/* An entry of a piece WEFT_PIECE_THREADS: a thread, and where its records are. */
struct weft_thread_header {
    uint64_t magic;        /* WEFT_THREAD_MAGIC; stored last */
    uint32_t ordinal, tid; /* ordinal: its number in the process image, from 0 */
    uint64_t handle;       /* pthread_t */
    uint64_t first_ticks;  /* when its recording began */
    uint64_t buffer;       /* offset in the file of its buffer's piece */
    uint64_t begin;        /* byte of the buffer's sequence at which its records begin */
    uint64_t lost;         /* events that found no room */
    uint64_t ended;        /* 1: the thread's records are complete; else 0 */
};

/* Limits of records; a family is the records of one recorder library. */
enum {
    WEFT_KINDS_OF_FAMILY = 32,
    WEFT_WORDS_LONG = 7, /* more than six words follow: the argument is their number */
    WEFT_ARGUMENT_MAX = (1 << 20) - 1, /* largest argument of a record */
    WEFT_RECORD_WORDS_MAX = 128,       /* most words that a recorder puts into one record */
};

/* The first kind of the family with this number; its other kinds count from here. */
#define WEFT_FIRST_KIND(family) ((family)*WEFT_KINDS_OF_FAMILY)

/* The core's own kinds.  "+" is before each word after the first; site: return address. */
enum {
    /* nothing: it and its words are skipped */
    WEFT_RECORD_HOLE = WEFT_FIRST_KIND(WEFT_FAMILY_CORE),
    WEFT_RECORD_TIME,   /* + ticks: the full time, to which later records refer */
    WEFT_RECORD_PAIR,   /* slot | class << WEFT_PAIR_CLASS; + object + site.  The family
                           whose records use the slot defines the class */
    WEFT_RECORD_NAME,   /* + number + site + text */
    WEFT_RECORD_THREAD, /* + text: the thread's name from now on */
    WEFT_RECORD_THREAD_OTHER, /* + handle + text: another thread's name from now on */
    WEFT_RECORD_EXIT,         /* the thread ends: a few records may follow */
    WEFT_RECORD_CPU,          /* + nanoseconds of processor time that the thread has used */
    WEFT_RECORD_PROGRAM, /* + process id + site + text: that process becomes the program at
                                 this path.  Its own id: exec; 0: the call does not say */
    WEFT_RECORD_NO_PROGRAM, /* + process id, as in the program's record: it did not start */
    WEFT_RECORD_SHARER,     /* 1: the thread makes a child that shares its thread-local
                                 storage, and so writes into its log; 0: it failed to */
    WEFT_RECORD_CHILD_ENDED, /* + process id: a wait reported its end; argument: the
                                signal that ended it, or 0 */
    WEFT_RECORD_USAGE,       /* + thread id (0: this thread) + ns of processor time in the
                          program + ns in the kernel + page faults, minor and major: what
                          the kernel has counted of a thread that is about to end */
    WEFT_RECORD_CORE_KINDS,  /* number of these kinds */
};

/*
 * The argument of a WEFT_RECORD_PAIR has the slot, below WEFT_PAIR_SLOTS, in its low bits
 * and the class, below WEFT_CLASSES, from bit WEFT_PAIR_CLASS on.
 */
enum { WEFT_PAIR_CLASS = 15, WEFT_PAIR_SLOTS = 1 << WEFT_PAIR_CLASS, WEFT_CLASSES = 32 };

/*
 * Returns the first word of a record: low half of TICKS, KIND (below 512), number of WORDS
 * that follow (0 to 6; WEFT_WORDS_LONG: as many as ARGUMENT says) and ARGUMENT (0 to
 * WEFT_ARGUMENT_MAX); the caller must keep to these limits.
 */
static inline uint64_t weft_record_word(uint64_t ticks, uint32_t kind, uint32_t words,
                                        uint32_t argument)
{
    return (ticks & UINT32_MAX) | (uint64_t)kind << 32 | (uint64_t)words << 41
           | (uint64_t)argument << 44;
}

/*
 * weft_record_kind(), weft_record_argument(): return the kind and the argument in the first
 * WORD of a record.
 */
static inline uint32_t weft_record_kind(uint64_t word)
{
    return (uint32_t)(word >> 32) & 0x1ff;
}

static inline uint32_t weft_record_argument(uint64_t word)
{
    return (uint32_t)(word >> 44);
}

/* Returns the number of words that follow the first WORD of a record: below 2^20. */
static inline uint32_t weft_record_words(uint64_t word)
{
    uint32_t words = (uint32_t)(word >> 41) & 7;

    return words == WEFT_WORDS_LONG ? weft_record_argument(word) : words;
}

#endif
