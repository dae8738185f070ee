/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's file as a stream of records. */
#ifndef WEFT_READ_RECORDING_RECORDS_H
#define WEFT_READ_RECORDING_RECORDS_H

#include "read/recording/logs/files.h"

struct record {
    uint64_t ticks; /* of its clock; recording_time makes nanoseconds of them */
    enum weft_family family;
    uint32_t number; /* of the kind in its family */
    uint32_t kind;   /* both */
    uint32_t argument;
    const uint64_t *words; /* after the first: at least as many as its kind needs */
    uint32_t n_words;
};

/* The kinds of a family: how many words each needs at least after the first. */
struct record_kinds {
    const uint8_t *words;
    uint32_t n;
};

/* Set by the join, for the families that it knows. */
struct record_families {
    struct record_kinds kinds[WEFT_FAMILIES_MOST];
};

void recording_rewind(struct stream *stream);
/*
 * The next record of a kind that FAMILIES knows; false at the end.  Others are skipped and
 * counted in the stream, and so is what is damaged: a record that reaches beyond the end takes
 * all that follows with it; one with too few words goes alone.
 */
bool recording_next(const struct record_families *families, struct stream *stream,
                    struct record *record);

/* The time of a stamp in the stream; quickly when they come in order. */
static inline int64_t recording_time(const struct recording *recording,
                                     struct stream *stream, uint64_t ticks)
{
    return clock_domain_ns(&recording->domains[recording->images[stream->image].domain],
                           ticks, &stream->piece);
}

enum { RECORD_TEXT = 256 };
/* The text of a record, which follows its word FIRST; returns TO. */
const char *record_text(const struct record *record, uint32_t first, char to[RECORD_TEXT]);

#endif
