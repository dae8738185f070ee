/* SPDX-License-Identifier: Apache-2.0 */
/* Finds processes that are still being recorded while the recording is joined. */
#ifndef WEFT_READ_RECORDING_UNFINISHED_H
#define WEFT_READ_RECORDING_UNFINISHED_H

#include "read/recording/join/join.h"

/*
 * Report the processes of this machine that still have a file of the recording mapped, or
 * run as another user, so that their maps cannot be read.
 */
void unfinished_report(struct join *join);

/* Returns true if one of the process images from FIRST_IMAGE on is still being recorded. */
bool unfinished_since(const struct recording *recording, size_t first_image);

#endif
