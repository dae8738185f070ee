/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "view/prepare.h"
#include "view/view.h"

/* The request as the view sees it. */
struct answer {
    struct weft_request request;
    struct weft_use use;
    struct weft_arena arena;
};

static const struct weft_request *begin(struct answer *answer, const struct weft_view *view,
                                        const struct weft_request *request,
                                        struct weft_arena *arena)
{
    answer->request = *request;
    answer->request.view = view;
    answer->request.arena = arena ? arena : &answer->arena;
    answer->request.use = &answer->use;
    answer->arena = (struct weft_arena){ 0 };
    weft_use_begin(&answer->use, &answer->request);
    return &answer->request;
}

static void end(struct answer *answer)
{
    weft_use_end(&answer->use);
    weft_arena_free(&answer->arena);
}

bool weft_view_scene(const struct weft_view *view, const struct weft_request *request,
                     struct weft_arena *arena, struct weft_scene *scene,
                     struct weft_err *err)
{
    struct answer answer;
    bool ok = view->scene(begin(&answer, view, request, arena), scene, err);
    end(&answer);
    return ok;
}

bool weft_view_table(const struct weft_view *view, const struct weft_request *request,
                     struct weft_table *table, struct weft_err *err)
{
    struct answer answer;
    bool ok = view->table(begin(&answer, view, request, NULL), table, err);
    end(&answer);
    return ok;
}

bool weft_view_point(const struct weft_view *view, const struct weft_request *request,
                     struct weft_point at, uint64_t *id, struct weft_table *table,
                     struct weft_err *err)
{
    struct answer answer;
    *id = WEFT_NO_ID;
    bool ok = view->point(begin(&answer, view, request, NULL), at, id, table, err);
    end(&answer);
    return ok;
}

const char *weft_view_remark(const struct weft_view *view,
                             const struct weft_request *request, struct weft_arena *arena)
{
    struct answer answer;
    if (!view->remark)
        return NULL;
    const char *remark = view->remark(begin(&answer, view, request, arena));
    end(&answer);
    return remark;
}

static bool has_column(const struct weft_request *request, const struct weft_column *column)
{
    if (column->of_page && !request->of_page)
        return false;
    if (!column->with)
        return true;
    size_t length = strcspn(column->with, "=");
    const char *name = weft_setting_parameter(request->view, column->with)->name;
    return strcmp(weft_setting(request, name), column->with + length + 1) == 0;
}

void weft_view_begin_table(const struct weft_request *request, struct weft_table *table)
{
    const struct weft_view *view = request->view;
    const char *names[WEFT_MAX_COLUMNS];
    size_t n = 0;
    WEFT_REQUIRE(view->n_columns <= WEFT_MAX_COLUMNS, "view %s has more than %d columns",
                 view->name, WEFT_MAX_COLUMNS);
    for (size_t i = 0; i < view->n_columns; i++)
        if (has_column(request, &view->columns[i]))
            names[n++] = view->columns[i].name;
    table->begin(table, names, n);
}

struct weft_span weft_request_instant(const struct weft_request *request)
{
    if (!request->has_at)
        return request->window;
    /* INT64_MAX has no tick after it. */
    int64_t begin = request->at < INT64_MAX ? request->at : INT64_MAX - 1;
    return (struct weft_span){ begin, begin + 1 };
}
