/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts text to records.  Nearly all lines are short and have neither quotes nor
 * comments; they are split by bit masks of 64 characters.  slow_line() reads the others by
 * characters.
 */
#define _GNU_SOURCE /* memrchr */
#include "read/paje/lex.h"

#include <stdlib.h>
#include <string.h>

#if defined __SSE2__
# include <emmintrin.h>
#endif

#include "base/hash.h"
#include "read/paje/weft_comments.h"

/* Bit masks of 64 characters. */
struct masks {
    uint64_t blank; /* separators of words, including newlines */
    uint64_t newline;
    uint64_t special; /* characters that need slow_line() */
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
    /* '"' is 34, '#' 35, '%' 37; '$' in between is rare enough for the slow way. */
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
            break; /* the rest is another line */
    }
    return masks;
}

/* The state while a part is lexed. */
struct lexer {
    struct paje_part *part;
    const struct paje_known *known;
    struct paje_definitions *definitions;
    bool adds;
    bool truncated; /* the missing end of the last line was reported */
    uint32_t line;  /* counts from the part's first */
};

static void note(struct lexer *lexer, enum paje_fault fault, const char *text,
                 size_t length)
{
    paje_note_line(&lexer->part->findings, lexer->line, fault, text, length);
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

static bool begins(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* Returns where what a line says begins, after blanks. */
static const char *skip_blanks(const char *at, const char *end)
{
    for (bool again = true; again;) {
        while (at < end && is_blank(*at))
            at++;
        again = begins(at, end, PAJE_FOR_WEFT);
        at += again ? strlen(PAJE_FOR_WEFT) : 0;
    }
    return at;
}

/*
 * Split a line with quotes or comments into words; returns false if a quote stays open.  A
 * line for other readers has none.
 */
static bool split(struct paje_part *part, const char *at, const char *end, size_t *n_words)
{
    *n_words = 0;
    bool closed = true;
    while (closed) {
        at = skip_blanks(at, end);
        if (begins(at, end, PAJE_FOR_OTHERS))
            *n_words = 0;
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
        part->words =
            weft_grow(part->words, &part->word_capacity, *n_words + 1, sizeof *part->words);
        part->words[(*n_words)++] = (struct paje_text){ (uint32_t)(word - part->text),
                                                        (uint32_t)(at - word), WEFT_NONE };
        at += at < end && *at == '"';
    }
    return closed;
}

/* Returns the symbol of a text: the trace's, or else one of the part's own. */
static inline uint32_t symbol_of(struct lexer *lexer, const struct paje_key *key,
                                 const char *text, size_t length)
{
    uint32_t symbol = paje_symbol_find(&lexer->known->names->symbols, key, text, length);
    if (symbol != WEFT_NONE)
        return symbol;
    return PAJE_OWN | paje_symbol_add(&lexer->part->own.symbols, key, text, length);
}

static inline uint32_t pair_of(const struct paje_pairs *pairs, struct paje_pairs *own,
                               uint32_t symbol, uint32_t type)
{
    uint32_t pair = paje_pair_find(pairs, symbol, type);
    return pair != WEFT_NONE ? pair : PAJE_OWN | paje_pair_add(own, symbol, type);
}

/* The values of a line's words. */
struct meaning {
    int64_t time;
    double number;
    uint32_t container, type, value, other; /* symbols, or WEFT_NONE */
    uint64_t hash;                          /* of the names of container and type */
    uint32_t lane;
    bool has_number;
};

static bool parse_time(struct lexer *lexer, struct meaning *meaning, const char *text,
                       size_t length)
{
    enum paje_time time =
        paje_parse_time(&lexer->part->clock, text, length, &meaning->time);
    if (time == PAJE_TIME_OK)
        return true;
    note(lexer,
         time == PAJE_TIME_BAD       ? PAJE_FAULT_TIME
         : time == PAJE_TIME_ROUNDED ? PAJE_FAULT_TIME_FINE
                                     : PAJE_FAULT_TIME_RANGE,
         text, length);
    return time == PAJE_TIME_ROUNDED;
}

/* Take the value of one field; returns false if the line is invalid. */
static inline bool parse_field(struct lexer *lexer, struct meaning *meaning,
                               enum paje_step step, struct paje_text *word)
{
    const char *text = lexer->part->text + word->offset;
    size_t length = word->length;
    if (step == PAJE_STEP_TEXT)
        return true;
    if (step == PAJE_STEP_TIME)
        return parse_time(lexer, meaning, text, length);
    if (step == PAJE_STEP_NUMBER) {
        meaning->has_number = true;
        if (paje_parse_number(text, length, &meaning->number))
            return true;
        note(lexer, PAJE_FAULT_NUMBER, text, length);
        return false;
    }
    struct paje_key key = paje_key(text, length);
    uint32_t symbol = symbol_of(lexer, &key, text, length);
    switch (step) {
    case PAJE_STEP_CONTAINER:
        meaning->container = symbol;
        meaning->lane = paje_lane_of(&key, text, length);
        meaning->hash ^= key.hash;
        break;
    case PAJE_STEP_TYPE:
        meaning->type = symbol;
        meaning->hash ^= key.hash * 0x9e3779b97f4a7c15u;
        break;
    case PAJE_STEP_VALUE: meaning->value = symbol; break;
    case PAJE_STEP_OTHER: meaning->other = symbol; break;
    default: word->symbol = symbol; break;
    }
    return true;
}

/* Take all fields of a line; returns false if it is invalid.  Usual lines are faster. */
static inline bool parse_fields(struct lexer *lexer, struct meaning *meaning,
                                const struct paje_definition *d, struct paje_text *words)
{
    uint32_t i = 0;
    if (d->is_usual) {
        if (!parse_field(lexer, meaning, PAJE_STEP_TIME, &words[0])
            || !parse_field(lexer, meaning, PAJE_STEP_TYPE, &words[1])
            || !parse_field(lexer, meaning, PAJE_STEP_CONTAINER, &words[2]))
            return false;
        i = PAJE_USUAL;
    }
    for (; i < d->n_fields; i++)
        if (!parse_field(lexer, meaning, d->fields[i].step, &words[i]))
            return false;
    return true;
}

static uint32_t keep_texts(struct paje_part *part, const struct paje_text *words, size_t n)
{
    part->texts = weft_grow(part->texts, &part->text_capacity, part->n_texts + n,
                            sizeof *part->texts);
    if (n)
        memcpy(part->texts + part->n_texts, words, n * sizeof *words);
    part->n_texts += n;
    return (uint32_t)(part->n_texts - n);
}

static void keep_link_end(struct paje_part *part, const struct meaning *meaning,
                          const struct paje_definition *d, const struct paje_text *words,
                          uint32_t first_text)
{
    const struct paje_text *key = &words[d->place[PAJE_KEY]];
    part->links = weft_grow(part->links, &part->link_capacity, part->n_links + 1,
                            sizeof *part->links);
    part->links[part->n_links++] = (struct paje_link_end){
        .hash = weft_hash_text(part->text + key->offset, key->length) ^ meaning->hash,
        .other = meaning->other,
        .first_text = first_text,
        .from_entity = WEFT_NO_ID,
        .to_entity = WEFT_NO_ID,
    };
}

/* The numbers of a record besides its values. */
struct numbers {
    uint32_t pair, choice, value, more;
};

/* Find pair and choice; returns true if the record's lane needs no more. */
static inline bool find_numbers(struct lexer *lexer, const struct meaning *meaning,
                                struct numbers *numbers)
{
    const struct paje_known *known = lexer->known;
    uint32_t pair = pair_of(&known->names->pairs, &lexer->part->own.pairs,
                            meaning->container, meaning->type);
    bool plain = pair < known->n_direct && known->direct[pair];
    numbers->pair = pair;
    if (meaning->value != WEFT_NONE) {
        uint32_t choice = pair_of(&known->names->choices, &lexer->part->own.choices,
                                  meaning->value, meaning->type);
        numbers->choice = choice;
        numbers->value = choice < known->n_values ? known->values[choice] : WEFT_NONE;
        plain &= numbers->value != WEFT_NONE;
    }
    return plain && (meaning->other == WEFT_NONE || !paje_is_own(meaning->other));
}

/*
 * Append a record to a lane; returns a reference to it.  The members are set one by one:
 * copying a struct would load larger pieces than were just stored, which stalls the
 * processor.
 */
static inline uint32_t put(struct lexer *lexer, uint32_t lane, uint32_t definition,
                           const struct meaning *meaning, struct numbers numbers)
{
    struct paje_part *part = lexer->part;
    struct paje_records *records = &part->records[lane];
    if (records->n == records->capacity)
        records->items = weft_grow(records->items, &records->capacity, records->n + 1,
                                   sizeof *records->items);
    uint32_t reference = paje_reference(lane, records->n);
    struct paje_record *record = &records->items[records->n++];
    record->time = meaning->time;
    if (meaning->has_number) {
        record->number = meaning->number;
    } else {
        record->choice = numbers.choice;
        record->value = numbers.value;
    }
    record->definition = definition;
    record->line = lexer->line;
    record->pair = numbers.pair;
    record->more = numbers.more;
    paje_list_add(&part->order, reference);
    return reference;
}

static inline void keep(struct lexer *lexer, const struct meaning *meaning,
                        uint32_t definition, const struct paje_text *words)
{
    struct paje_part *part = lexer->part;
    const struct paje_definition *d = lexer->definitions->list[definition];
    struct numbers numbers = { WEFT_NONE, WEFT_NONE, WEFT_NONE, 0 };
    if (d->keeps_texts)
        numbers.more = keep_texts(part, words, d->n_fields);
    if (!paje_is_entity(d->event)) {
        put(lexer, PAJE_LANES, definition, meaning, numbers);
        part->n_structural++;
        return;
    }
    bool plain = find_numbers(lexer, meaning, &numbers);
    uint32_t lane = meaning->lane;
    if (paje_is_link(d->event)) {
        keep_link_end(part, meaning, d, words, numbers.more);
        numbers.more = (uint32_t)part->n_links - 1;
        lane = PAJE_LANES;
    }
    uint32_t reference = put(lexer, lane, definition, meaning, numbers);
    if (!plain || d->has_extras || d->has_ends)
        paje_list_add(&part->attend, reference);
    if (paje_is_own(numbers.choice))
        paje_list_add(&part->own_choices, reference);
}

/* Take an event line that is split into words: WORDS[0] is the id. */
static inline void event_line(struct lexer *lexer, struct paje_text *words, size_t n_words,
                              const char *line, size_t length)
{
    struct paje_part *part = lexer->part;
    struct paje_definitions *definitions = lexer->definitions;
    if (definitions->open)
        paje_definition_close(definitions, &part->findings, lexer->line, true);
    part->n_events++;
    const char *id = part->text + words[0].offset;
    uint32_t index = paje_definition_index(definitions, id, words[0].length);
    if (index == WEFT_NONE) {
        note(lexer, PAJE_FAULT_EVENT_ID, id, words[0].length);
        return;
    }
    const struct paje_definition *d = definitions->list[index];
    if (d->event == PAJE_UNKNOWN_EVENT)
        return;
    if (n_words - 1 != d->n_fields) {
        bool few = n_words - 1 < d->n_fields;
        bool cut = part->cut_short && line + length + 1 >= part->text + part->size;
        lexer->truncated = cut && few;
        note(lexer,
             cut && few ? PAJE_FAULT_TRUNCATED
             : few      ? PAJE_FAULT_FEW_VALUES
                        : PAJE_FAULT_MANY_VALUES,
             line, length);
        if (few)
            return;
    }
    struct meaning meaning = {
        .container = WEFT_NONE, .type = WEFT_NONE, .value = WEFT_NONE, .other = WEFT_NONE
    };
    if (!parse_fields(lexer, &meaning, d, words + 1))
        return;
    if (d->event != PAJE_TRACE_FILE)
        keep(lexer, &meaning, index, words + 1);
}

/* Take a line of any kind; returns false if it cannot be read now. */
static bool slow_line(struct lexer *lexer, const char *line, const char *end)
{
    struct paje_part *part = lexer->part;
    size_t length = (size_t)(end - line), n;
    if (has_garbage(line, length)) {
        note(lexer, PAJE_FAULT_GARBAGE, line, 0);
        part->n_events++;
        return true;
    }
    const char *at = skip_blanks(line, end);
    bool definition = at < end && *at == '%';
    if (definition && !lexer->adds)
        return false;
    if (!split(part, at + definition, end, &n)) {
        note(lexer, PAJE_FAULT_QUOTE, line, length);
        part->n_events++;
        return true;
    }
    if (definition)
        paje_definition_line(lexer->definitions, &part->findings, lexer->line, part->text,
                             part->words, n);
    else if (n)
        event_line(lexer, part->words, n, line, length);
    return true;
}

/* Split a short line without special characters, by its masks. */
static inline void quick_line(struct lexer *lexer, const char *line, struct masks masks,
                              unsigned length)
{
    struct paje_text words[33]; /* a line of 64 characters has no more */
    uint64_t in_line = masks.newline ^ (masks.newline - 1);
    uint64_t word = ~masks.blank & in_line;
    uint64_t starts = word & ~(word << 1), ends = ~word & word << 1 & in_line;
    uint32_t offset = (uint32_t)(line - lexer->part->text);
    size_t n = 0;
    for (; starts; starts &= starts - 1, ends &= ends - 1) {
        uint32_t start = (uint32_t)__builtin_ctzll(starts);
        words[n++] =
            (struct paje_text){ offset + start, (uint32_t)__builtin_ctzll(ends) - start,
                                WEFT_NONE };
    }
    if (n)
        event_line(lexer, words, n, line, length);
}

static void lex_lines(struct lexer *lexer)
{
    const char *at = lexer->part->text, *end = at + lexer->part->size;
    for (; at < end; lexer->line++) {
        struct masks masks = masks_of(at);
        uint64_t in_line = masks.newline ^ (masks.newline - 1);
        if (masks.newline && !(masks.special & in_line)) {
            unsigned length = (unsigned)__builtin_ctzll(masks.newline);
            quick_line(lexer, at, masks, length);
            at += length + 1;
        } else {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            if (!slow_line(lexer, at, newline)) {
                lexer->part->defines = true;
                return;
            }
            at = newline + 1;
        }
    }
}

static void empty(struct paje_part *part)
{
    part->n_lines = part->n_events = 0;
    part->n_texts = part->n_links = 0;
    for (int lane = 0; lane <= PAJE_LANES; lane++)
        part->records[lane].n = 0;
    part->order.n = part->attend.n = part->own_choices.n = 0;
    paje_names_clear(&part->own);
    paje_findings_free(&part->findings);
    part->defines = false;
    part->n_structural = 0;
    part->n_runs = part->n_fields = 0;
}

/* Report a last line without newline: its last word may be cut. */
static void tell_unfinished(struct lexer *lexer)
{
    const struct paje_part *part = lexer->part;
    size_t size = part->size - 1; /* without the newline that was appended */
    const char *newline = memrchr(part->text, '\n', size);
    const char *line = newline ? newline + 1 : part->text, *word = line;

    while (is_blank(*word) && *word != '\n')
        word++;
    if (*word == '\n' || *word == '#')
        return;
    /* The line was counted already. */
    paje_note_line(&lexer->part->findings, lexer->line - 1, PAJE_FAULT_UNFINISHED, line,
                   (size_t)(part->text + size - line));
}

void paje_lex(struct paje_part *part, const struct paje_known *known,
              struct paje_definitions *definitions, bool adds)
{
    empty(part);
    part->clock = known->clock;
    part->epoch = known->epoch;
    struct lexer lexer = { part, known, definitions, adds, false, 0 };
    lex_lines(&lexer);
    if (part->cut_short && !part->defines && !lexer.truncated)
        tell_unfinished(&lexer);
    part->n_lines = lexer.line;
}
