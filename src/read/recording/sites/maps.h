/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of /proc/self/maps, parsed: the file that lies at an address of a process. */
#ifndef WEFT_READ_RECORDING_MAPS_H
#define WEFT_READ_RECORDING_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of /proc/PID/maps: the file or memory that was mapped at begin <= address < end.
 */
struct map_line {
    uint64_t begin, end;
    uint64_t offset;    /* of begin in the file */
    const char *path;   /* in the text of its struct maps; no NUL at its end */
    uint32_t path_size; /* bytes; 0: anonymous memory.  A path without '/' ("[heap]") is no
                           file */
    bool executable;
};

/* A process's latest copies of its maps that are searched: each new address costs that. */
enum { MAPS_COPIES_MAX = 4096 };

/*
 * All copies of /proc/self/maps that one process image recorded.  maps_parse() fills it,
 * maps_free() frees what it points to.
 */
struct maps {
    char *text; /* heap, or NULL */
    struct map_line *lines;
    size_t n_lines;
    size_t *copies; /* index of each copy's first line; lines of a copy are sorted */
    size_t n_copies;
    const struct maps *before; /* maps of the parent before the fork, or NULL */
};

/*
 * Sets *MAPS, whose old contents are not freed, to the copies of /proc/PID/maps in TEXT:
 * heap, NUL-terminated, one copy after the other; or NULL.  MAPS owns TEXT from then on.
 * Damaged lines are left out; a text of 4 GiB or more gives no lines.
 */
void maps_parse(struct maps *maps, char *text);
/* Frees what MAPS owns; not MAPS itself, nor the parent's maps (`before`). */
void maps_free(struct maps *maps);
/*
 * Returns the executable line of the process's maps that covers ADDRESS, of code, in the
 * latest copy that has one: data may lie there by now.  NULL if none of the last
 * MAPS_COPIES_MAX copies has, nor those of the processes it was forked from.  The line
 * lives as long as its maps.
 */
const struct map_line *maps_find(const struct maps *maps, uint64_t address);
/*
 * Like maps_find(), for the ADDRESS of a variable: zero-initialized ones (.bss) lie in
 * anonymous memory right behind their file's mapping.  Returns the line of the file, which
 * may end before ADDRESS; NULL if no file is mapped there.
 */
const struct map_line *maps_find_data(const struct maps *maps, uint64_t address);

#endif
