/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query interface of a trace, all that a view knows of it.  A source is a schema and a
 * table of queries about time.  The store answers them from its blocks and summaries; other
 * sources (raw_source.h) answer them by querying another source.
 *
 * A source is immutable: any number of threads may query it at once.  No query walks the
 * whole trace unless its comment says so.  The caller provides the memory for results.
 */
#ifndef WEFT_STORE_SOURCE_H
#define WEFT_STORE_SOURCE_H

#include "base/err.h"
#include "base/memory.h"
#include "base/progress_and_cancel.h"
#include "format/store_layout.h"
#include "store/schema.h"

struct weft_source;

enum { WEFT_MAX_SLOTS = 16 }; /* most slots of a type (weft_type.slots) */

/* Most fields of an entity: a line of Paje has at most 256, a link two lines. */
enum { WEFT_FIELDS_MAX = 512 };

/*
 * The shares of time of the values in each of COLUMNS equal parts of WINDOW, summed over
 * several state tracks of one type.  Innermost states only (self time).  Row c of the
 * result holds a number from 0 to n_tracks for each of the type's `slots` (8 or 16): number
 * s is the part of the column's time in which the value of rank s (0: the most self time in
 * its type) was innermost, summed over the tracks; the last number sums the values of that
 * rank and all higher ones.  n_tracks less the sum of the row is time in no state, or
 * unreadable.  Exact if EXACT is set or a column holds few states; else each column may be
 * off by the content of one summary bin (an interval whose shares were precomputed) at each
 * of its edges, and a bin is never wider than a column.
 */
struct weft_share_query {
    const uint32_t *tracks; /* of states, all of one type; fastest in rising order */
    size_t n_tracks;
    struct weft_span window;
    size_t columns;
    float *shares;        /* [columns][slots], overwritten unless n_tracks is 0 */
    struct weft_job *job; /* or NULL; the shares are meaningless if it is cancelled */
    /* read all changes and no summaries, whatever the cost: for tables and texts */
    bool exact;
    /*
     * [columns][slots], or NULL: the part of each share that is of states which a filter
     * dims (schema->dimmed).  Only the source of filters looks at it, and adds to what the
     * caller has set to 0.
     */
    float *dimmed;
};

/* The ticks of one value in a window, summed over several tracks. */
struct weft_sum {
    int64_t total_ticks; /* time that the value was open at some level */
    int64_t self_ticks;  /* time that the value was innermost */
};

struct weft_envelope { /* of a variable, in one column of time */
    float min, max;    /* NAN: no value there */
    float mean;        /* weighted by time */
};

/*
 * N values of one field on one track: values[i] is that of the entity with ordinals[i];
 * ordinals rise.  The arrays are valid during the call of VISIT.
 */
struct weft_field_run {
    const uint64_t *ordinals;
    const int64_t *values; /* an integer, an index or an id; of a real the double's bits */
    size_t n;
};

struct weft_innermost { /* the innermost state that is open on a track at a time */
    uint64_t id;        /* WEFT_NO_ID: none is */
    uint32_t value;     /* index in the schema's values; WEFT_NONE: none is */
    uint32_t depth;     /* number of open states around it; 0: outermost */
    bool damaged;       /* the file is unreadable there; id and value then say "none" */
};

/* From `time` on, `value` is the innermost value of a state track; WEFT_NONE: no state. */
struct weft_innermost_change {
    int64_t time; /* ticks */
    uint32_t value;
    bool damaged; /* the following part is unreadable: `value` is WEFT_NONE */
};

/*
 * WEFT_NO_CLASS: a number that no class has; WEFT_TALLIES: how many sums the query
 * `class_ticks` makes of each window: of class 0, of class 1, of all other classes.
 */
enum { WEFT_NO_CLASS = 255, WEFT_TALLIES = 3 };
/*
 * A mapping of a trace's values to a few classes (as busy or idle), numbered below
 * WEFT_NO_CLASS.  The caller owns the arrays.
 */
struct weft_classing {
    const uint8_t *of; /* [n_values] of the schema: the class of each value */
    uint8_t none;      /* class of time in no state */
    uint8_t damaged;   /* class of unreadable time, for the query `classes` */
    /* [n_values]; 1: skip the value, the innermost other one counts; NULL: skip none */
    const uint8_t *passed_over;
};

/*
 * A question to the query `class_ticks`: the ticks of class 0, of class 1 and of all others
 * on a state track (its index) in WINDOW.
 */
struct weft_class_query {
    uint32_t track;
    struct weft_span window;
};

/*
 * N changes of class, by the question's struct weft_classing: from times[i] (ticks, rising)
 * on it is classes[i], unlike the one before.  The arrays are valid during the call of
 * VISIT.
 */
struct weft_class_run {
    const int64_t *times;
    const uint8_t *classes;
    size_t n;
};

/* Number and bytes of the links from one container to another. */
struct weft_pair_sum {
    uint32_t from, to; /* containers; WEFT_NONE: the links lack that end */
    uint64_t count;
    int64_t bytes; /* sum of the type's integer field with the role "bytes"; may wrap */
};

/*
 * N rows, one for each pair (from, to) that has links, sorted by `from`, then `to`.  The
 * caller zeroes it before the first query, may pass it to others, which overwrite the rows,
 * and finally frees `rows`.
 */
struct weft_pair_sums {
    struct weft_pair_sum *rows;
    size_t n, capacity;
};

enum { WEFT_RUN_MAX = 256 }; /* most entities of a block */
/* The entities of a block of a track (up to 256 stored together), in order of ordinal. */
struct weft_run {
    uint64_t first, after; /* their ordinals: [first, after) */
    size_t n;              /* after - first; 0 if the block is damaged */
    union {                /* by the kind of the track's type */
        struct weft_state states[WEFT_RUN_MAX];
        struct weft_event events[WEFT_RUN_MAX];
        struct weft_sample samples[WEFT_RUN_MAX];
        struct weft_link links[WEFT_RUN_MAX];
    };
};

/*
 * Searches for the entity with one of some values that begins first at or after a time, or
 * last before it.  The time of a link is the earlier of its two times.  Tracks of samples
 * are skipped.
 */
struct weft_near_query {
    const uint32_t *tracks; /* of states, events or links */
    size_t n_tracks;
    const uint32_t *values;
    size_t n_values; /* 0: entities of any value, or without one */
    int64_t time;    /* ticks */
    bool backward;   /* the last one before `time`; else the first at or after it */
};
/* The entity that the query `near` has found, and its time. */
struct weft_near {
    uint64_t id;  /* WEFT_NO_ID: there is none */
    int64_t time; /* ticks: its begin, of a link the earlier time; if none: no meaning */
};

/*
 * Damaged bytes of the file.  Their content is missing from results: entities and links
 * from visits, fields from entities, hits from searches; the query `sums` leaves out a
 * track if a block that it needs, at an edge of the window, is damaged.  A damaged summary
 * is not used, so nothing is missing then.  Damage is found when a query first touches it.
 */
enum weft_damage_kind {
    WEFT_DAMAGED_ENTITIES, /* entities of the track, in the span */
    WEFT_DAMAGED_FIELDS,   /* values of a field, of the track's entities or of all */
    WEFT_DAMAGED_INDEX,    /* index of entities by field, or of links by end */
    WEFT_DAMAGED_SUMMARY,  /* shares of time, sums of links */
    WEFT_DAMAGED_TABLE,    /* a table about the trace: problems, notes */
    WEFT_DAMAGED_GRID,     /* nodes of a task DAG */
};
/* A damaged part of the file: what is lost, of which track and field, and in which time. */
struct weft_damage {
    enum weft_damage_kind what;
    uint32_t track, field; /* or WEFT_NONE */
    struct weft_span span; /* times of what is lost; the trace's span if not known */
    /* name of the table ("notes") if a whole one is damaged; else NULL */
    const char *table;
    uint64_t offset; /* offset of the damaged part in the file, in bytes */
};

/*
 * The queries.  Tracks, values, containers and fields are named by their indices in the
 * schema; a USER is passed on to VISIT.
 */
struct weft_source_ops {
    /*
     * Visits the states of a state track that overlap WINDOW, parents before children, in
     * order of begin within one depth; a state without length overlaps if its time is in
     * WINDOW.  VISIT returns false to stop.  Begin and end are not clipped to WINDOW (an
     * end far to the right costs a search in the block directory).
     */
    void (*states)(const struct weft_source *source, uint32_t track,
                   struct weft_span window,
                   bool (*visit)(void *user, const struct weft_state *state), void *user);
    /* Sets query->shares, as struct weft_share_query says. */
    void (*shares)(const struct weft_source *source, const struct weft_share_query *query);
    /*
     * Adds each value's exact ticks in WINDOW, over the state tracks among TRACKS, to SUMS,
     * which the caller has set, with an element for each value of the schema (all types).
     * A track adds nothing if a block that is read for it, at an edge of WINDOW, is
     * damaged.
     */
    void (*sums)(const struct weft_source *source, const uint32_t *tracks, size_t n_tracks,
                 struct weft_span window, struct weft_sum *sums);
    /*
     * Returns about how many entities of the track begin or, for states, end in the window:
     * at least 1 if the window meets the track's times, else 0.  O(log n).
     */
    uint64_t (*density)(const struct weft_source *source, uint32_t track,
                        struct weft_span window);

    /*
     * Visits the events of a track whose time is in WINDOW, in order of time; VISIT returns
     * false to stop.
     */
    void (*events)(const struct weft_source *source, uint32_t track,
                   struct weft_span window,
                   bool (*visit)(void *user, const struct weft_event *event), void *user);
    /*
     * Visits the samples of a track that hold in a part of WINDOW, in order of time; their
     * begin and end are not clipped to it.  VISIT returns false to stop.
     */
    void (*samples)(const struct weft_source *source, uint32_t track,
                    struct weft_span window,
                    bool (*visit)(void *user, const struct weft_sample *sample),
                    void *user);
    /*
     * Sets OUT[c] for each of COLUMNS equal parts of WINDOW, for a track of samples: the
     * bounds and the mean of the values that hold in a part of it; all NAN if none does.
     * A block (up to 256 samples stored together) that is shorter than a column counts by
     * its bounds and its mean: if it lies across an edge, both columns get those.
     */
    void (*envelope)(const struct weft_source *source, uint32_t track,
                     struct weft_span window, size_t columns, struct weft_envelope *out);
    /*
     * Integrates a variable (value times ticks) over N adjacent intervals: OUT[i] from
     * TIMES[i] to TIMES[i + 1]; TIMES has N + 1 entries and never falls.  Time before the
     * first sample and after the last one's end (struct weft_sample) adds 0.  Exact, but
     * in a damaged block the mean of the block stands for its samples.
     * Costs about 300 ns an interval, and 1 ns for each block of samples in it; some ns a
     * sample in a source of raw times.
     */
    void (*integrals)(const struct weft_source *source, uint32_t track,
                      const int64_t *times, size_t n, double *out);

    /*
     * Visits the links of a track that overlap the window (by the time between begin and
     * end, whichever is earlier), in order of min(begin, end), unclipped; VISIT returns
     * false to stop.  Looks at the directory entry of each block that begins before the
     * window's end.
     */
    void (*links)(const struct weft_source *source, uint32_t track, struct weft_span window,
                  bool (*visit)(void *user, const struct weft_link *link), void *user);
    /*
     * Visits the links of all tracks that leave (if INCOMING: reach) a container at a time
     * in WINDOW, in order of that time; VISIT returns false to stop.
     */
    void (*links_at)(const struct weft_source *source, uint32_t container, bool incoming,
                     struct weft_span window,
                     bool (*visit)(void *user, const struct weft_link *link), void *user);

    /* Sets *OUT to the state with ID; returns false if there is none, or it is damaged. */
    bool (*state)(const struct weft_source *source, uint64_t id, struct weft_state *out);
    /* Sets *OUT to the event with ID; returns false if there is none, or it is damaged. */
    bool (*event)(const struct weft_source *source, uint64_t id, struct weft_event *out);
    /* Sets *OUT to the link with ID; returns false if there is none, or it is damaged. */
    bool (*link)(const struct weft_source *source, uint64_t id, struct weft_link *out);
    /*
     * Sets OUT to the values of the first CAPACITY fields that the entity with ID has
     * (WEFT_FIELDS_MAX is enough for all); returns how many it has set, 0 if there is no
     * such entity.
     */
    size_t (*fields)(const struct weft_source *source, uint64_t id,
                     struct weft_field_value *out, size_t capacity);
    /*
     * Visits the values of a field of all entities of a track that have it, some hundreds
     * in a call of VISIT, in order of ordinal; VISIT returns false to stop.  Decodes each
     * block once.
     */
    void (*column)(const struct weft_source *source, uint32_t track, uint32_t field,
                   bool (*visit)(void *user, const struct weft_field_run *run), void *user);
    /*
     * Visits the values of a field of the track's entities with ordinals in [FIRST, AFTER)
     * that have it, some hundreds in a call of VISIT, in order of ordinal; VISIT returns
     * false to stop.  Decodes only their blocks.
     */
    void (*field_range)(const struct weft_source *source, uint32_t track, uint32_t field,
                        uint64_t first, uint64_t after,
                        bool (*visit)(void *user, const struct weft_field_run *run),
                        void *user);

    /*
     * Visits all values of fields of the track's entities with ordinals in [FIRST, AFTER),
     * field by field, in the order in which the query `fields` lists them, some hundreds in
     * a call; VISIT returns false to stop.
     * The cost grows with the number of fields that the track has: ask for at least as many
     * entities at once.
     */
    void (*all_fields)(const struct weft_source *source, uint32_t track, uint64_t first,
                       uint64_t after,
                       bool (*visit)(void *user, uint32_t field,
                                     const struct weft_field_run *run),
                       void *user);

    /*
     * Sets OUT[i] for i < N to the innermost state of TRACKS[i] at TIME (begin <= TIME <
     * end), or to "none", also if it is no state track.  Costs a search in each track's
     * directory and decoding half a block; runs on several threads.
     */
    void (*values_at)(const struct weft_source *source, const uint32_t *tracks, size_t n,
                      int64_t time, struct weft_innermost *out);

    /*
     * Visits the changes of the innermost value of a state track in the window, in order of
     * time, one or some hundreds a call: first the value at the window's begin, then each
     * change before its end.  Several changes may have the same time: the last one counts.
     * A change may repeat the previous value.  No visit if the track is not of states or
     * the window is empty.  Values with PASSED_OVER[value] set are skipped: the innermost
     * other value counts; PASSED_OVER may be NULL.  VISIT returns false to stop.  Costs a
     * search in the track's directory, and some ns a change.
     */
    void (*changes)(const struct weft_source *source, uint32_t track,
                    struct weft_span window, const uint8_t *passed_over,
                    bool (*visit)(void *user, const struct weft_innermost_change *changes,
                                  size_t n),
                    void *user);

    /*
     * Visits the changes of the class of a state track's innermost value in the window, in
     * order of time: first the class at the window's begin, then each change before its
     * end; only classes that last at least one tick.  VISIT returns false to stop.  Costs 1
     * or 2 ns a change.
     */
    void (*classes)(const struct weft_source *source, uint32_t track,
                    struct weft_span window, const struct weft_classing *classing,
                    bool (*visit)(void *user, const struct weft_class_run *run),
                    void *user);

    /*
     * Adds the ticks of class 0, of class 1 and of all others in the window of query i to
     * TICKS[i].  Unreadable time is in none of them.  Costs a search in each track's
     * directory and 1 ns a change in the window, so it is for short windows (`sums` is for
     * any, but by value).  Passing some tens of queries at once overlaps their cache
     * misses.
     */
    void (*class_ticks)(const struct weft_source *source,
                        const struct weft_class_query *queries, size_t n,
                        const struct weft_classing *classing,
                        int64_t (*ticks)[WEFT_TALLIES]);

    /*
     * Visits the ids of the entities, on all tracks, whose field value->field has exactly
     * the value *VALUE, in order of id; a text is given by its index in the schema's
     * strings.  VISIT returns false to stop.  Returns false if the field has no index
     * (weft_field.indexed), or the index is lost by damage.  O(log n + hits).
     */
    bool (*find)(const struct weft_source *source, const struct weft_field_value *value,
                 bool (*visit)(void *user, uint64_t id), void *user);
    /*
     * Visits the links whose from_entity (if INCOMING: to_entity) is ENTITY, in order of
     * their ids; VISIT returns false to stop.  O(log n + hits).
     */
    void (*links_of)(const struct weft_source *source, uint64_t entity, bool incoming,
                     bool (*visit)(void *user, const struct weft_link *link), void *user);

    /*
     * Sums the links of N tracks of links that begin in the window by (from, to) into OUT,
     * which is overwritten.  Exact.  Reads some summary nodes, and the links at both edges
     * of the window, on several threads.
     */
    void (*pair_sums)(const struct weft_source *source, const uint32_t *tracks, size_t n,
                      struct weft_span window, struct weft_pair_sums *out);
    /*
     * Sums the links of N tracks that are pending at TIME (begin <= TIME < end) by (from,
     * to) into OUT, which is overwritten.  Exact.  Looks at each block that begins
     * before TIME, and decodes those whose latest time is after TIME.
     */
    void (*pairs_pending)(const struct weft_source *source, const uint32_t *tracks,
                          size_t n, int64_t time, struct weft_pair_sums *out);

    /*
     * Decodes into *OUT the block of a track that holds entity ORDINAL (below the track's
     * count); entities are in order of begin, links by the earlier of their times.  If the
     * block is damaged, out->n is 0, and [out->first, out->after) are to be skipped.
     */
    void (*run)(const struct weft_source *source, uint32_t track, uint64_t ordinal,
                struct weft_run *out);
    /*
     * Returns how many entities of a track begin before TIME (links: the earlier of their
     * times): the ordinal of the first that does not.  O(log n).
     */
    uint64_t (*rank)(const struct weft_source *source, uint32_t track, int64_t time);

    /*
     * Returns the entity that QUERY asks for; if several have its time, the one with the
     * lowest id, or if backward the highest.  Tracks without the values cost nothing;
     * of the others, the values (a byte or two an entity) are read from TIME to the result.
     */
    struct weft_near (*near)(const struct weft_source *source,
                             const struct weft_near_query *query);

    /*
     * Sets OUT to at most CAPACITY items, from number FROM (from 0) on, of the damage found
     * so far, which grows with queries; earlier items stay.  Returns the number of all
     * items.  OUT may be NULL if CAPACITY is 0.
     */
    size_t (*damage)(const struct weft_source *source, size_t from, struct weft_damage *out,
                     size_t capacity);

    /*
     * Returns the number of rows of the trace's grid of KIND (store/integer_grid.h); 0 if
     * it has none.
     */
    uint64_t (*grid_rows)(const struct weft_source *source, enum weft_grid_kind kind);
    /*
     * Returns the block of a grid with the rows from WEFT_BLOCK_ROWS * BLOCK on, for
     * weft_grid_cell(); NULL if it is damaged, or there is no such block.  O(1) after the
     * first touch, which verifies it.
     */
    const unsigned char *(*grid_block)(const struct weft_source *source,
                                       enum weft_grid_kind kind, uint64_t block);
};

/*
 * A trace that can be queried: source->ops->states(source, ...).  weft_trace_source() or
 * weft_raw_time_new() returns it; it is the first member of a struct of theirs.
 */
struct weft_source {
    const struct weft_source_ops *ops;
    const struct weft_schema *schema;
};

/*
 * Answers the query `classes` for a source by its query `changes`: visits the changes of
 * the class (by CLASSING) of the innermost value of TRACK in WINDOW, in order of time:
 * first the class at the window's begin, then each change before its end; only classes that
 * last at least one tick.  VISIT gets USER and returns false to stop.  No visit if the
 * track is not of states or WINDOW is empty.
 */
void weft_classes_of_changes(const struct weft_source *source, uint32_t track,
                             struct weft_span window, const struct weft_classing *classing,
                             bool (*visit)(void *user, const struct weft_class_run *run),
                             void *user);

/*
 * Answers the query `class_ticks` for a source by its query `changes`: adds the ticks of
 * class 0, of class 1 and of all others (by CLASSING) in the window of QUERIES[i], of N, to
 * TICKS[i][0], [1] and [2], which the caller has set.  Unreadable time is in none of them.
 */
void weft_class_ticks_of_changes(const struct weft_source *source,
                                 const struct weft_class_query *queries, size_t n,
                                 const struct weft_classing *classing,
                                 int64_t (*ticks)[WEFT_TALLIES]);

/*
 * Sorts the rows of SUMS by (from, to) and makes one row, with the sums, of those with the
 * same pair.  The rows move: sums->rows is freed and replaced.
 */
void weft_pair_sums_combine(struct weft_pair_sums *sums);

#endif
