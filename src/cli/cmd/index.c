/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask.h"
#include "read/cache.h"
#include "read/reader.h"

/* Would the index of such a trace be kept?  One that is gone was there when it was read. */
static bool is_kept(const char *path, const struct weft_read_options *options)
{
    if (strcmp(path, "-") == 0)
        return false;
    char *entry = weft_cache_entry(path, options);
    free(entry);
    return entry || access(path, F_OK) != 0;
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err))
        return weft_report(&err);
    char *path = NULL;
    struct weft_job *job = weft_progress_begin("indexing");
    struct weft_trace *trace =
        ask_trace(arguments->positional[0], &options, job, &path, &err);
    weft_progress_end(job);
    int status = 0;
    if (!trace)
        status = weft_report(&err);
    else if (path) {
        puts(path);
        ask_tell_problems(trace, arguments->positional[0]);
    } else if (is_kept(arguments->positional[0], &options)) {
        weft_fail_at(&err, WEFT_ERR_READ, arguments->positional[0], 0,
                     "the trace changed while it was read, so its index is not kept");
        status = weft_report(&err);
    } else {
        weft_fail_at(&err, WEFT_ERR_WRITE, arguments->positional[0], 0,
                     "there is no cache to keep its index in (set WEFT_CACHE, or use weft "
                     "convert -o FILE.weft)");
        status = weft_report(&err);
    }
    weft_trace_close(trace);
    free(path);
    return status;
}

static const struct weft_option options[] = {
    READING_OPTIONS,
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
