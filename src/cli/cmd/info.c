/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/domain.h"
#include "base/json_writer.h"
#include "cli/info_hooks.h"
#include "cli/open_traces.h"
#include "read/reader.h"
#include "read/roles/write.h"
#include "store/time.h"
#include "view/text.h"
#include "view/view.h"
#include "write/dump_and_paje.h"

enum { MAX_VALUES = 24 }; /* of a type; --roles prints all */

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

/* Returns the number of entities of each type; for container types, of containers. */
static uint64_t *count_by_type(const struct weft_schema *schema)
{
    uint64_t *counts = weft_zalloc(schema->n_types + 1, sizeof *counts);
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        counts[schema->tracks[t].type] += schema->tracks[t].count;
    for (uint32_t c = 0; c < schema->n_containers; c++)
        counts[schema->containers[c].type]++;
    return counts;
}

struct type_listing {
    const struct weft_schema *schema;
    const uint64_t *counts; /* by type */
    uint64_t n_values;      /* of the latest type */
};

/* Prints the role of a type that occurs; of many values of one type only the first. */
static void put_role(void *user, const struct weft_role_thing *thing)
{
    struct type_listing *list = user;
    bool is_value = thing->subject == WEFT_ROLE_OF_VALUE;
    if (!list->counts[thing->type])
        return;
    if (!is_value && list->n_values > MAX_VALUES)
        printf("  ... and %" PRIu64 " values more\n", list->n_values - MAX_VALUES);
    list->n_values = is_value ? list->n_values + 1 : 0;
    if (list->n_values <= MAX_VALUES)
        printf("  %-9s  %-40s  %s\n", weft_role_subject_name(thing->subject), thing->name,
               thing->role ? weft_role_name(thing->role) : "-");
}

static void put_roles(const struct weft_schema *schema)
{
    uint64_t *counts = count_by_type(schema);
    struct type_listing list = { .schema = schema, .counts = counts };
    puts("roles (--roles prints all of them, to be edited and given with --map)");
    weft_roles_each(schema, put_role, &list);
    if (list.n_values > MAX_VALUES)
        printf("  ... and %" PRIu64 " values more\n", list.n_values - MAX_VALUES);
    free(counts);
}

struct json_listing {
    const struct weft_schema *schema;
    struct weft_json *json;
};

static void put_json_role(void *user, const struct weft_role_thing *thing)
{
    struct json_listing *list = user;
    const struct weft_schema *schema = list->schema;
    const char *type = schema->types[thing->type].name;
    const char *name =
        thing->subject == WEFT_ROLE_OF_VALUE   ? schema->values[thing->index].name
        : thing->subject == WEFT_ROLE_OF_FIELD ? schema->fields[thing->index].name
        : thing->single                        ? schema->containers[thing->index].name
                                               : NULL;
    weft_json_line(list->json, 4);
    weft_json_object(list->json, NULL);
    weft_json_text(list->json, "subject", weft_role_subject_name(thing->subject));
    weft_json_text(list->json, "type", name ? type : "");
    weft_json_text(list->json, "name", name ? name : type);
    weft_json_text(list->json, "role", weft_role_name(thing->role));
    weft_json_close(list->json);
}

static void put_json_roles(struct weft_json *json, const struct weft_schema *schema)
{
    struct json_listing list = { schema, json };
    weft_json_line(json, 2);
    weft_json_array(json, "roles");
    weft_roles_each(schema, put_json_role, &list);
    weft_json_close(json);
}

/* Returns the domain's hooks for info if its model explains the trace, or NULL. */
static const struct weft_info *info_of(size_t domain, const struct weft_source *source)
{
    const struct weft_info *info = weft_domains[domain]->info;
    return info && info->fills(source) ? info : NULL;
}

/* Prints the clocks: the host of each, and how far its corrected times may be off. */
static void put_clocks(const struct weft_schema *schema, struct weft_arena *arena)
{
    char text[WEFT_TIME_TEXT];
    for (uint32_t h = 0; h < schema->n_hosts; h++) {
        const struct weft_host *host = &schema->hosts[h];
        printf("host              %s", weft_text_clean(arena, host->name));
        if (host->processors)
            printf(", %u processors", host->processors);
        printf("%s%s\n", host->identity[0] ? ", " : "",
               weft_text_clean(arena, host->identity));
    }
    for (uint32_t c = 0; c < schema->n_clocks; c++) {
        const struct weft_clock *clock = &schema->clocks[c];
        printf("clock             %s", weft_text_clean(arena, clock->name));
        if (clock->host != WEFT_NONE)
            printf(" of %s", weft_text_clean(arena, schema->hosts[clock->host].name));
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

static void put_json_clocks(struct weft_json *json, const struct weft_schema *schema)
{
    weft_json_line(json, 2);
    weft_json_array(json, "hosts");
    for (uint32_t h = 0; h < schema->n_hosts; h++) {
        const struct weft_host *host = &schema->hosts[h];
        weft_json_line(json, 4);
        weft_json_object(json, NULL);
        weft_json_text(json, "name", host->name);
        weft_json_text(json, "identity", host->identity);
        weft_json_unsigned(json, "processors", host->processors);
        weft_json_close(json);
    }
    weft_json_close(json);
    weft_json_line(json, 2);
    weft_json_array(json, "clocks");
    for (uint32_t c = 0; c < schema->n_clocks; c++) {
        const struct weft_clock *clock = &schema->clocks[c];
        weft_json_line(json, 4);
        weft_json_object(json, NULL);
        weft_json_text(json, "name", clock->name);
        if (clock->host == WEFT_NONE)
            weft_json_null(json, "host");
        else
            weft_json_text(json, "host", schema->hosts[clock->host].name);
        weft_json_unsigned(json, "knots", clock->n_knots);
        if (clock->error < 0)
            weft_json_null(json, "error_ns");
        else
            weft_json_integer(json, "error_ns", weft_ticks_to_ns(schema, clock->error));
        weft_json_close(json);
    }
    weft_json_close(json);
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
    struct weft_json json;
    weft_json_begin(&json, stdout);
    json.spaced = true;
    weft_json_object(&json, NULL);
    weft_json_line(&json, 2);
    weft_json_text(&json, "format", schema->format);
    put_json_counts(&json, schema);
    weft_json_line(&json, 2);
    weft_json_array(&json, "models");
    for (size_t i = 0; i < weft_n_domains; i++)
        if (info_of(i, source))
            weft_json_text(&json, NULL, info_of(i, source)->model);
    weft_json_close(&json);
    weft_json_line(&json, 2);
    weft_json_array(&json, "views");
    for (size_t i = 0; i < weft_view_count(); i++)
        if (weft_view_at(i)->fills(&set))
            weft_json_text(&json, NULL, weft_view_at(i)->name);
    weft_json_close(&json);
    put_json_clocks(&json, schema);
    put_json_roles(&json, schema);
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
    for (size_t i = 0; i < weft_view_count(); i++)
        if (weft_view_at(i)->fills(&set)) {
            printf("%s%s", separator, weft_view_at(i)->name);
            separator = ", ";
        }
}

/* How many types that occur, and values and fields of theirs, have a role. */
struct role_count {
    const uint64_t *counts; /* by type */
    size_t known, all;
};

static void count_role(void *user, const struct weft_role_thing *thing)
{
    struct role_count *count = user;
    if (!count->counts[thing->type])
        return;
    count->all++;
    count->known += thing->role != WEFT_ROLE_NONE;
}

static void put_role_count(const struct weft_schema *schema)
{
    struct role_count count = { .counts = count_by_type(schema) };
    weft_roles_each(schema, count_role, &count);
    printf("meaning           known of %zu of %zu names (--roles prints all of them)\n",
           count.known, count.all);
    free((void *)count.counts);
}

/* Prints "9 (5 Thread, 2 Mutex, ...)": the most frequent kinds. */
static void put_containers(const struct weft_schema *schema, struct weft_arena *arena)
{
    enum { MAX_KINDS = 6 };
    uint64_t *counts = count_by_type(schema);
    printf("containers        %u", schema->n_containers);
    for (int kind = 0; kind < MAX_KINDS; kind++) {
        uint32_t best = WEFT_NONE;
        for (uint32_t t = 1; t < schema->n_types; t++) /* 0 is the root's */
            if (schema->types[t].kind == WEFT_CONTAINER && counts[t]
                && (best == WEFT_NONE || counts[t] > counts[best]))
                best = t;
        if (best == WEFT_NONE) {
            puts(kind ? ")" : "");
            break;
        }
        printf("%s%" PRIu64 " %s", kind ? ", " : " (", counts[best],
               weft_text_clean(arena, schema->types[best].name));
        counts[best] = 0;
        if (kind + 1 == MAX_KINDS)
            puts(", ...)");
    }
    free(counts);
}

static void put_counts(const struct weft_schema *schema, struct weft_arena *arena)
{
    put_containers(schema, arena);
    printf("events            %" PRIu64 "\n", schema->n_records);
    printf("states            %" PRIu64 "\n", schema->n_states);
    printf("instants          %" PRIu64 "\n", schema->n_events);
    printf("variable samples  %" PRIu64 "\n", schema->n_samples);
    printf("links             %" PRIu64 "\n", schema->n_links);
}

static void put_time(const struct weft_schema *schema, bool details)
{
    char text[WEFT_TIME_TEXT], number[32];
    int64_t length = schema->span.end - schema->span.begin;
    printf("duration          %s", weft_duration_text(schema, length, text));
    printf(" (%s s)\n", weft_time_exact(schema, length, text));
    if (!details)
        return;
    printf("begins at         %s s on its own clock\n",
           weft_time_exact(schema, schema->span.begin, text));
    printf("resolution        %s ns\n", weft_real_text(resolution_ns(schema), number));
}

/* Prints the models that explain a trace, as "threads, tree". */
static void put_models(const struct weft_source *source)
{
    const char *separator = "";
    fputs("models            ", stdout);
    for (size_t i = 0; i < weft_n_domains; i++)
        if (info_of(i, source)) {
            printf("%s%s", separator, info_of(i, source)->model);
            separator = ", ";
        }
    puts(*separator ? "" : "none");
}

/* Prints the most wanted facts first; DETAILS: all that is known. */
static void put_text(const struct weft_source *source, bool details)
{
    enum { FIRST_NOTES = 5 }; /* writers put important notes first */
    const struct weft_schema *schema = source->schema;
    struct weft_arena arena = { 0 }; /* names cleaned for a terminal */
    printf("format            %s\n", schema->format);
    for (uint32_t i = 0; i < schema->n_notes && (details || i < FIRST_NOTES); i++)
        printf("%-17s %s\n", weft_text_clean(&arena, schema->notes[i].key),
               weft_text_clean(&arena, schema->notes[i].text));
    put_time(schema, details);
    printf("problems          %" PRIu64 "%s\n", count_problems(schema),
           schema->n_problems ? " (weft check lists them)"
                              : " (weft check reads everything)");
    put_counts(schema, &arena);
    for (size_t i = 0; i < weft_n_domains; i++)
        if (info_of(i, source) && info_of(i, source)->print)
            info_of(i, source)->print(source, &arena);
    if (details)
        put_clocks(schema, &arena);
    weft_arena_free(&arena);
    put_models(source);
    printf("views             ");
    put_views(source);
    putchar('\n');
    if (details) {
        put_roles(schema);
        return;
    }
    put_role_count(schema);
    puts("(weft info --details: clocks, notes and what the names mean)");
}

static void put_rules(const struct weft_schema *schema)
{
    printf("# What the names in a %s trace mean (weft help map).\n"
           "# What nothing is known of is behind a #.\n",
           schema->format);
    weft_roles_write(schema, stdout);
}

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err))
        return weft_report(&err);
    struct weft_job *job = weft_progress_begin("reading");
    struct weft_trace *trace =
        ask_trace(arguments->positional[0], &options, job, NULL, &err);
    if (!trace) {
        weft_progress_end(job);
        return weft_report(&err);
    }
    weft_progress_hurry(true, NULL);
    if (weft_option_given(arguments, "roles"))
        put_rules(weft_trace_schema(trace));
    else if (weft_option_given(arguments, "json"))
        put_json(weft_trace_source(trace));
    else
        put_text(weft_trace_source(trace), weft_option_given(arguments, "details"));
    bool ok = weft_flush_output(&err)
              && ask_whole(weft_trace_source(trace), arguments->positional[0], &err);
    weft_progress_end(job);
    ok = ask_intact(trace, ok, &err);
    weft_trace_close(trace);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    { "json", 0, NULL, false, "print a JSON object" },
    { "roles", 0, NULL, false, "print what the names mean, as rules for --map" },
    { "details", 0, NULL, false, "all that is known: notes, clocks, roles" },
    { .expand = ask_list_reading },
};

const struct weft_command weft_command_info = {
    .name = "info",
    .arguments = "TRACE",
    .summary = "say what is in a trace",
    .description =
        "Prints the format, how long the trace is, how much there is of everything, the models\n"
        "that explain the trace and the views that it fills. Events are all records read;\n"
        "instants are the entities that happen at one time. With --details also all notes;\n"
        "of every clock how it was corrected and how far the result may be off (--clock raw of\n"
        "stats and render undoes the correction); and what is known of the meaning of names,\n"
        "their roles, which views ask for. Printed times count from the begin of the span, so\n"
        "start_ns is 0 in JSON; origin_ns is that begin on the trace's own clock.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
