/* SPDX-License-Identifier: Apache-2.0 */
/* The look of the elements of a grid by the settings of a view, and their table. */
#ifndef WEFT_VIEW_ARRAYS_ELEMENTS_H
#define WEFT_VIEW_ARRAYS_ELEMENTS_H

#include "domains/arrays/view/element_grid.h"

/*
 * The background shows a quantity and statistic, or the owner.  The circle's size shows the
 * question's quantity and statistic; its colour another quantity, or the owner.
 */
#define ARRAYS_PARAMETERS_LOOK(color_of_glyphs)                                            \
 { "background",                                                                           \
   WEFT_PARAMETER_CHOICE,                                                                  \
   "average|cumulative|step|owner|none",                                                   \
   0,                                                                                      \
   0,                                                                                      \
   "average",                                                                              \
   "what a cell's colour is: a statistic, or who owns it" },                               \
     { "background_quantity",                                                              \
       WEFT_PARAMETER_CHOICE,                                                              \
       "same|" ARRAYS_QUANTITY_CHOICES,                                                    \
       0,                                                                                  \
       0,                                                                                  \
       "same",                                                                             \
       "of the cells' colours: the same as of the circles, or another",                    \
       .seldom = true },                                                                   \
     { "glyphs",                                                                           \
       WEFT_PARAMETER_FLAG,                                                                \
       NULL,                                                                               \
       0,                                                                                  \
       0,                                                                                  \
       "on",                                                                               \
       "circles in cells that are large enough: their area is the statistic",              \
       .seldom = true },                                                                   \
 {                                                                                         \
  "glyph_color", WEFT_PARAMETER_CHOICE, "same|owner|" ARRAYS_QUANTITY_CHOICES, 0, 0,       \
      color_of_glyphs,                                                                     \
      "what a circle's colour is: its size once more, the owner, or another "              \
      "quantity",                                                                          \
      .seldom = true                                                                       \
 }

struct arrays_look {
    struct arrays_scale scale;
    enum arrays_fill fill;
    enum arrays_statistic background;
    enum arrays_quantity background_quantity, color_quantity;
    bool glyphs, color_owner, numbers;
};
/* Reads the parameters above and `scale`. */
bool arrays_look_read(const struct arrays_question *q, struct arrays_look *look,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Gets the counts that a placed grid shows, and adds them to the legend. */
bool arrays_look_apply(const struct arrays_look *look, struct arrays_grid *grid,
                       struct arrays_legend *legend, struct weft_err *err) WEFT_MUST_CHECK;

/* The table of an array's elements, and its columns. */
enum { ARRAYS_ELEMENT_COLUMNS = 8 };
extern const struct weft_column arrays_element_columns[ARRAYS_ELEMENT_COLUMNS];
bool arrays_element_table(struct arrays_question *q, struct weft_table *table,
                          struct weft_err *err) WEFT_MUST_CHECK;

/* Adds the facts about an element, or means over its cell, and sets the id of its owner. */
void arrays_element_facts(const struct arrays_grid *grid, uint64_t row, uint64_t column,
                          struct weft_table *table, uint64_t *id);
#endif
