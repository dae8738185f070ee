/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/ask.h"
#include "model/tree.h"
#include "read/reader.h"
#include "store/time.h"
#include "view/view.h"
#include "write/write.h"

static uint64_t count_problems(const struct weft_schema *schema)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < schema->n_problems; i++)
        count += schema->problems[i].count;
    return count;
}

static double resolution_ns(const struct weft_schema *schema)
{
    return 1e9 * (double)schema->ticks_denominator / (double)schema->ticks_numerator;
}

/* The models that explain a trace: threads and locks; trees of reductions or calls. */
static size_t models_of(const struct weft_source *source, const char *models[2])
{
    const struct weft_schema *schema = source->schema;
    size_t n = 0;
    for (uint32_t i = 0; i < schema->n_types && !n; i++)
        if (schema->types[i].kind == WEFT_CONTAINER
            && strcmp(schema->types[i].name, "Thread") == 0)
            models[n++] = "threads";
    if (weft_tree_fills(source))
        models[n++] = "tree";
    return n;
}

static void put_json_counts(struct weft_json *json, const struct weft_schema *schema)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        { "events", schema->n_records },
        { "containers", schema->n_containers },
        { "states", schema->n_states },
        { "instants", schema->n_events },
        { "variable_samples", schema->n_samples },
        { "links", schema->n_links },
        { "problems", count_problems(schema) },
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        weft_json_line(json, 2);
        weft_json_unsigned(json, counts[i].name, counts[i].count);
    }
    weft_json_line(json, 2);
    weft_json_integer(json, "start_ns", 0);
    weft_json_line(json, 2);
    weft_json_integer(json, "duration_ns",
                      weft_ticks_to_ns(schema, schema->span.end - schema->span.begin));
    weft_json_line(json, 2);
    weft_json_real(json, "resolution_ns", resolution_ns(schema));
    weft_json_line(json, 2);
    weft_json_integer(json, "origin_ns", weft_ticks_to_ns(schema, schema->span.begin));
}

static void put_json(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_set set = { &source, 1 };
    const char *models[2];
    size_t n_models = models_of(source, models);
    struct weft_json json;
    weft_json_begin(&json, stdout);
    json.spaced = true;
    weft_json_object(&json, NULL);
    weft_json_line(&json, 2);
    weft_json_text(&json, "format", schema->format);
    put_json_counts(&json, schema);
    weft_json_line(&json, 2);
    weft_json_array(&json, "models");
    for (size_t i = 0; i < n_models; i++)
        weft_json_text(&json, NULL, models[i]);
    weft_json_close(&json);
    weft_json_line(&json, 2);
    weft_json_array(&json, "views");
    for (size_t i = 0; i < weft_n_views; i++)
        if (weft_views[i]->fills(&set))
            weft_json_text(&json, NULL, weft_views[i]->name);
    weft_json_close(&json);
    weft_json_line(&json, 2);
    weft_json_object(&json, "notes");
    for (uint32_t i = 0; i < schema->n_notes; i++) {
        weft_json_line(&json, 4);
        weft_json_text(&json, schema->notes[i].key, schema->notes[i].text);
    }
    if (schema->n_notes)
        weft_json_line(&json, 2);
    weft_json_close(&json);
    weft_json_line(&json, 0);
    weft_json_close(&json);
    weft_json_end(&json);
}

static void put_views(const struct weft_source *source)
{
    const struct weft_set set = { &source, 1 };
    const char *separator = "";
    for (size_t i = 0; i < weft_n_views; i++)
        if (weft_views[i]->fills(&set)) {
            printf("%s%s", separator, weft_views[i]->name);
            separator = ", ";
        }
}

static void put_text(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    char text[WEFT_TIME_TEXT], number[32];
    const char *models[2];
    size_t n_models = models_of(source, models);
    printf("format            %s\n", schema->format);
    for (uint32_t i = 0; i < schema->n_notes; i++)
        printf("%-17s %s\n", schema->notes[i].key, schema->notes[i].text);
    printf("events            %" PRIu64 "\n", schema->n_records);
    printf("containers        %u\n", schema->n_containers);
    printf("states            %" PRIu64 "\n", schema->n_states);
    printf("instants          %" PRIu64 "\n", schema->n_events);
    printf("variable samples  %" PRIu64 "\n", schema->n_samples);
    printf("links             %" PRIu64 "\n", schema->n_links);
    printf("problems          %" PRIu64 "%s\n", count_problems(schema),
           schema->n_problems ? " (weft check lists them)" : "");
    printf("begins at         %s s on its own clock\n",
           weft_time_exact(schema, schema->span.begin, text));
    printf("duration          %s",
           weft_duration_text(schema, schema->span.end - schema->span.begin, text));
    printf(" (%s s)\n",
           weft_time_exact(schema, schema->span.end - schema->span.begin, text));
    printf("resolution        %s ns\n", weft_real_text(resolution_ns(schema), number));
    fputs("models            ", stdout);
    for (size_t i = 0; i < n_models; i++)
        printf("%s%s", i ? ", " : "", models[i]);
    puts(n_models ? "" : "none");
    printf("views             ");
    put_views(source);
    putchar('\n');
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err))
        return weft_report(&err);
    struct weft_job *job = weft_progress_begin("reading");
    struct weft_trace *trace =
        weft_open(arguments->positional[0], &options, job, NULL, &err);
    weft_progress_end(job);
    if (!trace)
        return weft_report(&err);
    if (weft_option_given(arguments, "json"))
        put_json(weft_trace_source(trace));
    else
        put_text(weft_trace_source(trace));
    bool ok = fflush(stdout) == 0
              || weft_fail_errno(&err, WEFT_ERR_WRITE, "cannot write to standard output");
    weft_trace_close(trace);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    { "json", 0, NULL, false, "print a JSON object" },
    READING_OPTIONS,
};

const struct weft_command weft_command_info = {
    .name = "info",
    .arguments = "TRACE",
    .summary = "say what is in a trace",
    .description =
        "Prints the format, how much there is of everything, the span of time, the models\n"
        "that explain the trace and the views that it fills. Events are all records read;\n"
        "instants are the entities that happen at one time. Printed times count from the\n"
        "begin of the span, so start_ns is 0; origin_ns is that begin on the trace's own\n"
        "clock.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
