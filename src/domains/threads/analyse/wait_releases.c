/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements analyse/releases.h for waits that a link of the role wake-up ends (wakings.h):
 * the thread that gave the lock back, signalled, came last to the barrier, or ended.
 */
#include "analyse/releases.h"
#include "domains/threads/analyse/wakings.h"

static bool begin(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err)
{
    *state = (void *)source;
    return weft_job_step(job, 0, 0, err);
}

struct search {
    const struct weft_schema *schema;
    const struct weft_state *wait;
    struct weft_release *out;
    bool found, named; /* a wake-up was found; it names the wait */
};

/* Keeps the latest wake-up that names the wait, else the latest that names none. */
static bool take_waking(void *user, const struct weft_link *link)
{
    struct search *search = user;
    bool named = link->to_entity == search->wait->id;
    if (link->from == WEFT_NONE || (link->flags & (WEFT_BEGIN_IMPLIED | WEFT_END_IMPLIED))
        || !weft_role_is(search->schema->types[link->type].role, WEFT_ROLE_WAKE_UP))
        return true;
    if (!named
        && (search->named || link->to_entity != WEFT_NO_ID
            || link->end <= search->wait->begin))
        return true;
    *search->out =
        (struct weft_release){ WEFT_RELEASED_BY_WAKING, link->from, link->begin, link->id };
    search->found = true;
    search->named |= named;
    return true;
}

static bool of_wait(const void *state, uint32_t row, const struct weft_state *wait,
                    struct weft_release *out)
{
    const struct weft_source *source = state;
    struct search search = { source->schema, wait, out, false, false };
    source->ops->links_at(source, row, true,
                          (struct weft_span){ wait->begin, wait->end + 1 }, take_waking,
                          &search);
    return search.found;
}

/* The state is the source, which is the caller's. */
static size_t bytes(const void *state)
{
    (void)state;
    return 0;
}

static void end(void *state)
{
    (void)state;
}

extern const struct weft_release_finder weft_releases_of_threads;
const struct weft_release_finder weft_releases_of_threads = {
    .may_have = weft_has_wakings,
    .begin = begin,
    .of_wait = of_wait,
    .bytes = bytes,
    .end = end,
};
