/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store on disk, opened: mapped, its tables in memory, ready to be asked.  Immutable.
 */
#ifndef WEFT_STORE_TRACE_H
#define WEFT_STORE_TRACE_H

#include "store/source.h"

struct weft_trace;

/* True when the file starts as a .weft file does. */
bool weft_trace_probe(const unsigned char *head, size_t size);

/*
 * Map PATH and check its header and tables (their checksums and every index in them).
 * Blocks are checked when they are touched: a damaged one reads as empty.  So do tables that
 * answers can do without; they are listed as damage.  With another table damaged, nothing opens.
 */
struct weft_trace *weft_trace_open(const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void weft_trace_close(struct weft_trace *trace);
/*
 * The file is an index that can be made again, and PATH its name: as soon as damage is found,
 * the name is taken away, if it still is this file's, so that nobody else opens it.  To be called
 * before anything is asked; copies PATH.
 */
void weft_trace_expendable(struct weft_trace *trace, const char *path);
/*
 * True while the file is the one that was opened.  Somebody may cut it or write over it;
 * whatever is asked then has an answer, but a wrong one: who gives answers on asks this
 * after each.  A few microseconds.  Errors: WEFT_ERR_READ.
 */
bool weft_trace_intact(const struct weft_trace *trace,
                       struct weft_err *err) WEFT_MUST_CHECK;

const struct weft_source *weft_trace_source(const struct weft_trace *trace);
const struct weft_schema *weft_trace_schema(const struct weft_trace *trace);

/*
 * Give things other roles than the file says, before anybody asks: by index in the schema's
 * tables, each table whole; of containers, WEFT_ROLE_NONE means that of the type.  The file
 * stays as it is.  Roles are those of such things (WEFT_REQUIRE).
 */
struct weft_trace_roles {
    const enum weft_role *types, *values, *fields, *containers;
    const char *origin; /* where they come from: becomes the note "map"; or NULL */
};
void weft_trace_set_roles(struct weft_trace *trace, const struct weft_trace_roles *roles);
/* Write the whole store to PATH, with the roles as they are now. */
bool weft_trace_save(const struct weft_trace *trace, const char *path,
                     struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Check every block against its checksum; how much is damaged, lost tables included (the source's
 * question `damage` lists it).
 */
uint64_t weft_trace_verify(const struct weft_trace *trace, struct weft_job *job);

uint64_t weft_trace_file_size(const struct weft_trace *trace);

#endif
