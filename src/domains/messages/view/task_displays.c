/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/task_displays.h"

#include <math.h>
#include <string.h>

#include "analyse/where_selection.h"

static bool has_setting(const struct weft_request *request, const char *name)
{
    for (size_t i = 0; i < request->view->n_parameters; i++)
        if (strcmp(request->view->parameters[i].name, name) == 0)
            return true;
    return false;
}

bool weft_task_display_begin(struct weft_task_display *d,
                             const struct weft_request *request, struct weft_err *err)
{
    const char *order =
        has_setting(request, "order") ? weft_setting(request, "order") : NULL;
    const char *colors =
        has_setting(request, "colors") ? weft_setting(request, "colors") : "rainbow";
    if (!weft_shown_begin(&d->shown, request, order, err)
        || !weft_task_colors_make(&d->colors, request->theme, colors, err))
        return false;
    d->tasks = weft_use_tasks(request->use, err);
    if (!d->tasks)
        return false;
    d->names =
        weft_arena_alloc(request->arena, ((size_t)d->tasks->n + 1) * sizeof *d->names);
    for (uint32_t i = 0; i < d->tasks->n; i++)
        d->names[i] = d->tasks->tasks[i].name;
    return true;
}

struct weft_cell weft_task_cell(const struct weft_task_display *d, uint32_t task)
{
    const struct weft_task *of = &d->tasks->tasks[task];
    return of->numbered ? weft_integer_cell(of->number) : weft_text_cell(of->name);
}

const char *weft_task_text(const struct weft_task_display *d, struct weft_arena *arena,
                           uint32_t task)
{
    const struct weft_task *of = &d->tasks->tasks[task];
    return of->numbered ? weft_arena_printf(arena, "task %s", of->name) : of->name;
}

const char *weft_task_where(const struct weft_task_display *d, struct weft_arena *arena,
                            uint32_t task)
{
    const struct weft_task *of = &d->tasks->tasks[task];
    const struct weft_schema *schema = d->tasks->processors->source->schema;
    if (of->value != WEFT_NONE) {
        const char *name = schema->values[of->value].name;
        const struct weft_site *site =
            of->site != WEFT_NONE ? &schema->sites[of->site] : NULL;
        return weft_where_and(
            arena, weft_where_and(arena, "state", "value =", name), "site =",
            site && *site->file ? weft_arena_printf(arena, "%s:%u", site->file, site->line)
                                : "");
    }
    return weft_where_and(arena, "role = task",
                          of->numbered ? "number =" : "value =", of->name);
}

struct weft_cell weft_task_where_cell(const struct weft_task_display *d,
                                      const struct weft_request *request, uint32_t task)
{
    return request->of_page ? weft_text_cell(weft_task_where(d, request->arena, task))
                            : (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
}

struct weft_swatch weft_task_look(const struct weft_task_display *d, uint32_t task)
{
    return weft_task_swatch(&d->colors, d->tasks->tasks[task].color);
}

const char *weft_work_text(struct weft_arena *arena, double work)
{
    return fabs(work) >= 100 ? weft_number_text(arena, work, 0)
                             : weft_arena_printf(arena, "%.3g", work);
}

const char *weft_tasks_text(const struct weft_task_display *d, struct weft_arena *arena,
                            uint32_t size, const char *bar)
{
    const char *n = weft_number_text(arena, d->tasks->n, 0);
    const char *tasks =
        weft_arena_printf(arena, d->tasks->n == 1 ? "%s task" : "%s tasks", n);
    return size > 1 ? weft_arena_printf(arena, "%s, %u %s", tasks, size, bar) : tasks;
}
