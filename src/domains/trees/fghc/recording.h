/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run leaves while it runs: a file of records, to which each PE appends a block now and
 * then, so that a run of any length is recorded in bounded memory and a run that is killed
 * leaves what it has recorded.  The file holds the program, too, so that it can be made a trace
 * without anything else.
 *
 *     header   struct recording_header; the program's texts, and the goal
 *     blocks   struct recording_block, then its entries; in no order but each PE's own
 *
 * An entry is a byte, whose lowest three bits are enum entry_kind, and numbers of 7 bits a byte,
 * the lowest first.  Most reductions take 3 bytes: a kind and clause, and 2 of the time that
 * has passed.  A block can be read without those before it.
 */
#ifndef WEFT_FGHC_RECORDING_H
#define WEFT_FGHC_RECORDING_H

#include <pthread.h>
#include <stdio.h>

#include "base/job.h"
#include "domains/trees/fghc/program.h"

/* ---- Records ---- */

/* Four of VISTA's six fields.  The other two are the PE that the record is of and its index
 * there, from 1. */
struct fghc_record {
    uint64_t time; /* ns from the start of the run */
    uint32_t parent_index;
    uint16_t parent_pe, clause;
};

/* The suspensions of a goal before it was reduced. */
struct fghc_wait {
    uint64_t suspended, woken; /* ns: first suspended, last woken */
    uint32_t count;            /* of suspensions; 0: it has not waited */
    uint32_t by_index;         /* the reduction that bound the variable; 0: none */
    uint16_t by_pe;
    uint16_t site;     /* of the goal, in program.calls */
    uint16_t argument; /* that was not bound, from 1; 0: a part of an argument */
};

/* ---- Writing ---- */

enum {
    LOG_BYTES = 1 << 18,  /* of entries in a block: what a second level of cache holds */
    LOG_MOST_ENTRY = 128, /* more than the longest entry takes */
};

/* The block that one PE is filling. */
struct record_log {
    unsigned char *bytes; /* [LOG_BYTES] */
    uint32_t n, n_records;
    uint64_t begin, last; /* ticks: of the block, and of its latest entry */
    uint64_t first_index; /* reductions of this PE before the block */
    uint16_t pe;
};

/* The file. */
struct recorder {
    int fd; /* -1: nothing is recorded */
    const char *path;
    pthread_mutex_t lock;
    uint64_t bytes; /* of what is whole in it */
    bool failed;
};

/* Make the file PATH, with the program and its goal.  Errors: WEFT_ERR_WRITE. */
bool recorder_open(struct recorder *recorder, const char *path,
                   const struct program *program, const struct query *query, unsigned pes,
                   struct weft_err *err) WEFT_MUST_CHECK;
void recorder_close(struct recorder *recorder);
void log_open(struct record_log *log, uint16_t pe);
void log_close(struct record_log *log);
/*
 * Append a PE's block; TICK and NS are readings of the clocks by which times are told: ticks
 * are those of all entries.  IS_LAST: nothing more comes from this PE.  False, once, with *err,
 * when the file cannot be written; it then ends with the last block that is whole.
 */
bool recorder_flush(struct recorder *recorder, struct record_log *log, uint64_t tick,
                    uint64_t ns, bool is_last, struct weft_err *err);
static inline bool log_is_full(const struct record_log *log)
{
    return log->n > LOG_BYTES - LOG_MOST_ENTRY * 3;
}
/* The next reduction of the PE.  WAIT, with ticks in place of its times, may be NULL. */
void log_reduction(struct record_log *log, uint64_t tick, uint16_t parent_pe,
                   uint32_t parent_index, uint16_t clause, const struct fghc_wait *wait);
void log_idle(struct record_log *log, uint64_t since, uint64_t until);

/* ---- Reading ---- */

struct fghc_recording;

/* True of a file that begins as such a recording does, or that cannot be read. */
bool fghc_is_recording(const char *path);
/*
 * Open a recording.  Of one that has no end, or of which blocks are damaged, all is left out
 * that some PE did after the last that is known of another: a later part has no place in the
 * tree, since parents are missing.  Errors: WEFT_ERR_READ, also as long as another process writes
 * it or has it open; _FORMAT.
 */
struct fghc_recording *fghc_recording_open(const char *path,
                                           struct weft_err *err) WEFT_MUST_CHECK;
void fghc_recording_close(struct fghc_recording *recording);
unsigned fghc_recording_pes(const struct fghc_recording *recording);
const struct program *fghc_recording_program(const struct fghc_recording *recording);
/* The reductions that were recorded, perhaps some more than can be read. */
uint64_t fghc_recording_records(const struct fghc_recording *recording);

/* What is missing. */
enum fghc_loss {
    FGHC_WHOLE,
    FGHC_UNFINISHED, /* its end, as a kill leaves it: nothing else can ever be read of it */
    FGHC_DAMAGED,    /* something that was written */
};
/* After a walk; TEXT gets a sentence when something is. */
enum fghc_loss fghc_recording_loss(const struct fghc_recording *recording, char *text,
                                   size_t size);

/* A walk through all PEs' reductions in order of time, parents before their children. */
struct fghc_order {
    struct fghc_recording *recording;
    struct fghc_record record; /* the current one */
    struct fghc_wait wait;     /* count 0: it has not waited */
    unsigned pe;
    uint64_t index; /* on its PE, from 1 */
    struct fghc_cursor *cursors;
};
void fghc_order_open(struct fghc_order *order, struct fghc_recording *recording);
/* False: that was the last, or it cannot be read on (fghc_order_failed). */
bool fghc_order_next(struct fghc_order *order);
/* True, with *err, when the file could not be read: WEFT_ERR_READ. */
bool fghc_order_failed(const struct fghc_order *order, struct weft_err *err);
/*
 * The next time, in ns, from which a PE was idle before its latest reduction of the walk, or
 * after it when the walk has ended, the first after each reduction; false: there is no more.
 */
bool fghc_order_idle(struct fghc_order *order, unsigned pe, uint64_t *begin);
/* True when the walk has passed a PE's reduction. */
bool fghc_order_has(const struct fghc_order *order, unsigned pe, uint64_t index);
void fghc_order_close(struct fghc_order *order);

#endif
