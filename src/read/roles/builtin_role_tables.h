/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weft's own tables of roles: rules (read/roles/rules.h) for common tools, one file
 * NAME.roles for each beside this header, built into the library.  A table is used for a
 * trace that meets its needs.  Tables that name no tool are vocabularies that several tools
 * share (the calls of MPI); they have lower priority.
 */
#ifndef WEFT_READ_ROLES_BUILTIN_ROLE_TABLES_H
#define WEFT_READ_ROLES_BUILTIN_ROLE_TABLES_H

#include "read/roles/rules.h"
#include "store/build/builder.h"

/* A table: the name of its file without ".roles", and its content, NUL-terminated. */
struct weft_text {
    const char *name, *text;
};

/* All tables, the first with highest priority; weft_role_tables_n is their number. */
extern const struct weft_text weft_role_tables[];
extern const size_t weft_role_tables_n;

/* Keys of notes in a trace: its tool, and the tables that gave roles ("smpi, mpi"). */
#define WEFT_NOTE_TOOL  "tool"
#define WEFT_NOTE_ROLES "role tables"
/* Key of the note on the user's map (read/roles/user_maps.h). */
#define WEFT_NOTE_MAP "map"

/*
 * For readers, when everything is named, before weft_builder_finish(): gives roles to
 * things without one, by the tables whose needs the trace meets; roles that the reader gave
 * stay.  Notes the tool, that of the first used table that names one, and the used tables.
 * Returns true if the tool's table says that it writes milliseconds, where the format has
 * seconds.
 */
bool weft_tables_apply(struct weft_builder *builder);

#endif
