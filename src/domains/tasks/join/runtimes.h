/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_DOMAINS_TASKS_JOIN_RUNTIMES_H
#define WEFT_DOMAINS_TASKS_JOIN_RUNTIMES_H

#include <stdbool.h>

#include "read/recording/recorder.h"

/* Report a program with a runtime of OpenMP that could not be recorded. */
void omp_report_runtimes(struct join *join, const struct image *image);
/* Does the program have a runtime of OpenMP? */
bool omp_has_runtime(const struct image *image);

#endif
