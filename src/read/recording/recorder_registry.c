/* SPDX-License-Identifier: Apache-2.0 */
/* The recorders: the core's own, then those of the domains. */
#include "read/recording/recorder_registry.h"
#include "base/domain.h"
#include "format/recording_layout.h"
#include "read/recording/join/join.h"

extern const struct join_family join_annotations;

static const struct weft_recorder annotations = {
    .number = WEFT_FAMILY_ANNOTATE,
    .name = "annotations",
    .library = "libweft-record-annotate.so",
    .records = "what a program says of itself through weft.h",
    .by_default = true,
    .join = &join_annotations,
};

static const void *const core[] = { &annotations, NULL };

const struct weft_recorder *weft_recorder_of(uint32_t number)
{
    const struct weft_recorder *recorder;

    for (size_t i = 0;
         (recorder = weft_domain_element(core, offsetof(struct weft_domain, recorders), i));
         i++)
        if (recorder->number == number)
            return recorder;
    return NULL;
}

const struct weft_recorder *weft_recorder_at(size_t index)
{
    for (uint32_t number = 1; number < WEFT_FAMILIES_MAX; number++) {
        const struct weft_recorder *recorder = weft_recorder_of(number);
        if (recorder && index-- == 0)
            return recorder;
    }
    return NULL;
}

const struct join_family *join_family_at(size_t index)
{
    const struct weft_recorder *recorder = weft_recorder_at(index);

    return recorder ? recorder->join : NULL;
}
