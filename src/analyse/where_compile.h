/* SPDX-License-Identifier: Apache-2.0 */
/* The compiling of a selection, shared by its two files. */
#ifndef WEFT_ANALYSE_WHERE_COMPILE_H
#define WEFT_ANALYSE_WHERE_COMPILE_H

#include "analyse/where_priv.h"

struct where_compiler {
    struct weft_where *where;
    const char *text;
    struct weft_err *err;
};

/* Sets the error to WHY, at WORD; returns false. */
bool where_fail_at(struct where_compiler *compiler, const struct where_word *word,
                   const char *why);
/* Returns N zero bytes that live as long as the selection. */
uint8_t *where_bits(struct where_compiler *compiler, size_t n);

/*
 * Sets node->containers and node->none by a value and node->operator; false with an error
 * if no container is called so.  OBJECTS: also by the texts of several objects together.
 */
bool where_compile_containers(struct where_compiler *compiler,
                              const struct where_word *value, bool objects,
                              struct where_node *node);
/* Compiles a term about the fields that its name names. */
bool where_compile_field(struct where_compiler *compiler, const struct where_syntax *term,
                         struct where_node *node);
/* Compiles a term about the sites, or the objects, of things (by ROLE). */
bool where_compile_special(struct where_compiler *compiler, const struct where_syntax *term,
                           enum weft_role role, struct where_node *node);
/* Compiles a term about the functions of things' call stacks, or else of their sites. */
bool where_compile_function(struct where_compiler *compiler,
                            const struct where_syntax *term, struct where_node *node);
/* Returns the name of a term that is no field, by number from 0; NULL behind the last. */
const char *where_built_in_name(size_t i);

#endif
