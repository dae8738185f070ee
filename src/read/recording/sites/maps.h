/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of /proc/self/maps, parsed: the file that lies at an address of a process. */
#ifndef WEFT_READ_RECORDING_MAPS_H
#define WEFT_READ_RECORDING_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_line {
    uint64_t begin, end;
    uint64_t offset; /* in the file */
    const char *path;
    uint32_t path_size; /* 0 if it is no file */
};

/* So many of the latest copies are searched: every new address costs that search. */
enum { MAPS_COPIES_MAX = 4096 };

struct maps {
    char *text; /* or NULL */
    struct map_line *lines;
    size_t n_lines;
    size_t *copies; /* index of each copy's first line; lines of a copy are sorted */
    size_t n_copies;
    const struct maps *before; /* maps of the parent before the fork, or NULL */
};

/* Parse TEXT (heap, or NULL), which MAPS then owns. */
void maps_parse(struct maps *maps, char *text);
void maps_free(struct maps *maps);
/* Returns the line that covers ADDRESS in the latest copy that has one; NULL: none. */
const struct map_line *maps_find(const struct maps *maps, uint64_t address);
/*
 * Like maps_find(), for a variable: zero-initialized ones (.bss) lie in anonymous memory
 * right behind their file's mapping.  Returns the line of the file, or NULL.
 */
const struct map_line *maps_find_data(const struct maps *maps, uint64_t address);

#endif
