/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the table of columns in doc/command-line.md, as the views declare them. */
#include <stdio.h>
#include <string.h>

#include "view/view.h"

/* Returns true if WITH, NAME=VALUE or NULL, holds without settings. */
static bool is_usual(const struct weft_view *view, const char *with)
{
    for (size_t i = 0; with && i < view->n_parameters; i++) {
        const struct weft_parameter *parameter = &view->parameters[i];
        size_t n = strlen(parameter->name);
        if (strncmp(with, parameter->name, n) == 0 && with[n] == '='
            && strcmp(with + n + 1, parameter->fallback) == 0)
            return true;
    }
    return !with;
}

int main(void)
{
    for (size_t v = 0; v < weft_view_count(); v++) {
        const struct weft_view *view = weft_view_at(v);
        const char *before = "";
        printf("| `%s` | `", view->name);
        for (size_t i = 0; i < view->n_columns; i++)
            if (is_usual(view, view->columns[i].with) && !view->columns[i].of_page) {
                printf("%s%s", before, view->columns[i].name);
                before = ",";
            }
        puts("` |");
    }
    return 0;
}
