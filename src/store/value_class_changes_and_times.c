/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The class of the innermost value of a state track as it changes.  For a trace straight
 * from the columns of its blocks, since displays of many tracks ask for little else; for
 * any other source from the changes of values.
 */
#include <stdlib.h>

#include "store/trace/trace_priv.h"

struct scan {
    struct weft_span window;
    uint8_t none, damaged;
    /* The latest change, which others at the same time may replace. */
    int64_t time;
    uint8_t class;
    uint8_t given; /* the class that was appended last */
    size_t n;      /* appended, but not visited */
    int64_t times[WEFT_BLOCK_ROWS + 2];
    uint8_t classes[WEFT_BLOCK_ROWS + 2];
    bool (*visit)(void *user, const struct weft_class_run *run);
    void *user;
};

static void begin_scan(struct scan *s, struct weft_span window,
                       const struct weft_classing *classing,
                       bool (*visit)(void *user, const struct weft_class_run *run),
                       void *user)
{
    s->window = window;
    s->none = s->class = classing->none;
    s->damaged = classing->damaged;
    s->time = window.begin;
    s->given = WEFT_NO_CLASS;
    s->n = 0;
    s->visit = visit;
    s->user = user;
}

/*
 * Notes that CLASS begins at TIME, which is in the window.  Branch-free, because classes
 * cannot be predicted.
 */
static inline void note(struct scan *s, int64_t time, uint8_t class)
{
    bool put = (time != s->time) & (s->class != s->given);
    s->times[s->n] = s->time;
    s->classes[s->n] = s->class;
    s->given = put ? s->class : s->given;
    s->n += put;
    s->time = time;
    s->class = class;
}

/* Does the same for a time that may lie before the window. */
static void note_early(struct scan *s, int64_t time, uint8_t class)
{
    note(s, time > s->window.begin ? time : s->window.begin, class);
}

/* Passes the collected changes to the visitor; returns false if it stops. */
static bool give(struct scan *s)
{
    const struct weft_class_run run = { s->times, s->classes, s->n };
    s->n = 0;
    return !run.n || s->visit(s->user, &run);
}

/* Appends the latest change: no other follows at its time. */
static void settle(struct scan *s)
{
    s->times[s->n] = s->time;
    s->classes[s->n] = s->class;
    s->n += s->class != s->given;
    s->given = s->class;
}

/* ---- A trace ---- */

enum { FEW_CODES = 64 };
struct blocks {
    const struct weft_trace *trace;
    const struct weft_file_track *track;
    uint8_t *of_code; /* [n_codes + 1] */
    uint8_t few[FEW_CODES];
    bool follows; /* the block before was readable */
    /* Where values are passed over: the class while so many levels are open */
    uint8_t *passed; /* [n_codes + 1] by code; NULL: none is passed over */
    uint8_t *inner;  /* [depth + 1] */
    size_t depth, capacity;
};

static inline uint8_t class_of(const struct blocks *b, const struct scan *s, uint64_t code)
{
    return code <= b->track->n_codes ? b->of_code[code] : s->none;
}

/*
 * Scans rows FROM to TO; *AT is the time of the row before them, and then of the last.
 * Returns false when the window is over.  Inlined for the usual widths.
 */
static inline __attribute__((always_inline)) bool
scan_rows(struct scan *scan, const struct blocks *b, const struct weft_change_parts *parts,
          size_t from, size_t to, int64_t *at, unsigned delta_width, unsigned width)
{
    const unsigned char *deltas = parts->deltas, *operations = parts->operations;
    const uint8_t *of_code = b->of_code;
    const uint64_t n_codes = b->track->n_codes;
    /* note(), with the state in registers. */
    int64_t now = *at, end = scan->window.end, time = scan->time, *times = scan->times;
    uint8_t class = scan->class, given = scan->given, *classes = scan->classes;
    size_t n = scan->n, i = from;
    for (; i < to; i++) {
        now = (int64_t)((uint64_t)now + weft_change_cell(deltas, i, delta_width));
        if (now >= end)
            break;
        uint64_t code = weft_change_cell(operations, i, width) >> 2;
        bool put = (now != time) & (class != given);
        times[n] = time;
        classes[n] = class;
        n += put;
        given = put ? class : given;
        time = now;
        class = of_code[code <= n_codes ? code : 0];
    }
    scan->time = time;
    scan->class = class;
    scan->given = given;
    scan->n = n;
    *at = now;
    return i == to;
}

/* Makes room for N more levels. */
static void open_more(struct blocks *b, size_t n)
{
    b->inner = weft_grow(b->inner, &b->capacity, b->depth + n + 2, 1);
}

/*
 * Changes DEPTH by an operation on CODE; returns the class from then on.  Without branches:
 * whether a state opens or closes cannot be predicted.
 */
static inline uint8_t apply_change(const struct blocks *b, size_t *depth, unsigned kind,
                                   uint64_t code)
{
    uint8_t *inner = b->inner;
    static_assert(WEFT_CHANGE_PUSH == 0 && WEFT_CHANGE_POP == 1 && WEFT_CHANGE_SET == 2
                      && WEFT_CHANGE_RESET == 3,
                  "the new depth, and even kinds open a state");
    size_t d = *depth, beside = d + (kind == 0) - ((kind == 1) & (d > 0));
    size_t next = (beside & ((size_t)(kind >> 1) - 1)) + (kind == 2), opens = ~kind & 1;
    code = code <= b->track->n_codes ? code : 0;
    uint8_t passed = (uint8_t)-b->passed[code], opened = (uint8_t)-opens;
    uint8_t own = (inner[next - opens] & passed) | (b->of_code[code] & (uint8_t)~passed);
    uint8_t class = (own & opened) | (inner[next] & (uint8_t)~opened);
    inner[next] = class;
    *depth = next;
    return class;
}

/* Opens the levels that are open at the begin of a block; returns the class. */
static uint8_t open_stack(struct blocks *b, const struct weft_change_parts *parts)
{
    uint8_t class = b->inner[0];
    b->depth = 0;
    for (size_t i = 0; i < parts->header.depth; i++) {
        uint64_t entry;
        memcpy(&entry, parts->stack + 8 * i, sizeof entry);
        class = apply_change(b, &b->depth, WEFT_CHANGE_PUSH, entry >> 40);
    }
    return class;
}

/* Like scan_rows(), of a track with values that are passed over. */
static inline __attribute__((always_inline)) bool
scan_stack_rows(struct scan *scan, struct blocks *b, const struct weft_change_parts *parts,
                size_t from, size_t to, int64_t *at, unsigned delta_width, unsigned width)
{
    int64_t now = *at, end = scan->window.end;
    size_t i = from, depth = b->depth;
    for (; i < to; i++) {
        now = (int64_t)((uint64_t)now + weft_change_cell(parts->deltas, i, delta_width));
        if (now >= end)
            break;
        uint64_t operation = weft_change_cell(parts->operations, i, width);
        note(scan, now, apply_change(b, &depth, operation & 3, operation >> 2));
    }
    b->depth = depth;
    *at = now;
    return i == to;
}

static bool scan_part(struct scan *s, struct blocks *b,
                      const struct weft_change_parts *parts, size_t from, size_t to,
                      int64_t *at)
{
    unsigned deltas = parts->header.delta_width, width = parts->header.operation_width;
    if (b->passed)
        return deltas == 2 && width == 1
                   ? scan_stack_rows(s, b, parts, from, to, at, 2, 1)
                   : scan_stack_rows(s, b, parts, from, to, at, deltas, width);
    if (deltas == 2 && width == 1)
        return scan_rows(s, b, parts, from, to, at, 2, 1);
    if (deltas == 4 && width == 1)
        return scan_rows(s, b, parts, from, to, at, 4, 1);
    return scan_rows(s, b, parts, from, to, at, deltas, width);
}

/*
 * Scans from row FROM on, with the deltas that do not fit into their column, whose cells
 * are 0.
 */
static bool scan_block(struct scan *s, struct blocks *b,
                       const struct weft_change_parts *parts, size_t from, int64_t at)
{
    for (size_t i = 0; i < parts->header.n_long; i++) {
        uint64_t delta;
        uint16_t row;
        memcpy(&row, parts->long_rows + 2 * i, sizeof row);
        memcpy(&delta, parts->long_deltas + 8 * i, sizeof delta);
        if (row < from || row >= parts->header.n)
            continue;
        if (!scan_part(s, b, parts, from, row, &at)
            || delta >= (uint64_t)s->window.end - (uint64_t)at)
            return false;
        at = (int64_t)((uint64_t)at + delta);
        from = row;
    }
    return scan_part(s, b, parts, from, parts->header.n, &at);
}

/* Returns false when the window is over. */
static bool add_block(struct scan *s, struct blocks *b, const struct weft_file_block *block)
{
    struct weft_change_parts parts;
    size_t left, row = 0;
    const unsigned char *bytes = weft_trace_block(b->trace, block, &left);
    if (!bytes || !weft_change_parts(bytes, left, &parts) || parts.header.n != block->n) {
        b->follows = false;
        note_early(s, block->time, s->damaged);
        return true;
    }
    int64_t at = block->time;
    if (b->passed)
        open_more(b, parts.header.n + parts.header.depth);
    if (!b->follows && b->passed)
        note_early(s, at, open_stack(b, &parts));
    else if (!b->follows) {
        uint64_t entry = 0;
        if (parts.header.depth)
            memcpy(&entry, parts.stack + 8 * (parts.header.depth - 1), sizeof entry);
        note_early(s, at, class_of(b, s, entry >> 40));
    }
    b->follows = true;
    if (at <= s->window.begin)
        row = weft_changes_until(&parts, at, s->window.begin, &at);
    for (size_t i = 0; b->passed && i < row; i++) {
        uint64_t operation =
            weft_change_cell(parts.operations, i, parts.header.operation_width);
        uint8_t class = apply_change(b, &b->depth, operation & 3, operation >> 2);
        if (i + 1 == row)
            note(s, s->window.begin, class);
    }
    if (row && !b->passed)
        note(s, s->window.begin,
             class_of(
                 b, s,
                 weft_change_cell(parts.operations, row - 1, parts.header.operation_width)
                     >> 2));
    return scan_block(s, b, &parts, row, at);
}

/* Prepares the blocks of a state track; returns false for another track. */
static bool begin_blocks(struct blocks *b, const struct weft_trace *trace, uint32_t index,
                         const struct weft_classing *classing)
{
    WEFT_REQUIRE(index < trace->schema.n_tracks, "track %u", index);
    const struct weft_file_track *track = &trace->tracks[index];
    *b = (struct blocks){ .trace = trace, .track = track, .of_code = b->few };
    if (trace->schema.types[track->type].kind != WEFT_STATE)
        return false;
    if (track->n_codes >= FEW_CODES)
        b->of_code = weft_alloc((size_t)track->n_codes + 1);
    b->of_code[0] = classing->none;
    for (uint32_t c = 0; c < track->n_codes; c++)
        b->of_code[c + 1] = classing->of[trace->codes[track->first_code + c]];
    if (!classing->passed_over)
        return true;
    b->passed = weft_alloc((size_t)track->n_codes + 1);
    b->passed[0] = 1; /* no value that the trace has */
    for (uint32_t c = 0; c < track->n_codes; c++)
        b->passed[c + 1] = classing->passed_over[trace->codes[track->first_code + c]] != 0;
    open_more(b, 0);
    b->inner[0] = classing->none;
    return true;
}

static void end_blocks(struct blocks *b)
{
    if (b->of_code != b->few)
        free(b->of_code);
    free(b->passed);
    free(b->inner);
}

void weft_trace_classes(const struct weft_source *source, uint32_t track_index,
                        struct weft_span window, const struct weft_classing *classing,
                        bool (*visit)(void *user, const struct weft_class_run *run),
                        void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    struct blocks b;
    struct scan s;
    if (window.end <= window.begin || !begin_blocks(&b, trace, track_index, classing))
        return;
    const struct weft_file_track *track = b.track;
    begin_scan(&s, window, classing, visit, user);
    const struct weft_file_block *blocks = trace->directory + track->first_block;
    size_t first =
        track->n_blocks ? weft_block_at(blocks, track->n_blocks, window.begin) : 0;
    bool more = true;
    for (size_t i = first; i < track->n_blocks && more; i++) {
        if (blocks[i].time >= window.end || !add_block(&s, &b, &blocks[i]))
            break;
        /* Keep the changes of a block in one run where possible. */
        if (i + 1 < track->n_blocks && blocks[i + 1].time > s.time)
            settle(&s);
        more = give(&s);
    }
    settle(&s);
    if (more)
        give(&s);
    end_blocks(&b);
}

/* ---- Ticks ---- */

struct class_sums {
    int64_t time; /* time of the latest change, or later; all before it is counted */
    uint8_t class;
    bool damaged; /* the part after the change is unreadable: in no class */
    int64_t *ticks;
};

static inline unsigned tally_of(uint8_t class)
{
    return class < WEFT_TALLIES ? class : WEFT_TALLIES - 1;
}

/* In a window longer than 2^63 the sum wraps round. */
static void sum_until(struct class_sums *s, int64_t time)
{
    int64_t *sum = &s->ticks[tally_of(s->class)];
    if (!s->damaged)
        *sum = (int64_t)((uint64_t)*sum + (uint64_t)time - (uint64_t)s->time);
    s->time = time;
}

/*
 * Sums the time from the row before FROM to the last row before TO.  Branch-free, by masks,
 * and without the absolute times of the rows.
 */
static inline __attribute__((always_inline)) void
sum_rows(struct class_sums *s, const struct blocks *b,
         const struct weft_change_parts *parts, size_t from, size_t to,
         unsigned delta_width, unsigned width)
{
    static_assert(WEFT_TALLIES == 3, "two are counted, and the third is the rest");
    const unsigned char *deltas = parts->deltas, *operations = parts->operations;
    const uint8_t *of_code = b->of_code;
    const uint64_t n_codes = b->track->n_codes;
    uint64_t all = 0, first = 0, second = 0;
    uint8_t class = s->class;
    for (size_t i = from; i < to; i++) {
        uint64_t delta = weft_change_cell(deltas, i, delta_width);
        uint64_t code = weft_change_cell(operations, i, width) >> 2;
        all += delta;
        first += delta & -(uint64_t)(class == 0);
        second += delta & -(uint64_t)(class == 1);
        class = of_code[code <= n_codes ? code : 0];
    }
    s->ticks[0] = (int64_t)((uint64_t)s->ticks[0] + first);
    s->ticks[1] = (int64_t)((uint64_t)s->ticks[1] + second);
    s->ticks[2] = (int64_t)((uint64_t)s->ticks[2] + all - first - second);
    s->time = (int64_t)((uint64_t)s->time + all);
    s->class = class;
}

static void sum_part(struct class_sums *s, const struct blocks *b,
                     const struct weft_change_parts *parts, size_t from, size_t to)
{
    unsigned deltas = parts->header.delta_width, width = parts->header.operation_width;
    if (deltas == 2 && width == 1)
        sum_rows(s, b, parts, from, to, 2, 1);
    else if (deltas == 4 && width == 1)
        sum_rows(s, b, parts, from, to, 4, 1);
    else
        sum_rows(s, b, parts, from, to, deltas, width);
}

static void sum_block(struct class_sums *s, struct blocks *b,
                      const struct weft_file_block *block, struct weft_span window)
{
    struct weft_change_parts parts;
    size_t left, from = 0, to;
    int64_t at = block->time, last;
    const unsigned char *bytes = weft_trace_block(b->trace, block, &left);
    bool good =
        bytes && weft_change_parts(bytes, left, &parts) && parts.header.n == block->n;
    sum_until(s, at > window.begin ? at : window.begin);
    s->damaged = !good;
    if (!good) {
        b->follows = false;
        return;
    }
    if (!b->follows) {
        uint64_t entry = 0;
        if (parts.header.depth)
            memcpy(&entry, parts.stack + 8 * (parts.header.depth - 1), sizeof entry);
        s->class = b->of_code[entry >> 40 <= b->track->n_codes ? entry >> 40 : 0];
    }
    b->follows = true;
    if (at <= window.begin)
        from = weft_changes_until(&parts, at, window.begin, &at);
    if (from) {
        uint64_t code =
            weft_change_cell(parts.operations, from - 1, parts.header.operation_width) >> 2;
        s->class = b->of_code[code <= b->track->n_codes ? code : 0];
    }
    if (at < window.begin)
        sum_until(s, at); /* subtract what lies before the window */
    to = weft_changes_until(&parts, block->time, window.end - 1, &last);
    for (size_t i = 0; i < parts.header.n_long; i++) {
        uint64_t delta;
        uint16_t row;
        memcpy(&row, parts.long_rows + 2 * i, sizeof row);
        memcpy(&delta, parts.long_deltas + 8 * i, sizeof delta);
        if (row < from || row >= to)
            continue;
        sum_part(s, b, &parts, from, row);
        sum_until(s, (int64_t)((uint64_t)s->time + delta));
        from = row;
    }
    sum_part(s, b, &parts, from, to);
}

/* Queries in flight: each stage prefetches the memory that the next one reads. */
enum { AT_ONCE = 32, LINE = 64, BLOCK_BYTES = 832 /* of an ordinary block */ };

static void fetch(const void *from, size_t size)
{
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch((const unsigned char *)from + i);
}

/* Interpolates where a time is among a track's blocks. */
static size_t guess_block(const struct weft_file_track *track, int64_t time)
{
    double length = (double)track->end - (double)track->begin;
    double part = ((double)time - (double)track->begin) / (length > 1 ? length : 1);
    size_t last = track->n_blocks ? track->n_blocks - 1 : 0;
    return part <= 0 ? 0 : part >= 1 ? last : (size_t)(part * (double)last);
}

static void sum_query(const struct weft_trace *trace, const struct weft_class_query *query,
                      const struct weft_classing *classing, size_t first, int64_t *ticks)
{
    struct weft_span window = query->window;
    struct blocks b;
    if (window.end <= window.begin || !begin_blocks(&b, trace, query->track, classing))
        return;
    const struct weft_file_block *blocks = trace->directory + b.track->first_block;
    struct class_sums s = { window.begin, classing->none, false, ticks };
    for (size_t i = first; i < b.track->n_blocks && blocks[i].time < window.end; i++)
        sum_block(&s, &b, &blocks[i], window);
    sum_until(&s, window.end);
    end_blocks(&b);
}

static void sum_queries(const struct weft_trace *trace,
                        const struct weft_class_query *queries, size_t n,
                        const struct weft_classing *classing,
                        int64_t (*ticks)[WEFT_TALLIES])
{
    const struct weft_file_track *tracks[AT_ONCE];
    size_t at[AT_ONCE], left;
    for (size_t i = 0; i < n; i++) {
        WEFT_REQUIRE(queries[i].track < trace->schema.n_tracks, "track %u",
                     queries[i].track);
        tracks[i] = &trace->tracks[queries[i].track];
        fetch(tracks[i], sizeof *tracks[i]);
    }
    for (size_t i = 0; i < n; i++) {
        at[i] = guess_block(tracks[i], queries[i].window.begin);
        /* A cache line has two entries; the next and the previous one are as likely. */
        fetch(trace->directory + tracks[i]->first_block + at[i] - (at[i] > 0), 2 * LINE);
        fetch(trace->codes + tracks[i]->first_code, LINE);
    }
    for (size_t i = 0; i < n; i++) {
        const struct weft_file_block *blocks = trace->directory + tracks[i]->first_block;
        if (!tracks[i]->n_blocks || trace->schema.types[tracks[i]->type].kind != WEFT_STATE)
            continue;
        at[i] =
            weft_block_near(blocks, tracks[i]->n_blocks, queries[i].window.begin, at[i]);
        const unsigned char *bytes = weft_trace_fetch(trace, &blocks[at[i]], &left);
        fetch(bytes, left < BLOCK_BYTES ? left : BLOCK_BYTES);
    }
    for (size_t i = 0; i < n; i++)
        sum_query(trace, &queries[i], classing, at[i], ticks[i]);
}

void weft_trace_class_ticks(const struct weft_source *source,
                            const struct weft_class_query *queries, size_t n,
                            const struct weft_classing *classing,
                            int64_t (*ticks)[WEFT_TALLIES])
{
    if (classing->passed_over) {
        weft_class_ticks_of_changes(source, queries, n, classing, ticks);
        return;
    }
    for (size_t i = 0; i < n; i += AT_ONCE)
        sum_queries(weft_trace_of(source), queries + i, n - i < AT_ONCE ? n - i : AT_ONCE,
                    classing, ticks + i);
}

/* ---- Any source ---- */

struct class_conversion {
    struct scan scan;
    const struct weft_classing *classing;
    bool stopped;
};

static bool convert(void *user, const struct weft_innermost_change *changes, size_t n)
{
    struct class_conversion *c = user;
    for (size_t i = 0; i < n; i++) {
        uint32_t value = changes[i].value;
        note_early(&c->scan, changes[i].time,
                   changes[i].damaged   ? c->classing->damaged
                   : value == WEFT_NONE ? c->classing->none
                                        : c->classing->of[value]);
        if (c->scan.n > WEFT_BLOCK_ROWS && !give(&c->scan))
            return !(c->stopped = true);
    }
    return give(&c->scan) || !(c->stopped = true);
}

void weft_classes_of_changes(const struct weft_source *source, uint32_t track,
                             struct weft_span window, const struct weft_classing *classing,
                             bool (*visit)(void *user, const struct weft_class_run *run),
                             void *user)
{
    struct class_conversion c = { .classing = classing };
    begin_scan(&c.scan, window, classing, visit, user);
    if (source->schema->types[source->schema->tracks[track].type].kind != WEFT_STATE
        || window.end <= window.begin)
        return;
    source->ops->changes(source, track, window, classing->passed_over, convert, &c);
    settle(&c.scan);
    if (!c.stopped)
        give(&c.scan);
}

enum { DAMAGED = WEFT_NO_CLASS - 1 }; /* differs from all classes that are summed */

static bool sum_run(void *user, const struct weft_class_run *run)
{
    struct class_sums *s = user;
    for (size_t i = 0; i < run->n; i++) {
        sum_until(s, run->times[i]);
        s->class = run->classes[i];
        s->damaged = s->class == DAMAGED;
    }
    return true;
}

void weft_class_ticks_of_changes(const struct weft_source *source,
                                 const struct weft_class_query *queries, size_t n,
                                 const struct weft_classing *classing,
                                 int64_t (*ticks)[WEFT_TALLIES])
{
    const struct weft_schema *schema = source->schema;
    struct weft_classing summed = *classing;
    summed.damaged = DAMAGED;
    for (size_t i = 0; i < n; i++) {
        struct weft_span window = queries[i].window;
        struct class_sums s = { window.begin, classing->none, false, ticks[i] };
        if (schema->types[schema->tracks[queries[i].track].type].kind != WEFT_STATE
            || window.end <= window.begin)
            continue;
        weft_classes_of_changes(source, queries[i].track, window, &summed, sum_run, &s);
        sum_until(&s, window.end);
    }
}
