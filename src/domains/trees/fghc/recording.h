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

#include "base/job.h"
#include "domains/trees/fghc/program.h"

/* ---- Records ---- */

/* A reduction: four of VISTA's six fields.  The other two are the PE that did it and the
 * reduction's index there, from 1. */
struct fghc_record {
    uint64_t time;         /* ns from the start of the run */
    uint32_t parent_index; /* 0: no parent */
    uint16_t parent_pe, clause;
};

/* The suspensions of a goal before its reduction. */
struct fghc_wait {
    uint64_t suspended, woken; /* ns: first suspended, last woken */
    uint32_t count;            /* of suspensions; 0: the goal was not suspended */
    uint32_t by_index;         /* the reduction whose binding woke the goal; 0: none */
    uint16_t by_pe;
    uint16_t site;     /* of the goal, in program.calls */
    uint16_t argument; /* the unbound argument, from 1; 0: a part of an argument */
};

/* ---- Writing ---- */

enum {
    LOG_BYTES = 1 << 18,       /* of entries in a block: fits into a second-level cache */
    LOG_MAX_ENTRY_BYTES = 128, /* bytes: more than the longest entry takes */
};

/* The block that one PE fills. */
struct record_log {
    unsigned char *bytes; /* [LOG_BYTES] */
    uint32_t n, n_records;
    uint64_t begin, last; /* ticks of the block's first and latest entry */
    uint64_t first_index; /* reductions of this PE before the block */
    uint16_t pe;
};

/* The recording's file while it is written. */
struct recorder {
    int fd; /* -1: not open */
    const char *path;
    pthread_mutex_t lock;
    uint64_t bytes; /* length of the header and the whole blocks */
    bool failed;    /* a write failed: later blocks are dropped */
};

/* Creates or truncates the file PATH and writes the header.  Errors: WEFT_ERR_WRITE.  Needs
 * recorder_close() also when it fails.  PATH must outlive the recorder. */
bool recorder_open(struct recorder *recorder, const char *path,
                   const struct program *program, const struct query *query, unsigned pes,
                   struct weft_err *err) WEFT_MUST_CHECK;
void recorder_close(struct recorder *recorder);
void log_open(struct record_log *log, uint16_t pe);
void log_close(struct record_log *log);
/*
 * Appends a PE's block to the file and empties LOG.  TICK and NS are simultaneous readings
 * of the clock of the entries and of the monotonic clock, NS from the start of the run.
 * IS_LAST marks the PE's last block.  Returns false with *ERR when the file cannot be
 * written, only the first time; the file is then cut behind its last whole block.
 */
bool recorder_flush(struct recorder *recorder, struct record_log *log, uint64_t tick,
                    uint64_t ns, bool is_last, struct weft_err *err);
/* Returns true when the block may have no room for three more entries, the most that one
 * event appends: recorder_flush() must then empty it first. */
static inline bool log_is_full(const struct record_log *log)
{
    return log->n > LOG_BYTES - LOG_MAX_ENTRY_BYTES * 3;
}
/* Appends the PE's next reduction; log_is_full() must be false.  WAIT, whose times are
 * ticks here, is NULL if the goal was not suspended. */
void log_reduction(struct record_log *log, uint64_t tick, uint16_t parent_pe,
                   uint32_t parent_index, uint16_t clause, const struct fghc_wait *wait);
/* Appends that the PE was idle between two ticks. */
void log_idle(struct record_log *log, uint64_t since, uint64_t until);

/* ---- Reading ---- */

struct fghc_recording;

/* Returns true for a regular file that begins with the magic of a recording, or opens but
 * cannot be read: fghc_recording_open() then says why. */
bool fghc_is_recording(const char *path);
/*
 * Opens a recording and finds its blocks.  If the end is missing or a block is damaged, the
 * recording is cut off at the time up to which every PE is known: later reductions have no
 * place in the tree, since their parents may be missing.  Errors: WEFT_ERR_READ, also while
 * another process writes or has opened the file; WEFT_ERR_FORMAT.
 */
struct fghc_recording *fghc_recording_open(const char *path,
                                           struct weft_err *err) WEFT_MUST_CHECK;
void fghc_recording_close(struct fghc_recording *recording); /* NULL is fine */
unsigned fghc_recording_pes(const struct fghc_recording *recording);
/* Returns the program, which the recording owns. */
const struct program *fghc_recording_program(const struct fghc_recording *recording);
/* Returns the number of recorded reductions, an upper bound of those that
 * fghc_order_next() returns. */
uint64_t fghc_recording_records(const struct fghc_recording *recording);

/* Whether a recording is complete. */
enum fghc_loss {
    FGHC_WHOLE,
    FGHC_UNFINISHED, /* its end: the run was killed or could not write on */
    FGHC_DAMAGED,    /* bytes that were written have changed */
};
/* Returns what is missing of a recording, known after all reductions were read; writes a
 * sentence about it to TEXT[SIZE], except for FGHC_WHOLE. */
enum fghc_loss fghc_recording_loss(const struct fghc_recording *recording, char *text,
                                   size_t size);

/* An iteration over all PEs' reductions in order of time, parents before their children. */
struct fghc_order {
    struct fghc_recording *recording;
    struct fghc_record record; /* the current reduction; its parent was recorded, or is 0 */
    struct fghc_wait wait;     /* its goal's suspensions, times in ns */
    unsigned pe;
    uint64_t index; /* on its PE, from 1 */
    struct fghc_cursor *cursors;
};
/* Begins an iteration before the first reduction; needs fghc_order_close(). */
void fghc_order_open(struct fghc_order *order, struct fghc_recording *recording);
/* Goes to the next reduction, O(PEs); false at the end, or when reading fails. */
bool fghc_order_next(struct fghc_order *order);
/* Returns true with *ERR when the file could not be read: WEFT_ERR_READ. */
bool fghc_order_failed(const struct fghc_order *order, struct weft_err *err);
/*
 * Sets *BEGIN to the next time, in ns, at which a PE became idle: only times before its
 * latest reduction of the iteration, or all when that has ended, and at most one between
 * two reductions.  Returns false when there is none left.
 */
bool fghc_order_idle(struct fghc_order *order, unsigned pe, uint64_t *begin);
/* Returns true when the iteration has reached reduction INDEX of a PE, or INDEX is 0. */
bool fghc_order_has(const struct fghc_order *order, unsigned pe, uint64_t index);
void fghc_order_close(struct fghc_order *order);

#endif
