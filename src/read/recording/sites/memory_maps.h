/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of /proc/self/maps, parsed: the file that lies at an address of a process. */
#ifndef WEFT_READ_RECORDING_MEMORY_MAPS_H
#define WEFT_READ_RECORDING_MEMORY_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of /proc/PID/maps: a file or memory was mapped at begin <= address < end. */
struct map_line {
    uint64_t begin, end;
    uint64_t offset;    /* of `begin` in the file, in bytes */
    const char *path;   /* in the text of its struct maps; not NUL-terminated */
    uint32_t path_size; /* bytes; 0: anonymous memory, or a path of 4,096 bytes or more.  A
                           path without '/' ("[heap]") is no file */
    bool executable;
};

/*
 * Copies of one process's maps that are searched, the latest ones: an address that is in
 * none of them costs so many searches.
 */
enum { MAPS_COPIES_MAX = 4096 };

/*
 * All copies of /proc/self/maps that one process image recorded, in order of time.
 * maps_parse() fills it, maps_free() frees what it points to.
 */
struct maps {
    char *text;             /* what was parsed; heap, or NULL */
    struct map_line *lines; /* [n_lines]; heap */
    size_t n_lines;
    size_t *copies; /* index of each copy's first line; lines of a copy are sorted; heap */
    size_t n_copies;
    const struct maps *before; /* searched when these have nothing: the parent's maps before
                                  the fork, or observed ones; set by others; or NULL */
};

/*
 * Sets *MAPS, whose old contents are not freed, to the copies of /proc/PID/maps in TEXT:
 * heap, NUL-terminated, one copy after the other; NULL gives no lines.  MAPS owns TEXT from
 * then on.  A line that begins below the end of the line before begins a new copy.  Damaged
 * lines are left out; a text of 4 GiB or more gives no lines.
 */
void maps_parse(struct maps *maps, char *text);
/* Frees what MAPS owns; not MAPS itself, nor the parent's maps (`before`). */
void maps_free(struct maps *maps);
/*
 * Returns the executable line that covers ADDRESS, of code, in the latest copy that has
 * one; later copies, in which data or nothing lies there, do not count.  Searches the last
 * MAPS_COPIES_MAX copies of MAPS, then those of maps->before, and so on; returns NULL if
 * none has it, or MAPS is NULL.  The line lives as long as the maps that it is in.
 */
const struct map_line *maps_find(const struct maps *maps, uint64_t address);
/*
 * Returns the line, executable or not, that covers ADDRESS, that of a variable, in the
 * latest copy that has one, searched like maps_find().  Zero-initialized variables (.bss)
 * lie in anonymous memory right behind their file's mapping: then the result is the line of
 * that file, which ends at or before ADDRESS.  NULL if ADDRESS belongs to no file, or MAPS
 * is NULL.
 */
const struct map_line *maps_find_data(const struct maps *maps, uint64_t address);
/*
 * Returns true if LINE is of a file whose name, without its folder, begins with START
 * ("libmpi.so").
 */
bool map_line_is_of(const struct map_line *line, const char *start);

#endif
