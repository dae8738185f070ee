/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks by which a recorder (read/recording/recorder_registry.h) takes part in weft
 * record. They are called for all recorders, also for those that do not record this time.
 * Each may be NULL.
 */
#ifndef WEFT_CLI_RECORD_HOOKS_H
#define WEFT_CLI_RECORD_HOOKS_H

#include <stdint.h>
#include <stdio.h>

#include "cli/command.h"

/* The options of weft record, as far as recorders need them. */
struct record_request {
    const struct weft_arguments *arguments; /* its options, the recorders' among them */
    uint32_t families; /* bits 1 << number of the families that record */
    bool named;        /* --with names the families; else they are the default ones */
    int64_t sample_ns; /* processor time of a thread between samples; 0: none */
};

/* Returns true if the recorder family with this number (struct weft_recorder) records. */
static inline bool record_requests(const struct record_request *request, uint32_t family)
{
    return request->families >> family & 1;
}

/*
 * A recorder's functions in weft record, each of which may be NULL; they are called for all
 * recorders, also for those that do not record this time (record_requests()).
 */
struct weft_record_hooks {
    /*
     * Checks the recorder's options; returns 0, or the exit status of wrong usage after
     * printing what is wrong.
     */
    int (*check)(const struct record_request *request);
    /*
     * Looks at the program with the path FILE (NULL: not found), and sets in this process's
     * environment, which the program inherits, what the recorder reads there.  *LIBRARY,
     * which is NULL, may be set to the path of a library to preload, too; the caller
     * frees it.  Returns false with *ERR if the program cannot be recorded so.
     */
    bool (*prepare)(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err);
    /* Writes lines KEY=VALUE, each with a newline, to OUT, the recording's file
       "recording", before the program runs. */
    void (*facts)(const struct record_request *request, FILE *out);
};

#endif
