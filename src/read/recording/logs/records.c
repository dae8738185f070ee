/* SPDX-License-Identifier: Apache-2.0 */
/* Turns words into records. */
#include "read/recording/logs/records.h"

#include <string.h>

void recording_rewind(struct stream *stream)
{
    stream->at_span = 0;
    stream->at = stream->n_spans ? stream->spans[0].begin : NULL;
    stream->ticks = stream->header->first_ticks;
    stream->piece = 0;
    stream->zeros = 0;
    stream->exits = false;
    stream->read = false;
    stream->damaged = stream->cut;
    memset(stream->unknown, 0, sizeof stream->unknown);
}

/* Returns true if the join can take the record; else counts it. */
static bool is_known(const struct record_families *families, struct stream *stream,
                     const struct record *record)
{
    const struct record_kinds *kinds = &families->kinds[record->family];

    if (record->number >= kinds->n) {
        stream->unknown[record->family]++;
        return false;
    }
    if (record->n_words < kinds->words[record->number]) {
        stream->damaged++;
        return false;
    }
    return true;
}

/*
 * A hook that was left before it marked its record leaves the zero words of one record.  A
 * longer run of zeros, with records behind it, was cleared later: damage.
 */
static void end_zeros(struct stream *stream)
{
    stream->damaged += stream->zeros > 1 + WEFT_RECORD_WORDS_MAX;
    stream->zeros = 0;
}

/* Returns the first word of a hole of WORDS words. */
static uint64_t hole_of(uint32_t words)
{
    return words < WEFT_WORDS_LONG
               ? weft_record_word(0, WEFT_RECORD_HOLE, words, 0)
               : weft_record_word(0, WEFT_RECORD_HOLE, WEFT_WORDS_LONG, words);
}

/* Read the word at *stream->at into RECORD and advance; returns false if it is none. */
static bool split(struct stream *stream, const uint64_t *end, struct record *record)
{
    uint64_t word = *stream->at;

    if (word == 0) {
        stream->zeros++;
        stream->at++;
        return false;
    }
    end_zeros(stream);
    record->n_words = weft_record_words(word);
    if (record->n_words >= (size_t)(end - stream->at)) {
        stream->damaged++;
        stream->at = end;
        return false;
    }
    record->words = stream->at + 1;
    stream->at += 1 + record->n_words;
    record->kind = weft_record_kind(word);
    if (record->kind == WEFT_RECORD_HOLE) {
        /* A hole has a length, and nothing else. */
        stream->damaged += word != hole_of(record->n_words);
        return false;
    }
    record->family = record->kind / WEFT_KINDS_OF_FAMILY;
    record->number = record->kind % WEFT_KINDS_OF_FAMILY;
    record->argument = weft_record_argument(word);
    /* The nearest time with these low bits. */
    stream->ticks += (uint64_t)(int64_t)(int32_t)((uint32_t)word - (uint32_t)stream->ticks);
    return true;
}

/* At the end of a stream: a thread whose header says that it ended has an EXIT record. */
static void end_stream(struct stream *stream)
{
    if (!stream->read && stream->header->ended && !stream->exits
        && stream->header->lost == 0)
        stream->damaged++;
    stream->read = true;
}

bool recording_next(const struct record_families *families, struct stream *stream,
                    struct record *record)
{
    for (;;) {
        const uint64_t *end;

        if (stream->at_span >= stream->n_spans) {
            end_stream(stream);
            return false;
        }
        end = stream->spans[stream->at_span].end;
        if (stream->at >= end) {
            end_zeros(stream);
            if (++stream->at_span < stream->n_spans)
                stream->at = stream->spans[stream->at_span].begin;
            continue;
        }
        if (!split(stream, end, record) || !is_known(families, stream, record))
            continue;
        stream->exits |= record->kind == WEFT_RECORD_EXIT;
        if (record->kind == WEFT_RECORD_TIME) {
            stream->ticks = record->words[0];
            continue;
        }
        record->ticks = stream->ticks;
        return true;
    }
}

const char *record_text(const struct record *record, uint32_t first, char to[RECORD_TEXT])
{
    size_t size =
        first < record->n_words ? (record->n_words - first) * sizeof(uint64_t) : 0;

    if (size > RECORD_TEXT - 1)
        size = RECORD_TEXT - 1;
    if (size > 0)
        memcpy(to, record->words + first, size);
    to[size] = 0;
    return to;
}
