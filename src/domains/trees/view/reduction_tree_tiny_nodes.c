/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws shades for nodes that are too small to see. A shade covers the part of a ring where
 * such nodes are, in the mixed colour of some of them, and is darker the denser they are.
 * The sector of a gap is known, and its nodes are one run of numbers on each ring, so the
 * cost is that of the rings that the gaps reach, not of the nodes.
 */
#include <math.h>

#include "domains/trees/view/reduction_tree.h"

enum {
    /* Nodes whose colours are mixed; more make no visible difference. */
    SAMPLES = 6,
    MAX_STEPS = 400000, /* most rings of all gaps: some tens of milliseconds */
    MAX_SHADES = 40000, /* most marks, so that a page draws them quickly, too */
    MAX_CORNERS = 512,  /* along one arc of a shade */
    MAX_TITLES = 2000   /* most marks with a text for pointing */
};

struct shades {
    struct rt_picture *p;
    size_t steps, drawn; /* counts so far */
    struct weft_mixer mixer;
    float linear[256]; /* linear light of a byte of a colour */
    struct weft_point corners[MAX_CORNERS];
    size_t n_corners;
    /*
     * The shade being gathered: adjacent gaps on one ring, until they are wide enough to
     * draw.
     */
    uint32_t ring;
    struct weft_tree_sector sector;
    struct weft_tree_run run;
    uint64_t count;
};

/*
 * Returns the colours of some of a run's nodes, mixed in linear light. Nodes later than the
 * picture's moment are left out; *THERE is the fraction of nodes that are not.
 */
static weft_color color_of(const struct shades *s, struct weft_tree_run run, double *there)
{
    const struct rt_picture *p = s->p;
    uint32_t n = run.end - run.begin, seen = 0;
    uint32_t samples = n < SAMPLES ? n : SAMPLES;
    float light[3] = { 0 };
    weft_color last = 0;
    bool alike = true;
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t node = run.begin + (uint32_t)((uint64_t)n * i / samples);
        if (p->look.tree->time[node] > p->at)
            continue;
        weft_color color = rt_flat_color(rt_family_swatch(p, node));
        alike &= !seen || color == last;
        last = color;
        seen++;
        for (int c = 0; c < 3; c++)
            light[c] += s->linear[color >> (16 - 8 * c) & 255];
    }
    *there = (double)seen / samples;
    if (alike)
        return last;
    weft_color mixed = 0xff;
    for (int c = 0; c < 3; c++)
        mixed =
            mixed << 8
            | s->mixer.bytes[(int)(light[c] / (float)seen * (WEFT_MIX_STEPS - 1) + 0.5f)];
    return mixed;
}

/* Computes the corners of the gathered shade: enough for its outer arc to look round. */
static void find_corners(struct shades *s)
{
    const struct rt_picture *p = s->p;
    double rim = p->reach[p->look.layout->rings.n - 1];
    double corners = ceil(2 * M_PI * s->sector.size * 0.71 * sqrt(rim));
    s->n_corners = corners < MAX_CORNERS ? (size_t)corners + 1 : MAX_CORNERS;
    if (s->n_corners < 2)
        s->n_corners = 2;
    for (size_t i = 0; p->layout == RT_RADIAL && i < s->n_corners; i++) {
        double part = (double)i / (double)(s->n_corners - 1);
        double angle = 2 * M_PI * (s->sector.from + s->sector.size * part);
        s->corners[i] = (struct weft_point){ cos(angle), sin(angle) };
    }
}

/*
 * Draws a shade between its ring and the one inside it, where the lines to its nodes would
 * be.
 */
static struct weft_mark *draw_shade(const struct shades *s, uint32_t ring, weft_color color)
{
    struct rt_picture *p = s->p;
    const struct weft_paint paint = { .fill = color };
    if (p->layout != RT_RADIAL) {
        struct weft_point at =
            rt_point_at(p, p->layout == RT_ICICLE ? ring : ring - 1, s->sector.from);
        return weft_scene_rect(
            p->scene,
            (struct weft_rect){ at.x, at.y, s->sector.size * p->width,
                                rt_step(p, p->layout == RT_ICICLE ? ring : ring - 1) },
            paint);
    }
    struct weft_point points[2 * MAX_CORNERS];
    double inner = p->reach[ring - 1], outer = p->reach[ring];
    for (size_t i = 0; i < s->n_corners; i++) {
        struct weft_point c = s->corners[i];
        points[i] = (struct weft_point){ p->root.x + outer * c.x, p->root.y + outer * c.y };
        points[2 * s->n_corners - 1 - i] =
            (struct weft_point){ p->root.x + inner * c.x, p->root.y + inner * c.y };
    }
    return weft_scene_polygon(p->scene, points, 2 * s->n_corners, paint);
}

/*
 * Draws a line from the node towards its first drawn shade, across the rings where the
 * shade is too narrow.
 */
static void draw_stem(const struct shades *s, uint32_t ring, weft_color color)
{
    struct rt_picture *p = s->p;
    double middle = s->sector.from + s->sector.size / 2;
    if (ring == s->ring || p->layout == RT_ICICLE)
        return;
    weft_scene_line(p->scene, rt_point_at(p, s->ring - 1, middle),
                    rt_point_at(p, ring - 1, middle),
                    (struct weft_paint){ .stroke = (color & 0xffffffu) | 0x70000000u,
                                         .stroke_width = 0.8 });
}

static void draw_gathered(struct shades *s)
{
    struct rt_picture *p = s->p;
    const struct weft_tree_layout *layout = p->look.layout;
    struct weft_tree_run run = s->run;
    bool first = true;
    find_corners(s);
    for (uint32_t ring = s->ring; run.begin < run.end && s->drawn < MAX_SHADES;) {
        double pixels = rt_pixels(p, ring - 1, s->sector.size), there;
        double density = (run.end - run.begin) / fmax(pixels, 1e-9);
        weft_color color = pixels >= 0.7 ? color_of(s, run, &there) : 0;
        if (color) {
            double alpha = 0.18 + 0.62 * fmin(1, density * there);
            if (first)
                draw_stem(s, ring, color);
            struct weft_mark *mark =
                draw_shade(s, ring, (color & 0xffffffu) | (weft_color)(alpha * 255) << 24);
            s->drawn += mark != NULL;
            if (mark && first && p->n_places <= MAX_TITLES)
                weft_mark_title(p->scene, mark, "%s nodes, each below a pixel",
                                weft_number_text(p->arena, (double)s->count, 0));
            first = false;
        }
        if (++ring >= layout->rings.n || ++s->steps > MAX_STEPS)
            return;
        run = weft_tree_hang_on(layout, ring - 1, run);
    }
}

static void flush(struct shades *s)
{
    if (s->count && rt_may_show(s->p, s->ring - 1, s->sector))
        draw_gathered(s);
    s->count = 0;
}

static void gather(struct shades *s, uint32_t ring, const struct rt_gap *gap)
{
    double end = s->sector.from + s->sector.size;
    bool beside = s->count && s->ring == ring && s->run.end == gap->run.begin
                  && fabs(gap->sector.from - end) < 1e-12;
    if (!beside) {
        flush(s);
        s->ring = ring;
        s->sector = gap->sector;
        s->run = gap->run;
    } else {
        s->sector.size = gap->sector.from + gap->sector.size - s->sector.from;
        s->run.end = gap->run.end;
    }
    s->count += gap->count;
    if (rt_pixels(s->p, ring - 1, s->sector.size) >= 2.5)
        flush(s);
}

void rt_draw_shades(struct rt_picture *p)
{
    struct shades s = { .p = p };
    if (!p->n_gaps)
        return;
    weft_mixer_init(&s.mixer, NULL, 0, p->request->theme->panel);
    for (int i = 0; i < 256; i++)
        s.linear[i] = (float)pow(i <= 10 ? 0 : (i / 255.0 + 0.055) / 1.055, 2.4);
    weft_scene_layer(p->scene, "condensed", p->plot,
                     WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        for (uint32_t g = 0; g < place->n_gaps; g++)
            gather(&s, place->ring + 1, &p->gaps[place->first_gap + g]);
    }
    flush(&s);
}
