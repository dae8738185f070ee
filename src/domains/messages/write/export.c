/* SPDX-License-Identifier: Apache-2.0 */
/* Registers PICL as a format of weft convert. */
#include "write/export.h"

#include <string.h>

#include "cli/command.h"
#include "domains/messages/write/picl.h"
#include "read/recording/recording_to_store.h"

extern const struct weft_export weft_export_picl;

static int check(const struct weft_arguments *arguments)
{
    const char *order = weft_option_value(arguments, "order");
    if (!order || strcmp(order, "time") == 0 || strcmp(order, "node") == 0)
        return 0;
    return weft_usage(arguments->command, "--order is \"%s\"; it should be time or node",
                      order);
}

static bool write_picl(const struct weft_source *source, FILE *stream,
                       const struct weft_arguments *arguments, char **losses,
                       struct weft_job *job, struct weft_err *err)
{
    const char *order = weft_option_value(arguments, "order");
    bool by_node = order && strcmp(order, "node") == 0;
    return weft_write_picl(source, stream, by_node ? WEFT_PICL_BY_NODE : WEFT_PICL_BY_TIME,
                           losses, job, err);
}

/* Writes by node, the order of MPICL's own files. */
static bool write_asked(const struct weft_source *source, FILE *stream,
                        struct weft_err *err)
{
    return weft_write_picl(source, stream, WEFT_PICL_BY_NODE, NULL, NULL, err);
}

static const char *const endings[] = { ".trf", ".picl", NULL };
static const struct weft_option options[] = {
    { "order", 0, "ORDER", false, "PICL: time (default), as ParaGraph wants it, or node" },
};

const struct weft_export weft_export_picl = {
    .name = "PICL",
    .endings = endings,
    .files = ", FILE.trf or FILE.picl (PICL)",
    .as = "as PICL records of its processors, messages,\ncollective operations, tasks and "
          "marks",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_are_for = "--order is for PICL (FILE.trf)",
    .check = check,
    .write = write_picl,
    .note = WEFT_NOTE_TRACE_FILE,
    .asked_by = "tracefiles",
    .same_options = "-o FILE.trf --order node",
    .write_asked = write_asked,
};
