/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the notes and problems of a recording as a whole. */
#ifndef WEFT_READ_RECORDING_REPORT_H
#define WEFT_READ_RECORDING_REPORT_H

#include "read/recording/join/join.h"

/*
 * After all records were merged: writes the recording's facts (command, machine, families,
 * losses, cost) as notes of the trace, and completes recording->report.missed.
 */
void report_notes(struct join *join);
/*
 * After all records were merged: writes the problems of the recording (losses, damage,
 * unrecorded programs, processes still running) into the trace, and completes
 * recording->report.
 */
void report_problems(struct join *join);

#endif
