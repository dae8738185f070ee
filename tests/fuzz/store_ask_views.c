/* SPDX-License-Identifier: Apache-2.0 */
/* Views of any store: drawn, as tables, and asked what is at a point. */
#include "store_ask_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "tests/random.h"
#include "tests/sweep/scene_check.h"
#include "view/damage.h"

enum {
    PICTURES = 2,          /* of views that the store fills */
    PICTURE_WIDTH = 700,   /* pixels at most: larger pictures take no other way ... */
    PICTURE_HEIGHT = 500,  /* ... through the code, and more time */
    PLAYED_PIXELS = 40000, /* at most in a picture that a back end draws */
};

struct counting_table {
    struct weft_table table;
    size_t n_columns, n_rows;
};

static void begin_table(struct weft_table *table, const char *const *names, size_t n)
{
    ((struct counting_table *)table)->n_columns = names[0] ? n : 0;
}
static bool take_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct counting_table *count = (struct counting_table *)table;
    volatile size_t sum = 0;
    for (size_t i = 0; i < count->n_columns; i++)
        if (cells[i].kind == WEFT_CELL_TEXT)
            sum = sum + text_length(cells[i].text);
    return ++count->n_rows < SEEN_MAX;
}
static void end_table(struct weft_table *table)
{
    (void)table;
}

static void play(const struct weft_scene *scene)
{
    struct weft_err err;
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return;
    (void)!weft_backends[roll(weft_n_backends)]->draw(scene, stream, NULL, &err);
    fclose(stream);
    free(bytes);
}

static void draw(struct shot *shot, const struct weft_set *set)
{
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    char what[600];
    struct weft_request *request = &shot->request;
    some_request(shot, set);
    request->width = request->width < PICTURE_WIDTH ? request->width : PICTURE_WIDTH;
    request->height = request->height < PICTURE_HEIGHT ? request->height : PICTURE_HEIGHT;
    if (weft_view_draw(shot->view, request, &arena, &scene, &err)) {
        const char *fault = scene_fault(&scene, what, sizeof what);
        WEFT_REQUIRE(!fault, "%s: %s", shot->view->name, fault);
        if (roll(8) == 0 && scene.width * scene.height < PLAYED_PIXELS)
            play(&scene);
    }
    weft_arena_free(&arena);
    struct counting_table count = { { begin_table, take_row, end_table }, 0, 0 };
    if (roll(2))
        (void)!weft_view_table(shot->view, request, &count.table, &err);
    uint64_t id;
    struct weft_point at = { (double)roll(PICTURE_WIDTH), (double)roll(PICTURE_HEIGHT) };
    if (shot->view->point)
        (void)!weft_view_point(shot->view, request, at, &id, &count.table, &err);
}

void ask_views(const struct store_asker *asker)
{
    static struct shot shot;
    const struct weft_source *both[2] = { asker->source, asker->source };
    memset(&shot, 0, sizeof shot);
    shot.rows = asker->schema->n_containers;
    for (unsigned i = 0; i < PICTURES; i++) {
        shot.view = weft_view_at(roll(weft_view_count()));
        struct weft_set set = { both, shot.view->compares ? 2 : 1 };
        if (shot.view->fills(&set))
            draw(&shot, &set);
    }
}
