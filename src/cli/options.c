/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <string.h>

#include "base/nearest_name.h"

struct parser {
    struct weft_arena *arena;
    struct weft_arguments *arguments;
    size_t *n_repeated;
    char **argv; /* the next argument to be parsed */
    struct weft_err *err;
};

void weft_options_add(struct weft_option_list *list, const struct weft_option *options,
                      size_t n)
{
    struct weft_option *longer =
        weft_arena_zalloc(list->arena, list->n + n + 1, sizeof *longer);
    if (list->n)
        memcpy(longer, list->options, list->n * sizeof *longer);
    if (n)
        memcpy(longer + list->n, options, n * sizeof *longer);
    list->options = longer;
    list->n += n;
}

struct weft_option_list weft_command_options(const struct weft_command *command,
                                             struct weft_arena *arena)
{
    struct weft_option_list list = { .arena = arena };
    for (size_t i = 0; i < command->n_options; i++)
        if (command->options[i].expand)
            command->options[i].expand(&list);
        else
            weft_options_add(&list, &command->options[i], 1);
    return list;
}

static size_t find_option(const struct weft_arguments *arguments, const char *name,
                          size_t length)
{
    for (size_t i = 0; i < arguments->n_options; i++)
        if (strncmp(arguments->options[i].name, name, length) == 0
            && arguments->options[i].name[length] == '\0')
            return i;
    return SIZE_MAX;
}

static const char *option_name(size_t i, void *user)
{
    const struct weft_arguments *arguments = user;
    return i < arguments->n_options ? arguments->options[i].name : "help";
}

static bool unknown_option(struct parser *parser, const char *name)
{
    const char *nearest = weft_nearest(name, parser->arguments->n_options + 1, option_name,
                                       parser->arguments);
    if (nearest)
        return weft_fail(parser->err, WEFT_ERR_USAGE,
                         "unknown option --%s (did you mean --%s?)", name, nearest);
    return weft_fail(parser->err, WEFT_ERR_USAGE, "unknown option --%s", name);
}

static void store_value(struct parser *parser, size_t option, const char *value)
{
    struct weft_arguments *arguments = parser->arguments;
    arguments->values[option] = value;
    if (!arguments->options[option].repeats)
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
    const struct weft_arguments *arguments = parser->arguments;
    size_t length = strcspn(text, "=");
    const char *value = text[length] == '=' ? text + length + 1 : NULL;
    size_t option = find_option(arguments, text, length);
    if (option == SIZE_MAX) {
        if (strcmp(text, "help") == 0) {
            *help = true;
            return true;
        }
        return unknown_option(parser,
                              weft_arena_printf(parser->arena, "%.*s", (int)length, text));
    }
    const struct weft_option *found = &arguments->options[option];
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

/* TEXT is what follows the one dash: letters of flags; the last option may have a value. */
static bool parse_letters(struct parser *parser, const char *text, bool *help)
{
    const struct weft_arguments *arguments = parser->arguments;
    for (; *text; text++) {
        size_t option = 0;
        while (option < arguments->n_options && arguments->options[option].letter != *text)
            option++;
        if (option == arguments->n_options) {
            if (*text != 'h')
                return weft_fail(parser->err, WEFT_ERR_USAGE, "unknown option -%c", *text);
            *help = true;
            return true;
        }
        const struct weft_option *found = &arguments->options[option];
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
    struct weft_option_list list = weft_command_options(command, arena);
    size_t n = 0;
    while (argv[n])
        n++;
    *help = false;
    *arguments = (struct weft_arguments){
        .command = command,
        .arena = arena,
        .options = list.options,
        .n_options = list.n,
        .values = weft_arena_zalloc(arena, list.n + 1, sizeof(char *)),
        .repeated = weft_arena_zalloc(arena, list.n + 1, sizeof(char **)),
        .positional = weft_arena_zalloc(arena, n + 1, sizeof(char *)),
    };
    struct parser parser = {
        .arena = arena,
        .arguments = arguments,
        .n_repeated = weft_arena_zalloc(arena, list.n + 1, sizeof(size_t)),
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
    size_t option = find_option(arguments, name, strlen(name));
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
