/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a command's arguments by its table of options.  It accepts --name VALUE,
 * --name=VALUE, -o VALUE, -oVALUE, flags run together (-ab), "--" (the rest is positional)
 * and "-" (positional: standard input).  Options and positionals may be mixed, except for a
 * command with passthrough.
 */
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include "base/memory.h"
#include "cli/command.h"

/*
 * Parses ARGV, which begins behind the command's name and ends with NULL, into *ARGUMENTS.
 * Memory comes from ARENA; the texts stay those of ARGV.  *HELP is true if --help or -h was
 * found, which ends parsing: the rest of ARGV and the number of arguments are not checked.
 * Returns false with WEFT_ERR_USAGE for an unknown option, one without its value, a flag
 * with one, or a wrong number of positionals.
 */
bool weft_parse_arguments(const struct weft_command *command, char **argv,
                          struct weft_arena *arena, struct weft_arguments *arguments,
                          bool *help, struct weft_err *err) WEFT_MUST_CHECK;

#endif
