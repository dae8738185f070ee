/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a recording's file, in the byte order of the machine that wrote it. */
#ifndef WEFT_FGHC_RECORDING_PRIV_H
#define WEFT_FGHC_RECORDING_PRIV_H

#include "domains/trees/fghc/recording.h"

/* The first 8 bytes of a recording's file, without a NUL. */
#define RECORDING_MAGIC "WEFTFGHC"
/* In a recording's file: the version of its header; the first bytes of a block; the flag of
 * a PE's (thread's) last block. */
enum { RECORDING_VERSION = 2, BLOCK_MAGIC = 0x4b434c42, BLOCK_LAST = 1 };

/* The begin of a recording's file. */
struct recording_header {
    char magic[8];         /* RECORDING_MAGIC */
    uint32_t version, pes; /* RECORDING_VERSION; threads of the run */
    uint32_t n_texts;      /* each: struct recording_text, its path, its text */
    uint32_t goal;         /* bytes of the goal, which follows the texts */
    uint64_t bytes;        /* of this, the texts and the goal: the first block's offset */
    uint64_t hash;         /* of the fields above, the texts and the goal */
};

/* Precedes the path and the text of each file of the program in a recording. */
struct recording_text {
    uint64_t path, text; /* their lengths in bytes */
};

/* Precedes the entries of a block in a recording's file. */
struct recording_block {
    uint32_t magic;            /* BLOCK_MAGIC */
    uint16_t pe, flags;        /* the thread, from 0; BLOCK_LAST or 0 */
    uint32_t bytes, n_records; /* of its entries; reductions in them */
    uint64_t begin, end;  /* ticks: of the first entry, and when the block was written */
    uint64_t ns;          /* from the start of the run, at `end` */
    uint64_t first_index; /* reductions of the PE before the block */
    uint64_t hash;        /* of the fields above and the entries */
};

/* ---- An open recording ---- */

struct block_place {           /* where a block's entries are in the file */
    uint64_t offset;           /* of the first entry */
    uint64_t begin;            /* tick of the first entry */
    uint32_t bytes, n_records; /* of the entries; reductions in them */
};

struct pe_blocks { /* the blocks of a PE (thread) that have entries, in order */
    struct block_place *list;
    size_t n, capacity;
    uint64_t n_records; /* reductions in all of them */
    uint64_t end;       /* tick until which all of the PE's reductions are known */
    /* is_whole: all blocks up to the PE's last were found.  stops: one is missing; those
     * behind it are left out. */
    bool is_whole, stops;
};

/* An open recording, made by fghc_recording_open(), freed by fghc_recording_close(). */
struct fghc_recording {
    int fd; /* locked (flock); -1: not open */
    char *path;
    struct recording_header header;
    struct pe_blocks *pes;  /* [header.pes] */
    struct program program; /* compiled from the texts in the file */
    /* cutoff: the tick after which records are left out; UINT64_MAX: none. */
    uint64_t first_tick, cutoff;
    double scale;                          /* ns per tick */
    uint64_t last_tick, first_ns, last_ns; /* the clocks at the first and the last block */
    uint64_t n_records;                    /* reductions in the blocks of all PEs */
    uint64_t damaged_bytes, n_damages, first_damage; /* first_damage: an offset */
    struct weft_err failure;                         /* of an iteration (fghc_order) */
};

/* Reads exactly N bytes at OFFSET of the recording's file into TO.  Returns false with
 * WEFT_ERR_READ, also when the file ends before. */
bool recording_read_at(const struct fghc_recording *recording, void *to, size_t n,
                       uint64_t offset, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Finds the blocks of a recording whose header was read, in a file of SIZE bytes, also
 * blocks behind damaged bytes, and sets the scale of ticks and the cutoff.  Reads the whole
 * file. Returns false with WEFT_ERR_READ; damage is counted, and no error.
 */
bool recording_find_blocks(struct fghc_recording *recording, uint64_t size,
                           struct weft_err *err) WEFT_MUST_CHECK;
/* Counts BYTES bytes at OFFSET in the recording's file as one damage, for
 * fghc_recording_loss(). */
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
/* An entry's first byte: its kind + ENTRY_KINDS * the clause of a reduction. */
enum {
    ENTRY_KINDS = 8,       /* values of the three bits of the kind */
    MAX_SHORT_CLAUSE = 30, /* in the five bits above the kind; 31: a number follows */
};

#endif
