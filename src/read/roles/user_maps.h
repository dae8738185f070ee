/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's own files of rules (read/roles/rules.h), called maps, applied on top of the
 * roles of a trace.  A map is given (--map), or kept for all traces of a format and tool:
 * FORMAT[-TOOL].roles in $XDG_CONFIG_HOME/weft/maps, else ~/.config/weft/maps.
 */
#ifndef WEFT_READ_ROLES_USER_MAPS_H
#define WEFT_READ_ROLES_USER_MAPS_H

#include "store/trace/trace.h"

/*
 * Applies the rules of the file at PATH (NULL: the kept file, if any; "": none) to TRACE,
 * in memory, not in its store; nobody may use the trace yet.  The path of the file becomes
 * the note "map", and *APPLIED (APPLIED may be NULL) tells whether rules were applied.  If
 * the rules are for other traces ("needs"), a kept file is ignored; a given file is an
 * error (WEFT_ERR_FORMAT), as is any file that cannot be read or parsed.  Also fails with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
bool weft_maps_apply(struct weft_trace *trace, const char *path, bool *applied,
                     struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* Returns true if any map is kept, for whatever traces; looks at file names only. */
bool weft_maps_any(void);
/*
 * Returns the path at which a map for traces of the format and tool of SCHEMA is kept, or
 * would be; the caller frees it.  The tool is the note WEFT_NOTE_TOOL of SCHEMA.  NULL
 * with *ERR if neither XDG_CONFIG_HOME nor HOME is an absolute path (WEFT_ERR_WRITE), or
 * the format's name is none of small letters, digits, - and _ (WEFT_ERR_FORMAT).
 */
char *weft_maps_path(const struct weft_schema *schema, struct weft_err *err);
/*
 * Copies the file at path FILE to weft_maps_path() of the trace, whose folders are made if
 * needed; a map there is replaced.  False with *ERR if a file cannot be read or written, or
 * the rules are invalid or need what the trace has not.
 */
bool weft_maps_keep(const struct weft_trace *trace, const char *file,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
