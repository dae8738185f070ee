/* SPDX-License-Identifier: Apache-2.0 */
#include "view/timeline/grouped_times.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/who_ended_wait.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "store/time.h"

static enum weft_division_apart apart_by(const char *by)
{
    return strcmp(by, "row") == 0       ? WEFT_DIVISION_BY_ROW
           : strcmp(by, "partner") == 0 ? WEFT_DIVISION_BY_PARTNER
           : strcmp(by, "waker") == 0   ? WEFT_DIVISION_BY_WAKER
                                        : WEFT_DIVISION_OF_ALL;
}

bool grouped_times_have_rows(const char *by)
{
    return apart_by(by) != WEFT_DIVISION_OF_ALL;
}

static void leave_out(struct grouped_time *group, const char *by)
{
    bool all = strcmp(by, "all") == 0;
    struct weft_time_part *like = &group->like;
    group->any_class = !all && strcmp(by, "class") != 0;
    like->state = all || strcmp(by, "state") == 0 ? like->state : "";
    like->object = all || strcmp(by, "object") == 0 ? like->object : "";
    like->site = all || strcmp(by, "site") == 0 ? like->site : "";
    like->function = all || strcmp(by, "function") == 0 ? like->function : "";
    like->row = grouped_times_have_rows(by) ? like->row : "";
}

static void add_part(struct grouped_times *groups, int run,
                     const struct weft_schema *schema, const struct weft_time_part *part,
                     const char *by, struct weft_arena *scratch)
{
    struct grouped_time group = { .like = *part };
    leave_out(&group, by);
    const struct weft_time_part *like = &group.like;
    const char *key = weft_arena_printf(
        scratch, "%d\n%s\n%s\n%s\n%s\n%s", group.any_class ? -1 : (int)like->class,
        like->state, like->object, like->site, like->function, like->row);
    uint32_t at = weft_text_map_get(&groups->index, key, strlen(key));
    if (at == WEFT_MAP_NONE) {
        at = (uint32_t)groups->n;
        weft_text_map_put(&groups->index, key, strlen(key), at);
        groups->list =
            weft_grow(groups->list, &groups->capacity, groups->n + 1, sizeof *groups->list);
        groups->list[groups->n++] = group;
    }
    weft_arena_reset(scratch);
    struct grouped_time *found = &groups->list[at];
    found->total[run] =
        weft_ticks_add(found->total[run], weft_ticks_to_ns(schema, part->ticks));
    found->count[run] += part->count;
}

void grouped_times_add(struct grouped_times *groups, int run,
                       const struct weft_schema *schema,
                       const struct weft_time_division *division, const char *by)
{
    struct weft_arena scratch = { 0 };
    for (size_t i = 0; i < division->n; i++)
        add_part(groups, run, schema, &division->list[i], by, &scratch);
    weft_arena_free(&scratch);
}

void grouped_times_free(struct grouped_times *groups)
{
    free(groups->list);
    weft_text_map_free(&groups->index);
    *groups = (struct grouped_times){ 0 };
}

int grouped_times_by_texts(const struct grouped_time *x, const struct grouped_time *y)
{
    return strcmp(x->like.state, y->like.state) ?: strcmp(x->like.object, y->like.object)
           ?: strcmp(x->like.site, y->like.site)
           ?: strcmp(x->like.function, y->like.function)
           ?: strcmp(x->like.row, y->like.row)
           ?: WEFT_COMPARE((int)x->like.class, (int)y->like.class);
}

const char *grouped_time_name(struct weft_arena *arena, const struct grouped_time *group)
{
    const struct weft_time_part *like = &group->like;
    const char *texts[] = { like->row, like->function[0] ? like->function : like->state,
                            like->object, like->site };
    const char *name = "";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i][0])
            name = weft_arena_printf(arena, "%s%s%s", name, name[0] ? " · " : "", texts[i]);
    if (name[0])
        return name;
    return group->any_class ? "all others" : weft_activity_class_name(like->class);
}

const char *grouped_time_class(const struct grouped_time *group)
{
    return group->any_class ? "" : weft_activity_class_name(group->like.class);
}

bool grouped_times_read(const struct weft_request *request, int number,
                        struct weft_span window, const char *where, bool lines,
                        struct weft_time_division *out, struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[number];
    const char *list = number == 0 ? weft_setting(request, "containers") : "";
    uint8_t *member = weft_zalloc(source->schema->n_containers, 1);
    struct weft_where *selection = where[0] ? weft_where_new(source, where, err) : NULL;
    bool ok = (!where[0] || selection)
              && weft_setting_subtrees(source->schema, list, member, err);
    if (ok)
        ok = weft_time_division_read(
            &(struct weft_division_query){
                .source = source,
                .under = number == 0 ? request->under : 0,
                .window = window,
                .members = list[0] ? member : NULL,
                .where = selection,
                .job = request->job,
                .lines = lines,
                .apart = apart_by(weft_setting(request, "by")),
            },
            out, err);
    weft_where_free(selection);
    free(member);
    return ok;
}

bool grouped_times_offer(const struct weft_set *set, const char *by)
{
    enum weft_division_apart apart = apart_by(by);
    return apart <= WEFT_DIVISION_BY_ROW
           || weft_may_know_row_of_waits(
               set->sources[0]->schema,
               apart == WEFT_DIVISION_BY_WAKER ? WEFT_WAIT_WAKER : WEFT_WAIT_PARTNER);
}

bool grouped_times_fill(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (weft_is_activity_track(schema, t))
            return true;
    return false;
}
