/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the statistical summary, and its picture (view/statistics_draw.c). */
#ifndef WEFT_VIEW_STATISTICS_H
#define WEFT_VIEW_STATISTICS_H

#include "domains/messages/model/message_statistics.h"
#include "domains/messages/view/processor_display_helpers.h"

/* The numbers of a processor, or of several together. */
struct statistics_row {
    uint32_t n;                  /* processors */
    int64_t ticks[WEFT_CLASSES]; /* of the time so far, in each class */
    struct weft_message_statistics messages;
    /* of the longest queues (statistics.queue) of any of them: most messages, most bytes */
    struct weft_amount high;
};

/* The numbers of all processors that are shown. */
struct statistics {
    struct weft_shown shown;
    struct weft_span so_far;     /* the time that is summed up */
    struct statistics_row *rows; /* [shown.list.n], by position */
    enum weft_direction queue;   /* the one whose length is told */
    const char *hops;            /* words for the network of hops: "in a ring"; static */
    const char *collectives;     /* what the subtitle says of them, or ""; static */
};

/* Returns the numbers of the rows FIRST to AFTER - 1 of s->rows together. */
struct statistics_row statistics_sum(const struct statistics *s, uint32_t first,
                                     uint32_t after);
/*
 * Returns the percentage of the time that ROW's processors were in CLASS; NAN where all of
 * their time is unreadable.
 */
double statistics_percent(const struct statistics *s, const struct statistics_row *row,
                          enum weft_class class);
/* Returns the mean of TALLY's values; NAN if it has none. */
double statistics_mean(const struct weft_tally *tally);
/* Returns true if the bytes of all of MESSAGES are known. */
bool statistics_bytes_known(const struct weft_directed_statistics *messages);

/* Draws the picture of S, a table of numbers, in the size of REQUEST into OUT. */
void statistics_draw(const struct statistics *s, const struct weft_request *request,
                     struct weft_scene *out);

#endif
