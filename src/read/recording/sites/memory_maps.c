/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the kernel's text: BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH. */
#include "read/recording/sites/memory_maps.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/memory.h"

enum { MAX_ANONYMOUS_LINES = 16 }; /* anonymous lines behind a file's data */

static uint64_t parse_hex(const char **at)
{
    uint64_t number = 0;

    for (;; ++*at) {
        char c = **at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 16;
        if (digit == 16)
            return number;
        number = number << 4 | digit;
    }
}

/* Skip to the next word. */
static const char *skip(const char *at)
{
    while (*at && *at != ' ' && *at != '\n')
        at++;
    while (*at == ' ')
        at++;
    return at;
}

/* Damaged or cut text gives lines that cover nothing, or no line. */
static bool parse_line(struct map_line *line, const char *at)
{
    line->begin = parse_hex(&at);
    if (*at++ != '-')
        return false;
    line->end = parse_hex(&at);
    if (*at != ' ')
        return false;
    at = skip(at);
    line->executable = at[0] && at[1] && at[2] == 'x'; /* "r-xp" */
    at = skip(at);
    line->offset = parse_hex(&at);
    at = skip(skip(skip(at))); /* device, inode */
    line->path = at;
    line->path_size = (uint32_t)strcspn(at, "\n");
    /* No file has so long a name, which each site would repeat. */
    if (line->path_size >= PATH_MAX)
        line->path_size = 0;
    return line->begin < line->end;
}

void maps_parse(struct maps *maps, char *text)
{
    size_t lines_capacity = 0, copies_capacity = 0;
    size_t size = text ? strlen(text) : 0;

    *maps = (struct maps){ .text = text };
    if (size > UINT32_MAX)
        return;
    for (const char *at = text; at && *at;) {
        size_t length = strcspn(at, "\n");
        struct map_line line;
        if (parse_line(&line, at)) {
            maps->lines =
                weft_grow(maps->lines, &lines_capacity, maps->n_lines + 1, sizeof line);
            if (maps->n_lines == 0 || line.begin < maps->lines[maps->n_lines - 1].end) {
                maps->copies = weft_grow(maps->copies, &copies_capacity, maps->n_copies + 1,
                                         sizeof *maps->copies);
                maps->copies[maps->n_copies++] = maps->n_lines;
            }
            maps->lines[maps->n_lines++] = line;
        }
        at += length + (at[length] == '\n');
    }
}

void maps_free(struct maps *maps)
{
    free(maps->text);
    free(maps->lines);
    free(maps->copies);
}

/* CODE: only in executable lines. */
static const struct map_line *find(const struct maps *maps, uint64_t address, bool code)
{
    size_t end = maps->n_lines;
    size_t first = maps->n_copies > MAPS_COPIES_MAX ? maps->n_copies - MAPS_COPIES_MAX : 0;

    for (size_t copy = maps->n_copies; copy-- > first;) {
        const struct map_line *lines = maps->lines;
        size_t at = WEFT_FIRST(i, maps->copies[copy], end, lines[i].end > address);
        end = maps->copies[copy];
        if (at < maps->n_lines && lines[at].begin <= address && address < lines[at].end
            && (lines[at].executable || !code))
            return &lines[at];
    }
    return NULL;
}

const struct map_line *maps_find(const struct maps *maps, uint64_t address)
{
    const struct map_line *line = NULL;

    for (; maps && !line; maps = maps->before)
        line = find(maps, address, true);
    return line;
}

const struct map_line *maps_find_data(const struct maps *maps, uint64_t address)
{
    const struct map_line *line = NULL;

    for (; maps && !line; maps = maps->before) {
        line = find(maps, address, false);
        /* The kernel merges adjacent pages of one kind, so these lines are few. */
        for (int steps = 0; line && line->path_size == 0; steps++)
            line = steps < MAX_ANONYMOUS_LINES && line > maps->lines
                           && line[-1].end == line->begin
                       ? line - 1
                       : NULL;
    }
    return line && line->path[0] == '/' ? line : NULL;
}

bool map_line_is_of(const struct map_line *line, const char *start)
{
    size_t begin = line->path_size, length = strlen(start);

    while (begin > 0 && line->path[begin - 1] != '/')
        begin--;
    return line->path_size - begin >= length
           && memcmp(line->path + begin, start, length) == 0;
}
