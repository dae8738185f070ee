/* SPDX-License-Identifier: Apache-2.0 */
#include "base/domain.h"
#include "domains/threads/view/views.h"

static const struct weft_view *const views[] = {
    &weft_view_lock_summary,
    &weft_view_wait_summary,
    NULL,
};

const struct weft_domain weft_domain_threads = {
    .name = "threads",
    .views = views,
};
