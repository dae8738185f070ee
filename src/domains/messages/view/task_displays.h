/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the displays of tasks (Heath, Finger: ParaGraph, 2003, section 5.3). */
#ifndef WEFT_VIEW_TASK_DISPLAYS_H
#define WEFT_VIEW_TASK_DISPLAYS_H

#include "domains/messages/view/processor_rows.h"
#include "domains/messages/view/task_color_code.h"

/*
 * The tasks and processors of a display; set by weft_task_display_begin, in the request's
 * arena.
 */
struct weft_task_display {
    struct weft_shown shown;        /* the processors */
    const struct weft_tasks *tasks; /* of all processors */
    const char **names;             /* [tasks->n]: for axes: "7", or a name */
    struct weft_task_colors colors; /* by the setting `colors`, if the view has it */
};

/* The member `needs` of the displays. */
#define WEFT_TASKS_NEEDED                                                                  \
 "tasks (weft_task_begin, MPICL's traceevent, a PICL file with blocks, or OpenMP)"

/*
 * Sets *D to the tasks of the request's first trace, and its processors under the request's
 * container in the order of the setting `order`, or by number if the view has none.  Fails
 * with WEFT_ERR_USAGE for a wrong setting, and as weft_use_tasks does.
 */
bool weft_task_display_begin(struct weft_task_display *d,
                             const struct weft_request *request,
                             struct weft_err *err) WEFT_MUST_CHECK;

/* Returns the cell of a task: its number, or else its name. */
struct weft_cell weft_task_cell(const struct weft_task_display *d, uint32_t task);
/* Returns "task 7", in ARENA, or the task's name. */
const char *weft_task_text(const struct weft_task_display *d, struct weft_arena *arena,
                           uint32_t task);
/* Returns the selection of the task's executions, in ARENA. */
const char *weft_task_where(const struct weft_task_display *d, struct weft_arena *arena,
                            uint32_t task);
/*
 * Returns the cell of the column `where` (weft_column.of_page): the selection of the task's
 * executions, in the request's arena; empty if REQUEST needs none.
 */
struct weft_cell weft_task_where_cell(const struct weft_task_display *d,
                                      const struct weft_request *request, uint32_t task);
/* Returns the look of a task. */
struct weft_swatch weft_task_look(const struct weft_task_display *d, uint32_t task);
/* Returns an amount of work for people, in ARENA: "1,250", "0.00312". */
const char *weft_work_text(struct weft_arena *arena, double work);
/*
 * Returns "12 tasks, 4 a bar", in ARENA, of a chart whose bars are SIZE tasks each; with
 * one task a bar only "12 tasks".
 */
const char *weft_tasks_text(const struct weft_task_display *d, struct weft_arena *arena,
                            uint32_t size, const char *bar);

#endif
