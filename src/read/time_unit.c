/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "read/reader.h"

int weft_time_unit_decimals(const struct weft_read_options *options, int usual,
                            struct weft_err *err)
{
    static const char *const units[] = { "s", "ms", "us", "ns" };
    if (!options || !options->time_unit)
        return usual;
    for (int i = 0; i < 4; i++)
        if (strcmp(options->time_unit, units[i]) == 0)
            return 3 * i;
    weft_fail(err, WEFT_ERR_USAGE, "unknown time unit \"%s\" (s, ms, us or ns)",
              options->time_unit);
    return -1;
}

uint64_t weft_decimal_ticks(int decimals)
{
    uint64_t ticks = 1;
    while (decimals-- > 0)
        ticks *= 10;
    return ticks;
}
