/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the reduction tree: reduction_tree.c reads the settings and puts the picture
 * together, reduction_tree_walk.c finds out what is visible and where, reduction_tree_marks.c
 * draws it, reduction_tree_edges.c draws what connects reductions besides birth,
 * reduction_tree_point.c tells of the node at a point.
 */
#ifndef WEFT_VIEW_REDUCTION_TREE_H
#define WEFT_VIEW_REDUCTION_TREE_H

#include "view/frame.h"
#include "view/tree_prepared.h"

enum rt_layout { RT_RADIAL, RT_ICICLE, RT_TOP_DOWN };
enum rt_color { RT_BY_PE, RT_BY_TIME, RT_BY_PE_AND_TIME, RT_BY_PROCEDURE };

/* A node that is visible. */
struct rt_place {
    uint32_t node, ring;
    struct weft_tree_sector sector;
    struct weft_point at;
    uint32_t first, n;          /* its visible children among the places */
    uint32_t first_gap, n_gaps; /* and what stands for those that are not */
    uint64_t hidden;            /* nodes below it that are too small to see */
};

/* Children next to one another that are too small to see, with all below them. */
struct rt_gap {
    struct weft_tree_sector sector;
    uint64_t count;
};

struct rt_look { /* of the first of two trees, or the second */
    const struct weft_tree *tree;
    const struct tree_layout *laid;
    const struct weft_schema *schema;
    const struct weft_source *source;
    struct weft_swatch *by_value;
    struct weft_swatch *by_pe;
};

struct rt_picture {
    const struct weft_request *request;
    const struct weft_view *view;
    struct weft_arena *arena;
    struct weft_scene *scene;
    struct weft_frame frame;
    struct rt_look look;

    enum rt_layout layout;
    enum rt_color color;
    bool spectrum; /* VISTA's colours of time */
    bool labels, rings;
    int64_t until;   /* later nodes are not there yet */
    uint32_t marked; /* node, or WEFT_NONE */

    struct weft_rect plot;
    struct weft_point root; /* where it stands */
    double step;            /* pixels from ring to ring */
    double width;           /* icicle, top-down: of everything */

    struct rt_place *places;
    size_t n_places, place_capacity;
    struct rt_gap *gaps;
    size_t n_gaps, gap_capacity;
    uint64_t hidden;  /* nodes that are too small, all together */
    uint64_t later;   /* places that were not there yet, at least */
    uint64_t outside; /* places beyond the picture's edge */
};

/* reduction_tree_walk.c */
/* Set plot, step, root and width from the frame's plot and the settings. */
void rt_place_root(struct rt_picture *p);
void rt_walk(struct rt_picture *p);
void rt_walk_free(struct rt_picture *p);
struct weft_point rt_point_at(const struct rt_picture *p, double ring, double part);
/* Pixels that a sector takes along its ring. */
double rt_pixels(const struct rt_picture *p, uint32_t ring, double part);

/* reduction_tree_marks.c */
void rt_draw(struct rt_picture *p);
weft_color rt_time_color(const struct rt_picture *p, double amount);
double rt_time_amount(const struct rt_picture *p, uint32_t node);
/* The swatch of a node in the picture's colours (RT_BY_PE_AND_TIME: of its corner). */
struct weft_swatch rt_swatch(const struct rt_picture *p, uint32_t node);
const char *rt_node_text(const struct rt_picture *p, const struct rt_place *place);

/* reduction_tree_edges.c */
bool rt_draw_edges(struct rt_picture *p, const struct tree_prepared *prepared,
                   struct weft_err *err);

/* Read the settings and lay out, without drawing; shared by scene, table and point. */
struct rt_use {
    struct tree_view tree;
    struct rt_picture picture;
};
bool rt_begin(struct rt_use *use, const struct weft_request *request,
              struct weft_arena *arena, struct weft_scene *scene, struct weft_err *err);
void rt_end(struct rt_use *use);

bool rt_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
              struct weft_table *table, struct weft_err *err);

#endif
