/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the builder. builder.c holds the interface, roles_hosts_clocks.c roles and facts
 * about containers, hosts and clocks, states.c the stacks of states, events_and_fields.c
 * events, samples and fields, late_fields.c late fields, parallel_lanes.c blocks that wait
 * for weft_builder_settle(), links.c the links, mipmaps.c the shares of time, key_indexes.c
 * the indexes, link_sums.c the sums of links by their ends, write_integer_grids.c grids,
 * rank_values.c the ranks of values, finish.c the end of building.
 */
#ifndef WEFT_STORE_BUILDER_PRIV_H
#define WEFT_STORE_BUILDER_PRIV_H

#include "base/hash_map.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/build/builder.h"
#include "store/build/sort_runs.h"
#include "store/build/writer.h"

struct build_code {      /* a value on a state track */
    int64_t self, total; /* ticks so far: innermost, and open at all */
    int64_t since;       /* time when the outermost of its open levels opened */
    uint32_t open;       /* number of open levels that have it */
};

struct build_state {  /* an open state */
    uint64_t ordinal; /* number among the track's states, from 0 */
    uint32_t code;    /* of its value: build_track.codes[code - 1] */
};

struct build_cell {   /* a row of a column: the field's value of one entity */
    uint64_t ordinal; /* of the entity on the track */
    int64_t value;    /* as in files (weft_build_field_bits()) */
};

struct build_column {        /* a field of a track */
    uint32_t field;          /* index in weft_builder.fields */
    uint16_t n, capacity;    /* of `rows` */
    bool real, late;         /* kind WEFT_FIELD_REAL; a late field */
    uint32_t late_number;    /* number, from 1, in build_late.columns; 0: no late values */
    struct build_cell *rows; /* of the block being filled */
    struct weft_file_block *blocks; /* directory of the blocks that are full */
    size_t n_blocks, block_capacity;
};

/*
 * A track while the store is built; an element of weft_builder.tracks.  Members that every
 * appended event uses come first, to share few cache lines.
 */
struct build_track {
    enum weft_kind kind; /* of its type */
    uint32_t flags;      /* WEFT_TRACK_END_IMPLIED */
    uint32_t lane;       /* index in weft_builder.lanes */
    uint32_t max_depth;  /* states: most that were open at once */
    uint64_t count;      /* entities so far */
    int64_t begin, end;  /* end: the latest time; begin > end: none yet */

    /* The block being filled. */
    uint16_t n, capacity; /* rows */
    uint16_t low;         /* states: lowest depth in this block */
    int64_t *times;
    union {
        uint32_t *operations; /* states: code << 2 | enum weft_change_kind; events: code */
        double *values;       /* variables */
    };

    struct build_state *stack; /* [depth]: the open states, outermost first */
    size_t depth, stack_capacity;
    struct build_code *codes; /* by code - 1 */
    uint32_t *code_of;        /* by position of the value in its type; 0: none yet */
    size_t code_of_capacity;
    struct build_column *columns; /* [n_columns] fields in order of their first use */
    size_t n_columns;

    /* Used only when a block begins or ends, or a value is new. */
    size_t column_capacity;
    uint32_t container, type;   /* indices in weft_builder.containers and .types */
    uint32_t next;              /* track of the same container, or WEFT_NONE */
    uint32_t blocks_since_sums; /* states: blocks since the latest one with sums */
    uint64_t first_ordinal;     /* states: `count` when the block being filled began */
    unsigned char *head;        /* states: the encoded stack and sums at the first change */
    size_t head_size, head_capacity;
    struct weft_change_header header;     /* states: of the block being filled */
    struct weft_file_sample_block sample; /* variables: of the block being filled */
    int64_t sample_since;  /* variables: time up to which sample.integral goes */
    uint32_t *code_values; /* by code - 1: its value */
    size_t n_codes, code_capacity, code_value_capacity;
    struct weft_id_map far_columns; /* index in `columns` by field, beyond the first few */
    /* code by value (weft_builder.values), for positions that code_of did not reach when
       the value was new */
    struct weft_id_map far_codes;

    struct weft_file_block *blocks; /* directory of the blocks that are full */
    size_t n_blocks, block_capacity;
    struct weft_file_sample_block *sample_blocks; /* variables: parallel to blocks */
    size_t sample_block_capacity;
    int64_t *reach; /* links: parallel to blocks, the latest time in each */
    size_t reach_capacity;
};

/*
 * A full block in a lane's `bytes` that waits to be written: entry `block` in the directory
 * of a track or of its column.  Until then the entry's offset counts from `bytes`.
 */
struct build_waiting {
    uint32_t track;  /* index in weft_builder.tracks */
    uint32_t column; /* of the track; WEFT_NONE: a block of the track itself */
    size_t block;
};

/* A lane (weft_builder_lanes): what one appending thread changes besides its tracks. */
struct build_lane {
    uint64_t n_states, n_events, n_samples; /* appended since weft_builder_settle() */
    int64_t begin, end;     /* of the times appended since then; begin > end: none */
    unsigned char *scratch; /* a block being encoded */
    size_t scratch_capacity;
    unsigned char *bytes; /* waiting blocks, each aligned to 8 */
    size_t size, capacity;
    struct build_waiting *waiting;
    size_t n_waiting, waiting_capacity;
    unsigned char apart[64]; /* padding: no two lanes share a cache line */
};

/* A link in build_links.rows. */
struct build_link {
    struct weft_link link;    /* with ids of entities as given while building */
    uint64_t first_field;     /* index in build_links.fields */
    uint32_t n_fields, track; /* track: number while building */
};

/* Links of all tracks, unsorted, and their fields; sorted and written at finish. */
struct build_links {
    struct weft_spill rows, fields; /* struct build_link; struct weft_field_value */
};

/* A container while the store is built; an element of weft_builder.containers. */
struct build_container {
    uint64_t name, alias; /* offsets in weft_builder.text */
    int64_t begin, end;   /* end: once it is destroyed */
    /* tracks: a list by build_track.next, WEFT_NONE: none; flags: WEFT_END_IMPLIED */
    uint32_t type, parent, flags, first_track, last_track;
    /* role 0: that of its type; clock WEFT_NONE: that of its parent */
    uint32_t role, clock;
    uint32_t first_child, last_child, next_sibling; /* containers; WEFT_NONE: none */
    uint32_t place;                                 /* see weft_builder_container_place */
    bool destroyed;
    bool within; /* made inside a destroyed container */
    bool open;   /* destroyed, but a container was made in it since */
};

struct build_late_column { /* a late field of a track that has values */
    uint32_t track, field; /* indices in weft_builder.tracks and .fields */
};

struct build_late {        /* values of late fields */
    unsigned char *fields; /* by field: 1 if it is late */
    size_t capacity;
    struct build_late_column *columns;
    size_t n_columns, column_capacity;
    /* key: index in `columns` << 40 | the entity's ordinal; payload: the value's bits */
    struct weft_sort_runs rows;
};

/* A grid (store/integer_grid.h) while its rows are appended. */
struct build_grid {
    uint64_t n_rows;                     /* in all blocks */
    size_t n_columns;                    /* of the block being filled */
    int64_t (*cells)[WEFT_BLOCK_ROWS];   /* [column][row], of the block being filled */
    struct weft_file_grid_block *blocks; /* directory of the blocks that are full */
    size_t n_blocks, block_capacity;
};

/* The faults of one kind so far; an element of weft_builder.problem_kinds. */
struct build_problem_kind {
    const char *kind;            /* the reader's, not copied */
    uint64_t count;              /* faults of the kind, also those that are not kept */
    enum weft_severity severity; /* that of the first one */
};

/* Hash table of the interned strings: 16 to 32 bytes a string besides its text. */
struct build_string_index {
    struct build_string_slot {
        uint32_t hash;   /* of the text: its lower half */
        uint32_t string; /* index in weft_builder.strings; WEFT_NONE: a free slot */
    } * slots;
    size_t capacity, count; /* capacity: a power of two, or 0 */
};

/*
 * A store under construction: its tables so far, and its tracks.  A table of n_... rows has
 * room for ..._capacity; rows of struct weft_file_... are as in the file
 * (format/store_layout.h), and their texts are offsets in `text`.
 */
struct weft_builder {
    struct weft_writer *writer;
    char *folder;                   /* folder of the store, for temporary files */
    struct weft_file_header header; /* with the span and the counts so far */
    bool has_time;                  /* header.begin and .end are set */
    uint64_t format;                /* offset in text: name of the input's format */

    char *text; /* the text section: NUL-terminated texts, the first one empty */
    size_t text_size, text_capacity;

    uint64_t *strings; /* offsets in text */
    size_t n_strings, string_capacity;
    struct build_string_index string_index;

    struct weft_file_type *types;
    size_t n_types, type_capacity;
    uint32_t *type_values; /* how many values each type has */
    size_t type_value_capacity;
    struct weft_file_value *values;
    size_t n_values, value_capacity;
    uint32_t *value_position; /* [n_values]: number among the values of its type, from 0 */
    size_t value_position_capacity;
    struct weft_file_field *fields;
    size_t n_fields, field_capacity;
    struct weft_file_site *sites;
    size_t n_sites, site_capacity;
    struct weft_text_map site_index; /* struct weft_file_site to its index */
    uint64_t *site_texts;            /* offsets of the texts of sites */
    size_t n_site_texts, site_text_capacity;
    struct weft_text_map site_text_index;
    struct build_container *containers;
    size_t n_containers, container_capacity;
    struct weft_file_container_field *container_fields;
    size_t n_container_fields, container_field_capacity;
    struct weft_file_host *hosts;
    size_t n_hosts, host_capacity;
    struct weft_file_clock *clocks;
    size_t n_clocks, clock_capacity;
    struct weft_file_clock_knot *knots;
    size_t n_knots, knot_capacity;
    struct build_track *tracks;
    size_t n_tracks, track_capacity;
    struct weft_id_map track_index; /* container << 32 | type to the track's number */
    struct weft_file_problem *problems;
    size_t n_problems, problem_capacity;
    struct build_problem_kind *problem_kinds;
    size_t n_problem_kinds, problem_kind_capacity;
    struct weft_file_note *notes;
    size_t n_notes, note_capacity;

    struct build_late late;
    struct build_links links;
    struct build_grid grids[WEFT_GRID_KINDS];
    struct build_lane *lanes; /* at least one */
    uint32_t n_lanes;
    bool blocks_wait; /* full blocks wait in lanes until weft_builder_settle() */
};

/*
 * Appends LENGTH bytes of TEXT (NULL: "") and a NUL to the text section; returns their
 * offset in it, 0 for an empty text.
 */
uint64_t weft_build_text(struct weft_builder *builder, const char *text, size_t length);

/* Extends the span of the whole store to TIME. */
static inline void weft_build_time(struct weft_builder *builder, int64_t time)
{
    if (!builder->has_time) {
        builder->has_time = true;
        builder->header.begin = builder->header.end = time;
    }
    if (time < builder->header.begin)
        builder->header.begin = time;
    if (time > builder->header.end)
        builder->header.end = time;
}

/* Returns VALUE, of a field of the builder, as the 64 bits that are stored in files. */
static inline int64_t weft_build_field_bits(const struct weft_builder *builder,
                                            const struct weft_field_value *value)
{
    return weft_field_bits((enum weft_field_kind)builder->fields[value->field].kind, value);
}

/* Returns the lane that TRACK is in; the only one unless several threads append. */
static inline struct build_lane *weft_build_lane(const struct weft_builder *builder,
                                                 const struct build_track *track)
{
    return &builder->lanes[track->lane];
}

/* Extends the span of the times appended in a lane (struct build_lane) to TIME. */
static inline void weft_build_lane_time(struct build_lane *lane, int64_t time)
{
    if (time < lane->begin)
        lane->begin = time;
    if (time > lane->end)
        lane->end = time;
}

/*
 * Returns the code of VALUE on TRACK: its number, from 1 in order of first use; 0 for
 * WEFT_NONE.  Aborts if there is no such value.
 */
uint32_t weft_build_code(struct weft_builder *builder, struct build_track *track,
                         uint32_t value);
/*
 * Makes room for one more row in the block being filled, which has fewer than
 * WEFT_BLOCK_ROWS.
 */
void weft_build_row_room(struct build_track *track);
/*
 * Writes a block, SIZE encoded bytes, of the track, or (COLUMN not NULL) of one of its
 * columns, and adds its directory entry ENTRY, whose offset and checksum it sets.  While
 * several threads append, a copy of the bytes waits in the track's lane until
 * weft_builder_settle().
 */
void weft_build_block(struct weft_builder *builder, struct build_track *track,
                      struct build_column *column, struct weft_file_block entry,
                      const void *bytes, size_t size);
/*
 * Returns scratch memory of at least SIZE bytes, owned by the track's lane and valid until
 * the next call for a track of the same lane.
 */
unsigned char *weft_build_scratch(struct weft_builder *builder,
                                  const struct build_track *track, size_t size);
/* Frees all lanes, with blocks that wait in them: the builder has none then. */
void weft_build_lanes_free(struct weft_builder *builder);

/*
 * Writes the block of a state track that is being filled, if it has changes, and begins an
 * empty one.
 */
void weft_build_flush_states(struct weft_builder *builder, struct build_track *track);
/*
 * Writes the block of a track of events or samples that is being filled, if it has rows,
 * and begins an empty one.
 */
void weft_build_flush_rows(struct weft_builder *builder, struct build_track *track);
/*
 * Closes the track's open states at TIME, or at the track's latest time if that is later,
 * and flags them as ends that the trace does not have (WEFT_TRACK_END_IMPLIED).
 */
void weft_build_close_states(struct weft_builder *builder, struct build_track *track,
                             int64_t time);
/*
 * Appends N values of fields of the track's entity ORDINAL, late fields among them, to
 * their columns, which are made if necessary; of several values of one field the last
 * counts.
 */
void weft_build_fields(struct weft_builder *builder, struct build_track *track,
                       uint64_t ordinal, const struct weft_field_value *fields, size_t n);
/*
 * Appends a value, as 64 bits, to the track's column of FIELD, which is made if necessary.
 * ORDINAL must not be below the column's last one; a second value of one ordinal replaces
 * the first.
 */
void weft_build_column_row(struct weft_builder *builder, struct build_track *track,
                           uint32_t field, uint64_t ordinal, int64_t bits);
/* Returns true if FIELD was declared by weft_builder_late_field(). */
bool weft_build_is_late(const struct weft_builder *builder, uint32_t field);
/*
 * Keeps a value, as 64 bits, of the entity ORDINAL in COLUMN, a late field's, of the track
 * with the number TRACK, until weft_build_late_rows().  Aborts while several threads
 * append.
 */
void weft_build_late_value(struct weft_builder *builder, uint32_t track,
                           struct build_column *column, uint64_t ordinal, int64_t bits);
/*
 * Moves the values of late fields (weft_builder_late_field), which were kept apart, into
 * their columns; returns false with WEFT_ERR_WRITE or WEFT_ERR_CANCELLED.  JOB may be NULL.
 * No late value may be given afterwards.
 */
bool weft_build_late_rows(struct weft_builder *builder, struct weft_job *job,
                          struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the memory and the temporary file of late fields. */
void weft_build_late_free(struct weft_builder *builder);
/*
 * Writes the blocks of all the track's columns (its fields) that are being filled, if they
 * have rows, and begins empty ones.
 */
void weft_build_flush_columns(struct weft_builder *builder, struct build_track *track);

/*
 * Sorts and writes the links of all tracks, with their fields and the index of links by
 * container, and frees the list of links.  ORDER[final number] is a track's number while
 * building, FINAL_TRACK the reverse.  JOB may be NULL.  Returns false with WEFT_ERR_WRITE
 * (a temporary file) or WEFT_ERR_CANCELLED.
 */
bool weft_build_links(struct weft_builder *builder, const uint32_t *order,
                      const uint32_t *final_track, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of links, with its temporary files. */
void weft_build_links_free(struct weft_builder *builder);

/*
 * Writes the block of each grid (store/integer_grid.h) that is not full yet.  Called once,
 * after the last row and while the section DATA is being written.
 */
void weft_build_flush_grids(struct weft_builder *builder);
/* Writes the grids' tables, after weft_build_flush_grids() and the end of section DATA. */
void weft_build_grids(struct weft_builder *builder);
/* Frees the memory of all grids. */
void weft_build_grids_free(struct weft_builder *builder);

/*
 * Sorts the container fields, keeping the last of several values of one field, and writes
 * the tables of container fields, hosts, clocks and their knots.
 */
void weft_build_facts(struct weft_builder *builder);

/*
 * Adds up each value's self time over all state tracks, ranks the values of each type by
 * it, longest first (from 0), then by name, and sets the `slots` of types: 8 for at most 8
 * values, else 16.  States are closed before.  JOB may be NULL.  Returns false with
 * WEFT_ERR_CANCELLED.
 */
bool weft_build_ranks(struct weft_builder *builder, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;

/* Makes CONTAINER (an index), which is not the root, the last child of its parent. */
void weft_build_append_child(struct weft_builder *builder, uint32_t container);
/*
 * Appends SIZE bytes as the section KIND to the file, and notes its offset, size and
 * checksum in the builder's header.
 */
void weft_build_section(struct weft_builder *builder, enum weft_section_kind kind,
                        const void *bytes, size_t size);

#endif
