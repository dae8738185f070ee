/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks by which a domain lets weft info tell what a trace has for the domain's model. */
#ifndef WEFT_CLI_INFO_HOOKS_H
#define WEFT_CLI_INFO_HOOKS_H

#include <stdbool.h>

#include "base/memory.h"
#include "store/source.h"

/* A domain's part in weft info. */
struct weft_info {
    const char *model; /* name of the domain's model, as weft info prints it: "tree" */
    /* Returns true if SOURCE has data of the model. */
    bool (*fills)(const struct weft_source *source);
    /* Prints lines to standard output about the content of a trace for which `fills` is
       true; NULL: prints nothing.  ARENA is for names that are cleaned for a terminal. */
    void (*print)(const struct weft_source *source, struct weft_arena *arena);
};

#endif
