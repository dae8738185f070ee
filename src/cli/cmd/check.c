/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/open_traces.h"
#include "read/reader.h"
#include "view/damage.h"
#include "view/table.h"
#include "view/text.h"

static const char *const severities[] = { "note", "warning", "error" };

/* The output of `check`, as text or as JSON. */
struct check_output {
    const char *path;
    struct weft_table *json; /* or NULL */
};

static void put(const struct check_output *list, const struct weft_problem *problem)
{
    if (list->json) {
        struct weft_cell cells[] = {
            weft_text_cell(severities[problem->severity]),
            weft_text_cell(list->path),
            weft_integer_cell((int64_t)problem->line),
            weft_integer_cell((int64_t)problem->count),
            weft_text_cell(problem->kind),
            weft_text_cell(problem->message),
        };
        list->json->row(list->json, cells);
        return;
    }
    struct weft_arena arena = { 0 };
    printf("%-7s  %s", severities[problem->severity], weft_text_clean(&arena, list->path));
    if (problem->line)
        printf(":%" PRIu64, problem->line);
    printf("  %" PRIu64 " x  %s  %s\n", problem->count, problem->kind,
           weft_text_clean(&arena, problem->message));
    weft_arena_free(&arena);
}

/* Prints the first damages with their places, and the number of the others. */
static void put_damage(const struct check_output *list, const struct weft_source *source)
{
    enum { MAX_LISTED = 100 };
    static const char *const kinds[] = {
        [WEFT_DAMAGED_ENTITIES] = "damaged-block",
        [WEFT_DAMAGED_FIELDS] = "damaged-block",
        [WEFT_DAMAGED_INDEX] = "damaged-index",
        [WEFT_DAMAGED_SUMMARY] = "damaged-summary",
        [WEFT_DAMAGED_TABLE] = "damaged-table",
        [WEFT_DAMAGED_GRID] = "damaged-nodes",
    };
    struct weft_damage damage[MAX_LISTED];
    struct weft_arena arena = { 0 };
    size_t n = source->ops->damage(source, 0, damage, MAX_LISTED);
    for (size_t i = 0; i < n && i < MAX_LISTED; i++)
        put(list, &(struct weft_problem){
                      damage[i].what == WEFT_DAMAGED_SUMMARY ? WEFT_WARNING : WEFT_ERROR,
                      kinds[damage[i].what],
                      weft_damage_text(&arena, source->schema, &damage[i]), 0, 1 });
    if (n > MAX_LISTED)
        put(list, &(struct weft_problem){ WEFT_ERROR, "damaged-block",
                                          "more parts of the store are damaged", 0,
                                          n - MAX_LISTED });
    weft_arena_free(&arena);
}

static void put_all(const struct check_output *list, const struct weft_source *source)
{
    for (uint32_t i = 0; i < source->schema->n_problems; i++)
        put(list, &source->schema->problems[i]);
    put_damage(list, source);
}

static void put_json(const char *path, const struct weft_source *source)
{
    static const char *const names[] = { "severity", "file", "line",
                                         "count",    "kind", "message" };
    struct weft_table *table = weft_table_json(stdout);
    table->begin(table, names, sizeof names / sizeof *names);
    put_all(&(struct check_output){ path, table }, source);
    table->end(table);
    weft_table_free(table);
}

static int run(const struct weft_arguments *arguments)
{
    const char *path = arguments->positional[0];
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err))
        return weft_report(&err);
    struct weft_job *job = weft_progress_begin("checking");
    struct weft_trace *trace = ask_trace(path, &options, job, NULL, &err);
    if (trace)
        weft_progress_hurry(true, NULL);
    uint64_t damaged = trace ? weft_trace_verify(trace, job) : 0;
    bool ok = trace && weft_job_step(job, 1, 1, &err);
    ok = ask_intact(trace, ok, &err);
    weft_progress_end(job);
    int status = 0;
    if (ok) {
        const struct weft_source *source = weft_trace_source(trace);
        if (weft_option_given(arguments, "json"))
            put_json(path, source);
        else
            put_all(&(struct check_output){ path, NULL }, source);
        status = source->schema->n_problems || damaged ? 1 : 0;
        ok = weft_flush_output(&err);
    }
    weft_trace_close(trace);
    return ok ? status : weft_report(&err);
}

static const struct weft_option options[] = {
    { "json", 0, NULL, false, "print an array of objects" },
    { .expand = ask_list_reading },
};

const struct weft_command weft_command_check = {
    .name = "check",
    .arguments = "TRACE",
    .summary = "list what is wrong with a trace",
    .description =
        "Prints one line for each problem: severity, place, how often, kind, and a sentence.\n"
        "Nothing is repaired silently. Of each kind the first hundred are listed with their\n"
        "place, the rest is counted. Blocks of a .weft are compared with their checksums; of\n"
        "one that is damaged, the container, the time and the place in the file are told.\n"
        "The exit status is 1 when anything was listed.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
