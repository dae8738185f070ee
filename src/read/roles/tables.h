/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weft's own tables of roles: rules (read/roles/rules.h) for the tools that people trace with,
 * one file NAME.roles for each beside this header, built into the library.  A table is used
 * for a trace that has what the table needs.  Tables that name no tool are vocabularies that
 * several tools share (the calls of MPI); they come after the tools' own.
 */
#ifndef WEFT_READ_ROLES_TABLES_H
#define WEFT_READ_ROLES_TABLES_H

#include "read/roles/rules.h"
#include "store/build/builder.h"

struct weft_text {
    const char *name, *text;
};

extern const struct weft_text weft_role_tables[];
extern const size_t weft_role_tables_n;

/* Names of the notes that a trace gets: its tool, and the tables that were used. */
#define WEFT_NOTE_TOOL  "tool"
#define WEFT_NOTE_ROLES "role tables"
/* And that of the file that was laid over it (read/roles/maps.h). */
#define WEFT_NOTE_MAP "map"

/*
 * For readers, when everything is named, before weft_builder_finish: give roles to what has
 * none by the tables that fit.  A role that the reader gave stays.
 */
void weft_tables_apply(struct weft_builder *builder);

/*
 * The roles that the names in SCHEMA have by these tables, beside those that they have; nothing
 * else of it is looked at but its format.  Free with weft_roles_free.
 */
void weft_tables_find(const struct weft_schema *schema, struct weft_roles *roles);

#endif
