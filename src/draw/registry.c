/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "draw/backends.h"

const struct weft_backend *const weft_backends[] = {
    &weft_backend_png, &weft_backend_svg,  &weft_backend_pdf,
    &weft_backend_eps, &weft_backend_json, &weft_backend_packed,
};
const size_t weft_n_backends = sizeof weft_backends / sizeof *weft_backends;

const struct weft_backend *weft_backend_find(const char *name)
{
    for (size_t i = 0; i < weft_n_backends; i++)
        if (strcmp(weft_backends[i]->name, name) == 0)
            return weft_backends[i];
    return NULL;
}
