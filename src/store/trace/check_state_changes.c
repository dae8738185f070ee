/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks blocks of state changes.  They are most of what is checked while a picture is
 * drawn, so each check is a few loops over columns that compilers vectorize, and no
 * iteration depends on the one before.
 */
#include "store/column.h"
#include "store/trace/trace_priv.h"

/* ---- Times ---- */

/* Returns the sum of N cells of at most two bytes: a block's fits into 32 bits. */
static inline __attribute__((always_inline)) uint32_t sum_narrow(const unsigned char *cells,
                                                                 size_t n, unsigned width)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)weft_change_cell(cells, i, width);
    return sum;
}

/*
 * Subtracts the N cells of a column, WIDTH bytes each, from *LEFT; returns false if they
 * are more.
 */
static bool subtract_cells(const unsigned char *cells, size_t n, unsigned width,
                           uint64_t *left)
{
    uint64_t sum = 0;
    cells = __builtin_assume_aligned(cells, 8);
    switch (width) {
    case 1: sum = sum_narrow(cells, n, 1); break;
    case 2: sum = sum_narrow(cells, n, 2); break;
    case 4:
        for (size_t i = 0; i < n; i++)
            sum += weft_change_cell(cells, i, 4);
        break;
    default: /* their sum may overflow */
        for (size_t i = 0; i < n; i++) {
            uint64_t cell = weft_change_cell(cells, i, 8);
            if (cell > *left)
                return false;
            *left -= cell;
        }
    }
    if (sum > *left)
        return false;
    *left -= sum;
    return true;
}

/* Checks that the times of a block's changes rise to no later than LAST. */
static bool deltas_fit(const struct weft_change_parts *parts, int64_t first, int64_t last)
{
    const struct weft_change_header *header = &parts->header;
    uint64_t left = (uint64_t)last - (uint64_t)first;
    size_t next = 0; /* the first row that the next long delta may have */
    if (!subtract_cells(parts->deltas, header->n, header->delta_width, &left))
        return false;
    for (size_t i = 0; i < header->n_long; i++) {
        uint16_t row;
        uint64_t delta;
        memcpy(&row, parts->long_rows + 2 * i, sizeof row);
        memcpy(&delta, parts->long_deltas + 8 * i, sizeof delta);
        if (row < next || row >= header->n || delta > left
            || weft_change_cell(parts->deltas, row, header->delta_width))
            return false;
        left -= delta;
        next = row + 1u;
    }
    return true;
}

/* ---- What a block begins with ---- */

/* Checks the stack before the block: its codes are the track's, and its ordinals rise. */
static bool stack_fits(const struct weft_file_track *track,
                       const struct weft_file_block *block,
                       const struct weft_change_parts *parts)
{
    uint64_t before = 0;
    for (size_t i = 0; i < parts->header.depth; i++) {
        uint64_t entry;
        memcpy(&entry, parts->stack + 8 * i, 8);
        uint64_t code = entry >> 40, ordinal = weft_entity_ordinal(entry);
        if (!code || code > track->n_codes || ordinal >= block->ordinal
            || (i && ordinal <= before))
            return false;
        before = ordinal;
    }
    return parts->header.depth <= track->max_depth;
}

/*
 * Checks that no value lasted longer than the track, so that no difference of sums
 * overflows.
 */
static bool sums_fit(const struct weft_file_track *track,
                     const struct weft_file_block *block,
                     const struct weft_change_parts *parts)
{
    const struct weft_change_header *header = &parts->header;
    if (!header->n_codes)
        return true;
    uint64_t most = (uint64_t)block->time - (uint64_t)track->begin;
    uint64_t mask = UINT64_MAX >> (64 - 8 * header->sum_width);
    bool bad = header->n_codes > track->n_codes;
    for (size_t i = 0; i < 2 * (size_t)header->n_codes; i++) {
        uint64_t sum; /* eight bytes can always be read: deltas follow */
        memcpy(&sum, parts->sums + i * header->sum_width, sizeof sum);
        bad |= (sum & mask) > most;
    }
    return !bad;
}

/* ---- What the changes do ---- */

static_assert(WEFT_CHANGE_PUSH == 0 && WEFT_CHANGE_POP == 1 && WEFT_CHANGE_SET == 2
                  && WEFT_CHANGE_RESET == 3,
              "bit 1: the stack is cleared first; bit 0: nothing is put on");
enum { NOTHING_PUT = 1, CLEARED = 2, CODE = UINT8_MAX & ~3 }; /* bits of an operation */

/* The state expected after a block, from its neighbours in the directory. */
struct outcome {
    uint64_t opened; /* how many states */
    size_t low;      /* the lowest depth reached */
    size_t highest_code, max_depth;
};

enum { AT_ONCE = 8 }; /* changes, a byte of each in a word */
static_assert(WEFT_BLOCK_ROWS % AT_ONCE == 0, "columns have room for the last ones");

/* The operations of a block, if they have at most two bytes each. */
struct narrow {
    size_t n;
    unsigned width, lowest, highest;
    uint8_t any, all; /* bits that any low byte has, and that all of them have */
    uint8_t lower[WEFT_BLOCK_ROWS]; /* low bytes; zeros follow the last, since AT_ONCE
                                       are read */
    uint8_t upper[WEFT_BLOCK_ROWS];
};

static void read_bytes(const uint8_t *cells, struct narrow *out)
{
    uint8_t lowest = UINT8_MAX, highest = 0;
    for (size_t i = 0; i < out->n; i++) {
        out->lower[i] = cells[i];
        out->upper[i] = 0;
        lowest = cells[i] < lowest ? cells[i] : lowest;
        highest = cells[i] > highest ? cells[i] : highest;
    }
    out->lowest = lowest;
    out->highest = highest;
}
static void read_words(const uint16_t *cells, struct narrow *out)
{
    uint16_t lowest = UINT16_MAX, highest = 0;
    for (size_t i = 0; i < out->n; i++) {
        out->lower[i] = (uint8_t)cells[i];
        out->upper[i] = (uint8_t)(cells[i] >> 8);
        lowest = cells[i] < lowest ? cells[i] : lowest;
        highest = cells[i] > highest ? cells[i] : highest;
    }
    out->lowest = lowest;
    out->highest = highest;
}

static void read_narrow(const struct weft_change_parts *parts, struct narrow *out)
{
    const void *cells = __builtin_assume_aligned(parts->operations, 8);
    uint8_t any = 0, all = UINT8_MAX;
    out->n = parts->header.n;
    out->width = parts->header.operation_width;
    if (out->width == 1)
        read_bytes(cells, out);
    else
        read_words(cells, out);
    for (size_t i = 0; i < out->n; i++) {
        any |= out->lower[i];
        all &= out->lower[i];
    }
    out->any = any;
    out->all = all;
    for (size_t i = out->n; i % AT_ONCE; i++)
        out->lower[i] = 0;
}

/*
 * Checks changes that each clear the stack and open at most one state, as on tracks without
 * nesting.
 */
static bool sets_fit(const struct narrow *changes, const struct outcome *outcome)
{
    uint8_t wrong = 0;
    size_t none = 0;
    for (size_t i = 0; i < changes->n; i++) {
        uint8_t puts_none = changes->lower[i] & NOTHING_PUT;
        uint8_t code = (changes->lower[i] & CODE) | changes->upper[i];
        wrong |= (code != 0) == puts_none;
        none += puts_none;
    }
    return !wrong && outcome->low == 0 && outcome->opened == changes->n - none
           && (!outcome->opened || outcome->max_depth);
}

enum {
    BIAS = AT_ONCE, /* added to depths, so that eight steps stay above 0 ... */
    CEILING = UINT8_MAX - 2 * AT_ONCE /* ... and, from here, within a byte */
};

/*
 * Computes the depth after each push or pop, plus BIAS, beginning with DEPTH; returns the
 * last of those AT_ONCE.  They are right up to the first that is below BIAS or above
 * CEILING.  Eight at once: multiplied by ones, the bytes of a word become its prefix sums.
 */
static size_t depths_after(const struct narrow *changes, size_t depth,
                           uint8_t depths[WEFT_BLOCK_ROWS])
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t steps = UINT64_C(0x0807060504030201);
    for (size_t i = 0; i < changes->n; i += AT_ONCE) {
        uint64_t pops;
        memcpy(&pops, changes->lower + i, sizeof pops);
        pops = (pops & (NOTHING_PUT * ones)) * ones;
        uint64_t after = (depth + BIAS) * ones + steps - 2 * pops;
        memcpy(depths + i, &after, sizeof after);
        depth += AT_ONCE - 2 * (pops >> 56);
    }
    return depth;
}

/*
 * Checks that each pop leaves at its depth the byte that was there before.  BYTES are those
 * of the changes, and only BITS of them count; STACK has at each depth the byte of what is
 * open.  The bytes found are compared in a second loop, so that the first need not wait.
 * Not inlined: after many conditions compilers assume that these loops are rare, but half
 * of a check is spent here.
 */
static __attribute__((noinline)) bool bytes_come_back(const struct narrow *changes,
                                                      const uint8_t *bytes,
                                                      const uint8_t *depths, uint8_t *stack,
                                                      uint8_t bits)
{
    uint8_t found[WEFT_BLOCK_ROWS], wrong = 0;
#pragma GCC unroll 8 /* a third faster */
    for (size_t i = 0; i < changes->n; i++) {
        found[i] = stack[depths[i]];
        stack[depths[i]] = bytes[i];
    }
    for (size_t i = 0; i < changes->n; i++) {
        uint8_t if_pop = (uint8_t)(0 - (changes->lower[i] & NOTHING_PUT)); /* all, or 0 */
        wrong |= (found[i] ^ bytes[i]) & bits & if_pop;
    }
    return !wrong;
}

/*
 * Checks that each pop leaves innermost what was innermost at its depth before.  DEPTHS are
 * from BIAS to HIGH.
 */
static bool pops_fit(const struct narrow *changes, const struct weft_change_parts *parts,
                     const uint8_t depths[WEFT_BLOCK_ROWS], uint8_t high)
{
    uint8_t lower[UINT8_MAX + 1], upper[UINT8_MAX + 1];
    memset(lower, 0, high + 1u);
    memset(upper, 0, high + 1u);
    for (size_t level = 0; level < parts->header.depth; level++) {
        uint64_t entry;
        memcpy(&entry, parts->stack + 8 * level, sizeof entry);
        uint64_t operation = entry >> 40 << 2;
        /* If it does not fit into the column, use a value that no push or pop has. */
        lower[BIAS + 1 + level] =
            (uint8_t)(operation >> 8 * changes->width ? CLEARED : operation);
        upper[BIAS + 1 + level] = (uint8_t)(operation >> 8);
    }
    return bytes_come_back(changes, changes->lower, depths, lower, CODE | CLEARED)
           && (changes->width == 1
               || bytes_come_back(changes, changes->upper, depths, upper, UINT8_MAX));
}

/*
 * Checks changes that each push or pop one state. *KNOWN becomes false if depths are too
 * large for a byte.
 */
static bool nests_fit(const struct narrow *changes, const struct weft_change_parts *parts,
                      const struct outcome *outcome, bool *known)
{
    size_t begin = parts->header.depth, n = changes->n;
    uint8_t depths[WEFT_BLOCK_ROWS];
    *known = begin + BIAS <= CEILING;
    if (!*known)
        return false;
    size_t end = depths_after(changes, begin, depths);
    size_t opened = n - (begin + (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE - end) / 2;
    uint8_t low = (uint8_t)(begin + BIAS), high = low;
    for (size_t i = 0; i < n; i++) {
        low = depths[i] < low ? depths[i] : low;
        high = depths[i] > high ? depths[i] : high;
    }
    *known = high <= CEILING;
    return *known && changes->lowest > WEFT_CHANGE_PUSH && low == outcome->low + BIAS
           && high <= outcome->max_depth + BIAS && opened == outcome->opened
           && pops_fit(changes, parts, depths, high);
}

/*
 * Checks changes of any kind and width, at any depth.  Branch-free, since they are not
 * predictable: each change clears the stack or not, pops or not, and pushes or not.  N
 * changes reach at most N entries down the stack that the block began with, and see one
 * more.
 */
static bool any_fit(const struct weft_change_parts *parts, const struct outcome *outcome)
{
    uint64_t operations[WEFT_BLOCK_ROWS], codes[2 * WEFT_BLOCK_ROWS + 2];
    size_t n = parts->header.n, all = parts->header.depth, seen = all < n + 1 ? all : n + 1;
    weft_unpack(parts->operations, operations, n, parts->header.operation_width);
    codes[0] = 0; /* below the stack */
    for (size_t i = 0; i < seen; i++) {
        uint64_t entry;
        memcpy(&entry, parts->stack + 8 * (all - seen + i), 8);
        codes[1 + i] = entry >> 40;
    }
    int64_t hidden = (int64_t)(all - seen), depth = (int64_t)seen; /* of those in `codes` */
    int64_t low = (int64_t)all, high = 0;
    uint64_t opened = 0, highest = 0;
    bool bad = false;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = operations[i] >> 2, clears = operations[i] >> 1 & 1;
        uint64_t puts = ~operations[i] & 1;
        depth = (clears ? 0 : depth) - (int64_t)(!clears & !puts);
        hidden = clears ? 0 : hidden;
        bad |= depth < 0;
        depth = depth < 0 ? 0 : depth;
        low = hidden + depth < low ? hidden + depth : low;
        codes[1 + depth] = code; /* above the top there is nothing */
        depth += (int64_t)puts;
        opened += puts;
        bad |= codes[depth] != code;
        bad |= puts & !code;
        high = hidden + depth > high ? hidden + depth : high;
        highest = code > highest ? code : highest;
    }
    return !bad && highest <= outcome->highest_code && high <= (int64_t)outcome->max_depth
           && opened == outcome->opened && low == (int64_t)outcome->low;
}

/*
 * Checks that the changes close only open states, open values of the track, as often as the
 * directory says, and leave innermost the value that they name.
 */
static bool operations_fit(const struct weft_change_parts *parts,
                           const struct outcome *outcome)
{
    struct narrow changes;
    bool known = false;
    if (parts->header.operation_width > 2)
        return any_fit(parts, outcome);
    read_narrow(parts, &changes);
    if (changes.highest >> 2 > outcome->highest_code)
        return false;
    if (changes.all & CLEARED)
        return sets_fit(&changes, outcome);
    bool fits = !(changes.any & CLEARED) && nests_fit(&changes, parts, outcome, &known);
    return known ? fits : any_fit(parts, outcome);
}

bool weft_trace_changes_good(const struct weft_trace *trace,
                             const struct weft_file_track *track, uint64_t index,
                             const unsigned char *at, size_t left)
{
    const struct weft_file_block *block = &trace->directory[track->first_block + index];
    bool is_last = index + 1 == track->n_blocks;
    struct weft_change_parts parts;
    size_t size = weft_change_parts(at, left, &parts);
    if (!size || weft_checksum(at, size) != block->checksum || parts.header.n != block->n)
        return false;
    uint32_t back = parts.header.sums_back[0] | (uint32_t)parts.header.sums_back[1] << 8
                    | (uint32_t)parts.header.sums_back[2] << 16;
    struct outcome outcome = {
        .opened = (is_last ? track->count : block[1].ordinal) - block->ordinal,
        .low = block->low,
        .highest_code = track->n_codes,
        .max_depth = track->max_depth,
    };
    return back <= index
           && deltas_fit(&parts, block->time, is_last ? track->end : block[1].time)
           && stack_fits(track, block, &parts) && sums_fit(track, block, &parts)
           && operations_fit(&parts, &outcome);
}
