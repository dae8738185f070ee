/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd/view_panels.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/unknown_view.h"
#include "view/view.h"

enum { STACKED_MAX = 3, IN_A_ROW = 2 };

static bool check_names(const char *const *names, const struct weft_views *views,
                        struct weft_err *err)
{
    for (size_t i = 0; names[i]; i++) {
        if (weft_views_find(views, names[i]))
            continue;
        char *text = unknown_view(views, names[i]);
        weft_fail(err, WEFT_ERR_USAGE, "%s", text);
        free(text);
        return false;
    }
    return true;
}

/* The words of the layout are those of serve/page/layout.js. */
static void put_panel(FILE *out, const char *name)
{
    fprintf(out,
            "{\"type\":\"tab-area\",\"currentIndex\":0,\"panels\":[{\"view\":\"%s\","
            "\"settings\":{},\"mode\":\"picture\"}]}",
            name);
}

static void put_split(FILE *out, const char *orientation, size_t n)
{
    fprintf(out, "{\"type\":\"split-area\",\"orientation\":\"%s\",\"sizes\":[",
            orientation);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s1", i ? "," : "");
    fputs("],\"children\":[", out);
}

/* Writes N panels in rows of EACH. */
static void put_rows(FILE *out, const char *const *names, size_t n, size_t each)
{
    size_t rows = (n + each - 1) / each;
    if (rows > 1)
        put_split(out, "vertical", rows);
    for (size_t i = 0; i < n; i += each) {
        size_t in_row = n - i < each ? n - i : each;
        fputs(i ? "," : "", out);
        if (in_row > 1)
            put_split(out, "horizontal", in_row);
        for (size_t k = 0; k < in_row; k++) {
            fputs(k ? "," : "", out);
            put_panel(out, names[i + k]);
        }
        fputs(in_row > 1 ? "]}" : "", out);
    }
    fputs(rows > 1 ? "]}" : "", out);
}

bool view_panels_layout(const char *const *names, const struct weft_views *views,
                        char **layout, struct weft_err *err)
{
    size_t n = 0, size;
    if (!check_names(names, views, err))
        return false;
    while (names[n])
        n++;
    FILE *out = open_memstream(layout, &size);
    if (!out)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "no memory for a layout");
    fputs("{\"weft_layout\":1,\"main\":", out);
    put_rows(out, names, n, n > STACKED_MAX ? IN_A_ROW : 1);
    fputs("}", out);
    if (fclose(out) != 0)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "no memory for a layout");
    return true;
}
