/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strverscmp */
#include "serve/traces.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "read/reader.h"
#include "store/time.h"

enum { MAX_TRACES = 10000, DEEPEST = 3 }; /* that a page can list; levels of folders */

struct identity { /* of a file: while it is the same, so is the content */
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct opened { /* a trace, and how many requests hold it */
    struct weft_trace *trace;
    struct identity identity; /* of its file, before it was opened */
    unsigned holders;
    struct opened *next;
};

struct slot {
    struct trace_entry entry;
    enum trace_state state;
    struct opened *now; /* when it is ready, else NULL */
    struct opened *old; /* of replaced files, while requests hold them */
    struct weft_job job;
    struct weft_err err;
    pthread_t thread;
    bool has_thread;
    struct traces *traces;
};

struct skipped_files {           /* what the scan of the given folders skipped */
    size_t deep, folders, files; /* folders beyond DEEPEST; unreadable ones */
    bool full;                   /* there are more than MAX_TRACES */
};

struct traces {
    struct slot *slots;
    struct skipped_files skipped;
    char *remark; /* about skipped files, or NULL */
    size_t n, capacity;
    struct weft_read_options reading;
    void (*forget)(void *user, struct weft_trace *trace); /* or NULL */
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static double seconds_of(const char *path, const struct weft_read_options *reading)
{
    struct weft_trace *trace = weft_open_indexed(path, reading);
    if (!trace)
        return -1;
    const struct weft_schema *schema = weft_trace_schema(trace);
    double seconds = weft_ticks_to_seconds(schema, schema->span.end - schema->span.begin);
    weft_trace_close(trace);
    return seconds;
}

static void add(struct traces *traces, const char *path, const char *name,
                const char *format, uint64_t size, bool look)
{
    traces->slots =
        weft_grow(traces->slots, &traces->capacity, traces->n + 1, sizeof *traces->slots);
    traces->slots[traces->n++] =
        (struct slot){ .entry = { weft_strdup(path), weft_strdup(name), format, size,
                                  look ? seconds_of(path, &traces->reading) : -1 } };
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(((const struct slot *)a)->entry.name,
                      ((const struct slot *)b)->entry.name);
}

/* Replaces equal names of traces by their paths. */
static void tell_apart(struct traces *traces)
{
    struct weft_text_map first = { 0 };
    bool *alike = weft_zalloc(traces->n, sizeof *alike);
    for (size_t i = 0; i < traces->n; i++) {
        const char *name = traces->slots[i].entry.name;
        uint32_t other = weft_text_map_get(&first, name, strlen(name));
        if (other == WEFT_MAP_NONE)
            weft_text_map_put(&first, name, strlen(name), (uint32_t)i);
        else
            alike[i] = alike[other] = true;
    }
    for (size_t i = 0; i < traces->n; i++) {
        struct trace_entry *entry = &traces->slots[i].entry;
        if (!alike[i])
            continue;
        free((char *)entry->name);
        entry->name = weft_strdup(entry->path);
    }
    free(alike);
    weft_text_map_free(&first);
}

static void add_file(struct traces *traces, const char *path, const char *name,
                     uint64_t size)
{
    const char *format = weft_identify(path);
    if (!format)
        traces->skipped.files += access(path, R_OK) != 0;
    else if (traces->n >= MAX_TRACES)
        traces->skipped.full = true;
    else
        add(traces, path, name, format, size, true);
}

/* Adds the files of a folder.  Follows a symbolic link to a file, but not to a folder. */
static void scan(struct traces *traces, const char *folder, const char *below, int depth)
{
    struct skipped_files *skipped = &traces->skipped;
    DIR *dir = depth > DEEPEST ? NULL : opendir(folder);
    skipped->deep += depth > DEEPEST;
    skipped->folders += depth <= DEEPEST && !dir;
    for (struct dirent *e; dir && !skipped->full && (e = readdir(dir));) {
        struct stat st, link;
        if (e->d_name[0] == '.')
            continue;
        char *path = weft_asprintf("%s/%s", folder, e->d_name);
        char *name = weft_asprintf("%s%s", below, e->d_name);
        bool there = stat(path, &st) == 0;
        if (!there) {
            skipped->files += errno == EACCES;
        } else if (S_ISREG(st.st_mode)) {
            add_file(traces, path, name, (uint64_t)st.st_size);
        } else if (S_ISDIR(st.st_mode) && lstat(path, &link) == 0
                   && S_ISDIR(link.st_mode)) {
            char *inside = weft_asprintf("%s/", name);
            scan(traces, path, inside, depth + 1);
            free(inside);
        }
        free(name);
        free(path);
    }
    if (dir)
        closedir(dir);
}

/* Appends "3 files cannot be read" to the text. */
static void say_count(FILE *text, size_t n, const char *thing, const char *what)
{
    if (n)
        fprintf(text, "%s%zu %s%s %s", ftell(text) ? "; " : "", n, thing, n == 1 ? "" : "s",
                what);
}

/* Returns a remark about skipped files, which the caller frees; NULL: none. */
static char *remark_on(const struct skipped_files *skipped)
{
    char *text, deeper[64];
    size_t size;
    FILE *stream = weft_text_begin(&text, &size);
    snprintf(deeper, sizeof deeper, "deeper than %d %s not looked into", DEEPEST,
             skipped->deep == 1 ? "was" : "were");
    say_count(stream, skipped->deep, "folder", deeper);
    say_count(stream, skipped->folders, "folder", "cannot be read");
    say_count(stream, skipped->files, "file", "cannot be read");
    if (skipped->full)
        fprintf(stream, "%smore than %d traces, of which the others are left out",
                ftell(stream) ? "; " : "", MAX_TRACES);
    weft_text_end(stream);
    if (size)
        return text;
    free(text);
    return NULL;
}

static bool find(struct traces *traces, const char *path, struct weft_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot read %s", path);
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return weft_fail_at(err, WEFT_ERR_READ, path, 0,
                            "not a regular file, nor a folder");
    if (!S_ISDIR(st.st_mode)) {
        const char *slash = strrchr(path, '/'), *format = weft_identify(path);
        if (!format)
            return weft_fail_unreadable(err, path);
        add(traces, path, slash ? slash + 1 : path, format, (uint64_t)st.st_size, false);
        return true;
    }
    size_t before = traces->n;
    scan(traces, path, "", 0);
    if (traces->n == before) {
        char *remark = remark_on(&traces->skipped);
        weft_fail_at(err, WEFT_ERR_READ, path, 0, "no trace in this folder%s%s",
                     remark ? ": " : "", remark ? remark : "");
        free(remark);
        return false;
    }
    qsort(traces->slots + before, traces->n - before, sizeof *traces->slots, by_name);
    return true;
}

struct traces *traces_find(const char *const *paths, size_t n_paths,
                           const struct weft_read_options *reading, struct weft_err *err)
{
    struct traces *traces = weft_zalloc(1, sizeof *traces);
    traces->reading = *reading;
    pthread_mutex_init(&traces->lock, NULL);
    pthread_cond_init(&traces->changed, NULL);
    for (size_t i = 0; i < n_paths; i++)
        if (!find(traces, paths[i], err)) {
            traces_close(traces);
            return NULL;
        }
    tell_apart(traces);
    traces->remark = remark_on(&traces->skipped);
    for (size_t i = 0; i < traces->n; i++)
        traces->slots[i].traces = traces; /* the array does not grow any more */
    return traces;
}

void traces_forget_by(struct traces *traces,
                      void (*forget)(void *user, struct weft_trace *trace), void *user)
{
    traces->forget = forget;
    traces->user = user;
}

static void close_opened(struct opened *opened)
{
    if (opened)
        weft_trace_close(opened->trace);
    free(opened);
}

void traces_close(struct traces *traces)
{
    if (!traces)
        return;
    for (size_t i = 0; i < traces->n; i++) {
        struct slot *slot = &traces->slots[i];
        atomic_store(&slot->job.cancelled, true);
        if (slot->has_thread)
            pthread_join(slot->thread, NULL);
        WEFT_REQUIRE(!slot->old, "a trace that was reloaded is still in use");
        close_opened(slot->now);
        free((char *)slot->entry.path);
        free((char *)slot->entry.name);
    }
    pthread_cond_destroy(&traces->changed);
    pthread_mutex_destroy(&traces->lock);
    free(traces->slots);
    free(traces->remark);
    free(traces);
}

const char *traces_remark(const struct traces *traces)
{
    return traces->remark;
}

size_t traces_count(const struct traces *traces)
{
    return traces->n;
}

const struct trace_entry *traces_entry(const struct traces *traces, size_t index)
{
    return &traces->slots[index].entry;
}

static struct identity identify(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return (struct identity){ 0 };
    return (struct identity){ st.st_dev, st.st_ino, st.st_size, st.st_mtim };
}

static bool is_same(const struct identity *a, const struct identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size
           && a->changed.tv_sec == b->changed.tv_sec
           && a->changed.tv_nsec == b->changed.tv_nsec;
}

static void *load(void *argument)
{
    struct slot *slot = argument;
    struct traces *traces = slot->traces;
    struct weft_err err = { 0 };
    struct identity identity = identify(slot->entry.path);
    struct weft_trace *trace =
        weft_open(slot->entry.path, &traces->reading, &slot->job, NULL, &err);
    pthread_mutex_lock(&traces->lock);
    if (trace) {
        slot->now = weft_zalloc(1, sizeof *slot->now);
        slot->now->trace = trace;
        slot->now->identity = identity;
    }
    slot->err = err;
    slot->state = trace ? TRACE_READY : TRACE_FAILED;
    pthread_cond_broadcast(&traces->changed);
    pthread_mutex_unlock(&traces->lock);
    return NULL;
}

/* With the lock held: starts the thread that opens the trace, unless it is open. */
static void start(struct slot *slot)
{
    if (slot->state == TRACE_LOADING || slot->state == TRACE_READY)
        return;
    if (slot->has_thread)
        pthread_join(slot->thread, NULL); /* it has failed, so its thread ends at once */
    atomic_store(&slot->job.cancelled, false);
    slot->state = TRACE_LOADING;
    slot->has_thread = pthread_create(&slot->thread, NULL, load, slot) == 0;
    if (!slot->has_thread) {
        slot->state = TRACE_FAILED;
        weft_fail(&slot->err, WEFT_ERR_READ, "cannot start a thread");
    }
}

void traces_open(struct traces *traces, size_t index, struct trace_progress *progress)
{
    struct slot *slot = &traces->slots[index];
    pthread_mutex_lock(&traces->lock);
    if (slot->state == TRACE_UNOPENED)
        start(slot);
    *progress = (struct trace_progress){ slot->state, atomic_load(&slot->job.done),
                                         atomic_load(&slot->job.total), slot->err };
    if (slot->state == TRACE_FAILED) /* reported once: the next call tries again */
        slot->state = TRACE_UNOPENED;
    pthread_mutex_unlock(&traces->lock);
}

/* ---- Holding ---- */

/* Returns the trace that is open now, held; NULL if none is. */
static struct opened *hold_now(struct slot *slot)
{
    pthread_mutex_lock(&slot->traces->lock);
    struct opened *opened = slot->now;
    if (opened)
        opened->holders++;
    pthread_mutex_unlock(&slot->traces->lock);
    return opened;
}

/*
 * With the lock held: takes an old trace that nobody holds off its list, or returns NULL.
 */
static struct opened *take_unused(struct slot *slot)
{
    struct opened **at = &slot->old;
    while (*at && (*at)->holders)
        at = &(*at)->next;
    struct opened *unused = *at;
    if (unused)
        *at = unused->next;
    return unused;
}

/* Without the lock: releases OPENED, if it is not NULL. */
static void let_go(struct slot *slot, struct opened *opened)
{
    struct traces *traces = slot->traces;
    pthread_mutex_lock(&traces->lock);
    if (opened)
        opened->holders--;
    for (struct opened *unused; (unused = take_unused(slot));) {
        pthread_mutex_unlock(&traces->lock);
        if (traces->forget)
            traces->forget(traces->user, unused->trace);
        close_opened(unused);
        pthread_mutex_lock(&traces->lock);
    }
    pthread_mutex_unlock(&traces->lock);
}

/* With the lock held. */
static struct opened *find_opened(struct slot *slot, const struct weft_trace *trace)
{
    if (slot->now && slot->now->trace == trace)
        return slot->now;
    struct opened *opened = slot->old;
    while (opened && opened->trace != trace)
        opened = opened->next;
    return opened;
}

void traces_release(struct traces *traces, size_t index, struct weft_trace *trace)
{
    struct slot *slot = &traces->slots[index];
    pthread_mutex_lock(&traces->lock);
    struct opened *opened = find_opened(slot, trace);
    pthread_mutex_unlock(&traces->lock);
    WEFT_REQUIRE(opened, "a trace is released that nobody holds");
    let_go(slot, opened);
}

bool traces_changed(struct traces *traces, size_t index)
{
    struct slot *slot = &traces->slots[index];
    struct weft_err err;
    struct opened *opened = hold_now(slot);
    if (!opened)
        return false;
    struct identity now = identify(slot->entry.path);
    bool changed =
        !is_same(&opened->identity, &now) || !weft_trace_intact(opened->trace, &err);
    let_go(slot, opened);
    return changed;
}

void traces_reload(struct traces *traces, size_t index)
{
    struct slot *slot = &traces->slots[index];
    if (!traces_changed(traces, index))
        return;
    pthread_mutex_lock(&traces->lock);
    if (slot->state == TRACE_READY) { /* else another request was faster */
        slot->now->next = slot->old;
        slot->old = slot->now;
        slot->now = NULL;
        slot->state = TRACE_UNOPENED;
        start(slot);
    }
    pthread_mutex_unlock(&traces->lock);
    let_go(slot, NULL);
}

void traces_cancel(struct traces *traces, size_t index)
{
    atomic_store(&traces->slots[index].job.cancelled, true);
}

/* Waits until the trace is no longer loading, or the job is cancelled; false if
 * weft_job_waits does not allow it. */
static bool wait_for(struct slot *slot, struct weft_job *job, struct weft_err *err)
{
    struct traces *traces = slot->traces;
    if (!weft_job_waits(job, true, err))
        return false;
    bool ok = true;
    pthread_mutex_lock(&traces->lock);
    while (ok && slot->state == TRACE_LOADING) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 50000000; /* 50 ms: how often the job is told of the progress */
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&traces->changed, &traces->lock, &soon);
        pthread_mutex_unlock(&traces->lock);
        ok = weft_job_step(job, atomic_load(&slot->job.done), atomic_load(&slot->job.total),
                           err);
        pthread_mutex_lock(&traces->lock);
    }
    pthread_mutex_unlock(&traces->lock);
    (void)!weft_job_waits(job, false, NULL);
    return ok;
}

struct weft_trace *traces_hold(struct traces *traces, size_t index, struct weft_job *job,
                               struct weft_err *err)
{
    struct slot *slot = &traces->slots[index];
    struct weft_trace *trace = NULL;
    pthread_mutex_lock(&traces->lock);
    if (slot->state == TRACE_UNOPENED)
        start(slot);
    bool loading = slot->state == TRACE_LOADING;
    pthread_mutex_unlock(&traces->lock);
    if (loading && !wait_for(slot, job, err))
        return NULL;
    pthread_mutex_lock(&traces->lock);
    if (slot->state == TRACE_READY) {
        slot->now->holders++;
        trace = slot->now->trace;
    } else if (slot->state == TRACE_FAILED) {
        *err = slot->err;
    } else {
        weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    }
    pthread_mutex_unlock(&traces->lock);
    return trace;
}
