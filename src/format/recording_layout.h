/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording: the folder that `weft record` and the preloaded library write, byte by byte.
 * It is read once, by the join that makes a .weft of it; little-endian.
 *
 *     recording          text: the line WEFT_RECORDING_MAGIC, then lines KEY=VALUE
 *     p<pid>-<image>     struct weft_process_header: one process image (exec starts another)
 *     p<pid>-<image>.maps  copies of /proc/self/maps, one after the other as they changed
 *     t<pid>-<image>-<ordinal>  one thread:
 *
 *          0  struct weft_thread_header    4096 bytes with its padding, mapped shared
 *       4096  buffer                       WEFT_LOG_BUFFER bytes, mapped shared
 *        ...  stream                       what was in the buffer, drained by write()
 *
 * A thread's records are the first `drained` bytes of its stream, followed by the buffer's
 * when buffer_base equals drained.  The thread drains the buffer in this order, so that a
 * kill at any point loses and repeats nothing: write the stream; set drained (the buffer now
 * counts as empty); clear the buffer; set buffer_base (it counts again).  The buffer is clear
 * where nothing has been written yet, and a record's first word is stored last: a first word
 * of 0 is a hole of 8 bytes.
 *
 * A record is one or more 64-bit words.  The first one:
 *
 *     bits  0-31  low half of the time, in ticks of the recording's clock
 *     bits 32-39  enum weft_record
 *     bits 40-63  argument
 *
 * The high half of the time follows from the record before, by the nearest fit; a thread that
 * was silent for long writes WEFT_RECORD_TIME first.  Records of one thread may run backwards
 * by a little (signal handlers).
 *
 * Objects and call sites: WEFT_RECORD_PAIR says what a slot number means from here on.
 * Names: WEFT_RECORD_NAME says what a name's number means, in the whole process image and in
 * the images forked from it later.
 */
#ifndef WEFT_FORMAT_RECORDING_LAYOUT_H
#define WEFT_FORMAT_RECORDING_LAYOUT_H

#include <stdint.h>

#define WEFT_RECORDING_MAGIC "WEFT recording 1"
#define WEFT_PROCESS_MAGIC   UINT64_C(0x3150544645570a89)
#define WEFT_THREAD_MAGIC    UINT64_C(0x3154544645570a89)

/* Environment of the traced program. */
#define WEFT_RECORD_DIR_VARIABLE "WEFT_RECORD_DIR"

enum {
    WEFT_LOG_HEADER = 4096,
    WEFT_LOG_BUFFER = 65536,
    WEFT_LOG_SLOTS = 1024, /* pairs of object and site that a thread has at hand */
    WEFT_PROCESS_TEXT = 3072,
};

/* Where one clock stood when the others did. */
struct weft_clock_sample {
    uint64_t ticks;
    int64_t monotonic_ns;
    int64_t realtime_ns;
};

enum weft_clock_source { WEFT_CLOCK_MONOTONIC_NS = 0, WEFT_CLOCK_TSC = 1 };

struct weft_process_header {
    uint64_t magic;
    uint32_t pid, image;
    uint32_t parent_pid; /* of the operating system */
    uint32_t forked_pid,
        forked_image;         /* the image that it was forked from; pid 0: exec'd */
    uint32_t names_inherited; /* names below this are those of forked_image */
    uint32_t forked_thread;   /* ordinal of the forking thread */
    uint32_t clock;           /* enum weft_clock_source */
    struct weft_clock_sample first, last;
    uint32_t exited;        /* it ended by exit() or return from main */
    uint32_t full;          /* recording ended early: errno of the write that failed */
    uint64_t lost;          /* events that no thread's file could count */
    uint32_t threads;       /* ordinals given out so far */
    uint32_t command_bytes; /* arguments, each NUL-terminated */
    char command[WEFT_PROCESS_TEXT];
};

struct weft_thread_header {
    uint64_t magic;
    uint32_t pid, image, ordinal, tid;
    uint64_t handle; /* pthread_t */
    uint64_t first_ticks;
    uint64_t drained;     /* bytes of stream */
    uint64_t buffer_base; /* of the stream, that the buffer's content follows */
    uint64_t lost;        /* events that found no room */
    uint64_t ended;       /* the thread wrote all that it had to say */
};

enum weft_record {
    WEFT_RECORD_HOLE = 0,
    WEFT_RECORD_TIME,         /* + ticks */
    WEFT_RECORD_PAIR,         /* slot | class << 16; + object + site */
    WEFT_RECORD_NAME,         /* bytes; + number + site + text */
    WEFT_RECORD_THREAD,       /* bytes; + text: the thread's name from now on */
    WEFT_RECORD_THREAD_OTHER, /* bytes; + handle + text: another thread's name from now on */
    WEFT_RECORD_EXIT,         /* the thread ends */
    WEFT_RECORD_CPU,          /* + nanoseconds of processor time that the thread has used */

    WEFT_RECORD_CREATE, /* ordinal of the new thread; + site */
    WEFT_RECORD_JOIN,   /* blocks on a thread; + handle + site */
    WEFT_RECORD_JOINED, /* 1: it had ended */

    WEFT_RECORD_WAIT,    /* slot: blocks on it */
    WEFT_RECORD_GIVE_UP, /* slot: came back without (time-out, error) */
    WEFT_RECORD_ACQUIRE, /* slot: holds it; semaphore: took one */
    WEFT_RECORD_SHARE,   /* slot: holds it for reading */
    WEFT_RECORD_RELEASE, /* slot: about to give it back; semaphore: about to post */
    WEFT_RECORD_WAKE,    /* slot: woke up (condition), passed (barrier) */
    WEFT_RECORD_SIGNAL,  /* slot of a condition */
    WEFT_RECORD_BROADCAST,
    WEFT_RECORD_COUNT,   /* slot; + number: count of a semaphore, size of a barrier */
    WEFT_RECORD_DESTROY, /* slot */

    WEFT_RECORD_BEGIN,      /* name: region */
    WEFT_RECORD_BEGIN_TEXT, /* bytes; + site + text: region */
    WEFT_RECORD_END,
    WEFT_RECORD_INSTANT,    /* name */
    WEFT_RECORD_COUNTER,    /* name; + double */
    WEFT_RECORD_SEND,       /* name; + key + bytes */
    WEFT_RECORD_RECEIVE,    /* name; + key + bytes */
    WEFT_RECORD_TASK_BEGIN, /* name; + double: work */
    WEFT_RECORD_TASK_END,
    WEFT_RECORD_CALL,   /* enum weft_call; + site: a call that may sleep */
    WEFT_RECORD_RETURN, /* from it */
    WEFT_RECORD_KINDS,
};

/* What an object is: the class of a pair. */
enum weft_object {
    WEFT_OBJECT_MUTEX,
    WEFT_OBJECT_RWLOCK,
    WEFT_OBJECT_SPIN,
    WEFT_OBJECT_CONDITION,
    WEFT_OBJECT_SEMAPHORE,
    WEFT_OBJECT_BARRIER,
    WEFT_OBJECT_KINDS,
};

enum weft_call {
    WEFT_CALL_SLEEP,
    WEFT_CALL_POLL,
    WEFT_CALL_READ,
    WEFT_CALL_WRITE,
    WEFT_CALL_WAIT_CHILD,
    WEFT_CALL_KINDS,
};

static inline uint64_t weft_record_word(uint64_t ticks, enum weft_record kind, uint32_t arg)
{
    return (ticks & UINT32_MAX) | (uint64_t)kind << 32 | (uint64_t)arg << 40;
}

/* Words after the first one; those with text: that text's bytes are in the argument. */
static inline uint32_t weft_record_extra(enum weft_record kind, uint32_t arg)
{
    uint32_t text = (arg + 7) / 8;

    switch (kind) {
    case WEFT_RECORD_TIME:
    case WEFT_RECORD_CPU:
    case WEFT_RECORD_CREATE:
    case WEFT_RECORD_COUNT:
    case WEFT_RECORD_COUNTER:
    case WEFT_RECORD_TASK_BEGIN:
    case WEFT_RECORD_CALL: return 1;
    case WEFT_RECORD_PAIR:
    case WEFT_RECORD_JOIN:
    case WEFT_RECORD_SEND:
    case WEFT_RECORD_RECEIVE: return 2;
    case WEFT_RECORD_NAME: return 2 + text;
    case WEFT_RECORD_THREAD_OTHER:
    case WEFT_RECORD_BEGIN_TEXT: return 1 + text;
    case WEFT_RECORD_THREAD: return text;
    default: return 0;
    }
}

#endif
