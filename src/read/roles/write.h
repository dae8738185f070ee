/* SPDX-License-Identifier: Apache-2.0 */
/* The roles of a trace, thing by thing, and as rules that give it just these roles. */
#ifndef WEFT_READ_ROLES_WRITE_H
#define WEFT_READ_ROLES_WRITE_H

#include <stdio.h>

#include "store/schema.h"

struct weft_role_thing {
    enum weft_role_subject subject;
    uint32_t index; /* in its table: of types, values, fields or containers */
    uint32_t type;  /* that it is, or belongs to */
    bool single;    /* a single container */
    const char
        *name; /* as rules have it: "MPI_STATE/MPI_Recv", quoted where that is needed */
    enum weft_role role;
};

/*
 * Visit every type but the root's, each followed by its values and fields, then the containers
 * that differ from their types.  Values of links and events are left out when they have no
 * role and their type has one, for that tells what they are.
 */
void weft_roles_each(const struct weft_schema *schema,
                     void (*visit)(void *user, const struct weft_role_thing *thing),
                     void *user);

/*
 * A rule for each of these; what has no role gets "none", behind a # so that a file made of it
 * changes nothing until it is edited.  Returns how many have none.
 */
size_t weft_roles_write(const struct weft_schema *schema, FILE *stream);

#endif
