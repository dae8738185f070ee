/* SPDX-License-Identifier: Apache-2.0 */
/* A domain answers weft info for its model. */
#ifndef WEFT_CLI_INFO_H
#define WEFT_CLI_INFO_H

#include <stdbool.h>

#include "base/memory.h"
#include "store/source.h"

struct weft_info {
    const char *model; /* "tree": what explains a trace */
    bool (*fills)(const struct weft_source *source);
    /* Prints how much there is, in lines, of a trace that it fills; NULL: nothing is said.
       ARENA is for names that are cleaned for a terminal. */
    void (*print)(const struct weft_source *source, struct weft_arena *arena);
};

#endif
