/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's log: its place in the pool, its buffer, and the writing of a full buffer. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "record/core/clocks.h"
#include "record/core/system.h"
#include "record/log/log_slow_paths.h"
#include "record/log/object_site_slots.h"
#include "record/log/pool.h"
#include "record/log/recording_overhead.h"
#include "record/maps/maps.h"
#include "record/process/process.h"
#include "record/process/thread_lives.h"

__thread struct weft_log *weft_record_self __attribute__((tls_model("initial-exec")));
__thread uint64_t weft_record_stopped_at __attribute__((tls_model("initial-exec")));
__thread uint32_t weft_thread_ordinal __attribute__((tls_model("initial-exec")));
/* The log of a thread that cannot be recorded: its events are lost. */
static __thread struct weft_log dead_log __attribute__((tls_model("initial-exec")));

static struct weft_log *make_dead(void)
{
    dead_log = (struct weft_log){ .dead = true };
    return &dead_log;
}

void weft_log_stop(void)
{
    weft_record_stopped_at = 1; /* not 0: a dead log uses no time */
    weft_record_self = make_dead();
    if (weft_record_core_v1.clock_is_tsc) {
        __atomic_store_n(&weft_record_core_v1.tsc_of_others, 1, __ATOMIC_RELEASE);
        __atomic_store_n(&weft_record_core_v1.clock_is_tsc, 0, __ATOMIC_RELEASE);
    }
}

/* The piece that the buffer becomes when it is written, in front of its records. */
static struct weft_piece *stream_piece(const struct weft_log *log)
{
    return (struct weft_piece *)log->buffer - 1;
}

static struct weft_piece *buffer_piece(const struct weft_log *log)
{
    return (struct weft_piece *)log->buffer - 2;
}

/* Make the pieces of a new buffer. */
static void begin_buffer(struct weft_piece *piece, uint64_t offset)
{
    piece->kind = WEFT_PIECE_BUFFER;
    piece->size = WEFT_BUFFER_PIECE;
    piece->of = weft_process.headers.offset;
    piece[1].magic = WEFT_PIECE_MAGIC;
    piece[1].kind = WEFT_PIECE_STREAM;
    piece[1].of = offset;
    __atomic_store_n(&piece->magic, WEFT_PIECE_MAGIC, __ATOMIC_RELEASE);
}

/* Let the log append to the buffer of PLACE, behind the records of an earlier thread. */
static void open_buffer(struct weft_log *log, struct weft_place place)
{
    struct weft_piece *piece = weft_pool_buffer(place, &log->offset);

    if (piece->magic != WEFT_PIECE_MAGIC)
        begin_buffer(piece, log->offset);
    log->arena = place.arena;
    log->index = place.index;
    log->has_place = true;
    log->buffer = (uint64_t *)(piece + 2);
    log->cursor = log->buffer + piece->bytes / sizeof(uint64_t);
    log->end = log->buffer + WEFT_LOG_BUFFER / sizeof(uint64_t);
    log->limit = log->end - WEFT_LOG_SLACK / sizeof(uint64_t);
}

/* Give LOG a header and a buffer; returns 0 or the error number. */
static int attach(struct weft_log *log, struct weft_place place, uint32_t ordinal)
{
    int error = 0;
    struct weft_thread_header *header =
        weft_headers_thread(&weft_process.headers, &weft_process.file, &log->table, &error);

    if (!header)
        return error;
    open_buffer(log, place);
    header->ordinal = ordinal;
    header->tid = weft_sys_thread_id();
    header->handle = (uint64_t)pthread_self();
    header->first_ticks = weft_ticks();
    header->buffer = log->offset;
    header->begin =
        buffer_piece(log)->drained + (uint64_t)((char *)log->cursor - (char *)log->buffer);
    __atomic_store_n(&header->magic, WEFT_THREAD_MAGIC, __ATOMIC_RELEASE);
    log->ordinal = ordinal;
    weft_thread_ordinal = ordinal;
    log->header = header;
    /* The first record holds the full time. */
    log->last_ticks = 0;
    return 0;
}

/* Returns a log of the pool for the calling thread; NULL with *error. */
static struct weft_log *open_log(uint32_t ordinal, int *error)
{
    struct weft_place place;
    struct weft_log *log;

    if (!weft_pool_take(&place, error))
        return NULL;
    log = weft_pool_log(place);
    memset(log, 0, sizeof *log);
    weft_slots_begin((struct weft_pooled_log *)log);
    *error = attach(log, place, ordinal);
    if (*error == 0)
        return log;
    weft_pool_give(place);
    return NULL;
}

static struct weft_log *open_quietly(uint32_t ordinal)
{
    int error = 0;
    struct weft_log *log = open_log(ordinal, &error);

    weft_process_refused(error);
    return log;
}

/* A signal handler has opened the log just before: give it the thread's number. */
static void number_log(struct weft_log *log, uint32_t ordinal)
{
    if (log->header)
        log->header->ordinal = ordinal;
    log->ordinal = ordinal;
    weft_thread_ordinal = ordinal;
}

/*
 * Signals are blocked meanwhile: a hook in a handler that finds no log yet would open
 * another one, and the thread would be recorded as two.
 */
struct weft_log *weft_log_open(uint32_t ordinal)
{
    int saved = errno;

    if (weft_process_start() && !weft_process.full) {
        uint64_t before = weft_sys_block_signals();
        if (weft_record_self && !weft_record_self->dead)
            number_log(weft_record_self, ordinal);
        else
            weft_record_self = open_quietly(ordinal);
        weft_sys_restore_signals(before);
    }
    errno = saved;
    if (weft_record_self)
        return weft_record_self;
    /* While another thread starts the recording, only this event is lost. */
    if (__atomic_load_n(&weft_process.state, __ATOMIC_ACQUIRE) == WEFT_STARTING)
        return make_dead();
    return weft_record_self = make_dead();
}

struct weft_log *weft_log_first(void)
{
    struct weft_log *log;

    /* Starting the process opens the log of the thread that starts it. */
    if (weft_process_start() && weft_record_self)
        return weft_record_self;
    log = weft_log_open(weft_process_next_thread());
    if (!log->dead)
        weft_lifecycle_watch();
    return log;
}

void weft_log_lose(struct weft_log *log)
{
    if (log->header)
        log->header->lost++;
    else
        weft_process_lose(1);
}

/* Count the records of a buffer that cannot be written. */
static uint64_t count_records(const uint64_t *at, const uint64_t *end)
{
    uint64_t n = 0;

    while (at < end) {
        n += weft_record_kind(*at) != WEFT_RECORD_HOLE;
        at += 1 + weft_record_words(*at);
    }
    return n;
}

static uint64_t *drained_end(const struct weft_log *log)
{
    return log->cursor < log->end ? log->cursor : log->end;
}

static uint64_t bytes_in(const struct weft_log *log)
{
    return (uint64_t)((char *)drained_end(log) - (char *)log->buffer);
}

/*
 * Write the buffer and the piece in front of it.  If that fails, its records count as lost;
 * returns false if recording has ended.
 */
static bool write_stream(struct weft_log *log)
{
    struct weft_piece *stream = stream_piece(log);
    uint64_t align = WEFT_PIECE_ALIGN;
    long result;

    stream->bytes = bytes_in(log);
    stream->size = (sizeof *stream + stream->bytes + align - 1) / align * align;
    stream->base = buffer_piece(log)->drained;
    result = weft_file_append(&weft_process.file, stream, sizeof *stream + stream->bytes);
    weft_process_refused((int)-result);
    if (weft_process.full)
        return false; /* the buffer stays readable; nothing is written after it */
    if (result < 0) {
        log->header->lost += count_records(log->buffer, drained_end(log));
        log->last_ticks = 0; /* the next record holds the full time again */
    }
    return true;
}

bool weft_log_drain_step(struct weft_log *log, int step)
{
    struct weft_piece *piece = buffer_piece(log);

    switch (step) {
    case WEFT_DRAIN_WRITE: return write_stream(log);
    case WEFT_DRAIN_COUNT:
        __atomic_store_n(&piece->drained, piece->drained + stream_piece(log)->bytes,
                         __ATOMIC_RELEASE);
        return true;
    case WEFT_DRAIN_CLEAR:
        memset(log->buffer, 0, bytes_in(log));
        log->cursor = log->buffer;
        return true;
    default: __atomic_store_n(&piece->base, piece->drained, __ATOMIC_RELEASE); return true;
    }
}

static void drain(struct weft_log *log)
{
    for (int step = 0; step < WEFT_DRAIN_STEPS; step++)
        if (!weft_log_drain_step(log, step))
            return;
    weft_clocks_note();
}

static void drain_quietly(struct weft_log *log)
{
    struct weft_spending spending = weft_spending_begins(weft_thread_ns());
    uint64_t before = weft_sys_block_signals();

    drain(log);
    weft_sys_restore_signals(before);
    weft_spending_ends(&spending);
}

/*
 * In a forked child, whose log is wiped: give it a new buffer.  The log stays where it is,
 * because callers hold its address.  Signals are blocked, or a handler would do the same.
 */
static bool revive(struct weft_log *log)
{
    uint64_t before = weft_sys_block_signals();
    uint32_t busy = log->busy;
    int saved = errno, error = 0;
    struct weft_place place;

    weft_process_forked();
    if (log->header == NULL && !log->dead) {
        log->dead = weft_process.state != WEFT_RECORDED || weft_process.full
                    || !weft_pool_take(&place, &error);
        if (!log->dead) {
            weft_slots_begin((struct weft_pooled_log *)log);
            error = attach(log, place, weft_process_next_thread());
            log->dead = error != 0;
        }
        weft_process_refused(error);
        log->busy = busy;
    }
    errno = saved;
    weft_sys_restore_signals(before);
    return !log->dead;
}

bool weft_log_make_room(struct weft_log *log, uint32_t words, uint64_t ticks)
{
    uint64_t *at;
    uint32_t need = words + 2; /* the time, below */

    if (log->dead || (log->limit == NULL && !revive(log))) {
        weft_log_lose(log);
        return false;
    }
    if (log->cursor + need > log->limit && log->busy == 1 && !weft_process.full)
        drain_quietly(log);
    /* Once the disk is full buffers are not drained; a handler may use the slack. */
    if (log->cursor + need > (log->busy > 1 ? log->end : log->limit)) {
        weft_log_lose(log);
        return false;
    }
    if ((ticks - log->last_ticks) >> 30 != 0) {
        at = weft_log_claim(log, 2);
        if (at + 2 > log->end) { /* a handler took the room */
            weft_log_lose(log);
            return false;
        }
        weft_log_mark(at, 1);
        at[1] = ticks;
        weft_log_seal(at, ticks, WEFT_RECORD_TIME, 1, 0);
        log->last_ticks = ticks;
    }
    return true;
}

/* Note how far the buffer is used: the next thread appends there. */
void weft_log_left(struct weft_log *log)
{
    buffer_piece(log)->bytes = bytes_in(log);
    weft_slots_end(log);
}

void weft_log_close(void)
{
    struct weft_log *log = weft_record_self;
    struct weft_place place;

    if (!log || !log->header || log->header->ended)
        return;
    weft_log_put(log, weft_ticks(), WEFT_RECORD_EXIT, 0);
    __atomic_store_n(&log->header->ended, 1, __ATOMIC_RELEASE);
    weft_headers_thread_ended(log->table);
    place = (struct weft_place){ log->arena, log->index };
    if (weft_pool_leave(place))
        return;
    /* Later events find a dead log, and are lost. */
    weft_record_self = make_dead();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    weft_log_left(log);
    weft_pool_give(place);
}

void weft_log_text(uint64_t ticks, uint32_t kind, const uint64_t *words, uint32_t n_words,
                   const char *text)
{
    enum { LONGEST = 240, MAX_WORDS = 8 };
    struct weft_log *log = weft_log_get();
    /* Programs pass names, and NULL is allowed. */
    uint32_t size = text ? (uint32_t)strnlen(text, LONGEST) : 0;
    uint32_t all = n_words + (size + 7) / 8;
    uint64_t *at;

    if (n_words > MAX_WORDS)
        return;
    weft_log_enter(log);
    at = weft_log_reserve(log, all, ticks);
    if (at) {
        memcpy(at + 1, words, n_words * sizeof *words);
        if (size > 0)
            memcpy(at + 1 + n_words, text, size); /* the rest is zero */
        weft_log_seal(at, ticks, kind, all, 0);
    }
    weft_log_leave(log);
}

uint32_t weft_log_event_cost(void)
{
    enum { EVENTS = 64, ROUNDS = 8 };
    struct weft_pooled_log scratch_log;
    uint64_t buffer[EVENTS + 8], best = UINT64_MAX;
    struct weft_log *log = &scratch_log.log;
    int object;

    memset(log, 0, sizeof *log);
    log->slots_at = (int64_t)offsetof(struct weft_pooled_log, slots);
    scratch_log.slots[0] = (struct weft_slot){ (uint64_t)(uintptr_t)&object, 1 };
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = weft_ticks(), took;
        log->last_ticks = begin;
        log->cursor = log->buffer = buffer;
        log->limit = log->end = buffer + EVENTS + 8;
        for (int i = 0; i < EVENTS; i++)
            weft_log_object_in(log, weft_ticks(), WEFT_RECORD_HOLE, 0, &object, 1, 0, 0);
        took = weft_ticks() - begin;
        best = took < best ? took : best;
    }
    return (uint32_t)(best * (1024 / EVENTS));
}
