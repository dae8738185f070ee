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
        *traces;              /* [set.n_sources]: the trace and those to compare it with */
    struct weft_source **raw; /* [set.n_sources]: the source in raw time, or NULL */
    const struct weft_source **sources;
    struct weft_set set;
    struct weft_request request; /* set, window, under and theme are filled in */
    struct weft_job *job;
};

/*
 * Add the options of every command that opens a trace, among them those of readers: the
 * command's table has a row { .expand = ask_list_reading }, or, if it shows a view, so that
 * --set is for the view, too, { .expand = ask_list_view_reading }.
 */
void ask_list_reading(struct weft_option_list *list);
void ask_list_view_reading(struct weft_option_list *list);

/* Options that ask_begin understands, for the front of a command's table. */
#define ASK_OPTIONS                                                                            \
 { "range", 0, "T0:T1", false, "only this part of the time (also T0+LENGTH)" },                \
     { "under", 0, "CONTAINER", false, "only this container and what it holds" },              \
     { "clock", 0, "TIME", false,                                                              \
       "times as they were corrected (corrected, the default), or as each clock said (raw)" }, \
 {                                                                                             \
  .expand = ask_list_view_reading                                                              \
 }

/*
 * Sets *OPTIONS, how to read a trace, by the command's options and by each --set that is
 * for the reader.  Other settings are for the view; without HAS_VIEW they are an error
 * (WEFT_ERR_USAGE).
 */
bool ask_reading(const struct weft_arguments *arguments, bool has_view,
                 struct weft_read_options *options, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Opens the trace like weft_open, and warns on standard error about rules of the map
 * (--map) that match nothing in the trace.  If PATH is a store, a signal ends the program
 * after 30 ms from here on (weft_progress_hurry); a command that writes files later must
 * switch this off first.
 */
struct weft_trace *ask_trace(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path,
                             struct weft_err *err) WEFT_MUST_CHECK;
/* Warns about rules of the file MAP that match nothing in SCHEMA; NULL and "": no file. */
void ask_say_unused_rules(const char *map, const struct weft_schema *schema);
/* Returns true if a setting NAME=VALUE is for the reader of the trace, not for the view. */
bool ask_is_reading(const char *setting);

/*
 * Opens the trace PATH and sets ask->set to it, read by ask_reading().  On failure returns
 * false with *ERR, and nothing is left open.
 */
bool ask_open(struct ask *ask, const struct weft_arguments *arguments, const char *path,
              struct weft_err *err);
/* Like ask_open(), and sets ask->request by ASK_OPTIONS. */
bool ask_begin(struct ask *ask, const struct weft_arguments *arguments, const char *path,
               struct weft_err *err);
/* Sets the request's moment by TEXT, a time (--at); false with *ERR. */
bool ask_moment(struct ask *ask, const char *text, struct weft_err *err) WEFT_MUST_CHECK;
/* Opens another trace by ask_reading() and adds it to ask->set; --clock has no effect. */
bool ask_open_also(struct ask *ask, const struct weft_arguments *arguments,
                   const char *path, struct weft_err *err);
/* Like ask_open_also(), but with raw times if --clock asks for them. */
bool ask_add(struct ask *ask, const struct weft_arguments *arguments, const char *path,
             struct weft_err *err);
/*
 * Says on standard error, in one line, if something of the trace at PATH is missing or
 * wrong (it has problems or damage), which a table does not show.
 */
void ask_tell_problems(const struct weft_trace *trace, const char *path);
/*
 * Calls ask_tell_problems() for all traces that an ask has open, PATHS[i] for traces[i],
 * after flushing the printed answer; false with *ERR if flushing fails.
 */
bool ask_tell_all_problems(const struct ask *ask, const char *const *paths,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * If the job was cancelled, ends the program after 30 ms: freeing a shelf would wait for
 * threads that have not noticed the cancellation, but they have no files to finish.
 */
void ask_leave(const struct ask *ask);
void ask_end(struct ask *ask);
/*
 * Returns OK (whether a command succeeded with TRACE, which may be NULL) if the trace's
 * file has not changed since it was opened; else returns false and replaces *ERR.
 */
bool ask_intact(const struct weft_trace *trace, bool ok, struct weft_err *err);
/* Like ask_intact(), for all traces that an ask has open. */
bool ask_all_intact(const struct ask *ask, bool ok, struct weft_err *err);

/*
 * Returns false with WEFT_ERR_FORMAT if something that was asked of SOURCE could not be
 * read, so that the printed answer lacks it.  Call it when the answer is complete.
 */
bool ask_whole(const struct weft_source *source, const char *path,
               struct weft_err *err) WEFT_MUST_CHECK;
/* Like ask_whole(), for all traces that an ask has open, PATHS[i] for traces[i]. */
bool ask_all_whole(const struct ask *ask, const char *const *paths,
                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Adds to the error that the trace has none of what was asked for (WEFT_ERR_FORMAT, without
 * a file) that it may be missing, if the trace has problems.
 */
void ask_hint(const struct weft_source *source, struct weft_err *err);

/*
 * Returns false with WEFT_ERR_USAGE if OUTPUT is the trace at PATH, which must not be
 * replaced.  PATH "-" is standard input.
 */
bool ask_keeps_trace(const char *path, const char *output,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Like ask_keeps_trace(), for another file PATH that is read; true if PATH is NULL. */
bool ask_keeps_file(const char *path, const char *output,
                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Like ask_keeps_trace(), for the files that ARGUMENTS name: --map, and those of readers.
 */
bool ask_keeps_beside(const struct weft_arguments *arguments, const char *output,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * From here to ask_written, a cancelled command has to remove nothing but OUT
 * (weft_progress_hurry).  An output that is not renamed into place stays in that state to
 * the end.
 */
void ask_writes(const struct weft_output *out);
/* Ends ask_writes(); returns OK, and sets *ERR if writing OUT has failed. */
bool ask_written(const struct weft_output *out, bool ok, struct weft_err *err);

/* Prints the view's remark about the request, if any, on standard error. */
void ask_say_remark(const struct weft_view *view, const struct weft_request *request);
/* Returns a new table writer of FORMAT csv, json or text; NULL for another name. */
struct weft_table *ask_table(const char *format, FILE *stream);

#endif
