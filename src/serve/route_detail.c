/* SPDX-License-Identifier: Apache-2.0 */
/* Answers with the facts of a thing and the source lines that it comes from. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/sites_by_line.h"
#include "serve/held_traces.h"
#include "serve/routes.h"
#include "store/time.h"
#include "view/detail.h"

enum {
    LARGEST_SOURCE = 8 << 20, /* bytes of a source file: nobody writes longer ones */
    MAX_LINES = 400,          /* around a place, in one answer */
};

static void put_id(struct weft_json *json, const char *name, uint64_t id)
{
    if (id != WEFT_NO_ID)
        weft_json_format(json, name, "%" PRIu64, id);
}

static void put_fact(struct weft_json *json, const struct weft_fact *fact)
{
    weft_json_object(json, NULL);
    weft_json_text(json, "name", fact->name);
    weft_json_text(json, "value", fact->value);
    put_id(json, "id", fact->id);
    if (fact->site != WEFT_NONE)
        weft_json_unsigned(json, "site", fact->site);
    weft_json_close(json);
}

static void put_question(struct weft_json *json,
                         const struct weft_detail_question *question)
{
    weft_json_object(json, NULL);
    weft_json_text(json, "title", question->title);
    weft_json_text(json, "view", question->view);
    if (question->by)
        weft_json_text(json, "by", question->by);
    weft_json_text(json, "where", question->selection);
    weft_json_close(json);
}

/* Writes times from the begin of the trace's span. */
static void put_detail(struct weft_json *json, uint64_t id,
                       const struct weft_detail *detail, int64_t zero)
{
    weft_json_object(json, NULL);
    weft_json_format(json, "id", "%" PRIu64, id);
    weft_json_text(json, "kind", detail->kind);
    weft_json_text(json, "name", detail->name);
    weft_json_format(json, "row", "#%u", detail->container);
    weft_json_integer(json, "begin", detail->begin - zero);
    weft_json_integer(json, "end", detail->end - zero);
    put_id(json, "previous", detail->previous);
    put_id(json, "next", detail->next);
    put_id(json, "incoming", detail->incoming);
    put_id(json, "outgoing", detail->outgoing);
    if (detail->waits)
        weft_json_bool(json, "waits", true);
    weft_json_array(json, "facts");
    for (size_t i = 0; i < detail->n_facts; i++) {
        weft_json_line(json, 0);
        put_fact(json, &detail->facts[i]);
    }
    weft_json_close(json);
    weft_json_array(json, "questions");
    for (size_t i = 0; i < detail->n_questions; i++)
        put_question(json, &detail->questions[i]);
    weft_json_close(json);
    weft_json_close(json);
}

/*
 * With step=next or previous: sets *ID to the state or event on the same row that begins
 * next after (or last before) the time at=T.
 */
static bool step_of(const struct request *request, const struct weft_source *source,
                    uint64_t *id, struct refusal *refusal)
{
    const char *step = request_get(request, "step"), *at = request_get(request, "at");
    int64_t time;
    if (!step)
        return true;
    if (!weft_parse_time(source->schema, at ? at : "", at ? strlen(at) : 0, &time,
                         &refusal->err))
        return false;
    *id = weft_detail_step(source, *id, time, strcmp(step, "previous") != 0);
    return *id != WEFT_NO_ID || refuse(refusal, 404, "nothing more begins on this row");
}

/* Reads the id of an entity, or of a row's container. */
static bool id_of(const struct request *request, uint64_t *id, struct weft_err *err)
{
    const char *row = request_get(request, "row");
    if (!row || row[0] != '#')
        return request_id(request, "id", WEFT_NO_ID, id, err);
    errno = 0;
    unsigned long long number = strtoull(row + 1, NULL, 10);
    if (!row[1] || row[1 + strspn(row + 1, "0123456789")] || errno || number >= WEFT_NONE)
        return weft_fail(err, WEFT_ERR_USAGE, "bad row '%s' (right: #NUMBER)", row);
    *id = weft_container_id((uint32_t)number, false);
    return true;
}

/*
 * id=NUMBER, or row=#5: answers with all about an entity or a container; with step and at,
 * about its neighbour in time.
 */
bool route_detail(const struct request *request, struct answer *answer,
                  struct refusal *refusal)
{
    struct weft_detail detail;
    uint64_t id;
    struct weft_trace *trace = hold_asked_trace(request, refusal);
    if (!trace)
        return false;
    const struct weft_source *source = hold_source(request, trace, refusal);
    if (!source)
        return false;
    if (!id_of(request, &id, &refusal->err) || !step_of(request, source, &id, refusal))
        return false;
    if (!weft_detail(source, id, request->arena, &detail))
        return refuse(refusal, 404, "the trace has nothing of that number");
    struct weft_json json;
    answer_begin_json(answer, &json);
    put_detail(&json, id, &detail, source->schema->span.begin);
    answer_end_json(answer, &json);
    return true;
}

/* Returns true if the real path is below one of the folders that the user allows. */
static bool is_allowed(const struct service *service, const char *path)
{
    for (char **root = service->source_roots; *root; root++) {
        size_t n = strlen(*root);
        if (strncmp(path, *root, n) == 0 && (path[n] == '/' || (n && path[n - 1] == '/')))
            return true;
    }
    return false;
}

/* Opens a regular file that is not too long; opening a pipe would wait for a writer. */
static FILE *open_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    FILE *file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= LARGEST_SOURCE
                     ? fdopen(fd, "r")
                     : NULL;
    if (!file)
        close(fd);
    return file;
}

/*
 * Opens a source file: at the path in the trace, else below a root, by the longest end of
 * that path that exists there (the program may have been built elsewhere).  A hostile trace
 * may have any path, and each of its ends is tried: a path that no system accepts is not
 * tried at all.
 */
static FILE *open_source(const struct service *service, const char *file,
                         const struct weft_job *job)
{
    char real[PATH_MAX];
    FILE *found = NULL;
    if (strnlen(file, PATH_MAX) == PATH_MAX)
        return NULL;
    if (file[0] == '/' && realpath(file, real) && is_allowed(service, real))
        found = open_file(real);
    for (char **root = service->source_roots; *root && !found; root++)
        for (const char *end = file; end && !found && !weft_job_cancelled(job);
             end = strchr(end, '/')) {
            end += *end == '/';
            char *path = weft_asprintf("%s/%s", *root, end);
            if (realpath(path, real) && is_allowed(service, real))
                found = open_file(real);
            free(path);
        }
    return found;
}

static void put_lines(struct weft_json *json, FILE *source, long first, long last)
{
    char *line = NULL;
    size_t capacity = 0;
    long number = 0;
    weft_json_array(json, "lines");
    while (number < last && getline(&line, &capacity, source) >= 0)
        if (++number >= first) {
            line[strcspn(line, "\r\n")] = '\0';
            weft_json_line(json, 0);
            weft_json_text(json, NULL, line);
        }
    weft_json_close(json);
    free(line);
}

/* Returns the index of the first site that tables write as TEXT; -1: there is none. */
static long long site_of_text(const struct weft_schema *schema, const char *text)
{
    struct weft_arena scratch = { 0 };
    long long found = -1;
    for (uint32_t i = 0; found < 0 && i < schema->n_sites; i++) {
        if (strcmp(weft_site_text(&scratch, schema, i), text) == 0)
            found = i;
        weft_arena_reset(&scratch);
    }
    weft_arena_free(&scratch);
    return found;
}

/*
 * site=NUMBER, or place=TEXT, as tables write it: answers with the lines around a place in
 * the program.
 */
bool route_source(const struct request *request, struct answer *answer,
                  struct refusal *refusal)
{
    struct weft_trace *trace = hold_asked_trace(request, refusal);
    if (!trace)
        return false;
    const struct weft_schema *schema = weft_trace_source(trace)->schema;
    const char *place = request_get(request, "place");
    long long index =
        place ? site_of_text(schema, place)
              : request_number(request, "site", 0, (long long)schema->n_sites - 1, -1);
    long long around;
    if (!request_whole(request, "around", 0, MAX_LINES / 2, 12, &around, &refusal->err))
        return false;
    if (index < 0)
        return refuse(refusal, 404, "the trace has no place of that number");
    const struct weft_site *site = &schema->sites[index];
    if (!site->file[0] || !site->line)
        return refuse(refusal, 404, "%s has no line numbers (compile it with -g)",
                      site->object);
    FILE *source = open_source(request->service, site->file, request->job);
    if (!source)
        return refuse(refusal, 404,
                      "%s is not in a folder that may be read (weft view --source-root "
                      "FOLDER)",
                      weft_name_cut(site->file, request->arena));
    long first = (long)site->line > around ? (long)(site->line - around) : 1;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "file", site->file);
    weft_json_text(&json, "function", site->function);
    weft_json_unsigned(&json, "line", site->line);
    weft_json_integer(&json, "first", first);
    put_lines(&json, source, first, (long)(site->line + around));
    weft_json_close(&json);
    fclose(source);
    answer_end_json(answer, &json);
    return true;
}
