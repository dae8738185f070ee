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

/* Prints to OUT the commands, a line each, the forms of times, and the exit statuses. */
void weft_help_general(FILE *out);
/* Prints to OUT how to use COMMAND, what it does and its options. */
void weft_help_command(FILE *out, const struct weft_command *command);
/*
 * Prints to OUT what VIEW shows, what it needs, its settings, and, if the first column of
 * its table has a help, the columns.
 */
void weft_help_view(FILE *out, const struct weft_view *view);
/* Prints the man page of weft, with all commands, in troff. */
void weft_help_man_page(FILE *out);
/* Prints a script for bash that completes commands, options and files. */
void weft_help_completion(FILE *out);

/* Returns the command NAME; NULL if there is none. */
const struct weft_command *weft_command_find(const char *name);
/*
 * Reports on standard error that there is no command or view NAME, suggests a similar one,
 * if any, and returns the exit status, 2.
 */
int weft_report_unknown_command(const char *name);

/* The command "help", the last one. */
extern const struct weft_command weft_command_help;

#endif
