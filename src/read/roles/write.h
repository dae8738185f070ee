/* SPDX-License-Identifier: Apache-2.0 */
/* The roles of a trace as rules that give it just these roles: to read, or to edit. */
#ifndef WEFT_READ_ROLES_WRITE_H
#define WEFT_READ_ROLES_WRITE_H

#include <stdio.h>

#include "store/schema.h"

/*
 * A rule for every type, value and field, and for containers that differ from their type, in
 * the order of the trace; what has no role gets "none", behind a # so that a file made of it
 * changes nothing until it is edited.  Values that need no role are left out.  Returns how
 * many want one and have none.
 */
size_t weft_roles_write(const struct weft_schema *schema, FILE *stream);

/*
 * Does the value have a role, or want one?  The values of links and events are told by their
 * type when that has a role.
 */
bool weft_roles_is_worth_saying(const struct weft_schema *schema, uint32_t value);

/*
 * The name of a thing as rules have it: "MPI_STATE/MPI_Recv", quoted where that is needed.
 * Free it.
 */
char *weft_roles_type_name(const struct weft_schema *schema, uint32_t type);
char *weft_roles_value_name(const struct weft_schema *schema, uint32_t value);
char *weft_roles_field_name(const struct weft_schema *schema, uint32_t field);

#endif
