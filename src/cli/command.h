/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands: one file each under cli/cmd, one line in cli/commands.c.  A command declares
 * its options in a table, from which parsing, --help, the man page and shell completion are
 * made.
 */
#ifndef WEFT_CLI_COMMAND_H
#define WEFT_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/job.h"
#include "base/memory.h"

struct weft_option {
    const char *name;     /* "output": --output */
    char letter;          /* 'o': -o; 0: none */
    const char *argument; /* "FILE"; NULL: a flag */
    bool repeats;         /* may be given more than once */
    const char *help;     /* a few words, for --help and the man page */
};

/* Options that are put together when a command is asked for them; all in the arena. */
struct weft_option_list {
    struct weft_arena *arena;
    const struct weft_option *options;
    size_t n;
};
void weft_options_add(struct weft_option_list *list, const struct weft_option *options,
                      size_t n);

struct weft_arguments {
    const struct weft_command *command;
    const struct weft_option *options; /* the command's, see weft_command_options() */
    size_t n_options;
    const char **values; /* by option: the last value given, "" for a flag; NULL: absent */
    const char ***repeated;  /* by option that repeats: NULL-terminated list, or NULL */
    const char **positional; /* NULL-terminated */
    size_t n_positional;
};

struct weft_command {
    const char *name;        /* "render" */
    const char *arguments;   /* "VIEW TRACE" */
    const char *summary;     /* one line: what it does */
    const char *description; /* paragraphs for help and the man page; may be NULL */
    /* More of them, made from a table, so that nobody keeps it twice; the caller frees.
       NULL: there are none. */
    char *(*more)(void);
    const struct weft_option *options;
    size_t n_options;
    /* Instead of them, when domains add theirs; NULL: there are no others. */
    void (*list_options)(struct weft_option_list *list);
    size_t min_positional, max_positional; /* SIZE_MAX: any number */
    bool passthrough; /* the first positional ends the options: record's PROGRAM */
    /* Returns the exit status.  Errors are reported with weft_report(). */
    int (*run)(const struct weft_arguments *arguments);
};

/* The INDEXth command of all that were built in; NULL behind the last, which is help. */
const struct weft_command *weft_command_at(size_t index);
size_t weft_command_count(void);
struct weft_option_list weft_command_options(const struct weft_command *command,
                                             struct weft_arena *arena);

const char *weft_option_value(const struct weft_arguments *arguments, const char *name);
const char **weft_option_values(const struct weft_arguments *arguments, const char *name);
static inline bool weft_option_given(const struct weft_arguments *arguments,
                                     const char *name)
{
    return weft_option_value(arguments, name) != NULL;
}

/*
 * Flushes standard output; false with *err if that fails.  Call it before writing to standard
 * error about the output: the reason of an earlier failure (errno) is lost later.
 */
bool weft_flush_output(struct weft_err *err) WEFT_MUST_CHECK;

/* Print "weft: FILE:LINE: message" on standard error; returns the exit status for it. */
int weft_report(const struct weft_err *err);
/* The same for wrong usage: adds how to get help; returns 2. */
int weft_usage(const struct weft_command *command, const char *fmt, ...) WEFT_PRINTF(2, 3);

/*
 * A job that shows a progress bar labelled TEXT when standard error is a terminal, and is
 * cancelled by Ctrl-C.  One at a time; end removes the bar.
 */
struct weft_job *weft_progress_begin(const char *text);
void weft_progress_end(struct weft_job *job);
/*
 * From here on there is nothing that must be put in order but the file MADE (NULL: none),
 * until NULL and false: 30 ms after a signal the program ends, whatever still goes on.  A
 * picture may take seconds between two looks at the job.
 */
void weft_progress_hurry(bool hurries, const char *made);
/* The signal that cancelled the job: SIGINT, SIGTERM or SIGHUP; 0: none did. */
int weft_progress_signal(void);

#endif
