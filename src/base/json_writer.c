/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void weft_json_begin(struct weft_json *json, FILE *stream)
{
    *json = (struct weft_json){ .stream = stream };
}

void weft_json_end(struct weft_json *json)
{
    WEFT_REQUIRE(!json->depth, "a JSON text ends with %u values open", json->depth);
    WEFT_REQUIRE(json->any, "a JSON text has no value");
    putc_unlocked('\n', json->stream);
}

/* Writes a string; characters that need no escape are written in runs. */
static void put_string(FILE *stream, const char *text)
{
    const char *run = text, *at = text;
    putc_unlocked('"', stream);
    while (*at) {
        size_t size;
        uint32_t code = weft_utf8_decode(at, &size);
        bool controls = code < 0x20 || code == 0x7f || code == 0x2028 || code == 0x2029;
        if (controls || code == '"' || code == '\\' || code == WEFT_UTF8_INVALID) {
            fwrite(run, 1, (size_t)(at - run), stream);
            run = at + size;
            if (code == WEFT_UTF8_INVALID)
                fputs(WEFT_UTF8_REPLACEMENT, stream);
            else if (controls)
                fprintf(stream, "\\u%04" PRIx32, code);
            else
                fprintf(stream, "\\%c", (int)code);
        }
        at += size;
    }
    fwrite(run, 1, (size_t)(at - run), stream);
    putc_unlocked('"', stream);
}

static void break_line(struct weft_json *json)
{
    putc_unlocked('\n', json->stream);
    for (unsigned i = 0; i < json->indent; i++)
        putc_unlocked(' ', json->stream);
    json->new_line = false;
}

/* Writes what precedes a value: the comma, the new line and the member's name. */
static void put_name(struct weft_json *json, const char *name)
{
    bool in_object = json->depth && json->objects >> (json->depth - 1) & 1;
    WEFT_REQUIRE(name || !in_object, "a member of a JSON object has no name");
    WEFT_REQUIRE(!name || in_object, "the JSON name %s is in no object", name);
    WEFT_REQUIRE(json->depth || !json->any, "a JSON text has two values");
    if (json->any)
        putc_unlocked(',', json->stream);
    if (json->new_line)
        break_line(json);
    else if (json->any && json->spaced)
        putc_unlocked(' ', json->stream);
    json->any = true;
    if (!name)
        return;
    put_string(json->stream, name);
    fputs(json->spaced ? ": " : ":", json->stream);
}

static void open_value(struct weft_json *json, const char *name, bool is_object)
{
    WEFT_REQUIRE(json->depth < WEFT_JSON_DEEPEST, "JSON is nested too deeply");
    put_name(json, name);
    uint64_t bit = (uint64_t)1 << json->depth++;
    json->objects = is_object ? json->objects | bit : json->objects & ~bit;
    json->any = false;
    putc_unlocked(is_object ? '{' : '[', json->stream);
}

void weft_json_object(struct weft_json *json, const char *name)
{
    open_value(json, name, true);
}

void weft_json_array(struct weft_json *json, const char *name)
{
    open_value(json, name, false);
}

void weft_json_close(struct weft_json *json)
{
    WEFT_REQUIRE(json->depth, "nothing of the JSON text is open");
    if (json->new_line)
        break_line(json);
    putc_unlocked(json->objects >> --json->depth & 1 ? '}' : ']', json->stream);
    json->any = true;
}

void weft_json_line(struct weft_json *json, unsigned indent)
{
    json->new_line = true;
    json->indent = indent;
}

void weft_json_text(struct weft_json *json, const char *name, const char *text)
{
    put_name(json, name);
    put_string(json->stream, text ? text : "");
}

void weft_json_format(struct weft_json *json, const char *name, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    WEFT_REQUIRE(length >= 0 && (size_t)length < sizeof text,
                 "a printed JSON string has %d bytes", length);
    weft_json_text(json, name, text);
}

void weft_json_integer(struct weft_json *json, const char *name, int64_t value)
{
    put_name(json, name);
    fprintf(json->stream, "%" PRId64, value);
}

/* Writes VALUE to the end of TEXT; returns its begin. */
static char *decimal(char text[20], uint64_t value)
{
    char *at = text + 20;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    return at;
}

void weft_json_unsigned(struct weft_json *json, const char *name, uint64_t value)
{
    char text[20];
    const char *at = decimal(text, value);
    put_name(json, name);
    fwrite(at, 1, (size_t)(text + sizeof text - at), json->stream);
}

void weft_json_id(struct weft_json *json, const char *name, uint64_t value)
{
    char text[20];
    const char *at = decimal(text, value);
    put_name(json, name);
    putc_unlocked('"', json->stream);
    fwrite(at, 1, (size_t)(text + sizeof text - at), json->stream);
    putc_unlocked('"', json->stream);
}

void weft_json_real(struct weft_json *json, const char *name, double value)
{
    char text[32]; /* "-1.7976931348623157e+308" has 24 */
    if (!isfinite(value)) {
        weft_json_null(json, name);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put_name(json, name);
    fputs(text, json->stream);
}

/*
 * A scene has ten thousand coordinates, and printf takes half a microsecond for each.  It
 * is only used if the scaled value is exactly between two decimals: rounding the product
 * may have brought it there, but never across.
 */
enum { MAX_QUICK_DIGITS = 6 };
static const double QUICK_BELOW = 1e9;

enum { QUICK_SIZE = 24 }; /* "-999999999.999999" has 17 */

/* Writes VALUE to the end of TEXT; returns its begin, or NULL if VALUE needs printf. */
static char *quick_text(char text[QUICK_SIZE], double value, int decimals)
{
    static const long long tens[MAX_QUICK_DIGITS + 1] = { 1,     10,     100,    1000,
                                                          10000, 100000, 1000000 };
    char *at = text + QUICK_SIZE;
    if (decimals > MAX_QUICK_DIGITS || !(fabs(value) < QUICK_BELOW))
        return NULL;
    double scaled = fabs(value) * (double)tens[decimals];
    long long all = llrint(scaled);
    if (fabs(scaled - (double)all) == 0.5)
        return NULL;
    long long whole = all / tens[decimals], part = all % tens[decimals];
    for (int i = 0; i < decimals; i++, part /= 10)
        *--at = (char)('0' + part % 10);
    if (decimals)
        *--at = '.';
    do
        *--at = (char)('0' + whole % 10);
    while (whole /= 10);
    if (signbit(value))
        *--at = '-';
    return at;
}

void weft_json_fixed(struct weft_json *json, const char *name, double value, int decimals)
{
    char text[QUICK_SIZE];
    const char *quick = quick_text(text, value, decimals);
    if (!isfinite(value)) {
        weft_json_null(json, name);
        return;
    }
    put_name(json, name);
    if (quick)
        fwrite(quick, 1, (size_t)(text + sizeof text - quick), json->stream);
    else
        fprintf(json->stream, "%.*f", decimals, value);
}

void weft_json_fixed_array(struct weft_json *json, const char *name, const double *values,
                           size_t n, int decimals)
{
    enum { ROOM = 4096 }; /* written at once: each write locks the stream */
    char buffer[ROOM], text[QUICK_SIZE];
    size_t used = 0;
    weft_json_array(json, name);
    for (size_t i = 0; i < n; i++) {
        const char *quick = json->spaced ? NULL : quick_text(text, values[i], decimals);
        size_t length = quick ? (size_t)(text + sizeof text - quick) : 0;
        if (used && (!quick || used + 1 + length > ROOM)) {
            fwrite(buffer, 1, used, json->stream);
            used = 0;
        }
        if (!quick) {
            weft_json_fixed(json, NULL, values[i], decimals);
            continue;
        }
        if (json->any)
            buffer[used++] = ',';
        memcpy(buffer + used, quick, length);
        used += length;
        json->any = true;
    }
    fwrite(buffer, 1, used, json->stream);
    weft_json_close(json);
}

void weft_json_bool(struct weft_json *json, const char *name, bool value)
{
    put_name(json, name);
    fputs(value ? "true" : "false", json->stream);
}

void weft_json_null(struct weft_json *json, const char *name)
{
    put_name(json, name);
    fputs("null", json->stream);
}

FILE *weft_json_value(struct weft_json *json, const char *name)
{
    put_name(json, name);
    return json->stream;
}
