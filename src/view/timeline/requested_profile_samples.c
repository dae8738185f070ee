/* SPDX-License-Identifier: Apache-2.0 */
#include "view/timeline/requested_profile_samples.h"

#include <stdlib.h>
#include <string.h>

const char profiled_needs[] =
    "samples of call stacks (weft record takes them, unless --sample off)";

bool profiled_fills(const struct weft_set *set)
{
    return weft_has_samples(set->sources[0]->schema);
}

/* Marks all that containers marked with 2 hold. */
static void mark_subtrees(const struct weft_schema *schema, uint8_t *member)
{
    for (uint32_t p = 0; p < schema->n_containers; p++) {
        uint32_t c = schema->preorder[p], parent = schema->containers[c].parent;
        if (parent != WEFT_NONE && member[parent] == 2)
            member[c] = 2;
    }
}

bool profiled_waits(const struct weft_request *request)
{
    return strcmp(weft_setting(request, "of"), "waiting") == 0;
}

bool profiled_read(const struct weft_request *request, bool waits,
                   struct weft_profile *profile, struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    const char *list = weft_setting(request, "containers");
    uint8_t *member = weft_zalloc(schema->n_containers, 1);
    struct weft_profile_query query = { .source = source,
                                        .under = request->under,
                                        .member = list[0] ? member : NULL,
                                        .window =
                                            weft_window_with_end(schema, request->window),
                                        .waits = waits,
                                        .job = request->job };
    bool ok = weft_setting_containers(schema, list, member, err);
    if (ok) {
        mark_subtrees(schema, member);
        ok = weft_profile_read(&query, profile, err);
    }
    free(member);
    return ok;
}

double profiled_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}
