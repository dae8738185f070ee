/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the notes and problems of a recording as a whole. */
#ifndef WEFT_READ_RECORDING_REPORT_H
#define WEFT_READ_RECORDING_REPORT_H

#include "read/recording/join/join.h"

/* Add notes, or problems, to the builder, after all records were merged. */
void report_notes(struct join *join);
void report_problems(struct join *join);

#endif
