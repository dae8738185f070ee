/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From text to records.  Nearly all lines of a trace are short and hold neither quotes nor
 * comments; they are split by masks of 64 characters at a time.  The others go one character
 * at a time through slow_line().
 */
#define _GNU_SOURCE /* mkostemp, memrchr */

#include <stdlib.h>
#include <string.h>
#if defined __SSE2__
# include <emmintrin.h>
#endif

#include "read/paje/paje_priv.h"

enum { BLOCK = 1 << 20, LONGEST_LINE = 16 << 20 };

/* One bit a character, for 64 of them. */
struct masks {
    uint64_t blank; /* what separates words, newlines among them */
    uint64_t newline;
    uint64_t special; /* what only slow_line() understands */
};

#if defined __SSE2__
static inline void add_masks(struct masks *masks, const char *text, unsigned shift)
{
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)text);
    __m128i newline = _mm_cmpeq_epi8(c, _mm_set1_epi8('\n'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(c, _mm_set1_epi8(31)), c);
    __m128i from_tab = _mm_sub_epi8(c, _mm_set1_epi8('\t'));
    __m128i tab_to_return =
        _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8(4)), from_tab);
    __m128i blank = _mm_or_si128(tab_to_return, _mm_cmpeq_epi8(c, _mm_set1_epi8(' ')));
    /* '"' is 34, '#' 35, '%' 37; '$' between them is rare enough to go the slow way. */
    __m128i from_quote = _mm_sub_epi8(c, _mm_set1_epi8('"'));
    __m128i special =
        _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(from_quote, _mm_set1_epi8(3)), from_quote),
                     _mm_andnot_si128(tab_to_return, control));
    masks->blank |= (uint64_t)(unsigned)_mm_movemask_epi8(blank) << shift;
    masks->newline |= (uint64_t)(unsigned)_mm_movemask_epi8(newline) << shift;
    masks->special |= (uint64_t)(unsigned)_mm_movemask_epi8(special) << shift;
}
#else
static inline void add_masks(struct masks *masks, const char *text, unsigned shift)
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned char c = (unsigned char)text[i];
        uint64_t bit = UINT64_C(1) << (shift + i);
        bool blank = c == ' ' || (c >= '\t' && c <= '\r');
        masks->blank |= blank ? bit : 0;
        masks->newline |= c == '\n' ? bit : 0;
        masks->special |= (c >= '"' && c <= '%') || (c < 32 && !blank) ? bit : 0;
    }
}
#endif

static inline struct masks masks_of(const char *text)
{
    struct masks masks = { 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        add_masks(&masks, text + i, i);
        if (masks.newline)
            break; /* what follows is not this line's */
    }
    return masks;
}

void paje_lexer_init(struct paje_lexer *lexer, struct weft_input *input,
                     struct paje_clock clock)
{
    *lexer = (struct paje_lexer){ .input = input, .clock = clock, .line = 1 };
    paje_symbols_init(&lexer->symbols);
    paje_pairs_init(&lexer->pairs);
    paje_pairs_init(&lexer->choices);
    const char root[17] = "0"; /* symbol 0: the root container and its type */
    paje_symbol(&lexer->symbols, root, 1);
}

void paje_lexer_free(struct paje_lexer *lexer)
{
    paje_symbols_free(&lexer->symbols);
    paje_pairs_free(&lexer->pairs);
    paje_pairs_free(&lexer->choices);
    if (lexer->open) {
        free(lexer->open->fields);
        free(lexer->open->id);
        free(lexer->open);
    }
    for (size_t i = 0; i < lexer->n_definitions; i++) {
        free(lexer->definitions[i]->fields);
        free(lexer->definitions[i]->id);
        free(lexer->definitions[i]);
    }
    free(lexer->definitions);
    weft_text_map_free(&lexer->ids);
    free(lexer->rest);
    free(lexer->words);
}

void paje_batch_free(struct paje_batch *batch)
{
    free(batch->text);
    free(batch->records);
    free(batch->texts);
    free(batch->reports);
}

void paje_report(struct paje_lexer *lexer, struct paje_batch *batch, enum paje_fault fault,
                 const char *text, size_t length)
{
    batch->reports = weft_grow(batch->reports, &batch->report_capacity,
                               batch->n_reports + 1, sizeof *batch->reports);
    struct paje_report *report = &batch->reports[batch->n_reports++];
    report->fault = fault;
    report->line = (uint32_t)(lexer->line - batch->first_line);
    report->length =
        (uint32_t)(length < sizeof report->text ? length : sizeof report->text);
    memcpy(report->text, text, report->length);
}

static bool has_garbage(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' && !(c >= '\t' && c <= '\r'))
            return true;
    }
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Split a line with quotes or comments; false when a quote stays open. */
static bool split(struct paje_lexer *lexer, const char *text, const char *at,
                  const char *end, size_t *n_words)
{
    *n_words = 0;
    bool closed = true;
    while (closed) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end || *at == '#')
            break;
        const char *word = at;
        if (*at == '"') {
            word = ++at;
            while (at < end && *at != '"')
                at++;
            closed = at < end;
        } else {
            while (at < end && !is_blank(*at) && *at != '#')
                at++;
        }
        lexer->words = weft_grow(lexer->words, &lexer->word_capacity, *n_words + 1,
                                 sizeof *lexer->words);
        lexer->words[(*n_words)++] =
            (struct paje_text){ (uint32_t)(word - text), (uint32_t)(at - word), WEFT_NONE };
        at += at < end && *at == '"';
    }
    return closed;
}

static const struct paje_definition *definition_of(struct paje_lexer *lexer, const char *id,
                                                   size_t length)
{
    if (length > 8)
        return paje_definition_find(lexer, id, length);
    uint64_t word;
    memcpy(&word, id, 8);
    if (length < 8)
        word &= (UINT64_C(1) << 8 * length) - 1;
    struct paje_id_slot *slot =
        &lexer->id_slots[(word * 0x9e3779b97f4a7c15u) >> 56 & (PAJE_ID_SLOTS - 1)];
    if (slot->word != word || !slot->definition)
        *slot = (struct paje_id_slot){ word, paje_definition_find(lexer, id, length) };
    return slot->definition;
}

/* The value of one field goes into the record; false: the line makes no sense. */
static inline bool take_word(struct paje_lexer *lexer, struct paje_batch *batch,
                             struct paje_record *record, uint32_t symbols[3],
                             enum paje_step step, struct paje_text *word)
{
    const char *text = batch->text + word->offset;
    size_t length = word->length;
    switch (step) {
    case PAJE_STEP_TEXT: return true;
    case PAJE_STEP_SYMBOL:
        word->symbol = paje_symbol(&lexer->symbols, text, length);
        return true;
    case PAJE_STEP_TIME: {
        enum paje_time time = paje_parse_time(&lexer->clock, text, length, &record->time);
        if (time == PAJE_TIME_OK)
            return true;
        paje_report(lexer, batch,
                    time == PAJE_TIME_BAD       ? PAJE_FAULT_TIME
                    : time == PAJE_TIME_ROUNDED ? PAJE_FAULT_TIME_FINE
                                                : PAJE_FAULT_TIME_RANGE,
                    text, length);
        return time == PAJE_TIME_ROUNDED;
    }
    case PAJE_STEP_CONTAINER:
        symbols[0] = paje_symbol(&lexer->symbols, text, length);
        return true;
    case PAJE_STEP_TYPE:
        symbols[1] = paje_symbol(&lexer->symbols, text, length);
        return true;
    case PAJE_STEP_VALUE:
        symbols[2] = paje_symbol(&lexer->symbols, text, length);
        return true;
    case PAJE_STEP_OTHER:
        record->other = paje_symbol(&lexer->symbols, text, length);
        return true;
    case PAJE_STEP_NUMBER:
        if (paje_parse_number(text, length, &record->number))
            return true;
        paje_report(lexer, batch, PAJE_FAULT_NUMBER, text, length);
        return false;
    }
    return true;
}

static struct paje_record *new_record(struct paje_lexer *lexer, struct paje_batch *batch,
                                      const struct paje_definition *definition)
{
    if (batch->n_records == batch->record_capacity)
        batch->records = weft_grow(batch->records, &batch->record_capacity,
                                   batch->n_records + 1, sizeof *batch->records);
    struct paje_record *record = &batch->records[batch->n_records];
    record->time = 0;
    record->definition = definition;
    record->line = (uint32_t)(lexer->line - batch->first_line);
    record->other = record->pair = WEFT_NONE;
    record->number = 0;
    record->hash = 0;
    return record;
}

static void finish_record(struct paje_lexer *lexer, struct paje_batch *batch,
                          struct paje_record *record, const uint32_t symbols[3],
                          const struct paje_text *words)
{
    const struct paje_definition *d = record->definition;
    if (symbols[0] != WEFT_NONE)
        record->pair = paje_pair(&lexer->pairs, symbols[0], symbols[1]);
    if (symbols[2] != WEFT_NONE)
        record->choice = paje_pair(&lexer->choices, symbols[1], symbols[2]);
    if (d->event >= PAJE_START_LINK && d->event <= PAJE_END_LINK) {
        const struct paje_text *key = &words[d->place[PAJE_KEY]];
        record->hash = weft_hash(batch->text + key->offset, key->length)
                       ^ (uint64_t)record->pair * 0x9e3779b97f4a7c15u;
    }
    if (d->keeps_texts) {
        batch->texts = weft_grow(batch->texts, &batch->text_capacity,
                                 batch->n_texts + d->n_fields, sizeof *batch->texts);
        record->first_text = (uint32_t)batch->n_texts;
        if (d->n_fields)
            memcpy(batch->texts + batch->n_texts, words, d->n_fields * sizeof *words);
        batch->n_texts += d->n_fields;
    }
    batch->n_records++;
}

/* An event whose words are known: WORDS[0] is the id. */
static void event_line(struct paje_lexer *lexer, struct paje_batch *batch,
                       struct paje_text *words, size_t n_words, const char *line,
                       size_t length)
{
    if (lexer->open)
        paje_definition_end(lexer, batch, true);
    batch->n_events++;
    const char *id = batch->text + words[0].offset;
    const struct paje_definition *d = definition_of(lexer, id, words[0].length);
    if (!d) {
        paje_report(lexer, batch, PAJE_FAULT_EVENT_ID, id, words[0].length);
        return;
    }
    if (d->event == PAJE_UNKNOWN_EVENT)
        return;
    if (n_words - 1 != d->n_fields) {
        bool few = n_words - 1 < d->n_fields;
        bool cut = lexer->truncated && line + length + 1 >= batch->text + batch->size;
        paje_report(lexer, batch,
                    cut && few ? PAJE_FAULT_TRUNCATED
                    : few      ? PAJE_FAULT_FEW_VALUES
                               : PAJE_FAULT_MANY_VALUES,
                    line, length);
        if (few)
            return;
    }
    struct paje_record *record = new_record(lexer, batch, d);
    uint32_t symbols[3] = { WEFT_NONE, WEFT_NONE, WEFT_NONE };
    for (uint32_t i = 0; i < d->n_fields; i++)
        if (!take_word(lexer, batch, record, symbols, d->fields[i].step, &words[i + 1]))
            return;
    finish_record(lexer, batch, record, symbols, words + 1);
}

/* A line of any kind. */
static void slow_line(struct paje_lexer *lexer, struct paje_batch *batch, const char *line,
                      const char *end)
{
    size_t length = (size_t)(end - line), n;
    if (has_garbage(line, length)) {
        paje_report(lexer, batch, PAJE_FAULT_GARBAGE, line, 0);
        batch->n_events++;
        return;
    }
    const char *at = line;
    while (at < end && is_blank(*at))
        at++;
    bool definition = at < end && *at == '%';
    if (!split(lexer, batch->text, at + definition, end, &n)) {
        paje_report(lexer, batch, PAJE_FAULT_QUOTE, line, length);
        batch->n_events++;
        return;
    }
    if (definition)
        paje_definition_line(lexer, batch, lexer->words, n);
    else if (n)
        event_line(lexer, batch, lexer->words, n, line, length);
}

/* A short line without anything special, from its masks. */
static inline void quick_line(struct paje_lexer *lexer, struct paje_batch *batch,
                              const char *line, struct masks masks, unsigned length)
{
    struct paje_text words[33]; /* more do not fit into 64 characters */
    uint64_t in_line = masks.newline ^ (masks.newline - 1);
    uint64_t word = ~masks.blank & in_line;
    uint64_t starts = word & ~(word << 1), ends = ~word & word << 1 & in_line;
    uint32_t offset = (uint32_t)(line - batch->text);
    size_t n = 0;
    for (; starts; starts &= starts - 1, ends &= ends - 1) {
        uint32_t start = (uint32_t)__builtin_ctzll(starts);
        words[n++] =
            (struct paje_text){ offset + start, (uint32_t)__builtin_ctzll(ends) - start,
                                WEFT_NONE };
    }
    if (n)
        event_line(lexer, batch, words, n, line, length);
}

static void lex_lines(struct paje_lexer *lexer, struct paje_batch *batch)
{
    const char *at = batch->text, *end = batch->text + batch->size;
    while (at < end) {
        struct masks masks = masks_of(at);
        uint64_t in_line = masks.newline ^ (masks.newline - 1);
        if (masks.newline && !(masks.special & in_line)) {
            unsigned length = (unsigned)__builtin_ctzll(masks.newline);
            quick_line(lexer, batch, at, masks, length);
            at += length + 1;
        } else {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            slow_line(lexer, batch, at, newline);
            at = newline + 1;
        }
        lexer->line++;
    }
}

/* Read until the block is full; false at the end of the input. */
static bool fill(struct paje_lexer *lexer, struct paje_batch *batch)
{
    while (batch->size < batch->capacity) {
        struct weft_err err = { 0 };
        int64_t got = weft_input_read(lexer->input, batch->text + batch->size,
                                      batch->capacity - batch->size, &err);
        if (got < 0)
            paje_report(lexer, batch, PAJE_FAULT_DAMAGED, err.message, strlen(err.message));
        if (got <= 0)
            return false;
        batch->size += (size_t)got;
    }
    return true;
}

/* Make the block end with a newline: what follows the last one waits for the next block. */
static void cut(struct paje_lexer *lexer, struct paje_batch *batch)
{
    if (lexer->at_end) {
        lexer->truncated = batch->size && batch->text[batch->size - 1] != '\n';
        if (lexer->truncated)
            batch->text[batch->size++] = '\n';
        return;
    }
    char *newline = memrchr(batch->text, '\n', batch->size);
    size_t whole = newline ? (size_t)(newline - batch->text) + 1 : 0;
    lexer->n_rest = batch->size - whole;
    lexer->rest = weft_grow(lexer->rest, &lexer->rest_capacity, lexer->n_rest + 1, 1);
    memcpy(lexer->rest, batch->text + whole, lexer->n_rest);
    batch->size = whole;
}

/* Drop what is left of a line that was too long. */
static void skip_long_line(struct paje_lexer *lexer, struct paje_batch *batch)
{
    char *newline = memchr(batch->text, '\n', batch->size);
    size_t dropped = newline ? (size_t)(newline - batch->text) + 1 : batch->size;
    memmove(batch->text, batch->text + dropped, batch->size - dropped);
    batch->size -= dropped;
    lexer->skipping = !newline;
    if (newline)
        lexer->line = ++batch->first_line;
}

static void room(struct paje_batch *batch, size_t capacity)
{
    if (batch->capacity >= capacity)
        return;
    batch->text = weft_realloc(batch->text, capacity + PAJE_SPARE);
    batch->capacity = capacity;
}

void paje_lex(struct paje_lexer *lexer, struct paje_batch *batch)
{
    batch->size = batch->n_records = batch->n_texts = batch->n_reports = 0;
    batch->n_events = 0;
    batch->first_line = lexer->line;
    room(batch, lexer->n_rest + BLOCK);
    if (lexer->n_rest)
        memcpy(batch->text, lexer->rest, lexer->n_rest);
    batch->size = lexer->n_rest;
    lexer->n_rest = 0;
    lexer->at_end = !fill(lexer, batch);
    if (lexer->skipping)
        skip_long_line(lexer, batch);
    if (batch->size > LONGEST_LINE && !memchr(batch->text, '\n', batch->size)) {
        paje_report(lexer, batch, PAJE_FAULT_LONG_LINE, "", 0);
        lexer->skipping = true;
        batch->size = 0;
    }
    cut(lexer, batch);
    memset(batch->text + batch->size, 0, PAJE_SPARE - 1);
    lex_lines(lexer, batch);
    batch->taken = weft_input_taken(lexer->input);
    batch->last = lexer->at_end;
    if (lexer->at_end && lexer->open)
        paje_definition_end(lexer, batch, true);
}
