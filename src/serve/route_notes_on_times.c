/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: the reader's notes on times, kept beside the trace in TRACE.marks, a line each:
 * BEGIN_NS, a tab, LENGTH_NS, a tab, the note.  The trace itself is never written.
 *
 * A POST lists the changes, a line each: "+" and a new mark, "-" and a removed one.  So
 * concurrent changes by two tabs, or two servers, are all kept.  The answer has all marks
 * after the change.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "serve/request_limits.h"
#include "serve/routes.h"

enum {
    WAIT_MS = 5000, /* for others that change marks in the folder, which takes them some
                       ms */
    STEP_MS = 20,   /* between two attempts, and looks at the job */
};

static char *marks_path(const struct request *request, struct refusal *refusal)
{
    size_t index;
    if (!request_trace_index(request, &index, refusal))
        return NULL;
    return weft_arena_printf(request->arena, "%s.marks",
                             traces_entry(request->service->traces, index)->path);
}

/*
 * Parses "BEGIN\tLENGTH\tNOTE"; false if the line is another.  A number beyond 64 bits is
 * an error, unless it may be ROUNDED: the page has the largest int64_t as the next double.
 */
static bool parse(char *line, bool rounded, long long *begin, long long *length,
                  char **note)
{
    char *end;
    errno = 0;
    *begin = strtoll(line, &end, 10);
    if (end == line || *end != '\t')
        return false;
    char *second = end + 1;
    *length = strtoll(second, &end, 10);
    if (end == second || *end != '\t' || *length < 0 || (errno == ERANGE && !rounded))
        return false;
    *note = end + 1;
    (*note)[strcspn(*note, "\r\n")] = '\0';
    return strlen(*note) <= LIMIT_NOTE;
}

/*
 * A mark as the page shows it, and thus names it in a change: its numbers are doubles, and
 * its note is valid UTF-8 without tabs.  A line of the file, which a person may have
 * edited, can differ.
 */
struct shown {
    double begin, length;
    const char *note; /* NULL: the line is no mark */
};

struct lines { /* of the file, in its order; NULL: removed */
    char **line;
    struct shown *shown;
    size_t n, capacity;
    size_t n_there, n_marks,
        bytes; /* lines that are not removed; marks among them; their bytes */
    size_t shown_capacity;
};

/* Returns the note itself if it is shown as it is. */
static const char *shown_note(struct weft_arena *arena, const char *note)
{
    char *text, *copy;
    size_t size, n, length = strlen(note);
    const char *at = note;
    while (*at && *at != '\t' && weft_utf8_decode(at, &n) != WEFT_UTF8_INVALID)
        at += n;
    if (!*at)
        return note;
    FILE *stream = weft_text_begin(&text, &size);
    fwrite(note, 1, (size_t)(at - note), stream);
    for (const char *end = note + length; at < end; at += n) {
        uint32_t character = weft_utf8_decode(at, &n);
        if (character == WEFT_UTF8_INVALID)
            fputs(WEFT_UTF8_REPLACEMENT, stream);
        else if (character == '\t')
            fputc(' ', stream);
        else
            fwrite(at, 1, n, stream);
    }
    weft_text_end(stream);
    copy = weft_arena_strdup(arena, text);
    free(text);
    return copy;
}

static struct shown shown_of(struct weft_arena *arena, const char *line)
{
    char *copy = weft_arena_strdup(arena, line), *note;
    long long begin, length;
    if (!parse(copy, false, &begin, &length, &note))
        return (struct shown){ 0 };
    return (struct shown){ (double)begin, (double)length, shown_note(arena, note) };
}

static void add_line(struct lines *lines, struct weft_arena *arena, const char *text)
{
    lines->line =
        weft_grow(lines->line, &lines->capacity, lines->n + 1, sizeof *lines->line);
    lines->shown =
        weft_grow(lines->shown, &lines->shown_capacity, lines->n + 1, sizeof *lines->shown);
    lines->shown[lines->n] = shown_of(arena, text);
    lines->n_marks += lines->shown[lines->n].note != NULL;
    lines->line[lines->n++] = weft_arena_strdup(arena, text);
    lines->n_there++;
    lines->bytes += strlen(text) + 1;
}

static void free_lines(struct lines *lines)
{
    free(lines->line);
    free(lines->shown);
}

/* Returns a line of the file without its end, or NULL with *ERR. */
static const char *one_line(struct weft_arena *arena, const char *text, size_t size,
                            struct weft_err *err)
{
    if (size > LIMIT_MARK_LINE) {
        weft_fail(err, WEFT_ERR_READ, "a line of more than %d KiB", LIMIT_MARK_LINE >> 10);
        return NULL;
    }
    if (memchr(text, '\0', size)) {
        weft_fail(err, WEFT_ERR_READ, "a NUL byte: this is no text");
        return NULL;
    }
    size -= size && text[size - 1] == '\r';
    return weft_arena_printf(arena, "%.*s", (int)size, text);
}

static bool split(struct lines *lines, const struct request *request, const char *path,
                  const struct weft_mapping *map, struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    const char *at = (const char *)map->data, *end = at + map->size;
    while (at < end) {
        struct weft_err why;
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        if (lines->n == LIMIT_MARK_LINES)
            return weft_fail_at(err, WEFT_ERR_READ, path, 0, "more than %d lines",
                                LIMIT_MARK_LINES);
        const char *line = one_line(arena, at, (size_t)(stop - at), &why);
        if (!line)
            return weft_fail_at(err, WEFT_ERR_READ, path, lines->n + 1, "%s", why.message);
        if (!weft_job_step(request->job, 0, 0, err))
            return false;
        add_line(lines, arena, line);
        at = stop + (stop < end);
    }
    return !weft_mapping_damaged(map)
           || weft_fail_at(err, WEFT_ERR_READ, path, 0, "it was cut while it was read");
}

static bool is_trace(struct traces *traces, const char *path)
{
    struct stat file, st;
    bool is = false;
    if (stat(path, &file) != 0)
        return false;
    for (size_t i = 0; i < traces_count(traces) && !is; i++)
        is = stat(traces_entry(traces, i)->path, &st) == 0 && st.st_dev == file.st_dev
             && st.st_ino == file.st_ino;
    return is;
}

/*
 * Fails for a link that leads to a trace or out of its folder.  In a foreign folder such a
 * link might make the server show and overwrite any file.
 */
static bool may_be_marks(const struct request *request, const char *path,
                         struct weft_err *err)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
        return true;
    if (is_trace(request->service->traces, path))
        return weft_fail_at(err, WEFT_ERR_READ, path, 0, "a link to a trace");
    const char *slash = strrchr(path, '/');
    char *name = slash ? weft_strndup(path, (size_t)(slash - path) + 1) : weft_strdup(".");
    char *folder = realpath(name, NULL), *file = realpath(path, NULL);
    size_t n = folder ? strlen(folder) : 0;
    bool stays = folder && file && strncmp(file, folder, n) == 0
                 && (file[n] == '/' || (n && file[n - 1] == '/'));
    free(name);
    free(folder);
    free(file);
    return stays
           || weft_fail_at(err, WEFT_ERR_READ, path, 0,
                           "a link that leads out of its folder");
}

/*
 * Reads the file, which may hold lines that are not marks: they stay.  A missing file has
 * no lines.  A file that cannot be read to its end is neither shown nor written.
 */
static bool read_lines(struct lines *lines, const struct request *request, const char *path,
                       struct weft_err *err)
{
    struct weft_mapping map = { 0 };
    struct stat st;
    if (!may_be_marks(request, path, err))
        return false;
    bool there = stat(path, &st) == 0;
    if (!there && errno == ENOENT)
        return true;
    /* Check the size before mapping, since the file may be huge; and again, since it may
       have grown. */
    bool fits = !there || !S_ISREG(st.st_mode) || st.st_size <= LIMIT_MARKS_FILE;
    if (fits && !weft_map_file(&map, path, err))
        return false;
    fits = fits && map.size <= LIMIT_MARKS_FILE;
    bool ok =
        fits
        || weft_fail_at(err, WEFT_ERR_READ, path, 0,
                        "longer than %d MiB, so its marks are neither shown nor changed",
                        LIMIT_MARKS_FILE >> 20);
    ok = ok && split(lines, request, path, &map, err);
    weft_unmap(&map);
    return ok;
}

static bool put_marks(const struct request *request, struct answer *answer,
                      const char *path, struct refusal *refusal)
{
    struct lines lines = { 0 };
    struct weft_json json;
    char *note;
    size_t n = 0;
    long long begin, length;
    if (!read_lines(&lines, request, path, &refusal->err)) {
        free_lines(&lines);
        return false;
    }
    answer_begin_json(answer, &json);
    weft_json_array(&json, NULL);
    for (size_t i = 0; i < lines.n && n <= LIMIT_MARKS; i++) {
        if (!parse(lines.line[i], false, &begin, &length, &note))
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
    free_lines(&lines);
    answer_end_json(answer, &json);
    return n <= LIMIT_MARKS
           || refuse(refusal, 500, "%s: more than %d marks", path, LIMIT_MARKS);
}

/* ---- Changes ---- */

/* Returns true if two marks look the same to the reader. */
static bool is_shown_as(const struct shown *a, const struct shown *b)
{
    return a->note && a->begin == b->begin && a->length == b->length
           && strcmp(a->note, b->note) == 0;
}

/* Removes a mark, by its exact line, or else by how it is shown. */
static void remove_mark(struct lines *lines, struct weft_arena *arena, const char *text)
{
    struct shown shown = shown_of(arena, text);
    bool exact = false;
    for (size_t i = 0; i < lines->n && !exact; i++)
        exact = lines->line[i] && strcmp(lines->line[i], text) == 0;
    for (size_t i = 0; i < lines->n; i++) {
        const char *line = lines->line[i];
        if (!line
            || (exact ? strcmp(line, text) != 0 : !is_shown_as(&lines->shown[i], &shown)))
            continue;
        lines->n_there--;
        lines->n_marks -= lines->shown[i].note != NULL;
        lines->bytes -= strlen(line) + 1;
        lines->line[i] = NULL;
    }
}

/* Applies "+MARK" or "-MARK"; an existing mark is not added twice. */
static bool change(struct lines *lines, struct weft_arena *arena, char *text,
                   struct weft_err *err)
{
    char *note, sign = *text;
    long long begin, length;
    if ((sign != '+' && sign != '-')
        || !parse(text + 1, sign == '-', &begin, &length, &note))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "a bad change of marks (right: + or -, BEGIN_NS, tab, LENGTH_NS, "
                         "tab, the note)");
    const char *line = weft_arena_printf(arena, "%lld\t%lld\t%s", begin, length, note);
    remove_mark(lines, arena, line);
    if (sign == '+' && lines->n_marks >= LIMIT_MARKS)
        return weft_fail(err, WEFT_ERR_USAGE, "a trace has at most %d marks", LIMIT_MARKS);
    if (sign == '+' && lines->n_there >= LIMIT_MARK_LINES)
        return weft_fail(err, WEFT_ERR_USAGE, "the file of marks has at most %d lines",
                         LIMIT_MARK_LINES);
    if (sign == '+' && lines->bytes + strlen(line) >= LIMIT_MARKS_FILE)
        return weft_fail(err, WEFT_ERR_USAGE, "the marks of a trace have at most %d MiB",
                         LIMIT_MARKS_FILE >> 20);
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

static int open_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? weft_strndup(path, (size_t)(slash - path) + 1) : weft_strdup(".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return fd;
}

/* Returns true if the lock was got, or if the file system has no locks: then the last
   writer wins. */
static bool try_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
}

/* Waits until *GOT, or for WAIT_MS; gives back the worker's place meanwhile. */
static bool wait_for_lock(const struct request *request, int fd, bool *got,
                          struct weft_err *err)
{
    const struct timespec step = { .tv_nsec = STEP_MS * 1000000 };
    bool ok = weft_job_waits(request->job, true, err);
    if (!ok)
        return false;
    for (int waited = 0; ok && !*got && waited < WAIT_MS; waited += STEP_MS) {
        nanosleep(&step, NULL);
        ok = weft_job_step(request->job, 0, 0, err);
        *got = ok && try_lock(fd);
    }
    (void)!weft_job_waits(request->job, false, NULL);
    return ok;
}

/*
 * Locks the folder of a path against others that change marks, until *LOCK is closed; -1 if
 * it cannot be locked.
 */
static bool lock_folder(const struct request *request, const char *path, int *lock,
                        struct refusal *refusal)
{
    bool got = false;
    *lock = open_folder(path);
    if (*lock < 0 || try_lock(*lock))
        return true;
    if (wait_for_lock(request, *lock, &got, &refusal->err) && !got)
        refuse(refusal, 503,
               "another program keeps the marks in this folder locked; try again");
    if (!got)
        close(*lock);
    return got;
}

static bool change_all(const struct request *request, const char *path,
                       struct weft_err *err)
{
    struct lines lines = { 0 };
    char *rest = weft_arena_strdup(request->arena, request->body), *line;
    bool ok = read_lines(&lines, request, path, err), asked = false;
    while (ok && (line = strtok_r(rest, "\n", &rest))) {
        asked = true;
        ok = weft_job_step(request->job, 0, 0, err)
             && change(&lines, request->arena, line, err);
    }
    ok = ok && (!asked || write_lines(&lines, path, err));
    free_lines(&lines);
    return ok;
}

/* Reads the marks, applies the request's changes and writes the file. */
static bool save(const struct request *request, const char *path, struct refusal *refusal)
{
    int lock;
    if (!lock_folder(request, path, &lock, refusal))
        return false;
    bool ok = change_all(request, path, &refusal->err);
    if (lock >= 0)
        close(lock);
    return ok;
}

bool route_marks(const struct request *request, struct answer *answer,
                 struct refusal *refusal)
{
    const char *path = marks_path(request, refusal);
    return path && (!request->post || save(request, path, refusal))
           && put_marks(request, answer, path, refusal);
}
