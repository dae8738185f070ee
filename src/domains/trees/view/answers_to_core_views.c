/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions of views that show any trace (view/domain_answers.h). */
#include "view/domain_answers.h"

#include "domains/trees/model/tree.h"

/* For runs of reductions the tree is the main view, and the timeline stands beside it. */
static enum weft_place place(const struct weft_source *source, enum weft_about about,
                             enum weft_place own)
{
    if (about == WEFT_ABOUT_WAITS || weft_tree_reduction_type(source->schema) == WEFT_NONE)
        return own;
    return about == WEFT_ABOUT_TIME ? WEFT_PLACE_BESIDE : WEFT_PLACE_NONE;
}

extern const struct weft_answers weft_answers_trees;
const struct weft_answers weft_answers_trees = { .place = place };
