/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the views `why` and `causes` and the command `why`: the wait, or range, that is
 * asked about, and names and colours of its causes.
 */
#ifndef WEFT_VIEW_TIMELINE_WHY_H
#define WEFT_VIEW_TIMELINE_WHY_H

#include "analyse/wait_causes.h"
#include "view/view.h"

/* A question: why did this wait take so long, or what was a range spent on? */
struct why_question {
    bool found;             /* there is such a wait; else the rest has no meaning */
    bool of_run;            /* the question is about a range: its critical path */
    uint32_t row;           /* whose wait it is, or where the path ends */
    struct weft_state wait; /* unless of_run */
    struct weft_span span;  /* of the wait, or the range within the trace */
};

/*
 * Returns the finders of releases (analyse/releases_of_waits.h: what let waits end) for
 * trace NUMBER of REQUEST's set, cached, so that a server makes them once; held until the
 * answer is complete.  NULL with *ERR, such as WEFT_ERR_CANCELLED.
 */
const struct weft_releases *why_releases(const struct weft_request *request, int number,
                                         struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets *QUESTION by the settings row, of and wait, which the request's view must have: the
 * wait named, else the longest one in the row (or the request's subtree) and its moment or
 * window; or with of=run that window.  If there is none, question->found is false and true
 * is returned.  Returns false with WEFT_ERR_USAGE for a setting that names no row or no
 * state, or WEFT_ERR_CANCELLED.
 */
bool why_ask(const struct weft_request *request, struct why_question *question,
             struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets *CAUSES to the answer to QUESTION, empty if nothing was found; weft_causes_free()
 * frees it.  Returns false with WEFT_ERR_CANCELLED and nothing to free.
 */
bool why_read(const struct weft_request *request, const struct why_question *question,
              struct weft_causes *causes, struct weft_err *err) WEFT_MUST_CHECK;
/* Returns the question as text: "t1: blocked on mutex m at put (a.c:9) · 3 ms: ...", in
   ARENA, or a constant if nothing was found. */
const char *why_question_text(const struct weft_request *request,
                              const struct why_question *question,
                              struct weft_arena *arena);
/*
 * Returns a literal for tables: "on its way", "unseen" or "absent" by the kind of CAUSE,
 * else the name of its class, such as "work".
 */
const char *why_class_text(const struct weft_cause *cause);
/*
 * Returns what the row did in CAUSE: the function in which samples found it, with the state
 * if that says more ("spinning in main"); else the state's name, "" if it has none.  The
 * text is the schema's, CAUSE's or in ARENA.
 */
const char *why_what_text(struct weft_arena *arena, const struct weft_schema *schema,
                          const struct weft_cause *cause);
/*
 * Returns the name of CAUSE for a bar, in ARENA: "producer · busy", "holder · sleeping".
 * LABELS: weft_container_labels(), or NULL: without the row.
 */
const char *why_cause_name(struct weft_arena *arena, const struct weft_schema *schema,
                           const char **labels, const struct weft_cause *cause);
/*
 * Returns the colour of CAUSE: if its row was in a state that of the state's value, from
 * SWATCHES (by weft_palette()); else that of running for work, or of an empty row.
 */
struct weft_swatch why_cause_swatch(const struct weft_theme *theme,
                                    const struct weft_swatch *swatches,
                                    const struct weft_cause *cause);
/*
 * Function `scene` of the view `why` (weft_view): begins *OUT and draws the answer, or that
 * nothing waited.  Returns false with the errors of why_ask() or why_read().
 */
bool why_scene(const struct weft_request *request, struct weft_scene *out,
               struct weft_err *err);

#endif
