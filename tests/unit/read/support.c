/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "write/dump_and_paje.h"

static char folder[64];
static char path[512];

const char support_header[] =
    "%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 2\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEventType 3\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineVariableType 4\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineLinkType 5\n% Alias string\n% Type string\n"
    "% StartContainerType string\n% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 6\n% Alias string\n% Type string\n% Name string\n"
    "% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n"
    "% Container string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 8\n% Time date\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 10\n% Time date\n% Container string\n% Type string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 11\n% Time date\n% Container string\n% Type string\n"
    "%EndEventDef\n"
    "%EventDef PajeSetState 12\n% Time date\n% Container string\n% Type string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajeNewEvent 13\n% Time date\n% Container string\n% Type string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 14\n% Time date\n% Container string\n% Type string\n"
    "% Value double\n%EndEventDef\n"
    "%EventDef PajeAddVariable 15\n% Time date\n% Container string\n% Type string\n"
    "% Value double\n%EndEventDef\n"
    "%EventDef PajeSubVariable 16\n% Time date\n% Container string\n% Type string\n"
    "% Value double\n%EndEventDef\n"
    "%EventDef PajeStartLink 17\n% Time date\n% Container string\n% Type string\n"
    "% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 18\n% Time date\n% Container string\n% Type string\n"
    "% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n"
    "1 P 0 Process\n2 S P State\n3 E P Event\n4 V P Variable\n5 L 0 P P Link\n"
    "7 0 a P 0 one\n7 0 b P 0 two\n";

const char *support_path(const char *name)
{
    if (!folder[0]) {
        /* In memory, because every store is synced to its disk. */
        bool memory = access("/dev/shm", W_OK) == 0;
        strcpy(folder, memory ? "/dev/shm/weft-test-XXXXXX" : "/tmp/weft-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
        assert_int_equal(setenv("WEFT_CACHE", folder, 1), 0);
    }
    snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
    return path;
}

int support_cleanup(void **state)
{
    (void)state;
    DIR *dir = folder[0] ? opendir(folder) : NULL;
    for (struct dirent *at; dir && (at = readdir(dir));)
        unlinkat(dirfd(dir), at->d_name, 0);
    if (dir)
        closedir(dir);
    if (folder[0])
        rmdir(folder);
    folder[0] = '\0';
    return 0;
}

void support_write(const char *to, const void *bytes, size_t size)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct weft_trace *import(const void *bytes, size_t size, const char *unit)
{
    char *input = weft_strdup(support_path("trace")),
         *store = weft_strdup(support_path("store"));
    struct weft_err err = { 0 };
    support_write(input, bytes, size);
    struct weft_read_options options = { unit };
    struct weft_trace *trace = NULL;
    if (weft_import(input, &options, store, NULL, &err))
        trace = weft_trace_open(store, &err);
    if (!trace)
        print_message("%s\n", err.message);
    free(input);
    free(store);
    return trace;
}

struct weft_trace *support_read_bytes(const void *bytes, size_t size)
{
    return import(bytes, size, NULL);
}

struct weft_trace *support_read_plain(const char *text, const char *unit)
{
    struct weft_trace *trace = import(text, strlen(text), unit);
    assert_non_null(trace);
    return trace;
}

struct weft_trace *support_read(const char *text)
{
    char *all = weft_asprintf("%s%s", support_header, text);
    struct weft_trace *trace = support_read_plain(all, NULL);
    free(all);
    return trace;
}

uint64_t support_problems(const struct weft_trace *trace, const char *kind, uint64_t *line)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    uint64_t count = 0;
    for (uint32_t i = 0; i < schema->n_problems; i++) {
        const struct weft_problem *problem = &schema->problems[i];
        if (strcmp(problem->kind, kind) != 0)
            continue;
        if (!count && line)
            *line = problem->line;
        count += problem->count;
    }
    return count;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *support_dump(const struct weft_trace *trace)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    struct weft_err err = { 0 };
    assert_true(weft_write_dump(weft_trace_source(trace), stream, NULL, &err));
    assert_int_equal(fclose(stream), 0);
    char **lines = NULL;
    size_t n = 0, capacity = 0;
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
        lines = weft_grow(lines, &capacity, n + 1, sizeof *lines);
        lines[n++] = at;
    }
    qsort(lines, n, sizeof *lines, by_text);
    char *sorted = weft_alloc(size + 1), *out = sorted;
    for (size_t i = 0; i < n; i++)
        out += sprintf(out, "%s\n", lines[i]);
    *out = '\0';
    free(lines);
    free(text);
    return sorted;
}
