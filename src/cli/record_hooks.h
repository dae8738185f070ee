/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What weft record does for a recorder (read/recording/recorder.h).  The hooks of all recorders
 * are called, also of those that do not record this time.  Each may be NULL.
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
    /* Check the recorder's options: 0, or the exit status of wrong usage, which was said. */
    int (*check)(const struct record_request *request);
    /*
     * Look at the program FILE (NULL: it was not found), and put into this process's environment
     * what the recorder is to find in the program's.  *LIBRARY, which is NULL: a library that must
     * be preloaded, too; it is freed.
     */
    bool (*prepare)(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err);
    /* Write lines KEY=VALUE into the recording's facts. */
    void (*facts)(const struct record_request *request, FILE *out);
    /* The program is about to run.  A descriptor that is open until it has ended, or -1. */
    int (*begin)(const struct record_request *request);
};

#endif
