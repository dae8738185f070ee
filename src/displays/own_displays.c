/* SPDX-License-Identifier: Apache-2.0 */
#include "displays/own_displays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "displays/process.h"
#include "displays/view_of_display.h"

enum { MOST_DISPLAYS = 64, MOST_SETTINGS = 64 }; /* of a file, of a display */

/* The loading of a file. */
struct loading {
    struct weft_own_displays *displays;
    struct message_reader *reader;
    const char *path;
};

static bool wrong(const struct loading *loading, const char *what, const char *name,
                  struct weft_err *err)
{
    return weft_fail_at(err, WEFT_ERR_FORMAT, loading->path, 0, "%s '%s'", what, name);
}

static const char *copy(const struct loading *loading)
{
    return weft_arena_strdup(&loading->displays->arena, message_text(loading->reader));
}

/* Returns true if TEXT has 1 to 32 characters, all lower case letters, digits or EXTRA. */
static bool is_name(const char *text, char extra)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (!(text[n] >= 'a' && text[n] <= 'z') && !(text[n] >= '0' && text[n] <= '9')
            && text[n] != extra)
            return false;
    return n >= 1 && n <= 32 && text[0] >= 'a';
}

static bool read_setting(const struct loading *loading, struct weft_parameter *parameter,
                         struct weft_err *err)
{
    parameter->name = copy(loading);
    const char *choices = copy(loading);
    parameter->minimum = message_real(loading->reader);
    parameter->maximum = message_real(loading->reader);
    parameter->fallback = copy(loading);
    parameter->help = copy(loading);
    bool number = parameter->minimum != 0 || parameter->maximum != 0;
    parameter->kind = *choices ? WEFT_PARAMETER_CHOICE
                      : number ? WEFT_PARAMETER_NUMBER
                               : WEFT_PARAMETER_TEXT;
    parameter->choices = *choices ? choices : NULL;
    if (!is_name(parameter->name, '_'))
        return wrong(loading, "a setting needs a name of lower case letters, not",
                     parameter->name, err);
    if (!(parameter->minimum <= parameter->maximum) || !isfinite(parameter->minimum)
        || !isfinite(parameter->maximum))
        return wrong(loading, "there is no number for the setting", parameter->name, err);
    return true;
}

/* Checks that the fallback of each setting is a value of it. */
static bool check_fallbacks(const struct loading *loading, const struct weft_view *view,
                            struct weft_err *err)
{
    const char *unused[MOST_SETTINGS];
    for (size_t i = 0; i < view->n_parameters; i++) {
        const struct weft_parameter *p = &view->parameters[i];
        struct weft_err why;
        const char *text =
            weft_arena_printf(&loading->displays->arena, "%s=%s", p->name, p->fallback);
        if (!weft_setting_parse(view, text, unused, &why))
            return wrong(loading, "the value at first is none of the setting", p->name,
                         err);
    }
    return true;
}

static bool read_settings(const struct loading *loading, struct weft_view *view,
                          struct weft_err *err)
{
    uint32_t n = message_u32(loading->reader);
    if (n > MOST_SETTINGS)
        return wrong(loading, "there are too many settings of", view->name, err);
    struct weft_parameter *parameters =
        weft_arena_zalloc(&loading->displays->arena, (size_t)n + 1, sizeof *parameters);
    view->parameters = parameters;
    view->n_parameters = n;
    for (uint32_t i = 0; i < n; i++)
        if (!read_setting(loading, &parameters[i], err))
            return false;
    return check_fallbacks(loading, view, err);
}

static bool read_keys(const struct loading *loading, struct weft_view *view,
                      struct weft_err *err)
{
    uint32_t n = message_u32(loading->reader);
    if (n > MOST_SETTINGS)
        return wrong(loading, "there are too many keys of", view->name, err);
    struct weft_view_key *keys =
        weft_arena_zalloc(&loading->displays->arena, (size_t)n + 1, sizeof *keys);
    for (uint32_t i = 0; i < n; i++) {
        keys[i].key[0] = (char)message_u32(loading->reader);
        keys[i].setting = copy(loading);
        keys[i].step = message_real(loading->reader);
        keys[i].help = copy(loading);
        if (keys[i].key[0] < '0' || keys[i].key[0] > '9')
            return wrong(loading, "a key is one of 0 to 9, not", keys[i].key, err);
        const struct weft_parameter *p = weft_setting_parameter(view, keys[i].setting);
        if (!p || p->kind == WEFT_PARAMETER_TEXT || !isfinite(keys[i].step))
            return wrong(loading, "there is no number or choice for a key's setting",
                         keys[i].setting, err);
    }
    view->keys = keys;
    view->n_keys = n;
    return true;
}

static bool read_columns(const struct loading *loading, struct weft_view *view,
                         struct weft_err *err)
{
    uint32_t n = message_u32(loading->reader);
    if (!n || n > WEFT_MAX_COLUMNS)
        return wrong(loading, "there are 1 to 64 columns, not as many as those of",
                     view->name, err);
    struct weft_column *columns =
        weft_arena_zalloc(&loading->displays->arena, n, sizeof *columns);
    for (uint32_t i = 0; i < n; i++)
        columns[i].name = copy(loading);
    view->columns = columns;
    view->n_columns = n;
    return true;
}

/* Reads the description of a display and adds its view. */
static bool read_display(const struct loading *loading, int index, struct weft_err *err)
{
    struct weft_own_displays *displays = loading->displays;
    struct weft_own_display *display =
        weft_arena_zalloc(&displays->arena, 1, sizeof *display);
    display->path = loading->path;
    display->index = index;
    struct weft_view *view = &display->view;
    *view = display_view;
    view->own = display;
    view->name = copy(loading);
    view->title = copy(loading);
    view->explanation = copy(loading);
    display->takes = message_u32(loading->reader);
    if (!is_name(view->name, '-'))
        return wrong(loading, "a display needs a name of lower case letters, not",
                     view->name, err);
    if (strcmp(view->name, "all") == 0 || weft_views_find(&displays->views, view->name))
        return wrong(loading, "there is a view already that is called", view->name, err);
    if (!read_settings(loading, view, err) || !read_keys(loading, view, err)
        || !read_columns(loading, view, err))
        return false;
    if (loading->reader->wrong)
        return wrong(loading, "it answers with nonsense about", view->name, err);
    displays->list = weft_grow(displays->list, &displays->capacity,
                               displays->views.n_own + 1, sizeof *displays->list);
    displays->list[displays->views.n_own++] = view;
    displays->views.own = displays->list;
    return true;
}

bool weft_own_displays_load(struct weft_own_displays *displays, const char *path,
                            struct weft_err *err)
{
    struct display_process process;
    struct message_reader reader;
    /* dlopen() looks for a name without "/" in the system's folders. */
    path = weft_arena_printf(&displays->arena, "%s%s", strchr(path, '/') ? "" : "./", path);
    const struct loading loading = { displays, &reader, path };
    size_t before = displays->views.n_own;
    if (!display_process_start(&process, path, -1, &reader, err))
        return false;
    uint32_t n = message_u32(&reader);
    bool ok = n <= MOST_DISPLAYS;
    if (!ok)
        weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "it has more than %d displays",
                     MOST_DISPLAYS);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = read_display(&loading, (int)i, err);
    display_process_end(&process);
    if (!ok)
        displays->views.n_own = before;
    return ok;
}

void weft_own_displays_free(struct weft_own_displays *displays)
{
    free(displays->list);
    weft_arena_free(&displays->arena);
    *displays = (struct weft_own_displays){ 0 };
}
