/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses lines of the form that programs write, words of digits separated by blanks, in one
 * pass and without looking for their ends first.  All other lines are left to lex.c.
 */
#include <string.h>

#include "domains/messages/read/picl_priv.h"

enum {
    MAX_DIGITS = 18, /* of an integer or a time: always less than 2^63 */
    WORD = 8,        /* digits that are parsed together */
};

/* Counts the digits from AT on, at most 8; *VALUE is the number that they make. */
static inline unsigned digit_run(const char *at, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t digits;
    memcpy(&digits, at, WORD);
    digits ^= 0x3030303030303030u;
    /* A digit is 0 to 9 now; adding 118 sets the highest bit of any greater byte. */
    uint64_t others = ((digits & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | digits;
    others &= 0x8080808080808080u;
    unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : WORD;
    digits = n ? digits << (64 - 8 * n) : 0; /* leading zeros */
    /*
     * Combine digits into pairs, fours and eight (Lemire, "Quickly parsing eight digits").
     */
    digits = digits * 2561 >> 8;
    digits = (digits & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    *value = (digits & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
    return n;
#else
    unsigned n = 0;
    for (*value = 0; n < WORD && (unsigned char)(at[n] - '0') < 10; n++)
        *value = *value * 10 + (uint64_t)(at[n] - '0');
    return n;
#endif
}

/*
 * Appends decimal digits to VALUE.  Returns where they end; NULL for none or more than
 * MOST.
 */
static inline const char *digits(const char *at, unsigned most, uint64_t *value)
{
    uint64_t run;
    unsigned n = digit_run(at, &run);
    if (!n || n > most)
        return NULL;
    static const uint32_t power10[] = { 1,      10,      100,      1000,     10000,
                                        100000, 1000000, 10000000, 100000000 };
    *value = *value * power10[n] + run;
    at += n;
    if (n < WORD)
        return at;
    for (; n < most && (unsigned char)(*at - '0') < 10; n++)
        *value = *value * 10 + (uint64_t)(*at++ - '0');
    return (unsigned char)(*at - '0') < 10 ? NULL : at;
}

/* Skips the blanks behind a word; NULL if there are none, or AT is NULL. */
static inline const char *blanks(const char *at)
{
    if (!at || *at != ' ')
        return NULL;
    do
        at++;
    while (*at == ' ');
    return at;
}

static inline const char *integer(const char *at, int64_t *number)
{
    bool minus = *at == '-';
    uint64_t value = 0;
    at = digits(at + minus, MAX_DIGITS, &value);
    *number = minus ? -(int64_t)value : (int64_t)value;
    return at;
}

/* Parses an integer of 32 bits and the blanks behind it; NULL on failure. */
static inline const char *small(const char *at, int32_t *number)
{
    int64_t value;
    at = blanks(integer(at, &value));
    *number = (int32_t)value;
    return at && value == (int32_t)value ? at : NULL;
}

/* Parses a time that needs no rounding and the blanks behind it; NULL on failure. */
static inline const char *time_word(const struct paje_clock *clock, const char *at,
                                    int64_t *time)
{
    const char *first = at;
    uint64_t mantissa = 0, ticks;
    at = digits(at, MAX_DIGITS, &mantissa);
    int scale = clock->decimals - clock->unit;
    if (at && *at == '.' && at - first < MAX_DIGITS) {
        const char *fraction = at + 1;
        at = digits(fraction, MAX_DIGITS - (unsigned)(at - first), &mantissa);
        scale -= at ? (int)(at - fraction) : 0;
    }
    if (!at || scale < 0 || scale >= PAJE_POWERS
        || __builtin_mul_overflow(mantissa, paje_power10[scale], &ticks)
        || ticks > INT64_MAX / 2)
        return NULL;
    *time = (int64_t)ticks;
    return blanks(at);
}

/*
 * Parses the type word and N values behind it.  Returns where the last one ends, or NULL.
 */
static inline const char *values(const char *at, uint32_t n, int64_t *to)
{
    at = (unsigned char)(*at - '0') < 10 ? blanks(at + 1) : NULL;
    for (uint32_t i = 0; at && i < n; i++) {
        at = integer(at, &to[i]);
        if (i + 1 < n)
            at = blanks(at);
    }
    return at;
}

const char *picl_lex_quick(const struct paje_clock *clock, const char *at,
                           struct picl_record *r)
{
    if (*at != '-' || !(at = small(at, &r->type)) || r->type >= 0
        || !(at = small(at, &r->key)) || !(at = time_word(clock, at, &r->time))
        || !(at = small(at, &r->node)) || r->node == PICL_HOST)
        return NULL;
    int32_t process;
    if (!(at = small(at, &process)) || picl_has_text(r))
        return NULL;
    uint64_t n = 0;
    r->parameters = at;
    if (!(at = digits(at, MAX_DIGITS, &n)) || n > PICL_VALUES)
        return NULL;
    memset(r->values, 0, sizeof r->values);
    if (n && (!(at = blanks(at)) || !(at = values(at, (uint32_t)n, r->values))))
        return NULL;
    r->length = (uint32_t)(at - r->parameters);
    r->n_values = (uint32_t)n;
    r->rounded = r->untyped = false;
    r->integers = true;
    while (*at == ' ' || *at == '\r')
        at++;
    return *at == '\n' ? at : NULL;
}
