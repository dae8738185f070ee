/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/traffic_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "domains/messages/model/traffic_priv.h"

enum {
    BLOCK_STEPS = 64,    /* times in a block, at most */
    BLOCK_CHANGES = 128, /* changes in a block, at most, unless it has a single time */
    GROUP_BLOCKS = 64,   /* blocks with a common peak */
    /* changes that are replayed for a picture: some milliseconds */
    EXACT_CHANGES = 10 << 10,
    STEPS_A_REPORT = 1 << 12 /* between two looks at the job */
};

/* A block begins with its first step and ends where the next one begins. */
struct block {
    int64_t time;
    struct weft_amount peak;
    struct weft_amount level;  /* pending after its first step */
    uint64_t n_steps, changes; /* of all blocks before it */
    /* pending messages and bytes times ticks, from the first block's begin to its own */
    double messages, bytes;
};

struct mark {
    int64_t time, mark;
    uint32_t processor;
};

struct marks {
    struct mark *list; /* by processor, then by time, once they are arranged */
    size_t n, capacity;
    uint64_t *first; /* [processors + 1] */
};

struct weft_history {
    const struct weft_traffic *traffic;
    struct weft_replay_options options;
    struct block *blocks;
    size_t n, capacity;
    struct weft_amount *group_peaks; /* of GROUP_BLOCKS blocks each */
    struct weft_amount peak;
    struct marks marks[WEFT_DIRECTIONS][2]; /* of messages, of bytes */
};

static void raise_to(struct weft_amount *peak, const struct weft_amount *other)
{
    peak->messages = other->messages > peak->messages ? other->messages : peak->messages;
    peak->bytes = other->bytes > peak->bytes ? other->bytes : peak->bytes;
}

/* ---- Making ---- */

static void keep_mark(void *user, enum weft_direction direction, bool bytes,
                      uint32_t processor, int64_t time, int64_t mark)
{
    struct weft_history *history = user;
    struct marks *marks = &history->marks[direction][bytes];
    marks->list =
        weft_grow(marks->list, &marks->capacity, marks->n + 1, sizeof *marks->list);
    marks->list[marks->n++] = (struct mark){ time, mark, processor };
}

/* Groups the marks, which came in order of time, by processor: a counting sort. */
static void arrange_marks(struct marks *marks, uint32_t n_processors)
{
    struct mark *list = weft_alloc((marks->n + 1) * sizeof *list);
    marks->first = weft_zalloc((size_t)n_processors + 2, sizeof *marks->first);
    for (size_t i = 0; i < marks->n; i++)
        marks->first[marks->list[i].processor + 2]++;
    for (uint32_t q = 2; q < n_processors + 2; q++)
        marks->first[q] += marks->first[q - 1];
    for (size_t i = 0; i < marks->n; i++)
        list[marks->first[marks->list[i].processor + 1]++] = marks->list[i];
    free(marks->list);
    marks->list = list;
    marks->capacity = marks->n;
}

/* Sums while steps are read. */
struct running_sums {
    int64_t time; /* of the latest step */
    struct weft_amount pending;
    double messages, bytes; /* up to that time */
    uint64_t n_steps, changes;
};

static void add_step(struct weft_history *history, struct running_sums *sums,
                     const struct weft_replay_step *step)
{
    double ticks = sums->n_steps ? (double)(step->time - sums->time) : 0;
    sums->messages += ticks * (double)sums->pending.messages;
    sums->bytes += ticks * (double)sums->pending.bytes;
    const struct block *last = history->n ? &history->blocks[history->n - 1] : NULL;
    if (!last || sums->n_steps - last->n_steps >= BLOCK_STEPS
        || sums->changes + step->changes - last->changes > BLOCK_CHANGES) {
        history->blocks = weft_grow(history->blocks, &history->capacity, history->n + 2,
                                    sizeof *history->blocks);
        history->blocks[history->n++] =
            (struct block){ step->time,    sums->pending,  step->pending, sums->n_steps,
                            sums->changes, sums->messages, sums->bytes };
    }
    sums->n_steps++;
    sums->changes += step->changes;
    raise_to(&history->blocks[history->n - 1].peak, &step->peak);
    raise_to(&history->peak, &step->peak);
    sums->time = step->time;
    sums->pending = step->pending;
}

/* Adds a block at the end of the trace, so that each block has a next one. */
static void add_end(struct weft_history *history, const struct running_sums *sums)
{
    int64_t end = history->traffic->source->schema->span.end;
    end = end > sums->time ? end : sums->time + 1;
    double ticks = (double)(end - sums->time);
    history->blocks = weft_grow(history->blocks, &history->capacity, history->n + 1,
                                sizeof *history->blocks);
    history->blocks[history->n] =
        (struct block){ end,
                        sums->pending,
                        sums->pending,
                        sums->n_steps,
                        sums->changes,
                        sums->messages + ticks * (double)sums->pending.messages,
                        sums->bytes + ticks * (double)sums->pending.bytes };
    size_t n_groups = history->n / GROUP_BLOCKS + 1;
    history->group_peaks = weft_zalloc(n_groups, sizeof *history->group_peaks);
    for (size_t i = 0; i < history->n; i++)
        raise_to(&history->group_peaks[i / GROUP_BLOCKS], &history->blocks[i].peak);
}

static bool read_steps(struct weft_history *history, struct weft_replay *replay,
                       struct weft_job *job, struct weft_err *err)
{
    struct running_sums sums = { .pending = weft_replay_pending(replay) };
    struct weft_replay_step step;
    struct weft_span span = history->traffic->source->schema->span;
    while (weft_replay_next(replay, &step)) {
        add_step(history, &sums, &step);
        if (sums.n_steps % STEPS_A_REPORT == 0
            && !weft_job_step(job, (uint64_t)(step.time - span.begin),
                              (uint64_t)(span.end - span.begin), err))
            return false;
    }
    if (!weft_job_step(job, 1, 1, err))
        return false;
    if (history->n)
        add_end(history, &sums);
    return true;
}

struct weft_history *weft_history_make(const struct weft_traffic *traffic,
                                       enum weft_collectives collectives,
                                       uint32_t processor, struct weft_job *job,
                                       struct weft_err *err)
{
    struct weft_history *history = weft_zalloc(1, sizeof *history);
    bool marks = processor == WEFT_NONE;
    history->traffic = traffic;
    history->options = (struct weft_replay_options){ collectives, processor, job,
                                                     marks ? keep_mark : NULL, history };
    struct weft_replay *replay = weft_replay_begin(
        traffic, traffic->source->schema->span.begin - 1, &history->options);
    bool ok = read_steps(history, replay, job, err);
    weft_replay_end(replay);
    history->options.high = NULL;
    history->options.job = NULL; /* the job ends before the history does */
    for (int d = 0; ok && marks && d < WEFT_DIRECTIONS; d++)
        for (int b = 0; b < 2; b++)
            arrange_marks(&history->marks[d][b], traffic->processors->n);
    if (ok)
        return history;
    weft_history_free(history);
    return NULL;
}

void weft_history_free(struct weft_history *history)
{
    if (!history)
        return;
    for (int i = 0; i < WEFT_DIRECTIONS * 2; i++) {
        free(history->marks[i / 2][i % 2].list);
        free(history->marks[i / 2][i % 2].first);
    }
    free(history->blocks);
    free(history->group_peaks);
    free(history);
}

size_t weft_history_bytes(const struct weft_history *history)
{
    size_t bytes = sizeof *history + history->capacity * sizeof *history->blocks
                   + history->n / GROUP_BLOCKS * sizeof *history->group_peaks;
    for (int i = 0; i < WEFT_DIRECTIONS * 2; i++)
        bytes += history->marks[i / 2][i % 2].capacity * sizeof(struct mark)
                 + history->traffic->processors->n * sizeof(uint64_t);
    return bytes;
}

struct weft_amount weft_history_peak(const struct weft_history *history)
{
    return history->peak;
}

/* ---- Marks ---- */

static int64_t mark_until(const struct marks *marks, uint32_t processor, int64_t time)
{
    uint64_t first = marks->first[processor];
    uint64_t after =
        WEFT_FIRST(i, first, marks->first[processor + 1], marks->list[i].time > time);
    return after > first ? marks->list[after - 1].mark : 0;
}

void weft_history_high(const struct weft_history *history, enum weft_direction direction,
                       int64_t time, struct weft_amount *marks)
{
    WEFT_REQUIRE(history->options.processor == WEFT_NONE,
                 "a history of one processor has no marks");
    for (uint32_t q = 0; q < history->traffic->processors->n; q++) {
        const struct weft_amount most = {
            mark_until(&history->marks[direction][0], q, time),
            mark_until(&history->marks[direction][1], q, time)
        };
        raise_to(&marks[q], &most);
    }
}

/* ---- Columns ---- */

/* Returns the last block that begins at TIME or before, or 0. */
static size_t block_at(const struct weft_history *history, int64_t time)
{
    return WEFT_LAST(i, 0, history->n, history->blocks[i].time <= time);
}

/* Interpolates the sums up to TIME, as if what is pending did not change within a block. */
static void sums_to(const struct weft_history *history, int64_t time, double *messages,
                    double *bytes)
{
    size_t i = block_at(history, time);
    const struct block *a = &history->blocks[i], *b = a + 1;
    double part = (double)(time - a->time) / (double)(b->time - a->time);
    part = part > 0 ? part < 1 ? part : 1 : 0; /* also where both are of one time */
    *messages = a->messages + part * (b->messages - a->messages);
    *bytes = a->bytes + part * (b->bytes - a->bytes);
}

static struct weft_amount peak_of_blocks(const struct weft_history *history, size_t first,
                                         size_t last)
{
    struct weft_amount peak = { 0 };
    for (size_t i = first; i <= last;) {
        if (i % GROUP_BLOCKS == 0 && last - i >= GROUP_BLOCKS) {
            raise_to(&peak, &history->group_peaks[i / GROUP_BLOCKS]);
            i += GROUP_BLOCKS;
        } else {
            raise_to(&peak, &history->blocks[i++].peak);
        }
    }
    return peak;
}

/*
 * A block of a single step has its peak only at its begin, and then LEVEL until the next
 * block.
 */
static struct weft_amount peak_of_column(const struct weft_history *history,
                                         struct weft_span column)
{
    size_t first = block_at(history, column.begin),
           last = block_at(history, column.end - 1);
    const struct block *block = &history->blocks[first];
    if (block->time >= column.begin || block[1].n_steps - block->n_steps > 1)
        return peak_of_blocks(history, first, last);
    struct weft_amount peak = block->level;
    if (first < last) {
        struct weft_amount rest = peak_of_blocks(history, first + 1, last);
        raise_to(&peak, &rest);
    }
    return peak;
}

/* Returns column I of N; at least a tick, so that columns of a narrow window overlap. */
static struct weft_span column_of(struct weft_span window, size_t n, size_t i)
{
    uint64_t ticks = (uint64_t)(window.end - window.begin);
    int64_t begin = window.begin + (int64_t)((unsigned __int128)ticks * i / n);
    int64_t end = window.begin + (int64_t)((unsigned __int128)ticks * (i + 1) / n);
    return (struct weft_span){ begin, end > begin ? end : begin + 1 };
}

static void columns_of_blocks(const struct weft_history *history, struct weft_span window,
                              size_t n, struct weft_level *columns)
{
    for (size_t i = 0; i < n; i++) {
        struct weft_span column = column_of(window, n, i);
        double ticks = (double)(column.end - column.begin), messages[2], bytes[2];
        sums_to(history, column.begin, &messages[0], &bytes[0]);
        sums_to(history, column.end, &messages[1], &bytes[1]);
        columns[i].mean_messages = (messages[1] - messages[0]) / ticks;
        columns[i].mean_bytes = (bytes[1] - bytes[0]) / ticks;
        if (column.end > history->blocks[0].time
            && column.begin < history->blocks[history->n].time)
            columns[i].peak = peak_of_column(history, column);
    }
}

/* Adds what is pending DURING an interval to the columns that it touches. */
static void add_level(struct weft_span window, size_t n, struct weft_level *columns,
                      struct weft_span during, const struct weft_amount *pending,
                      size_t *first)
{
    while (*first < n && column_of(window, n, *first).end <= during.begin)
        ++*first;
    for (size_t i = *first; i < n; i++) {
        struct weft_span column = column_of(window, n, i);
        if (column.begin >= during.end)
            return;
        int64_t from = column.begin > during.begin ? column.begin : during.begin;
        int64_t to = column.end < during.end ? column.end : during.end;
        double part = (double)(to - from) / (double)(column.end - column.begin);
        columns[i].mean_messages += part * (double)pending->messages;
        columns[i].mean_bytes += part * (double)pending->bytes;
        raise_to(&columns[i].peak, pending);
    }
}

static void columns_of_steps(const struct weft_history *history, struct weft_span window,
                             size_t n, struct weft_level *columns)
{
    struct weft_replay *replay =
        weft_replay_begin(history->traffic, window.begin, &history->options);
    struct weft_amount pending = weft_replay_pending(replay);
    struct weft_replay_step step = { .time = window.begin };
    int64_t since = window.begin;
    size_t first = 0;
    while (since < window.end) {
        bool more = weft_replay_next(replay, &step) && step.time < window.end;
        struct weft_span during = { since, more ? step.time : window.end };
        add_level(window, n, columns, during, &pending, &first);
        if (!more)
            break;
        while (first < n && column_of(window, n, first).end <= step.time)
            first++;
        if (first < n)
            raise_to(&columns[first].peak, &step.peak);
        pending = step.pending;
        since = step.time;
    }
    weft_replay_end(replay);
}

void weft_history_columns(const struct weft_history *history, struct weft_span window,
                          size_t n, struct weft_level *columns)
{
    memset(columns, 0, n * sizeof *columns);
    if (!history->n || !n || window.end <= window.begin)
        return;
    size_t first = block_at(history, window.begin);
    size_t after = block_at(history, window.end - 1) + 1;
    uint64_t steps = history->blocks[after].n_steps - history->blocks[first].n_steps;
    uint64_t changes = history->blocks[after].changes - history->blocks[first].changes;
    /* Blocks of a single step each are exact. */
    if (steps > after - first && changes <= EXACT_CHANGES)
        columns_of_steps(history, window, n, columns);
    else
        columns_of_blocks(history, window, n, columns);
}

/* ---- The moment of the most ---- */

/* A search for the first time of a window at which the most is pending. */
struct most_search {
    const struct weft_history *history;
    struct weft_span window;
    bool bytes; /* the most bytes, else the most messages */
    int64_t most, time;
    struct weft_job *job;
};

static int64_t size_of(const struct most_search *search, const struct weft_amount *amount)
{
    return search->bytes ? amount->bytes : amount->messages;
}

/* Looks at the window's times from FROM on, before END. */
static bool search_steps(struct most_search *search, int64_t from, int64_t end,
                         struct weft_err *err)
{
    const struct weft_span window = search->window;
    struct weft_replay_options options = search->history->options;
    struct weft_replay_step step;
    uint64_t n = 0;
    bool ok = true;
    options.job = search->job;
    struct weft_replay *replay =
        weft_replay_begin(search->history->traffic, from - 1, &options);
    while (ok && weft_replay_next(replay, &step) && step.time < end) {
        int64_t size = size_of(search, &step.pending);
        if (size > search->most || (size == search->most && step.time < search->time)) {
            search->most = size;
            search->time = step.time;
        }
        if (++n % STEPS_A_REPORT == 0)
            ok = weft_job_step(search->job, (uint64_t)(step.time - window.begin),
                               (uint64_t)(window.end - window.begin), err);
    }
    weft_replay_end(replay);
    return ok && weft_job_step(search->job, 1, 1, err);
}

/*
 * Returns the block of [FIRST, AFTER) with the greatest peak, the earliest of them, if it
 * may hold more than was found, or as much earlier; else AFTER.  SEEN[AFTER - FIRST] tells
 * which were looked at.
 */
static size_t next_block(const struct most_search *search, size_t first, size_t after,
                         const bool *seen)
{
    const struct block *blocks = search->history->blocks;
    size_t best = after;
    for (size_t i = first; i < after; i++) {
        int64_t peak = size_of(search, &blocks[i].peak);
        if (peak < search->most || (peak == search->most && blocks[i].time >= search->time)
            || seen[i - first]
            || (best < after && peak <= size_of(search, &blocks[best].peak)))
            continue;
        best = i;
    }
    return best;
}

/* Looks at the blocks with the greatest peaks; at all times if these are many. */
static bool search_blocks(struct most_search *search, struct weft_err *err)
{
    enum { BLOCKS = 16 }; /* the begin of a replay costs what is pending then */
    const struct weft_history *history = search->history;
    size_t first = block_at(history, search->window.begin);
    size_t after = block_at(history, search->window.end - 1) + 1;
    bool *seen = weft_zalloc(after - first, sizeof *seen), ok = true;
    for (int n = 0; ok; n++) {
        size_t i = next_block(search, first, after, seen);
        int64_t from = search->window.begin, end = search->window.end;
        if (i == after)
            break;
        if (n < BLOCKS) {
            const struct block *block = &history->blocks[i];
            from = block->time > from ? block->time : from;
            end = block[1].time < end ? block[1].time : end;
        }
        seen[i - first] = true;
        ok = search_steps(search, from, end, err);
        if (n == BLOCKS)
            break;
    }
    free(seen);
    return ok;
}

bool weft_history_fullest(const struct weft_history *history, struct weft_span window,
                          bool bytes, int64_t *time, struct weft_job *job,
                          struct weft_err *err)
{
    struct most_search search = { history, window, bytes, 0, window.begin, job };
    bool ok = true;
    if (history->n && window.end > window.begin) {
        struct weft_replay *replay =
            weft_replay_begin(history->traffic, window.begin, &history->options);
        const struct weft_amount at_begin = weft_replay_pending(replay);
        weft_replay_end(replay);
        search.most = size_of(&search, &at_begin);
        ok = search_blocks(&search, err);
    }
    *time = search.most > 0 ? search.time : window.end;
    return ok;
}
