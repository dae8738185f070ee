/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorder (read/recording/recorder.h) has a part in weft record by its hooks.  They are
 * called for all recorders, also for those that do not record this time.  Each may be NULL.
 */
#ifndef WEFT_CLI_RECORD_HOOKS_H
#define WEFT_CLI_RECORD_HOOKS_H

#include <stdint.h>
#include <stdio.h>

#include "cli/command.h"

struct record_request {
    const struct weft_arguments *arguments;
    uint32_t families; /* that record: bits 1 << number */
    bool named;        /* --with names them */
};

/* Does a family record? */
static inline bool record_requests(const struct record_request *request, uint32_t family)
{
    return request->families >> family & 1;
}

struct weft_record_hooks {
    /* Checks the recorder's options: 0, or the status of wrong usage, which was said. */
    int (*check)(const struct record_request *request);
    /*
     * Looks at the program FILE (NULL: it was not found), and puts into this process's
     * environment what the recorder is to find in the program's.  *LIBRARY, which is NULL,
     * gets a library that must be preloaded, too; the caller frees it.
     */
    bool (*prepare)(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err);
    /* Writes lines KEY=VALUE into the recording's facts. */
    void (*facts)(const struct record_request *request, FILE *out);
    /* The program is about to run.  A descriptor that is open until it has ended, or -1. */
    int (*begin)(const struct record_request *request);
};

#endif
