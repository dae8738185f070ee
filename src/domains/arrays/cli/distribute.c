/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "cli/open_traces.h"
#include "domains/arrays/model/advise.h"
#include "view/text.h"

const struct weft_command weft_command_distribute;

enum { FIRST_ROWS = 20 };          /* rows of the table printed as text */
static const double MAX_NS = 1e15; /* limit of a cost, so that sums stay finite */

struct distribute_options {
    struct weft_advice_query query;
    const char *array, *beside, *output, *format;
    uint64_t most; /* limit of rows */
    bool explain;
};

/* ---- Options ---- */

static bool read_whole(const struct weft_arguments *arguments, const char *name,
                       uint64_t least, uint64_t most, uint64_t *out, struct weft_err *err)
{
    const char *given = weft_option_value(arguments, name);
    enum { DIGITS = 9 };
    if (!given)
        return true;
    size_t n = strspn(given, "0123456789");
    *out = strtoull(given, NULL, 10);
    return (n && n <= DIGITS && !given[n] && *out >= least && *out <= most)
           || weft_fail(err, WEFT_ERR_USAGE,
                        "--%s is \"%s\"; it should be a whole number from %" PRIu64
                        " to %" PRIu64,
                        name, given, least, most);
}

static bool read_cost(const struct weft_arguments *arguments, const char *name, double *out,
                      struct weft_err *err)
{
    const char *given = weft_option_value(arguments, name);
    char *end;
    if (!given)
        return true;
    errno = 0;
    *out = strtod(given, &end);
    return (*given && !*end && !errno && *out >= 0 && *out <= MAX_NS)
           || weft_fail(
               err, WEFT_ERR_USAGE,
               "--%s is \"%s\"; it should be a number of nanoseconds, 10^15 at most", name,
               given);
}

static bool read_rank(const struct weft_arguments *arguments, enum weft_advice_rank *out,
                      struct weft_err *err)
{
    static const char *const names[] = { [WEFT_ADVICE_TIME] = "time",
                                         [WEFT_ADVICE_REMOTE] = "remote",
                                         [WEFT_ADVICE_IMBALANCE] = "imbalance" };
    const char *given = weft_option_value(arguments, "rank");
    *out = WEFT_ADVICE_TIME;
    for (int i = 0; i < 3; i++)
        if (given && strcmp(given, names[i]) == 0) {
            *out = (enum weft_advice_rank)i;
            return true;
        }
    return !given
           || weft_fail(err, WEFT_ERR_USAGE,
                        "--rank is \"%s\"; it should be time, remote or imbalance", given);
}

static bool read_options(const struct weft_arguments *arguments,
                         struct distribute_options *request, struct weft_err *err)
{
    struct weft_advice_query *query = &request->query;
    request->array = weft_option_value(arguments, "array");
    request->beside = weft_option_value(arguments, "beside");
    request->output = weft_option_value(arguments, "output");
    request->format = weft_option_value(arguments, "format");
    request->format = request->format ? request->format : "text";
    request->explain = weft_option_given(arguments, "explain");
    request->most = strcmp(request->format, "text") == 0 ? FIRST_ROWS : UINT64_MAX;
    /* Costs of a local access, a message between two nodes, and 10 GB a second. */
    query->costs = (struct weft_advice_costs){ 1, 1000, 0.1 };
    if (!weft_option_given(arguments, "processors"))
        return weft_fail(err, WEFT_ERR_USAGE, "--processors N is missing");
    return read_whole(arguments, "processors", 1, WEFT_ADVICE_PROCESSORS,
                      &query->processors, err)
           && read_whole(arguments, "most", 1, 999999999, &request->most, err)
           && read_rank(arguments, &query->rank, err)
           && read_cost(arguments, "access-ns", &query->costs.access_ns, err)
           && read_cost(arguments, "message-ns", &query->costs.message_ns, err)
           && read_cost(arguments, "byte-ns", &query->costs.byte_ns, err);
}

/* ---- What is printed ---- */

static bool put_rows(const struct distribute_options *request,
                     const struct weft_advice *advice, struct weft_err *err)
{
    static const char *const names[] = { "distribution", "remote_pct", "max_over_mean_load",
                                         "messages",     "bytes",      "estimated_ns" };
    struct weft_table *table = ask_table(NULL, NULL, request->format, stdout);
    if (!table)
        return weft_fail(err, WEFT_ERR_USAGE, "bad format '%s' (right: text, csv, json)",
                         request->format);
    table->begin(table, names, 6);
    for (size_t i = 0; i < advice->n; i++) {
        const struct weft_advice_row *row = &advice->rows[i];
        if (i >= request->most && row->number != WEFT_NONE)
            continue;
        char *own = row->number == WEFT_NONE
                        ? weft_asprintf("%s: %s", request->beside, row->distribution.text)
                        : NULL;
        double all = row->references ? (double)row->references : 1;
        const struct weft_cell cells[] = {
            weft_text_cell(own ? own : row->distribution.text),
            weft_real_cell(100 * (double)row->remote / all, 2),
            weft_real_cell(weft_advice_imbalance(row, advice->processors), 3),
            weft_integer_cell((int64_t)row->messages),
            weft_integer_cell((int64_t)row->bytes),
            weft_real_cell(row->estimated_ns, 0),
        };
        bool more = table->row(table, cells);
        free(own);
        if (!more)
            break;
    }
    table->end(table);
    weft_table_free(table);
    return true;
}

static void put_costs(const struct distribute_options *request,
                      const struct weft_profile *profile, const struct weft_advice *advice)
{
    const struct weft_advice_costs *costs = &request->query.costs;
    struct weft_arena arena = { 0 };
    const char *name =
        weft_text_clean(&arena, weft_profile_array(profile, advice->array)->name);
    printf("%s on %" PRIu64 " processors: %zu distributions\n", name, advice->processors,
           advice->n - (request->beside != NULL));
    printf("costs: an access %g ns, a message %g ns, a byte %g ns "
           "(--access-ns, --message-ns, --byte-ns)\n",
           costs->access_ns, costs->message_ns, costs->byte_ns);
    if (advice->left_out)
        printf("%" PRIu64
               " references are left out: of arrays that do not lie along %s, or on "
               "behalf of nobody (%.1f %% of all reads); remote_pct is of the others\n",
               advice->left_out, name,
               advice->reads ? 100 * (double)advice->reads_nobody / (double)advice->reads
                             : 0.0);
    weft_arena_free(&arena);
}

/* Fails, with the shares, if too many reads are left out to say which row is the first. */
static bool check_sound(const struct weft_advice *advice,
                        const struct weft_profile *profile, struct weft_err *err)
{
    double all = advice->reads ? (double)advice->reads : 1;
    uint64_t others = advice->reads_left_out - advice->reads_nobody;
    return weft_advice_is_sound(advice)
           || weft_fail(
               err, WEFT_ERR_FORMAT,
               "no distribution is ranked first: of %" PRIu64
               " reads %.1f %% are on behalf of nobody (no write is known for which they "
               "were made), and %.1f %% are of arrays that do not lie along %s; a ranking "
               "needs nine tenths of the reads",
               advice->reads, 100 * (double)advice->reads_nobody / all,
               100 * (double)others / all,
               weft_profile_array(profile, advice->array)->name);
}

/* A part of the run, and the time that the best row saves in it. */
struct stretch {
    uint32_t from, to;
    double saved;
};

static int by_saving(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    if (a->saved != b->saved)
        return fabs(a->saved) > fabs(b->saved) ? -1 : 1;
    return WEFT_COMPARE(a->from, b->from);
}

/* Merges adjacent parts with the same saving for each step; returns how many remain. */
static uint32_t merge_alike(struct stretch *all, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 1; i < n; i++) {
        struct stretch *to = &all[kept];
        double before = to->saved / (to->to - to->from);
        double now = all[i].saved / (all[i].to - all[i].from);
        if (fabs(before - now) <= 0.01 * fabs(before)) {
            to->saved += all[i].saved;
            to->to = all[i].to;
        } else {
            all[++kept] = all[i];
        }
    }
    return n ? kept + 1 : 0;
}

/* Prints the parts of the run in which the best row differs most from another one. */
static void put_deciding(const struct weft_advice *advice, const char *other,
                         const double *other_ns, size_t best)
{
    enum { STRETCHES = 16, SHOWN = 5 };
    struct stretch all[STRETCHES];
    uint32_t n = advice->n_steps < STRETCHES ? advice->n_steps : STRETCHES;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        all[i].from = (uint32_t)((uint64_t)advice->n_steps * i / n);
        all[i].to = (uint32_t)((uint64_t)advice->n_steps * (i + 1) / n);
        all[i].saved = 0;
        for (uint32_t step = all[i].from; step < all[i].to; step++)
            all[i].saved += other_ns[step] - weft_advice_step_ns(advice, best, step);
        sum += all[i].saved;
    }
    n = merge_alike(all, n);
    qsort(all, n, sizeof *all, by_saving);
    printf("\n%s against %s: %.0f ns less\n", advice->rows[best].distribution.text, other,
           sum);
    for (uint32_t i = 0; i < n && i < SHOWN && all[i].saved != 0; i++)
        printf("  steps %u to %u: %.0f ns %s, %.0f a step\n", all[i].from, all[i].to - 1,
               fabs(all[i].saved), all[i].saved > 0 ? "less" : "more",
               fabs(all[i].saved) / (all[i].to - all[i].from));
}

static void put_phases(const struct weft_advice *advice)
{
    double alone = INFINITY;
    for (size_t i = 0; i < advice->n; i++)
        if (advice->rows[i].number != WEFT_NONE && advice->rows[i].estimated_ns < alone)
            alone = advice->rows[i].estimated_ns;
    if (advice->n_phases < 2) {
        puts("\nNo redistribution pays.");
        return;
    }
    printf("\nDistributed anew between phases: %.0f ns, %.1f %% less\n", advice->phased_ns,
           100 * (1 - advice->phased_ns / alone));
    for (size_t i = 0; i < advice->n_phases; i++) {
        const struct weft_advice_phase *phase = &advice->phases[i];
        printf("  from step %u on %s", phase->step,
               advice->rows[phase->row].distribution.text);
        if (i)
            printf(" (moving %" PRIu64 " bytes in %" PRIu64 " messages: %.0f ns)",
                   phase->moved_bytes, phase->messages, phase->moving_ns);
        putchar('\n');
    }
}

/* Explains which steps decide between the best row and the user's own, or else the next
   best. */
static void explain(const struct distribute_options *request,
                    const struct weft_advice *advice, const double *own_ns)
{
    size_t best = advice->rows[0].number == WEFT_NONE, next = best + 1;
    while (next < advice->n
           && (advice->rows[next].number == WEFT_NONE
               || advice->rows[next].estimated_ns == advice->rows[best].estimated_ns))
        next++;
    if (own_ns) {
        put_deciding(advice, request->beside, own_ns, best);
    } else if (next < advice->n) {
        double *ns = weft_alloc(advice->n_steps * sizeof *ns);
        for (uint32_t step = 0; step < advice->n_steps; step++)
            ns[step] = weft_advice_step_ns(advice, next, step);
        put_deciding(advice, advice->rows[next].distribution.text, ns, best);
        free(ns);
    }
    put_phases(advice);
}

/* Writes the best candidate as directives.  Fails if the trace changed meanwhile. */
static bool write_winner(const struct distribute_options *request,
                         const struct weft_trace *trace, const struct weft_advice *advice,
                         const struct weft_profile *profile, struct weft_err *err)
{
    struct weft_output out;
    if (!request->output)
        return true;
    if (!weft_output_open(&out, request->output, err))
        return false;
    char *text =
        weft_advice_directives(advice, profile, advice->rows[0].number == WEFT_NONE);
    fputs(text, out.stream);
    free(text);
    if (weft_trace_intact(trace, err))
        return weft_output_commit(&out, err);
    weft_output_abandon(&out);
    return false;
}

static bool put_all(const struct distribute_options *request,
                    const struct weft_trace *trace, struct weft_advice *advice,
                    const struct weft_profile *profile, struct weft_job *job,
                    struct weft_err *err)
{
    bool text = strcmp(request->format, "text") == 0;
    double *own_ns = NULL;
    bool ok = true;
    if (request->beside) {
        struct weft_advice_row own;
        struct weft_distributions *set =
            weft_distributions_read(request->beside, profile, err);
        own_ns = weft_alloc(advice->n_steps * sizeof *own_ns);
        ok = set && weft_advice_of(&request->query, set, &own, own_ns, job, err);
        if (ok)
            weft_advice_insert(advice, &own, request->query.rank);
        weft_distributions_free(set);
    }
    weft_progress_end(job);
    if (ok && text)
        put_costs(request, profile, advice);
    ok = ok && put_rows(request, advice, err);
    if (ok && text && request->explain)
        explain(request, advice, own_ns);
    ok = ok && write_winner(request, trace, advice, profile, err);
    free(own_ns);
    return ok;
}

static bool advise(struct distribute_options *request, const struct weft_trace *trace,
                   struct weft_err *err)
{
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_job *job = weft_progress_begin("evaluating");
    struct weft_profile *profile = weft_profile_open(source, job, err);
    struct weft_advice *advice = NULL;
    bool ok = profile != NULL;
    request->query.profile = profile;
    request->query.array = WEFT_NONE;
    if (ok && request->array) {
        request->query.array = weft_profile_array_named(profile, request->array);
        ok = request->query.array != WEFT_NONE
             || weft_fail(err, WEFT_ERR_USAGE,
                          "there is no array \"%s\" (weft info says which there are)",
                          request->array);
    }
    if (ok)
        advice = weft_advice_make(&request->query, job, err);
    ok = advice && check_sound(advice, profile, err);
    if (ok)
        ok = put_all(request, trace, advice, profile, job, err);
    else
        weft_progress_end(job);
    weft_advice_free(advice);
    weft_profile_close(profile);
    return ok && advice;
}

static int run(const struct weft_arguments *arguments)
{
    const char *path = arguments->positional[0];
    struct weft_err err = { 0 };
    struct weft_read_options options;
    struct distribute_options request = { 0 };
    if (!ask_reading(arguments, false, &options, &err)
        || !read_options(arguments, &request, &err))
        return err.code == WEFT_ERR_USAGE && !err.file[0]
                   ? weft_usage(&weft_command_distribute, "%s", err.message)
                   : weft_report(&err);
    if (request.output
        && (!ask_keeps_trace(path, request.output, &err)
            || !ask_keeps_beside(arguments, request.output, &err)
            || !ask_keeps_file(request.beside, request.output, &err)))
        return weft_report(&err);
    struct weft_job *job = weft_progress_begin("reading");
    struct weft_trace *trace = ask_trace(path, &options, job, NULL, &err);
    weft_progress_end(job);
    if (!trace)
        return weft_report(&err);
    bool ok = advise(&request, trace, &err);
    if (!ok)
        ask_hint(weft_trace_source(trace), &err);
    ok = ok && ask_whole(weft_trace_source(trace), path, &err);
    ok = ok && weft_flush_output(&err);
    ok = ask_intact(trace, ok, &err);
    if (ok)
        ask_tell_problems(trace, path);
    weft_trace_close(trace);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    { "processors", 0, "N", false, "over how many processors (1 to 1024)" },
    { "rank", 0, "BY", false,
      "best first by time (default), remote references or imbalance" },
    { "explain", 0, NULL, false,
      "text: say which steps decide, and where distributing anew pays" },
    { "array", 0, "NAME", false, "the array that is distributed (the most used one)" },
    { "beside", 0, "FILE", false, "rank a distribution of your own among the others" },
    { "output", 'o', "FILE", false, "write the best as directives" },
    { "most", 0, "N", false, "rows (20 as text, else all)" },
    { "access-ns", 0, "NS", false, "what an access costs (1)" },
    { "message-ns", 0, "NS", false, "what a message costs (1000)" },
    { "byte-ns", 0, "NS", false, "what a byte of a message costs (0.1)" },
    { "format", 0, "FORMAT", false, "text, csv or json" },
    { .expand = ask_list_reading },
};

const struct weft_command weft_command_distribute = {
    .name = "distribute",
    .arguments = "TRACE",
    .summary = "rank the distributions of a program's arrays over processors",
    .description =
        "Evaluates every combination of BLOCK, CYCLIC(m) and * over every factorization of the\n"
        "processors, exactly, from the references that a program made to its arrays; m is any\n"
        "number below the size of BLOCK where a vector or matrix has at most 64 elements in that\n"
        "dimension, else a power of two. The owner computes: who owns the element on whose behalf a\n"
        "reference is made asks for it. What it needs of another processor in a step is one\n"
        "message, and an element that it needs several times is sent once. A step takes as long\n"
        "as the processor that is busiest: its accesses, the messages that it sends and gets,\n"
        "and their bytes, at three costs that are printed and may be given. The load is the\n"
        "number of references that a processor's elements serve, as in the view processor-grid.\n"
        "A ranking needs nine tenths of the reads: when more of them are on behalf of nobody, or of\n"
        "arrays that do not lie along the one that is distributed, it is refused, with the shares.\n"
        "Arrays of the same rank get the same formats; an array of fewer dimensions is aligned\n"
        "with those that are as long as its own, and copied along the others.\n"
        "With --explain it says, beside the table as text, which steps make the difference to\n"
        "your own distribution (--beside) or to the next best, and where moving all elements\n"
        "into another distribution in the middle of the run costs less than it saves.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
