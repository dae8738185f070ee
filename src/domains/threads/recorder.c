/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/format/records.h"
#include "read/recording/recorder_registry.h"

extern const struct join_family join_threads;
extern const struct weft_recorder weft_recorder_threads;

const struct weft_recorder weft_recorder_threads = {
    .number = WEFT_FAMILY_THREADS,
    .name = "threads",
    .library = "libweft-record-threads.so",
    .records = "threads, locks and other things that they wait in, and calls that sleep",
    .by_default = true,
    .join = &join_threads,
};
