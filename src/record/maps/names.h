/* SPDX-License-Identifier: Apache-2.0 */
/* Names, written once and then referred to by number. */
#ifndef WEFT_RECORD_NAMES_H
#define WEFT_RECORD_NAMES_H

#include "record/core/core.h"

/* Returns the number of a name, stored in *number (0 before); 1 and up. */
WEFT_HIDDEN uint32_t weft_names_number(uint32_t *number, const char *text, uint64_t site);
/* Returns the count of numbers given by this image and the images it was forked from. */
WEFT_HIDDEN uint32_t weft_names_given(void);
WEFT_HIDDEN void weft_names_thread(const char *name);

#endif
