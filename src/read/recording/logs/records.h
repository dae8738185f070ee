/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a thread's stream as records. */
#ifndef WEFT_READ_RECORDING_RECORDS_H
#define WEFT_READ_RECORDING_RECORDS_H

#include "read/recording/logs/files.h"

struct record {
    uint64_t ticks; /* of its clock; recording_time converts to nanoseconds */
    uint32_t family;
    uint32_t number; /* of the kind, within its family */
    uint32_t kind;   /* family and number */
    uint32_t argument;
    const uint64_t *words; /* words after the first; at least as many as its kind needs */
    uint32_t n_words;
};

/* The N kinds of a family: words[kind]: words that it needs after the first, at least. */
struct record_kinds {
    const uint8_t *words;
    uint32_t n;
};

/* The families that the join knows. */
struct record_families {
    struct record_kinds kinds[WEFT_FAMILIES_MAX];
};

/* Go back to the stream's first record. */
void recording_rewind(struct stream *stream);
/*
 * Set *RECORD to the next record of a kind in FAMILIES; returns false at the end.  Other
 * kinds are skipped and counted in the stream, and so is damage: at a record that reaches
 * beyond the end, all that follows is skipped; a record with too few words is skipped.
 */
bool recording_next(const struct record_families *families, struct stream *stream,
                    struct record *record);

/* Returns the time in ns of a stamp of STREAM; fast if stamps come in order. */
static inline int64_t recording_time(const struct recording *recording,
                                     struct stream *stream, uint64_t ticks)
{
    return clock_domain_ns(&recording->domains[recording->images[stream->image].domain],
                           ticks, &stream->piece);
}

enum { RECORD_TEXT = 256 };
/* Copy a record's text, which begins at words[FIRST], to TO; returns TO. */
const char *record_text(const struct record *record, uint32_t first, char to[RECORD_TEXT]);

#endif
