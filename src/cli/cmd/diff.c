/* SPDX-License-Identifier: Apache-2.0 */
/* weft diff: what changed between two runs of one program, as the table of a view. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/open_traces.h"
#include "store/time.h"
#include "view/damage.h"

/* Forwards to a printed table, and notes whether a row lists a difference. */
struct difference_table {
    struct weft_table table;
    struct weft_table *printed;
    size_t n_columns;
    bool differs;
};

static void look_begin(struct weft_table *table, const char *const *names, size_t n)
{
    struct difference_table *differences = (struct difference_table *)table;
    differences->n_columns = n;
    differences->printed->begin(differences->printed, names, n);
}

static bool look_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct difference_table *differences = (struct difference_table *)table;
    for (size_t i = 0; i < differences->n_columns; i++)
        differences->differs |= cells[i].differs;
    return differences->printed->row(differences->printed, cells);
}

static void look_end(struct weft_table *table)
{
    struct difference_table *differences = (struct difference_table *)table;
    differences->printed->end(differences->printed);
}

/* Returns true if VIEW could compare one of the traces of SET with a run like itself. */
static bool suits_one(const struct weft_view *view, const struct weft_set *set)
{
    for (size_t i = 0; i < set->n_sources; i++) {
        const struct weft_source *const twice[] = { set->sources[i], set->sources[i] };
        if (view->fills(&(struct weft_set){ twice, 2 }))
            return true;
    }
    return false;
}

/*
 * Returns the view whose table tells differences: the last that suits one of the traces,
 * since domains, which know more, follow the core; else the first.  A run with tasks is
 * compared with another run with tasks only.
 */
static const struct weft_view *find_view(const struct weft_set *set)
{
    const struct weft_view *first = NULL, *last = NULL;
    for (size_t i = 0; i < weft_view_count(); i++) {
        const struct weft_view *view = weft_view_at(i);
        if (view->diffs && suits_one(view, set))
            last = view;
        if (view->diffs && !first)
            first = view;
    }
    return last ? last : first;
}

/*
 * Returns the first view that compares by BY; NULL with WEFT_ERR_USAGE, which names what is
 * right, if there is none.
 */
static const struct weft_view *find_view_by(const char *by, struct weft_arena *arena,
                                            struct weft_err *err)
{
    const char *right = "";
    for (size_t i = 0; i < weft_view_count(); i++) {
        const struct weft_view *view = weft_view_at(i);
        if (!view->diffs_by)
            continue;
        if (weft_setting_is_choice(view->diffs_by, by))
            return view;
        right =
            weft_arena_printf(arena, "%s%s%s", right, right[0] ? "|" : "", view->diffs_by);
    }
    (void)weft_fail(err, WEFT_ERR_USAGE, "bad --by '%s' (right: %s)", by, right);
    return NULL;
}

static bool print(struct ask *ask, const struct weft_arguments *arguments,
                  const struct weft_view *view, const char *format, bool *differs,
                  struct weft_err *err)
{
    struct difference_table differences = {
        .table = { .begin = look_begin, .row = look_row, .end = look_end },
        .printed = ask_table(arguments, view, format, stdout),
    };
    bool ok = weft_view_table(view, &ask->request, &differences.table, err);
    weft_table_free(differences.printed);
    *differs = differences.differs;
    if (ok)
        ask_say_remark(view, &ask->request);
    return ok;
}

/* Sets the view's setting NAME, if it has that, to VALUE, unless that is NULL. */
static bool set(const struct weft_arguments *arguments, const struct weft_view *view,
                const char *name, const char *value, const char **settings,
                struct weft_err *err)
{
    return !value || !weft_setting_parameter(view, name)
           || weft_setting_parse(view,
                                 weft_arena_printf(arguments->arena, "%s=%s", name, value),
                                 settings, err);
}

static bool parse_settings(const struct weft_arguments *arguments,
                           const struct weft_view *view, const char **settings,
                           struct weft_err *err)
{
    const char **given = weft_option_values(arguments, "set");
    for (size_t i = 0; given && given[i]; i++)
        if (!ask_is_reading(given[i]) && !weft_setting_parse(view, given[i], settings, err))
            return false;
    return set(arguments, view, "by", weft_option_value(arguments, "by"), settings, err)
           && set(arguments, view, "second", weft_option_value(arguments, "second"),
                  settings, err);
}

static bool parse_range(const struct weft_arguments *arguments,
                        const struct weft_view *view, struct weft_request *request,
                        struct weft_err *err)
{
    const char *range = weft_option_value(arguments, "range");
    if (view->of_run && (range || weft_option_value(arguments, "second")))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "task DAGs are compared as a whole: a range needs --by");
    return !range
           || weft_parse_range(request->set->sources[0]->schema, range, &request->window,
                               err);
}

static bool compare(struct ask *ask, const struct weft_arguments *arguments,
                    const char *format, bool *differs, struct weft_err *err)
{
    const char *by = weft_option_value(arguments, "by");
    if (!ask_open_also(ask, arguments, arguments->positional[1], err))
        return false;
    const struct weft_view *view =
        by ? find_view_by(by, arguments->arena, err) : find_view(&ask->set);
    if (!view)
        return by ? false : weft_fail(err, WEFT_ERR_USAGE, "this build compares no traces");
    const char **settings = weft_zalloc(view->n_parameters + 1, sizeof *settings);
    ask->request = (struct weft_request){ .set = &ask->set,
                                          .window = ask->sources[0]->schema->span,
                                          .job = ask->job,
                                          .settings = settings };
    bool ok = parse_settings(arguments, view, settings, err)
              && parse_range(arguments, view, &ask->request, err);
    if (ok && !view->fills(&ask->set))
        ok = weft_fail(err, WEFT_ERR_USAGE,
                       "these traces cannot be compared (it needs %s)%s", view->needs,
                       weft_damage_hint(&ask->set));
    weft_progress_hurry(ok, NULL);
    ok = ok && print(ask, arguments, view, format, differs, err);
    ok = ask_all_intact(ask, ok, err)
         && ask_all_whole(ask, (const char *const *)arguments->positional, err);
    free(settings);
    return ok;
}

static int run(const struct weft_arguments *arguments)
{
    const char *format = weft_option_value(arguments, "format");
    struct weft_table *known = format ? ask_table(arguments, NULL, format, stdout) : NULL;
    struct weft_err err = { 0 };
    struct ask ask;
    if (format && !known)
        return weft_usage(arguments->command, "bad format '%s' (right: csv, json, text)",
                          format);
    weft_table_free(known);
    if (!ask_open(&ask, arguments, arguments->positional[0], &err))
        return weft_report(&err);
    bool differs = false;
    bool ok =
        compare(&ask, arguments, format ? format : "text", &differs, &err)
        && ask_tell_all_problems(&ask, (const char *const *)arguments->positional, &err);
    ask_end(&ask);
    return ok ? differs : weft_report(&err);
}

static const struct weft_option options[] = {
    { "by", 0, "GROUPING", false,
      "what is one row: all, class, state, object, site, function, row, partner, waker; or "
      "cause, what was done while others waited" },
    { "range", 0, "T0:T1", false, "only this part of the first run (also T0+LENGTH)" },
    { "second", 0, "T0:T1", false, "only this part of the second run" },
    { .expand = ask_list_view_reading },
    { "format", 0, "FORMAT", false, "csv, json or text (the default)" },
    ASK_ALL_COLUMNS,
};

const struct weft_command weft_command_diff = {
    .name = "diff",
    .arguments = "TRACE OTHER",
    .summary = "what changed between two runs of a program",
    .description =
        "Prints where the time of all threads or ranks went in the first run and in the "
        "second, by state, object, place and function, the largest change first; --by site "
        "(or state, object, function, class, row, partner, waker) has one row for each of "
        "these. --by cause compares what threads did, and where, while others waited for "
        "it: how long these waited. As pictures these are weft render time-compare TRACE "
        "OTHER -o FILE and weft render causes-compare.\n\n"
        "The task DAGs of two runs are, without --by, aligned by their structure (the path and the order in "
        "which tasks were created, not the time): it prints what each section and task costs in the "
        "first run, in work, delay and no-work, and how much more or less in the second, the "
        "largest change first; and where the structures differ. --set most=N lists more or "
        "fewer of them, --set only=differing those whose structures differ. As a picture it "
        "is weft render dag-compare TRACE OTHER -o FILE; how many tasks each line created in "
        "each run is weft render dag-tasks. The exit status is 1 when a difference is listed, "
        "of times or of structure.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 2,
    .max_positional = 2,
    .run = run,
};
