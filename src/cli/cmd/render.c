/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/displays_option.h"
#include "cli/open_traces.h"
#include "cli/picture_options.h"
#include "cli/unknown_view.h"
#include "draw/draw.h"
#include "view/damage.h"
#include "view/prepare.h"

struct render {
    const struct weft_arguments *arguments;
    struct ask ask;
    const char *format;
    const char *output; /* a path, or NULL */
    struct weft_own_displays displays;
    struct weft_shelf *shelf; /* a cache that several views share */
    struct picture_options options;
};

/* Returns the ending of a file name, without its dot; "" if it has none. */
static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

static bool is_table(const char *format)
{
    return strcmp(format, "csv") == 0 || strcmp(format, "json") == 0
           || strcmp(format, "text") == 0;
}

/* Fails if a moment (--at) is asked for that the view cannot show. */
static bool has_moment(struct render *render, const struct weft_view *view,
                       struct weft_err *err)
{
    const char *at = weft_option_value(render->arguments, "at");
    return !at || view->moment != WEFT_MOMENT_NONE
           || weft_fail(err, WEFT_ERR_USAGE,
                        "%s has no moment, so --at %s says nothing (it is about %s)",
                        view->name, at,
                        view->of_run ? "the whole run" : "a range of time: --range T0:T1");
}

/* Fails if a range is asked for, but the view shows only the whole run. */
static bool has_ranges(struct render *render, const struct weft_view *view,
                       struct weft_err *err)
{
    const char *range = weft_option_value(render->arguments, "range");
    return !range || !view->of_run
           || weft_fail(err, WEFT_ERR_USAGE,
                        "%s is of the whole run, so --range %s says nothing", view->name,
                        range);
}

/* Fails if a container (--under) is asked for, but the view shows only the whole trace. */
static bool has_parts(struct render *render, const struct weft_view *view,
                      struct weft_err *err)
{
    const char *under = weft_option_value(render->arguments, "under");
    return !under || !view->of_all
           || weft_fail(err, WEFT_ERR_USAGE,
                        "%s is of the whole trace, so --under %s says nothing", view->name,
                        under);
}

static bool draw(struct render *render, const struct weft_view *view, FILE *stream,
                 struct weft_err *err)
{
    struct weft_request of_view = render->ask.request, *request = &of_view;
    request->shelf = render->shelf;
    if (view->moment == WEFT_MOMENT_NONE)
        request->has_at = false; /* with `all`, such a view ignores the moment */
    if (is_table(render->format)) {
        struct weft_table *table =
            ask_table(render->arguments, view, render->format, stream);
        bool ok = weft_view_table(view, request, table, err);
        weft_table_free(table);
        if (ok)
            ask_say_remark(view, request);
        return ok;
    }
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    const struct weft_backend *backend = weft_backend_find(render->format);
    bool ok = weft_view_draw(view, request, &arena, &scene, err)
              && backend->draw(&scene, stream, request->job, err);
    weft_arena_free(&arena);
    return ok;
}

/* Fails if the output would replace a file that is read. */
static bool keeps_inputs(const struct render *render, const char *output,
                         struct weft_err *err)
{
    for (size_t i = 1; i < render->arguments->n_positional; i++)
        if (!ask_keeps_trace(render->arguments->positional[i], output, err))
            return false;
    return picture_keeps_files(&render->options, output, err);
}

static bool draw_to(struct render *render, const struct weft_view *view, const char *path,
                    struct weft_err *err)
{
    struct weft_output out;
    if (!keeps_inputs(render, path, err) || !weft_output_open(&out, path, err))
        return false;
    ask_writes(&out);
    bool ok = draw(render, view, out.stream, err);
    ok = ask_written(&out, ok, err);
    /* Commit nothing if a signal came after the view's last look at the job. */
    ok = ok && weft_job_step(render->ask.job, 0, 0, err);
    if (ask_all_intact(&render->ask, ok, err))
        return weft_output_commit(&out, err);
    weft_output_abandon(&out);
    return false;
}

/* The error for a trace without anything to show: a valid trace and question, no answer. */
static bool fail_to_fill(const struct render *render, const struct weft_view *view,
                         struct weft_err *err)
{
    const struct weft_schema *schema = render->ask.sources[0]->schema;
    bool alone = view->compares && render->ask.set.n_sources == 1;
    const char *lost = weft_damage_hint(&render->ask.set);
    if (schema->n_states || schema->n_events || schema->n_samples || schema->n_links)
        return weft_fail(err, alone ? WEFT_ERR_USAGE : WEFT_ERR_FORMAT,
                         "this trace cannot fill %s (it needs %s)%s", view->name,
                         view->needs, lost);
    return weft_fail(err, WEFT_ERR_FORMAT,
                     "there is nothing to show: the trace holds no state, event, sample or "
                     "link%s",
                     lost);
}

/* Returns how many traces a view uses at most; it would silently ignore further ones. */
static size_t most_traces(const struct weft_view *view)
{
    return view->many ? SIZE_MAX : view->compares ? 2 : 1;
}

static bool is_of_all(const struct render *render, const struct weft_view *view)
{
    return render->ask.set.n_sources <= most_traces(view) && view->fills(&render->ask.set);
}

static bool render_one(struct render *render, const char *name, struct weft_err *err)
{
    const struct weft_view *view =
        weft_view_for(weft_views_find(&render->displays.views, name), &render->ask.set);
    if (render->ask.set.n_sources > most_traces(view))
        return weft_fail(err, WEFT_ERR_USAGE, "%s is of %s", view->name,
                         view->compares ? "two traces" : "one trace");
    if (!view->fills(&render->ask.set))
        return fail_to_fill(render, view, err);
    if (!has_moment(render, view, err) || !has_ranges(render, view, err)
        || !has_parts(render, view, err))
        return false;
    const char **settings = weft_zalloc(view->n_parameters + 1, sizeof *settings);
    render->ask.request.settings = settings;
    bool ok = picture_settings(&render->options, view, true, settings, err)
              && draw_to(render, view, render->output ? render->output : "-", err);
    free(settings);
    return ok;
}

/* Fails if no view of `all` takes the setting, which would be dropped silently. */
static bool is_accepted(struct render *render, const char *setting, struct weft_err *err)
{
    bool is_known = false;
    const struct weft_view *view;
    for (size_t i = 0; (view = weft_views_at(&render->displays.views, i)); i++) {
        struct weft_err why = { 0 };
        if (!is_of_all(render, view) || !weft_setting_parameter(view, setting))
            continue;
        const char **settings = weft_zalloc(view->n_parameters + 1, sizeof *settings);
        const char *text = picture_setting(&render->options, view, setting, &why);
        bool taken = text && weft_setting_parse(view, text, settings, &why);
        free(settings);
        if (taken)
            return true;
        if (!is_known)
            *err = why;
        is_known = true;
    }
    return !is_known
           && weft_fail(err, WEFT_ERR_USAGE, "no view of this trace has a setting '%.*s'",
                        (int)strcspn(setting, "="), setting);
}

static bool are_accepted(struct render *render, struct weft_err *err)
{
    const char **given = weft_option_values(render->arguments, "set");
    for (size_t i = 0; given && given[i]; i++)
        if (!ask_is_reading(given[i]) && !is_accepted(render, given[i], err))
            return false;
    return true;
}

/*
 * Files written before an error stay; reports what the traces lack, which they lack, too.
 */
static void say_what_lacks(const struct render *render)
{
    const char *const *paths = (const char *const *)&render->arguments->positional[1];
    struct weft_err lost = { 0 };
    if (!ask_all_whole(&render->ask, paths, &lost)
        || !ask_tell_all_problems(&render->ask, paths, &lost))
        weft_report(&lost);
}

/* Returns PREFIX.VIEW.FORMAT, or in a folder VIEW.FORMAT, since a leading "." would hide
   the file. */
static char *path_of_all(const struct render *render, const struct weft_view *view)
{
    struct stat st;
    bool folder = stat(render->output, &st) == 0 && S_ISDIR(st.st_mode);
    return weft_asprintf("%s%s%s.%s", render->output, folder ? "/" : ".", view->name,
                         render->format);
}

/* Writes every view that the traces fill into a file of its own. */
static bool render_all(struct render *render, struct weft_err *err)
{
    bool any = false, written = false;
    if (!are_accepted(render, err))
        return false;
    const struct weft_view *view;
    for (size_t i = 0; (view = weft_views_at(&render->displays.views, i)); i++) {
        if (!is_of_all(render, view))
            continue;
        any = true;
        const char **settings = weft_zalloc(view->n_parameters + 1, sizeof *settings);
        render->ask.request.settings = settings;
        char *path = path_of_all(render, view);
        bool ok = picture_settings(&render->options, view, false, settings, err)
                  && draw_to(render, view, path, err);
        free(path);
        free(settings);
        if (!ok && written)
            say_what_lacks(render);
        if (!ok)
            return false;
        written = true;
    }
    if (!any && render->ask.set.n_sources > 1)
        return weft_fail(err, WEFT_ERR_USAGE, "no view is of these %zu traces together",
                         render->ask.set.n_sources);
    return any || fail_to_fill(render, weft_view_at(0), err);
}

static bool choose_format(struct render *render, bool all, struct weft_err *err)
{
    const char *format = weft_option_value(render->arguments, "format");
    render->output = weft_option_value(render->arguments, "output");
    if (!format)
        format = render->output && !all ? ending_of(render->output) : all ? "png" : "svg";
    render->format = format;
    if (all && (!render->output || strcmp(render->output, "-") == 0))
        return weft_fail(err, WEFT_ERR_USAGE, "render all needs -o PREFIX");
    if (is_table(format))
        return true;
    const struct weft_backend *backend = weft_backend_find(format);
    if (!backend)
        return weft_fail(
            err, WEFT_ERR_USAGE,
            "bad format '%s' (right: png, svg, pdf, eps, scene, csv, json, text)", format);
    if (!render->output && !backend->is_text)
        return weft_fail(err, WEFT_ERR_USAGE, "%s needs a file (-o FILE.%s)", format,
                         format);
    return render->output || !isatty(STDOUT_FILENO)
           || weft_fail(
               err, WEFT_ERR_USAGE,
               "a terminal cannot show %s (right: -o FILE.png, or --format text for "
               "the numbers; -o - prints it all the same)",
               format);
}

static int report_unknown_view(const struct weft_command *command,
                               const struct weft_views *views, const char *name)
{
    char *text = unknown_view(views, name);
    int status = weft_usage(command, "%s", text);
    free(text);
    return status;
}

static int run(const struct weft_arguments *arguments)
{
    struct render render = { .arguments = arguments, .options.arguments = arguments };
    struct weft_err err = { 0 };
    const char *name = arguments->positional[0];
    bool all = strcmp(name, "all") == 0;
    bool built_in = !all && weft_view_find(name);
    if (!load_displays(arguments, !built_in, &render.displays, &err)) {
        weft_own_displays_free(&render.displays);
        return weft_report(&err);
    }
    if (!all && !weft_views_find(&render.displays.views, name)) {
        int status = report_unknown_view(arguments->command, &render.displays.views, name);
        weft_own_displays_free(&render.displays);
        return status;
    }
    if (!choose_format(&render, all, &err)
        || !ask_begin(&render.ask, arguments, arguments->positional[1], &err)) {
        weft_own_displays_free(&render.displays);
        return weft_report(&err);
    }
    const char *at = weft_option_value(arguments, "at");
    bool ok = picture_looks(arguments, &render.ask.request, &err)
              && (!at || ask_moment(&render.ask, at, &err));
    for (size_t i = 2; ok && i < arguments->n_positional; i++)
        ok = ask_add(&render.ask, arguments, arguments->positional[i], &err);
    render.shelf = weft_shelf_new();
    if (ok)
        ok = (all ? render_all(&render, &err) : render_one(&render, name, &err))
             && ask_all_whole(&render.ask, (const char *const *)&arguments->positional[1],
                              &err);
    /* Report once, after the output, the problems of the traces, which a view does not
       show. */
    ok = ok
         && ask_tell_all_problems(&render.ask,
                                  (const char *const *)&arguments->positional[1], &err);
    if (!ok)
        picture_name_file(&render.options, &err);
    ask_leave(&render.ask);
    weft_shelf_free(render.shelf);
    weft_own_displays_free(&render.displays);
    weft_arena_free(&render.options.texts);
    ask_end(&render.ask);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    ASK_OPTIONS,
    { "at", 0, "T", false,
      "the moment: timelines mark it, their tables have what is there then; the other views "
      "that weft views lists with --at show it" },
    { "output", 'o', "FILE", false, "where to write; its ending chooses the format" },
    { "format", 0, "FORMAT", false, "png, svg, pdf, eps, csv, json, text or scene" },
    ASK_ALL_COLUMNS,
    PICTURE_OPTIONS,
    DISPLAYS_OPTION,
};

const struct weft_command weft_command_render = {
    .name = "render",
    .arguments = "VIEW TRACE [OTHER...]",
    .summary = "draw a view, or print its table",
    .description =
        "Draws a view as a picture (png, svg, pdf, eps) or prints the numbers behind "
        "it (csv, json, text). Without -o the text formats go to standard output, pictures "
        "not to a terminal. "
        "OTHER is a second trace, for the views that compare; some take any number of them. VIEW may be 'all': then every "
        "view that the trace fills, or the traces together, is written to PREFIX.VIEW.FORMAT, with -o PREFIX, "
        "or PREFIX/VIEW.FORMAT when PREFIX is a folder. With "
        "--at T trees are those of that moment, and timelines have a line there; summaries, "
        "such as state-summary and lock-summary, are about a range of time and have no moment: "
        "alone they refuse --at, among all they are drawn as without.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 2,
    .max_positional = SIZE_MAX,
    .run = run,
};
