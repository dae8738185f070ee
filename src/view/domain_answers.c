/* SPDX-License-Identifier: Apache-2.0 */
#include "view/domain_answers.h"

#include "base/domain.h"

static const struct weft_answers *answers_of(size_t domain)
{
    static const struct weft_answers none;
    const struct weft_answers *answers = weft_domains[domain]->answers;
    return answers ? answers : &none;
}

static bool is_farther(enum weft_place a, enum weft_place b)
{
    return b != WEFT_PLACE_NONE && (a == WEFT_PLACE_NONE || a > b);
}

enum weft_place weft_answer_place(const struct weft_set *set, enum weft_about about,
                                  enum weft_place own)
{
    enum weft_place found = own;
    for (size_t i = 0; i < weft_n_domains; i++) {
        const struct weft_answers *answers = answers_of(i);
        enum weft_place place =
            answers->place ? answers->place(set->sources[0], about, own) : own;
        if (is_farther(place, found))
            found = place;
    }
    return found;
}

const char *weft_answer_remark(const struct weft_source *source, struct weft_arena *arena)
{
    const char *remark = NULL;
    for (size_t i = 0; i < weft_n_domains && !remark; i++)
        if (answers_of(i)->remark)
            remark = answers_of(i)->remark(source, arena);
    return remark;
}

bool weft_answer_detail(struct weft_maker *maker, uint64_t id)
{
    bool known = false;
    for (size_t i = 0; i < weft_n_domains && !known; i++)
        known = answers_of(i)->detail && answers_of(i)->detail(maker, id);
    return known;
}

void weft_answer_more_of_state(struct weft_maker *maker, const struct weft_state *state)
{
    for (size_t i = 0; i < weft_n_domains; i++)
        if (answers_of(i)->more_of_state)
            answers_of(i)->more_of_state(maker, state);
}

const struct st_layers *weft_answer_space_time(void)
{
    const struct st_layers *layers = NULL;
    for (size_t i = 0; i < weft_n_domains && !layers; i++)
        layers = answers_of(i)->space_time;
    return layers;
}
