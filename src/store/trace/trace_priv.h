/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside an open store.  trace.c, block_directory.c and index_and_sum_tables.c open it,
 * sections.c checks its header and tables, check_blocks.c and check_state_changes.c check
 * its blocks, and damage.c lists the damage found.  The other files answer the queries of
 * source.h.
 *
 * The file is untrusted.  Tables are checked against each other once, when the store is
 * opened; a block is checked at the first touch, and weft_trace_block() returns NULL if it
 * is damaged.  So the queries need no checks of their own.
 */
#ifndef WEFT_STORE_TRACE_PRIV_H
#define WEFT_STORE_TRACE_PRIV_H

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/trace/trace.h"

/* An open store; made by weft_trace_open, freed by weft_trace_close. */
struct weft_trace {
    struct weft_source source; /* first: a source is turned back into its trace */
    struct weft_schema schema;
    struct weft_mapping map; /* the whole file */
    /* The file, and its stat when it was opened; NULL if changes cannot be detected. */
    const char *path;
    struct stat written;
    /* opened while the store is built: the mapped pages that were read may be dropped */
    bool is_read_once;
    /* memory of the header, of the file's tables and of the schema */
    struct weft_arena arena;
    const struct weft_file_header *header; /* a copy, in the arena */
    /* Copies, so that checked tables stay valid if another process overwrites the file. */
    const unsigned char *tables[WEFT_SECTION_LIMIT]; /* by section; NULL: large, or empty */
    /* Damaged, or useless because another table is damaged: read as empty. */
    bool lost[WEFT_SECTION_LIMIT];

    /* Tables of format/store_layout.h, with n_codes ... elements.  A track's part of each
       begins at its first_code, first_block, first_depth or first_column. */
    const struct weft_file_track *tracks;    /* [schema.n_tracks] */
    const uint32_t *codes;                   /* values, by a track's code - 1 */
    const struct weft_file_block *directory; /* blocks of tracks and of field columns */
    const uint16_t *depths; /* states: lowest depth in each WEFT_DIRECTORY_STEP blocks */
    const struct weft_file_sample_block *samples; /* variables: summary of each block */
    const int64_t *reach;                         /* links: latest time in each block */
    const struct weft_file_column *columns;       /* one for each field that a track has */
    const struct weft_file_block *link_ends; /* blocks of ids of links, by link_index */
    /* [schema.n_containers]; NULL: there are no links, or the table is lost */
    const struct weft_file_link_index *link_index;
    uint64_t n_codes, n_blocks, n_depths, n_samples, n_reach, n_columns, n_link_ends;

    const struct weft_file_mip *mips; /* by type, then group size, then first track */
    const uint8_t *shares;
    const uint32_t *share_checksums; /* one for each WEFT_SHARE_PIECE bytes of shares */
    uint64_t n_mips, n_shares, n_share_pieces;
    const uint32_t *track_numbers; /* final number of the track that was made n-th */
    /* by track: its position among the tracks of its type, in tree order */
    uint32_t *type_position;

    const struct weft_file_index *indexes;        /* of fields, and of links by entity */
    const struct weft_file_block *index_blocks;   /* of indexes, and of sums of links */
    const struct weft_file_pair_tree *pair_trees; /* by track, at most two each */
    const struct weft_file_pair_node *pair_nodes; /* of a tree: from its first_node on */
    const uint32_t *pair_ends; /* containers; of a tree: n_ends from its first_end on */
    uint64_t n_indexes, n_index_blocks, n_pair_trees, n_pair_nodes, n_pair_ends;

    const struct weft_file_grid *grids[WEFT_GRID_KINDS]; /* NULL: none of the kind */
    const struct weft_file_grid_block *grid_blocks;
    uint64_t n_grid_blocks;

    struct weft_trace_checks *checks;       /* which blocks were checked */
    struct weft_trace_damage_list *damaged; /* damage found so far */
};

/* Returns the trace whose weft_trace_source() SOURCE is; not for other kinds of sources. */
static inline const struct weft_trace *weft_trace_of(const struct weft_source *source)
{
    return (const struct weft_trace *)(const void *)source;
}

/*
 * Checks the header, and copies and checks the tables of the mapped file (trace->map); PATH
 * is for messages.  Damaged tables that queries can do without are marked in trace->lost;
 * returns false with WEFT_ERR_FORMAT if the header or any other table is damaged.
 */
bool weft_trace_load_sections(struct weft_trace *trace, const char *path,
                              struct weft_err *err);
/*
 * Adds the damaged tables to the trace's list of damage; not those that are lost only
 * because another one is damaged.  Call it after weft_trace_load_sections(),
 * weft_trace_damage_begin(), and after the schema is loaded.
 */
void weft_trace_note_lost(const struct weft_trace *trace);

/*
 * Returns a section as *COUNT elements of ELEMENT bytes: the copy of a table, or the mapped
 * bytes of a large section.  *COUNT is 0 if the section is empty or lost (trace->lost); the
 * pointer is never NULL.
 */
const void *weft_trace_section(const struct weft_trace *trace, enum weft_section_kind kind,
                               size_t element, uint64_t *count);
/* Returns true if the slice [first, first + count) lies within LIMIT elements. */
static inline bool weft_fits(uint64_t first, uint64_t count, uint64_t limit)
{
    return first <= limit && count <= limit - first;
}
/*
 * Loads the tables of indexes and of sums of links.  Call it when the schema, its tracks
 * and the index of links by container (trace->link_ends) are loaded.  Returns false if they
 * contradict other tables.
 */
bool weft_trace_load_indexes(struct weft_trace *trace);

/*
 * Finds the directory of blocks and the other tables that the N_TRACKS elements of
 * trace->tracks refer to.  Call it when these and the schema's types, fields, values and
 * containers are loaded.  Returns false if a table contradicts another one.
 */
bool weft_trace_load_directory(struct weft_trace *trace, uint32_t n_tracks);
/*
 * Loads the tables of grids (store/integer_grid.h).  Returns false if they are
 * inconsistent.
 */
bool weft_trace_load_grids(struct weft_trace *trace);
/*
 * Loads the tables of mips and shares (store/mipmaps.h).  Call it when the schema and its
 * tracks are loaded.  Returns false if they are inconsistent.
 */
bool weft_trace_load_shares(struct weft_trace *trace);
/*
 * Returns true if BLOCK begins, aligned to 8, within the file's section INDEX_ROWS or DATA
 * and has 1 to WEFT_BLOCK_ROWS rows.
 */
bool weft_trace_is_row_block(const struct weft_trace *trace,
                             const struct weft_file_block *block);

/* ---- Damage (damage.c) ---- */

/* Makes trace->damaged, an empty list; weft_trace_damage_end() frees it. */
void weft_trace_damage_begin(struct weft_trace *trace);
/* Frees trace->damaged, which may be NULL. */
void weft_trace_damage_end(struct weft_trace *trace);
/*
 * Adds DAMAGE to the list; any thread may call it.  Unlinks the file if it is a cache
 * entry that weft_trace_expendable() declared.
 */
void weft_trace_note_damage(const struct weft_trace *trace, struct weft_damage damage);

/* ---- Blocks are checked at the first touch (check_blocks.c) ---- */

/*
 * Makes trace->checks, by which no block counts as checked yet; call it when all tables are
 * loaded.  weft_trace_checks_end() frees it.
 */
void weft_trace_checks_begin(struct weft_trace *trace);
/* Frees trace->checks, which may be NULL. */
void weft_trace_checks_end(struct weft_trace *trace);
/*
 * Returns the bytes of a block, *LEFT of them readable; NULL if it is damaged.  The first
 * call verifies its checksum and all that decoding relies on, and lists damage; later calls
 * cost a load.
 * BLOCK is an element of the directory, of LINK_ENDS or of the blocks of indexes.
 */
const unsigned char *weft_trace_block(const struct weft_trace *trace,
                                      const struct weft_file_block *block, size_t *left);
/*
 * Returns true if block INDEX (from 0, among the track's) of a state track has the checksum
 * of its directory entry, is well-formed, and agrees with that entry and the track.  AT:
 * the block's bytes; LEFT bytes are readable there.
 */
bool weft_trace_changes_good(const struct weft_trace *trace,
                             const struct weft_file_track *track, uint64_t index,
                             const unsigned char *at, size_t left);
/*
 * Returns the bytes of BLOCK in the mapped file, *LEFT of them up to the file's end,
 * unchecked: only for prefetching.
 */
static inline const unsigned char *weft_trace_fetch(const struct weft_trace *trace,
                                                    const struct weft_file_block *block,
                                                    size_t *left)
{
    *left = trace->map.size - block->offset;
    return trace->map.data + block->offset;
}
/*
 * Returns the bytes of a block of a grid, by its index in trace->grid_blocks (below
 * n_grid_blocks); NULL if it is damaged.  The first call for a block verifies it.
 */
const unsigned char *weft_trace_grid_bytes(const struct weft_trace *trace, uint64_t block);
/*
 * Verifies the pieces of WEFT_SHARE_PIECE bytes that hold bytes [FIRST, FIRST + SIZE) of
 * the shares, each once; returns false if one is damaged, which is listed as damage.
 */
bool weft_trace_shares_good(const struct weft_trace *trace, uint64_t first, uint64_t size);

/*
 * Binary search: returns the index of the last of N directory entries with time <= TIME; -1
 * if there is none.
 */
ptrdiff_t weft_block_before(const struct weft_file_block *blocks, size_t n, int64_t time);
/*
 * Returns the index of the first of N blocks, in order of time, that may hold TIME: the
 * last one that begins before it, or 0.
 */
size_t weft_block_at(const struct weft_file_block *blocks, size_t n, int64_t time);
/*
 * Returns the index of the last of N blocks that begins before TIME, or 0, like
 * weft_block_at(); cheap if the index GUESS, below N, is near the result.
 */
size_t weft_block_near(const struct weft_file_block *blocks, size_t n, int64_t time,
                       size_t guess);
/*
 * Returns the index of the last of N directory entries whose first ordinal is at most
 * ORDINAL; 0 if there is none.
 */
size_t weft_block_of_ordinal(const struct weft_file_block *blocks, size_t n,
                             uint64_t ordinal);

/* Where the parts of an encoded block of state changes begin in the mapped file. */
struct weft_change_parts {
    struct weft_change_header header;
    /* stack: header.depth times code << 40 | ordinal; sums: packed, none if header.n_codes
       is 0; deltas, operations: header.n cells; long_deltas: header.n_long times 8 bytes,
       for the rows in long_rows, 2 bytes each, whose cells in deltas are 0 */
    const unsigned char *stack, *sums, *deltas, *long_deltas, *long_rows, *operations;
};
/*
 * Sets PARTS, which point into the block at AT (aligned to 8), of which LEFT bytes are
 * readable.  Returns the block's size; 0 if its header is damaged or it exceeds LEFT.  Does
 * not verify the checksum.
 */
size_t weft_change_parts(const unsigned char *at, size_t left,
                         struct weft_change_parts *parts);

/* Returns cell I of a column of deltas or of operations, WIDTH (1, 2, 4, 8) bytes wide. */
static inline uint64_t weft_change_cell(const unsigned char *column, size_t i,
                                        unsigned width)
{
    switch (width) {
    case 1: return column[i];
    case 2: return ((const uint16_t *)(const void *)column)[i];
    case 4: return ((const uint32_t *)(const void *)column)[i];
    default: return ((const uint64_t *)(const void *)column)[i];
    }
}
/*
 * Returns how many changes of a block that begins at BEGIN are at TIME or earlier (TIME >=
 * BEGIN).  Sets *LAST to the time of the last one counted, or to BEGIN.
 */
size_t weft_changes_until(const struct weft_change_parts *parts, int64_t begin,
                          int64_t time, int64_t *last);

/* A block of state changes, decoded. */
struct weft_changes {
    size_t n;
    size_t depth;          /* of the stack before the first change */
    const uint64_t *stack; /* [depth] code << 40 | ordinal, outermost first; in the file */
    const unsigned char *sums; /* sums before the first change, packed; or NULL */
    unsigned sum_width;
    uint32_t n_codes;   /* codes in sums */
    uint32_t sums_back; /* the latest block with sums is this many blocks back */
    uint64_t times[WEFT_BLOCK_ROWS];      /* absolute ticks, as int64_t bits */
    uint64_t operations[WEFT_BLOCK_ROWS]; /* code << 2 | enum weft_change_kind */
};
/* Returns sum I, in ticks: n_codes self times, then n_codes totals.  SUMS is not NULL. */
static inline int64_t weft_changes_sum(const struct weft_changes *changes, size_t i)
{
    /* Eight bytes can always be read: the deltas of at least one row follow. */
    uint64_t sum;
    memcpy(&sum, changes->sums + i * changes->sum_width, sizeof sum);
    return (int64_t)(sum & UINT64_MAX >> (64 - 8 * changes->sum_width));
}
/*
 * Decodes a state track's block with index BLOCK in the track; returns false, with OUT->n =
 * 0, if it is damaged.
 */
bool weft_changes_decode(const struct weft_trace *trace,
                         const struct weft_file_track *track, size_t block,
                         struct weft_changes *out);

/* Returns the value that a track's CODE stands for; WEFT_NONE for 0 or an invalid code. */
static inline uint32_t weft_code_value(const struct weft_trace *trace,
                                       const struct weft_file_track *track, uint64_t code)
{
    return code && code <= track->n_codes ? trace->codes[track->first_code + code - 1]
                                          : WEFT_NONE;
}

/*
 * Decodes the first N_COLUMNS columns (at most 31) of a block of rows; doubles as their
 * bits.  Returns the number of rows; 0 if it is damaged or has fewer columns.
 */
size_t weft_rows_decode(const struct weft_trace *trace, const struct weft_file_block *block,
                        int64_t columns[][WEFT_BLOCK_ROWS], size_t n_columns);
/*
 * Decodes column c of a block of rows into COLUMNS[c] if bit c of WANTED is set, and leaves
 * the other elements alone; doubles as their bits.  Returns the number of rows; 0 if it is
 * damaged or lacks a wanted column.
 */
size_t weft_rows_columns(const struct weft_trace *trace,
                         const struct weft_file_block *block,
                         int64_t columns[][WEFT_BLOCK_ROWS], uint32_t wanted);
/*
 * Reads the first N_COLUMNS cells, as stored and integers all, of row ROW (from 0) of a
 * block of rows into CELLS; returns false if the block is damaged or has no such row or
 * fewer columns.
 */
bool weft_rows_row(const struct weft_trace *trace, const struct weft_file_block *block,
                   uint64_t row, int64_t *cells, size_t n_columns);
/*
 * Decodes a block of an index (rows of key, track and ordinal) into COLUMNS, by enum
 * weft_index_column; keys and ordinals, stored as differences, become absolute.  Returns
 * the number of rows, 0 if the block is damaged.
 */
size_t weft_index_decode(const struct weft_trace *trace,
                         const struct weft_file_block *block,
                         int64_t columns[WEFT_INDEX_COLUMNS][WEFT_BLOCK_ROWS]);
/*
 * Sets *OUT to the value of FIELD (an index in the schema's fields) whose bits in the file
 * are BITS; ids of entities get the final number of their track.  Returns false, *OUT not
 * to be used, if it names a text, site, container or track that does not exist.  Call it
 * when trace->track_numbers and the schema's tables are loaded.
 */
bool weft_trace_field_value(const struct weft_trace *trace, uint32_t field, int64_t bits,
                            struct weft_field_value *out);
/*
 * Turns N differences in TIMES into absolute times: each is added to the time before it,
 * and the first one, which is usually 0, to FIRST.
 */
void weft_times_from_deltas(int64_t *times, size_t n, int64_t first);

/*
 * Returns the end of the last sample of TRACK, which has samples: the later of its
 * container's end and the time of that sample.
 */
int64_t weft_samples_end(const struct weft_trace *trace,
                         const struct weft_file_track *track);

/*
 * weft_run_states(), weft_run_events(), weft_run_samples(), weft_run_links(): each decodes
 * BLOCK (a directory entry) of TRACK, an index of a track of that kind, into OUT's array
 * and n.  The caller sets out->first and out->n = 0 before; n stays 0 if the block is
 * damaged.
 */
void weft_run_states(const struct weft_trace *trace, uint32_t track,
                     const struct weft_file_block *block, struct weft_run *out);
void weft_run_events(const struct weft_trace *trace, uint32_t track,
                     const struct weft_file_block *block, struct weft_run *out);
void weft_run_samples(const struct weft_trace *trace, uint32_t track,
                      const struct weft_file_block *block, struct weft_run *out);
void weft_run_links(const struct weft_trace *trace, uint32_t track,
                    const struct weft_file_block *block, struct weft_run *out);

/*
 * The queries of a trace: each is the member of its name, without weft_trace_, of struct
 * weft_source_ops (store/source.h), with the same arguments: weft_trace_states() visits the
 * states of a track that overlap a window, and so on.
 */
void weft_trace_states(const struct weft_source *, uint32_t, struct weft_span,
                       bool (*)(void *, const struct weft_state *), void *);
bool weft_trace_state(const struct weft_source *, uint64_t, struct weft_state *);
uint64_t weft_trace_density(const struct weft_source *, uint32_t, struct weft_span);
void weft_trace_shares(const struct weft_source *, const struct weft_share_query *);
void weft_trace_sums(const struct weft_source *, const uint32_t *, size_t, struct weft_span,
                     struct weft_sum *);
void weft_trace_events(const struct weft_source *, uint32_t, struct weft_span,
                       bool (*)(void *, const struct weft_event *), void *);
bool weft_trace_event(const struct weft_source *, uint64_t, struct weft_event *);
void weft_trace_samples(const struct weft_source *, uint32_t, struct weft_span,
                        bool (*)(void *, const struct weft_sample *), void *);
void weft_trace_envelope(const struct weft_source *, uint32_t, struct weft_span, size_t,
                         struct weft_envelope *);
void weft_trace_integrals(const struct weft_source *, uint32_t, const int64_t *, size_t,
                          double *);
void weft_trace_links(const struct weft_source *, uint32_t, struct weft_span,
                      bool (*)(void *, const struct weft_link *), void *);
void weft_trace_links_at(const struct weft_source *, uint32_t, bool, struct weft_span,
                         bool (*)(void *, const struct weft_link *), void *);
bool weft_trace_link(const struct weft_source *, uint64_t, struct weft_link *);
size_t weft_trace_fields(const struct weft_source *, uint64_t, struct weft_field_value *,
                         size_t);
void weft_trace_column(const struct weft_source *, uint32_t, uint32_t,
                       bool (*)(void *, const struct weft_field_run *), void *);
void weft_trace_field_range(const struct weft_source *, uint32_t, uint32_t, uint64_t,
                            uint64_t, bool (*)(void *, const struct weft_field_run *),
                            void *);
void weft_trace_all_fields(const struct weft_source *, uint32_t, uint64_t, uint64_t,
                           bool (*)(void *, uint32_t, const struct weft_field_run *),
                           void *);
void weft_trace_values_at(const struct weft_source *, const uint32_t *, size_t, int64_t,
                          struct weft_innermost *);
void weft_trace_changes(const struct weft_source *, uint32_t, struct weft_span,
                        const uint8_t *,
                        bool (*)(void *, const struct weft_innermost_change *, size_t),
                        void *);
void weft_trace_classes(const struct weft_source *, uint32_t, struct weft_span,
                        const struct weft_classing *,
                        bool (*)(void *, const struct weft_class_run *), void *);
void weft_trace_class_ticks(const struct weft_source *, const struct weft_class_query *,
                            size_t, const struct weft_classing *,
                            int64_t (*)[WEFT_TALLIES]);
bool weft_trace_find(const struct weft_source *, const struct weft_field_value *,
                     bool (*)(void *, uint64_t), void *);
void weft_trace_links_of(const struct weft_source *, uint64_t, bool,
                         bool (*)(void *, const struct weft_link *), void *);
void weft_trace_pair_sums(const struct weft_source *, const uint32_t *, size_t,
                          struct weft_span, struct weft_pair_sums *);
void weft_trace_pairs_pending(const struct weft_source *, const uint32_t *, size_t, int64_t,
                              struct weft_pair_sums *);
void weft_trace_run(const struct weft_source *, uint32_t, uint64_t, struct weft_run *);
uint64_t weft_trace_rank(const struct weft_source *, uint32_t, int64_t);
struct weft_near weft_trace_near(const struct weft_source *,
                                 const struct weft_near_query *);
size_t weft_trace_damage(const struct weft_source *, size_t, struct weft_damage *, size_t);
uint64_t weft_trace_grid_rows(const struct weft_source *, enum weft_grid_kind);
const unsigned char *weft_trace_grid_block(const struct weft_source *, enum weft_grid_kind,
                                           uint64_t);

#endif
