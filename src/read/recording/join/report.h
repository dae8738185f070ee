/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a recording as a whole: notes, and problems. */
#ifndef WEFT_READ_RECORDING_REPORT_H
#define WEFT_READ_RECORDING_REPORT_H

#include "read/recording/join/join.h"

/* Into the builder; after everything was merged. */
void report_notes(struct join *join);
void report_problems(struct join *join);

#endif
