/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are still being recorded while the recording is joined. */
#ifndef WEFT_READ_RECORDING_UNFINISHED_H
#define WEFT_READ_RECORDING_UNFINISHED_H

#include "read/recording/join/join.h"

/*
 * One problem that names those of this machine that still have a file of the recording mapped,
 * or that run as somebody else, so that nobody can look.
 */
void unfinished_report(struct join *join);

/* Is there one among the process images from FIRST_IMAGE on? */
bool unfinished_since(const struct recording *recording, size_t first_image);

#endif
