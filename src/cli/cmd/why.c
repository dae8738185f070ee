/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft why: the causes of a wait, or of the length of a range, as text to read.  The other
 * formats are the table of the view `why`.
 */
#include <stdio.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "cli/open_traces.h"
#include "store/time.h"
#include "view/prepare.h"
#include "view/timeline/why.h"

/* Stays and parts below these shares of the whole are counted together. */
#define LEAST_STAY 0.005
#define LEAST_PART 0.001
#define LEAST_SUM  0.005
/* A chain of more stays than a reader follows is printed as its sums. */
enum { STAYS_MAX = 12 };

struct printing {
    const struct weft_schema *schema;
    const char **labels;
    struct weft_arena *arena;
    double whole; /* ticks */
};

static void print_amount(const struct printing *printing, int64_t ticks)
{
    char length[WEFT_TIME_TEXT];
    weft_duration_text(printing->schema, ticks, length);
    /* "µ" has two bytes in one column. */
    int width = 10 + (strstr(length, "µ") != NULL);
    printf("  %*s  %5.1f %%  ", width, length,
           printing->whole > 0 ? 100 * (double)ticks / printing->whole : 0);
}

static void print_part(const struct printing *printing, const struct weft_cause *cause,
                       bool with_row)
{
    const struct weft_schema *schema = printing->schema;
    const char *value = cause->value == WEFT_NONE ? "" : schema->values[cause->value].name;
    const char *site = weft_site_text(printing->arena, schema, cause->site);
    print_amount(printing, cause->ticks);
    if (with_row)
        printf("%s: ", printing->labels[cause->row]);
    printf("%s", why_what_text(printing->arena, schema, cause));
    if (cause->kind != WEFT_STEP_DID || !value[0])
        printf("%s%s", value[0] ? ", " : "", why_class_text(cause));
    else if (cause->class == WEFT_ACTIVITY_READY)
        printf(": a processor was missing%s%s",
               cause->object != WEFT_NONE || site[0] ? " after the wait" : "",
               cause->object != WEFT_NONE ? " for" : "");
    if (cause->object != WEFT_NONE)
        printf(" %s", printing->labels[cause->object]);
    if (site[0])
        printf(" at %s", site);
    printf("\n");
}

/* Prints parts [FIRST, FIRST + N), the small ones as one line. */
static void print_parts(const struct printing *printing, const struct weft_causes *causes,
                        size_t first, size_t n, bool with_row)
{
    int64_t small = 0;
    size_t n_small = 0;
    for (size_t i = first; i < first + n; i++) {
        const struct weft_cause *cause = &causes->list[i];
        double least = (with_row ? LEAST_SUM : LEAST_PART) * printing->whole;
        if ((double)cause->ticks >= least || n == 1) {
            print_part(printing, cause, with_row);
            continue;
        }
        small += cause->ticks;
        n_small++;
    }
    if (n_small) {
        print_amount(printing, small);
        printf("%zu smaller part%s\n", n_small, n_small == 1 ? "" : "s");
    }
}

static void print_stays(const struct printing *printing, const struct weft_causes *causes)
{
    int64_t small = 0;
    size_t n_small = 0;
    for (size_t i = 0; i < causes->n_stays; i++) {
        const struct weft_stay *stay = &causes->stays[i];
        int64_t ticks = stay->span.end - stay->span.begin;
        if ((double)ticks < LEAST_STAY * printing->whole) {
            small += ticks;
            n_small++;
            continue;
        }
        printf("%s%s%s:\n", weft_release_text(stay->came_by.kind),
               stay->came_by.kind < WEFT_RELEASE_KINDS ? " " : "",
               printing->labels[stay->row]);
        print_parts(printing, causes, stay->first, stay->n, false);
    }
    if (n_small) {
        print_amount(printing, small);
        printf("in %zu shorter stay%s on rows\n", n_small, n_small == 1 ? "" : "s");
    }
}

/* Returns how many stays are printed one by one. */
static size_t count_stays(const struct printing *printing, const struct weft_causes *causes)
{
    size_t n = 0;
    for (size_t i = 0; i < causes->n_stays; i++) {
        struct weft_span span = causes->stays[i].span;
        n += (double)(span.end - span.begin) >= LEAST_STAY * printing->whole;
    }
    return n;
}

static bool print_text(const struct weft_request *request, struct weft_err *err)
{
    struct why_question question;
    struct weft_causes causes;
    if (!why_ask(request, &question, err) || !why_read(request, &question, &causes, err))
        return false;
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct printing printing = {
        .schema = schema,
        .labels = weft_container_labels(schema, request->arena),
        .arena = request->arena,
        .whole = (double)(question.span.end - question.span.begin),
    };
    printf("%s\n", why_question_text(request, &question, request->arena));
    if (question.of_run || count_stays(&printing, &causes) > STAYS_MAX) {
        size_t n = causes.n_stays;
        weft_causes_sum(&causes);
        print_parts(&printing, &causes, 0, causes.n, true);
        if (!question.of_run)
            printf("the sums of %zu stays on rows; --format csv has each\n", n);
    } else {
        print_stays(&printing, &causes);
    }
    weft_causes_free(&causes);
    return true;
}

/* Sets the settings of the view by the command's options. */
static bool parse_settings(const struct weft_view *view,
                           const struct weft_arguments *arguments, const char **settings,
                           struct weft_err *err)
{
    const char **given = weft_option_values(arguments, "set");
    const char *row = weft_option_value(arguments, "row");
    for (size_t i = 0; given && given[i]; i++)
        if (!ask_is_reading(given[i]) && !weft_setting_parse(view, given[i], settings, err))
            return false;
    if (row
        && !weft_setting_parse(view, weft_arena_printf(arguments->arena, "row=%s", row),
                               settings, err))
        return false;
    return !weft_option_given(arguments, "run")
           || weft_setting_parse(view, "of=run", settings, err);
}

static bool print(struct ask *ask, const struct weft_arguments *arguments,
                  struct weft_err *err)
{
    const struct weft_view *view = weft_view_find("why");
    const char *format = weft_option_value(arguments, "format");
    const char *at = weft_option_value(arguments, "at");
    const char **settings =
        weft_arena_zalloc(arguments->arena, view->n_parameters, sizeof *settings);
    if (!parse_settings(view, arguments, settings, err)
        || (at && !ask_moment(ask, at, err)))
        return false;
    if (!view->fills(&ask->set))
        return weft_fail(err, WEFT_ERR_FORMAT, "the trace has no waits: it needs %s",
                         view->needs);
    ask->request.settings = settings;
    if (!format || strcmp(format, "text") == 0) {
        struct weft_request request = ask->request;
        struct weft_use use;
        request.view = view;
        request.arena = arguments->arena;
        request.use = &use;
        weft_use_begin(&use, &request);
        bool printed = print_text(&request, err);
        weft_use_end(&use);
        return printed && weft_flush_output(err);
    }
    struct weft_table *table = ask_table(arguments, view, format, stdout);
    if (!table)
        return weft_fail(err, WEFT_ERR_USAGE, "bad format '%s' (right: text, csv, json)",
                         format);
    bool ok = weft_view_table(view, &ask->request, table, err);
    weft_table_free(table);
    return ok && weft_flush_output(err);
}

static int run(const struct weft_arguments *arguments)
{
    struct ask ask;
    struct weft_err err = { 0 };
    const char *const *paths = (const char *const *)arguments->positional;
    if (!ask_begin(&ask, arguments, arguments->positional[0], &err))
        return weft_report(&err);
    weft_progress_hurry(true, NULL);
    bool ok = print(&ask, arguments, &err) && ask_all_whole(&ask, paths, &err);
    ok = ask_intact(ask.trace, ok, &err);
    ok = ok && ask_tell_all_problems(&ask, paths, &err);
    ask_end(&ask);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    ASK_OPTIONS,
    { "row", 0, "CONTAINER", false, "ask about this thread or rank" },
    { "at", 0, "TIME", false, "ask about the wait at this time" },
    { "run", 0, NULL, false,
      "instead of a wait, all of the range: its critical path, back from its end" },
    { "format", 0, "FORMAT", false, "text, csv or json" },
    ASK_ALL_COLUMNS,
};

const struct weft_command weft_command_why = {
    .name = "why",
    .arguments = "TRACE",
    .summary = "say why a wait took so long",
    .description =
        "Without options the longest wait is asked about. From its end the program is "
        "followed back: to the thread that gave the lock back, signalled, sent the message "
        "or came last, and to what that thread did before; where it waited itself, further "
        "back; to the begin of the wait. The parts add up exactly to the wait.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
