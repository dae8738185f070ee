/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be known of a recording before its records are merged: names, which may be used
 * before the thread that defines them is read, and who made which thread with what.  Found by
 * reading all records once, which also counts them.
 */
#ifndef WEFT_READ_RECORDING_NAMES_H
#define WEFT_READ_RECORDING_NAMES_H

#include "read/recording/join/join.h"

/* Relate the clocks of several machines by what families recorded of them. */
void names_relate_clocks(struct join *join);
/* Fill the recording's names, births and report. */
void names_collect(struct join *join);
/* A name by its number in an image; NULL: its definition was lost. */
const struct name *recording_name(const struct recording *recording, uint32_t image,
                                  uint32_t number);
/* For a family's scan: a thread says that it makes the thread ORDINAL of its image. */
void recording_add_birth(struct recording *recording, const struct stream *stream,
                         uint32_t ordinal, const struct birth *birth);
/* How the thread ORDINAL of IMAGE came to be; NULL: nobody said. */
struct birth *recording_birth(const struct recording *recording, uint32_t image,
                              uint32_t ordinal);

#endif
