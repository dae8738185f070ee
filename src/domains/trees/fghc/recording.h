/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads the recording of a run: a file to which each PE appends a block of
 * records now and then.  So a run of any length is recorded in bounded memory, and a killed
 * run leaves its blocks.  The file also holds the program: it can be made a trace without
 * other files.
 *
 *     header   struct recording_header; the program's texts, and the goal
 *     blocks   struct recording_block, then its entries; each PE's are in order of time,
 *              between those of other PEs
 *
 * An entry is a byte, whose lowest three bits are enum entry_kind, and numbers in
 * little-endian base 128 (LEB128).  Most reductions take 3 bytes: one for the kind and the
 * clause, 2 for the time since the last entry.  A block can be read without the blocks
 * before it.
 */
#ifndef WEFT_FGHC_RECORDING_H
#define WEFT_FGHC_RECORDING_H

#include <pthread.h>
#include <stdio.h>

#include "base/progress_and_cancel.h"
#include "domains/trees/fghc/program.h"

/* ---- Records ---- */

/* A recorded reduction: four of VISTA's six fields.  The other two are the PE (the thread)
 * that did it and the reduction's index there, from 1. */
struct fghc_record {
    uint64_t time;              /* ns from the start of the run */
    uint32_t parent_index;      /* index of its parent on parent_pe; 0: no parent */
    uint16_t parent_pe, clause; /* clause: its number in the program, from 1 */
};

/* The suspensions of a goal before its reduction.  Times are ns from the start of the run,
 * or ticks while the run records it. */
struct fghc_wait {
    /* First suspended; last woken, or last suspended if no binding woke it (by_index 0). */
    uint64_t suspended, woken;
    uint32_t count;    /* of suspensions; 0: the goal was not suspended */
    uint32_t by_index; /* the reduction whose binding woke the goal; 0: none */
    uint16_t by_pe;    /* the PE of that reduction */
    uint16_t site;     /* index of the goal in program.calls; 0: the typed goal */
    /* The argument that was unbound at the first suspension, from 1; 0: a part of one. */
    uint16_t argument;
};

/* ---- Writing ---- */

/* Sizes of a block of the recording and of its entries. */
enum {
    LOG_BYTES = 1 << 18,       /* of entries in a block: fits into a second-level cache */
    LOG_MAX_ENTRY_BYTES = 128, /* bytes: more than the longest entry takes */
};

/* The block of entries that one PE, a thread of the run, fills before it goes to the file.
 * log_open() begins it, log_close() frees it; only the PE's own thread uses it. */
struct record_log {
    unsigned char *bytes;  /* [LOG_BYTES] */
    uint32_t n, n_records; /* bytes used; reductions in them */
    uint64_t begin, last;  /* ticks of the block's first and latest entry */
    uint64_t first_index;  /* reductions of this PE before the block */
    uint16_t pe;           /* number of the PE, from 0 */
};

/* The recording's file while it is written: recorder_open() makes it, recorder_close()
 * frees it.  recorder_flush() may be called by several threads. */
struct recorder {
    int fd;               /* -1: not open */
    const char *path;     /* the caller's */
    pthread_mutex_t lock; /* of the fields below, and of writing */
    uint64_t bytes;       /* length of the header and the whole blocks */
    bool failed;          /* a write failed: later blocks are dropped */
};

/*
 * Creates or truncates the file PATH for a run on PES threads, locks it against readers,
 * and writes the header with PROGRAM and the goal QUERY.  Returns false with
 * WEFT_ERR_WRITE, also when another run or a reader has locked the file.  Needs
 * recorder_close() also when it fails.  PATH must outlive the recorder.
 */
bool recorder_open(struct recorder *recorder, const char *path,
                   const struct program *program, const struct query *query, unsigned pes,
                   struct weft_err *err) WEFT_MUST_CHECK;
/* Closes the file, which ends its lock; writes nothing.  RECORDER itself is not freed.  The
 * recording is complete if each PE's last block was written before. */
void recorder_close(struct recorder *recorder);
/* Sets *LOG to an empty block of the PE (thread) number PE; log_close() frees its
 * memory. */
void log_open(struct record_log *log, uint16_t pe);
/* Frees the memory of a block, not LOG itself, which may be zeroed.  Entries in it that
 * were not flushed are lost. */
void log_close(struct record_log *log);
/*
 * Appends LOG, the block of a PE (a thread of the run), to the file and empties it; an
 * empty one gives the clocks only.  TICK and NS are simultaneous readings of the clock of
 * the entries and of the monotonic clock, NS from the start of the run.  IS_LAST marks the
 * PE's last block.  Returns false with WEFT_ERR_WRITE the first time that writing fails:
 * the file is then cut behind its last whole block, and later blocks are dropped with true.
 */
bool recorder_flush(struct recorder *recorder, struct record_log *log, uint64_t tick,
                    uint64_t ns, bool is_last, struct weft_err *err);
/* Returns true when the block may have no room for three more entries, the most that one
 * event appends: recorder_flush() must then empty it first. */
static inline bool log_is_full(const struct record_log *log)
{
    return log->n > LOG_BYTES - LOG_MAX_ENTRY_BYTES * 3;
}
/* Appends the PE's next reduction, at TICK, by the clause with number CLAUSE (from 1).  Its
 * parent is reduction PARENT_INDEX of PARENT_PE, index 0: none.  WAIT, the suspensions of
 * its goal with times in ticks, is NULL if there were none; it is not kept.  log_is_full()
 * must have been false before this event. */
void log_reduction(struct record_log *log, uint64_t tick, uint16_t parent_pe,
                   uint32_t parent_index, uint16_t clause, const struct fghc_wait *wait);
/* Appends that the PE was idle from the tick SINCE until the tick UNTIL; log_is_full() must
 * have been false before this event. */
void log_idle(struct record_log *log, uint64_t since, uint64_t until);

/* ---- Reading ---- */

/* An open recording: fghc_recording_open() makes it, fghc_recording_close() frees it.  For
 * one thread. */
struct fghc_recording;

/*
 * Returns true if PATH is a regular file that begins like a recording of an FGHC program's
 * run, or that can be opened but not read: fghc_recording_open() then says why.
 */
bool fghc_is_recording(const char *path);
/*
 * Opens the recording PATH, compiles its program and finds its blocks; the caller closes it
 * with fghc_recording_close().  If the end is missing or a block is damaged, the recording
 * is cut off at the time up to which every PE (thread) is known: later reductions have no
 * place in the tree, since their parents may be missing.  NULL with WEFT_ERR_READ, also
 * while another process writes or has opened the file, or WEFT_ERR_FORMAT when the head is
 * damaged.
 */
struct fghc_recording *fghc_recording_open(const char *path,
                                           struct weft_err *err) WEFT_MUST_CHECK;
/* Closes the recording's file, and frees the recording with its program; NULL is fine. */
void fghc_recording_close(struct fghc_recording *recording);
/* Returns the number of PEs, the threads of the recorded run: 1 or more. */
unsigned fghc_recording_pes(const struct fghc_recording *recording);
/* Returns the recorded program, compiled, with the typed goal in it.  The recording owns
 * it. */
const struct program *fghc_recording_program(const struct fghc_recording *recording);
/* Returns the number of recorded reductions, an upper bound of those that
 * fghc_order_next() returns. */
uint64_t fghc_recording_records(const struct fghc_recording *recording);

/* Whether a recording is complete. */
enum fghc_loss {
    FGHC_WHOLE,      /* nothing is missing */
    FGHC_UNFINISHED, /* its end is missing: the run was killed or could not write on */
    FGHC_DAMAGED,    /* bytes that were written have changed */
};
/* Returns what is missing of a recording, known after an iteration (struct fghc_order) has
 * ended; writes a phrase about it to TEXT[SIZE], cut if need be, except for FGHC_WHOLE.
 * SIZE is 300 or so: at least 150. */
enum fghc_loss fghc_recording_loss(const struct fghc_recording *recording, char *text,
                                   size_t size);

/* An iteration over all PEs' (threads') reductions in order of time, but parents before
 * their children.  fghc_order_open() begins it, fghc_order_close() frees it. */
struct fghc_order {
    struct fghc_recording *recording; /* the caller's */
    /* The current reduction; parent_index is 0 also when its parent was not recorded. */
    struct fghc_record record;
    struct fghc_wait wait;       /* its goal's suspensions, times in ns; zeros if none */
    unsigned pe;                 /* the PE that did it, from 0 */
    uint64_t index;              /* on its PE, from 1 */
    struct fghc_cursor *cursors; /* [pes] the reading of each PE's blocks */
};
/* Begins an iteration over the reductions of RECORDING, before the first; needs
 * fghc_order_close().  RECORDING must outlive it. */
void fghc_order_open(struct fghc_order *order, struct fghc_recording *recording);
/* Goes to the next reduction and sets ORDER's fields, in O(PEs); false at the end of the
 * recording, or when reading fails (fghc_order_failed()). */
bool fghc_order_next(struct fghc_order *order);
/* Returns true, with WEFT_ERR_READ in *ERR, when fghc_order_next() returned false because
 * the recording's file could not be read; else false. */
bool fghc_order_failed(const struct fghc_order *order, struct weft_err *err);
/*
 * Sets *BEGIN to the next time, in ns from the start of the run, at which the PE (thread)
 * became idle: only times before its latest reduction of the iteration, or all when that
 * has ended, and at most one between two reductions.  Each is returned once; false when
 * there is none left.
 */
bool fghc_order_idle(struct fghc_order *order, unsigned pe, uint64_t *begin);
/* Returns true when fghc_order_next() has reached reduction INDEX (from 1) of the PE
 * (thread) PE, less than fghc_recording_pes(); also when INDEX is 0. */
bool fghc_order_has(const struct fghc_order *order, unsigned pe, uint64_t index);
/* Frees the memory of an iteration, not ORDER itself nor its recording. */
void fghc_order_close(struct fghc_order *order);

#endif
