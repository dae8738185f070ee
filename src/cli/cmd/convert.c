/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/open_traces.h"
#include "read/reader.h"
#include "read/rewindable_bytes.h"
#include "read/roles/user_maps.h"
#include "write/export.h"

const struct weft_command weft_command_convert;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* Copies with read(), not mmap, so that an unreadable or truncated input is an error. */
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
 * Copies the store at PATH to OUTPUT, with the roles of a map if there is one.  PATH is
 * OUTPUT (the same pointer) if the store was just made there from a text.
 */
static bool copy_store(const char *path, const struct weft_read_options *options,
                       const char *output, struct weft_job *job, struct weft_err *err)
{
    bool mapped;
    struct weft_trace *trace = weft_trace_open(path, err);
    bool ok = trace && weft_maps_apply(trace, options->map, &mapped, job, err);
    if (ok)
        ask_say_unused_rules(options->map, weft_trace_schema(trace));
    bool made = path == output; /* just now, from a text */
    if (ok && made)
        ask_tell_problems(trace, output);
    uint64_t damaged = 0;
    if (ok && !made) {
        damaged = weft_trace_verify(trace, job);
        ok = weft_job_step(job, 1, 1, err); /* fails if cancelled: not all was verified */
    }
    if (ok && mapped)
        ok = weft_trace_save(trace, output, err);
    else if (ok && !made)
        ok = copy_file(path, output, job, err);
    if (ok && damaged) /* the copy has the same damage */
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
    /* A map is checked against the trace while it is opened, before a file is replaced. */
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

/* Warns that the file holds less than the trace, which is no error. */
static void say_losses(const char *output, const struct weft_export *export,
                       const char *losses)
{
    struct weft_err note = { 0 };
    if (export->alone)
        weft_fail_at(&note, WEFT_ERR_FORMAT, output, 0,
                     "it has %s, and nothing else of the trace (a .weft keeps all of it)",
                     export->alone);
    else if (losses && losses[0])
        weft_fail_at(&note, WEFT_ERR_FORMAT, output, 0,
                     "%s has no place for %s of the trace (a .weft keeps all of it)",
                     export->name, losses);
    if (note.code)
        weft_report(&note);
}

static bool to_text(const char *path, const struct weft_read_options *options,
                    const char *output, const struct weft_export *export,
                    const struct weft_arguments *arguments, struct weft_job *job,
                    struct weft_err *err)
{
    struct weft_trace *trace = ask_trace(path, options, job, NULL, err);
    char *losses = NULL;
    struct weft_output out;
    bool ok =
        trace && ask_keeps_trace(path, output, err) && weft_output_open(&out, output, err);
    if (ok) {
        ask_writes(&out);
        ok = export->write(weft_trace_source(trace), out.stream, arguments, &losses, job,
                           err);
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
            say_losses(output, export, losses);
        ok = ok && ask_whole(weft_trace_source(trace), path, err);
    }
    free(losses);
    weft_trace_close(trace);
    return ok;
}

static bool gives_any(const struct weft_arguments *arguments,
                      const struct weft_export *export)
{
    for (size_t i = 0; i < export->n_options; i++)
        if (weft_option_given(arguments, export->options[i].name))
            return true;
    return false;
}

/* Checks the options of all exports; CHOSEN is the one to be written, NULL for a store. */
static int check(const struct weft_arguments *arguments, const struct weft_export *chosen)
{
    int status = 0;
    for (size_t i = weft_export_count(); status == 0 && i-- > 0;) {
        const struct weft_export *export = weft_export_at(i);
        if (export != chosen && gives_any(arguments, export))
            status = weft_usage(arguments->command, "%s", export->options_are_for);
        else if (export == chosen && export->check)
            status = export->check(arguments);
    }
    return status;
}

static bool keeps_read(const struct weft_arguments *arguments,
                       const struct weft_export *export, const char *output,
                       struct weft_err *err)
{
    return !export || !export->reads
           || ask_keeps_file(weft_option_value(arguments, export->reads), output, err);
}

/* Returns all endings, as ".weft, .paje or .trf"; the caller frees it. */
static char *list_endings(void)
{
    const struct weft_export *export;
    char *list = weft_strdup(".weft"), *last = NULL;
    for (size_t i = 0; (export = weft_export_at(i)); i++)
        for (size_t k = 0; export->endings[k]; k++) {
            char *longer = last ? weft_asprintf("%s, %s", list, last) : weft_strdup(list);
            free(list);
            free(last);
            list = longer;
            last = weft_strdup(export->endings[k]);
        }
    char *all = weft_asprintf("%s or %s", list, last);
    free(list);
    free(last);
    return all;
}

static int refuse_ending(const struct weft_arguments *arguments, const char *output)
{
    char *endings = list_endings();
    int status = weft_usage(arguments->command, "cannot tell the format of \"%s\" (%s)",
                            output, endings);
    free(endings);
    return status;
}

static int run(const struct weft_arguments *arguments)
{
    const char *path = arguments->positional[0];
    const char *output = weft_option_value(arguments, "output");
    if (!output)
        return weft_usage(&weft_command_convert, "-o FILE is missing");
    bool store = ends_with(output, ".weft");
    const struct weft_export *export = store ? NULL : weft_export_find(output);
    if (!store && !export)
        return refuse_ending(arguments, output);
    int status = check(arguments, export);
    if (status != 0)
        return status;
    struct weft_err err = { 0 };
    struct weft_read_options options;
    if (!ask_reading(arguments, false, &options, &err)
        || !ask_keeps_beside(arguments, output, &err)
        || !keeps_read(arguments, export, output, &err))
        return weft_report(&err);
    struct weft_job *job = weft_progress_begin("converting");
    bool ok = store ? to_store(path, &options, output, job, &err)
                    : to_text(path, &options, output, export, arguments, job, &err);
    weft_progress_end(job);
    return ok ? 0 : weft_report(&err);
}

/* Lists -o, then the options of the exports, the last export first. */
static void list_outputs(struct weft_option_list *list)
{
    struct weft_option output = { "output", 'o', "FILE", false, "where to: FILE.weft" };
    for (size_t i = 0; i < weft_export_count(); i++)
        output.help =
            weft_arena_printf(list->arena, "%s%s", output.help, weft_export_at(i)->files);
    weft_options_add(list, &output, 1);
    for (size_t i = weft_export_count(); i-- > 0;)
        weft_options_add(list, weft_export_at(i)->options, weft_export_at(i)->n_options);
}

static const struct weft_option options[] = { { .expand = list_outputs },
                                              { .expand = ask_list_reading } };

/* Returns TEXT, BEFORE and PART joined; frees TEXT. */
static char *append(char *text, const char *before, const char *part)
{
    char *longer = weft_asprintf("%s%s%s", text, before, part);
    free(text);
    return longer;
}

static char *describe(void)
{
    char *text = weft_strdup("Writes a trace as a .weft store");
    size_t last = 0, n = weft_export_count();
    for (size_t i = 0; i < n; i++)
        last = weft_export_at(i)->as ? i : last;
    for (size_t i = 0; i < n; i++)
        if (weft_export_at(i)->as)
            text = append(text, i == last ? ", or " : ", ", weft_export_at(i)->as);
    text = append(text, ".", "");
    for (size_t i = 0; i < n; i++)
        if (weft_export_at(i)->sentence)
            text = append(text, " ", weft_export_at(i)->sentence);
    return append(
        text, "\n",
        "A file that is there is replaced, whole or not at all.\n"
        "A .weft and Paje text keep the roles that --map gives; other texts have no place "
        "for them.");
}

const struct weft_command weft_command_convert = {
    .name = "convert",
    .arguments = "TRACE",
    .summary = "write a trace in another format",
    .more = describe,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
