/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that views of any trace ask the domains (base/domain.h), and the answers of all
 * of them together.  A domain has one struct weft_answers; each of its functions may be
 * NULL: the domain then has nothing to say.
 */
#ifndef WEFT_VIEW_ANSWERS_H
#define WEFT_VIEW_ANSWERS_H

#include "view/view.h"

struct st_layers;
struct weft_maker;

/* Subject of a view that any trace can fill. */
enum weft_about { WEFT_ABOUT_TIME, WEFT_ABOUT_TOTALS, WEFT_ABOUT_WAITS };

struct weft_answers {
    /*
     * Where a view of any trace, whose own place is OWN, stands in the workbench when the
     * trace SOURCE is opened for the first time: OWN, unless the domain's views explain the
     * trace better.  Must be quick.
     */
    enum weft_place (*place)(const struct weft_source *source, enum weft_about about,
                             enum weft_place own);
    /*
     * A warning about what is easily misread in the times of states of SOURCE, as struct
     * weft_view's remark says it: a sentence in ARENA, or NULL.
     */
    const char *(*remark)(const struct weft_source *source, struct weft_arena *arena);
    /*
     * All about a thing of the domain that is no state, event, link or container, by its id
     * in marks (view/detail_maker.h).  False: it is no such thing, and nothing was said.
     */
    bool (*detail)(struct weft_maker *maker, uint64_t id);
    /* Add what the domain knows of a state, behind all that is known of any. */
    void (*more_of_state)(struct weft_maker *maker, const struct weft_state *state);
    /* Its additions to the space-time view (view/timeline/space_time.h); NULL: nothing. */
    const struct st_layers *space_time;
};

/* Returns the place farthest from the main one among the domains' answers. */
enum weft_place weft_answer_place(const struct weft_set *set, enum weft_about about,
                                  enum weft_place own);
/* The first domain's remark; NULL: none has any. */
const char *weft_answer_remark(const struct weft_source *source, struct weft_arena *arena);
/* Whether a domain knows all about the thing; each adds what it knows of a state. */
bool weft_answer_detail(struct weft_maker *maker, uint64_t id);
void weft_answer_more_of_state(struct weft_maker *maker, const struct weft_state *state);
/* The first domain's that adds any, or NULL. */
const struct st_layers *weft_answer_space_time(void);

#endif
