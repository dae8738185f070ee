/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/view/display.h"

static bool begin(const struct arrays_display *display, struct arrays_question *q,
                  const struct weft_request *request, struct weft_arena *arena,
                  struct weft_err *err)
{
    return arrays_begin(q, display->view, request, arena, display->all_arrays, err);
}

static const char *missing_of(const struct arrays_display *display,
                              const struct arrays_question *q)
{
    return display->missing ? display->missing(q) : NULL;
}

bool arrays_display_scene(const struct arrays_display *display,
                          const struct weft_request *request, struct weft_arena *arena,
                          struct weft_scene *scene, struct weft_err *err)
{
    struct arrays_question q;
    if (!begin(display, &q, request, arena, err))
        return false;
    const char *missing = missing_of(display, &q);
    bool ok = missing || display->draw(&q, scene, err);
    if (missing)
        arrays_say_missing(&q, scene, missing);
    arrays_end(&q);
    return ok;
}

bool arrays_display_table(const struct arrays_display *display,
                          const struct weft_request *request, struct weft_table *table,
                          struct weft_err *err)
{
    struct weft_arena arena = { 0 };
    struct arrays_question q;
    bool ok = begin(display, &q, request, &arena, err);
    if (ok) {
        const char *missing = missing_of(display, &q);
        ok = missing ? weft_fail(err, WEFT_ERR_USAGE, "%s", missing)
                     : display->put_table(&q, table, err);
        arrays_end(&q);
    }
    weft_arena_free(&arena);
    return ok;
}

bool arrays_display_point(const struct arrays_display *display,
                          const struct weft_request *request, struct weft_point at,
                          uint64_t *id, struct weft_table *table, struct weft_err *err)
{
    struct weft_arena arena = { 0 };
    struct arrays_question q;
    *id = WEFT_NO_ID;
    bool ok = begin(display, &q, request, &arena, err);
    if (ok) {
        weft_table_begin_facts(table);
        ok = missing_of(display, &q) || display->put_point(&q, at, id, table, err);
        table->end(table);
        arrays_end(&q);
    }
    weft_arena_free(&arena);
    return ok;
}
