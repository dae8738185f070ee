/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/displays_option.h"
#include "cli/open_traces.h"

static void print_view(const struct weft_view *view)
{
    printf("%-16s %s. %s\n", view->name, view->group, view->explanation);
    if (view->moment == WEFT_MOMENT_MARKED)
        puts("    --at T  mark this moment");
    else if (view->moment == WEFT_MOMENT_SHOWN)
        puts("    --at T  show this moment instead of the whole run");
    for (size_t i = 0; i < view->n_parameters; i++) {
        const struct weft_parameter *p = &view->parameters[i];
        bool number = p->kind == WEFT_PARAMETER_NUMBER || p->kind == WEFT_PARAMETER_SCROLL
                      || p->kind == WEFT_PARAMETER_ZOOM || p->kind == WEFT_PARAMETER_TALL
                      || p->kind == WEFT_PARAMETER_PLACE_X
                      || p->kind == WEFT_PARAMETER_PLACE_Y;
        char file[64];
        snprintf(file, sizeof file, "%s%s%sFILE", p->choices ? p->choices : "",
                 p->choices ? "|" : "", p->file ? "user|" : "");
        bool choice = p->kind == WEFT_PARAMETER_CHOICE || p->kind == WEFT_PARAMETER_WHEEL;
        const char *kind = choice                           ? p->choices
                           : p->kind == WEFT_PARAMETER_FLAG ? "on|off"
                           : p->kind == WEFT_PARAMETER_FILE ? file
                           : number                         ? "NUMBER"
                                                            : "TEXT";
        printf("    --set %s=%s  %s (%s)\n", p->name, kind, p->help,
               p->fallback[0] ? p->fallback : "unset");
    }
}

/* Lists the views that the trace at PATH fills, and what the others would need. */
static bool list_filled(const struct weft_arguments *arguments,
                        const struct weft_views *views, struct weft_err *err)
{
    struct ask ask;
    const struct weft_view *view;
    if (!ask_open(&ask, arguments, arguments->positional[0], err))
        return false;
    for (size_t i = 0; (view = weft_views_at(views, i)); i++) {
        if (view->fills(&ask.set))
            printf("%-16s %s\n", view->name, view->explanation);
        else
            printf("%-16s (cannot be filled: needs %s)\n", view->name, view->needs);
    }
    const char *const *paths = (const char *const *)arguments->positional;
    bool ok = ask_tell_all_problems(&ask, paths, err) && ask_all_whole(&ask, paths, err);
    ask_end(&ask);
    return ok;
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_read_options options; /* views have no settings here: refused */
    struct weft_own_displays displays = { 0 };
    const struct weft_view *view;
    bool ok = ask_reading(arguments, false, &options, &err)
              && load_displays(arguments, true, &displays, &err);
    if (ok && arguments->n_positional)
        ok = list_filled(arguments, &displays.views, &err);
    else
        for (size_t i = 0; ok && (view = weft_views_at(&displays.views, i)); i++)
            print_view(view);
    weft_own_displays_free(&displays);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    { .expand = ask_list_reading },
    DISPLAYS_OPTION,
};

const struct weft_command weft_command_views = {
    .name = "views",
    .arguments = "[TRACE]",
    .summary = "list the views, and which of them a trace fills",
    .description =
        "Without a trace, lists all views with their settings. With one, says which "
        "of them it can fill and what the others would need.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 0,
    .max_positional = 1,
    .run = run,
};
