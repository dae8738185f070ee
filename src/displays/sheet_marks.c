/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the marks that a display has sent, into a scene. */
#include <math.h>
#include <string.h>
#include <weft/view.h>

#include "base/memory.h"
#include "displays/view_of_display.h"

enum { MOST_POINTS = 65536 }; /* of a line or polygon */

/* The marks being drawn. */
struct player {
    struct weft_frame *frame;
    const struct weft_view *view;
    struct message_reader reader;
    struct weft_mark *last; /* mark that titles and actions are for, or NULL */
};

static double x_of(const struct player *player, double x)
{
    return player->frame->plot.x + x;
}

static double y_of(const struct player *player, double y)
{
    return player->frame->plot.y + y;
}

/* Reads fill and outline. */
static struct weft_paint read_paint(struct player *player)
{
    const struct weft_theme *theme = player->frame->theme;
    struct weft_swatch fill = display_ink(theme, message_u32(&player->reader));
    struct weft_swatch outline = display_ink(theme, message_u32(&player->reader));
    /* In black and white many fills are white: an outline shows where they end. */
    bool outlined = fill.fill && (fill.hatch || theme->name == WEFT_THEME_MONO);
    weft_color stroke = outline.fill ? weft_unhatched(theme, outline.fill)
                        : outlined   ? theme->text
                                     : 0;
    return (struct weft_paint){ .fill = fill.fill,
                                .hatch = fill.hatch,
                                .stroke = stroke,
                                .stroke_width = outline.fill ? 1
                                                : outlined   ? 0.5f
                                                             : 0 };
}

static void play_rectangle(struct player *player)
{
    double box[4];
    for (int i = 0; i < 4; i++)
        box[i] = message_real(&player->reader);
    struct weft_paint paint = read_paint(player);
    player->last = weft_scene_rect(
        player->frame->scene,
        (struct weft_rect){ x_of(player, box[0]), y_of(player, box[1]), box[2], box[3] },
        paint);
}

static void play_circle(struct player *player)
{
    double x = message_real(&player->reader), y = message_real(&player->reader);
    double radius = message_real(&player->reader);
    struct weft_paint paint = read_paint(player);
    struct weft_point centre = { x_of(player, x), y_of(player, y) };
    player->last = radius > 0 && radius < 32767
                       ? weft_scene_glyph(player->frame->scene, WEFT_GLYPH_CIRCLE, centre,
                                          2 * radius, 0, paint)
                       : NULL;
}

/* Reads points into the scene's arena; NULL, and *N 0, if they are not there. */
static struct weft_point *read_points(struct player *player, uint32_t *n)
{
    *n = message_u32(&player->reader);
    if (*n > MOST_POINTS) {
        player->reader.wrong = true;
        *n = 0;
    }
    struct weft_arena *arena = player->frame->scene->arena;
    struct weft_point *points = weft_arena_zalloc(arena, (size_t)*n + 1, sizeof *points);
    for (uint32_t i = 0; i < *n; i++) {
        double x = message_real(&player->reader), y = message_real(&player->reader);
        points[i] = (struct weft_point){ x_of(player, x), y_of(player, y) };
    }
    return points;
}

static void play_line(struct player *player)
{
    const struct weft_theme *theme = player->frame->theme;
    uint32_t n;
    const struct weft_point *points = read_points(player, &n);
    struct weft_swatch swatch = display_ink(theme, message_u32(&player->reader));
    double width = message_real(&player->reader);
    width = width > 0.1 ? fmin(width, 100) : 1;
    player->last = weft_scene_polyline(
        player->frame->scene, points, n,
        (struct weft_paint){ .stroke = weft_unhatched(theme, swatch.fill),
                             .stroke_width = (float)width });
}

static void play_polygon(struct player *player)
{
    uint32_t n;
    const struct weft_point *points = read_points(player, &n);
    struct weft_paint paint = read_paint(player);
    player->last = weft_scene_polygon(player->frame->scene, points, n, paint);
}

static void play_text(struct player *player)
{
    static const enum weft_anchor anchors[] = {
        [WEFT_DISPLAY_LEFT] = WEFT_ANCHOR_START,
        [WEFT_DISPLAY_CENTER] = WEFT_ANCHOR_MIDDLE,
        [WEFT_DISPLAY_RIGHT] = WEFT_ANCHOR_END,
    };
    double x = message_real(&player->reader), y = message_real(&player->reader);
    double size = fmin(fmax(message_real(&player->reader), 4), 400);
    uint32_t align = message_u32(&player->reader);
    struct weft_swatch ink =
        display_ink(player->frame->theme, message_u32(&player->reader));
    const char *text = message_text(&player->reader);
    player->last = weft_scene_text(
        player->frame->scene, (struct weft_point){ x_of(player, x), y_of(player, y) },
        anchors[align <= WEFT_DISPLAY_RIGHT ? align : 0], WEFT_FONT_SANS, size,
        weft_unhatched(player->frame->theme, ink.fill), text);
}

static void play_action(struct player *player, enum mark_kind kind)
{
    struct weft_arena *arena = player->frame->scene->arena;
    const char *name = message_text(&player->reader);
    if (kind == MARK_LISTS) {
        if (player->last)
            player->last->action = weft_list_action(weft_arena_strdup(arena, name));
        return;
    }
    const char *text =
        weft_arena_printf(arena, "%s=%s", name, message_text(&player->reader));
    if (player->last && weft_setting_parameter(player->view, text))
        player->last->action = (struct weft_action){ WEFT_ACTION_SET, text, 0 };
}

/* Reads and passes over a mark that draws nothing by itself. */
static void pass(struct player *player, enum mark_kind kind)
{
    if (kind == MARK_LEGEND)
        (void)message_u32(&player->reader);
    if (kind == MARK_LEGEND || kind == MARK_SUBTITLE)
        (void)message_text(&player->reader);
    else
        player->reader.wrong = true;
}

static void play(struct player *player, enum mark_kind kind)
{
    switch (kind) {
    case MARK_RECTANGLE: play_rectangle(player); break;
    case MARK_CIRCLE: play_circle(player); break;
    case MARK_LINE: play_line(player); break;
    case MARK_POLYGON: play_polygon(player); break;
    case MARK_TEXT: play_text(player); break;
    case MARK_TITLE: {
        const char *text = message_text(&player->reader);
        if (player->last)
            weft_mark_title(player->frame->scene, player->last, "%s", text);
        break;
    }
    case MARK_SETS:
    case MARK_LISTS: play_action(player, kind); break;
    default: pass(player, kind);
    }
}

bool display_marks_draw(struct weft_frame *frame, const struct weft_view *view,
                        const unsigned char *bytes, size_t n)
{
    struct player player = { frame, view, { bytes, bytes + n, false }, NULL };
    while (player.reader.at < player.reader.end && !player.reader.wrong)
        play(&player, (enum mark_kind)message_u32(&player.reader));
    return !player.reader.wrong;
}

/* Adds an entry to the legend; those beyond the first thousand are left out. */
static void add_legend(struct display_words *words, const struct weft_theme *theme,
                       uint32_t ink, const char *label, struct weft_arena *arena)
{
    enum { MOST = 1000 };
    if (words->n >= MOST)
        return;
    if (!words->legend)
        words->legend = weft_arena_zalloc(arena, MOST, sizeof *words->legend);
    words->legend[words->n] = (struct weft_legend_entry){
        .swatch = display_ink(theme, ink),
        .label = weft_text_clean(arena, weft_arena_strdup(arena, label)),
        .share = -1,
        .number = (uint32_t)words->n + 1,
    };
    words->n++;
}

void display_words_read(struct display_words *words, const unsigned char *bytes, size_t n,
                        const struct weft_theme *theme, struct weft_arena *arena)
{
    /* content after the kind: reals, integers, points before them, texts after them */
    static const struct {
        uint8_t points, reals_first, integers, reals_last, texts;
    } shapes[] = {
        [MARK_RECTANGLE] = { 0, 4, 2, 0, 0 }, [MARK_CIRCLE] = { 0, 3, 2, 0, 0 },
        [MARK_LINE] = { 1, 0, 1, 1, 0 },      [MARK_POLYGON] = { 1, 0, 2, 0, 0 },
        [MARK_TEXT] = { 0, 3, 2, 0, 1 },      [MARK_TITLE] = { 0, 0, 0, 0, 1 },
        [MARK_SETS] = { 0, 0, 0, 0, 2 },      [MARK_LISTS] = { 0, 0, 0, 0, 1 },
        [MARK_LEGEND] = { 0, 0, 1, 0, 1 },    [MARK_SUBTITLE] = { 0, 0, 0, 0, 1 },
    };
    struct message_reader reader = { bytes, bytes + n, false };
    while (reader.at < reader.end && !reader.wrong) {
        uint32_t kind = message_u32(&reader), ink = 0;
        const char *text = "";
        if (kind < MARK_RECTANGLE || kind > MARK_SUBTITLE)
            return;
        uint64_t reals = shapes[kind].reals_first;
        if (shapes[kind].points)
            reals = 2 * (uint64_t)message_u32(&reader);
        for (uint64_t i = 0; i < reals && !reader.wrong; i++)
            (void)message_real(&reader);
        for (int i = 0; i < shapes[kind].integers; i++)
            ink = message_u32(&reader);
        for (int i = 0; i < shapes[kind].reals_last; i++)
            (void)message_real(&reader);
        for (int i = 0; i < shapes[kind].texts; i++)
            text = message_text(&reader);
        if (kind == MARK_LEGEND)
            add_legend(words, theme, ink, text, arena);
        if (kind == MARK_SUBTITLE)
            words->subtitle = weft_arena_strdup(arena, text);
    }
}
