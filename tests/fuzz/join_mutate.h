/* SPDX-License-Identifier: Apache-2.0 */
/* Damage to a recording by who knows its layout (format/recording_layout.h). */
#ifndef WEFT_FUZZ_JOIN_MUTATE_H
#define WEFT_FUZZ_JOIN_MUTATE_H

#include <stdint.h>

#include "join_folder.h"

/* A sequence that is the same everywhere: splitmix64. */
uint64_t join_roll(uint64_t *dice);

/*
 * One change: of a field of a header, of a record (its kind, words, time, place), of the text
 * of facts or maps, of any byte, of a file's length; or a file that is missing, twice there or
 * another one's.  Marks the files that it changes.
 */
void join_mutate(struct join_folder *folder, uint64_t *dice);

#endif
