/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the filtered source: its tables, and the sieve that tells hidden things. */
#ifndef WEFT_FILTER_FILTERED_SOURCE_PRIV_H
#define WEFT_FILTER_FILTERED_SOURCE_PRIV_H

#include "analyse/where_selection.h"
#include "filter/filter_chain.h"
#include "filter/filtered_source.h"

/* How much of a track is hidden. */
enum filter_track {
    FILTER_SHOWN,
    FILTER_BY_VALUE,  /* what `values` says */
    FILTER_BY_ENTITY, /* each entity is looked at */
    FILTER_HIDDEN,
};

struct filtered_track {
    enum filter_track mode;
    const uint8_t *values; /* [n_values + 1]: 1: hidden; the last: without a value */
};

/* The things that are hidden, or dimmed. */
struct filter_things {
    struct weft_where **list; /* [n]: they are all that any of these selections means ... */
    size_t n;
    uint8_t *ends; /* ... and links with an end in such a container of the trace */
    struct filtered_track *tracks; /* or NULL: there are none */
};

/* A filtered source; weft_filtered_new() makes it. */
struct filtered {
    struct weft_source source;       /* first: a source is turned back into it */
    const struct weft_source *below; /* the source that answers */
    struct weft_schema schema;       /* that of `below` with the changed tables */
    struct weft_arena arena;         /* of the changed tables */
    struct weft_err *err;            /* while it is made */
    /* The changed tables, as schema points to them, of n_containers rows */
    struct weft_container *containers;
    uint32_t *place;                       /* by container: its rank among its siblings */
    uint8_t *gone;                         /* by container: hidden */
    const struct weft_reduction **reduced; /* by container; NULL: none is reduced */
    uint16_t *heights;                     /* by container; NULL: none is set */
    uint32_t group_type;
    struct weft_value *values; /* or NULL: those below */
    struct weft_track *changed_tracks;
    bool reuses; /* rows are used again */
    struct filter_things hides, dims;
};

/* Returns the struct filtered that SOURCE, a filtered source, is the head of. */
static inline const struct filtered *filtered_of(const struct weft_source *source)
{
    return (const struct filtered *)(const void *)source;
}

/* Returns how much of TRACK is hidden. */
static inline enum filter_track filtered_mode(const struct filtered *f, uint32_t track)
{
    return f->hides.tracks ? f->hides.tracks[track].mode : FILTER_SHOWN;
}

/* Returns how much of TRACK is dimmed, as if that were hidden. */
static inline enum filter_track filtered_dimming(const struct filtered *f, uint32_t track)
{
    return f->dims.tracks ? f->dims.tracks[track].mode : FILTER_SHOWN;
}

/* ---- Rows (filter_rows.c, filter_row_*.c, filter_reductions.c) ---- */

/* Makes copies of the tables of containers and tracks that the filters change. */
void filter_rows_begin(struct filtered *f);
/* Links the children of all containers by f->place, and numbers the tree in preorder. */
void filter_rows_link(struct filtered *f);
/*
 * Apply LINE, a filter of rows; false with *f->err if it names what the trace does not
 * have.  The caller then calls filter_rows_link().
 */
bool filter_rows_group(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_group_numbers(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_group_types(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_group_hosts(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_group_functions(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_group_depth(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_reduce(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_height(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_move(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_order(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_sort(struct filtered *f, const struct weft_filter_line *line);
bool filter_rows_sort_alike(struct filtered *f, const struct weft_filter_line *line);
/*
 * Sets ROWS[c] to 1 for the containers that the list of names or patterns TEXT means, else
 * 0; ROWS has room for all.  False with *f->err if a name is nobody's.
 */
bool filter_rows_named(struct filtered *f, const struct weft_filter_line *line,
                       const char *text, uint8_t *rows);
/* Returns true if a container above C has a 1 in ROWS. */
bool filter_is_below(const struct filtered *f, const uint8_t *rows, uint32_t c);
/* Lets containers that live one after the other share rows; the tree is as it stays. */
void filter_reuse_rows(struct filtered *f);
/* Hides the containers with a 1 in ROWS, except those with something shown below. */
void filter_rows_hide(struct filtered *f, const uint8_t *rows);

/* ---- Things (filter_things.c) ---- */

/* Returns WHERE of TEXT against the rows as they are now; NULL with *f->err. */
struct weft_where *filter_where(struct filtered *f, uint32_t number, const char *text);
/* Returns the schema's values, copied so that they may be changed. */
struct weft_value *filter_values(struct filtered *f);
/* Makes the tables of tracks, with nothing hidden yet. */
void filter_tracks_begin(struct filtered *f);
/* Applies LINE, which hides rows or things; false with *f->err. */
bool filter_hide(struct filtered *f, const struct weft_filter_line *line);
/* Applies LINE, which dims rows or things; false with *f->err. */
bool filter_dim(struct filtered *f, const struct weft_filter_line *line);
/* Sets the tables of tracks; empties in f->schema.tracks those that are hidden whole. */
void filter_tracks_finish(struct filtered *f);

/*
 * Tells hidden things, or dimmed ones, of one track at a time.  filter_sieve_begin() sets
 * it for THINGS, f->hides or f->dims, with TRACK WEFT_NONE for none yet; filter_sieve_end()
 * frees what it has.
 */
struct filter_sieve {
    const struct filtered *f;
    const struct filter_things *things;
    uint32_t track;
    struct weft_where_asker **askers; /* [n] of the selections that look at entities */
    size_t n;
};
void filter_sieve_begin(struct filter_sieve *sieve, const struct filtered *f,
                        const struct filter_things *things, uint32_t track);
void filter_sieve_end(struct filter_sieve *sieve);
/* Return true if the entity is one of the sieve's things. */
bool filter_holds_thing(struct filter_sieve *sieve, const struct weft_thing *thing);
bool filter_holds_state(struct filter_sieve *sieve, const struct weft_state *state);
bool filter_holds_event(struct filter_sieve *sieve, const struct weft_event *event);
bool filter_holds_link(struct filter_sieve *sieve, const struct weft_link *link);
/* The same of an entity of any track, which is fetched first; samples: by their track. */
bool filter_holds_id(struct filter_sieve *sieve, uint64_t id);

/* ---- Queries ---- */

extern const struct weft_source_ops filtered_ops;

/* Queries about times (filtered_times.c, filtered_shares.c). */
void filtered_changes(const struct weft_source *, uint32_t, struct weft_span,
                      const uint8_t *,
                      bool (*)(void *, const struct weft_innermost_change *, size_t),
                      void *);
void filtered_classes(const struct weft_source *, uint32_t, struct weft_span,
                      const struct weft_classing *,
                      bool (*)(void *, const struct weft_class_run *), void *);
void filtered_class_ticks(const struct weft_source *, const struct weft_class_query *,
                          size_t, const struct weft_classing *, int64_t (*)[WEFT_TALLIES]);
void filtered_values_at(const struct weft_source *, const uint32_t *, size_t, int64_t,
                        struct weft_innermost *);
void filtered_shares(const struct weft_source *, const struct weft_share_query *);
void filtered_sums(const struct weft_source *, const uint32_t *, size_t, struct weft_span,
                   struct weft_sum *);

/*
 * Visits the value of the innermost state of TRACK in WINDOW, then its changes, like the
 * query `changes`; WEFT_NONE where that state is not dimmed.  Looks at each state.
 */
void filter_dimmed_changes(
    const struct filtered *f, uint32_t track, struct weft_span window,
    bool (*visit)(void *user, const struct weft_innermost_change *changes, size_t n),
    void *user);

/* Queries about links (filtered_links.c). */
void filtered_links(const struct weft_source *, uint32_t, struct weft_span,
                    bool (*)(void *, const struct weft_link *), void *);
void filtered_links_at(const struct weft_source *, uint32_t, bool, struct weft_span,
                       bool (*)(void *, const struct weft_link *), void *);
void filtered_links_of(const struct weft_source *, uint64_t, bool,
                       bool (*)(void *, const struct weft_link *), void *);
void filtered_pair_sums(const struct weft_source *, const uint32_t *, size_t,
                        struct weft_span, struct weft_pair_sums *);
void filtered_pairs_pending(const struct weft_source *, const uint32_t *, size_t, int64_t,
                            struct weft_pair_sums *);

#endif
