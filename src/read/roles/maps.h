/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People's own rules (read/roles/rules.h), laid over the roles that a trace came with.  A file
 * is given (--map), or was kept for the traces of a format and tool: as FORMAT[-TOOL].roles in
 * $XDG_CONFIG_HOME/weft/maps, else ~/.config/weft/maps.
 */
#ifndef WEFT_READ_ROLES_MAPS_H
#define WEFT_READ_ROLES_MAPS_H

#include "store/trace/trace.h"

/*
 * Lay the rules of the file PATH, or, when it is NULL, the kept ones, if there are any, over a
 * trace that nobody asks yet; "" stands for none.  The path of the file that was used becomes the
 * note "map", and *APPLIED, when asked for, says whether there was one.  A kept file that is for
 * other traces is left out; it is an error for a given one, as is any file that cannot be read.
 */
bool weft_maps_apply(struct weft_trace *trace, const char *path, bool *applied,
                     struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* Is any map kept?  Which traces it is for is known when one was read. */
bool weft_maps_any(void);
/*
 * Where the map for traces like this one is kept, or would be.  NULL, with an error, when
 * there is no such folder, or the format is none of ours.  Free it.
 */
char *weft_maps_path(const struct weft_schema *schema, struct weft_err *err);
/* Keep a copy of FILE there; only when its rules can be read and fit the trace. */
bool weft_maps_keep(const struct weft_trace *trace, const char *file,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
