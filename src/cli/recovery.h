/* SPDX-License-Identifier: Apache-2.0 */
/* By these hooks weft recover makes traces also of a domain's own recording files. */
#ifndef WEFT_CLI_RECOVERY_H
#define WEFT_CLI_RECOVERY_H

#include <stdbool.h>

#include "base/err.h"

struct weft_recovery {
    const char *help; /* a sentence for the help of weft recover */
    /* Returns true if the file at PATH is such a recording. */
    bool (*recovers)(const char *path);
    /*
     * Returns true if OUTPUT can name the trace.  OUTPUTS: the possible endings, as ".vista
     * or .weft".
     */
    bool (*is_output)(const char *output);
    const char *outputs;
    /* Makes a trace of the recording, and removes the recording. */
    bool (*recover)(const char *path, const char *output, struct weft_err *err);
};

#endif
