/* SPDX-License-Identifier: Apache-2.0 */
/* The observing thread: drains the kernel's buffers, and looks at blocked threads. */
#define _GNU_SOURCE
#include "observe/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "format/schedule_layout.h"
#include "observe/look_at_blocked_thread.h"
#include "observe/perf_buffers.h"
#include "observe/proc_polling.h"
#include "observe/processor_time.h"

enum {
    /*
     * Time between two visits to the buffers, while something happens and while nothing
     * does; and how long a thread has been off when it is looked at.  So a thread that is
     * blocked for a millisecond is looked at before it goes on.
     */
    PERIOD_NS = 500000,
    MAX_PERIOD_NS = 1000000,
    BLOCKED_NS = 300000,
    /*
     * Time between two searches for threads whose processor time is to be read, how long a
     * thread has run before that, and for which part longer until it is read again.
     */
    USAGE_NS = 50000000,
    MIN_USAGE_NS = 950000000,
    USAGE_PART = 20,
    LOOKS_A_VISIT = 4, /* about 10 microseconds each */
    LOOKS_A_WAIT = 4,  /* the kernel may call a blocked thread "running" at first */
    TURN_NS = 100000,  /* the shortest turn that the kernel gives */
    OUTPUT_BYTES = 256 * 1024,
    /*
     * Where there are no switches: time between two rounds, or many times what one costs.
     */
    ROUND_NS = 10000000,
    ROUND_COSTS = 33,
};

struct seen_thread { /* state of a thread by its latest record */
    uint32_t pid, tid;
    int64_t time;
    bool off;
    int64_t ran, asked; /* ns: until `time`, and when its processor time was last read */
};

struct blocked {     /* a thread to look at, unless it runs meanwhile */
    uint32_t thread; /* index of observer->threads */
    int64_t since, due;
    int looks; /* that failed */
};

struct observer {
    struct buffers buffers;
    struct rounds *rounds; /* instead of switches; NULL: there are switches */
    int file;
    int error; /* errno of the first failed write; 0: none */
    pthread_t thread;
    bool stop; /* accessed atomically */

    unsigned char *drained; /* [buffers.bytes] */
    unsigned char *output;  /* [OUTPUT_BYTES], n_output of them used */
    size_t n_output;

    int64_t usage_asked;       /* ns: when ask_usage() last looked at all threads */
    struct weft_id_map by_tid; /* tid: index of threads */
    struct seen_thread *threads;
    size_t n_threads, threads_capacity;
    struct blocked *queue; /* about in order of due; [first_queued, n_queued) is left */
    size_t first_queued, n_queued, queue_capacity;
};

static void write_all(struct observer *observer, const unsigned char *bytes, size_t n)
{
    while (n > 0 && observer->error == 0) {
        ssize_t written = write(observer->file, bytes, n);
        if (written < 0 && errno != EINTR)
            observer->error = errno;
        if (written > 0) {
            bytes += written;
            n -= (size_t)written;
        }
    }
}

static void flush(struct observer *observer)
{
    write_all(observer, observer->output, observer->n_output);
    observer->n_output = 0;
}

static void put(struct observer *observer, const void *bytes, size_t n)
{
    if (observer->n_output + n > OUTPUT_BYTES)
        flush(observer);
    if (n > OUTPUT_BYTES) {
        write_all(observer, bytes, n);
        return;
    }
    memcpy(observer->output + observer->n_output, bytes, n);
    observer->n_output += n;
}

static uint32_t find_thread(struct observer *observer, uint32_t pid, uint32_t tid)
{
    uint32_t index = weft_id_map_get(&observer->by_tid, tid);

    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)observer->n_threads++;
        observer->threads = weft_grow(observer->threads, &observer->threads_capacity,
                                      observer->n_threads, sizeof *observer->threads);
        observer->threads[index] = (struct seen_thread){ .tid = tid, .time = INT64_MIN };
        weft_id_map_put(&observer->by_tid, tid, index);
    }
    observer->threads[index].pid = pid;
    return index;
}

static void queue_look(struct observer *observer, struct blocked blocked)
{
    if (observer->first_queued > observer->n_queued / 2) {
        observer->n_queued -= observer->first_queued;
        memmove(observer->queue, observer->queue + observer->first_queued,
                observer->n_queued * sizeof *observer->queue);
        observer->first_queued = 0;
    }
    observer->queue = weft_grow(observer->queue, &observer->queue_capacity,
                                observer->n_queued + 1, sizeof *observer->queue);
    observer->queue[observer->n_queued++] = blocked;
}

/* Takes note of a switch, unless a later one of the thread came from another buffer. */
static void note_switch(struct observer *observer, uint16_t misc,
                        const struct weft_schedule_sample *sample)
{
    uint32_t index = find_thread(observer, sample->pid, sample->tid);
    struct seen_thread *thread = &observer->threads[index];

    if (sample->time < thread->time)
        return;
    if (!thread->off && thread->time != INT64_MIN)
        thread->ran += sample->time - thread->time;
    thread->time = sample->time;
    thread->off = misc & PERF_RECORD_MISC_SWITCH_OUT;
    if (thread->off && !(misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT))
        queue_look(observer, (struct blocked){ .thread = index,
                                               .since = sample->time,
                                               .due = sample->time + BLOCKED_NS });
}

/* Another thread may get its id. */
static void note_exit(struct observer *observer, const struct weft_schedule_sample *sample)
{
    uint32_t index = find_thread(observer, sample->pid, sample->tid);
    struct seen_thread *thread = &observer->threads[index]; /* after it may have moved */

    thread->off = true;
    thread->ran = thread->asked = 0;
}

static void note_records(struct observer *observer, const unsigned char *bytes, size_t n)
{
    struct perf_event_header header;
    struct weft_schedule_sample sample;

    for (size_t at = 0; at + sizeof header + sizeof sample <= n; at += header.size) {
        memcpy(&header, bytes + at, sizeof header);
        if (header.size < sizeof header + sizeof sample || header.size > n - at)
            return;
        memcpy(&sample, bytes + at + header.size - sizeof sample, sizeof sample);
        if (header.type == PERF_RECORD_SWITCH)
            note_switch(observer, header.misc, &sample);
        else if (header.type == PERF_RECORD_EXIT)
            note_exit(observer, &sample);
    }
}

/* Returns true if there was anything. */
static bool drain(struct observer *observer)
{
    bool any = false;

    for (size_t i = 0; i < observer->buffers.n; i++) {
        size_t n = buffers_drain(&observer->buffers, i, observer->drained);
        if (n == 0)
            continue;
        any = true;
        note_records(observer, observer->drained, n);
        put(observer, observer->drained, n);
    }
    return any;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Looks at threads that have been blocked for long; returns true if some are left. */
static bool look(struct observer *observer)
{
    struct look look;
    int64_t now = now_ns();
    int looks = 0;

    while (observer->first_queued < observer->n_queued && looks < LOOKS_A_VISIT) {
        struct blocked blocked = observer->queue[observer->first_queued];
        const struct seen_thread *thread = &observer->threads[blocked.thread];
        if (blocked.due > now)
            break;
        observer->first_queued++;
        if (!thread->off || thread->time != blocked.since)
            continue;
        looks++;
        blocked.due = now + BLOCKED_NS;
        if (look_at(thread->pid, thread->tid, &look))
            put(observer, &look, look.record.size);
        else if (++blocked.looks < LOOKS_A_WAIT)
            queue_look(observer, blocked);
    }
    return observer->first_queued < observer->n_queued;
}

/*
 * Asks the kernel to give the calling thread a processor soon after it wakes, for a short
 * turn (Linux 6.12: the slice of a thread of SCHED_OTHER; before, nothing changes).  On a
 * busy machine it would else come too late to look at a wait of some milliseconds.
 */
static void ask_for_short_turns(void)
{
    struct { /* struct sched_attr of linux/sched/types.h */
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = { .size = sizeof attributes };

    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0
        || attributes.policy != SCHED_OTHER)
        return;
    attributes.runtime = TURN_NS;
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/* Reads the processor time of threads that have run long since it was read last. */
static void ask_usage(struct observer *observer, int64_t now)
{
    struct weft_schedule_usage record;

    if (now - observer->usage_asked < USAGE_NS)
        return;
    observer->usage_asked = now;
    for (size_t i = 0; i < observer->n_threads; i++) {
        struct seen_thread *thread = &observer->threads[i];
        int64_t ran = thread->ran;
        if (!thread->off && thread->time != INT64_MIN && now > thread->time)
            ran += now - thread->time;
        if (ran < MIN_USAGE_NS || ran - thread->asked < thread->asked / USAGE_PART)
            continue;
        thread->asked = ran;
        if (!processor_time_read(thread->pid, thread->tid, &record))
            continue;
        record.time = now;
        put(observer, &record, sizeof record);
    }
}

static void *observe(void *user)
{
    struct observer *observer = user;
    int64_t period = PERIOD_NS;
    bool stop;

    ask_for_short_turns();
    do {
        bool busy;
        struct timespec pause;
        stop = __atomic_load_n(&observer->stop, __ATOMIC_ACQUIRE);
        busy = drain(observer);
        busy |= look(observer);
        ask_usage(observer, now_ns());
        if (!busy)
            flush(observer);
        period = busy ? PERIOD_NS : 2 * period < MAX_PERIOD_NS ? 2 * period : MAX_PERIOD_NS;
        pause = (struct timespec){ 0, period };
        if (!stop)
            nanosleep(&pause, NULL);
    } while (!stop);
    flush(observer);
    return NULL;
}

static void put_round(void *user, const void *bytes, size_t size)
{
    put(user, bytes, size);
}

static void *observe_in_rounds(void *user)
{
    struct observer *observer = user;
    bool stop;

    do {
        int64_t pause;
        stop = __atomic_load_n(&observer->stop, __ATOMIC_ACQUIRE);
        pause = rounds_ask(observer->rounds) * ROUND_COSTS;
        pause = pause > ROUND_NS ? pause : ROUND_NS;
        flush(observer);
        if (!stop)
            nanosleep(&(struct timespec){ pause / 1000000000, pause % 1000000000 }, NULL);
    } while (!stop);
    return NULL;
}

static void free_observer(struct observer *observer)
{
    buffers_close(&observer->buffers);
    rounds_free(observer->rounds);
    if (observer->file >= 0)
        close(observer->file);
    weft_id_map_free(&observer->by_tid);
    free(observer->threads);
    free(observer->queue);
    free(observer->drained);
    free(observer->output);
    free(observer);
}

/* Reads the identifier of this boot of the machine into BOOT. */
static void read_boot(char boot[WEFT_BOOT_TEXT])
{
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (in && fgets(boot, WEFT_BOOT_TEXT, in))
        boot[strcspn(boot, "\n")] = 0;
    if (in)
        fclose(in);
}

/* Copies TEXT to the zeroed TO[size], cut to fit. */
static void copy_cut(char *to, size_t size, const char *text)
{
    memcpy(to, text, strnlen(text, size - 1));
}

/* Writes the head of the file: what differs from it is set by the caller in HEAD. */
static void put_head(struct observer *observer, pid_t child, const char *host,
                     struct weft_schedule_head head)
{
    struct stat status;

    head.magic = WEFT_SCHEDULE_MAGIC;
    head.pid = (uint32_t)child;
    head.processors = observer->buffers.processors;
    if (stat("/proc/self/ns/pid", &status) == 0)
        head.pid_namespace = status.st_ino;
    copy_cut(head.host, sizeof head.host, host);
    read_boot(head.boot);
    put(observer, &head, sizeof head);
}

/* Writes which counter NUMBER is, on each processor; or that the kernel refuses it. */
static void put_counter(struct observer *observer, unsigned number,
                        const struct weft_counter_row *row, int error)
{
    struct weft_schedule_counter record = { .type = WEFT_SCHEDULE_COUNTER,
                                            .size = sizeof record,
                                            .counter = number,
                                            .error = error };
    struct weft_schedule_total total;

    copy_cut(record.name, sizeof record.name, row->name);
    for (size_t i = 0; i < observer->buffers.n; i++) {
        if (error == 0 && !buffers_total(&observer->buffers, i, number, &total))
            continue;
        record.id = error == 0 ? total.id : 0;
        put(observer, &record, sizeof record);
        if (error != 0)
            return;
    }
}

static const struct weft_counter_row faults_row = { "page faults", PERF_TYPE_SOFTWARE,
                                                    PERF_COUNT_SW_PAGE_FAULTS };

/* The counters that weft record asks for, and what the kernel says to that. */
struct asked_counters {
    const struct weft_counter_row *rows[WEFT_SCHEDULE_COUNTERS]; /* NULL: not asked for */
    int errors[WEFT_SCHEDULE_COUNTERS]; /* errno; 0: it will count */
};

/*
 * Asks for what the list NAMES (may be NULL), and for page faults if FAULTS is true.  A
 * refusal of the latter is not said: their number stays unknown.
 */
static void ask_counters(struct buffers *buffers, pid_t child, const char *names,
                         bool faults, struct asked_counters *asked)
{
    for (unsigned n = 0; names && *names && n < WEFT_COUNTERS_MAX; n++) {
        size_t length = strcspn(names, ",");
        for (size_t i = 0; i < WEFT_COUNTER_ROWS; i++) {
            const struct weft_counter_row *row = &weft_counter_table[i];
            if (strlen(row->name) == length && memcmp(row->name, names, length) == 0)
                asked->rows[n] = row;
        }
        if (asked->rows[n])
            asked->errors[n] = buffers_count(buffers, child, n, asked->rows[n], false);
        names += length + (names[length] == ',');
    }
    if (faults
        && buffers_count(buffers, child, WEFT_SCHEDULE_FAULTS, &faults_row, true) == 0)
        asked->rows[WEFT_SCHEDULE_FAULTS] = &faults_row;
}

static void put_counters(struct observer *observer, const struct asked_counters *asked)
{
    for (unsigned i = 0; i < WEFT_SCHEDULE_COUNTERS; i++)
        if (asked->rows[i] && observer->buffers.n > 0)
            put_counter(observer, i, asked->rows[i], asked->errors[i]);
}

/* Writes what was counted of all threads. */
static void put_totals(struct observer *observer)
{
    struct weft_schedule_total total;

    for (size_t i = 0; i < observer->buffers.n; i++)
        for (unsigned k = 0; k < WEFT_SCHEDULE_COUNTERS; k++)
            if (buffers_total(&observer->buffers, i, k, &total))
                put(observer, &total, sizeof total);
    flush(observer);
}

/* Starts the thread with all signals blocked: they are for weft's first thread. */
static int start_thread(struct observer *observer)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    error = pthread_create(&observer->thread, NULL,
                           observer->rounds ? observe_in_rounds : observe, observer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Makes the file, and writes its head; returns false with *ERR if it cannot be made. */
static bool open_file(struct observer *observer, pid_t child, const char *folder,
                      const struct weft_schedule_head *head, struct weft_err *err)
{
    struct utsname system = { 0 };
    char *path;

    (void)uname(&system);
    path = weft_asprintf("%s/" WEFT_SCHEDULE_PREFIX "%s-%d", folder, system.nodename,
                         (int)child);
    observer->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (observer->file < 0)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
    else
        put_head(observer, child, system.nodename, *head);
    flush(observer); /* a reader must find the head, whatever happens to weft */
    free(path);
    return observer->file >= 0;
}

/* Asks the kernel for samples; HEAD says whether there are. */
static void begin_samples(struct observer *observer, pid_t child, int64_t sample_ns,
                          struct weft_schedule_head *head)
{
    struct weft_err refusal = { 0 };

    if (sample_ns <= 0)
        return;
    if (buffers_sample(&observer->buffers, child, sample_ns, &refusal))
        head->sample_ns = sample_ns;
    else
        copy_cut(head->unsampled, sizeof head->unsampled, refusal.message);
}

struct observer *observer_begin(pid_t child, const char *folder, int64_t sample_ns,
                                const char *counters, bool faults, struct weft_err *err)
{
    struct observer *observer = weft_zalloc(1, sizeof *observer);
    struct weft_schedule_head head = { 0 };
    struct asked_counters asked = { 0 };
    struct weft_err refusal = { 0 };
    int error;

    begin_samples(observer, child, sample_ns, &head);
    ask_counters(&observer->buffers, child, counters, faults, &asked);
    if (!buffers_open(&observer->buffers, child, &refusal)) {
        head.sample_ns = 0;
        memset(head.unsampled, 0, sizeof head.unsampled);
        copy_cut(head.refused, sizeof head.refused, refusal.message);
        observer->rounds = rounds_new(child, put_round, observer);
    }
    observer->drained = weft_alloc(observer->buffers.bytes);
    observer->output = weft_alloc(OUTPUT_BYTES);
    if (open_file(observer, child, folder, &head, err)) {
        put_counters(observer, &asked);
        error = start_thread(observer);
        if (error == 0)
            return observer;
        weft_fail(err, WEFT_ERR_READ, "cannot start a thread: %s", strerror(error));
    }
    free_observer(observer);
    return NULL;
}

bool observer_end(struct observer *observer, struct weft_err *err)
{
    int error;

    if (!observer)
        return true;
    __atomic_store_n(&observer->stop, true, __ATOMIC_RELEASE);
    pthread_join(observer->thread, NULL);
    put_totals(observer);
    error = observer->error;
    free_observer(observer);
    if (error == 0)
        return true;
    errno = error;
    return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write when threads ran");
}
