/* SPDX-License-Identifier: Apache-2.0 */
/* The commands, in the order in which help lists them.  A new one is two lines here. */
#include <string.h>

#include "cli/help.h"

extern const struct weft_command weft_command_record;
extern const struct weft_command weft_command_recover;
extern const struct weft_command weft_command_info;
extern const struct weft_command weft_command_check;
extern const struct weft_command weft_command_dump;
extern const struct weft_command weft_command_stats;
extern const struct weft_command weft_command_diff;
extern const struct weft_command weft_command_views;
extern const struct weft_command weft_command_render;
extern const struct weft_command weft_command_view;
extern const struct weft_command weft_command_convert;
extern const struct weft_command weft_command_index;
extern const struct weft_command weft_command_map;
extern const struct weft_command weft_command_fghc;
extern const struct weft_command weft_command_distribute;

const struct weft_command *const weft_commands[] = {
    &weft_command_record, &weft_command_recover, &weft_command_info,
    &weft_command_check,  &weft_command_dump,    &weft_command_stats,
    &weft_command_diff,   &weft_command_views,   &weft_command_render,
    &weft_command_view,   &weft_command_convert, &weft_command_index,
    &weft_command_map,    &weft_command_fghc,    &weft_command_distribute,
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
