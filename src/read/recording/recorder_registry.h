/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorders: each records one subject (MPI, locks), in a family of records.  A recorder has
 * a library that is preloaded into programs and writes the records, functions that read
 * them (join), and its part in weft record.  Domains list theirs (base/domain.h).
 */
#ifndef WEFT_READ_RECORDING_RECORDER_REGISTRY_H
#define WEFT_READ_RECORDING_RECORDER_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;             /* read/recording/logs/load_recording.h */
struct join;              /* read/recording/join/join.h */
struct join_family;       /* read/recording/join/join.h */
struct weft_option;       /* cli/command.h */
struct weft_record_hooks; /* cli/record_hooks.h */

/*
 * A recorder: the library that records one subject (MPI, locks) in a program, and what
 * reads its records.  All are constants, listed by the domains and in recorder_registry.c.
 */
struct weft_recorder {
    uint32_t number;     /* of the family, by which its records are recognized; from 1 */
    const char *name;    /* as people write it: weft record --with NAME */
    const char *library; /* file name of the library to preload, "libweft-record-mpi.so" */
    const char *records; /* what it records, for the help: words without a full stop */
    bool by_default;     /* used unless the user chooses recorders (--with) */
    const struct join_family *join; /* reads its records when a recording is joined */

    /* ---- All of these may be NULL. ---- */

    const char *help; /* a paragraph for the help of weft record */
    /* Prefixes of environment variables ("OMP_") that decide how the program runs: weft
       record writes those that begin with one into the trace's notes.  Ends with NULL. */
    const char *const *environment;
    const struct weft_option *options; /* [n_options]: its own, of weft record */
    size_t n_options;
    const struct weft_record_hooks *hooks; /* what weft record calls */

    /* Reports problems of a process image to join->builder, after all records. */
    void (*report)(struct join *join, const struct image *image);
    /* Called for an image into which this recorder was not loaded: returns true if it would
       have recorded something there. */
    bool (*misses)(const struct image *image);
    /* weft record prints it if `misses` was true for any image: a sentence, "the program
       ...", with what to do */
    const char *hint;
};

/* Returns the recorder whose family has this NUMBER; NULL if this weft has none. */
const struct weft_recorder *weft_recorder_of(uint32_t number);
/*
 * Returns the recorder INDEX, from 0, of all that were built in, sorted by number of their
 * family; NULL behind the last.
 */
const struct weft_recorder *weft_recorder_at(size_t index);

#endif
