/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that views of any trace ask the domains (base/domain.h), and functions that
 * combine the answers.  A domain has one struct weft_answers; each of its functions may be
 * NULL: the domain then has no answer.
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
     * Returns the place in the workbench of a view of any trace when SOURCE is opened for
     * the first time: OWN, the view's own place, unless the domain's views explain the
     * trace better.  Must be quick.
     */
    enum weft_place (*place)(const struct weft_source *source, enum weft_about about,
                             enum weft_place own);
    /*
     * Returns a warning about what is easily misread in the times of states of SOURCE (for
     * struct weft_view's remark): a sentence in ARENA, or NULL.
     */
    const char *(*remark)(const struct weft_source *source, struct weft_arena *arena);
    /*
     * Tells all about a thing of the domain that is no state, event, link or container, by
     * its id in marks (view/detail_maker.h).  Returns false without adding facts if it is
     * no such thing.
     */
    bool (*detail)(struct weft_maker *maker, uint64_t id);
    /* Adds what the domain knows of a state, behind the facts that every state has. */
    void (*more_of_state)(struct weft_maker *maker, const struct weft_state *state);
    /* Additions to the space-time view (view/timeline/space_time.h), or NULL. */
    const struct st_layers *space_time;
};

/* Returns the place farthest from the main one among the domains' answers. */
enum weft_place weft_answer_place(const struct weft_set *set, enum weft_about about,
                                  enum weft_place own);
/* Returns the first domain's remark, or NULL. */
const char *weft_answer_remark(const struct weft_source *source, struct weft_arena *arena);
/*
 * Returns true if a domain knew the thing ID and told about it; the other function lets
 * each domain add what it knows of a state.
 */
bool weft_answer_detail(struct weft_maker *maker, uint64_t id);
void weft_answer_more_of_state(struct weft_maker *maker, const struct weft_state *state);
/* Returns the additions of the first domain that has any, or NULL. */
const struct st_layers *weft_answer_space_time(void);

#endif
