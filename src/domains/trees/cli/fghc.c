/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "domains/trees/cli/fghc_recording_to_trace.h"
#include "domains/trees/fghc/machine.h"

static bool number_of(const struct weft_arguments *arguments, const char *name,
                      unsigned long long least, unsigned long long most,
                      unsigned long long fallback, unsigned long long *number,
                      struct weft_err *err)
{
    const char *text = weft_option_value(arguments, name);
    char *end = NULL;
    *number = text ? strtoull(text, &end, 10) : fallback;
    return !text || (*text && !*end && *number >= least && *number <= most)
           || weft_fail(err, WEFT_ERR_USAGE, "bad --%s '%s' (right: %llu to %llu)", name,
                        text, least, most);
}

/*
 * Does without printf, whose output is at most INT_MAX bytes. main checks stdout for
 * errors.
 */
static void write_answer(const char *name, const char *value)
{
    (void)(fputs(name, stdout) >= 0 && fputs(" = ", stdout) >= 0
           && fputs(value, stdout) >= 0 && fputc('\n', stdout) >= 0);
}

static void say(const struct fghc_result *result, const struct query *query)
{
    for (uint32_t v = 0; v < query->n_variables; v++)
        if (result->answers[v])
            write_answer(query->names[v], result->answers[v]);
    fprintf(stderr, "weft: %llu reductions", (unsigned long long)result->reductions);
    for (unsigned i = 0; result->pes > 1 && i < result->pes; i++)
        fprintf(stderr, "%s%llu", i ? " + " : " (", (unsigned long long)result->by_pe[i]);
    fprintf(stderr, "%s, %llu suspensions, %llu migrations in %.3f s\n",
            result->pes > 1 ? ")" : "", (unsigned long long)result->suspensions,
            (unsigned long long)result->migrations, result->seconds);
}

/*
 * Prints the program's errors after the first, which the caller reports, or its warnings
 * when there is no error.
 */
static void print_notes(const struct program *program)
{
    const struct program_notes *notes = &program->notes;
    size_t printed = 0, more;
    for (size_t i = 0; i < notes->n; i++) {
        const struct program_note *note = &notes->list[i];
        if (notes->n_errors && !note->is_error)
            continue; /* errors only: warnings may follow from them */
        if (printed++ && note->is_error)
            weft_report(&note->err);
        else if (!note->is_error)
            fprintf(stderr, "weft: warning: %s:%llu: %s\n", note->err.file,
                    (unsigned long long)note->err.line, note->err.message);
    }
    more = (notes->n_errors ? notes->n_errors : notes->n_warnings) - printed;
    if (more)
        fprintf(stderr, "weft: and %zu more\n", more);
}

/* Runs the goal and writes the recording, also when the run fails or is interrupted. */
static bool run_goal(struct program *program, const struct query *query,
                     struct fghc_options *options, const char *output, struct weft_err *err)
{
    struct fghc_result result;
    char *recording = output ? fghc_recording_name(output, err) : NULL;
    if (output && !recording)
        return false;
    options->record_to = recording;
    options->job = weft_progress_begin("running");
    options->job->progress = NULL; /* no progress: the terminal is the program's */
    bool ok = fghc_run(program, query, options, &result, err);
    weft_progress_end(options->job);
    if (ok && weft_progress_signal()) /* a signal arrived after the run */
        ok = weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    fflush(stdout);
    if (result.answers)
        say(&result, query);
    struct weft_err trouble = { 0 };
    if (output && result.answers && weft_progress_signal())
        fprintf(stderr, "weft: writing what ran until then; Ctrl-C ends that, too\n");
    if (output && !result.answers) { /* the run did not begin */
        unlink(recording);
    } else if (output && fghc_write_output(recording, output, &trouble)) {
        if (!ok)
            fprintf(stderr, "weft: %s has what ran until then\n", output);
    } else if (output && ok) {
        *err = trouble;
        ok = false;
    } else if (output) { /* report the second error here */
        (void)weft_report(&trouble);
    }
    fghc_result_free(&result, query);
    free(recording);
    return ok;
}

static int run_program(const struct weft_arguments *arguments, struct program *program,
                       const char *goal, struct fghc_options *options)
{
    struct weft_err err = { 0 };
    struct query query = { 0 };
    const char *output = weft_option_value(arguments, "output");
    if (!program_read_goal(program, goal, &query, &err))
        return weft_report(&err);
    if (output && query.n_calls != 1)
        return weft_usage(arguments->command,
                          "a recording is one tree: the goal '%s' must be one call", goal);
    return run_goal(program, &query, options, output, &err) ? 0 : weft_report(&err);
}

/*
 * Returns how many arguments are programs: the last one is the goal unless it is a file's
 * name.
 */
static size_t count_programs(const struct weft_arguments *arguments)
{
    size_t n = arguments->n_positional;
    return n > 1 && access(arguments->positional[n - 1], F_OK) != 0 ? n - 1 : n;
}

static bool fill_options(const struct weft_arguments *arguments,
                         struct fghc_options *options, struct weft_err *err)
{
    unsigned long long pes, seed, megabytes, pace;
    if (!number_of(arguments, "pes", 1, MAX_PES, 1, &pes, err)
        || !number_of(arguments, "seed", 1, UINT64_MAX, 0, &seed, err)
        || !number_of(arguments, "pace", 1, 1000000, 0, &pace, err)
        || !number_of(arguments, "memory", 16, 1u << 24, 2048, &megabytes, err))
        return false;
    const char **values = weft_option_values(arguments, "arg");
    size_t n = 0;
    while (values && values[n])
        n++;
    *options = (struct fghc_options){ .pes = (unsigned)pes,
                                      .seed = seed,
                                      .int32 = weft_option_given(arguments, "int32"),
                                      .pace = (uint32_t)pace,
                                      .most_bytes = megabytes << 20,
                                      .out = stdout,
                                      .errors = stderr,
                                      .in = stdin,
                                      .arguments = values,
                                      .n_arguments = n };
    return true;
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct program program;
    struct fghc_options options;
    const char *output = weft_option_value(arguments, "output");
    size_t n = count_programs(arguments);
    if (!fill_options(arguments, &options, &err))
        return weft_report(&err);
    if (output && !fghc_is_output_name(output))
        return weft_usage(arguments->command, "'%s' must end in .vista or .weft", output);
    bool ok = program_read(&program, (const char *const *)arguments->positional, n, &err);
    int status = ok ? 0 : weft_report(&err);
    print_notes(&program);
    if (ok)
        status = run_program(
            arguments, &program,
            n < arguments->n_positional ? arguments->positional[n] : "main", &options);
    program_free(&program);
    return status;
}

static const struct weft_option options[] = {
    { "pes", 0, "N", false, "processing elements, each a thread (1)" },
    { "output", 'o', "FILE", false, "record every reduction: FILE.weft or FILE.vista" },
    { "seed", 0, "N", false, "take goals in a random order" },
    { "pace", 0, "US", false,
      "every reduction takes so many microseconds, as if it were work" },
    { "int32", 0, NULL, false, "arithmetic wraps at 32 bits instead of 64" },
    { "memory", 0, "MB", false, "what terms and goals may take, 16 or more (2048)" },
    { "arg", 0, "TEXT", true, "an argument of the program, for unix:argv" },
};

const struct weft_command weft_command_fghc = {
    .name = "fghc",
    .arguments = "PROGRAM.fghc... ['GOAL']",
    .summary = "run an FGHC program on threads",
    .description =
        "Runs a goal (main unless given) of a program in FGHC, a language of small-grain "
        "parallelism, on processing elements that are threads, and prints the values of the "
        "goal's variables. With -o the run is recorded for the views of the tree group: as a "
        "store, with what goals waited for and whose binding woke them, or as VISTA's file. The "
        "records go to a file beside it as the run goes; a run that was killed leaves that "
        "file, and weft recover makes the recording of it. A "
        "goal that no clause fits, or that waits for ever, ends the command with status 3 "
        "and is named with its line.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = SIZE_MAX,
    .run = run,
};
