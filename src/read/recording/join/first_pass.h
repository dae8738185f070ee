/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass over all records, before they are merged.  It collects names, which may be
 * used before the thread that defines them is read, the creations of threads (births) and
 * the starts of programs; and it counts records.
 */
#ifndef WEFT_READ_RECORDING_FIRST_PASS_H
#define WEFT_READ_RECORDING_FIRST_PASS_H

#include "read/recording/join/join.h"

/*
 * If the recording has several clock domains, lets each family read its records about
 * comparisons of clocks and relate the domains by them (join_family.compare, .relate); else
 * has no effect.  Call it before names_collect(), which reads times.
 */
void names_relate_clocks(struct join *join);
/*
 * Reads all records once: collects the recording's names, creations of threads and starts
 * of programs, and relates these to processes (programs_relate), lets families scan their
 * records (join_family.scan), and counts events, lost events, bytes, switches and overhead
 * in recording->report.  Call it once; it rewinds all streams before it returns.
 */
void names_collect(struct join *join);
/*
 * Returns the name with NUMBER in process image IMAGE (index in the recording), which it
 * may have from the image that it was forked from; NULL if its definition was lost.  Valid
 * from names_collect() to recording_free().
 */
const struct name *recording_name(const struct recording *recording, uint32_t image,
                                  uint32_t number);
/*
 * For join_family.scan: adds a copy of *BIRTH, the creation of thread ORDINAL of STREAM's
 * process image (its number there; 0 is the main thread) by STREAM's thread, which becomes
 * the copy's `parent`, whatever birth->parent is.  A second birth of one thread replaces
 * the first.
 */
void recording_add_birth(struct recording *recording, const struct stream *stream,
                         uint32_t ordinal, const struct birth *birth);
/*
 * Returns the creation of thread ORDINAL (number from 0) of process image IMAGE (index in
 * the recording); NULL if it was not recorded.  The caller may change it: a family sets
 * `state` and `caller`.  Valid until the next recording_add_birth().
 */
struct birth *recording_birth(const struct recording *recording, uint32_t image,
                              uint32_t ordinal);

#endif
