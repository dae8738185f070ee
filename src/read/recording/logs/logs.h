/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a log: its pieces, its process images, and each thread's records in order. */
#ifndef WEFT_READ_RECORDING_LOGS_H
#define WEFT_READ_RECORDING_LOGS_H

#include "read/recording/logs/files.h"

/*
 * Add the images and streams of the log at PATH to the recording; does nothing if the file
 * is no log.  O(pieces of the file), independent of the number of records.
 */
void log_load(struct recording *recording, uint32_t folder, const char *path);

#endif
