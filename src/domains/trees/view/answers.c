/* SPDX-License-Identifier: Apache-2.0 */
/* What the displays of trees say to views of any trace (view/answers.h). */
#include "view/answers.h"

#include "domains/trees/model/tree.h"

/* People want the tree of a run of reductions first, so the timeline stands beside it. */
static enum weft_place place(const struct weft_source *source, enum weft_about about,
                             enum weft_place own)
{
    if (about == WEFT_ABOUT_WAITS || weft_tree_reduction_type(source->schema) == WEFT_NONE)
        return own;
    return about == WEFT_ABOUT_TIME ? WEFT_PLACE_BESIDE : WEFT_PLACE_NONE;
}

extern const struct weft_answers weft_answers_trees;
const struct weft_answers weft_answers_trees = { .place = place };
