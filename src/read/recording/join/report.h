/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the notes and problems of a recording as a whole. */
#ifndef WEFT_READ_RECORDING_REPORT_H
#define WEFT_READ_RECORDING_REPORT_H

#include "read/recording/join/join.h"

/*
 * After all records were merged: writes the recording's facts (command, folder, families,
 * clocks, observations, losses, overhead) as notes of the trace, tells the builder the
 * number of records, and sets recording->report.missed.
 */
void report_notes(struct join *join);
/*
 * After all records were merged: adds the problems of the recording (losses, damage,
 * unrecorded programs, processes still running) to the trace, and completes
 * recording->report.  Call it once, since it adds to report.unread.
 */
void report_problems(struct join *join);

#endif
