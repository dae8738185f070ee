/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/open_traces.h"
#include "filter/filtered_source.h"
#include "read/reader.h"
#include "write/dump_and_paje.h"

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err))
        return weft_report(&err);
    struct weft_job *job = weft_progress_begin("reading");
    struct weft_trace *trace =
        ask_trace(arguments->positional[0], &options, job, NULL, &err);
    const struct weft_source *source = trace ? weft_trace_source(trace) : NULL;
    struct weft_source *filtered = NULL;
    if (trace)
        weft_progress_hurry(true, NULL);
    bool ok = trace && ask_filtered(arguments, source, &filtered, &err);
    source = filtered ? filtered : source;
    ok = ok && weft_write_dump(source, stdout, job, &err)
         && ask_whole(source, arguments->positional[0], &err);
    weft_progress_end(job);
    ok = ask_intact(trace, ok, &err) && weft_flush_output(&err);
    if (ok)
        ask_tell_problems(trace, arguments->positional[0]);
    weft_filtered_free(filtered);
    weft_trace_close(trace);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    ASK_FILTERS,
    { .expand = ask_list_reading },
};

const struct weft_command weft_command_dump = {
    .name = "dump",
    .arguments = "TRACE",
    .summary = "print every entity as text",
    .description =
        "Prints one line for each container, state, variable, event and link: the records\n"
        "and fields of pj_dump, in any order. Times are those of the trace's own clock, in\n"
        "seconds, with every digit of the input. Control characters of names are spaces. Links\n"
        "that have only one end are left out; weft check lists them.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
