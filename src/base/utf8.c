/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

uint32_t weft_utf8_decode(const char *text, size_t *size)
{
    static const uint32_t least[] = {
        0, 0x80, 0x800, 0x10000
    }; /* by the number of further bytes: a smaller one is overlong */
    const unsigned char *bytes = (const unsigned char *)text;
    *size = 1;
    if (bytes[0] < 0x80)
        return bytes[0];
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4)
        return WEFT_UTF8_INVALID;
    unsigned further = bytes[0] >= 0xf0 ? 3 : bytes[0] >= 0xe0 ? 2 : 1;
    uint32_t code = bytes[0] & (0x3fu >> further);
    for (unsigned i = 1; i <= further; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return WEFT_UTF8_INVALID;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    if (code < least[further] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return WEFT_UTF8_INVALID;
    *size = further + 1;
    return code;
}
