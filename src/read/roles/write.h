/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the roles of a trace, and writes them as rules. */
#ifndef WEFT_READ_ROLES_WRITE_H
#define WEFT_READ_ROLES_WRITE_H

#include <stdio.h>

#include "store/schema.h"

struct weft_role_thing {
    enum weft_role_subject subject;
    uint32_t index; /* in its table: of types, values, fields or containers */
    uint32_t type;  /* its own type, or the type that it belongs to */
    bool single;    /* it is a single container */
    /* as in rules: "MPI_STATE/MPI_Recv", quoted if needed */
    const char *name;
    enum weft_role role;
};

/*
 * Visit every type except the root's, each followed by its values and fields, then the
 * containers whose role differs from their type's.  Values of links and events without a
 * role are left out if their type has one, which suffices.
 */
void weft_roles_each(const struct weft_schema *schema,
                     void (*visit)(void *user, const struct weft_role_thing *thing),
                     void *user);

/*
 * Write a rule for each thing of weft_roles_each(); one without a role gets "none",
 * commented out by #, so that the file changes nothing until it is edited.  Returns the
 * number of things without a role.
 */
size_t weft_roles_write(const struct weft_schema *schema, FILE *stream);

#endif
