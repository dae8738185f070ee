/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and locks, for weft info. */
#include "cli/info_hooks.h"

extern const struct weft_info weft_info_threads;

static bool fills(const struct weft_source *source)
{
    return weft_type_with_role(source->schema, WEFT_ROLE_THREAD) != WEFT_NONE;
}

const struct weft_info weft_info_threads = { .model = "threads", .fills = fills };
