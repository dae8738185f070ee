/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/open_traces.h"

/* Takes the view's settings; --by and --where win over settings of their names. */
static bool parse_settings(const struct weft_view *view,
                           const struct weft_arguments *arguments, const char *by,
                           const char *where, const char **settings, struct weft_err *err)
{
    const char **given = weft_option_values(arguments, "set");
    for (size_t i = 0; given && given[i]; i++)
        if (!ask_is_reading(given[i]) && !weft_setting_parse(view, given[i], settings, err))
            return false;
    return (!by || weft_setting_parse(view, by, settings, err))
           && (!where || weft_setting_parse(view, where, settings, err));
}

static bool print(struct ask *ask, const struct weft_arguments *arguments,
                  struct weft_err *err)
{
    const struct weft_view *view = weft_view_find("state-summary");
    const char *format = weft_option_value(arguments, "format");
    const char *by = weft_option_value(arguments, "by");
    const char *where = weft_option_value(arguments, "where");
    const char **settings = weft_zalloc(view->n_parameters, sizeof *settings);
    char *setting = by ? weft_asprintf("by=%s", by) : NULL;
    char *selection = where ? weft_asprintf("where=%s", where) : NULL;
    struct weft_table *table = ask_table(arguments, view, format ? format : "text", stdout);
    bool ok = table != NULL;
    if (!ok)
        weft_fail(err, WEFT_ERR_USAGE, "bad format '%s' (right: text, csv, json)", format);
    ok = ok && parse_settings(view, arguments, setting, selection, settings, err);
    ask->request.settings = settings;
    ok = ok && weft_view_table(view, &ask->request, table, err);
    weft_table_free(table);
    ok = ok && weft_flush_output(err);
    if (ok)
        ask_say_remark(view, &ask->request);
    free(setting);
    free(selection);
    free(settings);
    return ok;
}

static int run(const struct weft_arguments *arguments)
{
    struct ask ask;
    struct weft_err err = { 0 };
    if (!ask_begin(&ask, arguments, arguments->positional[0], &err))
        return weft_report(&err);
    weft_progress_hurry(true, NULL);
    bool ok = print(&ask, arguments, &err)
              && ask_all_whole(&ask, (const char *const *)arguments->positional, &err);
    ok = ask_intact(ask.trace, ok, &err);
    ok =
        ok && ask_tell_all_problems(&ask, (const char *const *)arguments->positional, &err);
    ask_end(&ask);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    ASK_OPTIONS,
    { "by", 0, "WHAT", false,
      "a row for each value, container, type, or each value on a container (value)" },
    { "where", 0, "SELECTION", false,
      "only the states that it means: \"blocked and row in worker*\"" },
    { "format", 0, "FORMAT", false, "text, csv or json" },
    ASK_ALL_COLUMNS,
};

const struct weft_command weft_command_stats = {
    .name = "stats",
    .arguments = "TRACE",
    .summary = "say where the time went",
    .description =
        "The table of the view state-summary. In the range, count is of the states that "
        "overlap it; total and self time are what lies inside it (self: without the states "
        "inside a state); mean, quantiles and maximum are of whole durations, the quantiles "
        "within 1 %. The share is of the time that the containers lived. With --where "
        "(doc/selections.md has the words) only the states count that it means, and "
        "containers that may have some; weft render instances --set where=... lists these.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
