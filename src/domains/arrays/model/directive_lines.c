/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "domains/arrays/model/directives.h"

enum { MARK = 6 }; /* column of the continuation mark in fixed form */

struct line {
    const char *at, *end; /* the text after the mark, without a comment at the end */
    bool marked, continues, empty;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* The length of HPF$ or WEFT$ at AT, after a comment sign; 0 if there is neither. */
static size_t sentinel(const char *at, const char *end)
{
    static const char *const names[] = { "HPF$", "WEFT$" };
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(names[i]);
        if ((size_t)(end - at) >= n && strncasecmp(at, names[i], n) == 0)
            return n;
    }
    return 0;
}

/* Returns true for a continuation mark in column 6.  Letters and blanks are none, since
   free form may begin there. */
static bool is_continuation_mark(char c)
{
    return strchr("&+*$.#123456789", c) && c;
}

/* Returns true if a line that begins with C, like a comment in fixed form, begins a
   declaration. */
static bool declares(const char *at, const char *end)
{
    return (end - at > 7 && strncasecmp(at, "complex", 7) == 0)
           || (end - at > 9 && strncasecmp(at, "character", 9) == 0);
}

static void strip_comment(struct line *line)
{
    const char *comment = line->at;
    while (comment < line->end && *comment != '!')
        comment++;
    line->end = comment;
    while (line->end > line->at && is_blank(line->end[-1]))
        line->end--;
    line->empty = line->at == line->end;
}

static struct line look_at(const char *at, const char *end, bool source)
{
    struct line line = { at, end, false, false, true };
    const char *first = at;
    while (first < end && is_blank(*first))
        first++;
    if (first == end)
        return line;
    bool in_first_column = first == at && strchr("Cc*", *first);
    size_t mark = *first == '!' || in_first_column ? sentinel(first + 1, end) : 0;
    if (mark) {
        line.marked = true;
        line.at = first + 1 + mark;
        line.continues = line.at < end && is_continuation_mark(*line.at);
        line.at += line.continues;
        strip_comment(&line);
        return line;
    }
    if (*first == '!' || *first == '#' || (source && in_first_column && !declares(at, end)))
        return line;
    line.at = first;
    line.continues = source && first - at == MARK - 1 && is_continuation_mark(*first);
    line.at += line.continues;
    strip_comment(&line);
    return line;
}

static const char *end_of_line(const struct directive_lines *lines)
{
    const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    return newline ? newline : lines->end;
}

static void pass_line(struct directive_lines *lines)
{
    const char *end = end_of_line(lines);
    lines->at = end < lines->end ? end + 1 : end;
    lines->line++;
}

void directive_lines_begin(struct directive_lines *lines, const char *text, size_t size)
{
    *lines = (struct directive_lines){ text, text + size, 1, false };
    while (lines->at < lines->end && !lines->source) {
        lines->source = look_at(lines->at, end_of_line(lines), false).marked;
        pass_line(lines);
    }
    *lines = (struct directive_lines){ text, text + size, 1, lines->source };
}

/* Appends a line without the & at its ends; returns true if another line continues it. */
static bool append(struct directive_statement *statement, const struct line *line,
                   uint32_t number, bool continues)
{
    const char *at = line->at, *end = line->end;
    while (at < end && is_blank(*at))
        at++;
    at += continues && at < end && *at == '&';
    bool goes_on = end > at && end[-1] == '&';
    end -= goes_on;
    size_t n = (size_t)(end - at), need = statement->n + n + 2;
    statement->text = weft_grow(statement->text, &statement->text_capacity, need, 1);
    statement->lines = weft_grow(statement->lines, &statement->line_capacity, need,
                                 sizeof *statement->lines);
    if (continues)
        statement->text[statement->n++] = ' ';
    memcpy(statement->text + statement->n, at, n);
    statement->n += n;
    statement->text[statement->n] = 0;
    for (size_t i = statement->n - n - continues; i <= statement->n; i++)
        statement->lines[i] = number;
    return goes_on;
}

bool directive_lines_next(struct directive_lines *lines,
                          struct directive_statement *statement)
{
    bool begun = false, goes_on = false;
    statement->n = 0;
    while (lines->at < lines->end) {
        struct line line = look_at(lines->at, end_of_line(lines), lines->source);
        bool continues = goes_on || line.continues;
        if (begun && !line.empty && (!continues || line.marked != statement->marked))
            return true;
        if (!line.empty) {
            statement->marked = line.marked;
            goes_on = append(statement, &line, lines->line, begun);
            begun = true;
        }
        pass_line(lines);
    }
    return begun;
}
