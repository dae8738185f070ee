/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/unknown_view.h"

#include "base/memory.h"
#include "base/nearest_name.h"

static const char *view_name(size_t i, void *views)
{
    return weft_views_at(views, i)->name;
}

char *unknown_view(const struct weft_views *views, const char *name)
{
    const char *nearest = weft_nearest(name, weft_view_count() + views->n_own, view_name,
                                       (void *)(uintptr_t)views);
    return nearest
               ? weft_asprintf("no view is called '%s' (did you mean %s?)", name, nearest)
               : weft_asprintf("no view is called '%s' (weft views lists them)", name);
}
