/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that give roles to names in a trace: a text with one rule a line, used for the
 * tables inside Weft and for the files that users write (doc/roles.md).
 *
 *     # SimGrid's SMPI
 *     tool   smpi
 *     needs  state MPI_STATE
 *     container  MPI                   rank
 *     state      MPI_STATE             activity
 *     value      MPI_STATE/computing   computing
 *     value      "Worker State"/Idle   idle
 *     field      MPI_LINK/Size         bytes
 *
 * A rule is a subject, a name, and a role of such a subject, or "none".  The name may have
 * a prefix and a slash: a value or a field has its type as prefix, a type its container
 * type; CONTAINER-TYPE/NAME is a single container.  In names, * matches any text and ? any
 * character.  Names with blanks, # or further slashes must be quoted; \ escapes the next
 * character.  A rule is compared with the name of a thing, then with its identifier in the
 * trace.  The first rule that matches a thing counts.
 *
 * "needs" lines say what a trace must have for the rules to be used; "or" separates
 * alternatives on a line, "format NAME" is another subject there.  "tool" names the tool.
 * "times ms" says that the tool writes milliseconds where the format has seconds.
 */
#ifndef WEFT_READ_ROLES_RULES_H
#define WEFT_READ_ROLES_RULES_H

#include "base/err.h"
#include "base/progress_and_cancel.h"
#include "store/schema.h"

/* The rules of one text, parsed; opaque. */
struct weft_rules;

/*
 * Parses TEXT, SIZE bytes of rules, which are copied; FILE, a path or a name, is put into
 * errors.  The caller frees the result by weft_rules_free().  NULL with WEFT_ERR_FORMAT and
 * the line if a rule is invalid, or without a line if TEXT has a NUL or exceeds 16 MiB.
 */
struct weft_rules *weft_rules_parse(const char *text, size_t size, const char *file,
                                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Parses the rules in the file at PATH; the caller frees the result by weft_rules_free().
 * NULL with *ERR if a rule is invalid (WEFT_ERR_FORMAT) or the file cannot be read.
 */
struct weft_rules *weft_rules_read(const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* Frees RULES; NULL: no effect. */
void weft_rules_free(struct weft_rules *rules);

/* Returns the name of the tool, in RULES' memory; NULL if none is named. */
const char *weft_rules_tool(const struct weft_rules *rules);
/* Returns true if the rules say that the tool's times are milliseconds. */
bool weft_rules_milliseconds(const struct weft_rules *rules);
/* Returns true if a rule is for single containers (CONTAINER-TYPE/NAME). */
bool weft_rules_name_containers(const struct weft_rules *rules);

/*
 * Returns true if SCHEMA (its format, types, values and fields) has what the "needs" lines
 * of the rules ask for; else *LINE (LINE may be NULL) is set to the first line, from 1,
 * that is not met.  O(needs * things); once JOB (may be NULL) is cancelled, the remaining
 * needs count as met.
 */
bool weft_rules_fit(const struct weft_rules *rules, const struct weft_schema *schema,
                    uint32_t *line, const struct weft_job *job);

/* Roles by index in the tables of a schema; arrays on the heap. */
struct weft_roles {
    enum weft_role *types, *values, *fields;
    enum weft_role *containers; /* WEFT_ROLE_NONE: the role of its type */
};
/*
 * Sets *ROLES to a copy of the roles of SCHEMA; of a container with the role of its type,
 * to WEFT_ROLE_NONE.  weft_roles_free() frees the arrays.
 */
void weft_roles_init(struct weft_roles *roles, const struct weft_schema *schema);
/* Frees the arrays of ROLES, not ROLES itself, which may not be used afterwards. */
void weft_roles_free(struct weft_roles *roles);

/*
 * Gives each thing (type, value, field, container) of SCHEMA in *ROLES, which
 * weft_roles_init() has filled for SCHEMA, the role of the first rule that matches it in
 * the N lists RULES, of which the first has the highest priority.  A thing that no rule
 * matches keeps its role; without OVERRIDE, so does one that has a role already.  FOUND[N]
 * (may be NULL) is set to how many things each list gave a role other than "none".  Costs
 * some look-ups for each thing, and a comparison for each rule of its type with * or ? in
 * its name; once JOB (may be NULL) is cancelled, the remaining things keep their roles.
 */
void weft_rules_apply(const struct weft_rules *const *rules, size_t n,
                      const struct weft_schema *schema, bool override,
                      struct weft_roles *roles, size_t *found, const struct weft_job *job);

/*
 * Returns the number of rules that match nothing in SCHEMA: a name may be misspelt.  *LINE
 * is the line, from 1, of the first one, and unchanged if there is none.  Costs as much as
 * weft_rules_apply().
 */
size_t weft_rules_unused(const struct weft_rules *rules, const struct weft_schema *schema,
                         uint32_t *line);

/*
 * Returns true if the whole TEXT matches PATTERN, in which * is any text, ? one character
 * of UTF-8, and \ escapes the next character.
 */
bool weft_rules_match(const char *pattern, const char *text);

#endif
