/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks by which a recorder (read/recording/recorder.h) takes part in weft record.
 * They are called for all recorders, also for those that do not record this time.  Each may
 * be NULL.
 */
#ifndef WEFT_CLI_RECORD_HOOKS_H
#define WEFT_CLI_RECORD_HOOKS_H

#include <stdint.h>
#include <stdio.h>

#include "cli/command.h"

struct record_request {
    const struct weft_arguments *arguments;
    uint32_t families; /* bits 1 << number of the families that record */
    bool named;        /* --with names the families; else they are the default ones */
    int64_t sample_ns; /* processor time of a thread between samples; 0: none */
};

/* Returns true if the recorder family with this number (struct weft_recorder) records. */
static inline bool record_requests(const struct record_request *request, uint32_t family)
{
    return request->families >> family & 1;
}

struct weft_record_hooks {
    /*
     * Checks the recorder's options; returns 0, or the exit status of wrong usage after
     * printing what is wrong.
     */
    int (*check)(const struct record_request *request);
    /*
     * Looks at the program FILE (NULL: not found), and sets in this process's environment
     * what the recorder reads in the program's. *LIBRARY, which is NULL, may be set to the
     * path of a library to preload, too; the caller frees it.  False with *ERR.
     */
    bool (*prepare)(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err);
    /* Writes lines KEY=VALUE into the recording's facts. */
    void (*facts)(const struct record_request *request, FILE *out);
    /*
     * Called before the program runs; returns a descriptor to keep open until it has ended,
     * or -1.
     */
    int (*begin)(const struct record_request *request);
};

#endif
