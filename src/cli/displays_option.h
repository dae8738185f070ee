/* SPDX-License-Identifier: Apache-2.0 */
/* The option --display of commands that show views: displays of a person's own. */
#ifndef WEFT_CLI_DISPLAYS_OPTION_H
#define WEFT_CLI_DISPLAYS_OPTION_H

#include "cli/command.h"
#include "displays/own_displays.h"

/* A row of a command's table of options. */
#define DISPLAYS_OPTION                                                                    \
 {                                                                                         \
  "display", 0, "FILE.so", true, "also the displays of your own in FILE.so (weft/view.h)"  \
 }

/*
 * Adds the displays of the files of --display to DISPLAYS, which is zeroed; then, if
 * WITH_USUAL, those of the files *.so in the folder weft/displays of XDG_DATA_HOME
 * (~/.local/share), in the order of their names; it says on standard error what is wrong
 * with one of those, and goes on.  Returns false with *ERR if a file of --display is wrong
 * (weft_own_displays_load()).  The caller frees DISPLAYS in any case.
 */
bool load_displays(const struct weft_arguments *arguments, bool with_usual,
                   struct weft_own_displays *displays,
                   struct weft_err *err) WEFT_MUST_CHECK;

#endif
