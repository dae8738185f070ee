/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/open_traces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/where_selection.h"
#include "base/nearest_name.h"
#include "filter/filtered_source.h"
#include "read/roles/rules.h"
#include "store/raw_time/raw_source.h"
#include "store/time.h"
#include "view/damage.h"
#include "view/text.h"

static bool nothing_there(const struct weft_schema *schema, const char *when,
                          struct weft_err *err)
{
    char length[WEFT_TIME_TEXT];
    return weft_fail(
        err, WEFT_ERR_USAGE, "nothing is there at %s: the trace is %s long", when,
        weft_duration_text(schema, schema->span.end - schema->span.begin, length));
}

static bool window_of(struct ask *ask, const struct weft_arguments *arguments,
                      struct weft_err *err)
{
    const struct weft_schema *schema = ask->sources[0]->schema;
    struct weft_span *window = &ask->request.window;
    const char *range = weft_option_value(arguments, "range");
    *window = schema->span;
    if (window->end == window->begin)
        window->end++; /* a trace of one instant still gets a window of 1 */
    if (range && !weft_parse_range(schema, range, window, err))
        return false;
    if (window->begin <= schema->span.end && window->end > schema->span.begin)
        return true;
    return nothing_there(schema, range, err);
}

bool ask_moment(struct ask *ask, const char *text, struct weft_err *err)
{
    const struct weft_schema *schema = ask->sources[0]->schema;
    struct weft_request *request = &ask->request;
    if (!weft_parse_time(schema, text, strlen(text), &request->at, err))
        return false;
    request->has_at = true;
    return (request->at >= schema->span.begin && request->at <= schema->span.end)
           || nothing_there(schema, text, err);
}

static const char *container_name(size_t i, void *schema)
{
    return ((const struct weft_schema *)schema)->containers[i].name;
}

static bool under_of(struct ask *ask, const struct weft_arguments *arguments,
                     struct weft_err *err)
{
    const char *under = weft_option_value(arguments, "under");
    bool ambiguous;
    if (!under)
        return true;
    const struct weft_schema *schema = ask->sources[0]->schema;
    ask->request.under = weft_where_container(ask->sources[0], under, &ambiguous);
    if (ask->request.under != WEFT_NONE)
        return true;
    if (ambiguous)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "several containers are called '%s' (give a path: PARENT/%s)",
                         under, under);
    /*
     * For a path that is not there, suggest also by its last part, which is what users
     * type.
     */
    const char *slash = strrchr(under, '/');
    const char *nearest =
        weft_nearest(under, schema->n_containers, container_name, (void *)schema);
    if (!nearest && slash)
        nearest =
            weft_nearest(slash + 1, schema->n_containers, container_name, (void *)schema);
    if (nearest)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "no container is called '%s' (did you mean '%s'?)", under,
                         nearest);
    return weft_fail(err, WEFT_ERR_USAGE,
                     "no container is called '%s' (a name, a PATH/NAME or #INDEX)", under);
}

/* Returns "source=FILE" for each setting of a reader, followed by its help if HELPS. */
static const char *reader_settings(struct weft_arena *arena, bool helps)
{
    const struct weft_reader_option *option;
    const char *text = "";
    for (size_t i = 0; (option = weft_reader_option_at(i)); i++)
        if (option->is_setting)
            text = weft_arena_printf(arena, "%s%s%s=%s%s%s", text, *text ? "; " : "",
                                     option->name, option->argument, helps ? ", " : "",
                                     helps ? option->help : "");
    return text;
}

static void list_reading(struct weft_option_list *list, bool has_view)
{
    static const struct weft_option general[] = {
        { "map", 0, "FILE", false,
          "what the names in the trace mean (weft info --roles prints it)" },
        { "time-unit", 0, "UNIT", false,
          "the unit of the times in the file: s, ms, us or ns" },
    };
    struct weft_option set = { "set", 0, "NAME=VALUE", true, NULL, NULL };
    const struct weft_reader_option *option;
    const char *settings = reader_settings(list->arena, true);
    weft_options_add(list, general, sizeof general / sizeof *general);
    for (size_t i = 0; (option = weft_reader_option_at(i)); i++)
        if (!option->is_setting)
            weft_options_add(list,
                             &(struct weft_option){ option->name, 0, option->argument,
                                                    false, option->help, NULL },
                             1);
    set.help = weft_arena_printf(list->arena, "a setting %s%s%s%s",
                                 has_view ? "of the view (weft views lists them)" : "",
                                 has_view && *settings ? ", or " : "",
                                 *settings ? "of the reader: " : "", settings);
    if (has_view || *settings)
        weft_options_add(list, &set, 1);
}

void ask_list_reading(struct weft_option_list *list)
{
    list_reading(list, false);
}

void ask_list_view_reading(struct weft_option_list *list)
{
    list_reading(list, true);
}

/* Returns the value in SETTING if it is NAME=VALUE, else NULL. */
static const char *value_in(const char *setting, const char *name)
{
    size_t n = strlen(name);
    return strncmp(setting, name, n) == 0 && setting[n] == '=' ? setting + n + 1 : NULL;
}

bool ask_is_reading(const char *setting)
{
    const struct weft_reader_option *option;
    for (size_t i = 0; (option = weft_reader_option_at(i)); i++)
        if (option->is_setting && value_in(setting, option->name))
            return true;
    return false;
}

/* Returns the values of --set; NULL: none, or no setting exists, and so no --set. */
static const char **settings_of(const struct weft_arguments *arguments)
{
    for (size_t i = 0; i < arguments->n_options; i++)
        if (strcmp(arguments->options[i].name, "set") == 0)
            return arguments->repeated[i];
    return NULL;
}

/* Returns the last value that is given to a reader's option, or NULL. */
static const char *reader_value(const struct weft_arguments *arguments,
                                const struct weft_reader_option *option)
{
    if (!option->is_setting)
        return weft_option_value(arguments, option->name);
    const char **settings = settings_of(arguments), *value = NULL;
    for (size_t i = 0; settings && settings[i]; i++)
        value = value_in(settings[i], option->name) ?: value;
    return value;
}

/* Fills in the values of the readers' options. */
static bool reader_values(const struct weft_arguments *arguments,
                          struct weft_read_options *options, struct weft_err *err)
{
    const struct weft_reader_option *option;
    size_t n = 0;
    while (weft_reader_option_at(n))
        n++;
    struct weft_reader_value *values =
        weft_arena_zalloc(arguments->arena, n + 1, sizeof *values);
    options->values = values;
    for (size_t i = 0; (option = weft_reader_option_at(i)); i++) {
        const char *value = reader_value(arguments, option);
        if (value && option->check && !option->check(value, err))
            return false;
        if (value)
            *values++ = (struct weft_reader_value){ option->name, value };
    }
    return true;
}

bool ask_reading(const struct weft_arguments *arguments, bool has_view,
                 struct weft_read_options *options, struct weft_err *err)
{
    const char **settings = has_view ? NULL : settings_of(arguments);
    *options = (struct weft_read_options){
        .time_unit = weft_option_value(arguments, "time-unit"),
        .map = weft_option_value(arguments, "map"),
    };
    /* Formats with a unit of their own never look at it. */
    if (weft_time_unit_decimals(options, 0, err) < 0
        || !reader_values(arguments, options, err))
        return false;
    for (size_t i = 0; settings && settings[i]; i++)
        if (!ask_is_reading(settings[i]))
            return weft_fail(err, WEFT_ERR_USAGE, "unknown setting '%s' (right: %s)",
                             settings[i], reader_settings(arguments->arena, false));
    if (!options->map || !*options->map)
        return true;
    /* Report mistakes in the map before a long trace is read. */
    struct weft_rules *rules = weft_rules_read(options->map, err);
    weft_rules_free(rules);
    return rules;
}

void ask_say_unused_rules(const char *map, const struct weft_schema *schema)
{
    struct weft_rules *rules = map && *map ? weft_rules_read(map, NULL) : NULL;
    struct weft_err note;
    uint32_t line;
    size_t n = rules ? weft_rules_unused(rules, schema, &line) : 0;
    char more[64] = "";
    if (n > 1)
        snprintf(more, sizeof more, " (and %zu more rule%s)", n - 1, n > 2 ? "s" : "");
    if (n) {
        weft_fail_at(&note, WEFT_ERR_FORMAT, map, line,
                     "nothing in the trace is called as in this rule%s", more);
        weft_report(&note);
    }
    weft_rules_free(rules);
}

static bool is_store(const char *path)
{
    const char *format = weft_identify(path);
    return format && strcmp(format, "weft") == 0;
}

struct weft_trace *ask_trace(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path, struct weft_err *err)
{
    /*
     * Opening a store writes nothing; opening a text may write an index, to be cleaned up.
     */
    weft_progress_hurry(is_store(path), NULL);
    struct weft_trace *trace = weft_open(path, options, job, index_path, err);
    if (trace)
        ask_say_unused_rules(options->map, weft_trace_schema(trace));
    return trace;
}

/* Appends a trace, which was opened at PATH, to the set. */
static void put_trace(struct ask *ask, struct weft_trace *trace, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = ask->set.n_sources + 1;
    ask->traces = weft_realloc(ask->traces, n * sizeof *ask->traces);
    ask->raw = weft_realloc(ask->raw, n * sizeof *ask->raw);
    ask->sources = weft_realloc(ask->sources, n * sizeof *ask->sources);
    ask->names = weft_realloc(ask->names, n * sizeof *ask->names);
    ask->names[n - 1] = slash && slash[1] ? slash + 1 : path;
    ask->traces[n - 1] = trace;
    ask->filtered = weft_realloc(ask->filtered, n * sizeof *ask->filtered);
    ask->raw[n - 1] = ask->filtered[n - 1] = NULL;
    ask->sources[n - 1] = weft_trace_source(trace);
    ask->set = (struct weft_set){ ask->sources, n, ask->names };
}

bool ask_open(struct ask *ask, const struct weft_arguments *arguments, const char *path,
              struct weft_err *err)
{
    struct weft_read_options options;
    if (!ask_reading(arguments, true, &options, err))
        return false;
    *ask = (struct ask){ .job = weft_progress_begin("reading") };
    ask->trace = ask_trace(path, &options, ask->job, NULL, err);
    if (!ask->trace) {
        ask_end(ask);
        return false;
    }
    put_trace(ask, ask->trace, path);
    return true;
}

/* Applies --clock to source I: raw replaces it by a source in raw time. */
static bool clock_of(struct ask *ask, size_t i, const struct weft_arguments *arguments,
                     struct weft_err *err)
{
    const char *clock = weft_option_value(arguments, "clock");
    if (!clock || strcmp(clock, "corrected") == 0)
        return true;
    if (strcmp(clock, "raw") != 0)
        return weft_fail(err, WEFT_ERR_USAGE, "--clock %s: right are corrected and raw",
                         clock);
    ask->raw[i] = weft_raw_time_new(ask->sources[i]);
    ask->sources[i] = ask->raw[i];
    return true;
}

bool ask_filtered(const struct weft_arguments *arguments, const struct weft_source *below,
                  struct weft_source **filtered, struct weft_err *err)
{
    const char *path = weft_option_value(arguments, "filters");
    struct weft_mapping map;
    *filtered = NULL;
    if (!path)
        return true;
    if (!weft_map_file(&map, path, err))
        return false;
    char *text = weft_zalloc(map.size + 1, 1);
    if (map.size)
        memcpy(text, map.data, map.size);
    weft_unmap(&map);
    *filtered = weft_filtered_new(below, text, err);
    free(text);
    return *filtered;
}

/* Applies --clock, then --filters, to source I. */
static bool change_source(struct ask *ask, size_t i, const struct weft_arguments *arguments,
                          struct weft_err *err)
{
    if (!clock_of(ask, i, arguments, err)
        || !ask_filtered(arguments, ask->sources[i], &ask->filtered[i], err))
        return false;
    if (ask->filtered[i])
        ask->sources[i] = ask->filtered[i];
    return true;
}

bool ask_begin(struct ask *ask, const struct weft_arguments *arguments, const char *path,
               struct weft_err *err)
{
    if (!ask_open(ask, arguments, path, err))
        return false;
    if (!change_source(ask, 0, arguments, err)) {
        ask_end(ask);
        return false;
    }
    ask->request = (struct weft_request){ .set = &ask->set,
                                          .job = ask->job,
                                          .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                          .width = 1280,
                                          .height = 720 };
    if (window_of(ask, arguments, err) && under_of(ask, arguments, err))
        return true;
    ask_end(ask);
    return false;
}

bool ask_open_also(struct ask *ask, const struct weft_arguments *arguments,
                   const char *path, struct weft_err *err)
{
    struct weft_read_options options;
    if (!ask_reading(arguments, true, &options, err))
        return false;
    struct weft_trace *trace = ask_trace(path, &options, ask->job, NULL, err);
    if (trace)
        put_trace(ask, trace, path);
    return trace;
}

bool ask_add(struct ask *ask, const struct weft_arguments *arguments, const char *path,
             struct weft_err *err)
{
    return ask_open_also(ask, arguments, path, err)
           && change_source(ask, ask->set.n_sources - 1, arguments, err);
}

void ask_tell_problems(const struct weft_trace *trace, const char *path)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    const struct weft_problem *worst = NULL;
    struct weft_arena arena = { 0 };
    const char *message;
    uint64_t n = 0;

    for (uint32_t i = 0; i < schema->n_problems; i++) {
        const struct weft_problem *problem = &schema->problems[i];
        if (problem->severity == WEFT_NOTE)
            continue;
        n += problem->count;
        if (!worst || problem->severity > worst->severity)
            worst = problem;
    }
    message = worst ? weft_text_clean(&arena, worst->message) : "";
    path = weft_text_clean(&arena, path);
    const char *place = worst && worst->line
                            ? weft_arena_printf(&arena, "line %" PRIu64 ": ", worst->line)
                            : "";
    if (n == 1)
        fprintf(stderr, "weft: %s: %s%s\n", path, place, message);
    else if (n > 1)
        fprintf(stderr,
                "weft: %s: %" PRIu64 " problems (weft check lists them), one: %s%s\n", path,
                n, place, message);
    weft_arena_free(&arena);
}

bool ask_tell_all_problems(const struct ask *ask, const char *const *paths,
                           struct weft_err *err)
{
    if (!weft_flush_output(err))
        return false;
    for (size_t i = 0; i < ask->set.n_sources; i++)
        ask_tell_problems(ask->traces[i], paths[i]);
    return true;
}

bool ask_intact(const struct weft_trace *trace, bool ok, struct weft_err *err)
{
    return trace ? weft_trace_intact(trace, err) && ok : ok;
}

bool ask_all_intact(const struct ask *ask, bool ok, struct weft_err *err)
{
    for (size_t i = 0; i < ask->set.n_sources; i++)
        ok = ask_intact(ask->traces[i], ok, err);
    return ok;
}

bool ask_whole(const struct weft_source *source, const char *path, struct weft_err *err)
{
    struct weft_arena arena = { 0 };
    const struct weft_damage *list;
    size_t n_listed, n = weft_damage_list(source, &arena, &list, &n_listed);
    weft_arena_free(&arena);
    if (!n)
        return true;
    bool store = is_store(path);
    return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0,
                        "%s: the answer leaves out what %zu of its parts held (%s)",
                        store ? "damaged" : "its cached index was damaged", n,
                        store ? "weft check lists them"
                              : "the next command makes a new one");
}

bool ask_all_whole(const struct ask *ask, const char *const *paths, struct weft_err *err)
{
    for (size_t i = 0; i < ask->set.n_sources; i++)
        if (!ask_whole(ask->sources[i], paths[i], err))
            return false;
    return true;
}

void ask_hint(const struct weft_source *source, struct weft_err *err)
{
    const struct weft_set set = { &source, 1 };
    const struct weft_err before = *err;
    if (err->code == WEFT_ERR_FORMAT && !err->file[0])
        weft_fail(err, err->code, "%s%s", before.message, weft_damage_hint(&set));
}

/* Returns true if writing OUTPUT would replace the file that is read as PATH. */
static bool replaces(const char *path, const char *output)
{
    struct stat in, out;
    bool standard = strcmp(path, "-") == 0;
    return (standard ? fstat(STDIN_FILENO, &in) : stat(path, &in)) == 0
           && stat(output, &out) == 0 && S_ISREG(out.st_mode) && in.st_dev == out.st_dev
           && in.st_ino == out.st_ino;
}

bool ask_keeps_trace(const char *path, const char *output, struct weft_err *err)
{
    return !replaces(path, output)
           || weft_fail(err, WEFT_ERR_USAGE, "%s is the trace itself: it would be lost",
                        output);
}

bool ask_keeps_file(const char *path, const char *output, struct weft_err *err)
{
    return !path || !replaces(path, output)
           || weft_fail(err, WEFT_ERR_USAGE, "%s is read, too: it would be lost", output);
}

bool ask_keeps_beside(const struct weft_arguments *arguments, const char *output,
                      struct weft_err *err)
{
    const struct weft_reader_option *option;
    for (size_t i = 0; (option = weft_reader_option_at(i)); i++)
        if (option->is_file
            && !ask_keeps_file(reader_value(arguments, option), output, err))
            return false;
    return ask_keeps_file(weft_option_value(arguments, "map"), output, err);
}

void ask_writes(const struct weft_output *out)
{
    weft_progress_hurry(true, out->file.hidden);
}

bool ask_written(const struct weft_output *out, bool ok, struct weft_err *err)
{
    if (!weft_output_is_direct(out))
        weft_progress_hurry(false, NULL);
    return weft_output_explain(out, ok, err);
}

void ask_leave(const struct ask *ask)
{
    if (weft_job_cancelled(ask->job))
        weft_progress_hurry(true, NULL);
}

void ask_end(struct ask *ask)
{
    ask_leave(ask);
    weft_progress_end(ask->job);
    for (size_t i = ask->set.n_sources; i-- > 0;) {
        weft_filtered_free(ask->filtered[i]);
        weft_raw_time_free(ask->raw[i]);
        weft_trace_close(ask->traces[i]);
    }
    free(ask->traces);
    free(ask->raw);
    free(ask->filtered);
    free(ask->sources);
    free(ask->names);
}

void ask_say_remark(const struct weft_view *view, const struct weft_request *request)
{
    struct weft_arena arena = { 0 };
    const char *remark = weft_view_remark(view, request, &arena);
    if (remark)
        fprintf(stderr, "weft: %s: %s\n", view->name, weft_text_clean(&arena, remark));
    weft_arena_free(&arena);
}

/* The columns of aligned text of a table of VIEW. */
static struct weft_text_columns text_columns(const struct weft_arguments *arguments,
                                             const struct weft_view *view)
{
    enum { MAX_COLUMNS = 8 };
    if (!arguments || weft_option_given(arguments, "all-columns"))
        return (struct weft_text_columns){ 0 };
    struct weft_text_columns wanted = { .most = MAX_COLUMNS };
    size_t n = view ? view->n_columns : 0;
    const char **seldom = weft_arena_zalloc(arguments->arena, n + 1, sizeof *seldom);
    for (size_t i = 0; i < n; i++)
        if (view->columns[i].seldom)
            seldom[wanted.n_seldom++] = view->columns[i].name;
    wanted.seldom = seldom;
    return wanted;
}

struct weft_table *ask_table(const struct weft_arguments *arguments,
                             const struct weft_view *view, const char *format, FILE *stream)
{
    return strcmp(format, "csv") == 0    ? weft_table_csv(stream)
           : strcmp(format, "json") == 0 ? weft_table_json(stream)
           : strcmp(format, "text") == 0
               ? weft_table_text(stream, text_columns(arguments, view))
               : NULL;
}
