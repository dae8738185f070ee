/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "view/views.h"

#define ROW(name) &weft_view_##name,
const struct weft_view *const weft_views[] = { WEFT_EACH_VIEW(ROW) };
const size_t weft_n_views = sizeof weft_views / sizeof *weft_views;

const struct weft_view *weft_view_find(const char *name)
{
    for (size_t i = 0; i < weft_n_views; i++)
        if (strcmp(weft_views[i]->name, name) == 0)
            return weft_views[i];
    return NULL;
}
