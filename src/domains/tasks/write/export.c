/* SPDX-License-Identifier: Apache-2.0 */
/* The exports of task DAGs in weft convert. */
#include "write/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "domains/tasks/write/dag_text.h"

extern const struct weft_export weft_export_dot, weft_export_task_tree,
    weft_export_dag_recorder;

/* Reads --depth; returns false if it is not a number. */
static bool read_depth(const struct weft_arguments *arguments, uint32_t *depth)
{
    enum { DIGITS = 9 };
    const char *given = weft_option_value(arguments, "depth");
    *depth = WEFT_NONE;
    if (!given)
        return true;
    size_t n = strspn(given, "0123456789");
    *depth = (uint32_t)strtoul(given, NULL, 10);
    return n && n <= DIGITS && !given[n];
}

static int check_dot(const struct weft_arguments *arguments)
{
    uint32_t depth;
    if (read_depth(arguments, &depth))
        return 0;
    return weft_usage(arguments->command, "--depth is \"%s\"; it should be a whole number",
                      weft_option_value(arguments, "depth"));
}

static bool write_dot(const struct weft_source *source, FILE *stream,
                      const struct weft_arguments *arguments, char **losses,
                      struct weft_job *job, struct weft_err *err)
{
    uint32_t depth;
    (void)losses;
    (void)read_depth(arguments, &depth);
    return weft_write_dot(source, stream, depth, job, err);
}

static bool write_task_tree(const struct weft_source *source, FILE *stream,
                            const struct weft_arguments *arguments, char **losses,
                            struct weft_job *job, struct weft_err *err)
{
    (void)arguments, (void)losses;
    return weft_write_task_tree(source, stream, weft_temporary_folder(), job, err);
}

static const char *const dot_endings[] = { ".dot", ".gv", NULL };
static const struct weft_option dot_options[] = {
    { "depth", 0, "N", false, "dot: tasks and sections at this depth are one node each" },
};

const struct weft_export weft_export_dot = {
    .name = "dot",
    .endings = dot_endings,
    .files = "; of a task DAG\nFILE.dot or FILE.gv (Graphviz)",
    .sentence =
        "A task DAG becomes a graph for Graphviz, closed\nwhere it would have too many nodes, "
        "or a VISTA trace of who created whom.",
    .alone = "the nodes and edges of the task DAG",
    .options = dot_options,
    .n_options = sizeof dot_options / sizeof *dot_options,
    .options_are_for = "--depth is for FILE.dot",
    .check = check_dot,
    .write = write_dot,
};

static const char *const tree_endings[] = { ".vista", NULL };

const struct weft_export weft_export_task_tree = {
    .name = "VISTA",
    .endings = tree_endings,
    .files = ", FILE.vista (tree of tasks)",
    .alone = "who created whom, where and when each task began and ended",
    .write = write_task_tree,
};

static bool write_dag_recorder(const struct weft_source *source, FILE *stream,
                               const struct weft_arguments *arguments, char **losses,
                               struct weft_job *job, struct weft_err *err)
{
    (void)arguments;
    return weft_write_dag_recorder(source, stream, losses, job, err);
}

static const char *const dag_endings[] = { ".dag", NULL };

const struct weft_export weft_export_dag_recorder = {
    .name = "DAG Recorder",
    .endings = dag_endings,
    .files = ", FILE.dag (DAG Recorder)",
    .write = write_dag_recorder,
};
