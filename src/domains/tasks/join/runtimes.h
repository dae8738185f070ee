/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_DOMAINS_TASKS_JOIN_RUNTIMES_H
#define WEFT_DOMAINS_TASKS_JOIN_RUNTIMES_H

#include <stdbool.h>

#include "read/recording/recorder.h"

/* Reports a problem if the program's OpenMP runtime has no OMPT and so was not recorded. */
void omp_report_runtimes(struct join *join, const struct image *image);
/* Returns true if the program has an OpenMP runtime. */
bool omp_has_runtime(const struct image *image);

#endif
