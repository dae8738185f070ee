/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the names of rows, and in a page the signs that open and close them. */
#include <math.h>
#include <string.h>

#include "view/timeline/space_time.h"

enum { INDENT = 12, LABEL_SIZE = 11, MIN_LABEL_PITCH = 10, TOGGLE = 12 }; /* pixels */
enum { NARROW = 600 }; /* pixels: of a picture */

void st_choose_labels(struct st_picture *p)
{
    bool headed = p->activity || p->rows.group > 1;
    for (size_t i = 0; i < p->rows.n && !headed; i++)
        headed = p->rows.list[i].kind == ST_HEADER;
    if (headed)
        p->labels = NULL;
    else if (!p->labels)
        p->labels = weft_container_labels(p->schema, p->arena);
}

/* Returns the name of a row's container, which tells it from other rows. */
static const char *container_name(const struct st_picture *p, const struct st_row *row)
{
    return p->labels ? p->labels[row->container]
                     : p->schema->containers[row->container].name;
}

/*
 * Returns the name at the left of a row.  The first row of a container has the container's
 * name, further ones their type's; both, if the first row shows events or a curve.
 */
static const char *row_name(const struct st_picture *p, const struct st_row *row)
{
    const char *container = weft_name_cut(container_name(p, row), p->arena);
    if (row->kind == ST_FOLD || (row->label && row->first))
        return row->label;
    if (p->rows.group > 1)
        return weft_arena_printf(p->arena, "%s …", container); /* the first of several */
    const char *type = p->schema->types[row->type == WEFT_NONE ? 0 : row->type].name;
    if (row->kind == ST_CURVE)
        type = st_curve_name(p, row->type);
    type = weft_name_cut(type, p->arena);
    if (!row->first)
        return type;
    if (row->kind == ST_EVENTS || row->kind == ST_CURVE)
        return weft_arena_printf(p->arena, "%s · %s", container, type);
    return container;
}

double st_gutter(const struct st_picture *p)
{
    double widest = 0;
    size_t looked = 0;
    for (size_t i = 0; i < p->rows.n && looked < 2000; i++, looked++) {
        const struct st_row *row = &p->rows.list[i];
        double width = row->depth * INDENT
                       + weft_text_width(WEFT_FONT_SANS, LABEL_SIZE, row_name(p, row));
        widest = fmax(widest, width);
    }
    if (p->request->bare)
        widest += TOGGLE;
    double most = p->request->width < NARROW ? 0.3 : 0.25; /* of the picture */
    return fmin(widest + 10, fmin(240, p->request->width * most));
}

/* Draws a triangle: a click on it toggles the container in the list SETTING. */
static void draw_sign(struct st_picture *p, const struct st_row *row, double x, double y,
                      const char *setting, bool closed)
{
    const char *name = p->schema->containers[row->container].name;
    struct weft_mark *sign = weft_scene_text(p->scene, (struct weft_point){ x, y },
                                             WEFT_ANCHOR_START, WEFT_FONT_SANS, LABEL_SIZE,
                                             p->request->theme->quiet, closed ? "▸" : "▾");
    if (!sign)
        return;
    sign->action = (struct weft_action){ WEFT_ACTION_TOGGLE, setting,
                                         weft_container_id(row->container, false) };
    if (row->kind == ST_FOLD)
        weft_mark_title(p->scene, sign, "show %s", row->label);
    else
        weft_mark_title(p->scene, sign, closed ? "open %s" : "close %s", name);
}

/* In a page: draws the row's head, for the pointer, and the triangle that opens and closes
   it. */
static void draw_handle(struct st_picture *p, const struct st_row *row, double x, double y)
{
    const struct weft_container *c = &p->schema->containers[row->container];
    struct weft_rect plot = p->frame.plot;
    if (row->kind == ST_FOLD) {
        draw_sign(p, row, x, y, "unfolded", true);
        return;
    }
    struct weft_mark *head = weft_scene_rect(
        p->scene, (struct weft_rect){ 0, plot.y + row->y, plot.x, row->height },
        (struct weft_paint){ 0 });
    if (head)
        head->id = weft_container_id(row->container, row->closed);
    if (head)
        head->heading =
            row->kind == ST_HEADER && !row->closed && c->first_child != WEFT_NONE;
    weft_mark_title(p->scene, head, "%s (%s)", c->name, p->schema->types[c->type].name);
    if (row->first && c->first_child != WEFT_NONE && row->container != 0 && !p->activity
        && row->height >= MIN_LABEL_PITCH)
        draw_sign(p, row, x, y, "closed", row->closed);
}

/*
 * Returns the pass in which a name gets its place, if there is no room for all: 0 before 1
 * before 2.
 */
enum { NAME_PASSES = 3 };
static int name_pass(const struct st_row *row)
{
    if (!row->first)
        return row->kind == ST_FOLD ? 1 : 2;
    return row->secondary || row->kind == ST_CURVE ? 1 : 0;
}

/* Returns true at the end of a part of a list, not at the comma of a number. */
static bool is_cut(const char *at)
{
    return (at[0] == ',' || at[0] == ':') && at[1] == ' ';
}

/* Returns "148 more: 120 Mutex, 28 Condition", or as much of it as fits. */
static const char *fold_name(const struct st_picture *p, const struct st_row *row,
                             double room)
{
    const char *label = row->label;
    size_t length = strlen(label);
    while (weft_text_width(WEFT_FONT_SANS, LABEL_SIZE, label) > room) {
        /* Drop the last kind, then the next, then all; if that is too long, cut in the
           middle. */
        while (length && !is_cut(row->label + length))
            length--;
        if (!length)
            return weft_text_fit(p->arena, WEFT_FONT_SANS, LABEL_SIZE, label, room);
        label = weft_arena_printf(p->arena, "%.*s%s", (int)length, row->label,
                                  row->label[length] == ',' ? ", …" : "");
        length--;
    }
    return label;
}

/* Returns a row's name, if need be only the container's, shortened to ROOM. */
static const char *fitting_name(const struct st_picture *p, const struct st_row *row,
                                double room)
{
    const char *name = row_name(p, row);
    if (row->first && weft_text_width(WEFT_FONT_SANS, LABEL_SIZE, name) > room)
        name = container_name(p, row);
    return weft_text_fit(p->arena, WEFT_FONT_SANS, LABEL_SIZE, name, room);
}

/* Draws the name of a row, unless TAKEN (by pixel of the plot) has another name there. */
static void draw_label(struct st_picture *p, const struct st_row *row, uint8_t *taken)
{
    enum { ABOVE = 6, BELOW = 4 }; /* pixels that a line of this size takes, nearly */
    struct weft_rect plot = p->frame.plot;
    double toggle = p->request->bare ? TOGGLE : 0;
    /* The first name is not cut at its upper edge, however thin its row is. */
    double middle = fmax(row->y + row->height / 2, ABOVE - 1);
    double indent = fmin(row->depth * INDENT, p->gutter / 2);
    double left = plot.x - p->gutter + indent;
    /* A low curve below its container's other rows has no name: names would overlap. */
    bool plain = row->kind == ST_CURVE && !row->first && row->height < MIN_LABEL_PITCH;
    if (plain || middle + BELOW > plot.height + 2)
        return;
    size_t from = middle > ABOVE ? (size_t)(middle - ABOVE) : 0;
    size_t to = (size_t)(middle + BELOW);
    for (size_t y = from; y < to; y++)
        if (taken[y])
            return;
    double room = p->gutter - indent - toggle - 6;
    const char *label =
        row->kind == ST_FOLD ? fold_name(p, row, room) : fitting_name(p, row, room);
    if (!label)
        return;
    memset(taken + from, 1, to - from);
    bool holds = row->kind == ST_HEADER
                 && p->schema->containers[row->container].first_child != WEFT_NONE;
    struct weft_mark *mark = weft_scene_text(
        p->scene, (struct weft_point){ left + toggle, plot.y + middle + 4 },
        WEFT_ANCHOR_START, holds ? WEFT_FONT_BOLD : WEFT_FONT_SANS, LABEL_SIZE,
        row->first ? p->request->theme->text : p->request->theme->quiet, label);
    if (!p->request->bare)
        weft_mark_title(p->scene, mark, "%s (%s)",
                        p->schema->containers[row->container].name,
                        p->schema->types[p->schema->containers[row->container].type].name);
}

void st_draw_labels(struct st_picture *p, unsigned moves)
{
    struct weft_rect plot = p->frame.plot;
    weft_scene_layer(p->scene, "rows", (struct weft_rect){ 0, plot.y, plot.x, plot.height },
                     moves);
    for (size_t i = 0; i < p->rows.n && p->request->bare; i++) {
        const struct st_row *row = &p->rows.list[i];
        double indent = fmin(row->depth * INDENT, p->gutter / 2);
        if (st_is_shown(p, row))
            draw_handle(p, row, plot.x - p->gutter + indent,
                        plot.y + row->y + row->height / 2 + 4);
    }
    uint8_t *taken = weft_arena_zalloc(p->arena, (size_t)fmax(0, plot.height) + 16, 1);
    for (int pass = 0; pass < NAME_PASSES; pass++)
        for (size_t i = 0; i < p->rows.n; i++)
            if (st_is_shown(p, &p->rows.list[i]) && name_pass(&p->rows.list[i]) == pass)
                draw_label(p, &p->rows.list[i], taken);
}
