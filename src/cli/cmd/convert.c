/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/ask.h"
#include "read/raw.h"
#include "read/reader.h"
#include "read/roles/maps.h"
#include "domains/arrays/write/ddv.h"
#include "domains/messages/write/picl.h"
#include "write/write.h"

const struct weft_command weft_command_convert;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* Read, not mapped: what cannot be read, or is cut meanwhile, is then an error of reading. */
static bool copy_file(const char *from, const char *to, struct weft_job *job,
                      struct weft_err *err)
{
    enum { PIECE = 1 << 20 /* bytes */ };
    struct weft_raw in;
    struct weft_output out;
    bool opened = weft_raw_open(&in, from, job, err) && weft_output_open(&out, to, err), ok;
    unsigned char *buffer = weft_alloc(PIECE);
    int64_t got = 0;
    for (ok = opened; ok && (got = weft_raw_read(&in, buffer, PIECE, err)) > 0;)
        ok = fwrite(buffer, (size_t)got, 1, out.stream) == 1
             || weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", to);
    ok = ok && got == 0;
    if (opened && ok)
        ok = weft_output_commit(&out, err);
    else if (opened)
        weft_output_abandon(&out);
    weft_raw_close(&in);
    free(buffer);
    return ok;
}

/*
 * With a map, its roles are kept in the copy.  PATH is OUTPUT, the same text, when the
 * store is there already.
 */
static bool copy_store(const char *path, const struct weft_read_options *options,
                       const char *output, struct weft_job *job, struct weft_err *err)
{
    bool mapped;
    struct weft_trace *trace = weft_trace_open(path, err);
    bool ok = trace && weft_maps_apply(trace, options->map, &mapped, job, err);
    if (ok)
        ask_say_unused_rules(options->map, weft_trace_schema(trace));
    bool made = path == output; /* just now, of a text */
    if (ok && made)
        ask_tell_problems(trace, output);
    uint64_t damaged = 0;
    if (ok && !made) {
        damaged = weft_trace_verify(trace, job);
        ok = weft_job_step(job, 1, 1, err); /* else not all of it was looked at */
    }
    if (ok && mapped)
        ok = weft_trace_save(trace, output, err);
    else if (ok && !made)
        ok = copy_file(path, output, job, err);
    if (ok && damaged) /* the copy is as good as what it is of */
        ok = weft_fail_at(err, WEFT_ERR_FORMAT, path, 0,
                          "%" PRIu64 " of its parts are damaged, and so are those of the "
                          "copy (weft check lists them)",
                          damaged);
    weft_trace_close(trace);
    return ok;
}

static bool import_store(const char *path, const struct weft_read_options *options,
                         const char *output, struct weft_job *job, struct weft_err *err)
{
    bool may_map = options->map ? *options->map : weft_maps_any();
    if (!may_map)
        return weft_import(path, options, output, job, err)
               && copy_store(output, options, output, job, err);
    /* Whether a map fits is known when the trace is read: nothing is replaced before. */
    struct weft_trace *trace = ask_trace(path, options, job, NULL, err);
    weft_progress_hurry(false, NULL);
    bool ok = trace && weft_trace_save(trace, output, err);
    if (ok)
        ask_tell_problems(trace, output);
    weft_trace_close(trace);
    return ok;
}

static bool to_store(const char *path, const struct weft_read_options *options,
                     const char *output, struct weft_job *job, struct weft_err *err)
{
    const char *format = strcmp(path, "-") == 0 ? NULL : weft_identify(path);
    bool store = format && strcmp(format, "weft") == 0;
    if (store)
        return copy_store(path, options, output, job, err);
    return ask_keeps_trace(path, output, err)
           && import_store(path, options, output, job, err);
}

enum text_format {
    TEXT_PAJE,
    TEXT_PICL_BY_TIME,
    TEXT_PICL_BY_NODE,
    TEXT_DOT,
    TEXT_TASK_TREE,
    TEXT_DDV,
    TEXT_FORMATS,
};

/* Which format an ending stands for; TEXT_FORMATS: none. */
static enum text_format format_of(const char *path, bool by_node)
{
    static const struct {
        const char *end;
        enum text_format format;
    } endings[] = {
        { ".paje", TEXT_PAJE },        { ".trace", TEXT_PAJE },
        { ".trf", TEXT_PICL_BY_TIME }, { ".picl", TEXT_PICL_BY_TIME },
        { ".dot", TEXT_DOT },          { ".gv", TEXT_DOT },
        { ".vista", TEXT_TASK_TREE },  { ".ddv", TEXT_DDV },
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i].end))
            return by_node && endings[i].format == TEXT_PICL_BY_TIME ? TEXT_PICL_BY_NODE
                                                                     : endings[i].format;
    return TEXT_FORMATS;
}

/* How a text is to be written. */
struct text {
    enum text_format format;
    uint32_t depth; /* of a DAG as dot; WEFT_NONE: as fits */
    /* Of references to arrays. */
    const char *array, *distribution; /* a name, a file; or NULL */
    bool requesters;
};

/* The array that is named, or else the first. */
static bool find_array(const struct weft_profile *profile, const char *name, uint32_t *out,
                       struct weft_err *err)
{
    *out = name ? weft_profile_array_named(profile, name) : 0;
    if (*out < weft_profile_arrays(profile))
        return true;
    return weft_fail(err, WEFT_ERR_USAGE, "there is no array \"%s\" (weft info says which)",
                     name ? name : "");
}

static bool write_references(const struct weft_source *source, FILE *stream,
                             const struct text *text, struct weft_job *job,
                             struct weft_err *err)
{
    struct weft_profile *profile = weft_profile_open(source, job, err);
    struct weft_distributions *distributions = NULL;
    uint32_t array;
    bool ok = profile && find_array(profile, text->array, &array, err);
    if (ok && text->distribution) {
        distributions = weft_distributions_read(text->distribution, profile, err);
        ok = distributions != NULL;
    } else if (ok && !weft_profile_as_found(profile)) {
        ok = weft_fail(err, WEFT_ERR_USAGE,
                       "how is the array distributed?  --distribution FILE says it");
    }
    if (ok) {
        const struct weft_count_query query = { .profile = profile,
                                                .distributions = distributions,
                                                .after_step = weft_profile_steps(profile) };
        ok = weft_write_ddv(&query, array, text->requesters, stream, job, err);
    }
    weft_distributions_free(distributions);
    weft_profile_close(profile);
    return ok;
}

/* LOSSES: what the format has no place for; stays as it is where it has one for all. */
static bool write_text(const struct weft_source *source, FILE *stream,
                       const struct text *text, char **losses, struct weft_job *job,
                       struct weft_err *err)
{
    switch (text->format) {
    case TEXT_PICL_BY_TIME:
    case TEXT_PICL_BY_NODE:
        return weft_write_picl(source, stream,
                               text->format == TEXT_PICL_BY_TIME ? WEFT_PICL_BY_TIME
                                                                 : WEFT_PICL_BY_NODE,
                               losses, job, err);
    case TEXT_DOT: return weft_write_dot(source, stream, text->depth, job, err);
    case TEXT_TASK_TREE:
        return weft_write_task_tree(source, stream, weft_temporary_folder(), job, err);
    case TEXT_DDV: return write_references(source, stream, text, job, err);
    default: return weft_write_paje(source, stream, losses, job, err);
    }
}

/* That the file holds less than the trace is no error, but nobody should have to find out. */
static void say_losses(const char *output, enum text_format format, const char *losses)
{
    static const char *const alone[TEXT_FORMATS] = {
        [TEXT_DOT] = "the nodes and edges of the task DAG",
        [TEXT_TASK_TREE] = "who created whom, where and when each task began and ended",
        [TEXT_DDV] = "the references to one array",
    };
    struct weft_err note = { 0 };
    if (alone[format])
        weft_fail_at(&note, WEFT_ERR_FORMAT, output, 0,
                     "it has %s, and nothing else of the trace (a .weft keeps all of it)",
                     alone[format]);
    else if (losses && losses[0])
        weft_fail_at(&note, WEFT_ERR_FORMAT, output, 0,
                     "%s has no place for %s of the trace (a .weft keeps all of it)",
                     format == TEXT_PAJE ? "Paje" : "PICL", losses);
    if (note.code)
        weft_report(&note);
}

static bool to_text(const char *path, const struct weft_read_options *options,
                    const char *output, const struct text *text, struct weft_job *job,
                    struct weft_err *err)
{
    struct weft_trace *trace = ask_trace(path, options, job, NULL, err);
    char *losses = NULL;
    struct weft_output out;
    bool ok =
        trace && ask_keeps_trace(path, output, err) && weft_output_open(&out, output, err);
    if (ok) {
        ask_writes(&out);
        ok = write_text(weft_trace_source(trace), out.stream, text, &losses, job, err);
        if (!ok)
            ask_hint(weft_trace_source(trace), err);
        ok = ask_written(&out, ok, err);
        ok = ask_intact(trace, ok, err);
        if (ok)
            ok = weft_output_commit(&out, err);
        else
            weft_output_abandon(&out);
        if (ok)
            ask_tell_problems(trace, path);
        if (ok)
            say_losses(output, text->format, losses);
        ok = ok && ask_whole(weft_trace_source(trace), path, err);
    }
    free(losses);
    weft_trace_close(trace);
    return ok;
}

/* --depth, of dot; false: it is no number. */
static bool read_depth(const char *given, uint32_t *depth)
{
    enum { DIGITS = 9 };
    *depth = WEFT_NONE;
    if (!given)
        return true;
    size_t n = strspn(given, "0123456789");
    *depth = (uint32_t)strtoul(given, NULL, 10);
    return n && n <= DIGITS && !given[n];
}

static int run(const struct weft_arguments *arguments)
{
    const char *path = arguments->positional[0];
    const char *output = weft_option_value(arguments, "output");
    const char *order = weft_option_value(arguments, "order");
    const char *depth = weft_option_value(arguments, "depth");
    if (!output)
        return weft_usage(&weft_command_convert, "-o FILE is missing");
    bool store = ends_with(output, ".weft");
    struct text text = { .format = format_of(output, order && strcmp(order, "node") == 0),
                         .array = weft_option_value(arguments, "array"),
                         .distribution = weft_option_value(arguments, "distribution"),
                         .requesters = weft_option_given(arguments, "requesters") };
    if (!store && text.format == TEXT_FORMATS)
        return weft_usage(&weft_command_convert,
                          "cannot tell the format of \"%s\" (.weft, .paje, .trace, .trf, "
                          ".picl, .dot, .gv, .vista or .ddv)",
                          output);
    if ((text.array || text.distribution || text.requesters) && text.format != TEXT_DDV)
        return weft_usage(&weft_command_convert,
                          "--array, --distribution and --requesters are for FILE.ddv");
    if (order && text.format != TEXT_PICL_BY_TIME && text.format != TEXT_PICL_BY_NODE)
        return weft_usage(&weft_command_convert, "--order is for PICL (FILE.trf)");
    if (order && strcmp(order, "time") != 0 && strcmp(order, "node") != 0)
        return weft_usage(&weft_command_convert,
                          "--order is \"%s\"; it should be time or node", order);
    if (depth && text.format != TEXT_DOT)
        return weft_usage(&weft_command_convert, "--depth is for FILE.dot");
    if (!read_depth(depth, &text.depth))
        return weft_usage(&weft_command_convert,
                          "--depth is \"%s\"; it should be a whole number", depth);
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err)
        || !ask_keeps_beside(arguments, output, &err)
        || !ask_keeps_file(text.distribution, output, &err))
        return weft_report(&err);
    struct weft_job *job = weft_progress_begin("converting");
    bool ok = store ? to_store(path, &options, output, job, &err)
                    : to_text(path, &options, output, &text, job, &err);
    weft_progress_end(job);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    { "output", 'o', "FILE", false,
      "where to: FILE.weft, FILE.paje or FILE.trace\n(Paje), FILE.trf or FILE.picl (PICL); of "
      "a task DAG\nFILE.dot or FILE.gv (Graphviz), FILE.vista (tree of tasks);\nof arrays FILE.ddv (a line a reference)" },
    { "distribution", 0, "FILE", false, "ddv: how arrays lie (directives, or a map)" },
    { "array", 0, "NAME", false, "ddv: whose references (the first array)" },
    { "requesters", 0, NULL, false,
      "ddv: with the processor that asked, two more columns" },
    { "depth", 0, "N", false, "dot: tasks and sections at this depth are one node each" },
    { "order", 0, "ORDER", false, "PICL: time (default), as ParaGraph wants it, or node" },
    READING_OPTIONS,
};

const struct weft_command weft_command_convert = {
    .name = "convert",
    .arguments = "TRACE",
    .summary = "write a trace in another format",
    .description =
        "Writes a trace as a .weft store, as Paje text that reads back as the same\n"
        "entities, fields and colours, or as PICL records of its processors, messages,\n"
        "collective operations, tasks and marks. A task DAG becomes a graph for Graphviz, closed\n"
        "where it would have too many nodes, or a VISTA trace of who created whom. References to\n"
        "an array become a line each: time, row and column of the owner, of the element, read or\n"
        "write, local or remote.\n"
        "A file that is there is replaced, whole or not at all.\n"
        "A .weft keeps the roles that --map gives; texts have no place for them.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
