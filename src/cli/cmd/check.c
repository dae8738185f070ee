/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ask.h"
#include "read/reader.h"
#include "view/table.h"

static const char *const severities[] = { "note", "warning", "error" };

static void list_text(const char *path, const struct weft_schema *schema, uint64_t damaged)
{
    for (uint32_t i = 0; i < schema->n_problems; i++) {
        const struct weft_problem *problem = &schema->problems[i];
        printf("%-7s  %s", severities[problem->severity], path);
        if (problem->line)
            printf(":%" PRIu64, problem->line);
        printf("  %" PRIu64 " x  %s  %s\n", problem->count, problem->kind,
               problem->message);
    }
    if (damaged)
        printf("%-7s  %s  %" PRIu64
               " x  damaged-block  a block of the store does not match "
               "its checksum\n",
               severities[WEFT_ERROR], path, damaged);
}

static void put_row(struct weft_table *table, const char *path,
                    const struct weft_problem *problem)
{
    struct weft_cell cells[] = {
        weft_text_cell(severities[problem->severity]),
        weft_text_cell(path),
        weft_integer_cell((int64_t)problem->line),
        weft_integer_cell((int64_t)problem->count),
        weft_text_cell(problem->kind),
        weft_text_cell(problem->message),
    };
    table->row(table, cells);
}

static void list_json(const char *path, const struct weft_schema *schema, uint64_t damaged)
{
    static const char *const names[] = { "severity", "file", "line",
                                         "count",    "kind", "message" };
    struct weft_table *table = weft_table_json(stdout);
    table->begin(table, names, sizeof names / sizeof *names);
    for (uint32_t i = 0; i < schema->n_problems; i++)
        put_row(table, path, &schema->problems[i]);
    if (damaged)
        put_row(table, path,
                &(struct weft_problem){ WEFT_ERROR, "damaged-block",
                                        "a block of the store does not match its checksum",
                                        0, damaged });
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
    uint64_t damaged = trace ? weft_trace_verify(trace, job) : 0;
    bool ok = trace && weft_job_step(job, 1, 1, &err);
    ok = ask_intact(trace, ok, &err);
    weft_progress_end(job);
    int status = 0;
    if (ok) {
        const struct weft_schema *schema = weft_trace_schema(trace);
        if (weft_option_given(arguments, "json"))
            list_json(path, schema, damaged);
        else
            list_text(path, schema, damaged);
        status = schema->n_problems || damaged ? 1 : 0;
        if (fflush(stdout) != 0)
            ok = weft_fail_errno(&err, WEFT_ERR_WRITE, "cannot write the list");
    }
    weft_trace_close(trace);
    return ok ? status : weft_report(&err);
}

static const struct weft_option options[] = {
    { "json", 0, NULL, false, "print an array of objects" },
    READING_OPTIONS,
};

const struct weft_command weft_command_check = {
    .name = "check",
    .arguments = "TRACE",
    .summary = "list what is wrong with a trace",
    .description =
        "Prints one line for each problem: severity, place, how often, kind, and a sentence.\n"
        "Nothing is repaired silently. Of each kind the first hundred are listed with their\n"
        "place, the rest is counted. Blocks of a .weft are compared with their checksums.\n"
        "The exit status is 1 when anything was listed.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
