/* SPDX-License-Identifier: Apache-2.0 */
/* Makes details (view/detail.h); domains add to them (view/domain_answers.h). */
#ifndef WEFT_VIEW_DETAIL_MAKER_H
#define WEFT_VIEW_DETAIL_MAKER_H

#include "view/detail.h"

struct weft_maker {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_arena *arena;
    struct weft_detail *detail; /* the result, whose members a domain may set */
    struct weft_fact dropped;   /* receives facts beyond the limit; never read */
};

/*
 * Adds a fact to the detail; the texts must be in the arena or the schema.  The caller may
 * set the id or the site of the fact that it returns.
 */
struct weft_fact *weft_maker_say(struct weft_maker *maker, const char *name,
                                 const char *value);

#endif
