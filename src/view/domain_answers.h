/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that views of any trace ask the domains (base/domain.h), and functions that
 * combine the answers.  A domain has one struct weft_answers; each of its functions may be
 * NULL: the domain then has no answer.
 */
#ifndef WEFT_VIEW_DOMAIN_ANSWERS_H
#define WEFT_VIEW_DOMAIN_ANSWERS_H

#include "view/view.h"

struct st_layers;
struct weft_maker;

/*
 * The subject of a core view: events in time (TIME), sums over time (TOTALS), or waiting
 * (WAITS).  By it a domain says where in the workbench (enum weft_place) such a view shall
 * be when a trace is opened (weft_answers.place).
 */
enum weft_about { WEFT_ABOUT_TIME, WEFT_ABOUT_TOTALS, WEFT_ABOUT_WAITS };

/* The answers of one domain to views of any trace; a constant. */
struct weft_answers {
    /*
     * Returns the place that a core view about ABOUT shall have in the workbench when
     * SOURCE is opened for the first time: OWN, which the view itself wants, or a lesser
     * place if the domain's own views explain the trace better.  Must be quick.
     */
    enum weft_place (*place)(const struct weft_source *source, enum weft_about about,
                             enum weft_place own);
    /*
     * Returns a warning about what is easily misread in the times of states of SOURCE (for
     * struct weft_view's remark): a sentence in ARENA, or NULL.
     */
    const char *(*remark)(const struct weft_source *source, struct weft_arena *arena);
    /*
     * Adds to MAKER all about a thing of the domain that is no state, event, link or
     * container (a node of a task DAG), by the ID that marks in pictures carry.  Returns
     * false without adding facts if ID is no such thing.
     */
    bool (*detail)(struct weft_maker *maker, uint64_t id);
    /* Adds what the domain knows of a state, behind the facts that every state has. */
    void (*more_of_state)(struct weft_maker *maker, const struct weft_state *state);
    /* Additions to the space-time view (view/timeline/space_time.h), or NULL. */
    const struct st_layers *space_time;
};

/*
 * Returns the place in the workbench of a view about ABOUT: the last of OWN and of the
 * domains' answers (weft_answers.place) for the first trace of SET, in the order
 * WEFT_PLACE_MAIN, BESIDE, BELOW, NONE.
 */
enum weft_place weft_answer_place(const struct weft_set *set, enum weft_about about,
                                  enum weft_place own);
/* Returns the remark of the first domain that has one (a sentence in ARENA), or NULL. */
const char *weft_answer_remark(const struct weft_source *source, struct weft_arena *arena);
/*
 * Adds facts about ID to MAKER, if it is a thing of a domain's own that is no state, event,
 * link or container (a node of a task DAG): asks the domains in order until one knows it
 * (weft_answers.detail).  Returns false, and adds nothing, if none does.
 */
bool weft_answer_detail(struct weft_maker *maker, uint64_t id);
/* Lets each domain add to MAKER the facts that it knows of STATE. */
void weft_answer_more_of_state(struct weft_maker *maker, const struct weft_state *state);
/* Returns the first domain's additions to the space-time view; NULL if there are none. */
const struct st_layers *weft_answer_space_time(void);

#endif
