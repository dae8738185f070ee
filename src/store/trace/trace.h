/* SPDX-License-Identifier: Apache-2.0 */
/* An open .weft store: mapped, with its tables in memory.  Immutable. */
#ifndef WEFT_STORE_TRACE_H
#define WEFT_STORE_TRACE_H

#include "store/source.h"

struct weft_trace;

/*
 * Returns true if a file whose first SIZE bytes are HEAD begins like a .weft file, of any
 * version; false also if SIZE is too small to tell.
 */
bool weft_trace_probe(const unsigned char *head, size_t size);

/*
 * Maps PATH and checks its header and tables (their checksums and every index in them).
 * Blocks are checked at the first touch: a damaged one reads as empty.  Damaged tables that
 * queries can do without read as empty, too, and are listed as damage; any other damaged
 * table makes this fail.  Returns NULL with WEFT_ERR_FORMAT for a file that is damaged, of
 * another version or no .weft file, or with the error of mapping it.  Free the trace with
 * weft_trace_close().
 */
struct weft_trace *weft_trace_open(const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* Unmaps the file and frees TRACE (may be NULL), with its source and schema. */
void weft_trace_close(struct weft_trace *trace);
/*
 * Declares the file to be a cache entry at PATH that can be rebuilt: when damage is found,
 * PATH is unlinked if it still names this file, so that no other process opens it; at once
 * if damage is known already.  Call it before the first query.  Copies PATH.
 */
void weft_trace_expendable(struct weft_trace *trace, const char *path);
/*
 * Returns true if the file is unchanged since it was opened, even if another one has taken
 * its path; else false with WEFT_ERR_READ.  If another process truncates or overwrites it,
 * queries still return, but with wrong results: a caller that passes on results calls this
 * after each query.  Costs some microseconds.
 */
bool weft_trace_intact(const struct weft_trace *trace,
                       struct weft_err *err) WEFT_MUST_CHECK;

/* Returns the source that answers queries about the trace, which owns it. */
const struct weft_source *weft_trace_source(const struct weft_trace *trace);
/* Returns the tables of the trace, which owns them: the same as its source's schema. */
const struct weft_schema *weft_trace_schema(const struct weft_trace *trace);

/*
 * Roles that replace those in the file; the file is unchanged.  Each array has one for
 * every row of its table in the schema; a container's WEFT_ROLE_NONE means its type's role.
 * A role must fit its subject, else weft_trace_set_roles() aborts; values may also have
 * roles of links.
 */
struct weft_trace_roles {
    const enum weft_role *types, *values, *fields, *containers;
    const char *origin; /* origin of the roles, which becomes the note "map"; or NULL */
};
/*
 * Replaces the roles in the schema by ROLES, whose arrays are copied, and adds the note
 * "map" if roles->origin is not NULL.  Call it before the first query.
 */
void weft_trace_set_roles(struct weft_trace *trace, const struct weft_trace_roles *roles);
/*
 * Writes the whole store, with the current roles but without the note "map", to PATH.
 * Returns false with WEFT_ERR_WRITE, or WEFT_ERR_READ if the trace's own file changed.
 */
bool weft_trace_save(const struct weft_trace *trace, const char *path,
                     struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Checks every block against its checksum.  Returns the number of damaged blocks and
 * tables found so far; the source's query `damage` lists them.  If JOB (or NULL) is
 * cancelled, blocks remain unchecked.
 */
uint64_t weft_trace_verify(const struct weft_trace *trace, struct weft_job *job);

/* Returns the size of the file when it was opened, in bytes. */
uint64_t weft_trace_file_size(const struct weft_trace *trace);

#endif
