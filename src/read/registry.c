/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that Weft reads besides its own: general ones, then those of the domains. */
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
