/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a recording's file, in the byte order of the machine that wrote it. */
#ifndef WEFT_FGHC_RECORDING_PRIV_H
#define WEFT_FGHC_RECORDING_PRIV_H

#include "domains/trees/fghc/recording.h"

#define RECORDING_MAGIC "WEFTFGHC"
enum { RECORDING_VERSION = 2, BLOCK_MAGIC = 0x4b434c42, BLOCK_LAST = 1 };

struct recording_header {
    char magic[8];
    uint32_t version, pes;
    uint32_t n_texts; /* each: struct recording_text, its path, its text */
    uint32_t goal;    /* bytes of the goal, which follows the texts */
    uint64_t bytes;   /* up to the first block */
    uint64_t hash;    /* of the fields above, the texts and the goal */
};

struct recording_text {
    uint64_t path, text; /* their lengths in bytes */
};

struct recording_block {
    uint32_t magic;
    uint16_t pe, flags;
    uint32_t bytes, n_records;
    uint64_t begin, end;  /* ticks: of the first entry, and when the block was written */
    uint64_t ns;          /* from the start of the run, at `end` */
    uint64_t first_index; /* reductions of the PE before the block */
    uint64_t hash;        /* of the fields above and the entries */
};

/* ---- An open recording ---- */

struct block_place { /* where a block's entries are */
    uint64_t offset;
    uint64_t begin; /* ticks */
    uint32_t bytes, n_records;
};

struct pe_blocks { /* the blocks of a PE, in order */
    struct block_place *list;
    size_t n, capacity;
    uint64_t n_records;
    uint64_t end; /* ticks: up to here all of the PE's reductions are known */
    bool is_whole,
        stops; /* is_whole: has its last block; stops: a block before that is missing */
};

struct fghc_recording {
    int fd;
    char *path;
    struct recording_header header;
    struct pe_blocks *pes;
    struct program program;
    uint64_t first_tick, cutoff; /* cutoff: the tick after which records are left out */
    double scale;                /* ns per tick */
    uint64_t last_tick, first_ns, last_ns;
    uint64_t n_records;
    uint64_t damaged_bytes, n_damages, first_damage; /* first_damage: an offset */
    struct weft_err failure;                         /* of an iteration (fghc_order) */
};

/* Reads N bytes at OFFSET.  Errors: WEFT_ERR_READ, also when the file has become
 * shorter. */
bool recording_read_at(const struct fghc_recording *recording, void *to, size_t n,
                       uint64_t offset, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Finds the blocks of a file of SIZE bytes, also those behind damaged bytes, and sets the
 * scale of ticks and the cutoff.  Reads the whole file.  Errors: WEFT_ERR_READ.
 */
bool recording_find_blocks(struct fghc_recording *recording, uint64_t size,
                           struct weft_err *err) WEFT_MUST_CHECK;
/* Counts BYTES damaged bytes at OFFSET in the file as one damage. */
void recording_note_damage(struct fghc_recording *recording, uint64_t offset,
                           uint64_t bytes);
/* Converts a tick to ns from the start of the run, at least 0 and at most 10^18. */
uint64_t recording_nanoseconds(const struct fghc_recording *recording, uint64_t tick);

/* Kinds of entries, and the numbers that follow the kind. */
enum entry_kind {
    ENTRY_NEXT,  /* a reduction whose parent is the previous one of the same PE */
    ENTRY_OWN,   /* a reduction with a parent on the same PE: its distance in reductions */
    ENTRY_OTHER, /* a reduction with a parent elsewhere: its PE and index */
    ENTRY_ROOT,  /* a reduction without a parent */
    ENTRY_WAIT,  /* struct fghc_wait of the reduction that follows */
    ENTRY_IDLE,  /* from when and until when the PE was idle */
};
enum {
    ENTRY_KINDS = 8,
    MAX_SHORT_CLAUSE = 30, /* in the five bits above the kind; 31: a number follows */
};

#endif
