/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that say what the names in a trace mean: a text with a rule a line, the same for the
 * tables inside Weft and for the files that people write (doc/roles.md).
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
 * A rule is a subject, a name, and a role of such a subject, or "none".  The name may be
 * preceded by that of what it belongs to and a slash: a value and a field belong to a type, a
 * type to the container type that it lives on; CONTAINER-TYPE/NAME is a single container.  In
 * names, * stands for any text and ? for any character.  Blanks, # and further slashes in a
 * name want quotes; \ takes the character after it as it is.  What is compared is the name,
 * then the identifier that the trace uses for it.  The first rule that matches a thing is the
 * one that counts.
 *
 * "needs" lines say what must be in a trace for the rules to be meant for it; "or" gives
 * alternatives on a line, "format NAME" is another subject there.  "tool" names the tool.
 */
#ifndef WEFT_READ_ROLES_RULES_H
#define WEFT_READ_ROLES_RULES_H

#include "base/err.h"
#include "base/job.h"
#include "store/schema.h"

struct weft_rules;

/* FILE is what errors call the text.  Errors: WEFT_ERR_FORMAT, with the line. */
struct weft_rules *weft_rules_parse(const char *text, size_t size, const char *file,
                                    struct weft_err *err) WEFT_MUST_CHECK;
struct weft_rules *weft_rules_read(const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void weft_rules_free(struct weft_rules *rules); /* NULL is fine */

const char *weft_rules_tool(const struct weft_rules *rules); /* NULL: none is named */
/* Is there a rule for single containers? */
bool weft_rules_name_containers(const struct weft_rules *rules);

/*
 * Is in SCHEMA what the rules need?  The types, values and fields of the schema are looked
 * at, and its format.  *LINE, when asked for: the first line whose need is not met.  Costs all
 * things for each need; once JOB, which may be NULL, is cancelled the others count as met.
 */
bool weft_rules_fit(const struct weft_rules *rules, const struct weft_schema *schema,
                    uint32_t *line, const struct weft_job *job);

/* Roles by index in the tables of a schema. */
struct weft_roles {
    enum weft_role *types, *values, *fields;
    enum weft_role *containers; /* WEFT_ROLE_NONE: that of the type */
};
/* Those that SCHEMA has.  Free with weft_roles_free. */
void weft_roles_init(struct weft_roles *roles, const struct weft_schema *schema);
void weft_roles_free(struct weft_roles *roles);

/*
 * Apply N lists of rules, of which earlier ones go first.  OVERRIDE: a role that is there is
 * replaced, else it stays.  FOUND, when not NULL: [n], how many things each list gave a role
 * to.  Costs some look-ups for each thing, and a comparison for each rule about its type that has
 * a * or ? in its name; once JOB, which may be NULL, is cancelled the other things stay as they are.
 */
void weft_rules_apply(const struct weft_rules *const *rules, size_t n,
                      const struct weft_schema *schema, bool override,
                      struct weft_roles *roles, size_t *found, const struct weft_job *job);

/*
 * How many of the rules are about nothing in SCHEMA: a name in them may be misspelt.  *LINE,
 * when there are any: where the first of them stands.  Costs as much as to apply them.
 */
size_t weft_rules_unused(const struct weft_rules *rules, const struct weft_schema *schema,
                         uint32_t *line);

/* Does TEXT match a pattern as rules have it? */
bool weft_rules_match(const char *pattern, const char *text);

#endif
