/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the views causes and causes-compare: the causes of the waits of a trace. */
#ifndef WEFT_VIEW_TIMELINE_CAUSES_H
#define WEFT_VIEW_TIMELINE_CAUSES_H

#include "analyse/blame.h"
#include "view/view.h"

/* The setting "most", which causes_read() reads: an initializer of weft_parameter. */
#define CAUSES_MOST                                                                        \
 {                                                                                         \
  .name = "most", .kind = WEFT_PARAMETER_NUMBER, .minimum = 1, .maximum = 1000000,         \
  .fallback = "2000", .help = "how many waits are followed, the longest first"             \
 }

/* The columns of what a row did while others waited: initializers of struct weft_column. */
#define CAUSES_PLACE                                                                       \
 { "class", "what it did then: as in the view why" },                                      \
     { "state", "the state that it was in", .selects = "state=:|state" },                  \
     { "object", "the object of that", .selects = "state=:|object" },                      \
     { "site", "the place in the program", .selects = "state=:|site" },                    \
 {                                                                                         \
  "function", "of work: the function, by samples"                                          \
 }

/*
 * Reads the causes of the waits of trace NUMBER of REQUEST's set in WINDOW (of the first
 * trace, in the request's subtree) that the selection WHERE means ("": of all), of the MOST
 * longest, into *BLAMES, which weft_blames_free() frees.  Returns false with WEFT_ERR_USAGE
 * for a wrong WHERE, or WEFT_ERR_CANCELLED, and nothing to free.
 */
bool causes_read(const struct weft_request *request, int number, struct weft_span window,
                 const char *where, size_t most, struct weft_blames *blames,
                 struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the name of BLAME's object, or what the alike ones have in common, in ARENA; ""
 * for none.  LABELS: weft_container_labels().
 */
const char *causes_object_text(struct weft_arena *arena, const struct weft_schema *schema,
                               const char **labels, const struct weft_blame *blame);

#endif
