/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: the reader's own notes on times, kept beside the trace in TRACE.marks, a line each:
 * BEGIN_NS, a tab, LENGTH_NS, a tab, the note.  The trace itself is never written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "serve/routes.h"

enum { MOST_MARKS = 10000, LONGEST = 4096 }; /* marks of a trace; bytes of a line */

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

static void put_marks(struct exchange *exchange, const char *path)
{
    FILE *file = fopen(path, "re");
    struct weft_json json;
    char *line = NULL, *note;
    size_t capacity = 0, n = 0;
    long long begin, length;
    exchange_begin_json(exchange, &json);
    weft_json_array(&json, NULL);
    while (file && n < MOST_MARKS && getline(&line, &capacity, file) >= 0) {
        if (!parse(line, &begin, &length, &note))
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
    free(line);
    if (file)
        fclose(file);
    exchange_end_json(exchange, &json);
}

/* A POST replaces all marks by the lines of its body. */
static bool save(struct exchange *exchange, const char *path, struct weft_err *err)
{
    struct weft_output out;
    char *rest = weft_arena_strdup(exchange->arena, exchange->body), *line, *note;
    long long begin, length;
    size_t n = 0;
    if (!weft_output_open(&out, path, err))
        return false;
    while ((line = strtok_r(rest, "\n", &rest))) {
        if (++n > MOST_MARKS || !parse(line, &begin, &length, &note)) {
            weft_output_abandon(&out);
            return weft_fail(err, WEFT_ERR_USAGE,
                             "a bad mark (right: BEGIN_NS, tab, LENGTH_NS, tab, the note)");
        }
        fprintf(out.stream, "%lld\t%lld\t%s\n", begin, length, note);
    }
    return weft_output_commit(&out, err);
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
