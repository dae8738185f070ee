/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/view/view_skeleton.h"

static const char *missing_of(const struct arrays_question *q)
{
    const struct arrays_display *display = arrays_display_of(q->request);
    return display->missing ? display->missing(q) : NULL;
}

bool arrays_scene(const struct weft_request *request, struct weft_scene *scene,
                  struct weft_err *err)
{
    struct arrays_question q;
    if (!arrays_begin(&q, request, err))
        return false;
    const char *missing = missing_of(&q);
    bool ok = missing || arrays_display_of(request)->draw(&q, scene, err);
    if (missing)
        arrays_say_missing(&q, scene, missing);
    arrays_end(&q);
    return ok;
}

bool arrays_table(const struct weft_request *request, struct weft_table *table,
                  struct weft_err *err)
{
    struct arrays_question q;
    if (!arrays_begin(&q, request, err))
        return false;
    const char *missing = missing_of(&q);
    bool ok = missing ? weft_fail(err, WEFT_ERR_USAGE, "%s", missing)
                      : arrays_display_of(request)->put_table(&q, table, err);
    arrays_end(&q);
    return ok;
}

bool arrays_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *table, struct weft_err *err)
{
    struct arrays_question q;
    if (!arrays_begin(&q, request, err))
        return false;
    weft_table_begin_facts(table);
    bool ok =
        missing_of(&q) || arrays_display_of(request)->put_point(&q, at, id, table, err);
    table->end(table);
    arrays_end(&q);
    return ok;
}
