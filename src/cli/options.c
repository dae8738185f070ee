/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <string.h>

#include "base/nearest.h"

struct parser {
    const struct weft_command *command;
    struct weft_arena *arena;
    struct weft_arguments *arguments;
    size_t *n_repeated;
    char **argv; /* the next argument to be parsed */
    struct weft_err *err;
};

static size_t find_option(const struct weft_command *command, const char *name,
                          size_t length)
{
    for (size_t i = 0; i < command->n_options; i++)
        if (strncmp(command->options[i].name, name, length) == 0
            && command->options[i].name[length] == '\0')
            return i;
    return SIZE_MAX;
}

static const char *option_name(size_t i, void *user)
{
    const struct weft_command *command = user;
    return i < command->n_options ? command->options[i].name : "help";
}

static bool unknown_option(struct parser *parser, const char *name)
{
    const char *nearest = weft_nearest(name, parser->command->n_options + 1, option_name,
                                       (void *)parser->command);
    if (nearest)
        return weft_fail(parser->err, WEFT_ERR_USAGE,
                         "unknown option --%s (did you mean --%s?)", name, nearest);
    return weft_fail(parser->err, WEFT_ERR_USAGE, "unknown option --%s", name);
}

static void store_value(struct parser *parser, size_t option, const char *value)
{
    struct weft_arguments *arguments = parser->arguments;
    arguments->values[option] = value;
    if (!parser->command->options[option].repeats)
        return;
    size_t n = parser->n_repeated[option]++;
    /* The list is made at the first value, with room for all arguments that are left. */
    if (n == 0) {
        size_t most = 1;
        for (char **at = parser->argv; *at; at++)
            most++;
        arguments->repeated[option] =
            weft_arena_zalloc(parser->arena, most + 1, sizeof(char *));
    }
    arguments->repeated[option][n] = value;
}

/* TEXT is what follows the two dashes. */
static bool parse_long(struct parser *parser, const char *text, bool *help)
{
    const struct weft_command *command = parser->command;
    size_t length = strcspn(text, "=");
    const char *value = text[length] == '=' ? text + length + 1 : NULL;
    size_t option = find_option(command, text, length);
    if (option == SIZE_MAX) {
        if (strcmp(text, "help") == 0) {
            *help = true;
            return true;
        }
        return unknown_option(parser,
                              weft_arena_printf(parser->arena, "%.*s", (int)length, text));
    }
    const struct weft_option *found = &command->options[option];
    if (!found->argument) {
        if (value)
            return weft_fail(parser->err, WEFT_ERR_USAGE,
                             "option --%s takes no value (write --%s alone)", found->name,
                             found->name);
        value = "";
    } else if (!value) {
        if (!*parser->argv)
            return weft_fail(parser->err, WEFT_ERR_USAGE,
                             "option --%s needs a value (--%s %s)", found->name,
                             found->name, found->argument);
        value = *parser->argv++;
    }
    store_value(parser, option, value);
    return true;
}

/* TEXT is what follows the one dash: letters of flags, the last one perhaps with a value. */
static bool parse_letters(struct parser *parser, const char *text, bool *help)
{
    const struct weft_command *command = parser->command;
    for (; *text; text++) {
        size_t option = 0;
        while (option < command->n_options && command->options[option].letter != *text)
            option++;
        if (option == command->n_options) {
            if (*text != 'h')
                return weft_fail(parser->err, WEFT_ERR_USAGE, "unknown option -%c", *text);
            *help = true;
            return true;
        }
        const struct weft_option *found = &command->options[option];
        if (!found->argument) {
            store_value(parser, option, "");
            continue;
        }
        const char *value = text[1] ? text + 1 : *parser->argv;
        if (!value)
            return weft_fail(parser->err, WEFT_ERR_USAGE,
                             "option -%c needs a value (-%c %s)", *text, *text,
                             found->argument);
        if (!text[1])
            parser->argv++;
        store_value(parser, option, value);
        return true;
    }
    return true;
}

static bool check_positional(const struct weft_command *command, size_t n,
                             struct weft_err *err)
{
    if (n < command->min_positional)
        return weft_fail(err, WEFT_ERR_USAGE, "%s missing (weft %s %s)",
                         n == 0 ? "arguments are" : "an argument is", command->name,
                         command->arguments);
    if (n > command->max_positional)
        return weft_fail(err, WEFT_ERR_USAGE, "too many arguments (weft %s %s)",
                         command->name, command->arguments);
    return true;
}

bool weft_parse_arguments(const struct weft_command *command, char **argv,
                          struct weft_arena *arena, struct weft_arguments *arguments,
                          bool *help, struct weft_err *err)
{
    size_t n = 0;
    while (argv[n])
        n++;
    *help = false;
    *arguments = (struct weft_arguments){
        .command = command,
        .values = weft_arena_zalloc(arena, command->n_options + 1, sizeof(char *)),
        .repeated = weft_arena_zalloc(arena, command->n_options + 1, sizeof(char **)),
        .positional = weft_arena_zalloc(arena, n + 1, sizeof(char *)),
    };
    struct parser parser = {
        .command = command,
        .arena = arena,
        .arguments = arguments,
        .n_repeated = weft_arena_zalloc(arena, command->n_options + 1, sizeof(size_t)),
        .argv = argv,
        .err = err,
    };
    bool options = true;
    while (*parser.argv) {
        const char *text = *parser.argv++;
        if (options && text[0] == '-' && text[1]) {
            if (strcmp(text, "--") == 0)
                options = false;
            else if (text[1] == '-' ? !parse_long(&parser, text + 2, help)
                                    : !parse_letters(&parser, text + 1, help))
                return false;
            if (*help)
                return true;
            continue;
        }
        arguments->positional[arguments->n_positional++] = text;
        if (command->passthrough)
            options = false;
    }
    return check_positional(command, arguments->n_positional, err);
}

static size_t known_option(const struct weft_arguments *arguments, const char *name)
{
    size_t option = find_option(arguments->command, name, strlen(name));
    WEFT_REQUIRE(option != SIZE_MAX, "weft %s has no option --%s", arguments->command->name,
                 name);
    return option;
}

const char *weft_option_value(const struct weft_arguments *arguments, const char *name)
{
    return arguments->values[known_option(arguments, name)];
}

const char **weft_option_values(const struct weft_arguments *arguments, const char *name)
{
    return arguments->repeated[known_option(arguments, name)];
}
