/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands, and what they share: options, reports of errors, a progress bar.  Each has one
 * file under cli/cmd and one line in cli/commands.c, or is listed by a domain.  Parsing,
 * --help, the man page and shell completion all use the command's table of options.
 */
#ifndef WEFT_CLI_COMMAND_H
#define WEFT_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/memory.h"
#include "base/progress_and_cancel.h"

struct weft_option_list;

/* A row of a command's table of options. */
struct weft_option {
    const char *name;     /* "output": --output */
    char letter;          /* 'o': -o; 0: none */
    const char *argument; /* "FILE"; NULL: a flag */
    bool repeats;         /* may be given more than once */
    const char *help;     /* a few words, for --help and the man page */
    /* If not NULL, the row stands for the options that this function adds to LIST, and its
       other fields are not read. */
    void (*expand)(struct weft_option_list *list);
};

/* A list of a command's options, being assembled in the arena. */
struct weft_option_list {
    struct weft_arena *arena;
    const struct weft_option *options;
    size_t n;
};
/*
 * Appends copies of N OPTIONS, with borrowed texts, to LIST: its options are a new array in
 * its arena then.
 */
void weft_options_add(struct weft_option_list *list, const struct weft_option *options,
                      size_t n);

/* The parsed arguments of a command; weft_parse_arguments() (cli/options.h) sets them. */
struct weft_arguments {
    const struct weft_command *command;
    struct weft_arena *arena;          /* lives as long as the arguments */
    const struct weft_option *options; /* the command's, see weft_command_options() */
    size_t n_options;
    const char **values; /* by option: the last value given, "" for a flag; NULL: absent */
    /* by option: all values of one that repeats, NULL-terminated; NULL: absent, or no such
       option */
    const char ***repeated;
    const char **positional; /* arguments that are no options, in order; NULL-terminated */
    size_t n_positional;
};

/* A command, "weft NAME": static, listed in cli/commands.c or by a domain. */
struct weft_command {
    const char *name;        /* "render" */
    const char *arguments;   /* "VIEW TRACE": its positional ones, for the help; or "" */
    const char *summary;     /* what it does: "print every entity", without a full stop */
    const char *description; /* paragraphs for help and the man page; may be NULL */
    /* Returns further paragraphs that are made from a table; the caller frees them.  NULL:
       none. */
    char *(*more)(void);
    const struct weft_option *options;
    size_t n_options;
    size_t min_positional, max_positional; /* SIZE_MAX: any number */
    /* The first positional ends the options, what follows it is positional: record's
       PROGRAM. */
    bool passthrough;
    /* Runs the command and returns the exit status of weft, after it has reported errors by
       weft_report() or weft_usage(). */
    int (*run)(const struct weft_arguments *arguments);
};

/* Returns command INDEX, from 0, in the order of the help; NULL behind the last, "help". */
const struct weft_command *weft_command_at(size_t index);
/* Returns the number of commands, "help" included. */
size_t weft_command_count(void);
/* Returns a command's options, with rows with `expand` replaced, in memory of ARENA. */
struct weft_option_list weft_command_options(const struct weft_command *command,
                                             struct weft_arena *arena);

/*
 * Returns the last value given to the option NAME ("output": --output), "" for a flag; NULL
 * if it was not given.  Aborts if the command has no such option.
 */
const char *weft_option_value(const struct weft_arguments *arguments, const char *name);
/*
 * Returns all values given to the option NAME, which repeats, in order, up to NULL; NULL if
 * it was not given, or does not repeat.  The list is that of ARGUMENTS.  Aborts if the
 * command has no such option.
 */
const char **weft_option_values(const struct weft_arguments *arguments, const char *name);
/* Returns true if the option NAME was given.  Aborts if the command has no such option. */
static inline bool weft_option_given(const struct weft_arguments *arguments,
                                     const char *name)
{
    return weft_option_value(arguments, name) != NULL;
}

/*
 * Flushes standard output; returns false with WEFT_ERR_WRITE if that or an earlier write
 * failed, but true if the reader of a pipe has ended.  Call it before writing to standard
 * error about the output: a later call overwrites the errno of an earlier failure.
 */
bool weft_flush_output(struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Prints "weft: FILE:LINE: message" on standard error, control characters as "?", and
 * returns the code's exit status (weft_err_exit_status()).  After a signal that cancelled
 * the job it prints "weft: cancelled", whatever *ERR is, and returns 128 + the signal's
 * number.
 */
int weft_report(const struct weft_err *err);
/*
 * Prints that COMMAND was used wrongly, as FMT says, and how to get help, on standard
 * error; returns 2, the exit status.
 */
int weft_usage(const struct weft_command *command, const char *fmt, ...) WEFT_PRINTF(2, 3);

/*
 * Returns a job that shows a progress bar labelled TEXT (cut to 63 bytes), after 0.3 s, if
 * standard error is a terminal, and that SIGINT (Ctrl-C), SIGTERM and SIGHUP cancel, unless
 * they were ignored; the same signal again ends the program.  There is one at a time, until
 * weft_progress_end(), and it is not to be freed: a second call before that aborts.
 */
struct weft_job *weft_progress_begin(const char *text);
/*
 * Removes the bar, restores the earlier actions of signals and ends weft_progress_hurry()
 * (an alarm that a signal has set stays).  JOB may be NULL: no effect.
 */
void weft_progress_end(struct weft_job *job);
/*
 * With HURRIES, declares that, if cancelled by a signal, the program need remove nothing
 * but the file with the path MADE (NULL: none; it is borrowed).  From here until a call
 * with false and NULL, the program ends 30 ms after a signal (by SIGALRM), even if work
 * goes on: a picture may take seconds between two looks at the job.
 */
void weft_progress_hurry(bool hurries, const char *made);
/*
 * Returns the signal that cancelled this job or an earlier one: SIGINT, SIGTERM or SIGHUP;
 * 0: none.
 */
int weft_progress_signal(void);

#endif
