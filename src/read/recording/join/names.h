/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass over all records, before they are merged.  It collects names, which may be
 * used before the thread that defines them is read, and the births of threads; and it
 * counts records.
 */
#ifndef WEFT_READ_RECORDING_NAMES_H
#define WEFT_READ_RECORDING_NAMES_H

#include "read/recording/join/join.h"

/* Relate the clocks of several machines, by what families recorded about them. */
void names_relate_clocks(struct join *join);
/* Collect the recording's names, births and counts. */
void names_collect(struct join *join);
/* Returns a name by its number in an image; NULL if its definition was lost. */
const struct name *recording_name(const struct recording *recording, uint32_t image,
                                  uint32_t number);
/* For join_family.scan: STREAM's thread creates the thread ORDINAL of its image. */
void recording_add_birth(struct recording *recording, const struct stream *stream,
                         uint32_t ordinal, const struct birth *birth);
/* Returns the birth of thread ORDINAL of IMAGE; NULL if it was not recorded. */
struct birth *recording_birth(const struct recording *recording, uint32_t image,
                              uint32_t ordinal);

#endif
