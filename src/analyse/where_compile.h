/* SPDX-License-Identifier: Apache-2.0 */
/* The compiling of a selection, shared by its two files. */
#ifndef WEFT_ANALYSE_WHERE_COMPILE_H
#define WEFT_ANALYSE_WHERE_COMPILE_H

#include "analyse/where_selection_priv.h"

/* The compiling of one selection. */
struct where_compiler {
    struct weft_where *where; /* the result, whose arena has all memory */
    const char *text;         /* the whole selection, for errors */
    struct weft_err *err;     /* set by what fails */
};

/* Sets compiler->err to WEFT_ERR_USAGE with WORD, its place and WHY; returns false. */
bool where_fail_at(struct where_compiler *compiler, const struct where_word *word,
                   const char *why);
/* Returns N zero bytes, a flag for each index below N; they live as long as the selection
   that COMPILER makes. */
uint8_t *where_bits(struct where_compiler *compiler, size_t n);

/*
 * Sets node->containers, a byte for each container, 1 if VALUE names it, and node->none,
 * true for "", by node->op (WHERE_IN: with all below it).  OBJECTS: VALUE may also be the
 * text that tables print for several alike objects.  Returns false with the compiler's
 * error, WEFT_ERR_USAGE, if VALUE is no pattern and no container is called so.
 */
bool where_compile_containers(struct where_compiler *compiler,
                              const struct where_word *value, bool objects,
                              struct where_node *node);
/*
 * Compiles TERM, whose name is that of fields (or their role), into *NODE.  Returns false
 * with the compiler's error, WEFT_ERR_USAGE, if there is no such field, or its value does
 * not suit any.
 */
bool where_compile_field(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node);
/* Compiles TERM, about the sites (ROLE WEFT_ROLE_SITE) or the objects (WEFT_ROLE_OBJECT) of
   things, into *NODE.  Returns false with the compiler's error, WEFT_ERR_USAGE, if the
   trace has none that the term's value names, and that is no pattern. */
bool where_compile_special(struct where_compiler *compiler, const struct where_syntax *term,
                           enum weft_role role, struct where_node *node);
/* Compiles TERM, about the functions of things' call stacks, or else of their sites, into
   *NODE.  Returns false with the compiler's error, WEFT_ERR_USAGE, if the trace has no
   function that the term's value names, and that is no pattern. */
bool where_compile_function(struct where_compiler *compiler,
                            const struct where_syntax *term, struct where_node *node);
/*
 * Compiles TERM, about the partner, the waker or the communicator (AWAITED) of waits and
 * messages, into *NODE.  Returns false with the compiler's error, WEFT_ERR_USAGE, if no
 * container has the name that is the term's value, and that is no pattern.
 */
bool where_compile_awaited(struct where_compiler *compiler, const struct where_syntax *term,
                           enum where_awaited awaited, struct where_node *node);
/* Returns the name of built-in term I, from 0, such as "duration", which is no field's;
   NULL behind the last. */
const char *where_built_in_name(size_t i);

#endif
