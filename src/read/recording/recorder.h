/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorders: each records one subject (MPI, locks), in a family of records.  A recorder has
 * a library that is preloaded into programs and writes the records, functions that read
 * them (join), and its part in weft record.  Domains list theirs (base/domain.h).
 */
#ifndef WEFT_READ_RECORDING_RECORDER_H
#define WEFT_READ_RECORDING_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;             /* read/recording/logs/files.h */
struct join;              /* read/recording/join/join.h */
struct join_family;       /* read/recording/join/join.h */
struct weft_option;       /* cli/command.h */
struct weft_record_hooks; /* cli/record_hooks.h */

struct weft_recorder {
    uint32_t number;     /* of the family, by which its records are recognized; from 1 */
    const char *name;    /* as people write it: weft record --with NAME */
    const char *library; /* to be preloaded; file in the folder of the core's library */
    const char *records; /* what it records, for the help */
    bool by_default;     /* used unless the user chooses recorders */
    const struct join_family *join;

    /* ---- All of these may be NULL. ---- */

    const char *help; /* a paragraph for the help of weft record */
    /* Variables of the environment that decide how the program runs, by how their entries
       begin; they become notes.  The list ends with NULL. */
    const char *const *environment;
    const struct weft_option *options; /* of weft record */
    size_t n_options;
    const struct weft_record_hooks *hooks;

    /* Report problems of a process image to join->builder. */
    void (*report)(struct join *join, const struct image *image);
    /* Returns true if something happened in IMAGE that this recorder, absent, records. */
    bool (*misses)(const struct image *image);
    const char *hint; /* said if one is missed: "the program ...", with what to do */
};

/* Returns the recorder of the family NUMBER, or NULL. */
const struct weft_recorder *weft_recorder_of(uint32_t number);
/* Returns recorder INDEX, from 0 and sorted by number, of all; NULL behind the last. */
const struct weft_recorder *weft_recorder_at(size_t index);

#endif
