/* SPDX-License-Identifier: Apache-2.0 */
/* Colours messages by ParaGraph's code (view/message_color_code.h). */
#include <math.h>
#include <string.h>

#include "domains/messages/model/processors.h"
#include "domains/messages/view/message_color_code.h"
#include "domains/messages/view/space_time_layers.h"
#include "model/field_cache.h"

enum { SCANNED_MAX = 1 << 14, TAGS_MAX = 12 };

struct st_messages {
    struct weft_message_code code;
    struct weft_distance distance;
    uint32_t *index_of; /* by container: the index of its processor, or WEFT_NONE */
    struct weft_field_window **windows; /* by track: bytes or tags; NULL: not read */
    int64_t tags[TAGS_MAX];
    size_t n_tags, n_scanned;
};

static bool is_message(const struct st_picture *p, const struct weft_link *link)
{
    return weft_role_is(p->schema->types[link->type].role, WEFT_ROLE_MESSAGE);
}

static int64_t amount_of(struct st_picture *p, const struct weft_link *link)
{
    struct st_messages *messages = p->messages;
    if (messages->code.kind == WEFT_CODE_DISTANCE) {
        uint32_t from = messages->index_of[link->from], to = messages->index_of[link->to];
        return from == WEFT_NONE || to == WEFT_NONE
                   ? 0
                   : weft_distance_of(&messages->distance, from, to);
    }
    uint32_t track = weft_entity_track(link->id);
    struct weft_field_window **window = &messages->windows[track];
    if (!*window) {
        *window = weft_arena_alloc(p->arena, sizeof **window);
        weft_field_window_begin(*window, p->source, track,
                                messages->code.kind == WEFT_CODE_TAG ? WEFT_ROLE_TAG
                                                                     : WEFT_ROLE_BYTES);
    }
    return weft_field_window_get(*window, weft_entity_ordinal(link->id));
}

static void keep_tag(struct st_messages *messages, int64_t tag)
{
    size_t at = 0;
    while (at < messages->n_tags && messages->tags[at] < tag)
        at++;
    if ((at < messages->n_tags && messages->tags[at] == tag)
        || messages->n_tags == TAGS_MAX)
        return;
    memmove(&messages->tags[at + 1], &messages->tags[at],
            (messages->n_tags++ - at) * sizeof *messages->tags);
    messages->tags[at] = tag;
}

static bool scan_message(void *user, const struct weft_link *link)
{
    struct st_picture *p = user;
    struct st_messages *messages = p->messages;
    if (!is_message(p, link) || link->from == WEFT_NONE || link->to == WEFT_NONE)
        return true;
    int64_t amount = amount_of(p, link);
    if (messages->code.kind == WEFT_CODE_TAG)
        keep_tag(messages, amount);
    else {
        messages->code.least = messages->n_scanned
                                   ? fmin(messages->code.least, (double)amount)
                                   : (double)amount;
        messages->code.most = fmax(messages->code.most, (double)amount);
    }
    return ++messages->n_scanned < SCANNED_MAX;
}

static void scan(struct st_picture *p)
{
    for (uint32_t t = 0; t < p->schema->n_tracks && p->messages->n_scanned < SCANNED_MAX;
         t++)
        if (p->schema->types[p->schema->tracks[t].type].kind == WEFT_LINK)
            p->source->ops->links(p->source, t, p->window, scan_message, p);
}

/* Finds the processor of each container, and the network in which distances are counted. */
static bool find_processors(struct st_picture *p, struct weft_err *err)
{
    struct st_messages *messages = p->messages;
    size_t n = p->schema->n_containers;
    struct weft_processors *processors =
        weft_processors_make(p->source, p->request->job, err);
    if (!processors)
        return false;
    messages->index_of = weft_arena_alloc(p->arena, (n + 1) * sizeof *messages->index_of);
    memcpy(messages->index_of, processors->index_of, n * sizeof *messages->index_of);
    bool ok = weft_setting_distance(p->request, processors->n, &messages->distance, err);
    weft_processors_free(processors);
    return ok;
}

bool st_messages_begin(struct st_picture *p, struct weft_err *err)
{
    const char *by = weft_setting(p->request, "messages");
    if (strcmp(by, "plain") == 0 || !p->schema->n_links)
        return true;
    p->messages = weft_arena_zalloc(p->arena, 1, sizeof *p->messages);
    p->messages->windows =
        weft_arena_zalloc(p->arena, p->schema->n_tracks + 1, sizeof(void *));
    p->messages->code = weft_code_make(strcmp(by, "tag") == 0        ? WEFT_CODE_TAG
                                       : strcmp(by, "distance") == 0 ? WEFT_CODE_DISTANCE
                                                                     : WEFT_CODE_SIZE,
                                       p->request->theme, 0);
    if (p->messages->code.kind == WEFT_CODE_DISTANCE && !find_processors(p, err))
        return false;
    scan(p);
    if (p->messages->code.kind == WEFT_CODE_SIZE)
        p->messages->code.most =
            fmax(p->messages->code.most, (double)st_collectives_most_bytes(p));
    return true;
}

weft_color st_message_color(struct st_picture *p, const struct st_line *line)
{
    struct st_messages *messages = p->messages;
    if (!messages)
        return 0;
    if (line->bytes < 0)
        return is_message(p, line->link)
                   ? weft_code_color(&messages->code, amount_of(p, line->link))
                   : 0;
    switch (messages->code.kind) { /* a line of a collective operation */
    case WEFT_CODE_SIZE: return weft_code_color(&messages->code, line->bytes);
    case WEFT_CODE_DISTANCE:
        return weft_code_color(&messages->code, amount_of(p, line->link));
    default: return 0; /* it has no tag */
    }
}

size_t st_messages_legend(struct st_picture *p, struct weft_legend_entry **list, size_t n)
{
    struct st_messages *messages = p->messages;
    if (!messages)
        return n;
    size_t n_code;
    struct weft_legend_entry *code = weft_code_legend(
        &messages->code, p->arena, messages->tags, messages->n_tags, &n_code);
    struct weft_legend_entry *both =
        weft_arena_alloc(p->arena, (n + n_code + 1) * sizeof *both);
    memcpy(both, *list, n * sizeof *both);
    for (size_t i = 0; i < n_code; i++) {
        both[n + i] = code[i];
        both[n + i].weight -= 2; /* after the states */
    }
    *list = both;
    return n + n_code;
}
