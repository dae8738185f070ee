/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that Weft reads besides its own: general ones, then those of the domains. */
#include <string.h>

#include "base/domain.h"
#include "read/reader.h"

extern const struct weft_reader weft_reader_paje;
extern const struct weft_reader weft_reader_recording;

static const struct weft_reader *const core_readers[] = {
    &weft_reader_recording,
    &weft_reader_paje,
    NULL,
};

const struct weft_reader *weft_reader_at(size_t index)
{
    return weft_domain_element((const void *const *)core_readers,
                               offsetof(struct weft_domain, readers), index);
}

const struct weft_reader_option *weft_reader_option_at(size_t index)
{
    const struct weft_reader *reader;
    for (size_t i = 0; (reader = weft_reader_at(i)); i++) {
        if (index < reader->n_options)
            return &reader->options[index];
        index -= reader->n_options;
    }
    return NULL;
}

const char *weft_read_option(const struct weft_read_options *options, const char *name)
{
    const struct weft_reader_value *at = options ? options->values : NULL;
    while (at && at->name && strcmp(at->name, name) != 0)
        at++;
    return at ? at->value : NULL;
}
