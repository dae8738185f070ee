/* SPDX-License-Identifier: Apache-2.0 */
/* Types and helpers that the files which implement sites.h share. */
#ifndef WEFT_READ_RECORDING_SITES_PRIV_H
#define WEFT_READ_RECORDING_SITES_PRIV_H

#include <elfutils/libdwfl.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "read/recording/sites/sites.h"
#include "read/recording/sites/source_lines.h"

struct object { /* one file of code */
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL if it has no debugging information or symbols */
    /* of the module; NULL without one, and of system libraries */
    struct lines *lines;
    struct statics *statics;
};

enum { RECENT = 256 }; /* a power of two: programs lock in few places at a time */

struct recent { /* a cache of recent look-ups, which most events repeat */
    uint64_t address;
    uint32_t image, index;
};

struct sites {
    const struct recording *recording;
    struct weft_builder *builder;
    struct recent recent[RECENT]; /* by address; 0: unused */
    struct weft_text_map known;   /* struct site_key to site */
    struct weft_text_map paths;   /* path: index of objects */
    /* mangled name and its form: index of names */
    struct weft_text_map readable;
    const char **names;
    size_t n_names, names_capacity;
    struct weft_arena arena; /* of names */
    struct object *objects;
    size_t n_objects, objects_capacity;
    struct weft_text_map wrappers;       /* names of wrappers */
    const struct sites_wrapper **begins; /* beginnings of such names, and libraries */
    size_t n_begins, begins_capacity;
};

/*
 * Returns the demangled form of SYMBOL, with the PARAMETERS of functions or without, or
 * SYMBOL itself if it is not mangled or too long.  It lives as long as SITES, or SYMBOL.
 */
const char *sites_readable(struct sites *sites, const char *symbol, bool parameters);
/* Returns the address in the tables of the file ELF of the byte at OFFSET in it. */
uint64_t sites_virtual_address(Elf *elf, uint64_t offset);
/* Returns the file of LINE of the maps, opened at the first call; NULL if it has none. */
struct object *sites_object_of(struct sites *sites, const struct map_line *line);
/*
 * Returns true if the function of FRAME, called FUNCTION (demangled; or NULL), is of a
 * library or the compiler, not of the program.
 */
bool sites_is_foreign(struct sites *sites, const struct line_frame *frame,
                      const char *function);
/*
 * Returns the symbol of TYPE (STT_FUNC, STT_OBJECT) that covers ADDRESS, as the tables of
 * OBJECT have it, which has a module; and sets *WITHIN to the bytes from its begin.  NULL
 * if there is none.
 */
const char *sites_symbol_at(struct object *object, uint64_t address, int type,
                            uint64_t *within);
/*
 * Returns the symbol of the static variable that covers ADDRESS in process image IMAGE (an
 * index in the recording); NULL if there is none.
 */
const char *sites_variable_symbol(struct sites *sites, uint32_t image, uint64_t address);

#endif
