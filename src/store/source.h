/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a view asks of a trace.  A source is a schema and a handful of questions about time;
 * the store answers them from its blocks and summaries, and a filter or a merge of several
 * traces will answer them by asking other sources.  A view knows nothing else of a trace.
 *
 * A source is immutable: any number of threads may ask at once.  No question walks the whole
 * trace unless its comment says so.  Memory that an answer needs comes from the caller.
 */
#ifndef WEFT_STORE_SOURCE_H
#define WEFT_STORE_SOURCE_H

#include "base/err.h"
#include "base/job.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/schema.h"

struct weft_source;

enum { WEFT_MOST_SLOTS = 16 };

/* Fields of an entity: a definition of Paje has 256 at most, and other formats fewer. */
enum { WEFT_FIELDS_MOST = 512 };

/*
 * The shares of time of the values in each of COLUMNS equal parts of WINDOW, summed over
 * several state tracks of one type.  Innermost states only (self time).  Row c of the answer
 * holds type->slots numbers from 0 to n_tracks: number s is the part of the column's time that
 * the value of rank s was on; the last slot holds all values of that rank and beyond (unless
 * the type has just as many values as slots).  What is missing to n_tracks is time in no
 * state.  Exact where EXACT is set or a column holds few states; else each column may be wrong
 * by what happens within one summary bin at each of its edges, and a bin is never wider than a
 * column.
 */
struct weft_share_query {
    const uint32_t *tracks;
    size_t n_tracks;
    struct weft_span window;
    size_t columns;
    float *shares;        /* [columns][slots], overwritten */
    struct weft_job *job; /* or NULL; when it is cancelled, the shares make no sense */
    bool exact; /* for tables and texts, which say numbers: the changes are walked, whatever
                   it costs, so that damaged summaries change nothing */
};

struct weft_sum {
    int64_t total_ticks; /* some open level had the value */
    int64_t self_ticks;  /* the innermost level had it */
};

struct weft_envelope { /* of a variable, in one column of time */
    float min, max;    /* NAN: no value there */
    float mean;        /* weighted by time */
};

/* Some values of a field, in order of ordinal; borrowed during the call. */
struct weft_field_run {
    const uint64_t *ordinals;
    const int64_t *values; /* as weft_field_value's integer; reals: their bits */
    size_t n;
};

struct weft_innermost { /* the innermost state that is open on a track at a time */
    uint64_t id;        /* WEFT_NO_ID: none is */
    uint32_t value;     /* WEFT_NONE: none is */
    uint32_t depth;
    bool damaged; /* what is open cannot be read: as if nothing were */
};

/* From TIME on, VALUE is the innermost one of a state track; WEFT_NONE: it is in no state. */
struct weft_innermost_change {
    int64_t time;
    uint32_t value;
    bool damaged; /* what follows cannot be read: VALUE is WEFT_NONE */
};

/* Values by class, of which there are few: below WEFT_NO_CLASS. */
enum { WEFT_NO_CLASS = 255, WEFT_TALLIES = 3 };
struct weft_classing {
    const uint8_t *of;          /* by value */
    uint8_t none;               /* of no state */
    uint8_t damaged;            /* of what cannot be read, for `classes` */
    const uint8_t *passed_over; /* by value: those that do not count; or NULL */
};

/* A part of a track of states. */
struct weft_class_query {
    uint32_t track;
    struct weft_span window;
};

/* From TIMES[i] on the class is CLASSES[i], another one than before. */
struct weft_class_run {
    const int64_t *times;
    const uint8_t *classes;
    size_t n;
};

/* How many links lead from one container to another, and the bytes that they say they carry. */
struct weft_pair_sum {
    uint32_t from, to; /* WEFT_NONE: half a link */
    uint64_t count;
    int64_t bytes; /* sum of the type's integer field with the role "bytes" */
};

/* In order of (from, to).  Zeroed at first, used again at will; free(rows) in the end. */
struct weft_pair_sums {
    struct weft_pair_sum *rows;
    size_t n, capacity;
};

/*
 * Entities of a track that the source keeps together: all whose ordinals are in [first,
 * after), or none where the file is damaged.
 */
enum { WEFT_RUN_MOST = 256 };
struct weft_run {
    uint64_t first, after;
    size_t n;
    union { /* by the kind of the track's type */
        struct weft_state states[WEFT_RUN_MOST];
        struct weft_event events[WEFT_RUN_MOST];
        struct weft_sample samples[WEFT_RUN_MOST];
        struct weft_link links[WEFT_RUN_MOST];
    };
};

/*
 * Look for the entity with one of some values that begins first at or after a time, or last
 * before it.  The time of a link is the earlier of its two.
 */
struct weft_near_query {
    const uint32_t *tracks; /* of states, events or links */
    size_t n_tracks;
    const uint32_t *values;
    size_t n_values; /* 0: any value, also none */
    int64_t time;
    bool backward;
};
struct weft_near {
    uint64_t id; /* WEFT_NO_ID: there is none */
    int64_t time;
};

/*
 * Bytes of the file that are not as they were written.  What they held is missing from answers:
 * entities and links from visits, fields from entities, hits from searches; sums leave out the
 * tracks whose blocks they cannot read.  A summary that is damaged is not used, so nothing is
 * missing then.  Nobody knows of damage before it is touched.
 */
enum weft_damage_kind {
    WEFT_DAMAGED_ENTITIES, /* of the track, in the span */
    WEFT_DAMAGED_FIELDS,   /* values of a field of the track's entities, or of all */
    WEFT_DAMAGED_INDEX,    /* entities by their fields, links by what they join */
    WEFT_DAMAGED_SUMMARY,
    WEFT_DAMAGED_TABLE, /* of what is known of the trace: problems, notes */
    WEFT_DAMAGED_GRID,  /* nodes of a task DAG */
};
struct weft_damage {
    enum weft_damage_kind what;
    uint32_t track, field; /* or WEFT_NONE */
    struct weft_span span;
    const char *table; /* "notes", when it is a whole table of the file; or NULL */
    uint64_t offset;   /* of the damaged part in the file, in bytes */
};

struct weft_source_ops {
    /*
     * Visit the states that overlap WINDOW, parents before children, begin never falling
     * among those of one depth; VISIT returns false to stop.  Begin and end are whole, not
     * clipped (an end far to the right costs a search in the block directory).
     */
    void (*states)(const struct weft_source *source, uint32_t track,
                   struct weft_span window,
                   bool (*visit)(void *user, const struct weft_state *state), void *user);
    void (*shares)(const struct weft_source *source, const struct weft_share_query *query);
    /* Exact sums by value over the tracks in [begin, end); adds to SUMS[n_values]. */
    void (*sums)(const struct weft_source *source, const uint32_t *tracks, size_t n_tracks,
                 struct weft_span window, struct weft_sum *sums);
    /* About how many entities of the track begin or end in the window.  O(log n). */
    uint64_t (*density)(const struct weft_source *source, uint32_t track,
                        struct weft_span window);

    void (*events)(const struct weft_source *source, uint32_t track,
                   struct weft_span window,
                   bool (*visit)(void *user, const struct weft_event *event), void *user);
    void (*samples)(const struct weft_source *source, uint32_t track,
                    struct weft_span window,
                    bool (*visit)(void *user, const struct weft_sample *sample),
                    void *user);
    void (*envelope)(const struct weft_source *source, uint32_t track,
                     struct weft_span window, size_t columns, struct weft_envelope *out);
    /*
     * The integral of a variable, in ticks, in each of N parts of time side by side: OUT[i] from
     * TIMES[i] to TIMES[i + 1], which never falls.  Exact; where nothing was sampled yet it is 0.
     * Some 300 ns a part, and a nanosecond for each block of samples within; in raw time, some
     * nanoseconds a sample.
     */
    void (*integrals)(const struct weft_source *source, uint32_t track,
                      const int64_t *times, size_t n, double *out);

    /* Visit the links of a track that overlap the window, in order of min(begin, end). */
    void (*links)(const struct weft_source *source, uint32_t track, struct weft_span window,
                  bool (*visit)(void *user, const struct weft_link *link), void *user);
    /* The links that leave (or, INCOMING, reach) a container at a time in the window. */
    void (*links_at)(const struct weft_source *source, uint32_t container, bool incoming,
                     struct weft_span window,
                     bool (*visit)(void *user, const struct weft_link *link), void *user);

    /* One entity by its id; false when there is none. */
    bool (*state)(const struct weft_source *source, uint64_t id, struct weft_state *out);
    bool (*event)(const struct weft_source *source, uint64_t id, struct weft_event *out);
    bool (*link)(const struct weft_source *source, uint64_t id, struct weft_link *out);
    /* Its fields; returns how many, at most CAPACITY: WEFT_FIELDS_MOST has room for all. */
    size_t (*fields)(const struct weft_source *source, uint64_t id,
                     struct weft_field_value *out, size_t capacity);
    /* A field of all entities of a track that have it, a run at a time: decodes each once. */
    void (*column)(const struct weft_source *source, uint32_t track, uint32_t field,
                   bool (*visit)(void *user, const struct weft_field_run *run), void *user);
    /* The same of the entities with ordinals in [first, after); decodes what holds them. */
    void (*field_range)(const struct weft_source *source, uint32_t track, uint32_t field,
                        uint64_t first, uint64_t after,
                        bool (*visit)(void *user, const struct weft_field_run *run),
                        void *user);

    /*
     * All fields of the entities with ordinals in [first, after), those of one field after those of
     * another, in the order of `fields`.  Looks at each field that the track has, and decodes what
     * holds the values: for as many entities at once as there may be fields.
     */
    void (*all_fields)(const struct weft_source *source, uint32_t track, uint64_t first,
                       uint64_t after,
                       bool (*visit)(void *user, uint32_t field,
                                     const struct weft_field_run *run),
                       void *user);

    /*
     * The innermost state at TIME (begin <= TIME < end) on each of N tracks, OUT[i] that of
     * TRACKS[i]; none on tracks that are not of states.  A search in each track's directory
     * and half a block; on several threads.
     */
    void (*values_at)(const struct weft_source *source, const uint32_t *tracks, size_t n,
                      int64_t time, struct weft_innermost *out);

    /*
     * Visit the changes of the innermost value of a track of states in the window, in order
     * of time and some hundreds at once: first the value at its begin, then each change before
     * its end.  Of several changes at one time the last is what holds from there on; the value
     * may be that of before.  PASSED_OVER (by value; or NULL) says which values do not count:
     * then it is the innermost of the others.  VISIT returns false to stop.  A search in the
     * track's directory, and some nanoseconds a change.
     */
    void (*changes)(const struct weft_source *source, uint32_t track,
                    struct weft_span window, const uint8_t *passed_over,
                    bool (*visit)(void *user, const struct weft_innermost_change *changes,
                                  size_t n),
                    void *user);

    /*
     * Visit the changes of the class of the innermost value in the window, in order of time and
     * some hundreds at once: first the class at its begin, then each time before its end from
     * which on it is another one, for a tick at least.  As `changes`, but a nanosecond or
     * two a change.
     */
    void (*classes)(const struct weft_source *source, uint32_t track,
                    struct weft_span window, const struct weft_classing *classing,
                    bool (*visit)(void *user, const struct weft_class_run *run),
                    void *user);

    /*
     * For how long each class was on in the windows of N queries, added to
     * TICKS[n][WEFT_TALLIES]: of classes 0 and 1, and of all others.  What cannot be read is
     * in none of them.  A search in each track's directory, and a nanosecond a change of its
     * window: for short ones (`sums` is for any, but of values).  Some tens of queries at
     * once wait for memory together.
     */
    void (*class_ticks)(const struct weft_source *source,
                        const struct weft_class_query *queries, size_t n,
                        const struct weft_classing *classing,
                        int64_t (*ticks)[WEFT_TALLIES]);

    /*
     * Visit the entities with a value of an indexed field, in order of id.  Texts are found
     * by their index.  False when the field has no index.  O(log n + hits).
     */
    bool (*find)(const struct weft_source *source, const struct weft_field_value *value,
                 bool (*visit)(void *user, uint64_t id), void *user);
    /*
     * Visit the links that leave (or, INCOMING, reach) an entity, in order of id.
     * O(log n + hits).
     */
    void (*links_of)(const struct weft_source *source, uint64_t entity, bool incoming,
                     bool (*visit)(void *user, const struct weft_link *link), void *user);

    /*
     * Sums by (from, to) of the links of some tracks that begin in the window; replaces what
     * OUT holds.  Exact.  Reads some nodes of summaries, and the links at both edges of
     * the window, on several threads.
     */
    void (*pair_sums)(const struct weft_source *source, const uint32_t *tracks, size_t n,
                      struct weft_span window, struct weft_pair_sums *out);
    /*
     * The same of the links that are pending at TIME: begin <= TIME < end.  Looks at the
     * latest time of each block before TIME, and into those that reach beyond.
     */
    void (*pairs_pending)(const struct weft_source *source, const uint32_t *tracks,
                          size_t n, int64_t time, struct weft_pair_sums *out);

    /*
     * The entities of a track that are kept with number ORDINAL (below its count), in order of
     * begin; links by the earlier of their times.  Decodes one block.
     */
    void (*run)(const struct weft_source *source, uint32_t track, uint64_t ordinal,
                struct weft_run *out);
    /* How many entities of a track begin before TIME, in that order.  O(log n). */
    uint64_t (*rank)(const struct weft_source *source, uint32_t track, int64_t time);

    /*
     * The nearest entity with a value on some tracks; of those of one time, that of the
     * lowest id, or, backward, of the highest.  Tracks that never have the value cost
     * nothing; else it reads the column of values (a byte or two an entity) from TIME to what
     * it finds.
     */
    struct weft_near (*near)(const struct weft_source *source,
                             const struct weft_near_query *query);

    /*
     * The damage that was found so far, which grows as questions are asked: OUT gets at most
     * CAPACITY of it from number FROM on.  Returns how much there is.
     */
    size_t (*damage)(const struct weft_source *source, size_t from, struct weft_damage *out,
                     size_t capacity);

    /* How many rows a grid has (store/grid.h); 0: the trace has none of the kind. */
    uint64_t (*grid_rows)(const struct weft_source *source, enum weft_grid_kind kind);
    /*
     * The block of a grid that has the rows from WEFT_BLOCK_ROWS * BLOCK on: for
     * weft_grid_cell().  NULL: damaged.  O(1), after the first touch.
     */
    const unsigned char *(*grid_block)(const struct weft_source *source,
                                       enum weft_grid_kind kind, uint64_t block);
};

struct weft_source {
    const struct weft_source_ops *ops;
    const struct weft_schema *schema;
};

/* The questions `classes` and `class_ticks`, answered by the source's own `changes`. */
void weft_classes_of_changes(const struct weft_source *source, uint32_t track,
                             struct weft_span window, const struct weft_classing *classing,
                             bool (*visit)(void *user, const struct weft_class_run *run),
                             void *user);

void weft_class_ticks_of_changes(const struct weft_source *source,
                                 const struct weft_class_query *queries, size_t n,
                                 const struct weft_classing *classing,
                                 int64_t (*ticks)[WEFT_TALLIES]);

/* Put rows into order of (from, to) and add up those of one pair. */
void weft_pair_sums_combine(struct weft_pair_sums *sums);

#endif
