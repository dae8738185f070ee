/* SPDX-License-Identifier: Apache-2.0 */
/* MPICL's other header: programs include both; all that they call is in binding.h. */
#ifndef WEFT_MPIPROF_H
#define WEFT_MPIPROF_H

#include "binding.h"

#endif
