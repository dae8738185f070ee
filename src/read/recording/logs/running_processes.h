/* SPDX-License-Identifier: Apache-2.0 */
/* Finds processes that are still being recorded while the recording is joined. */
#ifndef WEFT_READ_RECORDING_RUNNING_PROCESSES_H
#define WEFT_READ_RECORDING_RUNNING_PROCESSES_H

#include "read/recording/join/join.h"

/*
 * Reports, as problems of the trace, the processes that still run on this machine, and
 * sets recording->report.unfinished to their number; and as notes those that did not
 * record their end (killed by a signal, or unknown).  A process still runs if it has a
 * file of the recording's folder mapped, or if its maps cannot be read, since it runs as
 * another user.
 */
void unfinished_report(struct join *join);

/*
 * Returns true if a process that wrote one of recording->images from index FIRST_IMAGE on
 * still runs on this machine and has a file of the recording's folder mapped, or its maps
 * are unreadable.  An image with a later one of the same process id does not count.
 */
bool unfinished_since(const struct recording *recording, size_t first_image);

#endif
