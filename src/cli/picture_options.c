/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/picture_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/open_traces.h"
#include "serve/request_limits.h"

/* A setting whose value was read from a file. */
struct picture_file {
    const char *name, *path;
    const struct picture_file *next;
};

static bool parse_size(const char *text, struct weft_request *request, struct weft_err *err)
{
    char digits[2][32];
    int length = 0;
    bool read = sscanf(text, "%31[0-9.]x%31[0-9.]%n", digits[0], digits[1], &length) == 2
                && !text[length];
    double width = read ? strtod(digits[0], NULL) : 0;
    double height = read ? strtod(digits[1], NULL) : 0;
    if (!(width >= 16 && width <= 32767 && height >= 16 && height <= 32767))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad size '%s' (right: WIDTHxHEIGHT in pixels, 16 to 32767)",
                         text);
    /*
     * The server's limit: 4 bytes a pixel, and as much again for a view that is a raster.
     */
    if (width * height > LIMIT_PIXELS)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "the size '%s' is too large: a picture has at most %d million "
                         "pixels in all",
                         text, LIMIT_PIXELS >> 20);
    request->width = width;
    request->height = height;
    return true;
}

bool picture_looks(const struct weft_arguments *arguments, struct weft_request *request,
                   struct weft_err *err)
{
    const char *theme = weft_option_value(arguments, "theme");
    const char *size = weft_option_value(arguments, "size");
    enum weft_theme_name name = WEFT_THEME_LIGHT;
    if (theme && !weft_theme_parse(theme, &name))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad theme '%s' (right: light, dark, grey, mono, cvd)", theme);
    request->theme = weft_theme_get(name);
    return !size || parse_size(size, request, err);
}

const char *picture_setting(struct picture_options *options, const struct weft_view *view,
                            const char *setting, struct weft_err *err)
{
    enum { MAX_BYTES = 16 << 20 }; /* bytes: a line for each of a million processors */
    const struct weft_parameter *parameter = weft_setting_parameter(view, setting);
    const char *path = strchr(setting, '=');
    if (!parameter || parameter->kind != WEFT_PARAMETER_FILE || !path || !path[1]
        || weft_setting_is_choice(parameter->choices, path + 1))
        return setting;
    struct weft_mapping map;
    path = parameter->file && strcmp(path + 1, "user") == 0 ? parameter->file : path + 1;
    if (!weft_map_file(&map, path, err)) {
        struct weft_err why = *err;
        weft_fail(err, why.code, "%s takes %s%suser or a file: %s", parameter->name,
                  parameter->choices ? parameter->choices : "",
                  parameter->choices ? "|" : "", why.message);
        return NULL;
    }
    struct picture_file *file = weft_arena_zalloc(&options->texts, 1, sizeof *file);
    *file = (struct picture_file){ parameter->name, path, options->files };
    options->files = file;
    char *text = NULL;
    if (map.size > MAX_BYTES || (map.size && memchr(map.data, 0, map.size)))
        weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "this is no text of at most %d MiB",
                     MAX_BYTES >> 20);
    else
        text = weft_arena_printf(&options->texts, "%s=%.*s", parameter->name, (int)map.size,
                                 (const char *)map.data);
    weft_unmap(&map);
    return text;
}

void picture_name_file(const struct picture_options *options, struct weft_err *err)
{
    for (const struct picture_file *file = options->files; file; file = file->next)
        if (strcmp(err->file, file->name) == 0) {
            snprintf(err->file, sizeof err->file, "%s", file->path);
            return;
        }
}

bool picture_settings(struct picture_options *options, const struct weft_view *view,
                      bool strict, const char **settings, struct weft_err *err)
{
    const char **given = weft_option_values(options->arguments, "set");
    for (size_t i = 0; given && given[i]; i++) {
        if (ask_is_reading(given[i]))
            continue;
        const char *setting = picture_setting(options, view, given[i], err);
        if (!setting || (!weft_setting_parse(view, setting, settings, err) && strict))
            return false;
    }
    return true;
}

bool picture_keeps_files(const struct picture_options *options, const char *output,
                         struct weft_err *err)
{
    for (const struct picture_file *file = options->files; file; file = file->next)
        if (!ask_keeps_file(file->path, output, err))
            return false;
    return ask_keeps_beside(options->arguments, output, err);
}
