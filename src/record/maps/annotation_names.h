/* SPDX-License-Identifier: Apache-2.0 */
/* Writes each name once into the log; records refer to it by number. */
#ifndef WEFT_RECORD_ANNOTATION_NAMES_H
#define WEFT_RECORD_ANNOTATION_NAMES_H

#include "record/core/core.h"

/*
 * Gives the name TEXT (may be NULL: empty), first used at address SITE, a number from 1,
 * stores it in *NUMBER, records the name (cut to 240 bytes) and returns the number; call it
 * only while *NUMBER is 0.  If another thread has set *NUMBER meanwhile, returns that one,
 * and records nothing.  All names beyond WEFT_ARGUMENT_MAX share that number.
 */
WEFT_HIDDEN uint32_t weft_names_number(uint32_t *number, const char *text, uint64_t site);
/*
 * Returns how many numbers this process and those that it was forked from have taken so
 * far, also those that no name got and those beyond WEFT_ARGUMENT_MAX.
 */
WEFT_HIDDEN uint32_t weft_names_given(void);
/* Records that the calling thread is called NAME (cut to 240 bytes) from now on. */
WEFT_HIDDEN void weft_names_thread(const char *name);

#endif
