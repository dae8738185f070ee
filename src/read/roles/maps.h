/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's rules (read/roles/rules.h), applied on top of the roles of a trace.  The file
 * is given (--map), or kept for all traces of a format and tool: FORMAT[-TOOL].roles in
 * $XDG_CONFIG_HOME/weft/maps, else ~/.config/weft/maps.
 */
#ifndef WEFT_READ_ROLES_MAPS_H
#define WEFT_READ_ROLES_MAPS_H

#include "store/trace/trace.h"

/*
 * Apply the rules of the file PATH to a trace that is not in use yet; NULL: the kept file,
 * if any; "": none.  The path of the file becomes the note "map", and *APPLIED (may be
 * NULL) tells whether rules were applied.  If its rules are for other traces, a kept file
 * is ignored; a given file is an error, as is any file that cannot be read.
 */
bool weft_maps_apply(struct weft_trace *trace, const char *path, bool *applied,
                     struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* Returns true if any map is kept; whether it fits a trace is known only when read. */
bool weft_maps_any(void);
/*
 * Returns the path at which a map for traces like this is kept, or would be; the caller
 * frees it.  NULL with an error if there is no such folder, or the format has no reader.
 */
char *weft_maps_path(const struct weft_schema *schema, struct weft_err *err);
/*
 * Copy FILE to weft_maps_path(), whose folders are made if needed; a map there is replaced.
 * False with *ERR if a file cannot be read or written, or the rules are invalid or do not
 * fit the trace.
 */
bool weft_maps_keep(const struct weft_trace *trace, const char *file,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
