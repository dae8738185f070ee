/* SPDX-License-Identifier: Apache-2.0 */
#include "view/network_setting.h"

#include <string.h>

bool weft_setting_distance(const struct weft_request *request, uint32_t n,
                           struct weft_distance *distance, struct weft_err *err)
{
    bool by_column = strcmp(weft_setting(request, "numbering"), "columns") == 0;
    *distance = (struct weft_distance){
        .kind = weft_distance_find(weft_setting(request, "distance")), .n = n
    };
    return weft_grid_parse(n, weft_setting(request, "aspect"), by_column, &distance->grid,
                           err);
}
