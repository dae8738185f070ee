/* SPDX-License-Identifier: Apache-2.0 */
/* MPICL's other header, which programs include, too; binding.h has all functions. */
#ifndef WEFT_MPIPROF_H
#define WEFT_MPIPROF_H

#include "binding.h"

#endif
