/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the rules of contraction of a task DAG, from weft record's option or a recording.
 */
#ifndef WEFT_READ_RECORDING_CONTRACTION_RULES_H
#define WEFT_READ_RECORDING_CONTRACTION_RULES_H

#include "domains/tasks/dag/make.h"

/*
 * Parses the rules by which nodes of a task DAG are contracted (drop their inside and keep
 * its sums; struct weft_dag_contraction says what least, most and leaves bound) into *OUT.
 * TEXT is "on", "off", or rules separated by commas, each at most once: least=TIME and
 * most=TIME (nanoseconds, or a number with the unit ns, us, ms or s), or leaves=N alone, N
 * above 0.  NULL means "on".  Returns false if TEXT is invalid; *OUT is then as for "on".
 */
bool weft_recording_contraction(const char *text, struct weft_dag_contraction *out);

#endif
