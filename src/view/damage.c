/* SPDX-License-Identifier: Apache-2.0 */
#include "view/damage.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "store/time.h"
#include "view/detail.h"
#include "view/picture_frame.h"

enum { MAX_LISTED = 4096 };

static const struct weft_paint hatch = { .stroke_width = 1, .hatch = WEFT_HATCH_CROSS };

size_t weft_damage_list(const struct weft_source *source, struct weft_arena *arena,
                        const struct weft_damage **list, size_t *n_listed)
{
    size_t known = source->ops->damage(source, 0, NULL, 0), n = 0;
    size_t most = known < MAX_LISTED ? known : MAX_LISTED;
    struct weft_damage *out = weft_arena_alloc(arena, (most + 1) * sizeof *out);
    (void)source->ops->damage(source, 0, out, most);
    for (size_t i = 0; i < most; i++)
        if (out[i].what != WEFT_DAMAGED_SUMMARY)
            out[n++] = out[i];
    *list = out;
    *n_listed = n;
    return n + (known - most);
}

size_t weft_damage_of_set(const struct weft_set *set)
{
    struct weft_arena arena = { 0 };
    size_t total = 0;
    for (size_t i = 0; i < set->n_sources; i++) {
        const struct weft_damage *list;
        size_t n;
        total += weft_damage_list(set->sources[i], &arena, &list, &n);
    }
    weft_arena_free(&arena);
    return total;
}

/* Returns the block's type, container and time: "State of host/p1 from 0.1 s to 0.2 s". */
static const char *track_text(struct weft_arena *arena, const struct weft_schema *schema,
                              const struct weft_damage *damage)
{
    char begin[WEFT_TIME_TEXT], end[WEFT_TIME_TEXT];
    const struct weft_track *track = &schema->tracks[damage->track];
    weft_time_exact(schema, damage->span.begin - schema->span.begin, begin);
    weft_time_exact(schema, damage->span.end - schema->span.begin, end);
    return weft_arena_printf(
        arena, "%s of %s from %s s to %s s", schema->types[track->type].name,
        weft_container_path(arena, schema, track->container), begin, end);
}

static const char *part_text(struct weft_arena *arena, const struct weft_schema *schema,
                             const struct weft_damage *damage)
{
    const char *field =
        damage->field == WEFT_NONE ? "" : schema->fields[damage->field].name;
    if (damage->table)
        return weft_arena_printf(arena, "the table of %s", damage->table);
    switch (damage->what) {
    case WEFT_DAMAGED_ENTITIES:
        return weft_arena_printf(arena, "a block of %s", track_text(arena, schema, damage));
    case WEFT_DAMAGED_FIELDS:
        return weft_arena_printf(arena, "a block of the field %s of %s", field,
                                 track_text(arena, schema, damage));
    case WEFT_DAMAGED_INDEX:
        return damage->field == WEFT_NONE
                   ? "a block that finds links by their ends"
                   : weft_arena_printf(arena, "a block of the index of the field %s",
                                       field);
    case WEFT_DAMAGED_SUMMARY:
        return "a part of a summary, without which answers are as right, and slower,";
    case WEFT_DAMAGED_GRID: return "a block of nodes of the task DAG";
    case WEFT_DAMAGED_TABLE: break;
    }
    return "a part";
}

const char *weft_damage_text(struct weft_arena *arena, const struct weft_schema *schema,
                             const struct weft_damage *damage)
{
    return weft_arena_printf(arena, "%s, at byte %" PRIu64 " of the store, is damaged",
                             part_text(arena, schema, damage), damage->offset);
}

const char *weft_damage_hint(const struct weft_set *set)
{
    bool lacks = weft_damage_of_set(set) > 0;
    for (size_t i = 0; i < set->n_sources; i++)
        lacks |= set->sources[i]->schema->n_problems > 0;
    return lacks ? "; something of it may be missing: weft check lists what" : "";
}

struct weft_paint weft_damage_paint(const struct weft_theme *theme)
{
    struct weft_paint paint = hatch;
    paint.stroke = theme->text;
    return paint;
}

void weft_damage_hatch(struct weft_scene *scene, const struct weft_theme *theme,
                       struct weft_rect rect)
{
    /* At least two pixels, so that a single entity's instant is seen, too. */
    rect.width = fmax(rect.width, 2);
    weft_mark_title(scene, weft_scene_rect(scene, rect, weft_damage_paint(theme)),
                    "damaged: what was here cannot be read");
}

static bool has_layer(const struct weft_scene *scene)
{
    for (size_t l = 0; l < scene->n_layers; l++)
        if (strcmp(scene->layers[l].name, WEFT_DAMAGE_LAYER) == 0)
            return true;
    return false;
}

/* Hatches the plot of a picture whose x is time. */
static void hatch_plot(struct weft_scene *scene, const struct weft_theme *theme,
                       const struct weft_damage *list, size_t n)
{
    const struct weft_scene_frame *frame = &scene->frame;
    struct weft_rect plot = frame->plot;
    double scale = plot.width / fmax(1, (double)(frame->end - frame->begin));
    weft_scene_layer(scene, WEFT_DAMAGE_LAYER, plot, WEFT_LAYER_MOVES_X);
    for (size_t i = 0; i < n; i++) {
        if (list[i].what != WEFT_DAMAGED_ENTITIES)
            continue;
        double left = (double)list[i].span.begin - (double)frame->begin;
        double right = (double)list[i].span.end - (double)frame->begin;
        weft_damage_hatch(scene, theme,
                          (struct weft_rect){ plot.x + left * scale, plot.y,
                                              (right - left) * scale, plot.height });
    }
}

/*
 * Returns the area that a text or rectangle covers; around plots there are no other marks.
 */
static struct weft_rect covered(const struct weft_mark *mark)
{
    struct weft_rect box = mark->box;
    if (mark->kind != WEFT_MARK_TEXT)
        return box;
    double size = (double)mark->size;
    box.width = weft_text_width((enum weft_font)mark->font, size, mark->text);
    box.x -= mark->detail == WEFT_ANCHOR_END      ? box.width
             : mark->detail == WEFT_ANCHOR_MIDDLE ? box.width / 2
                                                  : 0;
    box.y -= size;
    box.height = size + 3;
    return box;
}

static bool overlap(struct weft_rect a, struct weft_rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height
           && b.y < a.y + a.height;
}

/* Returns false for a rectangle without paint, which only serves the pointer. */
static bool is_seen(const struct weft_mark *mark)
{
    const struct weft_paint *paint = &mark->paint;
    return mark->kind != WEFT_MARK_RECT || paint->fill || paint->stroke || paint->hatch;
}

/* Returns true if no mark covers RECT; marks outside their layer's clip cover nothing. */
static bool is_free(const struct weft_scene *scene, struct weft_rect rect)
{
    for (size_t l = 0; l < scene->n_layers; l++) {
        const struct weft_layer *layer = &scene->layers[l];
        for (size_t i = 0; overlap(layer->clip, rect) && i < layer->n_marks; i++)
            if (is_seen(&layer->marks[i]) && overlap(covered(&layer->marks[i]), rect))
                return false;
    }
    return true;
}

enum { AROUND = 4, SWATCH = 11, NOTE_HEIGHT = WEFT_SMALL_SIZE + 6 }; /* pixels */

/*
 * Returns a place at the right end of the legend's row, else of the title's row, if free;
 * else in the plot's lower corner, since legends and axes lie around the plot.
 */
static struct weft_rect note_place(const struct weft_scene *scene, double width)
{
    struct weft_rect plot = scene->frame.plot;
    const double below = 10; /* pixels that the frame leaves below its legend */
    const double above = 9;  /* on a line with the frame's title */
    const struct weft_rect legend = { scene->width - width - AROUND,
                                      scene->height - NOTE_HEIGHT - below, width,
                                      NOTE_HEIGHT };
    const struct weft_rect title = { legend.x, above, width, NOTE_HEIGHT };
    if (legend.x >= 0 && legend.y >= plot.y + plot.height && is_free(scene, legend))
        return legend;
    if (title.x >= 0 && title.y + NOTE_HEIGHT <= plot.y && is_free(scene, title))
        return title;
    double right = fmin(plot.x + plot.width, scene->width);
    double bottom = fmin(plot.y + plot.height, scene->height);
    right = fmax(right, fmin(width, scene->width));
    return (struct weft_rect){ right - width, bottom - NOTE_HEIGHT, width, NOTE_HEIGHT };
}

/* Draws a hatched square as in a legend, and the text, on a background of its own. */
static void note(struct weft_scene *scene, const struct weft_theme *theme, const char *text)
{
    double width = weft_text_width(WEFT_FONT_BOLD, WEFT_SMALL_SIZE, text);
    bool swatch = width + SWATCH + 4 * AROUND <= scene->width;
    struct weft_rect place =
        note_place(scene, width + 2 * AROUND + (swatch ? SWATCH + AROUND : 0));
    double bottom = place.y + NOTE_HEIGHT - AROUND;
    weft_scene_layer(scene, "damage note",
                     (struct weft_rect){ 0, 0, scene->width, scene->height },
                     WEFT_LAYER_FIXED);
    weft_scene_rect(scene, place, (struct weft_paint){ .fill = theme->panel });
    if (swatch)
        weft_scene_rect(scene,
                        (struct weft_rect){ place.x + AROUND, place.y + 3, SWATCH, SWATCH },
                        weft_damage_paint(theme));
    weft_scene_text(scene, (struct weft_point){ place.x + place.width - AROUND, bottom },
                    WEFT_ANCHOR_END, WEFT_FONT_BOLD, WEFT_SMALL_SIZE, theme->text, text);
}

/* Adds an entry to the legend, a sentence to the subtitle, and a note beside the legend. */
static void say(struct weft_scene *scene, const struct weft_request *request, size_t total)
{
    struct weft_scene_frame *frame = &scene->frame;
    struct weft_legend_item *legend =
        weft_arena_alloc(scene->arena, (frame->n_legend + 1) * sizeof *legend);
    if (frame->n_legend)
        memcpy(legend, frame->legend, frame->n_legend * sizeof *legend);
    legend[frame->n_legend++] =
        (struct weft_legend_item){ request->theme->panel, request->theme->panel,
                                   hatch.hatch, "damaged", -1 };
    frame->legend = legend;
    const char *text =
        weft_arena_printf(scene->arena, "%zu damaged part%s of the trace left out", total,
                          total == 1 ? "" : "s");
    frame->subtitle = frame->subtitle && frame->subtitle[0]
                          ? weft_arena_printf(scene->arena, "%s; %s", frame->subtitle, text)
                          : text;
    if (!request->bare) /* a page shows the entry and the subtitle itself */
        note(scene, request->theme, text);
}

bool weft_view_draw(const struct weft_view *view, const struct weft_request *request,
                    struct weft_arena *arena, struct weft_scene *scene,
                    struct weft_err *err)
{
    if (!weft_view_scene(view, request, arena, scene, err))
        return false;
    if (scene->full)
        return weft_fail(
            err, WEFT_ERR_LIMIT,
            "this picture takes more than %zu MiB of memory (right: a smaller one, "
            "fewer rows, or a shorter time)",
            arena->most >> 20);
    size_t total = weft_damage_of_set(request->set);
    if (total && request->set->n_sources) {
        const struct weft_damage *list;
        size_t n;
        (void)weft_damage_list(request->set->sources[0], arena, &list, &n);
        if (n && scene->frame.has_time && !has_layer(scene))
            hatch_plot(scene, request->theme, list, n);
    }
    if (total)
        say(scene, request, total);
    return true;
}
