/* SPDX-License-Identifier: Apache-2.0 */
/* The commands, in the order in which help lists them.  A new one is two lines here. */
#include <string.h>

#include "cli/help.h"

#ifdef HAVE_record
extern const struct weft_command weft_command_record;
#endif
#ifdef HAVE_recover
extern const struct weft_command weft_command_recover;
#endif
#ifdef HAVE_info
extern const struct weft_command weft_command_info;
#endif
#ifdef HAVE_check
extern const struct weft_command weft_command_check;
#endif
#ifdef HAVE_dump
extern const struct weft_command weft_command_dump;
#endif
#ifdef HAVE_stats
extern const struct weft_command weft_command_stats;
#endif
#ifdef HAVE_views
extern const struct weft_command weft_command_views;
#endif
#ifdef HAVE_render
extern const struct weft_command weft_command_render;
#endif
#ifdef HAVE_convert
extern const struct weft_command weft_command_convert;
#endif
#ifdef HAVE_index
extern const struct weft_command weft_command_index;
#endif

const struct weft_command *const weft_commands[] = {
#ifdef HAVE_record
    &weft_command_record,
#endif
#ifdef HAVE_recover
    &weft_command_recover,
#endif
#ifdef HAVE_info
    &weft_command_info,
#endif
#ifdef HAVE_check
    &weft_command_check,
#endif
#ifdef HAVE_dump
    &weft_command_dump,
#endif
#ifdef HAVE_stats
    &weft_command_stats,
#endif
#ifdef HAVE_views
    &weft_command_views,
#endif
#ifdef HAVE_render
    &weft_command_render,
#endif
#ifdef HAVE_convert
    &weft_command_convert,
#endif
#ifdef HAVE_index
    &weft_command_index,
#endif
    &weft_command_help,
};
const size_t weft_n_commands = sizeof weft_commands / sizeof *weft_commands;

const struct weft_command *weft_command_find(const char *name)
{
    for (size_t i = 0; i < weft_n_commands; i++)
        if (strcmp(weft_commands[i]->name, name) == 0)
            return weft_commands[i];
    return NULL;
}
