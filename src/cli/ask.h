/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options shared by the commands that show a view: a trace, a window, a part of the tree.
 */
#ifndef WEFT_CLI_ASK_H
#define WEFT_CLI_ASK_H

#include "base/file.h"
#include "cli/command.h"
#include "read/reader.h"
#include "view/view.h"

struct ask {
    struct weft_trace *trace;
    struct weft_trace *
        *traces;              /* [set.n_sources]: that one, and those to compare it with */
    struct weft_source **raw; /* the same in raw time, when that is asked for, or NULL */
    const struct weft_source **sources;
    struct weft_set set;
    struct weft_request request; /* set, window, under and theme are filled in */
    struct weft_job *job;
};

/* Options of every command that opens a trace. */
#define READING_OPTIONS_BUT_SET                                                            \
 { "map", 0, "FILE", false,                                                                \
   "what the names in the trace mean (weft info --roles prints it)" },                     \
     { "time-unit", 0, "UNIT", false,                                                      \
       "the unit of the times in the file: s, ms, us or ns" },                             \
 {                                                                                         \
  "ticks-per-second", 0, "N", false,                                                       \
      "of the clock of a DAG Recorder file (10^9 unless given)"                            \
 }
#define READING_OPTIONS                                                                    \
 READING_OPTIONS_BUT_SET,                                                                  \
 {                                                                                         \
  "set", 0, "NAME=VALUE", true,                                                            \
      "a setting of the reader: source=FILE, the program that a VISTA trace was made "     \
      "with"                                                                               \
 }

/* And of those that show a view. */
#define VIEW_READING_OPTIONS                                                               \
 READING_OPTIONS_BUT_SET,                                                                  \
 {                                                                                         \
  "set", 0, "NAME=VALUE", true,                                                            \
      "a setting of the view (weft views lists them), or of the reader: source=FILE, the " \
      "program that a VISTA trace was made with"                                           \
 }

/* Options that ask_begin understands; put them at the front of a command's table. */
#define ASK_OPTIONS                                                                            \
 { "range", 0, "T0:T1", false, "only this part of the time (also T0+LENGTH)" },                \
     { "under", 0, "CONTAINER", false, "only this container and what it holds" },              \
     { "clock", 0, "TIME", false,                                                              \
       "times as they were corrected (corrected, the default), or as each clock said (raw)" }, \
     VIEW_READING_OPTIONS

/*
 * How to read the trace.  Takes those of --set that are for the reader; the others are for
 * the view, and an error in a command that has none.
 */
bool ask_reading(const struct weft_arguments *arguments, bool has_view,
                 struct weft_read_options *options, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * weft_open, which then says on standard error when rules of the map that was given (--map)
 * are about nothing in the trace.  When that is a store, the command is hurried from here
 * on (weft_progress_hurry): who makes files later says so.
 */
struct weft_trace *ask_trace(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path,
                             struct weft_err *err) WEFT_MUST_CHECK;
/* Say that of the rules in the file MAP; NULL and "" have none. */
void ask_say_unused_rules(const char *map, const struct weft_schema *schema);
/* Whether a setting NAME=VALUE is for the reader of the trace, not for the view. */
bool ask_is_reading(const char *setting);

/* Open the trace and fill in the set, by --time-unit.  On failure nothing is left open. */
bool ask_open(struct ask *ask, const struct weft_arguments *arguments, const char *path,
              struct weft_err *err);
/* Opens the trace like ask_open() and reads the other options.  On failure nothing is left
   open. */
bool ask_begin(struct ask *ask, const struct weft_arguments *arguments, const char *path,
               struct weft_err *err);
/* Read a moment (--at) into the request. */
bool ask_moment(struct ask *ask, const char *text, struct weft_err *err) WEFT_MUST_CHECK;
/* Open another trace beside the first, read the same way; without --clock. */
bool ask_open_also(struct ask *ask, const struct weft_arguments *arguments,
                   const char *path, struct weft_err *err);
/* The same, and by --clock. */
bool ask_add(struct ask *ask, const struct weft_arguments *arguments, const char *path,
             struct weft_err *err);
/*
 * Say on standard error, in one line, when something of the trace at PATH is missing or
 * wrong: a table does not show that.
 */
void ask_tell_problems(const struct weft_trace *trace, const char *path);
/* The same of all that an ask has open; PATHS: of its traces.  Behind what was printed. */
bool ask_tell_all_problems(const struct ask *ask, const char *const *paths,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Nothing is made any more: who has cancelled does not wait for a thread that has not seen
 * it yet, as freeing a shelf would.
 */
void ask_leave(const struct ask *ask);
void ask_end(struct ask *ask);
/*
 * Returns OK, which says whether a command succeeded with TRACE (may be NULL), if the trace's
 * file has not changed since it was opened; else returns false and replaces *ERR.
 */
bool ask_intact(const struct weft_trace *trace, bool ok, struct weft_err *err);
/* The same of all traces that an ask has open. */
bool ask_all_intact(const struct ask *ask, bool ok, struct weft_err *err);

/*
 * Whether everything that was asked of a store could be read.  If not, the answer that was
 * printed lacks something: an error that says so.  To be called when the answer is
 * complete.
 */
bool ask_whole(const struct weft_source *source, const char *path,
               struct weft_err *err) WEFT_MUST_CHECK;
/* The same of all that an ask has open; PATHS: of its traces. */
bool ask_all_whole(const struct ask *ask, const char *const *paths,
                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Behind the error that the trace has none of what is asked for (WEFT_ERR_FORMAT, about no
 * file): that it may be missing, when something of the trace is.
 */
void ask_hint(const struct weft_source *source, struct weft_err *err);

/*
 * Whether OUTPUT is another file than the trace at PATH, which must not be replaced.  "-"
 * is standard input.
 */
bool ask_keeps_trace(const char *path, const char *output,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* The same of another file that is read, or NULL. */
bool ask_keeps_file(const char *path, const char *output,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* The same of those that the options of reading name: --map, and source=FILE of --set. */
bool ask_keeps_beside(const struct weft_arguments *arguments, const char *output,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * From here on there is nothing to put in order but OUT: see weft_progress_hurry.  Until
 * ask_written, when it gets its place; what is written as it comes is hurried to the end.
 */
void ask_writes(const struct weft_output *out);
/* Returns OK; an error of writing names the file and the reason. */
bool ask_written(const struct weft_output *out, bool ok, struct weft_err *err);

/* Say on standard error what a view has to remark about a request; nothing, mostly. */
void ask_say_remark(const struct weft_view *view, const struct weft_request *request);
/* A table writer by name: csv, json or text; NULL for another name. */
struct weft_table *ask_table(const char *format, FILE *stream);

#endif
