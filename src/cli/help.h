/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the help, the man page and the completion of bash, all made from the commands'
 * tables of options, so that they agree with the program.
 */
#ifndef WEFT_CLI_HELP_H
#define WEFT_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"
#include "view/view.h"

void weft_help_general(FILE *out);
void weft_help_command(FILE *out, const struct weft_command *command);
/* Prints what a view shows, what it needs and its parameters. */
void weft_help_view(FILE *out, const struct weft_view *view);
void weft_help_man_page(FILE *out);
void weft_help_completion(FILE *out);

/* Returns the command NAME, or NULL. */
const struct weft_command *weft_command_find(const char *name);
/* Reports that there is no command or view NAME, and suggests one; returns 2. */
int weft_report_unknown_command(const char *name);

extern const struct weft_command weft_command_help;

#endif
