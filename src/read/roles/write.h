/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the roles of a trace, and writes them as rules. */
#ifndef WEFT_READ_ROLES_WRITE_H
#define WEFT_READ_ROLES_WRITE_H

#include <stdio.h>

#include "store/schema.h"

/* A thing that may have a role: a type, value, field or container of a schema. */
struct weft_role_thing {
    enum weft_role_subject subject;
    uint32_t index; /* in the schema's types, values, fields or, if single, containers */
    uint32_t type;  /* index in types: a type itself, else the type that it belongs to */
    bool single;    /* it is a container, not a container type */
    /* as in rules: "MPI_STATE/MPI_Recv", quoted if needed; valid during the visit */
    const char *name;
    enum weft_role role; /* WEFT_ROLE_NONE: none */
};

/*
 * Calls VISIT with USER for every type (the root's only if it has a role), each followed by
 * its values and fields, then for the containers whose role differs from their type's.
 * Values without a role are left out if their type has one, except values of states.
 */
void weft_roles_each(const struct weft_schema *schema,
                     void (*visit)(void *user, const struct weft_role_thing *thing),
                     void *user);

/*
 * Writes a rule for each thing of weft_roles_each() to STREAM, in the form that
 * weft_rules_parse() reads; one without a role gets "none", commented out by #, so that the
 * file changes nothing until it is edited.  Returns the number of things without a role.
 * Errors of writing are left in STREAM.
 */
size_t weft_roles_write(const struct weft_schema *schema, FILE *stream);

#endif
