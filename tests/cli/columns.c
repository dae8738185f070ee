/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the table of columns in doc/command-line.md, as the views declare them. */
#include <stdio.h>

#include "view/view.h"

int main(void)
{
    for (size_t v = 0; v < weft_view_count(); v++) {
        const struct weft_view *view = weft_view_at(v);
        const char *before = "";
        printf("| `%s` | `", view->name);
        for (size_t i = 0; i < view->n_columns; i++)
            if (!view->columns[i].with && !view->columns[i].of_page) {
                printf("%s%s", before, view->columns[i].name);
                before = ",";
            }
        puts("` |");
    }
    return 0;
}
