/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "observe/proc_polling.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "format/schedule_layout.h"
#include "observe/look_at_blocked_thread.h"
#include "observe/proc_file.h"

enum {
    /* Names are read in a thread's first rounds, and then each so many: they may change. */
    NAME_FIRST = 4,
    NAME_ROUNDS = 16,
    MAX_PROCESSES = 4096,
    NAME_TEXT = 16,
};

/* The kernel's counts of a thread (/proc/PID/task/TID/schedstat and stat). */
struct counts {
    uint64_t ran, turns; /* ns on a processor; how often it got one */
    int64_t start;       /* of the thread, by CLOCK_MONOTONIC; up to 10 ms too early */
    char state;          /* 'R': runs, or is ready */
};

struct asked_thread {
    uint32_t pid, tid, parent;
    int64_t time; /* of the latest answer */
    struct counts counts;
    uint32_t change; /* the latest that was put */
    bool looked;     /* at its present wait */
    bool gone;
    uint64_t first, round; /* the rounds that found it first, and last */
    char name[NAME_TEXT];
};

struct rounds {
    pid_t child;
    rounds_put *put;
    void *user;
    uint64_t round;
    int64_t previous, present; /* when the rounds began */
    struct weft_id_map by_tid; /* tid: index of threads */
    struct asked_thread *threads;
    size_t n_threads, capacity;
    pid_t processes[MAX_PROCESSES], parents[MAX_PROCESSES]; /* of the present round */
    size_t n_processes;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct rounds *rounds_new(pid_t child, rounds_put *put, void *user)
{
    struct rounds *rounds = weft_zalloc(1, sizeof *rounds);

    rounds->child = child;
    rounds->put = put;
    rounds->user = user;
    return rounds;
}

void rounds_free(struct rounds *rounds)
{
    if (!rounds)
        return;
    weft_id_map_free(&rounds->by_tid);
    free(rounds->threads);
    free(rounds);
}

static bool read_of(uint32_t pid, uint32_t tid, const char *name, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%u/task/%u/%s", pid, tid, name);
    return proc_file_read(path, text, size);
}

/*
 * Reads the state and the start of a thread from the text of its file "stat".  The kernel
 * gives the start in its ticks since it was started, sleep of the machine included.
 */
static void parse_stat(const char *text, struct counts *counts)
{
    const char *at = strrchr(text, ')'); /* a name may have brackets */
    unsigned long long start = 0;
    struct timespec boot, monotonic;

    counts->state = at && at[1] == ' ' ? at[2] : '?';
    for (int field = 2; at && field < 22; field++) /* the name is the second one */
        at = strchr(at + 1, ' ');
    if (!at || sscanf(at, "%llu", &start) != 1)
        return;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    counts->start =
        (int64_t)(start * (unsigned long long)(1000000000 / sysconf(_SC_CLK_TCK)))
        - (boot.tv_sec - monotonic.tv_sec) * INT64_C(1000000000)
        - (boot.tv_nsec - monotonic.tv_nsec);
}

static bool read_counts(uint32_t pid, uint32_t tid, struct counts *counts)
{
    char text[512];

    *counts = (struct counts){ 0 };
    if (!read_of(pid, tid, "schedstat", text, sizeof text)
        || sscanf(text, "%" SCNu64 " %*u %" SCNu64, &counts->ran, &counts->turns) != 2
        || !read_of(pid, tid, "stat", text, sizeof text))
        return false;
    parse_stat(text, counts);
    return true;
}

/* ---- Records ---- */

static void put_life(const struct rounds *rounds, uint32_t type,
                     const struct asked_thread *thread, int64_t time)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, parent, tid, parent_tid;
        int64_t time;
        struct weft_schedule_sample sample;
    } record = {
        .header = { .type = type, .size = sizeof record },
        .pid = thread->pid,
        .parent = thread->tid == thread->pid ? thread->parent : thread->pid,
        .tid = thread->tid,
        .parent_tid = thread->tid == thread->pid ? thread->parent : thread->pid,
        .time = time,
        .sample = { .pid = thread->pid, .tid = thread->tid, .time = time },
    };

    rounds->put(rounds->user, &record, sizeof record);
}

/* Puts the name of a thread, if it has changed. */
static void put_name(const struct rounds *rounds, struct asked_thread *thread, int64_t time)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, tid;
        char name[NAME_TEXT];
        struct weft_schedule_sample sample;
    } record = {
        .header = { .type = PERF_RECORD_COMM, .size = sizeof record },
        .pid = thread->pid,
        .tid = thread->tid,
        .sample = { .pid = thread->pid, .tid = thread->tid, .time = time },
    };

    if (!read_of(thread->pid, thread->tid, "comm", record.name, sizeof record.name))
        return;
    record.name[strcspn(record.name, "\n")] = 0;
    if (strcmp(thread->name, record.name) == 0)
        return;
    memcpy(thread->name, record.name, sizeof thread->name);
    rounds->put(rounds->user, &record, sizeof record);
}

static void put_change(const struct rounds *rounds, struct asked_thread *thread,
                       uint32_t change, int64_t time)
{
    struct weft_schedule_asked record = { .type = WEFT_SCHEDULE_ASKED,
                                          .size = sizeof record,
                                          .pid = thread->pid,
                                          .tid = thread->tid,
                                          .time = time,
                                          .change = change };

    if (thread->change == change)
        return;
    thread->change = change;
    thread->looked = false;
    rounds->put(rounds->user, &record, sizeof record);
}

static void put_look(const struct rounds *rounds, struct asked_thread *thread)
{
    struct look look;

    if (thread->looked || !look_at(thread->pid, thread->tid, &look))
        return;
    thread->looked = true;
    rounds->put(rounds->user, &look, look.record.size);
}

/* ---- A round ---- */

/*
 * Returns what a thread did between two answers.  If it has got no processor in between, it
 * has been what it was, or it has just lost its processor.  The kernel counts the time of a
 * thread that runs at each of its ticks, at most 10 ms apart.
 */
static uint32_t change_between(const struct counts *before, const struct counts *after)
{
    if (after->turns != before->turns || (before->state == 'R') != (after->state == 'R'))
        return WEFT_ASKED_MIXED;
    if (after->ran > before->ran)
        return after->state == 'R' ? WEFT_ASKED_RUNS : WEFT_ASKED_MIXED;
    return after->state == 'R' ? WEFT_ASKED_READY : WEFT_ASKED_OFF;
}

/* A thread has begun since the previous round; what it did since, nobody knows. */
static void add_thread(struct rounds *rounds, uint32_t pid, uint32_t tid, uint32_t parent,
                       int64_t time, const struct counts *counts)
{
    int64_t begin = counts->start > rounds->previous ? counts->start : rounds->previous;
    struct asked_thread *thread;

    if (begin > time)
        begin = time;
    rounds->threads = weft_grow(rounds->threads, &rounds->capacity, rounds->n_threads + 1,
                                sizeof *rounds->threads);
    weft_id_map_put(&rounds->by_tid, tid, (uint32_t)rounds->n_threads);
    thread = &rounds->threads[rounds->n_threads++];
    *thread = (struct asked_thread){ .pid = pid,
                                     .tid = tid,
                                     .parent = parent,
                                     .time = time,
                                     .counts = *counts,
                                     .change = UINT32_MAX,
                                     .first = rounds->round,
                                     .round = rounds->round };
    put_life(rounds, PERF_RECORD_FORK, thread, begin);
    put_name(rounds, thread, time);
    put_change(rounds, thread, WEFT_ASKED_MIXED, begin);
}

static void ask_thread(struct rounds *rounds, uint32_t pid, uint32_t tid, uint32_t parent)
{
    uint32_t index = weft_id_map_get(&rounds->by_tid, tid);
    struct counts counts;
    struct asked_thread *thread;
    int64_t time = clock_ns(CLOCK_MONOTONIC);
    uint32_t change;

    if (!read_counts(pid, tid, &counts))
        return;
    if (index != WEFT_MAP_NONE && !rounds->threads[index].gone
        && counts.turns < rounds->threads[index].counts.turns) {
        /* The kernel gave the number of a thread that has ended to another one. */
        rounds->threads[index].gone = true;
        put_life(rounds, PERF_RECORD_EXIT, &rounds->threads[index], rounds->previous);
    }
    if (index == WEFT_MAP_NONE || rounds->threads[index].gone) {
        add_thread(rounds, pid, tid, parent, time, &counts);
        return;
    }
    thread = &rounds->threads[index];
    change = change_between(&thread->counts, &counts);
    put_change(rounds, thread, change, thread->time);
    thread->counts = counts;
    thread->time = time;
    thread->round = rounds->round;
    if (change == WEFT_ASKED_OFF)
        put_look(rounds, thread);
    if (tid == pid || rounds->round < thread->first + NAME_FIRST
        || rounds->round % NAME_ROUNDS == 0)
        put_name(rounds, thread, time);
}

/* Adds the processes that a thread has started to those of the round. */
static void add_children(struct rounds *rounds, uint32_t pid, uint32_t tid)
{
    char path[64];
    FILE *children;
    pid_t child;

    snprintf(path, sizeof path, "/proc/%u/task/%u/children", pid, tid);
    children = fopen(path, "re"); /* of any length, in more than one read */
    while (children && rounds->n_processes < MAX_PROCESSES
           && fscanf(children, "%d", &child) == 1) {
        rounds->processes[rounds->n_processes] = child;
        rounds->parents[rounds->n_processes++] = (pid_t)pid;
    }
    if (children)
        fclose(children);
}

static void ask_process(struct rounds *rounds, uint32_t pid, uint32_t parent)
{
    char path[64];
    struct dirent *entry;
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%u/task", pid);
    threads = opendir(path);
    if (!threads)
        return;
    while ((entry = readdir(threads))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        ask_thread(rounds, pid, (uint32_t)strtoul(entry->d_name, NULL, 10), parent);
        add_children(rounds, pid, (uint32_t)strtoul(entry->d_name, NULL, 10));
    }
    closedir(threads);
}

static void end_threads(struct rounds *rounds, int64_t time)
{
    for (size_t i = 0; i < rounds->n_threads; i++) {
        struct asked_thread *thread = &rounds->threads[i];
        if (thread->gone || thread->round == rounds->round)
            continue;
        /* A process without its parent is no longer a child of the program. */
        ask_thread(rounds, thread->pid, thread->tid, thread->parent);
        thread = &rounds->threads[i];
        thread->gone = thread->round != rounds->round;
        if (thread->gone)
            put_life(rounds, PERF_RECORD_EXIT, thread, time);
    }
}

int64_t rounds_ask(struct rounds *rounds)
{
    int64_t ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);

    rounds->previous = rounds->round > 0 ? rounds->present : INT64_MIN;
    rounds->present = clock_ns(CLOCK_MONOTONIC);
    rounds->round++;
    rounds->n_processes = 1;
    rounds->processes[0] = rounds->child;
    rounds->parents[0] = 0;
    for (size_t i = 0; i < rounds->n_processes; i++)
        ask_process(rounds, (uint32_t)rounds->processes[i], (uint32_t)rounds->parents[i]);
    end_threads(rounds, rounds->present);
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - ran;
}
