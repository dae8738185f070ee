/* SPDX-License-Identifier: Apache-2.0 */
/* The exports: the core's own, then those of the domains. */
#include "write/export.h"

#include <string.h>

#include "base/domain.h"
#include "write/dump_and_paje.h"

static bool write_paje(const struct weft_source *source, FILE *stream,
                       const struct weft_arguments *arguments, char **losses,
                       struct weft_job *job, struct weft_err *err)
{
    (void)arguments;
    return weft_write_paje(source, stream, losses, job, err);
}

static const char *const paje_endings[] = { ".paje", ".trace", NULL };

static const struct weft_export paje = {
    .name = "Paje",
    .endings = paje_endings,
    .files = ", FILE.paje or FILE.trace\n(Paje)",
    .as = "as Paje text that reads back as the same\nentities, fields, roles and colours",
    .write = write_paje,
};

static const void *const core[] = { &paje, NULL };

const struct weft_export *weft_export_at(size_t index)
{
    return weft_domain_element(core, offsetof(struct weft_domain, exports), index);
}

size_t weft_export_count(void)
{
    size_t n = 0;
    while (weft_export_at(n))
        n++;
    return n;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

const struct weft_export *weft_export_find(const char *path)
{
    const struct weft_export *export;
    for (size_t i = 0; (export = weft_export_at(i)); i++)
        for (size_t k = 0; export->endings[k]; k++)
            if (ends_with(path, export->endings[k]))
                return export;
    return NULL;
}
