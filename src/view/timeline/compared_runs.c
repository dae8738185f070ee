/* SPDX-License-Identifier: Apache-2.0 */
#include "view/timeline/compared_runs.h"

#include "base/compare.h"
#include "store/time.h"
#include "view/bars.h"

bool compared_windows(const struct weft_request *request, struct weft_span windows[2],
                      struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[1]->schema;
    const char *text = weft_setting(request, "second");
    windows[0] = request->window;
    windows[1] = schema->span;
    return !text[0] || weft_parse_range(schema, text, &windows[1], err);
}

const char *compared_remark(const struct weft_request *request)
{
    struct weft_span windows[2];
    struct weft_err err;
    char texts[2][WEFT_TIME_TEXT];
    if (!compared_windows(request, windows, &err))
        return NULL;
    for (int run = 0; run < 2; run++)
        weft_duration_text(request->set->sources[run]->schema,
                           windows[run].end - windows[run].begin, texts[run]);
    return weft_arena_printf(request->arena, "the first run took %s, the second %s",
                             texts[0], texts[1]);
}

int compared_order(const int64_t x[2], const int64_t y[2])
{
    int64_t p = x[1] - x[0], q = y[1] - y[0];
    return WEFT_COMPARE(q < 0 ? -q : q, p < 0 ? -p : p) ?: WEFT_COMPARE(y[0], x[0]);
}

struct weft_cell compared_cell(struct weft_cell cell, bool differs)
{
    cell.differs = differs;
    return cell;
}

static const char *numbers_of(struct weft_arena *arena, const struct compared_bar *bar)
{
    char first[WEFT_TIME_TEXT], second[WEFT_TIME_TEXT], change[WEFT_TIME_TEXT];
    double by = (double)(bar->total[1] - bar->total[0]);
    return weft_arena_printf(arena, "%s%s · %s, then %s", by < 0 ? "−" : "+",
                             weft_nanoseconds_text(by < 0 ? -by : by, change),
                             weft_nanoseconds_text((double)bar->total[0], first),
                             weft_nanoseconds_text((double)bar->total[1], second));
}

void compared_bars_draw(const struct weft_request *request, struct weft_scene *out,
                        const struct compared_bar *bars, size_t n, size_t all,
                        const char *subtitle, const char *nothing)
{
    struct weft_bar *drawn = weft_arena_zalloc(request->arena, n + 1, sizeof *drawn);
    struct weft_swatch more = { .fill = weft_two_sided(request->theme, 0.8) };
    struct weft_swatch less = { .fill = weft_two_sided(request->theme, -0.8) };
    for (size_t i = 0; i < n; i++) {
        double change = (double)(bars[i].total[1] - bars[i].total[0]);
        drawn[i] = (struct weft_bar){ bars[i].name,
                                      change > 0 ? more : less,
                                      change < 0 ? -change : change,
                                      numbers_of(request->arena, &bars[i]),
                                      WEFT_NO_ID,
                                      NULL };
    }
    struct weft_legend_entry legend[] = {
        { more, "longer in the second", -1, 2 },
        { less, "shorter in the second", -1, 1 },
    };
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, drawn, n), false,
                     legend, 2, subtitle);
    if (n)
        weft_bars_draw_some(&frame, drawn, n, all - n);
    else
        weft_frame_empty(&frame, nothing);
}
