/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ask.h"
#include "model/tree.h"
#include "read/reader.h"
#include "store/time.h"
#include "view/view.h"
#include "write/write.h"

static void put_json_text(const char *text)
{
    putchar('"');
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            printf("\\%c", *at);
        else if (*at < ' ')
            printf("\\u%04x", *at);
        else
            putchar(*at);
    }
    putchar('"');
}

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

static void put_views(const struct weft_source *source, bool json)
{
    const struct weft_set set = { &source, 1 };
    const char *separator = "";
    for (size_t i = 0; i < weft_n_views; i++) {
        if (!weft_views[i]->fills(&set))
            continue;
        fputs(separator, stdout);
        if (json)
            put_json_text(weft_views[i]->name);
        else
            fputs(weft_views[i]->name, stdout);
        separator = ", ";
    }
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

/* What is known of a clock: whose it is, and how far corrected times may be off. */
static void put_clocks(const struct weft_schema *schema)
{
    char text[WEFT_TIME_TEXT];
    for (uint32_t h = 0; h < schema->n_hosts; h++) {
        const struct weft_host *host = &schema->hosts[h];
        printf("host              %s", host->name);
        if (host->processors)
            printf(", %u processors", host->processors);
        printf("%s%s\n", host->identity[0] ? ", " : "", host->identity);
    }
    for (uint32_t c = 0; c < schema->n_clocks; c++) {
        const struct weft_clock *clock = &schema->clocks[c];
        printf("clock             %s", clock->name);
        if (clock->host != WEFT_NONE)
            printf(" of %s", schema->hosts[clock->host].name);
        if (!clock->n_knots)
            fputs(", as it is", stdout);
        else
            printf(", corrected by %s",
                   clock->n_knots == 1 ? "an offset" : "an offset and a drift");
        if (clock->n_knots > 2)
            printf(" in %zu pieces", clock->n_knots - 1);
        if (clock->error < 0)
            puts(", error not known");
        else
            printf(", error at most %s\n", weft_duration_text(schema, clock->error, text));
    }
}

static void put_json_clocks(const struct weft_schema *schema)
{
    fputs(",\n  \"hosts\": [", stdout);
    for (uint32_t h = 0; h < schema->n_hosts; h++) {
        const struct weft_host *host = &schema->hosts[h];
        printf("%s\n    {\"name\": ", h ? "," : "");
        put_json_text(host->name);
        fputs(", \"identity\": ", stdout);
        put_json_text(host->identity);
        printf(", \"processors\": %u}", host->processors);
    }
    fputs("],\n  \"clocks\": [", stdout);
    for (uint32_t c = 0; c < schema->n_clocks; c++) {
        const struct weft_clock *clock = &schema->clocks[c];
        printf("%s\n    {\"name\": ", c ? "," : "");
        put_json_text(clock->name);
        fputs(", \"host\": ", stdout);
        if (clock->host == WEFT_NONE)
            fputs("null", stdout);
        else
            put_json_text(schema->hosts[clock->host].name);
        printf(", \"knots\": %zu, \"error_ns\": ", clock->n_knots);
        if (clock->error < 0)
            fputs("null}", stdout);
        else
            printf("%" PRId64 "}", weft_ticks_to_ns(schema, clock->error));
    }
    putchar(']');
}

static void put_json(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    char number[32];
    const char *models[2];
    size_t n_models = models_of(source, models);
    printf("{\n  \"format\": ");
    put_json_text(schema->format);
    printf(",\n  \"events\": %" PRIu64 ",\n  \"containers\": %u,\n  \"states\": %" PRIu64
           ",\n  \"instants\": %" PRIu64 ",\n  \"variable_samples\": %" PRIu64
           ",\n  \"links\": %" PRIu64 ",\n  \"problems\": %" PRIu64,
           schema->n_records, schema->n_containers, schema->n_states, schema->n_events,
           schema->n_samples, schema->n_links, count_problems(schema));
    printf(",\n  \"start_ns\": 0,\n  \"duration_ns\": %" PRId64
           ",\n  \"resolution_ns\": %s,\n  \"origin_ns\": %" PRId64,
           weft_ticks_to_ns(schema, schema->span.end - schema->span.begin),
           weft_real_text(resolution_ns(schema), number),
           weft_ticks_to_ns(schema, schema->span.begin));
    fputs(",\n  \"models\": [", stdout);
    for (size_t i = 0; i < n_models; i++) {
        fputs(i ? ", " : "", stdout);
        put_json_text(models[i]);
    }
    fputs("],\n  \"views\": [", stdout);
    put_views(source, true);
    putchar(']');
    put_json_clocks(schema);
    fputs(",\n  \"notes\": {", stdout);
    for (uint32_t i = 0; i < schema->n_notes; i++) {
        fputs(i ? ",\n    " : "\n    ", stdout);
        put_json_text(schema->notes[i].key);
        fputs(": ", stdout);
        put_json_text(schema->notes[i].text);
    }
    fputs(schema->n_notes ? "\n  }\n}\n" : "}\n}\n", stdout);
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
    put_clocks(schema);
    fputs("models            ", stdout);
    for (size_t i = 0; i < n_models; i++)
        printf("%s%s", i ? ", " : "", models[i]);
    puts(n_models ? "" : "none");
    printf("views             ");
    put_views(source, false);
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
        "clock. Of every clock it says how it was corrected and how far the result may be\n"
        "off; --clock raw of the other commands undoes the correction.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
