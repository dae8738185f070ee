/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks by which weft recover makes traces of a domain's own kind of recording files. */
#ifndef WEFT_CLI_RECOVER_HOOKS_H
#define WEFT_CLI_RECOVER_HOOKS_H

#include <stdbool.h>

#include "base/err.h"

/* A domain's part in weft recover: it makes a trace of a recording that is one file. */
struct weft_recovery {
    const char *help; /* a sentence, with its full stop, for the help of weft recover */
    /* Returns true if the file at PATH is such a recording. */
    bool (*recovers)(const char *path);
    /*
     * is_output() returns true if the path OUTPUT can name the trace; outputs: the endings
     * that it may have, for a message: ".vista or .weft".
     */
    bool (*is_output)(const char *output);
    const char *outputs;
    /* Makes the trace at OUTPUT of the recording at PATH and removes the recording; returns
       false with *ERR. */
    bool (*recover)(const char *path, const char *output, struct weft_err *err);
};

#endif
