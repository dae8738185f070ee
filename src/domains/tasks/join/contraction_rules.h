/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the rules of contraction of a task DAG, from weft record's option or a recording.
 */
#ifndef WEFT_READ_RECORDING_CONTRACTION_RULES_H
#define WEFT_READ_RECORDING_CONTRACTION_RULES_H

#include "domains/tasks/dag/make.h"

/*
 * Parses the rules by which nodes of a task DAG are contracted (their inside is dropped and
 * its sums are kept) into *OUT.  TEXT is "off" (sets only `off`), "on" or NULL (the
 * default: least 0, most INT64_MAX, leaves 0), or rules that replace these, separated by
 * commas, each at most once: least=TIME and most=TIME (an integer in nanoseconds, or with
 * the unit ns, us, ms or s; kept in nanoseconds), or leaves=N alone, N above 0.  Returns
 * false if TEXT is invalid, also if it is empty; *OUT is then as for "on".
 */
bool weft_recording_contraction(const char *text, struct weft_dag_contraction *out);

#endif
