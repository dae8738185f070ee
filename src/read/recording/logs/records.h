/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a thread's stream as records. */
#ifndef WEFT_READ_RECORDING_RECORDS_H
#define WEFT_READ_RECORDING_RECORDS_H

#include "read/recording/logs/load_recording.h"

/* A record of a thread, decoded by recording_next(); its words stay in the mapped log. */
struct record {
    uint64_t ticks;  /* stamp by its process's clock; recording_time() converts to ns */
    uint32_t family; /* number of the recorder's family (format/record_family_numbers.h) */
    uint32_t number; /* of the kind, within its family */
    uint32_t kind;   /* family * WEFT_KINDS_OF_FAMILY + number: WEFT_RECORD_... */
    uint32_t argument;     /* 20 bits, whose meaning the kind says */
    const uint64_t *words; /* [n_words], those after the first */
    uint32_t n_words;      /* at least as many as its kind needs (struct record_kinds) */
};

/*
 * The kinds of records, numbered 0 to n - 1, of one recorder family.  words[NUMBER] is the
 * least number of words after the first that a record of that kind must have.
 */
struct record_kinds {
    const uint8_t *words;
    uint32_t n;
};

/* The kinds of records that the join knows, by number of the family; n is 0 for others. */
struct record_families {
    struct record_kinds kinds[WEFT_FAMILIES_MAX];
};

/*
 * Goes back to the first record of STREAM, and clears its counts of skipped records, except
 * that `damaged` becomes 1 if stream->cut.
 */
void recording_rewind(struct stream *stream);
/*
 * Sets *RECORD to the next record of STREAM of a kind in FAMILIES; returns false at the
 * end.  Its words are valid until recording_free().  Other kinds are skipped and counted in
 * stream->unknown; holes and WEFT_RECORD_TIME are never returned.  Damage is counted in
 * stream->damaged: a record with too few words is skipped; one that reaches beyond its span
 * (contiguous part of the stream) ends that span.
 */
bool recording_next(const struct record_families *families, struct stream *stream,
                    struct record *record);

/*
 * Returns the time in ns, on the time axis that all machines of the recording share, of a
 * stamp of TICKS (record->ticks) in STREAM.  Fast if stamps come in order: stream->piece
 * keeps the last position.
 */
static inline int64_t recording_time(const struct recording *recording,
                                     struct stream *stream, uint64_t ticks)
{
    const struct image *image = &recording->images[stream->image];

    return image->observed
               ? recording_ns(recording, stream->image, ticks)
               : clock_domain_ns(&recording->domains[image->domain], ticks, &stream->piece);
}

/* Bytes of the array that takes a record's text, with the NUL. */
enum { RECORD_TEXT = 256 };
/*
 * Copies a record's text, from words[FIRST] to its end, to TO, with a NUL; returns TO.
 * The text is cut to RECORD_TEXT - 1 bytes, maybe within a character; it is "" if the
 * record has no such word.
 */
const char *record_text(const struct record *record, uint32_t first, char to[RECORD_TEXT]);

#endif
