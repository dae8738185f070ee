/* SPDX-License-Identifier: Apache-2.0 */
/* Makes details (view/detail.h); domains add to them (view/domain_answers.h). */
#ifndef WEFT_VIEW_DETAIL_MAKER_H
#define WEFT_VIEW_DETAIL_MAKER_H

#include "view/detail.h"

/* The making of one detail (all facts about one thing of a trace), which domains add to. */
struct weft_maker {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_arena *arena;
    struct weft_detail *detail; /* the result, whose members a domain may set */
    struct weft_fact dropped;   /* receives facts beyond the limit; never read */
};

/*
 * Adds a fact to maker->detail; NAME and VALUE are not copied and must be in maker->arena,
 * the schema or static.  Returns the fact, never NULL, which leads nowhere, so that the
 * caller can set its id or site.  Facts beyond 64 are dropped.
 */
struct weft_fact *weft_maker_say(struct weft_maker *maker, const char *name,
                                 const char *value);

/*
 * Adds the shares of the CONTAINER's life that its four longest values have, for each track
 * that says what it did; nothing if there is no such track.
 */
void weft_maker_say_time(struct weft_maker *maker, uint32_t container);
/*
 * Adds the five containers with which CONTAINER exchanged most messages: how many, and how
 * many bytes, each way; nothing if there are none.
 */
void weft_maker_say_partners(struct weft_maker *maker, uint32_t container);
/*
 * Adds a question to maker->detail, of which there are at most WEFT_DETAIL_MAX_QUESTIONS:
 * the members of struct weft_detail_question, which are not copied.
 */
void weft_maker_ask(struct weft_maker *maker, const char *title, const char *view,
                    const char *by, const char *selection);
/* Sets the questions of maker->detail to those that its page asks about CONTAINER. */
void weft_maker_set_questions(struct weft_maker *maker, uint32_t container);

#endif
