/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/releases_of_waits.h"

#include <stdlib.h>

#include "base/domain.h"
#include "base/memory.h"

struct weft_releases {
    size_t n;
    struct {
        const struct weft_release_finder *finder;
        void *state;
    } of[];
};

const char *weft_release_text(enum weft_release_kind kind)
{
    static const char *const texts[WEFT_RELEASE_KINDS] = {
        "woken by",   "message from", "received by", "last to come",
        "created by", "sent on by",   "held by",
    };
    return kind < WEFT_RELEASE_KINDS ? texts[kind] : "";
}

struct weft_releases *weft_releases_new(const struct weft_source *source,
                                        struct weft_job *job, struct weft_err *err)
{
    struct weft_releases *releases =
        weft_zalloc(1, sizeof *releases + weft_n_domains * sizeof *releases->of);
    for (size_t i = 0; i < weft_n_domains; i++) {
        const struct weft_release_finder *finder = weft_domains[i]->releases;
        if (!finder || !finder->may_have(source->schema))
            continue;
        if (!finder->begin(source, job, &releases->of[releases->n].state, err)) {
            weft_releases_free(releases);
            return NULL;
        }
        releases->of[releases->n++].finder = finder;
    }
    return releases;
}

void weft_releases_free(struct weft_releases *releases)
{
    if (!releases)
        return;
    for (size_t i = 0; i < releases->n; i++)
        if (releases->of[i].finder->end)
            releases->of[i].finder->end(releases->of[i].state);
    free(releases);
}

size_t weft_releases_bytes(const struct weft_releases *releases)
{
    size_t bytes = sizeof *releases + releases->n * sizeof *releases->of;
    for (size_t i = 0; i < releases->n; i++)
        if (releases->of[i].finder->bytes)
            bytes += releases->of[i].finder->bytes(releases->of[i].state);
    return bytes;
}

bool weft_release_of(const struct weft_releases *releases, uint32_t row,
                     const struct weft_state *wait, struct weft_release *out)
{
    for (size_t i = 0; i < releases->n; i++)
        if (releases->of[i].finder->of_wait(releases->of[i].state, row, wait, out))
            return true;
    return false;
}

/* The most answers that are remembered: 48 MB. */
enum { REMEMBERED_MAX = 1 << 20 };

bool weft_release_of_remembered(const struct weft_releases *releases,
                                struct weft_release_memory *memory, uint32_t row,
                                const struct weft_state *wait, struct weft_release *out)
{
    uint32_t index =
        memory ? weft_id_map_get(&memory->index, wait->id) : (uint32_t)WEFT_MAP_NONE;
    if (index != WEFT_MAP_NONE) {
        *out = memory->list[index];
        return out->kind != WEFT_RELEASE_KINDS;
    }
    bool found = weft_release_of(releases, row, wait, out);
    if (!memory || memory->n == REMEMBERED_MAX)
        return found;
    memory->list =
        weft_grow(memory->list, &memory->capacity, memory->n + 1, sizeof *memory->list);
    memory->list[memory->n] =
        found ? *out : (struct weft_release){ .kind = WEFT_RELEASE_KINDS };
    weft_id_map_put(&memory->index, wait->id, (uint32_t)memory->n++);
    return found;
}

void weft_release_memory_free(struct weft_release_memory *memory)
{
    weft_id_map_free(&memory->index);
    free(memory->list);
    *memory = (struct weft_release_memory){ 0 };
}

struct creation {
    const struct weft_schema *schema;
    struct weft_release *out;
    bool found;
};

static bool take_creation(void *user, const struct weft_link *link)
{
    struct creation *creation = user;
    if (link->from == WEFT_NONE || (link->flags & (WEFT_BEGIN_IMPLIED | WEFT_END_IMPLIED))
        || !weft_role_is(creation->schema->types[link->type].role, WEFT_ROLE_SPAWN))
        return true;
    *creation->out = (struct weft_release){ WEFT_RELEASED_BY_CREATION, link->from,
                                            link->begin, link->id };
    creation->found = true;
    return false;
}

bool weft_creation_of(const struct weft_source *source, uint32_t row,
                      struct weft_release *out)
{
    int64_t begin = source->schema->containers[row].begin;
    struct creation creation = { source->schema, out, false };
    source->ops->links_at(source, row, true, (struct weft_span){ begin, begin + 1 },
                          take_creation, &creation);
    return creation.found;
}
