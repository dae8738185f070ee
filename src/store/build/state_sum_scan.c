/* SPDX-License-Identifier: Apache-2.0 */
#include "store/build/state_sum_scan.h"

#include <stdlib.h>
#include <string.h>

/*
 * At time AT, opens (STEP 1) or closes (STEP -1) a level with the code.  The total time
 * runs while at least one level has it.  Branch-free, because pushes and pops cannot be
 * predicted.
 */
static inline void count_level(struct weft_scan_code *code, uint64_t step, uint64_t at)
{
    uint64_t before = code->open, after = before + step;
    code->total -= ((uint64_t)(before == 0) - (after == 0)) * at;
    code->open = after;
}

static void reserve_levels(struct weft_scan *scan, size_t more)
{
    scan->stack = weft_grow(scan->stack, &scan->stack_capacity, scan->depth + 1 + more,
                            sizeof *scan->stack);
}

static void push_level(struct weft_scan *scan, uint64_t code)
{
    scan->top = code < scan->n_codes ? (uint32_t)code : 0;
    count_level(&scan->codes[scan->top], 1, scan->at);
    scan->stack[++scan->depth] = scan->top;
}

void weft_scan_begin(struct weft_scan *scan, const struct weft_change_parts *parts)
{
    const struct weft_change_header *header = &parts->header;
    unsigned width = header->sum_width;
    for (uint32_t c = 0; c < header->n_codes; c++) {
        uint64_t self, total, mask = UINT64_MAX >> (64 - 8 * width);
        memcpy(&self, parts->sums + (size_t)c * width, sizeof self);
        memcpy(&total, parts->sums + ((size_t)c + header->n_codes) * width, sizeof total);
        scan->codes[c + 1].self += self & mask;
        scan->codes[c + 1].total += total & mask;
    }
    reserve_levels(scan, header->depth);
    for (size_t i = 0; i < header->depth; i++) {
        uint64_t entry;
        memcpy(&entry, parts->stack + 8 * i, sizeof entry);
        push_level(scan, entry >> 40);
    }
}

static void end_levels(struct weft_scan *scan)
{
    while (scan->depth)
        count_level(&scan->codes[scan->stack[scan->depth--]], -UINT64_C(1), scan->at);
    scan->top = 0;
}

/* Handles set, reset, and pops of an empty stack in a damaged file. */
static void apply_other(struct weft_scan *scan, uint32_t operation)
{
    enum weft_change_kind kind = operation & 3;
    end_levels(scan);
    if (kind == WEFT_CHANGE_SET)
        push_level(scan, operation >> 2);
}

/*
 * Applies N changes, up to UNTIL; returns false when UNTIL is reached.  Inlined for the
 * usual widths: this loop is most of the time of a sum.  Reads eight bytes of any delta and
 * four of any operation, and masks the excess.
 */
static inline __attribute__((always_inline)) bool
scan_rows(struct weft_scan *scan, const unsigned char *deltas, unsigned delta_width,
          const unsigned char *operations, unsigned width, size_t n, uint64_t until)
{
    const uint64_t delta_mask = UINT64_MAX >> (64 - 8 * delta_width);
    const uint32_t mask = UINT32_MAX >> (32 - 8 * width), n_codes = (uint32_t)scan->n_codes;
    struct weft_scan_code *codes = scan->codes;
    uint32_t *stack = scan->stack, top = scan->top;
    uint64_t at = scan->at;
    size_t depth = scan->depth, row = 0;
    for (; row < n; row++) {
        uint64_t delta;
        uint32_t operation;
        memcpy(&delta, deltas + row * delta_width, sizeof delta);
        memcpy(&operation, operations + row * width, sizeof operation);
        delta &= delta_mask;
        operation &= mask;
        if ((int64_t)(at + delta) >= (int64_t)until)
            break;
        at += delta;
        codes[top].self += delta;
        uint32_t pop = operation & 1, code = operation >> 2;
        code = code < n_codes ? code : 0;
        if (__builtin_expect((operation & 2) || pop > depth, 0)) {
            scan->depth = depth;
            scan->at = at;
            apply_other(scan, operation);
            depth = scan->depth;
            top = scan->top;
            continue;
        }
        uint32_t level = code ^ ((code ^ stack[depth]) & -pop); /* pushed or popped */
        uint64_t step = 1 - 2 * (uint64_t)pop;
        stack[depth + 1] = code;
        depth += step;
        count_level(&codes[level], step, at);
        top = code;
    }
    scan->at = at;
    scan->depth = depth;
    scan->top = top;
    return row == n;
}

static bool scan_part(struct weft_scan *scan, const struct weft_change_parts *parts,
                      size_t from, size_t to, uint64_t until)
{
    unsigned deltas = parts->header.delta_width, width = parts->header.operation_width;
    const unsigned char *delta = parts->deltas + from * deltas;
    const unsigned char *operation = parts->operations + from * width;
    if (deltas == 2 && width == 1)
        return scan_rows(scan, delta, 2, operation, 1, to - from, until);
    if (deltas == 4 && width == 1)
        return scan_rows(scan, delta, 4, operation, 1, to - from, until);
    return scan_rows(scan, delta, deltas, operation, width, to - from, until);
}

/* Advances to TIME without a change. */
static void go_to(struct weft_scan *scan, uint64_t time)
{
    scan->codes[scan->top].self += time - scan->at;
    scan->at = time;
}

void weft_scan_forward(struct weft_scan *scan, const struct weft_change_parts *parts,
                       uint64_t begin, uint64_t until)
{
    size_t row = 0;
    reserve_levels(scan, parts->header.n + 1u);
    go_to(scan, begin);
    for (size_t i = 0; i < parts->header.n_long; i++) {
        uint64_t delta; /* of a row, whose cell in the column is 0 */
        uint16_t next;
        memcpy(&next, parts->long_rows + 2 * i, sizeof next);
        memcpy(&delta, parts->long_deltas + 8 * i, sizeof delta);
        if (next < row || next >= parts->header.n)
            continue; /* only in a damaged file */
        if (!scan_part(scan, parts, row, next, until)
            || (int64_t)(scan->at + delta) >= (int64_t)until)
            return;
        go_to(scan, scan->at + delta);
        row = next;
    }
    scan_part(scan, parts, row, parts->header.n, until);
}

/* Returns the sum of a column of deltas, without those stored beside it (cells of 0). */
static uint64_t sum_deltas(const struct weft_change_parts *parts)
{
    const void *deltas = __builtin_assume_aligned(parts->deltas, 8);
    size_t n = parts->header.n;
    uint64_t sum = 0;
    switch (parts->header.delta_width) {
    case 1:
        for (size_t i = 0; i < n; i++)
            sum += ((const uint8_t *)deltas)[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            sum += ((const uint16_t *)deltas)[i];
        break;
    case 4:
        for (size_t i = 0; i < n; i++)
            sum += ((const uint32_t *)deltas)[i];
        break;
    default:
        for (size_t i = 0; i < n; i++)
            sum += ((const uint64_t *)deltas)[i];
        break;
    }
    return sum;
}

bool weft_scan_can_go_back(const struct weft_change_parts *parts)
{
    size_t n = parts->header.n, width = parts->header.operation_width;
    unsigned all = 0;
    if (width == 1)
        for (size_t i = 0; i < n; i++)
            all |= parts->operations[i];
    else
        for (size_t i = 0; i < n; i++)
            all |= parts->operations[i * width];
    return !(all & 2);
}

/*
 * Undoes the changes of rows FROM to TO, from the last one on, whose time is TIME, down to
 * UNTIL; returns false when UNTIL is reached.  The state that a pop closed is the one that
 * was innermost after the row before.
 */
static inline __attribute__((always_inline)) bool
undo_rows(struct weft_scan *scan, const struct weft_change_parts *parts,
          unsigned delta_width, unsigned width, size_t from, size_t to, uint64_t *time,
          uint64_t until)
{
    const uint64_t delta_mask = UINT64_MAX >> (64 - 8 * delta_width);
    const uint32_t mask = UINT32_MAX >> (32 - 8 * width), n_codes = (uint32_t)scan->n_codes;
    const unsigned char *deltas = parts->deltas, *operations = parts->operations;
    struct weft_scan_code *codes = scan->codes;
    uint32_t *stack = scan->stack, top = scan->top;
    uint64_t at = scan->at, now = *time;
    size_t depth = scan->depth, row = to;
    for (; row > from; row--) {
        uint64_t delta;
        uint32_t operation, before;
        memcpy(&delta, deltas + (row - 1) * delta_width, sizeof delta);
        memcpy(&operation, operations + (row - 1) * width, sizeof operation);
        memcpy(&before, operations + (row - 2) * width, sizeof before);
        delta &= delta_mask;
        before = (before & mask) >> 2;
        before = before < n_codes ? before : 0;
        uint32_t pop = operation & 1;
        if ((int64_t)now < (int64_t)until || !(pop | depth))
            break;
        codes[top].self += now - at;
        at = now;
        now -= delta;
        uint32_t level = stack[depth] ^ ((stack[depth] ^ before) & -pop);
        uint64_t step = 2 * (uint64_t)pop - 1;
        stack[depth + 1] = before;
        depth += step;
        count_level(&codes[level], step, at);
        top = before;
    }
    scan->at = at;
    scan->depth = depth;
    scan->top = top;
    *time = now;
    return row == from;
}

static bool undo_part(struct weft_scan *scan, const struct weft_change_parts *parts,
                      size_t from, size_t to, uint64_t *time, uint64_t until)
{
    unsigned deltas = parts->header.delta_width, width = parts->header.operation_width;
    from = from ? from
                : 1; /* the first change comes before any time after the block's begin */
    if (deltas == 2 && width == 1)
        return undo_rows(scan, parts, 2, 1, from, to, time, until);
    if (deltas == 4 && width == 1)
        return undo_rows(scan, parts, 4, 1, from, to, time, until);
    return undo_rows(scan, parts, deltas, width, from, to, time, until);
}

void weft_scan_back(struct weft_scan *scan, const struct weft_change_parts *parts,
                    uint64_t begin, uint64_t until)
{
    size_t to = parts->header.n, n_long = parts->header.n_long;
    uint64_t time = begin + sum_deltas(parts), delta;
    reserve_levels(scan, to + 1);
    for (size_t i = 0; i < n_long; i++) {
        memcpy(&delta, parts->long_deltas + 8 * i, sizeof delta);
        time += delta;
    }
    while (n_long--) {
        uint16_t row;
        memcpy(&row, parts->long_rows + 2 * n_long, sizeof row);
        memcpy(&delta, parts->long_deltas + 8 * n_long, sizeof delta);
        if (row >= to)
            continue; /* only in a damaged file */
        if (!undo_part(scan, parts, row, to, &time, until))
            return;
        time -= delta;
        to = row;
    }
    undo_part(scan, parts, 0, to, &time, until);
}

void weft_scan_end(struct weft_scan *scan, uint64_t until)
{
    go_to(scan, until);
    end_levels(scan);
}

void weft_scan_track(struct weft_scan *scan, uint32_t n_codes)
{
    scan->n_codes = (size_t)n_codes + 1;
    scan->codes =
        weft_grow(scan->codes, &scan->capacity, scan->n_codes, sizeof *scan->codes);
    memset(scan->codes, 0, scan->n_codes * sizeof *scan->codes);
    reserve_levels(scan, 0);
    scan->stack[0] = 0;
    scan->depth = 0;
    scan->top = 0;
}

void weft_scan_negate(struct weft_scan *scan)
{
    for (size_t c = 0; c < scan->n_codes; c++) {
        scan->codes[c].self = -scan->codes[c].self;
        scan->codes[c].total = -scan->codes[c].total;
    }
}

void weft_scan_free(struct weft_scan *scan)
{
    free(scan->codes);
    free(scan->stack);
}
