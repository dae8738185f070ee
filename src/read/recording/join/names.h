/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass over all records, before they are merged.  It collects names, which may be
 * used before the thread that defines them is read, and the births of threads; and it
 * counts records.
 */
#ifndef WEFT_READ_RECORDING_NAMES_H
#define WEFT_READ_RECORDING_NAMES_H

#include "read/recording/join/join.h"

/*
 * If the recording has several clock domains, lets each family read its records about
 * comparisons of clocks and relate the domains by them (join_family.compare, .relate).
 * Call before names_collect().
 */
void names_relate_clocks(struct join *join);
/*
 * Reads all records once: collects the recording's names, creations of threads and starts
 * of programs, lets families scan theirs (join_family.scan), and counts events, bytes,
 * losses and cost in recording->report.  All streams are rewound then.
 */
void names_collect(struct join *join);
/*
 * Returns the name with NUMBER in process image IMAGE (index in the recording), which it
 * may have from the image that it was forked from; NULL if its definition was lost.
 */
const struct name *recording_name(const struct recording *recording, uint32_t image,
                                  uint32_t number);
/*
 * For join_family.scan: adds a copy of *BIRTH, the creation of thread ORDINAL (number in
 * its process image, from 0) by STREAM's thread, which becomes its `parent`.
 */
void recording_add_birth(struct recording *recording, const struct stream *stream,
                         uint32_t ordinal, const struct birth *birth);
/*
 * Returns the creation of thread ORDINAL (number from 0) of process image IMAGE (index in
 * the recording); NULL if it was not recorded.  Valid until the next
 * recording_add_birth().
 */
struct birth *recording_birth(const struct recording *recording, uint32_t image,
                              uint32_t ordinal);

#endif
