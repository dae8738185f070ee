/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings that say how elements of an array look in a grid, finds the counts
   that they show, and writes the table of elements. */
#ifndef WEFT_VIEW_ARRAYS_ELEMENT_LOOKS_H
#define WEFT_VIEW_ARRAYS_ELEMENT_LOOKS_H

#include "domains/arrays/view/element_grid_draw.h"

/*
 * Initializers of the settings that say how elements look.  The background of a cell shows
 * a quantity and statistic, or the owner.  The circle's size shows the question's quantity
 * and statistic; its colour another quantity, or the owner.  COLOR_OF_GLYPHS is the default
 * of glyph_color.
 */
#define ARRAYS_PARAMETERS_LOOK(color_of_glyphs)                                            \
 { .name = "background",                                                                   \
   .kind = WEFT_PARAMETER_CHOICE,                                                          \
   .choices = "average|cumulative|step|owner|none",                                        \
   .fallback = "average",                                                                  \
   .help = "what a cell's colour is: a statistic, or who owns it" },                       \
     { .name = "background_quantity",                                                      \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "same|" ARRAYS_QUANTITY_CHOICES,                                         \
       .fallback = "same",                                                                 \
       .help = "of the cells' colours: the same as of the circles, or another",            \
       .seldom = true },                                                                   \
     { .name = "glyphs",                                                                   \
       .kind = WEFT_PARAMETER_FLAG,                                                        \
       .fallback = "on",                                                                   \
       .help = "circles in cells that are large enough: their area is the statistic",      \
       .seldom = true },                                                                   \
 {                                                                                         \
  .name = "glyph_color", .kind = WEFT_PARAMETER_CHOICE,                                    \
  .choices = "same|owner|" ARRAYS_QUANTITY_CHOICES, .fallback = color_of_glyphs,           \
  .help = "what a circle's colour is: its size once more, the owner, or "                  \
          "another quantity",                                                              \
  .seldom = true                                                                           \
 }

/* The settings of ARRAYS_PARAMETERS_LOOK, and of `scale`. */
struct arrays_look {
    struct arrays_scale scale; /* how the ends of ramps are chosen */
    enum arrays_fill fill;     /* the background of cells */
    /* Statistic and quantity of the background, only for ARRAYS_FILL_RAMP; quantity that
       the circles' colour shows, unless color_owner. */
    enum arrays_statistic background;
    enum arrays_quantity background_quantity, color_quantity;
    /* Circles are wanted; their colour shows the owner; numbers of owners are wanted. */
    bool glyphs, color_owner, numbers;
};
/*
 * Reads the settings of ARRAYS_PARAMETERS_LOOK and `scale`, which the request's view must
 * have, into *LOOK; without known owners a background of owners is none.  Returns false
 * with WEFT_ERR_USAGE if `scale` is invalid.
 */
bool arrays_look_read(const struct arrays_question *q, struct arrays_look *look,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Gets the counts that a grid shows, after arrays_grid_place(), sets its look (the fields
 * from `fill` on), and adds the meaning of its colours, and the lit processors, to the
 * legend.  Circles are left out if elements are drawn as a bitmap or are smaller than
 * ARRAYS_MIN_CIRCLE; a background of none without circles shows the question's statistic
 * and quantity instead.  grid->shift becomes that of the counts, which is lower if one
 * smaller cell holds the whole plane.  Returns false with WEFT_ERR_LIMIT (too many cells or
 * references) or WEFT_ERR_CANCELLED.
 */
bool arrays_look_apply(const struct arrays_look *look, struct arrays_grid *grid,
                       struct arrays_legend *legend, struct weft_err *err) WEFT_MUST_CHECK;

enum { ARRAYS_ELEMENT_COLUMNS = 9 /* columns of the table of an array's elements */ };
/* The columns of the table that arrays_element_table() writes: their names. */
extern const struct weft_column arrays_element_columns[ARRAYS_ELEMENT_COLUMNS];
/*
 * Writes the whole table, a row for each element of the question's plane: row, column,
 * owner (empty if unknown), the counts (arrays_count_cells) with unowned reads last, and
 * before these the most processors that referred to it in one of the statistic's steps.
 * Returns false, without having begun the table, with WEFT_ERR_LIMIT if the array has more
 * than ARRAYS_ELEMENTS_MAX elements, a count exceeds UINT32_MAX or there are too many
 * references, or WEFT_ERR_CANCELLED.
 */
bool arrays_element_table(struct arrays_question *q, struct weft_table *table,
                          struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Adds rows with the name, the owner and the counts (those of the background, if it shows
 * any) of the element at ROW and COLUMN of the plane to a table of facts that has begun; if
 * its cell has several elements, with the names of the first and last and their counts
 * together, without an owner.  Sets *ID to the id of the owner (arrays_processor_id) of the
 * element at ROW and COLUMN, if that is known; else *ID stays.
 */
void arrays_element_facts(const struct arrays_grid *grid, uint64_t row, uint64_t column,
                          struct weft_table *table, uint64_t *id);
#endif
