/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/domain.h"
#include "view/views.h"

static const struct weft_view *const core_views[] = {
    &weft_view_space_time,    &weft_view_overview,
    &weft_view_state_summary, &weft_view_instances,
    &weft_view_histogram,     &weft_view_hot_spots,
    &weft_view_flame,         &weft_view_why,
    &weft_view_times,         &weft_view_causes,
    &weft_view_time_compare,  &weft_view_causes_compare,
    &weft_view_groups,        NULL,
};

const struct weft_view *weft_view_at(size_t index)
{
    return weft_domain_element((const void *const *)core_views,
                               offsetof(struct weft_domain, views), index);
}

size_t weft_view_count(void)
{
    size_t n = 0;
    while (weft_view_at(n))
        n++;
    return n;
}

const struct weft_view *weft_views_at(const struct weft_views *views, size_t index)
{
    const struct weft_view *view = weft_view_at(index);
    if (view || !views)
        return view;
    size_t own = index - weft_view_count();
    return own < views->n_own ? views->own[own] : NULL;
}

const struct weft_view *weft_views_find(const struct weft_views *views, const char *name)
{
    const struct weft_view *view;
    for (size_t i = 0; (view = weft_views_at(views, i)); i++)
        if (strcmp(view->name, name) == 0)
            return view;
    return NULL;
}

const struct weft_view *weft_view_find(const char *name)
{
    return weft_views_find(NULL, name);
}

const struct weft_view *weft_view_for(const struct weft_view *view,
                                      const struct weft_set *set)
{
    const struct weft_view *other;
    if (view->fills(set))
        return view;
    for (size_t i = 0; (other = weft_view_at(i)); i++)
        if (other->stands_for && strcmp(other->stands_for, view->name) == 0
            && other->fills(set))
            return other;
    return view;
}
