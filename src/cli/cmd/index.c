/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/open_traces.h"
#include "read/cache.h"
#include "read/reader.h"

/* Returns where the index of the trace as it is now would be kept; NULL if nowhere, or if
   the trace is gone. */
static char *entry_of(const char *path, const struct weft_read_options *options)
{
    return strcmp(path, "-") == 0 ? NULL : weft_cache_entry(path, options);
}

/* BEFORE and AFTER: where the index would have been kept when reading began, and now. */
static bool fail_to_keep(const char *path, const char *before, const char *after,
                         struct weft_err *err)
{
    if (!before)
        return weft_fail_at(
            err, WEFT_ERR_WRITE, path, 0,
            "there is no cache to keep its index in (set WEFT_CACHE, or use "
            "weft convert -o FILE.weft)");
    if (!after || strcmp(before, after) != 0)
        return weft_fail_at(
            err, WEFT_ERR_READ, path, 0,
            "the trace changed while it was read, so its index is not kept");
    return weft_fail_at(err, WEFT_ERR_WRITE, path, 0,
                        "its index could not be written as %s: is there room?", before);
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err))
        return weft_report(&err);
    const char *given = arguments->positional[0];
    char *path = NULL, *before = entry_of(given, &options);
    struct weft_job *job = weft_progress_begin("indexing");
    struct weft_trace *trace = ask_trace(given, &options, job, &path, &err);
    weft_progress_end(job);
    int status = 0;
    if (!trace)
        status = weft_report(&err);
    else if (path) {
        puts(path);
        ask_tell_problems(trace, given);
    } else {
        char *after = entry_of(given, &options);
        (void)!fail_to_keep(given, before, after, &err);
        status = weft_report(&err);
        free(after);
    }
    free(before);
    weft_trace_close(trace);
    free(path);
    return status;
}

static const struct weft_option options[] = {
    { .expand = ask_list_reading },
};

const struct weft_command weft_command_index = {
    .name = "index",
    .arguments = "TRACE",
    .summary = "build the index of a trace now",
    .description =
        "Reads a trace and keeps its index in the cache, where every other command finds it;\n"
        "prints the path of the index. The cache is $WEFT_CACHE, else $XDG_CACHE_HOME/weft,\n"
        "else ~/.cache/weft; it holds at most 20 GB, the oldest indexes are dropped. An index\n"
        "is built again when the trace has changed. Maps are not in it: they are laid over it when\n"
        "the trace is opened.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
