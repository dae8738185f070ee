/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that Weft reads, besides its own.  A new one is two lines here. */
#include "read/reader.h"

extern const struct weft_reader weft_reader_dag;
extern const struct weft_reader weft_reader_ddv;
extern const struct weft_reader weft_reader_paje;
extern const struct weft_reader weft_reader_picl;
extern const struct weft_reader weft_reader_vista;
extern const struct weft_reader weft_reader_recording;

const struct weft_reader *const weft_readers[] = {
    &weft_reader_recording,
    &weft_reader_ddv,       &weft_reader_dag,   &weft_reader_paje,
    &weft_reader_picl,      &weft_reader_vista,
};
const size_t weft_n_readers = sizeof weft_readers / sizeof *weft_readers;
