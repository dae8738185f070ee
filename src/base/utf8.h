/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 (RFC 3629).  A name in a trace may hold any bytes, valid UTF-8 or not.  Formats that
 * must be valid UTF-8 decode names with this and replace the bytes that are invalid.
 */
#ifndef WEFT_BASE_UTF8_H
#define WEFT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_UTF8_INVALID     UINT32_MAX
#define WEFT_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, which stands for what is invalid */

/*
 * The character at TEXT, which ends with a zero byte; *SIZE is the number of its bytes.
 * WEFT_UTF8_INVALID with a *SIZE of 1 when no character begins there: overlong forms,
 * surrogates and numbers above U+10FFFF are invalid, byte by byte.  At the end of the text the
 * answer is 0.
 */
uint32_t weft_utf8_decode(const char *text, size_t *size);

#endif
