/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"
#include "cli/displays_option.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest_name.h"
#include "cli/options.h"
#include "cli/version.h"

enum { HELP_COLUMNS = 80, OPTION_COLUMN = 28 };

static const struct {
    int status;
    const char *meaning;
} exit_statuses[] = {
    { 0, "done" },
    { 1, "done, but check found problems, or diff found differences" },
    { 2, "wrong usage" },
    { 3,
      "the input cannot be read, or not all of it, or holds nothing of what is asked for" },
    { 4, "the output cannot be written" },
    { 129, "ended by SIGHUP" },
    { 130, "cancelled with Ctrl-C" },
    { 134, "out of memory, or a fault of Weft's own; the message says which" },
    { 143, "ended by SIGTERM (view, which ends no other way, with 0)" },
};
enum { N_EXIT_STATUSES = sizeof exit_statuses / sizeof *exit_statuses };

static const char time_forms[] =
    "Times (--at, --range) count from the start of the trace: 1.5s, 20ms, 300us, 5000ns, 50% "
    "or a plain number of seconds; @T is a time of the trace's own clock. A range is T0:T1, "
    "T0: or :T1, without its end, or T0+LENGTH.";

static const char introduction[] =
    "Weft shows why a parallel program is not faster. It records a run, or reads a trace that "
    "another tool made, keeps it in one store, answers questions about it and draws it.";

/* Returns the length of the next word; cuts a list of choices that is longer than MOST. */
static int part_that_fits(const char *text, int most)
{
    int length = (int)strcspn(text, " \n"), fits = 0;
    if (length <= most)
        return length;
    for (int i = 0; i < most; i++)
        if (text[i] == '|')
            fits = i + 1;
    return fits ? fits : length;
}

/*
 * Prints TEXT between columns INDENT and HELP_COLUMNS, beginning in column AT.  Lines are
 * filled afresh: an empty line ends a paragraph, and a line that begins with a space is
 * kept.
 */
static void print_wrapped(FILE *out, const char *text, int indent, int at)
{
    while (*text) {
        if (*text == '\n' && (text[1] == '\n' || text[1] == ' ')) {
            fputs(text[1] == '\n' ? "\n\n" : "\n", out);
            at = 0;
            text += 1 + strspn(text + 1, "\n");
        }
        if (at == 0 && *text == ' ') {
            int length = (int)strcspn(text, "\n");
            at = fprintf(out, "%*s%.*s", indent, "", length, text);
            text += length;
            if (*text == '\n' && text[1] != '\n' && text[1] != ' ') {
                fputc('\n', out);
                at = 0;
            }
            continue;
        }
        text += strspn(text, *text == '\n' ? "\n" : " ");
        int length = part_that_fits(text, HELP_COLUMNS - indent);
        if (length == 0)
            continue;
        if (at > indent && at + 1 + length > HELP_COLUMNS) {
            fputc('\n', out);
            at = 0;
        }
        if (at < indent)
            at += fprintf(out, "%*s", indent - at, "");
        else if (at > indent)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", length, text);
        text += length;
    }
    fputc('\n', out);
}

/* Makes a sentence of a summary: "print every entity" becomes "Print every entity." */
static void sentence(const char *summary, char *out, size_t size)
{
    snprintf(out, size, "%s.", summary);
    out[0] = (char)toupper((unsigned char)out[0]);
}

static void print_option(FILE *out, const struct weft_option *option)
{
    int at = fprintf(out, "  ");
    if (option->letter)
        at += fprintf(out, "-%c, --%s", option->letter, option->name);
    else
        at += fprintf(out, "    --%s", option->name);
    if (option->argument)
        at += fprintf(out, " %s", option->argument);
    if (at >= OPTION_COLUMN) {
        fputc('\n', out);
        at = 0;
    }
    char help[512];
    snprintf(help, sizeof help, "%s%s", option->help,
             option->repeats ? " (may be repeated)" : "");
    print_wrapped(out, help, OPTION_COLUMN, at);
}

static const struct weft_option help_option = { .name = "help",
                                                .letter = 'h',
                                                .help = "show this help" };

static void print_synopsis(FILE *out, const struct weft_command *command)
{
    fprintf(out, "weft %s%s%s%s", command->name, command->n_options ? " [OPTION]..." : "",
            command->arguments[0] ? " " : "", command->arguments);
}

/*
 * Returns the paragraphs about a command, with those made from a table last; the caller
 * frees them.
 */
static char *description_of(const struct weft_command *command)
{
    char *more = command->more ? command->more() : NULL;
    char *all = weft_asprintf("%s%s%s", command->description ? command->description : "",
                              command->description && more ? "\n\n" : "", more ? more : "");
    free(more);
    return all;
}

void weft_help_command(FILE *out, const struct weft_command *command)
{
    fputs("Usage: ", out);
    print_synopsis(out, command);
    fputs("\n\n", out);
    char summary[256];
    sentence(command->summary, summary, sizeof summary);
    print_wrapped(out, summary, 0, 0);
    char *description = description_of(command);
    if (description[0]) {
        fputc('\n', out);
        print_wrapped(out, description, 0, 0);
    }
    free(description);
    fputs("\nOptions:\n", out);
    struct weft_arena arena = { 0 };
    struct weft_option_list list = weft_command_options(command, &arena);
    for (size_t i = 0; i < list.n; i++)
        print_option(out, &list.options[i]);
    weft_arena_free(&arena);
    print_option(out, &help_option);
}

/* Returns the values that a setting takes: "on|off", "0 to 100", "TEXT". */
static const char *values_of(const struct weft_parameter *parameter, char *room,
                             size_t size)
{
    switch (parameter->kind) {
    case WEFT_PARAMETER_CHOICE:
    case WEFT_PARAMETER_WHEEL: return parameter->choices;
    case WEFT_PARAMETER_FLAG: return "on|off";
    case WEFT_PARAMETER_NUMBER:
    case WEFT_PARAMETER_SCROLL:
    case WEFT_PARAMETER_ZOOM:
    case WEFT_PARAMETER_TALL:
    case WEFT_PARAMETER_PLACE_X:
    case WEFT_PARAMETER_PLACE_Y:
        snprintf(room, size, "a number from %g to %g", parameter->minimum,
                 parameter->maximum);
        return room;
    case WEFT_PARAMETER_CONTAINER: return "a container";
    case WEFT_PARAMETER_CONTAINERS: return "containers, with commas";
    case WEFT_PARAMETER_ORDER: return "A<B, with commas: A stands right before B";
    case WEFT_PARAMETER_ENTITIES: return "ids, with commas";
    case WEFT_PARAMETER_ENTITY: return "an id";
    case WEFT_PARAMETER_FILE:
        snprintf(room, size, "%s%s%sFILE", parameter->choices ? parameter->choices : "",
                 parameter->choices ? "|" : "", parameter->file ? "user|" : "");
        return room;
    case WEFT_PARAMETER_TEXT: break;
    }
    return "a text";
}

static void print_columns(FILE *out, const struct weft_view *view)
{
    int widest = 0;
    fputs("\nColumns of its table (--format csv, json or text):\n", out);
    for (size_t i = 0; i < view->n_columns; i++) {
        int width = (int)strlen(view->columns[i].name);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < view->n_columns; i++) {
        if (view->columns[i].of_page)
            continue;
        int at = fprintf(out, "  %-*s  ", widest, view->columns[i].name);
        print_wrapped(out, view->columns[i].help, widest + 4, at);
    }
}

void weft_help_view(FILE *out, const struct weft_view *view)
{
    char room[64], text[512];
    fprintf(out, "Usage: weft render %s TRACE%s [OPTION]...\n\n", view->name,
            view->compares ? " OTHER" : "");
    snprintf(text, sizeof text, "%s (%s). %s", view->title, view->group, view->explanation);
    print_wrapped(out, text, 0, 0);
    snprintf(text, sizeof text, "It needs %s.", view->needs);
    fputc('\n', out);
    print_wrapped(out, text, 0, 0);
    if (view->moment == WEFT_MOMENT_MARKED)
        fputs("With --at T it marks that moment.\n", out);
    else if (view->moment == WEFT_MOMENT_SHOWN)
        fputs("With --at T it shows that moment instead of the whole run.\n", out);
    if (view->n_parameters)
        fputs("\nSettings, with --set NAME=VALUE:\n", out);
    for (size_t i = 0; i < view->n_parameters; i++) {
        const struct weft_parameter *p = &view->parameters[i];
        int at = fprintf(out, "  %-12s ", p->name);
        snprintf(text, sizeof text, "%s: %s (%s%s)", p->help,
                 values_of(p, room, sizeof room), p->fallback[0] ? p->fallback : "unset",
                 p->fallback[0] ? " unless set" : "");
        print_wrapped(out, text, 15, at);
    }
    bool told = view->columns->help;
    if (told)
        print_columns(out, view);
    fprintf(out, "\nAll other options: weft help render.%s\n",
            told ? "" : " The columns of its table: --format csv.");
}

void weft_help_general(FILE *out)
{
    fputs("Usage: weft COMMAND [ARGUMENT]...\n\n", out);
    print_wrapped(out, introduction, 0, 0);
    fputs("\nCommands:\n", out);
    for (size_t i = 0; i < weft_command_count(); i++) {
        int at = fprintf(out, "  %-9s ", weft_command_at(i)->name);
        print_wrapped(out, weft_command_at(i)->summary, 12, at);
    }
    fputs("\n\"weft help COMMAND\" tells more about one; \"weft --version\" prints the "
          "version.\n\n",
          out);
    print_wrapped(out, time_forms, 0, 0);
    fputs("\nExit status:\n", out);
    for (int i = 0; i < N_EXIT_STATUSES; i++)
        fprintf(out, "  %3d  %s\n", exit_statuses[i].status, exit_statuses[i].meaning);
}

/*
 * Prints text for troff: escapes a leading dot or apostrophe, which would be a request, and
 * dashes, which would become hyphens.  Does not fill a line that begins with a space.
 */
static void print_roff(FILE *out, const char *text)
{
    bool line_start = true, verbatim = false;
    for (; *text; text++) {
        if (line_start) {
            verbatim = *text == ' ';
            if (*text == '.' || *text == '\'')
                fputs("\\&", out);
        }
        line_start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text != '\n')
            fputc(*text, out);
        else if (text[1] == '\n')
            fputs("\n.PP", out);
        else
            fputs(verbatim || text[1] == ' ' ? "\n.br\n" : "\n", out);
    }
    fputc('\n', out);
}

static void print_roff_option(FILE *out, const struct weft_option *option)
{
    fputs(".TP\n", out);
    if (option->letter)
        fprintf(out, ".BR \\-%c \", \" ", option->letter);
    else
        fputs(".BR ", out);
    fputs("\\-\\-", out);
    for (const char *at = option->name; *at; at++)
        fprintf(out, *at == '-' ? "\\-" : "%c", *at);
    if (option->argument)
        fprintf(out, " \" \\fI%s\\fR\"", option->argument);
    fputc('\n', out);
    print_roff(out, option->help);
    if (option->repeats)
        fputs("May be repeated.\n", out);
}

void weft_help_man_page(FILE *out)
{
    fputs(".\\\" Made by \"weft help --man\".\n.TH WEFT 1 \"\" \"weft " WEFT_VERSION
          "\" \"User Commands\"\n"
          ".SH NAME\nweft \\- show why a parallel program is not faster\n"
          ".SH SYNOPSIS\n.B weft\n.I COMMAND\n.RI [ ARGUMENT ]...\n.SH DESCRIPTION\n",
          out);
    print_roff(out, introduction);
    fputs(".PP\n.I TRACE\nis a file or a directory of any format that Weft reads, plain or "
          "compressed\n(.gz, .zst, .xz); \\- is standard input.\n.PP\n",
          out);
    print_roff(out, time_forms);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < weft_command_count(); i++) {
        const struct weft_command *command = weft_command_at(i);
        fputs(".SS \"", out);
        print_synopsis(out, command);
        fputs("\"\n", out);
        char summary[256];
        sentence(command->summary, summary, sizeof summary);
        print_roff(out, summary);
        char *description = description_of(command);
        if (description[0]) {
            fputs(".PP\n", out);
            print_roff(out, description);
        }
        free(description);
        struct weft_arena arena = { 0 };
        struct weft_option_list list = weft_command_options(command, &arena);
        for (size_t j = 0; j < list.n; j++)
            print_roff_option(out, &list.options[j]);
        weft_arena_free(&arena);
    }
    fputs(".SH EXIT STATUS\n", out);
    for (int i = 0; i < N_EXIT_STATUSES; i++)
        fprintf(out, ".TP\n.B %d\n%s\n", exit_statuses[i].status, exit_statuses[i].meaning);
    fputs(
        ".PP\n.B weft record\nends with the status of the program that it ran.\n"
        ".SH ENVIRONMENT\n.TP\n.B WEFT_CACHE\n"
        "where the indexes of foreign traces are kept ($XDG_CACHE_HOME/weft or "
        "~/.cache/weft)\n"
        ".TP\n.B WEFT_THREADS\nhow many threads work at once, 1 to 64 (as many as there are "
        "processors)\n",
        out);
}

static void print_words(FILE *out, const struct weft_command *command)
{
    struct weft_arena arena = { 0 };
    struct weft_option_list list = weft_command_options(command, &arena);
    for (size_t i = 0; i < list.n; i++)
        fprintf(out, "--%s ", list.options[i].name);
    weft_arena_free(&arena);
    fputs("--help", out);
}

void weft_help_completion(FILE *out)
{
    fputs("# bash completion of weft; made by \"weft help --completion\".\n"
          "_weft()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
          "    local commands=\"",
          out);
    for (size_t i = 0; i < weft_command_count(); i++)
        fprintf(out, "%s%s", i ? " " : "", weft_command_at(i)->name);
    fputs("\"\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (size_t i = 0; i < weft_command_count(); i++) {
        fprintf(out, "    %s) options=\"", weft_command_at(i)->name);
        print_words(out, weft_command_at(i));
        fputs("\" ;;\n", out);
    }
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    elif [ \"${COMP_WORDS[1]}\" = help ]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
          "    elif [ \"${COMP_WORDS[1]}\" = play ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
          "        COMPREPLY=($(compgen -W \"$(weft views 2>/dev/null |\n"
          "            sed -n 's/^\\([a-z][a-z-]*\\) .*/\\1/p')\" -- \"$word\"))\n"
          "    elif [ \"${COMP_WORDS[1]}\" = render ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
          "        COMPREPLY=($(compgen -W \"$(weft views 2>/dev/null |\n"
          "            sed -n 's/^\\([a-z][a-z-]*\\) .*/\\1/p') all\" -- \"$word\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _weft weft\n",
          out);
}

static const char *command_name(size_t i, void *unused)
{
    (void)unused;
    return weft_command_at(i)->name;
}

static const char *view_name(size_t i, void *unused)
{
    (void)unused;
    return weft_view_at(i)->name;
}

int weft_report_unknown_command(const char *name)
{
    struct weft_err err;
    const char *nearest = weft_nearest(name, weft_command_count(), command_name, NULL);
    const char *view =
        nearest ? NULL : weft_nearest(name, weft_view_count(), view_name, NULL);
    if (view)
        weft_fail(&err, WEFT_ERR_USAGE,
                  "there is no command %s (is it the view %s? weft help %s)", name, view,
                  view);
    else if (nearest)
        weft_fail(&err, WEFT_ERR_USAGE, "there is no command %s (did you mean weft %s?)",
                  name, nearest);
    else
        weft_fail(&err, WEFT_ERR_USAGE, "there is no command %s (weft help lists them)",
                  name);
    err.file[0] = '\0';
    err.line = 0;
    return weft_report(&err);
}

/* Explains a display of the person's own, of --display or in the usual folder. */
static int help_own_display(const struct weft_arguments *arguments, const char *name)
{
    struct weft_own_displays displays = { 0 };
    struct weft_err err = { 0 };
    bool loaded = load_displays(arguments, true, &displays, &err);
    const struct weft_view *view = loaded ? weft_views_find(&displays.views, name) : NULL;
    int status = 0;
    if (view)
        weft_help_view(stdout, view);
    else
        status = loaded ? weft_report_unknown_command(name) : weft_report(&err);
    weft_own_displays_free(&displays);
    return status;
}

static int run(const struct weft_arguments *arguments)
{
    if (weft_option_given(arguments, "man")) {
        weft_help_man_page(stdout);
    } else if (weft_option_given(arguments, "completion")) {
        weft_help_completion(stdout);
    } else if (arguments->n_positional == 0) {
        weft_help_general(stdout);
    } else {
        const char *name = arguments->positional[0];
        const struct weft_command *command = weft_command_find(name);
        const struct weft_view *view = weft_view_find(name);
        if (!command && !view)
            return help_own_display(arguments, name);
        if (command)
            weft_help_command(stdout, command);
        if (command && view) /* weft why prints the view of that name */
            fputc('\n', stdout);
        if (view)
            weft_help_view(stdout, view);
    }
    return 0;
}

static const struct weft_option options[] = {
    { .name = "man", .help = "print the man page, in troff" },
    { .name = "completion", .help = "print the completion for bash" },
    DISPLAYS_OPTION,
};

const struct weft_command weft_command_help = {
    .name = "help",
    .arguments = "[NAME]",
    .summary = "explain Weft, a command or a view",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .max_positional = 1,
    .run = run,
};
