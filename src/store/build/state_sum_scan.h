/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of a state track: the time that each code was open or innermost until a given
 * time.  A scan starts from the sums and the stack at the head of a block, and applies
 * changes forward from there, or undoes those of the block before, up to that time.
 *
 *     weft_scan_track(&scan, n_codes);                    sums and levels are 0
 *     scan.at = begin;                                    of the block
 *     weft_scan_begin(&scan, &parts);                     its sums and its stack
 *     weft_scan_forward(&scan, &parts, begin, until);     for it and the following blocks
 *     weft_scan_end(&scan, until);                        the sums are those before `until`
 *
 * Times count from the track's begin, so that their sums do not overflow.  The blocks of a
 * damaged file only give wrong sums.  Some bytes beyond the last operation of a block must
 * be readable (WEFT_SCAN_BEYOND).
 */
#ifndef WEFT_STORE_STATE_SUM_SCAN_H
#define WEFT_STORE_STATE_SUM_SCAN_H

#include "store/trace/trace_priv.h"

enum { WEFT_SCAN_BEYOND = 4 }; /* bytes */

/* The sums of one code (a track's number for a value, format/store_layout.h). */
struct weft_scan_code {   /* unsigned, since the times of a damaged file overflow */
    uint64_t self, total; /* ticks that it was innermost; that some level had it */
    uint64_t open;        /* open states with this code; 0 between scans */
};

struct weft_scan {                /* scratch of one worker; zeroed before its first use */
    struct weft_scan_code *codes; /* by code; [0]: no state */
    size_t n_codes, capacity;     /* n_codes: with [0] */
    uint32_t *stack;              /* codes of the open levels, from [1] on */
    size_t depth, stack_capacity;
    uint32_t top; /* code of the innermost state, or 0 */
    /*
     * Time up to which the sums go, in ticks since the track's begin; the caller sets it
     * before weft_scan_begin().
     */
    uint64_t at;
};

/*
 * Begins a scan of a track of N_CODES codes: all sums are 0 and no state is open.  The
 * caller then sets scan->at to the begin of the block from which it scans (its entry's time
 * less the track's begin), and calls weft_scan_begin() for that block: one with sums, or
 * the track's first (header.sums_back leads there).
 */
void weft_scan_track(struct weft_scan *scan, uint32_t n_codes);
/*
 * Negates the sums so far, to subtract them from what is added later.  No state is open:
 * weft_scan_end() comes before.
 */
void weft_scan_negate(struct weft_scan *scan);
/*
 * Adds the sums at the head of a block, whose PARTS are given, to those of SCAN (none, if
 * it has none), and opens the states on its stack, at scan->at, the block's begin, which
 * the caller has set.  The block has no more codes than weft_scan_track() was told.
 */
void weft_scan_begin(struct weft_scan *scan, const struct weft_change_parts *parts);
/*
 * Applies the changes of the block with PARTS that come before UNTIL.  BEGIN: time of the
 * block's begin, before UNTIL; both in ticks since the track's begin.
 */
void weft_scan_forward(struct weft_scan *scan, const struct weft_change_parts *parts,
                       uint64_t begin, uint64_t until);
/* Returns true if all changes of a block are pushes and pops: only these can be undone. */
bool weft_scan_can_go_back(const struct weft_change_parts *parts);
/*
 * Undoes the changes of the block with PARTS that come at UNTIL or later, last first; the
 * scan is at the begin of the next block, and weft_scan_can_go_back() was true for this
 * one.  BEGIN: time of the block's begin, before UNTIL; both in ticks since the track's
 * begin.
 */
void weft_scan_back(struct weft_scan *scan, const struct weft_change_parts *parts,
                    uint64_t begin, uint64_t until);
/*
 * Adds the time up to UNTIL (since the track's begin) to the open states' sums, and closes
 * them.  UNTIL may be before the latest change: then the time between is subtracted.  The
 * sums are then codes[code].self and .total, in ticks from the track's begin to UNTIL.
 */
void weft_scan_end(struct weft_scan *scan, uint64_t until);
/* Frees the memory of SCAN, which must be zeroed before another use. */
void weft_scan_free(struct weft_scan *scan);

#endif
