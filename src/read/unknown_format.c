/* SPDX-License-Identifier: Apache-2.0 */
#include "read/unknown_format.h"

#include <stdio.h>
#include <string.h>

#include "read/reader.h"

/* Kinds of files that are often near traces, by their first bytes. */
static const struct kind {
    size_t at, length;
    const char *bytes;
    const char *what;
} kinds[] = {
    { 0, 3, "BZh", "compressed with bzip2, which Weft does not unpack (bunzip2 does)" },
    { 0, 4, "\x04\x22\x4d\x18",
      "compressed with lz4, which Weft does not unpack (unlz4 does)" },
    { 0, 2, "\x1f\x9d",
      "compressed with compress, which Weft does not unpack (gunzip does)" },
    { 0, 4, "LZIP", "compressed with lzip, which Weft does not unpack (lzip -d does)" },
    { 0, 4, "PK\003\004", "a zip archive, not a trace (unzip takes it apart)" },
    { 0, 6, "7z\xbc\xaf\x27\x1c", "a 7z archive, not a trace (7z x takes it apart)" },
    { 257, 5, "ustar", "a tar archive, not a trace (tar xf takes it apart)" },
    { 0, 4, "\177ELF", "a program, not a trace (weft record runs one)" },
};

/* UTF-16: every second byte of text that is mostly ASCII is zero. */
static bool is_utf16(const unsigned char *head, size_t size)
{
    size_t zeros[2] = { 0, 0 }, n = size < 256 ? size / 2 : 128;
    if (size >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0))
        return true;
    for (size_t i = 0; i < 2 * n; i++)
        zeros[i % 2] += !head[i];
    return n >= 4
           && ((zeros[0] > n * 3 / 4 && zeros[1] == 0)
               || (zeros[1] > n * 3 / 4 && zeros[0] == 0));
}

static const char *what_it_is(const unsigned char *head, size_t size)
{
    if (!size)
        return "empty";
    if (weft_trace_probe(head, size))
        return "a .weft store that is compressed or comes from a pipe: it must be a plain file";
    if (is_utf16(head, size))
        return "text in UTF-16, and Weft reads UTF-8 (iconv -f UTF-16 -t UTF-8 makes it that)";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size >= kinds[i].at + kinds[i].length
            && memcmp(head + kinds[i].at, kinds[i].bytes, kinds[i].length) == 0)
            return kinds[i].what;
    return NULL;
}

bool weft_fail_unknown(struct weft_err *err, const char *path, const unsigned char *head,
                       size_t size)
{
    const char *what = what_it_is(head, size);
    if (what)
        return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "the file is %s", what);
    char list[320] = "";
    size_t n = 0;
    for (size_t i = 0; weft_reader_at(i) && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, ", %s",
                              weft_reader_at(i)->description);
    return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0,
                        "not a trace that Weft can read (.weft%s)", list);
}
