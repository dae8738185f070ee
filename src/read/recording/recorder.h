/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorders: a family of records each.  A recorder has a library that is preloaded into
 * programs and writes the records, the join that reads them, and its part in weft record.
 * Domains list theirs (base/domain.h).
 */
#ifndef WEFT_READ_RECORDING_RECORDER_H
#define WEFT_READ_RECORDING_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;             /* read/recording/logs/files.h */
struct join;              /* read/recording/join/join.h */
struct join_family;       /* the same */
struct weft_option;       /* cli/command.h */
struct weft_record_hooks; /* cli/record_hooks.h */

struct weft_recorder {
    uint32_t number;     /* of the family, by which its records are known; from 1 */
    const char *name;    /* as people write it: weft record --with NAME */
    const char *library; /* to be preloaded, in the folder of the core's */
    const char *records; /* what, for the help */
    bool by_default;
    const struct join_family *join;

    /* ---- All of these may be NULL. ---- */

    const char *help; /* a paragraph for the help of weft record */
    /* Variables of the environment that decide how the program runs, by how their entries
       begin; they become notes.  The list ends with NULL. */
    const char *const *environment;
    const struct weft_option *options; /* of weft record */
    size_t n_options;
    const struct weft_record_hooks *hooks;

    /* Report problems of an image of a program to join->builder. */
    void (*report)(struct join *join, const struct image *image);
    /* Did something happen in the image that the recorder, which took no part, records? */
    bool (*misses)(const struct image *image);
    const char *hint; /* "the program ...": then said, with what to do */
};

/* The recorder with a number, or NULL. */
const struct weft_recorder *weft_recorder_of(uint32_t number);
/* The INDEXth recorder of all that were built in, by number; NULL behind the last. */
const struct weft_recorder *weft_recorder_at(size_t index);

#endif
