/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the traces that a command is about, by options that many commands share: how to
 * read them, a window, a part of the tree.  Also checks them at the end, and protects
 * their files.
 */
#ifndef WEFT_CLI_OPEN_TRACES_H
#define WEFT_CLI_OPEN_TRACES_H

#include "base/file.h"
#include "cli/command.h"
#include "read/reader.h"
#include "view/view.h"

/* The traces that a command is about, from ask_open() or ask_begin() to ask_end(). */
struct ask {
    struct weft_trace *trace;      /* the first one: traces[0] */
    struct weft_trace **traces;    /* [set.n_sources]: it and those to compare it with */
    struct weft_source **raw;      /* [set.n_sources]: in raw time (--clock); else NULL */
    struct weft_source **filtered; /* [set.n_sources]: by --filters; else NULL */
    /* [set.n_sources]: filtered[i], else raw[i], else traces[i]'s */
    const struct weft_source **sources;
    const char **names;          /* [set.n_sources]: the paths, as given, without folders */
    struct weft_set set;         /* these sources */
    struct weft_request request; /* by ask_begin(): set, job, window, under, theme, size */
    struct weft_job *job;        /* shows progress; cancelled by a signal */
};

/*
 * Adds to LIST the options of every command that opens a trace: --map, --time-unit, and
 * those of readers, as --set where a reader has settings.  A command's table has a row
 * { .expand = ask_list_reading }.
 */
void ask_list_reading(struct weft_option_list *list);
/*
 * Adds to LIST the options of every command that opens a trace and shows a view: --map,
 * --time-unit, those of readers, and --set, for the view and for readers.
 */
void ask_list_view_reading(struct weft_option_list *list);

/* The option of commands that show a trace as filters leave it (doc/filters.md). */
#define ASK_FILTERS                                                                        \
 {                                                                                         \
  "filters", 0, "FILE", false, "group, hide, move and colour as the lines of FILE say"     \
 }

/* Rows for the front of a command's table: the options that ask_begin() reads. */
#define ASK_OPTIONS                                                                            \
 { "range", 0, "T0:T1", false, "only this part of the time (also T0+LENGTH)" },                \
     { "under", 0, "CONTAINER", false, "only this container and what it holds" },              \
     ASK_FILTERS,                                                                              \
     { "clock", 0, "TIME", false,                                                              \
       "times as they were corrected (corrected, the default), or as each clock said (raw)" }, \
 {                                                                                             \
  .expand = ask_list_view_reading                                                              \
 }

/* The option of commands that print tables (ask_table). */
#define ASK_ALL_COLUMNS                                                                    \
 {                                                                                         \
  "all-columns", 0, NULL, false, "text: more than eight columns, if the table has them"    \
 }

/*
 * Sets *OPTIONS, how to read a trace, by the command's options and by each --set that is
 * for the reader; its memory is that of ARGUMENTS.  Other settings are for the view and not
 * checked here; without HAS_VIEW they are an error.  Fails with WEFT_ERR_USAGE for a wrong
 * value, and if the file of --map cannot be read (WEFT_ERR_READ) or has a mistake
 * (WEFT_ERR_FORMAT).
 */
bool ask_reading(const struct weft_arguments *arguments, bool has_view,
                 struct weft_read_options *options, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Opens the trace at PATH by weft_open() with OPTIONS, and JOB for progress; NULL with
 * *ERR if it fails; weft_trace_close() frees it.  *INDEX_PATH, unless INDEX_PATH is NULL,
 * becomes the path of the store that is read (PATH, or a cached index), which the caller
 * frees; NULL: a temporary one.  Warns on standard error about rules of the map (--map)
 * that match nothing in the trace.  If PATH is a store, a signal ends the program within
 * 30 ms from here on, removing no file (weft_progress_hurry()); a command that writes
 * files later must switch this off first.
 */
struct weft_trace *ask_trace(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path,
                             struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Warns on standard error about rules of the file MAP that match nothing in SCHEMA.  No
 * effect if MAP is NULL or "", or cannot be read.
 */
void ask_say_unused_rules(const char *map, const struct weft_schema *schema);
/*
 * Returns true if a setting "NAME=VALUE" (--set) is for the reader of the trace, not for
 * the view.
 */
bool ask_is_reading(const char *setting);

/*
 * Sets *FILTERED to BELOW as the file of --filters says, which the caller frees by
 * weft_filtered_free(); to NULL without that option.  Returns false with *ERR if the file
 * cannot be read or a line of it is wrong.
 */
bool ask_filtered(const struct weft_arguments *arguments, const struct weft_source *below,
                  struct weft_source **filtered, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Sets *ASK, with a new job (weft_progress_begin()) and a set of one trace: opens PATH as
 * the options in ARGUMENTS say (ask_reading()), in corrected time; the request is zero.
 * ask_end() ends it.  On failure returns false with *ERR, and nothing is left open.
 */
bool ask_open(struct ask *ask, const struct weft_arguments *arguments, const char *path,
              struct weft_err *err);
/*
 * Sets *ASK, with a new job (weft_progress_begin()) and a set of one trace: opens PATH as
 * the options in ARGUMENTS say, in raw time if --clock asks for it.  Sets its request by
 * ASK_OPTIONS (the whole trace unless they say otherwise), with the light theme and a size
 * of 1280 x 720 pixels.  ask_end() ends it.  On failure returns false with *ERR, and
 * nothing is left open.
 */
bool ask_begin(struct ask *ask, const struct weft_arguments *arguments, const char *path,
               struct weft_err *err);
/*
 * Sets the moment of ask->request (`at`, `has_at`) by TEXT, a time (--at) in the first
 * trace.  Returns false with WEFT_ERR_USAGE if it is no time or outside of the trace.
 */
bool ask_moment(struct ask *ask, const char *text, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Opens another trace, at PATH, as the options in ARGUMENTS say, and adds it to ask->set;
 * --clock has no effect.  Returns false with *ERR; ASK then stays open, with the traces
 * before.
 */
bool ask_open_also(struct ask *ask, const struct weft_arguments *arguments,
                   const char *path, struct weft_err *err);
/*
 * Opens another trace, at PATH, as the options in ARGUMENTS say, and adds it to ask->set,
 * with raw times if --clock asks for them.  Returns false with *ERR; ASK stays open.  If it
 * fails only because the value of --clock is wrong, the trace has been added all the same.
 */
bool ask_add(struct ask *ask, const struct weft_arguments *arguments, const char *path,
             struct weft_err *err);
/*
 * Says on standard error, in one line, if the trace at PATH has problems other than notes
 * (how many, and the worst): something of it is missing or wrong, which a table does not
 * show.
 */
void ask_tell_problems(const struct weft_trace *trace, const char *path);
/*
 * Flushes the printed answer (false with WEFT_ERR_WRITE if that fails), then says on
 * standard error which traces that ASK has open (PATHS[i] for ask->traces[i]) have problems
 * other than notes (ask_tell_problems()).
 */
bool ask_tell_all_problems(const struct ask *ask, const char *const *paths,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * If a signal has cancelled ask->job, makes the program end within 30 ms, whatever it does,
 * with the status of the signal; no effect otherwise.  Call it before a shelf (what views
 * keep between frames) is freed: that would wait for threads that have not noticed the
 * cancellation, but they have no files to finish.
 */
void ask_leave(const struct ask *ask);
/* Ends the job, closes the traces and frees the memory of ASK; includes ask_leave(). */
void ask_end(struct ask *ask);
/*
 * Returns OK (whether a command succeeded with TRACE) if the trace's file has not changed
 * since it was opened, or TRACE is NULL; else returns false and replaces *ERR by
 * WEFT_ERR_READ.
 */
bool ask_intact(const struct weft_trace *trace, bool ok, struct weft_err *err);
/*
 * Returns OK if no file of the traces that ASK has open has changed since it was opened;
 * else returns false and replaces *ERR by WEFT_ERR_READ.
 */
bool ask_all_intact(const struct ask *ask, bool ok, struct weft_err *err);

/*
 * Returns false with WEFT_ERR_FORMAT if something that was asked of SOURCE, the trace at
 * PATH, could not be read since it is damaged, so that the printed answer lacks it.  Call
 * it when the answer is complete.
 */
bool ask_whole(const struct weft_source *source, const char *path,
               struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns false with WEFT_ERR_FORMAT if something that was asked of a trace that ASK has
 * open (PATHS[i] for ask->traces[i]) could not be read since it is damaged.
 */
bool ask_all_whole(const struct ask *ask, const char *const *paths,
                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * If *ERR says that the trace has none of what was asked for (WEFT_ERR_FORMAT, without a
 * file) and the trace is damaged or has problems, also if they are only notes, appends to
 * its message that something may be missing.  No effect on other errors.
 */
void ask_hint(const struct weft_source *source, struct weft_err *err);

/*
 * Returns false with WEFT_ERR_USAGE if the path OUTPUT names the file of the trace at PATH
 * (the file that standard input reads if PATH is "-"), maybe by another name: writing it
 * would replace the trace.  True if OUTPUT does not exist.
 */
bool ask_keeps_trace(const char *path, const char *output,
                     struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns false with WEFT_ERR_USAGE if the path OUTPUT names the file PATH, which is read,
 * maybe by another name: writing it would replace that.  True if PATH is NULL.
 */
bool ask_keeps_file(const char *path, const char *output,
                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns false with WEFT_ERR_USAGE if the path OUTPUT names one of the files that
 * ARGUMENTS name for reading beside the trace: that of --map, and those of readers'
 * options.
 */
bool ask_keeps_beside(const struct weft_arguments *arguments, const char *output,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Declares that only OUT is being written: from here to ask_written(), a signal ends the
 * program within 30 ms, and removes only the hidden file of OUT, if it has one
 * (weft_progress_hurry()).  An output that is not renamed into place stays in that state
 * to the end.
 */
void ask_writes(const struct weft_output *out);
/*
 * Ends ask_writes().  Returns OK, whether writing succeeded; if it is false since OUT
 * could not be written, sets *ERR to the reason (WEFT_ERR_WRITE).
 */
bool ask_written(const struct weft_output *out, bool ok, struct weft_err *err);

/* Prints the remark that VIEW has about REQUEST, if any, on standard error. */
void ask_say_remark(const struct weft_view *view, const struct weft_request *request);
/*
 * Returns a new writer of a table of VIEW (NULL: of no view) to STREAM as FORMAT "csv",
 * "json" or "text", which the caller frees by weft_table_free(); NULL for another name.
 * Text has eight columns at most, unless ARGUMENTS, of a command with ASK_ALL_COLUMNS, have
 * that option or are NULL.  ARGUMENTS must outlive the writer.
 */
struct weft_table *ask_table(const struct weft_arguments *arguments,
                             const struct weft_view *view, const char *format,
                             FILE *stream);

#endif
