/* SPDX-License-Identifier: Apache-2.0 */
/* The commands in the order of the help: the core's, the domains', and help. */
#include <string.h>

#include "base/domain.h"
#include "cli/help.h"

extern const struct weft_command weft_command_record;
extern const struct weft_command weft_command_recover;
extern const struct weft_command weft_command_info;
extern const struct weft_command weft_command_check;
extern const struct weft_command weft_command_dump;
extern const struct weft_command weft_command_stats;
extern const struct weft_command weft_command_why;
extern const struct weft_command weft_command_diff;
extern const struct weft_command weft_command_views;
extern const struct weft_command weft_command_render;
extern const struct weft_command weft_command_play;
extern const struct weft_command weft_command_view;
extern const struct weft_command weft_command_convert;
extern const struct weft_command weft_command_index;
extern const struct weft_command weft_command_map;

static const struct weft_command *const core_commands[] = {
    &weft_command_record,  &weft_command_recover, &weft_command_info, &weft_command_check,
    &weft_command_dump,    &weft_command_stats,   &weft_command_why,  &weft_command_diff,
    &weft_command_views,   &weft_command_render,  &weft_command_play, &weft_command_view,
    &weft_command_convert, &weft_command_index,   &weft_command_map,  NULL,
};

static const struct weft_command *listed_command(size_t index)
{
    return weft_domain_element((const void *const *)core_commands,
                               offsetof(struct weft_domain, commands), index);
}

size_t weft_command_count(void)
{
    size_t n = 0;
    while (listed_command(n))
        n++;
    return n + 1;
}

const struct weft_command *weft_command_at(size_t index)
{
    const struct weft_command *command = listed_command(index);
    return command                             ? command
           : index + 1 == weft_command_count() ? &weft_command_help
                                               : NULL;
}

const struct weft_command *weft_command_find(const char *name)
{
    const struct weft_command *command;
    for (size_t i = 0; (command = weft_command_at(i)); i++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}
