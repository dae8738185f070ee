/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .weft store, byte by byte.  Little-endian; every section and block begins at a
 * multiple of 8.  Written once, mapped read-only afterwards.
 *
 *     0  struct weft_file_header          4096 bytes with its padding
 *  4096  WEFT_SECTION_DATA                blocks of all tracks, in the order they filled up
 *   ...  the other sections               tables, directories, summaries
 *
 * The header lists the sections with their offsets, sizes and checksums (XXH3, 64 bit).
 * Three sections have no checksum of their own, as they are checked in parts at the first
 * touch: each block in DATA and INDEX_ROWS has its checksum in its directory entry (grids:
 * in GRID_BLOCKS), and SHARES has one for each 4096 bytes in SHARE_CHECKSUMS.
 *
 * Tables are sorted by their owner, without gaps: the directory has the blocks of track 0,
 * of its field columns, of track 1, and so on; so do codes, columns and summaries.  A
 * slice that does not begin where the one before ends is damage.  Times are within the
 * limits of store/schema.h.
 *
 * A track is a list of blocks.  The directory has one entry for each block; a track's
 * entries are adjacent and in time order.  The content of a block depends on the kind of
 * its track:
 *
 * State track.  The stack of open states as a list of changes: at each change time one
 * state opens or closes.  A block holds up to 256 changes:
 *
 *     struct weft_change_header  16 bytes
 *     u64 stack[depth]           open at the first change, outermost first: code << 40
 *                                | ordinal
 *     self[n_codes]              ticks that each code was innermost before the first change
 *     total[n_codes]             ticks that some level had it; each in sum_width bytes, the
 *                                fewest that hold them all, together padded to 8
 *     u8|u16|u32|u64 delta[n]    time since the change before (0 for the first), padded
 *                                to 8
 *     u64 long_delta[n_long]     deltas that do not fit, in order ...
 *     u16 long_row[n_long]       ... and their rows (delta is 0 there), padded to 8
 *     u8|u16|u32 operation[n]    code of the innermost state after the change << 2 | kind
 *
 * Codes number the values of a track from 1 in order of appearance (0: no state); the
 * track's slice of WEFT_SECTION_CODES translates code - 1 to a value.  A block has sums
 * only if enough changes came since the last sums to pay for them (sums_back counts the
 * blocks back to those; before the first they are 0).  Ordinals count a track's states in
 * order of opening.
 *
 * Event track: up to 256 rows of delta (time) and code.
 *
 * Variable track: up to 256 rows of delta (time) and value (doubles, or integers less their
 * minimum in 0, 1, 2 or 4 bytes).
 *
 * Link track: up to 256 rows, all links of the track sorted by min(begin, end): delta (of
 * that minimum), and columns for the rest.
 *
 * Field column: up to 256 rows of ordinal (less that of the row before, less 1; 0 for the
 * first) and value.
 *
 * Columns of integers are "less the minimum, in the fewest of 0, 1, 2, 4, 8 bytes".
 */
#ifndef WEFT_FORMAT_STORE_LAYOUT_H
#define WEFT_FORMAT_STORE_LAYOUT_H

#include <assert.h>
#include <stdint.h>

/* The first 8 bytes of a store, without the NUL. */
#define WEFT_STORE_MAGIC "\211WEFT\r\n\032"

/* Sizes in a store, and its version. */
enum {
    WEFT_STORE_VERSION = 5,        /* other versions are not read */
    WEFT_STORE_HEADER_SIZE = 4096, /* bytes before DATA */
    WEFT_BLOCK_ROWS = 256,         /* rows, or state changes, of a block: at most */
    WEFT_DIRECTORY_STEP = 64,      /* directory entries that one entry of DEPTHS covers */
    WEFT_SHARE_PIECE = 4096,       /* bytes of SHARES that have a checksum of their own */
};

/*
 * The sections; a section without a comment is an array of the struct of its name (TYPES:
 * struct weft_file_type).  Rows are named by index in their table, as in store/schema.h,
 * WEFT_NONE for no row.  Fields called `reserved` are 0.
 */
enum weft_section_kind {
    WEFT_SECTION_DATA = 1,
    WEFT_SECTION_TEXT,    /* all strings, each NUL-terminated */
    WEFT_SECTION_STRINGS, /* u64 offsets into TEXT: texts of fields, keys of links */
    WEFT_SECTION_TYPES,
    WEFT_SECTION_CONTAINERS,
    WEFT_SECTION_VALUES,
    WEFT_SECTION_FIELDS,
    WEFT_SECTION_SITES,
    WEFT_SECTION_TRACKS,    /* in order of their containers in the preorder of the tree */
    WEFT_SECTION_CODES,     /* u32 index of a value for each code, by track */
    WEFT_SECTION_DIRECTORY, /* struct weft_file_block: the blocks in DATA */
    WEFT_SECTION_DEPTHS,    /* u16 lowest depth of each 64 directory entries, by track */
    WEFT_SECTION_SAMPLES,   /* struct weft_file_sample_block, parallel to the directory of
                                variable tracks */
    WEFT_SECTION_REACH,     /* i64 latest time of each block, parallel to the directory of
                                link tracks */
    WEFT_SECTION_COLUMNS,   /* struct weft_file_column: the field columns of the tracks */
    /* struct weft_file_block: directory of blocks in DATA that list the ends of links by
       (container; leaving, then reaching it; time at that end): rows of enum
       weft_index_column, with key 0 */
    WEFT_SECTION_LINK_ENDS,
    WEFT_SECTION_LINK_INDEX, /* by container, struct weft_file_link_index: in LINK_ENDS */
    WEFT_SECTION_PROBLEMS,
    WEFT_SECTION_NOTES,
    WEFT_SECTION_MIPS,             /* struct weft_file_mip; may be absent */
    WEFT_SECTION_SHARES,           /* u8 shares of the mips' bins; may be absent */
    WEFT_SECTION_CONTAINER_FIELDS, /* struct weft_file_container_field, by container */
    WEFT_SECTION_HOSTS,
    WEFT_SECTION_CLOCKS,
    WEFT_SECTION_CLOCK_KNOTS,     /* struct weft_file_clock_knot: slices of the clocks */
    WEFT_SECTION_TRACK_NUMBERS,   /* u32: the final number of the track that was made n-th;
                                   ids in fields are as they were given out */
    WEFT_SECTION_INDEXES,         /* struct weft_file_index */
    WEFT_SECTION_INDEX_BLOCKS,    /* struct weft_file_block: directory of INDEX_ROWS */
    WEFT_SECTION_INDEX_ROWS,      /* rows of the indexes and of the sums of links, in blocks
                                   like those of WEFT_SECTION_DATA */
    WEFT_SECTION_PAIR_TREES,      /* struct weft_file_pair_tree */
    WEFT_SECTION_PAIR_NODES,      /* struct weft_file_pair_node */
    WEFT_SECTION_PAIR_ENDS,       /* u32 containers */
    WEFT_SECTION_SHARE_CHECKSUMS, /* u32 for each 4096 bytes of SHARES: half of XXH3 */
    WEFT_SECTION_GRIDS,           /* struct weft_file_grid, by kind */
    WEFT_SECTION_GRID_BLOCKS,     /* struct weft_file_grid_block, by grid */
    WEFT_SECTION_LIMIT,           /* one more than the last kind */
};

/*
 * A section: bytes [offset, offset + size) of the file; size 0: absent or empty.  The
 * checksum (XXH3) is not used for DATA, INDEX_ROWS and SHARES, which are checked in parts.
 */
struct weft_file_section {
    uint64_t offset, size, checksum;
};

/* The first bytes of a store. */
struct weft_file_header {
    char magic[8];        /* WEFT_STORE_MAGIC, without its NUL */
    uint32_t version;     /* WEFT_STORE_VERSION */
    uint32_t header_size; /* bytes of this struct */
    uint64_t file_size;   /* bytes */
    uint64_t checksum;    /* XXH3 over this struct with this field 0 */
    /* ticks per second = numerator / denominator */
    uint64_t ticks_numerator, ticks_denominator;
    int64_t begin, end; /* span of the trace, in ticks */
    /* n_records: lines or records that were read to make the store */
    uint64_t n_records, n_states, n_events, n_samples, n_links;
    uint64_t format; /* name of the format that was read: offset in TEXT */
    uint64_t reserved[8];
    struct weft_file_section sections[WEFT_SECTION_LIMIT]; /* by enum weft_section_kind */
};
static_assert(sizeof(struct weft_file_header) <= WEFT_STORE_HEADER_SIZE, "header fits");

/* A row of TYPES: struct weft_type (store/schema.h) in the file. */
struct weft_file_type {
    uint64_t name, alias; /* offsets in TEXT; alias: id in the trace; "": the name */
    /* kind: enum weft_kind; parent: type of the container, WEFT_NONE for the root; color:
       0xAARRGGBB, 0: none; start_type, end_type: of a link's ends, else WEFT_NONE; slots:
       states: bytes of a bin of a mip (struct weft_file_mip) */
    uint32_t kind, parent, color, start_type, end_type, slots;
    uint32_t role, reserved; /* role: enum weft_role (what it means) */
};
static_assert(sizeof(struct weft_file_type) == 48, "no padding");

/* A row of CONTAINERS (threads, locks, machines): struct weft_container in the file. */
struct weft_file_container {
    uint64_t name, alias; /* offsets in TEXT; alias: id in the trace; "": the name */
    int64_t begin, end;   /* ticks */
    /* parent: WEFT_NONE for the root; flags: WEFT_END_IMPLIED: the trace did not end it */
    uint32_t type, parent, flags;
    uint32_t role;  /* enum weft_role (what it means); 0: the role of its type */
    uint32_t clock; /* WEFT_NONE: the clock of its parent */
    uint32_t place; /* sort key among its siblings: by place, then by creation */
};
static_assert(sizeof(struct weft_file_container) == 56, "no padding");

/* A row of CONTAINER_FIELDS: the value of one field of a container. */
struct weft_file_container_field {
    uint32_t container, field;
    int64_t value; /* an integer, a real's bits, or an index, as the field's kind says */
};
static_assert(sizeof(struct weft_file_container_field) == 16, "no padding");

/* A row of VALUES (names of states, events, links): struct weft_value in the file. */
struct weft_file_value {
    uint64_t name, alias; /* offsets in TEXT; alias: id in the trace; "": the name */
    int64_t self_ticks;   /* states: ticks that it was innermost, on all tracks together */
    /* color: 0xAARRGGBB, 0: none; rank: states: its place among the values of its type, by
       falling self_ticks, from 0; role: enum weft_role (what it means) */
    uint32_t type, color, rank, role;
};
static_assert(sizeof(struct weft_file_value) == 40, "no padding");

/* A flag of struct weft_file_field: an index finds entities by the field's value. */
enum { WEFT_FIELD_IS_INDEXED = 1 };

/* A row of FIELDS (attributes of entities): struct weft_field in the file. */
struct weft_file_field {
    uint64_t name; /* offset in TEXT */
    /* type: whose entities or containers may have it; kind: enum weft_field_kind; role:
       enum weft_role (what it means); flags: WEFT_FIELD_IS_INDEXED or 0 */
    uint32_t type, kind, role, flags;
};
static_assert(sizeof(struct weft_file_field) == 24, "no padding");

/* A row of HOSTS: a machine that the run used (struct weft_host). */
struct weft_file_host {
    uint64_t name, identity;       /* offsets in TEXT; identity: of its boot, or "" */
    uint32_t processors, reserved; /* processors: their number, 0: unknown */
};
static_assert(sizeof(struct weft_file_host) == 24, "no padding");

/* A row of CLOCKS: a clock whose times were corrected (struct weft_clock). */
struct weft_file_clock {
    uint64_t name;                /* offset in TEXT */
    uint64_t first_knot, n_knots; /* in CLOCK_KNOTS */
    /* bound of the error of corrected times, in the store's ticks; negative: unknown */
    int64_t error;
    uint32_t host, reserved; /* host: WEFT_NONE: unknown */
};
static_assert(sizeof(struct weft_file_clock) == 40, "no padding");

/* A row of CLOCK_KNOTS: a reading of the clock, and the store's time then. */
struct weft_file_clock_knot {
    int64_t raw, corrected; /* in ticks of the clock; in ticks of the store */
};

/*
 * An index: rows of (key, entity) sorted by key, then entity, in blocks of up to 256,
 * which lie in INDEX_ROWS.  The directory entry's `time` is a block's first key, its
 * `ordinal` the first row's ordinal on its track.  Columns: enum weft_index_column.
 */
enum weft_index_kind {
    WEFT_INDEX_FIELD, /* keys: values of an indexed field (reals as bits) */
    /* keys: entities that links leave; the rows' entities are links */
    WEFT_INDEX_LINKS_FROM,
    WEFT_INDEX_LINKS_TO, /* keys: entities that links reach */
    WEFT_INDEX_KINDS,    /* number of kinds */
};

/* The columns of an index's block of rows, in their order. */
enum weft_index_column {
    WEFT_INDEX_KEY,   /* key less that of the row before; first row: 0 */
    WEFT_INDEX_TRACK, /* of the row's entity */
    /* ordinal, or its difference to the row before, depending on weft_rows_header.form */
    WEFT_INDEX_ORDINAL,
    WEFT_INDEX_COLUMNS,
};

/* A row of INDEXES: one index, and where its rows are. */
struct weft_file_index {
    uint32_t kind;                  /* enum weft_index_kind */
    uint32_t field;                 /* the indexed one; WEFT_NONE: an index of links */
    uint64_t first_block, n_blocks; /* in INDEX_BLOCKS */
    uint64_t count;                 /* rows */
};
static_assert(sizeof(struct weft_file_index) == 32, "no padding");

/*
 * Sums of links by their two ends.  The links of a track, in order of begin, are cut into
 * leaves of 2^17; a leaf's node has a row for each pair of ends that occurs in it, and a
 * node of the next level sums four, and so on.  Nodes that would hardly be smaller than the
 * rows that they sum are left out.  Rows are sorted by pair, in blocks of up to 256: the
 * directory entry's `time` is the first pair.  Columns: enum weft_pair_column.
 *
 * A pair is (position of `from` * n_ends + position of `to`), positions among the ends of
 * the tree; an end that is missing (half a link) is the container WEFT_NONE, the last one.
 *
 * Links are stored by the earlier of their times.  Links that run backwards (begin after
 * end) have a tree of their own, and are stored again, by begin, as rows of enum
 * weft_late_column.
 */
enum {
    WEFT_PAIR_LEAF = 512,  /* blocks in a leaf */
    WEFT_PAIR_FAN = 4,     /* nodes in one of the next level */
    WEFT_PAIR_LEVELS = 16, /* at most: 2^17 * 4^15 links */
};

/* The columns of a block of sums of links by pairs of ends, in their order. */
enum weft_pair_column {
    /* Pair less that of the row before, less 1; first row: 0, since its pair is the `time`
       of the block's entry in the directory. */
    WEFT_PAIR_STEP,
    WEFT_PAIR_COUNT, /* links */
    WEFT_PAIR_BYTES, /* sum of their sizes */
    WEFT_PAIR_COLUMNS,
};

/* The columns of a block of links that run backwards, in their order. */
enum weft_late_column {
    WEFT_LATE_STEP,  /* begin less that of the row before; first row: 0 */
    WEFT_LATE_PAIR,  /* of its ends: position of `from` * n_ends + position of `to` */
    WEFT_LATE_BYTES, /* its size */
    WEFT_LATE_COLUMNS,
};

/* A row of PAIR_TREES: the sums of the links of one track. */
struct weft_file_pair_tree {
    uint32_t track, n_ends;       /* n_ends: containers at which links of the track end */
    uint64_t first_end;           /* in PAIR_ENDS: containers, rising */
    uint64_t first_node, n_nodes; /* in PAIR_NODES: the leaves, then the next level, ... */
    uint64_t first_block, n_blocks; /* in INDEX_BLOCKS: links that run backwards; of the
                                       tree of the others: 0 */
    uint32_t late, reserved;        /* late: 1 for the tree of links that run backwards */
};
static_assert(sizeof(struct weft_file_pair_tree) == 56, "no padding");

/* A row of PAIR_NODES: the sums of a part of a track's links. */
struct weft_file_pair_node {
    uint64_t first_block; /* in INDEX_BLOCKS, of its n_rows rows, 256 to a block */
    uint64_t n_rows;      /* 0: left out */
};
static_assert(sizeof(struct weft_file_pair_node) == 16, "no padding");

/* A row of SITES: a place in a program (struct weft_site); texts: offsets in TEXT. */
struct weft_file_site {
    /* address: in the object file, or 0; object: path of the program or library */
    uint64_t address, object, function, file;
    uint32_t line, reserved; /* line: 0: unknown */
};
static_assert(sizeof(struct weft_file_site) == 40, "no padding");

/* A flag of a track: its last change closes a state that the trace left open. */
enum { WEFT_TRACK_END_IMPLIED = 1 };

/*
 * A row of TRACKS: a track (the entities of one type in one container), and its slices of
 * other sections.
 */
struct weft_file_track {
    uint64_t count;                 /* entities */
    int64_t begin, end;             /* times of all; begin > end: it has none */
    uint64_t first_block, n_blocks; /* in DIRECTORY */
    uint64_t first_code;            /* in CODES */
    uint64_t first_depth;           /* in DEPTHS (states), SAMPLES or REACH */
    uint64_t first_column;          /* in COLUMNS */
    /* n_codes, n_columns: of its slices; max_depth: states: most that were open at once;
       flags: WEFT_TRACK_END_IMPLIED or 0 */
    uint32_t container, type, n_codes, n_columns, max_depth, flags;
};
static_assert(sizeof(struct weft_file_track) == 88, "no padding");

/* An entry of a directory: a block of a track, of a field column, or of INDEX_ROWS. */
struct weft_file_block {
    /* time of the first row; links: min(begin, end); field columns: its ordinal; indexes:
       its key; sums of links: its pair */
    int64_t time;
    uint64_t offset; /* in the file */
    /* entities of the track before this block: states opened, or rows; indexes: the first
       row's entity's number on its track */
    uint64_t ordinal;
    uint16_t n;        /* changes or rows in the block, at most WEFT_BLOCK_ROWS */
    uint16_t low;      /* states: lowest depth of the stack between its changes */
    uint32_t checksum; /* low half of XXH3 over the block */
};
static_assert(sizeof(struct weft_file_block) == 32, "no padding");

/* The header of a block of state changes; its stack, sums and columns follow. */
struct weft_change_header {
    uint16_t n;              /* changes */
    uint8_t delta_width;     /* bytes: 1, 2, 4, 8 */
    uint8_t operation_width; /* bytes: 1, 2, 4 */
    uint16_t depth;          /* open states before the first change */
    uint16_t n_long;         /* deltas that do not fit delta_width */
    uint32_t n_codes;        /* 0: no sums here */
    /* blocks back to the nearest sums, or to block 0; low byte first */
    uint8_t sums_back[3];
    uint8_t sum_width; /* bytes of a sum: 1 to 8 */
};
static_assert(sizeof(struct weft_change_header) == 16, "no padding");

/*
 * Returns the bytes that the sums of a block of state changes take: two for each of its
 * codes, of WIDTH bytes each, padded to a multiple of 8.
 */
static inline uint64_t weft_sums_size(uint64_t n_codes, unsigned width)
{
    return (2 * n_codes * width + 7) / 8 * 8;
}

/* A change of a state track's stack of open states. */
enum weft_change_kind {
    WEFT_CHANGE_PUSH, /* opens a state inside the innermost one */
    WEFT_CHANGE_POP,  /* closes the innermost state */
    WEFT_CHANGE_SET,  /* closes all states and opens one */
    WEFT_CHANGE_RESET /* closes all states */
};

/* The header of a block of rows (events, samples, links, fields, an index); the columns
   follow. */
struct weft_rows_header {
    uint16_t n; /* rows */
    uint16_t n_columns;
    uint32_t form; /* WEFT_ORDINALS_ARE_STEPS or 0 in an index's block; 0 in others */
};
/*
 * A weft_rows_header.form of an index's block: the column WEFT_INDEX_ORDINAL has
 * differences to the row before, not ordinals.
 */
enum { WEFT_ORDINALS_ARE_STEPS = 1 };
/*
 * Precedes each column of a block of rows.  Width 0: all rows equal minimum.  "Whole
 * doubles": doubles that are kept as integers, since all are whole.
 */
struct weft_column_header {
    int64_t minimum; /* of the column's values; doubles as they are: 0 */
    uint32_t width;  /* bytes: 0, 1, 2, 4, 8; values less the minimum, padded to 8 */
    uint32_t kind;   /* 0: integers, 1: doubles as they are (width 8), 2: whole doubles */
};

/* Columns of a block of links.  Containers, keys and tracks that are absent are -1. */
enum weft_link_column {
    WEFT_LINK_DELTA, /* min(begin, end) less that of the row before */
    WEFT_LINK_BEGIN, /* less min(begin, end) */
    WEFT_LINK_END,   /* less min(begin, end) */
    WEFT_LINK_FROM,  /* container */
    WEFT_LINK_TO,    /* container */
    WEFT_LINK_CODE,  /* of its value, in the track's codes */
    WEFT_LINK_KEY,   /* in STRINGS */
    WEFT_LINK_FLAGS, /* enum weft_entity_flag: the trace lacks its begin, or its end, ... */
    /* track of the entity at the end; -1: none, and the ordinal is ... */
    WEFT_LINK_FROM_TRACK,
    WEFT_LINK_FROM_ORDINAL, /* ... the previous row's, so that it takes no space */
    WEFT_LINK_TO_TRACK,
    WEFT_LINK_TO_ORDINAL,
    WEFT_LINK_COLUMNS,
};

/*
 * A grid: rows of integers, kept beside the entities of a trace, with random access to each
 * cell.  Row r is row r % 256 of the grid's block r / 256.  Grids lie behind one another in
 * GRID_BLOCKS, their blocks among those in DATA:
 *
 *     struct weft_grid_header                 8 bytes
 *     struct weft_grid_column[n_columns]      16 bytes each; columns behind them are 0
 *     of each column: rest[n], width bytes each;
 *                     u16 long_row[n_long], rising; u64 long_rest[n_long]
 *     zeros to a multiple of 8, and 8 more, so that 8 bytes can be read at each rest
 *
 * A cell is minimum + slope * row + rest, modulo 2^64, where `row` counts from the block's
 * first.  A rest whose bits are all set may be a long one: it is when its row is among the
 * long rows.
 */
enum weft_grid_kind {
    WEFT_GRID_DAG_NODES,      /* a row for each node of a task DAG (tasks/dag/columns.h) */
    WEFT_GRID_DAG_DETAILS,    /* a row for each node that is more than a leaf */
    WEFT_GRID_DAG_LAYOUT,     /* sizes of the nodes when they are laid out */
    WEFT_GRID_ARRAY_PATTERNS, /* of references to arrays
                                 (arrays/model/pattern_storage_columns.h) */
    WEFT_GRID_DAG_TASKS,      /* a row for tasks of one site and size that have no node */
    WEFT_GRID_DAG_ORDERS,     /* a row for each task that another node had to wait for */
    WEFT_GRID_KINDS,
};

enum { WEFT_GRID_COLUMNS = 64 }; /* most columns of a grid */

/* A row of GRIDS: a grid (rows of integers, beside the entities), and its blocks. */
struct weft_file_grid {
    uint32_t kind, reserved;      /* enum weft_grid_kind */
    uint64_t n_rows, first_block; /* first_block: in GRID_BLOCKS */
};
static_assert(sizeof(struct weft_file_grid) == 24, "no padding");

/* A row of GRID_BLOCKS: where a block of a grid is. */
struct weft_file_grid_block {
    uint64_t offset;   /* in the file */
    uint32_t size;     /* bytes */
    uint32_t checksum; /* low half of XXH3 over the block */
};
static_assert(sizeof(struct weft_file_grid_block) == 16, "no padding");

/* The header of a block of a grid; its columns follow. */
struct weft_grid_header {
    uint16_t n; /* rows */
    uint16_t n_columns;
    uint32_t reserved;
};

/* A column of a block of a grid: cell = minimum + slope * row + rest. */
struct weft_grid_column {
    int64_t minimum;
    uint32_t offset; /* offset of its rests in the block */
    uint16_t n_long; /* long rests, which do not fit `width` */
    uint8_t width;   /* bytes of a rest: 0 to 8 */
    uint8_t slope;   /* 0 or 1 */
};
static_assert(sizeof(struct weft_grid_column) == 16, "no padding");

/* The summary of a block of a variable track. */
struct weft_file_sample_block {
    double min, max; /* of its samples' values */
    /* integral of value over ticks, from its first sample to that of the next block */
    double integral;
};

/* A field column of a track: the values of one field of its entities. */
struct weft_file_column {
    uint64_t first_block, n_blocks; /* in DIRECTORY */
    uint32_t field, reserved;       /* field: in FIELDS */
};
static_assert(sizeof(struct weft_file_column) == 24, "no padding");

/* The links of one container: slices of the rows of LINK_ENDS, 256 to a block. */
struct weft_file_link_index {
    uint64_t out_first, n_out; /* those that leave it */
    uint64_t in_first, n_in;   /* those that reach it */
};

/* A row of PROBLEMS: a fault that was found in the trace (struct weft_problem). */
struct weft_file_problem {
    uint64_t kind, message; /* offsets in TEXT */
    /* line: line or record of the input, from 1, or 0; count: faults that the row stands
       for */
    uint64_t line, count;
    uint32_t severity, reserved; /* enum weft_severity */
};
static_assert(sizeof(struct weft_file_problem) == 40, "no padding");

/* A row of NOTES: a fact about the run (host, date, command ...). */
struct weft_file_note {
    uint64_t key, text; /* offsets in TEXT */
};

/*
 * Shares of time.  A mip covers one track, or a group of 4^k tracks of one type that follow
 * one another, in bins of `width` ticks that begin with the span.  A bin holds `slots`
 * bytes (struct weft_file_type): the share of the bin, in 255ths and averaged over the
 * tracks, that the value of each rank was innermost (last slot: all further values).  The
 * bins of the next coarser level, four to one, follow those of a level, until one bin
 * covers the span.
 */
struct weft_file_mip {
    uint64_t first_share; /* in SHARES, of the finest level */
    int64_t width;        /* of the finest bins, in ticks */
    uint32_t first_track; /* position among the tracks of the type, in tree order */
    uint32_t n_tracks;    /* covered: 4^k, or fewer at the end */
    uint32_t type;        /* of the tracks' states */
    uint16_t level;       /* k: made for 4^k tracks */
    uint16_t n_levels;    /* levels of bins, the finest included */
};
static_assert(sizeof(struct weft_file_mip) == 32, "no padding");

#endif
