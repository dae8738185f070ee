/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/open_traces.h"
#include "read/reader.h"
#include "read/roles/user_maps.h"

const struct weft_command weft_command_map;

/*
 * Finds where the map for traces of this kind is kept.  If none is kept, *PATH is NULL and
 * a line on standard error says so, but nothing on standard output, which scripts read.
 */
static bool kept_map(const struct weft_schema *schema, char **path, struct weft_err *err)
{
    *path = weft_maps_path(schema, err);
    if (!*path)
        return false;
    if (access(*path, F_OK) != 0) {
        fprintf(stderr, "weft: no map is kept for such traces (%s)\n", *path);
        free(*path);
        *path = NULL;
    }
    return true;
}

static bool show(const struct weft_schema *schema, struct weft_err *err)
{
    char *path;
    if (!kept_map(schema, &path, err))
        return false;
    if (path)
        puts(path);
    free(path);
    return true;
}

static bool forget(const struct weft_schema *schema, struct weft_err *err)
{
    char *path;
    if (!kept_map(schema, &path, err))
        return false;
    bool ok = !path || unlink(path) == 0
              || weft_fail_errno(err, WEFT_ERR_WRITE, "cannot remove \"%s\"", path);
    free(path);
    return ok;
}

static bool act(const struct weft_arguments *arguments, const struct weft_trace *trace,
                struct weft_err *err)
{
    if (weft_option_given(arguments, "forget"))
        return forget(weft_trace_schema(trace), err);
    if (arguments->n_positional == 1)
        return show(weft_trace_schema(trace), err);
    if (!weft_maps_keep(trace, arguments->positional[1], err))
        return false;
    ask_say_unused_rules(arguments->positional[1], weft_trace_schema(trace));
    return show(weft_trace_schema(trace), err);
}

/* Lists every role with its sentence, by the subject that may have it. */
static int list_roles(void)
{
    for (int subject = 0; subject < WEFT_ROLE_SUBJECTS; subject++)
        for (int i = 1; i < WEFT_ROLE_LIMIT; i++) {
            enum weft_role role = (enum weft_role)i, parent = weft_role_parent(role);
            if (weft_role_subject(role) != (enum weft_role_subject)subject)
                continue;
            printf("%-9s  %-23s  %s%s%s%s\n", weft_role_subject_name(subject),
                   weft_role_name(role), weft_role_explanation(role),
                   parent ? " (a kind of " : "", weft_role_name(parent), parent ? ")" : "");
        }
    return 0;
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (weft_option_given(arguments, "list"))
        return arguments->n_positional
                   ? weft_usage(&weft_command_map, "--list takes no TRACE")
                   : list_roles();
    if (!arguments->n_positional)
        return weft_usage(&weft_command_map, "arguments are missing");
    if (weft_option_given(arguments, "forget") && arguments->n_positional > 1)
        return weft_usage(&weft_command_map, "--forget takes no FILE");
    if (!ask_reading(arguments, false, &options, &err))
        return weft_report(&err);
    /* Ignore the kept map: it may be damaged, and is about to change. */
    options.map = "";
    struct weft_job *job = weft_progress_begin("reading");
    struct weft_trace *trace =
        weft_open(arguments->positional[0], &options, job, NULL, &err);
    weft_progress_end(job);
    bool ok = trace && act(arguments, trace, &err);
    ok = ok && weft_flush_output(&err);
    weft_trace_close(trace);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    { "forget", 0, NULL, false, "remove the map that is kept for such traces" },
    { "list", 0, NULL, false, "print all roles, with a sentence on each" },
    { .expand = ask_list_reading },
};

const struct weft_command weft_command_map = {
    .name = "map",
    .arguments = "[TRACE [FILE]]",
    .summary = "keep rules that say what the names in such traces mean",
    .description =
        "Views ask what types and values mean, not what they are called. Weft knows the words\n"
        "of many tools; for others, write rules: weft info TRACE --roles prints those that are\n"
        "known and what is missing, and --map FILE uses a file of rules once. weft map TRACE\n"
        "FILE keeps it for all traces of the same format and tool, in\n"
        "$XDG_CONFIG_HOME/weft/maps, else ~/.config/weft/maps; without FILE it prints which\n"
        "one is kept. --map '' leaves a kept one out. A rule is a line: a subject (container,\n"
        "state, value, event, variable, link, field), a name (TYPE/VALUE; * and ? stand for\n"
        "others; in quotes when it has blanks), and a role of those that --list prints:\n"
        "\n"
        "    value  MPI_STATE/PMPI_Recv  blocked-on-message",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 0,
    .max_positional = 2,
    .run = run,
};
