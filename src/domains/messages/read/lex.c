/* SPDX-License-Identifier: Apache-2.0 */
/* Parses lines. */
#include <string.h>

#include "domains/messages/read/picl_priv.h"

/* Control characters separate words, too. */
bool picl_is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static inline const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && picl_is_blank(*at))
        at++;
    return at;
}

static inline const char *word_end(const char *at, const char *end)
{
    while (at < end && !picl_is_blank(*at))
        at++;
    return at;
}

/*
 * Parses an integer of up to 18 digits that ends at a blank or END.  Returns where it ends,
 * or NULL.
 */
static inline const char *integer(const char *at, const char *end, int64_t *number)
{
    bool minus = at < end && *at == '-';
    at += minus;
    const char *first = at;
    int64_t value = 0;
    while (at < end && (unsigned char)(*at - '0') < 10 && at - first < 18)
        value = value * 10 + (*at++ - '0');
    *number = minus ? -value : value;
    return at == first || (at < end && !picl_is_blank(*at)) ? NULL : at;
}

/* Parses the next word as an integer of 32 bits. */
static inline enum picl_lexed small(const char **at, const char *end, int32_t *number)
{
    const char *from = skip_blanks(*at, end);
    if (from == end)
        return PICL_BAD_WORDS;
    int64_t value;
    const char *after = integer(from, end, &value);
    if (!after || value < INT32_MIN || value > INT32_MAX)
        return PICL_BAD_NUMBER;
    *number = (int32_t)value;
    *at = after;
    return PICL_RECORD;
}

bool picl_next_integer(const char **at, const char *end, int64_t *number)
{
    const char *from = skip_blanks(*at, end);
    const char *after = from < end ? integer(from, end, number) : NULL;
    if (!after)
        return false;
    *at = after;
    return true;
}

static enum picl_lexed lex_time(struct paje_clock *clock, const char **at, const char *end,
                                struct picl_record *r)
{
    const char *from = skip_blanks(*at, end), *after = word_end(from, end);
    if (from == end)
        return PICL_BAD_WORDS;
    *at = after;
    enum paje_time parsed = paje_parse_time(clock, from, (size_t)(after - from), &r->time);
    r->rounded = parsed == PAJE_TIME_ROUNDED;
    return parsed == PAJE_TIME_OK || r->rounded ? PICL_RECORD : PICL_BAD_TIME;
}

/* Skips the type word of the values, which may be a quoted list of formats. */
static const char *skip_type(const char *at, const char *end)
{
    if (at < end && *at == '"') {
        const char *quote = memchr(at + 1, '"', (size_t)(end - at - 1));
        if (quote)
            return quote + 1;
    }
    return word_end(at, end);
}

/*
 * Parses ANNOUNCED values behind the type word.  Some writers leave the type out: then
 * there are as many words as values.
 */
static enum picl_lexed lex_values(struct picl_record *r, const char *at, const char *end,
                                  uint32_t announced)
{
    const char *first = skip_blanks(at, end),
               *typed = skip_blanks(skip_type(first, end), end);
    uint32_t n = 0;
    const char *word = typed;
    r->integers = true;
    for (; word < end && n < announced; n++) {
        if (n < PICL_VALUES) {
            const char *after = integer(word, end, &r->values[n]);
            r->integers &= after != NULL;
            word = skip_blanks(after ? after : word_end(word, end), end);
        } else {
            word = skip_blanks(word_end(word, end), end);
        }
    }
    r->n_values = n;
    if (n == announced)
        return word < end ? PICL_MANY_WORDS : PICL_RECORD;
    if (n + 1 < announced || first == end || *first == '"')
        return PICL_BAD_WORDS;
    /* The type word is missing: the first word is a value. */
    for (uint32_t i = announced < PICL_VALUES ? announced : PICL_VALUES; i-- > 1;)
        r->values[i] = r->values[i - 1];
    r->integers &= integer(first, end, &r->values[0]) != NULL;
    r->n_values = announced;
    r->untyped = true;
    return PICL_RECORD;
}

/* These records have a text as parameters, or no number of values (appendix D). */
bool picl_has_text(const struct picl_record *r)
{
    enum { FILE_OPEN = -201, GET_PROCESSORS = -501, LOAD = -503 };
    return r->type == PICL_LABEL || r->type == PICL_MESSAGE || r->key == FILE_OPEN
           || r->key == GET_PROCESSORS || r->key == LOAD;
}

enum picl_lexed picl_lex(struct paje_clock *clock, const char *at, const char *end,
                         struct picl_record *r)
{
    at = skip_blanks(at, end);
    while (end > at && picl_is_blank(end[-1]))
        end--;
    if (at == end || *at == '#')
        return PICL_BLANK;
    if (*at != '-')
        return picl_lex_old(clock, at, end, r);
    int32_t process, announced = 0;
    enum picl_lexed lexed;
    if ((lexed = small(&at, end, &r->type)) != PICL_RECORD
        || (lexed = small(&at, end, &r->key)) != PICL_RECORD
        || (lexed = lex_time(clock, &at, end, r)) != PICL_RECORD
        || (lexed = small(&at, end, &r->node)) != PICL_RECORD
        || (lexed = small(&at, end, &process)) != PICL_RECORD)
        return lexed;
    if (r->type >= 0)
        return PICL_BAD_NUMBER; /* "-0" is no record type, old or new */
    r->n_values = 0;
    r->integers = true;
    r->untyped = false;
    r->parameters = skip_blanks(at, end);
    r->length = (uint32_t)(end - r->parameters);
    if (r->node == PICL_HOST)
        return PICL_IGNORED;
    if (picl_has_text(r))
        return PICL_RECORD;
    lexed = small(&at, end, &announced);
    if (lexed != PICL_RECORD)
        return lexed;
    if (announced < 0)
        return PICL_BAD_NUMBER;
    if (announced == 0)
        return skip_blanks(at, end) < end ? PICL_MANY_WORDS : PICL_RECORD;
    return lex_values(r, at, end, (uint32_t)announced);
}

bool picl_first_real(const struct picl_record *record, double *number)
{
    const char *end = record->parameters + record->length;
    const char *at = skip_blanks(word_end(record->parameters, end), end);
    at = skip_blanks(skip_type(at, end), end);
    return paje_parse_number(at, (size_t)(word_end(at, end) - at), number);
}
