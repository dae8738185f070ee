/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings that say how elements of an array look in a grid, finds the counts
   that they show, and writes the table of elements. */
#ifndef WEFT_VIEW_ARRAYS_ELEMENTS_H
#define WEFT_VIEW_ARRAYS_ELEMENTS_H

#include "domains/arrays/view/element_grid.h"

/*
 * The background shows a quantity and statistic, or the owner.  The circle's size shows the
 * question's quantity and statistic; its colour another quantity, or the owner.
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

/* The settings of ARRAYS_PARAMETERS_LOOK; glyphs are circles, whose colour shows
   color_quantity, or if color_owner the owner; numbers are those of owners. */
struct arrays_look {
    struct arrays_scale scale;
    enum arrays_fill fill;
    enum arrays_statistic background;
    enum arrays_quantity background_quantity, color_quantity;
    bool glyphs, color_owner, numbers;
};
/* Reads ARRAYS_PARAMETERS_LOOK and `scale`.  Returns false with WEFT_ERR_USAGE. */
bool arrays_look_read(const struct arrays_question *q, struct arrays_look *look,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Gets the counts that a grid shows, after arrays_grid_place(), sets its look, and adds the
   meaning of its colours to the legend.  Returns false with *ERR on failure. */
bool arrays_look_apply(const struct arrays_look *look, struct arrays_grid *grid,
                       struct arrays_legend *legend, struct weft_err *err) WEFT_MUST_CHECK;

/* The table of an array's elements, and its columns. */
enum { ARRAYS_ELEMENT_COLUMNS = 8 };
extern const struct weft_column arrays_element_columns[ARRAYS_ELEMENT_COLUMNS];
bool arrays_element_table(struct arrays_question *q, struct weft_table *table,
                          struct weft_err *err) WEFT_MUST_CHECK;

/* Adds the facts about an element of the grid to a table (means over its cell if a cell has
   several elements), and sets *ID to the id of its owner. */
void arrays_element_facts(const struct arrays_grid *grid, uint64_t row, uint64_t column,
                          struct weft_table *table, uint64_t *id);
#endif
