/* SPDX-License-Identifier: Apache-2.0 */
#include <weft/view.h>

#include "displays/view_of_display.h"

/* A colour of the display's own; grey in themes without hues. */
static weft_color given(const struct weft_theme *theme, uint32_t ink)
{
    if (theme->name != WEFT_THEME_GREY && theme->name != WEFT_THEME_MONO)
        return ink;
    uint32_t grey = weft_grey_level(ink);
    return (ink & 0xff000000u) | grey << 16 | grey << 8 | grey;
}

struct weft_swatch display_ink(const struct weft_theme *theme, uint32_t ink)
{
    const weft_color named[] = {
        [WEFT_INK_NONE] = 0,
        [WEFT_INK_TEXT] = theme->text,
        [WEFT_INK_QUIET] = theme->quiet,
        [WEFT_INK_GRID] = theme->grid,
        [WEFT_INK_ACCENT] = theme->accent,
    };
    weft_color color;
    if (ink == WEFT_INK_BUSY)
        return weft_role_swatch(theme, WEFT_ROLE_COMPUTING);
    if (ink == WEFT_INK_OVERHEAD)
        return weft_role_swatch(theme, WEFT_ROLE_OVERHEAD);
    if (ink == WEFT_INK_IDLE)
        return weft_role_swatch(theme, WEFT_ROLE_IDLE);
    if (ink >> 16 == 1)
        return weft_number_swatch(theme, ink & 0xffff);
    if (ink >> 16 == 2)
        color = weft_ramp(theme, (ink & 0xffff) / 65535.0);
    else if (ink >> 24)
        color = given(theme, ink);
    else
        color = ink < sizeof named / sizeof *named ? named[ink] : 0;
    return (struct weft_swatch){ .fill = color, .tone = color, .ink = weft_ink(color) };
}
