/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of /proc/self/maps, parsed once: what lies at an address of a process. */
#ifndef WEFT_READ_RECORDING_MAPS_H
#define WEFT_READ_RECORDING_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_line {
    uint64_t begin, end;
    uint64_t offset; /* in the file */
    const char *path;
    uint32_t path_size; /* of the file; 0: of none */
};

/* So many copies are looked through, the latest: each new place in the program costs that. */
enum { MAPS_COPIES_MOST = 4096 };

struct maps {
    char *text; /* or NULL */
    struct map_line *lines;
    size_t n_lines;
    size_t *copies; /* where each copy begins in lines; within one they are in order */
    size_t n_copies;
    const struct maps *before; /* what was so before the first copy, or NULL */
};

/* Takes TEXT, of the heap (or NULL). */
void maps_parse(struct maps *maps, char *text);
void maps_free(struct maps *maps);
/* The line that covers the address, of the latest copy that has one: later ones know better. */
const struct map_line *maps_find(const struct maps *maps, uint64_t address);
/*
 * The same for data: a variable that is zero at the start lies in memory that no file maps,
 * right behind that of its file.  The line that is of the file, or NULL.
 */
const struct map_line *maps_find_data(const struct maps *maps, uint64_t address);

#endif
