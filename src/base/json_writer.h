/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing JSON (RFC 8259) to a stream.  Each call writes at once, and nothing is allocated.
 * For any texts and numbers the result is valid JSON in UTF-8.  The caller must name each
 * member of an object and no element of an array, and close all that it opens: mistakes
 * abort (WEFT_REQUIRE).  The caller checks the stream for errors (ferror).
 *
 *     struct weft_json json;
 *     weft_json_begin(&json, stdout);
 *     weft_json_object(&json, NULL);
 *     weft_json_text(&json, "name", "p \"1\"");
 *     weft_json_array(&json, "spans");
 *     weft_json_integer(&json, NULL, -5);
 *     weft_json_close(&json);
 *     weft_json_close(&json);
 *     weft_json_end(&json);                     {"name":"p \"1\"","spans":[-5]}
 *
 * Every call that writes a value takes its NAME first: the member's inside an object, NULL
 * inside an array and for the outermost value.
 */
#ifndef WEFT_BASE_JSON_WRITER_H
#define WEFT_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { WEFT_JSON_DEEPEST = 64 }; /* levels of nesting: one bit of a word for each */

/* A writer of one JSON value at a time; on the caller's stack, with nothing to free. */
struct weft_json {
    FILE *stream;
    bool spaced; /* write a space behind each comma and colon; false at first, and the
                    caller may set it at any time */
    /* private to the writer from here on */
    bool any;      /* a value was written in the innermost open object or array, or,
                      if none is open, the outermost value was */
    bool new_line; /* the next value or closing bracket begins a line, after INDENT */
    unsigned indent;
    unsigned depth;   /* number of open objects and arrays */
    uint64_t objects; /* bit i, 0: the outermost: that open structure is an object */
};

/*
 * Sets *JSON to write one value, which may be nested, to STREAM, which stays open.  Nothing
 * is to be freed.
 */
void weft_json_begin(struct weft_json *json, FILE *stream);
/*
 * Writes a newline to the stream; aborts unless exactly one value was written and all
 * objects and arrays are closed.
 */
void weft_json_end(struct weft_json *json);

/*
 * weft_json_object(), weft_json_array(): open an object or array, into which the next
 * values go until weft_json_close().  NAME is the member's inside an object, else NULL.  At
 * most WEFT_JSON_DEEPEST may be open: one more aborts.
 */
void weft_json_object(struct weft_json *json, const char *name);
void weft_json_array(struct weft_json *json, const char *name);
/* Closes the innermost object or array that is open; aborts if none is. */
void weft_json_close(struct weft_json *json);

/*
 * Makes only the next value or closing bracket, whichever comes first, begin a new line,
 * after INDENT spaces.
 */
void weft_json_line(struct weft_json *json, unsigned indent);

/*
 * Writes the string TEXT (NULL: ""); NAME is the member's inside an object, else NULL.
 * Control characters, U+007F, and U+2028 and U+2029 (which end lines in JavaScript) are
 * escaped as \uXXXX; each byte that is not part of valid UTF-8 becomes U+FFFD.
 */
void weft_json_text(struct weft_json *json, const char *name, const char *text);
/*
 * Writes the text that printf() would write as a string, escaped as JSON needs it; NAME is
 * the member's inside an object, else NULL.  For short numbers, colours and identifiers:
 * more than 255 bytes abort the program.
 */
void weft_json_format(struct weft_json *json, const char *name, const char *fmt, ...)
    WEFT_PRINTF(3, 4);

/*
 * Writes VALUE exactly, as a number; NAME is the member's inside an object, else NULL.
 * Readers that parse it as a double keep 53 bits, so values that may be larger (ticks) are
 * better written as text with weft_json_format().
 */
void weft_json_integer(struct weft_json *json, const char *name, int64_t value);
/*
 * Writes VALUE exactly, as a number, which readers may round beyond 53 bits; NAME is the
 * member's inside an object, else NULL.
 */
void weft_json_unsigned(struct weft_json *json, const char *name, uint64_t value);
/*
 * Writes VALUE in decimal as a string, since readers would round a number to a double; NAME
 * is the member's inside an object, else NULL.
 */
void weft_json_id(struct weft_json *json, const char *name, uint64_t value);
/*
 * Writes VALUE as a number, with the fewest of 15 to 17 digits that read back as the same
 * double; NAME is the member's inside an object, else NULL.  JSON has no infinities and no
 * NaN: they become null.
 */
void weft_json_real(struct weft_json *json, const char *name, double value);
/*
 * Writes VALUE as a number with DECIMALS digits, 0 or more, after the point, an infinity or
 * NaN as null; NAME is the member's inside an object, else NULL.
 */
void weft_json_fixed(struct weft_json *json, const char *name, double value, int decimals);
/*
 * Writes an array of the N numbers VALUES, which it opens and closes, with DECIMALS digits,
 * 0 or more, after the point, infinities and NaN as null; about 20 ns each.  NAME is the
 * member's inside an object, else NULL.
 */
void weft_json_fixed_array(struct weft_json *json, const char *name, const double *values,
                           size_t n, int decimals);
/*
 * weft_json_bool(): writes VALUE as true or false; weft_json_null(): writes null.  NAME is
 * the member's inside an object, else NULL.
 */
void weft_json_bool(struct weft_json *json, const char *name, bool value);
void weft_json_null(struct weft_json *json, const char *name);

/*
 * Begins a value, with the member's NAME inside an object, else NULL; returns
 * json->stream, to which the caller writes one whole value (ready-made JSON) before any
 * other call.
 */
FILE *weft_json_value(struct weft_json *json, const char *name);

#endif
