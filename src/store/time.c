/* SPDX-License-Identifier: Apache-2.0 */
#include "store/time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef __int128 wide;

static int64_t clamp(wide x)
{
    return x > INT64_MAX ? INT64_MAX : x < INT64_MIN ? INT64_MIN : (int64_t)x;
}

/* Clamps a time that the user typed to the limits of times. */
static int64_t clamp_time(wide x)
{
    return weft_time_clamp(clamp(x));
}

static wide round_divide(wide x, wide divisor)
{
    wide half = divisor / 2, sum;
    if (__builtin_add_overflow(x, x < 0 ? -half : half, &sum))
        sum = x; /* so large that a half changes nothing */
    return sum / divisor;
}

/* Returns x * numerator / denominator, rounded to nearest, halves away from zero. */
static int64_t scale(wide x, uint64_t numerator, uint64_t denominator)
{
    wide product;
    if (__builtin_mul_overflow(x, (wide)numerator, &product))
        return x < 0 ? INT64_MIN : INT64_MAX;
    return clamp(round_divide(product, (wide)denominator));
}

int64_t weft_ticks_to_ns(const struct weft_schema *schema, int64_t ticks)
{
    if (schema->ticks_numerator == 1000000000 && schema->ticks_denominator == 1)
        return ticks;
    return scale((wide)ticks * 1000000000, schema->ticks_denominator,
                 schema->ticks_numerator);
}

int64_t weft_mean_to_ns(const struct weft_schema *schema, double ticks, uint64_t n)
{
    const long double most = 9.2e18L;
    long double ns = n ? (long double)ticks * 1e9L * (long double)schema->ticks_denominator
                             / (long double)schema->ticks_numerator / (long double)n
                       : 0;
    return llroundl(fmaxl(-most, fminl(ns, most)));
}

int64_t weft_ns_to_ticks(const struct weft_schema *schema, int64_t ns)
{
    if (schema->ticks_numerator == 1000000000 && schema->ticks_denominator == 1)
        return ns;
    wide product = (wide)ns * (wide)schema->ticks_numerator;
    wide divisor = (wide)schema->ticks_denominator * 1000000000;
    return clamp((product < 0 ? product - divisor / 2 : product + divisor / 2) / divisor);
}

double weft_ticks_to_seconds(const struct weft_schema *schema, int64_t ticks)
{
    return (double)((long double)ticks * (long double)schema->ticks_denominator
                    / (long double)schema->ticks_numerator);
}

/* Returns the decimals of one tick, if ticks per second are a power of ten; else -1. */
static int decimals_of(const struct weft_schema *schema)
{
    uint64_t n = schema->ticks_numerator;
    int decimals = 0;
    if (schema->ticks_denominator != 1)
        return -1;
    while (n >= 10 && n % 10 == 0) {
        n /= 10;
        decimals++;
    }
    return n == 1 ? decimals : -1;
}

const char *weft_time_exact(const struct weft_schema *schema, int64_t ticks,
                            char text[WEFT_TIME_TEXT])
{
    int decimals = decimals_of(schema);
    if (decimals < 0) {
        snprintf(text, WEFT_TIME_TEXT, "%.15Lg",
                 (long double)ticks * (long double)schema->ticks_denominator
                     / (long double)schema->ticks_numerator);
        return text;
    }
    uint64_t size = ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks;
    uint64_t whole = size / schema->ticks_numerator, rest = size % schema->ticks_numerator;
    int length = snprintf(text, WEFT_TIME_TEXT, "%s%llu", ticks < 0 ? "-" : "",
                          (unsigned long long)whole);
    if (rest) {
        length += snprintf(text + length, (size_t)(WEFT_TIME_TEXT - length), ".%0*llu",
                           decimals, (unsigned long long)rest);
        while (text[length - 1] == '0')
            text[--length] = '\0';
    }
    return text;
}

/* WHOLE: nanoseconds have no fractions. */
static const char *seconds_text(double seconds, bool whole, char text[WEFT_TIME_TEXT])
{
    static const struct {
        double size;
        const char *name;
    } units[] = { { 1, "s" },     { 1e-3, "ms" },  { 1e-6, "µs" },
                  { 1e-9, "ns" }, { 1e-12, "ps" }, { 1e-15, "fs" } };
    if (seconds == 0) {
        snprintf(text, WEFT_TIME_TEXT, "0 s");
        return text;
    }
    size_t u = 0;
    /*
     * 0.9995 rounds to 1.00 of the unit; for smaller amounts the next smaller unit reads
     * better.
     */
    while (u + 1 < sizeof units / sizeof *units && fabs(seconds) / units[u].size < 0.9995)
        u++;
    double amount = seconds / units[u].size, size = fabs(amount);
    int decimals = size >= 999.5 ? 0 : size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    if (u == 3 && whole)
        decimals = 0;
    snprintf(text, WEFT_TIME_TEXT, "%.*f %s", decimals, amount, units[u].name);
    return text;
}

const char *weft_duration_text(const struct weft_schema *schema, int64_t ticks,
                               char text[WEFT_TIME_TEXT])
{
    bool whole = schema->ticks_numerator == 1000000000 && schema->ticks_denominator == 1;
    return seconds_text(weft_ticks_to_seconds(schema, ticks), whole, text);
}

const char *weft_nanoseconds_text(double nanoseconds, char text[WEFT_TIME_TEXT])
{
    return seconds_text(nanoseconds * 1e-9, true, text);
}

/* Parses [+-]digits[.digits] exactly: value = *mantissa / 10^*decimals. */
static bool parse_decimal(const char **at, const char *end, wide *mantissa, int *decimals)
{
    const char *p = *at;
    bool negative = false, any = false, point = false;
    if (p < end && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    *mantissa = 0;
    *decimals = 0;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (*mantissa > (wide)1 << 100)
            continue; /* more digits change nothing: it is beyond any clock */
        *mantissa = *mantissa * 10 + (*p - '0');
        *decimals += point;
    }
    if (negative)
        *mantissa = -*mantissa;
    *at = p;
    return any;
}

bool weft_parse_time(const struct weft_schema *schema, const char *text, size_t length,
                     int64_t *ticks, struct weft_err *err)
{
    static const struct {
        const char *name;
        int exponent;
    } units[] = {
        { "", 0 }, { "s", 0 }, { "ms", 3 }, { "us", 6 }, { "µs", 6 }, { "ns", 9 }
    };
    const char *at = text, *end = text + length;
    bool own_clock = length && *at == '@';
    at += own_clock;
    wide mantissa;
    int decimals;
    if (!parse_decimal(&at, end, &mantissa, &decimals))
        goto bad;
    wide power = 1;
    size_t rest = (size_t)(end - at);
    if (rest == 1 && *at == '%' && !own_clock) {
        for (int i = 0; i < decimals; i++)
            power *= 10;
        wide span = (wide)schema->span.end - schema->span.begin;
        if (decimals > 9 || mantissa > (wide)1 << 60 || mantissa < -((wide)1 << 60))
            goto bad;
        *ticks =
            clamp_time(schema->span.begin + round_divide(span * mantissa, power * 100));
        return true;
    }
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        if (strlen(units[u].name) != rest || memcmp(units[u].name, at, rest) != 0)
            continue;
        int exponent = decimals + units[u].exponent;
        wide scaled;
        if (exponent > 30
            || __builtin_mul_overflow(mantissa, (wide)schema->ticks_numerator, &scaled))
            goto bad;
        for (int i = 0; i < exponent; i++)
            power *= 10;
        wide divisor;
        if (__builtin_mul_overflow(power, (wide)schema->ticks_denominator, &divisor))
            goto bad;
        *ticks = clamp_time((wide)clamp(round_divide(scaled, divisor))
                            + (own_clock ? 0 : schema->span.begin));
        return true;
    }
bad:
    return weft_fail(
        err, WEFT_ERR_USAGE,
        "bad time '%.*s' (right: 1.5s, 20ms, 300us, 5000ns, 50%%, plain seconds, "
        "or @ and a time of the trace's own clock)",
        (int)length, text);
}

bool weft_parse_range(const struct weft_schema *schema, const char *text,
                      struct weft_span *range, struct weft_err *err)
{
    *range = schema->span;
    const char *colon = strchr(text, ':');
    const char *plus = colon ? NULL : strchr(text + (*text == '+'), '+');
    if (!colon && !plus)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad range '%s' (right: T0:T1, T0+LENGTH, T0: or :T1)", text);
    const char *middle = colon ? colon : plus;
    if (middle > text
        && !weft_parse_time(schema, text, (size_t)(middle - text), &range->begin, err))
        return false;
    const char *last = middle + 1;
    if (*last && !weft_parse_time(schema, last, strlen(last), &range->end, err))
        return false;
    if (plus) /* the length was parsed as a time from the start of the span */
        range->end = clamp_time((wide)range->begin + range->end - schema->span.begin);
    if (range->begin >= range->end) {
        if (range->begin == range->end && schema->span.begin == schema->span.end)
            return true;
        return weft_fail(err, WEFT_ERR_USAGE,
                         "empty range '%s' (its end must be after its begin)", text);
    }
    return true;
}
