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
    bool ok = weft_setting_subtrees(schema, list, member, err)
              && weft_profile_read(&query, profile, err);
    free(member);
    return ok;
}

double profiled_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}
