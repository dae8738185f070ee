/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weft's own tables of roles: rules (read/roles/rules.h) for common tools, one file
 * NAME.roles for each beside this header, built into the library.  A table is used for a
 * trace that meets its needs.  Tables that name no tool are vocabularies that several tools
 * share (the calls of MPI); they have lower priority.
 */
#ifndef WEFT_READ_ROLES_TABLES_H
#define WEFT_READ_ROLES_TABLES_H

#include "read/roles/rules.h"
#include "store/build/builder.h"

struct weft_text { /* a table: name of its file, and its content */
    const char *name, *text;
};

extern const struct weft_text weft_role_tables[];
extern const size_t weft_role_tables_n;

/* Keys of notes in a trace: its tool, and the tables that were used. */
#define WEFT_NOTE_TOOL  "tool"
#define WEFT_NOTE_ROLES "role tables"
/* Key of the note on the user's map (read/roles/maps.h). */
#define WEFT_NOTE_MAP "map"

/*
 * For readers, when everything is named, before weft_builder_finish: give roles by the
 * tables that fit to things without a role.  Roles that the reader gave stay.  Returns true
 * if the table of the trace's tool says that its times are milliseconds, where its format
 * has seconds.
 */
bool weft_tables_apply(struct weft_builder *builder);

/*
 * Set ROLES to those of SCHEMA, and for things without a role to those by the tables; uses
 * SCHEMA's names and format only.  Free with weft_roles_free.
 */
void weft_tables_find(const struct weft_schema *schema, struct weft_roles *roles);

#endif
