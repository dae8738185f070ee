/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the source of raw times: how times and windows are translated. */
#ifndef WEFT_STORE_RAW_SOURCE_PRIV_H
#define WEFT_STORE_RAW_SOURCE_PRIV_H

#include "store/raw_time/raw_source.h"

/* A source of raw times; weft_raw_time_new() makes it. */
struct weft_raw_source {
    struct weft_source source;         /* first: a source is turned back into it */
    const struct weft_source *below;   /* the source of corrected times */
    struct weft_schema schema;         /* that of `below` with the tables that follow */
    struct weft_container *containers; /* owned; begin and end in raw time */
    struct weft_track *tracks;         /* owned; begin and end in raw time */
};

/* Returns the struct weft_raw_source that SOURCE, a source of raw times, is the head of. */
static inline const struct weft_raw_source *weft_raw_of(const struct weft_source *source)
{
    return (const struct weft_raw_source *)(const void *)source;
}

/*
 * Returns the clock of a container; NULL if it has none, or CONTAINER is WEFT_NONE: then
 * raw and corrected times are equal.
 */
static inline const struct weft_clock *weft_raw_clock(const struct weft_source *source,
                                                      uint32_t container)
{
    const struct weft_schema *schema = source->schema;
    if (container == WEFT_NONE || schema->containers[container].clock == WEFT_NONE)
        return NULL;
    return &schema->clocks[schema->containers[container].clock];
}

/* Returns the clock of the container that has TRACK; NULL if it has none. */
static inline const struct weft_clock *
weft_raw_clock_of_track(const struct weft_source *source, uint32_t track)
{
    return weft_raw_clock(source, source->schema->tracks[track].container);
}

/* Returns the raw time of a corrected TIME, clamped to WEFT_TIME_LIMIT.  No CLOCK: TIME. */
static inline int64_t weft_raw(const struct weft_clock *clock, int64_t time)
{
    return clock ? weft_time_clamp(weft_clock_raw(clock, time)) : time;
}

/*
 * Returns the first corrected time whose raw time is TIME or later.  No CLOCK: TIME.
 * weft_clock_raw(t) is the smallest raw time that is corrected to t or more, so it is below
 * TIME just when TIME - 1 is corrected to t or more.
 */
static inline int64_t weft_raw_first(const struct weft_clock *clock, int64_t time)
{
    if (!clock || time == INT64_MIN)
        return time;
    int64_t before = weft_clock_correct(clock, time - 1);
    return before == INT64_MAX ? before : before + 1;
}

/* Converts a window of raw times into corrected times.  No CLOCK: they stay as they are. */
static inline struct weft_span weft_raw_window(const struct weft_clock *clock,
                                               struct weft_span window)
{
    return (struct weft_span){ weft_raw_first(clock, window.begin),
                               weft_raw_first(clock, window.end) };
}

/*
 * Converts a window of raw times into corrected times, clamped to WEFT_TIME_LIMIT: for
 * windows that will be cut into columns, so that their length must fit int64_t.  No CLOCK:
 * the times stay as they are.
 */
static inline struct weft_span weft_raw_picture_window(const struct weft_clock *clock,
                                                       struct weft_span window)
{
    struct weft_span raw = weft_raw_window(clock, window);
    return (struct weft_span){ weft_time_clamp(raw.begin), weft_time_clamp(raw.end) };
}

/* Returns the last corrected time whose raw time is TIME or earlier.  No CLOCK: TIME. */
static inline int64_t weft_raw_last(const struct weft_clock *clock, int64_t time)
{
    return clock ? weft_clock_correct(clock, time) : time;
}

/*
 * Returns a copy of LINK with the raw times of its ends, each by the clock of the end's
 * container.  A half link's missing end takes the clock of the other end's container.  If
 * the container has no clock, the time is unchanged.
 */
struct weft_link weft_raw_link(const struct weft_source *source,
                               const struct weft_link *link);

/*
 * The queries of a source of raw times: links.c has those about links, track_queries.c the
 * others.
 */
extern const struct weft_source_ops weft_raw_ops;
void weft_raw_links(const struct weft_source *, uint32_t, struct weft_span,
                    bool (*)(void *, const struct weft_link *), void *);
void weft_raw_links_at(const struct weft_source *, uint32_t, bool, struct weft_span,
                       bool (*)(void *, const struct weft_link *), void *);
void weft_raw_links_of(const struct weft_source *, uint64_t, bool,
                       bool (*)(void *, const struct weft_link *), void *);
void weft_raw_pair_sums(const struct weft_source *, const uint32_t *, size_t,
                        struct weft_span, struct weft_pair_sums *);
void weft_raw_pairs_pending(const struct weft_source *, const uint32_t *, size_t, int64_t,
                            struct weft_pair_sums *);
bool weft_raw_link_of_id(const struct weft_source *, uint64_t, struct weft_link *);

#endif
