/* SPDX-License-Identifier: Apache-2.0 */
/* weft recover makes traces of a domain's files, too, not only of weft record's folders. */
#ifndef WEFT_CLI_RECOVERY_H
#define WEFT_CLI_RECOVERY_H

#include <stdbool.h>

#include "base/err.h"

struct weft_recovery {
    const char *help; /* a sentence for the help of weft recover */
    /* Is the file at PATH such a recording? */
    bool (*recovers)(const char *path);
    /* Is OUTPUT a name for the trace?  OUTPUTS: ".vista or .weft", as it must end. */
    bool (*is_output)(const char *output);
    const char *outputs;
    /* Make a trace of it, and remove the recording. */
    bool (*recover)(const char *path, const char *output, struct weft_err *err);
};

#endif
