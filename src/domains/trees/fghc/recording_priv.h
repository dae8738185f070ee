/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a recording's file; numbers are the machine's own. */
#ifndef WEFT_FGHC_RECORDING_PRIV_H
#define WEFT_FGHC_RECORDING_PRIV_H

#include "domains/trees/fghc/recording.h"

#define RECORDING_MAGIC "WEFTFGHC"
enum { RECORDING_VERSION = 2, BLOCK_MAGIC = 0x4b434c42, BLOCK_LAST = 1 };

struct recording_header {
    char magic[8];
    uint32_t version, pes;
    uint32_t n_texts; /* each: struct recording_text, its path, its text */
    uint32_t goal;    /* bytes of the goal, behind the texts */
    uint64_t bytes;   /* of all that is before the first block */
    uint64_t hash;    /* of the fields before this and what is behind it */
};

struct recording_text {
    uint64_t path, text; /* bytes */
};

struct recording_block {
    uint32_t magic;
    uint16_t pe, flags;
    uint32_t bytes, n_records;
    uint64_t begin, end;  /* ticks: of the first entry's base, and when it was written */
    uint64_t ns;          /* of the clock, at the end */
    uint64_t first_index; /* reductions of the PE before the block */
    uint64_t hash;        /* of the fields before this and the entries */
};

/* ---- What was read of it ---- */

struct place { /* of a block */
    uint64_t offset;
    uint64_t begin;
    uint32_t bytes, n_records;
};

struct pe_blocks {
    struct place *list;
    size_t n, capacity;
    uint64_t n_records;
    uint64_t end; /* ticks: all of the PE until then is known */
    bool is_whole,
        stops; /* stops: one of its blocks is missing, so none is read after it */
};

struct fghc_recording {
    int fd;
    char *path;
    struct recording_header header;
    struct pe_blocks *pes;
    struct program program;
    uint64_t first_tick, cutoff; /* records are read that are not later */
    double scale;                /* ns a tick */
    uint64_t last_tick, first_ns, last_ns;
    uint64_t n_records;
    uint64_t damaged_bytes, n_damages, first_damage; /* the place of the first */
    struct weft_err failure;                         /* while it is walked through */
};

/* All N bytes at OFFSET.  Errors: WEFT_ERR_READ, also when the file is shorter by now. */
bool recording_read_at(const struct fghc_recording *recording, void *to, size_t n,
                       uint64_t offset, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Find all blocks of a file of SIZE bytes, also those behind damaged ones, and until when all
 * PEs are known.  Errors: WEFT_ERR_READ.
 */
bool recording_find_blocks(struct fghc_recording *recording, uint64_t size,
                           struct weft_err *err) WEFT_MUST_CHECK;
void recording_note_damage(struct fghc_recording *recording, uint64_t offset,
                           uint64_t bytes);
uint64_t recording_nanoseconds(const struct fghc_recording *recording, uint64_t tick);

enum entry_kind {
    ENTRY_NEXT,  /* a reduction whose parent is the one before it on the same PE */
    ENTRY_OWN,   /* of the same PE: how many reductions before */
    ENTRY_OTHER, /* the parent's PE and index */
    ENTRY_ROOT,  /* without parent */
    ENTRY_WAIT,  /* of the reduction that follows */
    ENTRY_IDLE,
};
enum {
    ENTRY_KINDS = 8,
    MOST_SHORT_CLAUSE = 30, /* in the five bits above the kind; 31: a number follows */
};

#endif
