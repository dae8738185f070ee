/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: the reader's own notes on times, kept beside the trace in TRACE.marks, a line each:
 * BEGIN_NS, a tab, LENGTH_NS, a tab, the note.  The trace itself is never written.
 *
 * A POST says what changed, a line each: + and a mark that is new, - and one that is not
 * wanted any more.  So what two tabs, or two servers, change at a time is all kept.  The answer
 * has all marks as they are then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/routes.h"

/* Marks of a trace; lines of its file, with those that are no marks; bytes of a line. */
enum { MOST_MARKS = 10000, MOST_LINES = 1000000, LONGEST = 4096 };

static char *marks_path(struct exchange *exchange)
{
    struct traces *traces = exchange->service->traces;
    long long index =
        exchange_number(exchange, "trace", 0, (long long)traces_count(traces) - 1, -1);
    if (index < 0) {
        exchange_fail(exchange, 404, "there is no trace of that number");
        return NULL;
    }
    return weft_arena_printf(exchange->arena, "%s.marks",
                             traces_entry(traces, (size_t)index)->path);
}

/* Parse "BEGIN\tLENGTH\tNOTE"; false when the line is not that. */
static bool parse(char *line, long long *begin, long long *length, char **note)
{
    char *end;
    *begin = strtoll(line, &end, 10);
    if (end == line || *end != '\t')
        return false;
    char *second = end + 1;
    *length = strtoll(second, &end, 10);
    if (end == second || *end != '\t' || *length < 0)
        return false;
    *note = end + 1;
    (*note)[strcspn(*note, "\r\n")] = '\0';
    return strlen(*note) <= LONGEST;
}

struct lines { /* of the file, in its order; NULL: taken out */
    char **line;
    size_t n, capacity, n_there;
};

static void add_line(struct lines *lines, struct weft_arena *arena, const char *text)
{
    lines->line =
        weft_grow(lines->line, &lines->capacity, lines->n + 1, sizeof *lines->line);
    lines->line[lines->n++] = weft_arena_strdup(arena, text);
    lines->n_there++;
}

/*
 * The file may hold lines that are not marks: they stay.  One that is not there has no lines; of
 * one that cannot be read to its end nothing is known, so it is neither shown nor written.
 */
static bool read_lines(struct lines *lines, struct weft_arena *arena, const char *path,
                       struct weft_err *err)
{
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return true;
    if (!file)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot read %s", path);
    char *line = NULL;
    size_t capacity = 0;
    bool fits = true;
    errno = 0;
    while (getline(&line, &capacity, file) >= 0 && (fits = lines->n < MOST_LINES)) {
        line[strcspn(line, "\r\n")] = '\0';
        add_line(lines, arena, line);
    }
    bool ok = fits && feof(file) && !ferror(file);
    if (!fits)
        weft_fail_at(err, WEFT_ERR_READ, path, 0, "more than %d lines", MOST_LINES);
    else if (!ok)
        weft_fail_errno(err, WEFT_ERR_READ, "cannot read %s", path);
    free(line);
    fclose(file);
    return ok;
}

static void put_marks(struct exchange *exchange, const char *path)
{
    struct lines lines = { 0 };
    struct weft_err err = { 0 };
    struct weft_json json;
    char *note;
    size_t n = 0;
    long long begin, length;
    if (!read_lines(&lines, exchange->arena, path, &err)) {
        exchange_fail_with(exchange, &err);
        free(lines.line);
        return;
    }
    exchange_begin_json(exchange, &json);
    weft_json_array(&json, NULL);
    for (size_t i = 0; i < lines.n && n < MOST_MARKS; i++) {
        if (!parse(lines.line[i], &begin, &length, &note))
            continue;
        if (n++)
            weft_json_line(&json, 0);
        weft_json_object(&json, NULL);
        weft_json_integer(&json, "begin_ns", begin);
        weft_json_integer(&json, "length_ns", length);
        weft_json_text(&json, "note", note);
        weft_json_close(&json);
    }
    weft_json_close(&json);
    free(lines.line);
    exchange_end_json(exchange, &json);
}

/* ---- Changes ---- */

static void take_out(struct lines *lines, const char *text)
{
    for (size_t i = 0; i < lines->n; i++)
        if (lines->line[i] && strcmp(lines->line[i], text) == 0) {
            lines->line[i] = NULL;
            lines->n_there--;
        }
}

/* "+MARK" or "-MARK"; a mark that is there already is not there twice. */
static bool change(struct lines *lines, struct weft_arena *arena, char *text,
                   struct weft_err *err)
{
    char *note, sign = *text;
    long long begin, length;
    if ((sign != '+' && sign != '-') || !parse(text + 1, &begin, &length, &note))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "a bad change of marks (right: + or -, BEGIN_NS, tab, LENGTH_NS, "
                         "tab, the note)");
    const char *line = weft_arena_printf(arena, "%lld\t%lld\t%s", begin, length, note);
    take_out(lines, line);
    if (sign == '+' && lines->n_there >= MOST_MARKS)
        return weft_fail(err, WEFT_ERR_USAGE, "a trace has at most %d marks", MOST_MARKS);
    if (sign == '+')
        add_line(lines, arena, line);
    return true;
}

static bool write_lines(const struct lines *lines, const char *path, struct weft_err *err)
{
    struct weft_output out;
    if (!weft_output_open(&out, path, err))
        return false;
    for (size_t i = 0; i < lines->n; i++)
        if (lines->line[i])
            fprintf(out.stream, "%s\n", lines->line[i]);
    return weft_output_commit(&out, err);
}

/* Keep others from changing marks in the folder of a path until the descriptor is closed. */
static int lock_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? weft_strndup(path, (size_t)(slash - path) + 1) : weft_strdup(".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd >= 0)
        (void)!flock(fd, LOCK_EX); /* some file systems cannot: then the last one wins */
    return fd;
}

static bool save(struct exchange *exchange, const char *path, struct weft_err *err)
{
    struct lines lines = { 0 };
    char *rest = weft_arena_strdup(exchange->arena, exchange->body), *line;
    int lock = lock_folder(path);
    bool ok = read_lines(&lines, exchange->arena, path, err);
    while (ok && (line = strtok_r(rest, "\n", &rest)))
        ok = change(&lines, exchange->arena, line, err);
    ok = ok && write_lines(&lines, path, err);
    if (lock >= 0)
        close(lock);
    free(lines.line);
    return ok;
}

void route_marks(struct exchange *exchange, const char *rest)
{
    struct weft_err err = { 0 };
    const char *path = marks_path(exchange);
    (void)rest;
    if (path && exchange->post && !save(exchange, path, &err))
        exchange_fail_with(exchange, &err);
    else if (path)
        put_marks(exchange, path);
}
