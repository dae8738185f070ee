/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a log: its pieces, its process images, and each thread's records in order. */
#ifndef WEFT_READ_RECORDING_LOGS_H
#define WEFT_READ_RECORDING_LOGS_H

#include "read/recording/logs/load_recording.h"

/*
 * Adds the log at PATH to recording->logs, and its process images and threads' streams to
 * the recording, not yet related to each other.  FOLDER is the number of its folder (see
 * struct log_file).  A file that cannot be read or is no log is not added, but counts as a
 * loss of the recording; so does an added one that is empty or lacks parts.  Records are
 * not read.
 */
void log_load(struct recording *recording, uint32_t folder, const char *path);

#endif
