/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ParaGraph's Spacetime Diagram (Heath, Finger 2003, section 5.2): a line for each
 * processor, solid while it is busy or in overhead, absent while it is idle.  The roles of
 * its calls decide its class (model/processors.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "domains/messages/view/space_time_layers.h"

enum { THICKEST = 3 /* pixels */, MIN_ALPHA = 48 /* of a short stretch */ };

static bool list_processors(struct st_activity *activity, uint32_t under,
                            struct weft_arena *arena, struct weft_err *err)
{
    const struct weft_processors *processors = activity->processors;
    const struct weft_container *containers = processors->source->schema->containers;
    const struct weft_container *root = &containers[under];
    activity->index =
        weft_arena_alloc(arena, (processors->n + 1) * sizeof *activity->index);
    for (uint32_t i = 0; i < processors->n; i++) {
        uint32_t order = containers[processors->processors[i].container].order;
        if (order >= root->order && order < root->subtree_end)
            activity->index[activity->n++] = i;
    }
    return activity->n
           || weft_fail(err, WEFT_ERR_USAGE, "'%.60s' holds no processor",
                        containers[under].name);
}

bool st_activity_begin(struct st_picture *p, struct weft_err *err)
{
    const struct weft_processors *processors = weft_use_processors(p->request->use, err);
    const struct weft_class_mips *mips =
        processors ? weft_use_class_mips(p->request->use, err) : NULL;
    if (!mips)
        return false;
    p->activity = weft_arena_zalloc(p->arena, 1, sizeof *p->activity);
    p->activity->processors = processors;
    p->activity->mips = mips;
    return list_processors(p->activity, p->request->under, p->arena, err);
}

void st_activity_rows(struct st_rows *rows, const struct st_activity *activity,
                      struct weft_arena *arena)
{
    const struct weft_schema *schema = activity->processors->source->schema;
    for (uint32_t i = 0; i < activity->n; i++) {
        const struct weft_processor *of =
            &activity->processors->processors[activity->index[i]];
        struct st_row *row = st_row_add(rows, arena);
        *row = (struct st_row){ .kind = ST_STATES,
                                .container = of->container,
                                .max_depth = 1,
                                .first = true,
                                .first_processor = i,
                                .n_processors = 1 };
        if (of->track != WEFT_NONE) {
            row->tracks = weft_arena_alloc(arena, sizeof *row->tracks);
            row->tracks[0] = of->track;
            row->n_tracks = 1;
        }
        /* All rows have the same type, so that neighbours may be merged into one. */
        row->type = schema->containers[of->container].type;
        rows->row_of[of->container] = (uint32_t)(rows->n - 1);
    }
}

static struct weft_processor_list list_of(const struct st_picture *p,
                                          const struct st_row *row)
{
    return (struct weft_processor_list){ p->activity->index + row->first_processor,
                                         row->n_processors };
}

/*
 * Sets the shares of the classes of a row's processors in WINDOW, and returns that of busy
 * and overhead.  EXACT reads all changes; otherwise summaries may answer.
 */
static double activity_at(const struct st_picture *p, const struct st_row *row,
                          struct weft_span window, bool exact, double parts[WEFT_CLASSES])
{
    float shares[WEFT_CLASSES];
    const struct weft_processors *processors = p->activity->processors;
    if (exact)
        weft_class_shares_read(processors, list_of(p, row), window, 1, shares);
    else
        weft_processors_shares(processors, p->activity->mips, list_of(p, row), window, 1,
                               shares, p->request->job);
    for (int c = 0; c < WEFT_CLASSES; c++)
        parts[c] = (double)shares[c] / row->n_processors;
    return parts[WEFT_CLASS_BUSY] + parts[WEFT_CLASS_OVERHEAD];
}

void st_tell_activity(const struct st_picture *p, const struct st_row *row,
                      struct weft_span window,
                      void (*fact)(void *user, const char *name, const char *value),
                      void *user)
{
    double parts[WEFT_CLASSES];
    activity_at(p, row, window, true, parts);
    for (int c = 0; c < WEFT_CLASSES; c++)
        if (parts[c] >= 0.0005)
            fact(user, weft_class_name((enum weft_class)c),
                 weft_arena_printf(p->arena, "%.1f %%", 100 * parts[c]));
}

struct painter {
    struct st_picture *p;
    uint32_t **pixels; /* by row: [thick][columns], or NULL: not painted */
    size_t *thick;     /* by row: height of the line in pixels */
};

/* Black and white has no greys, so a pixel is set when its share is at least half. */
static uint32_t pixel_of(const struct weft_theme *theme, double share)
{
    uint32_t ink = theme->text & 0xffffffu, alpha = (uint32_t)(share * 255 + 0.5);
    if (share < 1e-4)
        return 0;
    if (theme->name == WEFT_THEME_MONO)
        return share >= 0.5 ? ink | 0xff000000u : 0;
    return ink | (alpha < MIN_ALPHA ? MIN_ALPHA : alpha) << 24;
}

static void paint_row(void *user, size_t i)
{
    struct painter *painter = user;
    struct st_picture *p = painter->p;
    const struct st_row *row = &p->rows.list[i];
    if (!st_is_shown(p, row) || weft_job_cancelled(p->request->job))
        return;
    float *shares = weft_alloc(p->columns * WEFT_CLASSES * sizeof *shares);
    weft_processors_shares(p->activity->processors, p->activity->mips, list_of(p, row),
                           p->window, p->columns, shares, p->request->job);
    size_t thick = (size_t)fmin(THICKEST, fmax(1, floor(row->height / 5)));
    uint32_t *pixels = weft_alloc(thick * p->columns * sizeof *pixels);
    for (size_t c = 0; c < p->columns; c++) {
        const float *part = shares + c * WEFT_CLASSES;
        double active = (double)(part[WEFT_CLASS_BUSY] + part[WEFT_CLASS_OVERHEAD]);
        double share = fmin(1, fmax(0, active / row->n_processors));
        for (size_t y = 0; y < thick; y++)
            pixels[y * p->columns + c] = pixel_of(p->request->theme, share);
    }
    painter->pixels[i] = pixels;
    painter->thick[i] = thick;
    free(shares);
}

void st_paint_activity(struct st_picture *p)
{
    struct painter painter = {
        p, weft_arena_zalloc(p->arena, p->rows.n + 1, sizeof *painter.pixels),
        weft_arena_zalloc(p->arena, p->rows.n + 1, sizeof *painter.thick)
    };
    weft_parallel(p->rows.n, 1, paint_row, &painter);
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct st_row *row = &p->rows.list[i];
        size_t thick = painter.thick[i], size = thick * p->columns * sizeof(uint32_t);
        if (!painter.pixels[i])
            continue;
        uint32_t *pixels = weft_arena_alloc(p->arena, size);
        memcpy(pixels, painter.pixels[i], size);
        free(painter.pixels[i]);
        double y = floor(p->frame.plot.y + row->y + (row->height - (double)thick) / 2);
        weft_scene_raster(
            p->scene,
            (struct weft_rect){ p->frame.plot.x, y, (double)p->columns, (double)thick },
            &(struct weft_raster){ (uint32_t)p->columns, (uint32_t)thick, pixels });
    }
}

size_t st_activity_legend(struct st_picture *p, struct weft_legend_entry **out)
{
    struct st_row all = { .n_processors = p->activity->n };
    double parts[WEFT_CLASSES];
    struct weft_legend_entry *entry = weft_arena_alloc(p->arena, sizeof *entry);
    double share = activity_at(p, &all, p->shown, false, parts);
    *entry = (struct weft_legend_entry){ { .fill = p->request->theme->text,
                                           .tone = p->request->theme->text },
                                         "busy or overhead (no line: idle)",
                                         share,
                                         share };
    *out = entry;
    return 1;
}
