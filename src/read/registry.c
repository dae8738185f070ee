/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that Weft reads, besides its own.  A new one is two lines here. */
#include <stdio.h>

#include "read/reader.h"

extern const struct weft_reader weft_reader_paje;
extern const struct weft_reader weft_reader_vista;
#ifdef HAVE_recording
extern const struct weft_reader weft_reader_recording;
#endif

const struct weft_reader *const weft_readers[] = {
#ifdef HAVE_recording
    &weft_reader_recording,
#endif
    &weft_reader_paje,
    &weft_reader_vista,
};
const size_t weft_n_readers = sizeof weft_readers / sizeof *weft_readers;

bool weft_fail_unreadable(struct weft_err *err, const char *path)
{
    char list[320] = "";
    size_t n = 0;
    for (size_t i = 0; i < weft_n_readers && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, ", %s",
                              weft_readers[i]->description);
    return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0,
                        "not a trace that Weft can read (.weft%s)", list);
}
