/* SPDX-License-Identifier: Apache-2.0 */
/* How a recording's task DAG is contracted: what weft record is told, and its facts say. */
#ifndef WEFT_READ_RECORDING_CONTRACTION_H
#define WEFT_READ_RECORDING_CONTRACTION_H

#include "domains/tasks/dag/make.h"

/*
 * "on", "off", or rules with commas, each at most once: least=TIME and most=TIME (a number of
 * nanoseconds, or one with the unit ns, us, ms or s), or leaves=N alone.  NULL is "on".  False:
 * none of this; *out is then as for "on".
 */
bool weft_recording_contraction(const char *text, struct weft_dag_contraction *out);

#endif
