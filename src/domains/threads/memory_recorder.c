/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/format/memory_records.h"
#include "read/recording/recorder_registry.h"

extern const struct join_family join_memory;
extern const struct weft_recorder weft_recorder_memory;

const struct weft_recorder weft_recorder_memory = {
    .number = WEFT_FAMILY_MEMORY,
    .name = "memory",
    .library = "libweft-record-memory.so",
    .records = "memory that is allocated, mapped and given back, by place and thread",
    .join = &join_memory,
};
