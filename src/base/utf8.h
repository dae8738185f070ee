/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes UTF-8 (RFC 3629).  A name in a trace may hold any bytes, valid UTF-8 or not.
 * Formats that must be valid UTF-8 decode names with this and replace the bytes that are
 * invalid.
 */
#ifndef WEFT_BASE_UTF8_H
#define WEFT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_UTF8_INVALID     UINT32_MAX     /* no character: returned for a wrong byte */
#define WEFT_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, written for invalid bytes */

/*
 * Decodes the character at the start of TEXT, a NUL-terminated string; *SIZE is its length
 * in bytes.  Returns WEFT_UTF8_INVALID with *SIZE 1 if no valid character begins there:
 * each byte of overlong forms, surrogates and numbers above U+10FFFF is invalid.  Returns 0
 * with *SIZE 1, not 0, at the end of TEXT.
 */
uint32_t weft_utf8_decode(const char *text, size_t *size);

#endif
