/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "analyse/where_selection.h"
#include "store/time.h"
#include "view/picture_frame.h"
#include "view/prepare.h"
#include "view/timeline/why.h"

/* Sets the question to the wait with the id that the setting gives. */
static bool ask_by_id(const struct weft_source *source, const char *text,
                      struct why_question *question, struct weft_err *err)
{
    uint64_t id = strtoull(text, NULL, 10);
    uint32_t track = weft_entity_track(id);
    if (track >= source->schema->n_tracks || !weft_is_activity_track(source->schema, track)
        || !source->ops->state(source, id, &question->wait))
        return weft_fail(err, WEFT_ERR_USAGE, "'%s' is no state of a thread or rank", text);
    question->row = source->schema->tracks[track].container;
    question->found = true;
    question->span = (struct weft_span){ question->wait.begin, question->wait.end };
    return true;
}

static bool row_setting(const struct weft_source *source, const char *name, uint32_t *row,
                        struct weft_err *err)
{
    bool ambiguous = false;
    if (!name[0])
        return true;
    *row = weft_where_container(source, name, &ambiguous);
    return *row != WEFT_NONE
           || weft_fail(err, WEFT_ERR_USAGE,
                        ambiguous ? "several containers are called '%s'"
                                  : "no container is called '%s'",
                        name);
}

bool why_ask(const struct weft_request *request, struct why_question *question,
             struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    struct weft_span window = request->window;
    uint32_t under = request->under;
    *question = (struct why_question){ .wait = { .id = WEFT_NO_ID } };
    question->of_run = strcmp(weft_setting(request, "of"), "run") == 0;
    if (!row_setting(source, weft_setting(request, "row"), &under, err))
        return false;
    if (weft_setting(request, "wait")[0] && !question->of_run)
        return ask_by_id(source, weft_setting(request, "wait"), question, err);
    if (question->of_run) {
        question->row = weft_is_activity_row(schema, under)
                            ? under
                            : weft_last_row(schema, under, window);
        question->found = question->row != WEFT_NONE;
        if (window.begin < schema->span.begin)
            window.begin = schema->span.begin;
        if (window.end > schema->span.end)
            window.end = schema->span.end;
        question->span = window;
        return true;
    }
    if (request->has_at)
        window = (struct weft_span){ request->at, request->at + 1 };
    struct weft_found_wait longest = weft_longest_wait(source, under, window, request->job);
    question->found = longest.found;
    question->row = longest.row;
    question->wait = longest.state;
    question->span = (struct weft_span){ longest.state.begin, longest.state.end };
    return weft_job_step(request->job, 0, 0, err);
}

static bool make_releases(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                          struct weft_err *err)
{
    struct weft_releases *releases =
        weft_releases_new(args->set->sources[0], args->job, err);
    *thing = releases;
    *bytes = releases ? weft_releases_bytes(releases) : 0;
    return releases;
}

static void free_releases(void *thing)
{
    weft_releases_free(thing);
}

static const struct weft_preparation preparation = { "causes of waits", make_releases,
                                                     free_releases };

const struct weft_releases *why_releases(const struct weft_request *request, int number,
                                         struct weft_err *err)
{
    const struct weft_set one = { request->set->sources + number, 1 };
    return weft_use_get(request->use, &preparation, &one, NULL, 0, err);
}

bool why_read(const struct weft_request *request, const struct why_question *question,
              struct weft_causes *causes, struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    *causes = (struct weft_causes){ 0 };
    if (!question->found)
        return true;
    const struct weft_releases *releases = why_releases(request, 0, err);
    if (!releases)
        return false;
    const struct weft_walk_query query = { source, releases, question->row, question->span,
                                           request->job };
    return weft_causes_read(&query, weft_sites_alike(request->arena, source->schema),
                            causes, err);
}

const char *why_question_text(const struct weft_request *request,
                              const struct why_question *question, struct weft_arena *arena)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    char length[WEFT_TIME_TEXT];
    if (!question->found)
        return "Nothing waited here.";
    const char **labels = weft_container_labels(schema, arena);
    const char *range = weft_range_text(arena, schema, question->span);
    if (question->of_run)
        return weft_arena_printf(arena, "back from the end on %s · %s",
                                 labels[question->row], range);
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = source->ops->fields(source, question->wait.id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *object =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    const struct weft_field_value *site =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    const char *place = site ? weft_site_text(arena, schema, site->index) : "";
    weft_duration_text(schema, question->span.end - question->span.begin, length);
    return weft_arena_printf(arena, "%s: %s%s%s%s%s · %s", labels[question->row],
                             schema->values[question->wait.value].name, object ? " " : "",
                             object ? labels[object->index] : "", place[0] ? " at " : "",
                             place, range);
}

const char *why_class_text(const struct weft_cause *cause)
{
    switch (cause->kind) {
    case WEFT_STEP_ON_ITS_WAY: return "on its way";
    case WEFT_STEP_UNSEEN: return "unseen";
    case WEFT_STEP_ABSENT: return "absent";
    default: return weft_activity_class_name(cause->class);
    }
}

const char *why_what_text(struct weft_arena *arena, const struct weft_schema *schema,
                          const struct weft_cause *cause)
{
    const struct weft_value *value =
        cause->value == WEFT_NONE ? NULL : &schema->values[cause->value];
    if (!cause->function)
        return value ? value->name : "";
    /* Running says no more than its function does. */
    return value && weft_role_is(value->role, WEFT_ROLE_SPINNING)
               ? weft_arena_printf(arena, "%s in %s", value->name, cause->function)
               : cause->function;
}

const char *why_cause_name(struct weft_arena *arena, const struct weft_schema *schema,
                           const char **labels, const struct weft_cause *cause)
{
    const char *what = why_what_text(arena, schema, cause);
    if (!what[0])
        what = why_class_text(cause);
    return weft_arena_printf(arena, "%s%s%s%s", labels ? labels[cause->row] : "",
                             labels ? " · " : "", what,
                             cause->kind == WEFT_STEP_ON_ITS_WAY ? ", on its way"
                             : cause->kind == WEFT_STEP_UNSEEN   ? " (cause unseen)"
                                                                 : "");
}

struct weft_swatch why_cause_swatch(const struct weft_theme *theme,
                                    const struct weft_swatch *swatches,
                                    const struct weft_cause *cause)
{
    if (cause->value != WEFT_NONE)
        return swatches[cause->value];
    if (cause->class == WEFT_ACTIVITY_WORK)
        return weft_role_swatch(theme, WEFT_ROLE_RUNNING);
    return (struct weft_swatch){ .fill = theme->empty };
}
