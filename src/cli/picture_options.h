/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that draw pictures: --size, --theme, and --set, also of files. */
#ifndef WEFT_CLI_PICTURE_OPTIONS_H
#define WEFT_CLI_PICTURE_OPTIONS_H

#include "cli/command.h"
#include "view/view.h"

/* The settings of a command; zeroed at first but for the arguments, which are borrowed. */
struct picture_options {
    const struct weft_arguments *arguments;
    struct weft_arena texts;          /* settings that were read from files; to be freed */
    const struct picture_file *files; /* those files, in `texts` */
};

/*
 * Sets the theme and the size of REQUEST by the options --theme and --size; without
 * --size the size stays.  Returns false with WEFT_ERR_USAGE for a wrong value.
 */
bool picture_looks(const struct weft_arguments *arguments, struct weft_request *request,
                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns NAME=VALUE with the content of the file that VALUE names, if the parameter of
 * VIEW is such; else SETTING itself.  NULL with *ERR if the file cannot be read.
 */
const char *picture_setting(struct picture_options *options, const struct weft_view *view,
                            const char *setting, struct weft_err *err);
/*
 * Sets the elements of SETTINGS[view->n_parameters] by --set, but for those of readers.
 * Returns false with *ERR if a file cannot be read or, if STRICT, a setting is none of
 * VIEW.
 */
bool picture_settings(struct picture_options *options, const struct weft_view *view,
                      bool strict, const char **settings,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * In an error about a setting's text, replaces the setting's name by the path of its file.
 */
void picture_name_file(const struct picture_options *options, struct weft_err *err);
/*
 * Returns false with WEFT_ERR_USAGE if writing OUTPUT would replace a file that a setting,
 * or another option, names for reading.
 */
bool picture_keeps_files(const struct picture_options *options, const char *output,
                         struct weft_err *err) WEFT_MUST_CHECK;

/* The two rows of a command's table of options. */
#define PICTURE_OPTIONS                                                                    \
 { "size", 0, "WxH", false,                                                                \
   "of the picture in pixels (1280x720): each 16 to 32767, at most 80 million in all" },   \
 {                                                                                         \
  "theme", 0, "THEME", false,                                                              \
      "light, dark, grey, mono or cvd (safe for colour-blind eyes)"                        \
 }

#endif
