/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "fghc/trace.h"
#include "read/reader.h"

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

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static bool write_output(const struct fghc_result *result, const struct program *program,
                         const char *path, struct weft_err *err)
{
    struct weft_output out;
    if (ends_with(path, ".weft"))
        return fghc_write_store(result, program, path, err);
    if (!weft_output_open(&out, path, err))
        return false;
    if (fghc_write_vista(result, out.stream))
        return weft_output_commit(&out, err);
    weft_output_abandon(&out);
    return weft_fail(err, WEFT_ERR_WRITE, "cannot write %s", path);
}

static void say(const struct fghc_result *result, const struct query *query)
{
    for (uint32_t v = 0; v < query->n_variables; v++)
        if (query->names[v][0] != '_')
            printf("%s = %s\n", query->names[v], result->answers[v]);
    fprintf(stderr, "weft: %llu reductions", (unsigned long long)result->reductions);
    for (unsigned i = 0; result->pes > 1 && i < result->pes; i++)
        fprintf(stderr, "%s%llu", i ? " + " : " (", (unsigned long long)result->by_pe[i]);
    fprintf(stderr, "%s, %llu suspensions, %llu migrations in %.3f s\n",
            result->pes > 1 ? ")" : "", (unsigned long long)result->suspensions,
            (unsigned long long)result->migrations, result->seconds);
}

static int run_program(const struct weft_arguments *arguments, struct program *program,
                       struct fghc_options *options)
{
    struct weft_err err = { 0 };
    struct query query = { 0 };
    struct fghc_result result;
    const char *goal = arguments->n_positional > 1 ? arguments->positional[1] : "main";
    const char *output = weft_option_value(arguments, "output");
    if (!program_read_goal(program, goal, &query, &err))
        return weft_report(&err);
    if (output && query.n_calls != 1)
        return weft_usage(arguments->command,
                          "a recording is one tree: the goal '%s' must be one call", goal);
    options->job = weft_progress_begin("running");
    options->job->progress = NULL; /* the terminal is the program's */
    bool ok = fghc_run(program, &query, options, &result, &err);
    weft_progress_end(options->job);
    fflush(stdout);
    say(&result, &query);
    struct weft_err trouble = { 0 };
    if (output && !write_output(&result, program, output, &trouble) && ok) {
        err = trouble;
        ok = false;
    }
    fghc_result_free(&result, &query);
    return ok ? 0 : weft_report(&err);
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct program program;
    unsigned long long pes, seed, megabytes, pace;
    const char *output = weft_option_value(arguments, "output");
    if (!number_of(arguments, "pes", 1, MOST_PES, 1, &pes, &err)
        || !number_of(arguments, "seed", 1, UINT64_MAX, 0, &seed, &err)
        || !number_of(arguments, "pace", 1, 1000000, 0, &pace, &err)
        || !number_of(arguments, "memory", 16, 1u << 24, 2048, &megabytes, &err))
        return weft_report(&err);
    if (output && !ends_with(output, ".vista") && !ends_with(output, ".weft"))
        return weft_usage(arguments->command, "'%s' must end in .vista or .weft", output);
    struct fghc_options options = { .pes = (unsigned)pes,
                                    .seed = seed,
                                    .int32 = weft_option_given(arguments, "int32"),
                                    .record = output != NULL,
                                    .pace = (uint32_t)pace,
                                    .most_bytes = megabytes << 20,
                                    .out = stdout,
                                    .in = stdin };
    if (!program_read(&program, (const char *const *)arguments->positional, 1, &err))
        return weft_report(&err);
    int status = run_program(arguments, &program, &options);
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
    { "memory", 0, "MB", false,
      "what terms and goals may take, 16 or more (2048); a recording may take 4 times as much" },
};

const struct weft_command weft_command_fghc = {
    .name = "fghc",
    .arguments = "PROGRAM.fghc ['GOAL']",
    .summary = "run an FGHC program on threads",
    .description =
        "Runs a goal (main unless given) of a program in FGHC, a language of small-grain "
        "parallelism, on processing elements that are threads, and prints the values of the "
        "goal's variables. With -o the run is recorded for the views of the tree group: as a "
        "store, with what goals waited for and whose binding woke them, or as VISTA's file. A "
        "goal that no clause fits, or that waits for ever, ends the command with status 3 "
        "and is named with its line.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 2,
    .run = run,
};
