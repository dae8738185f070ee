/* SPDX-License-Identifier: Apache-2.0 */
/* Writes each name once into the log; records refer to it by number. */
#ifndef WEFT_RECORD_NAMES_H
#define WEFT_RECORD_NAMES_H

#include "record/core/core.h"

/*
 * Give TEXT, first used at address SITE, a number from 1, store it in *NUMBER and record
 * it; call it only while *NUMBER is 0.  If another thread was faster, returns its number.
 * All names beyond WEFT_ARGUMENT_MAX share that number.
 */
WEFT_HIDDEN uint32_t weft_names_number(uint32_t *number, const char *text, uint64_t site);
/* Returns the count of numbers given by this image and the images it was forked from. */
WEFT_HIDDEN uint32_t weft_names_given(void);
/* Name the calling thread from now on. */
WEFT_HIDDEN void weft_names_thread(const char *name);

#endif
