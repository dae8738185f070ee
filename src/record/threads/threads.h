/* SPDX-License-Identifier: Apache-2.0 */
/* What the hooks of threads, locks, waits and calls stand on. */
#ifndef WEFT_RECORD_THREADS_H
#define WEFT_RECORD_THREADS_H

#include "format/recording_threads.h"
#include "record/core/log.h"
#include "record/core/real.h"

#define CORE weft_record_core_v1

#endif
