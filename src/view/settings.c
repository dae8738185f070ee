/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest_name.h"
#include "view/view.h"

static size_t find(const struct weft_view *view, const char *name, size_t length)
{
    for (size_t i = 0; i < view->n_parameters; i++)
        if (strlen(view->parameters[i].name) == length
            && memcmp(view->parameters[i].name, name, length) == 0)
            return i;
    /* Both spellings are accepted. */
    if (length == 6 && memcmp(name, "colour", 6) == 0)
        return find(view, "color", 5);
    return SIZE_MAX;
}

const char *weft_setting(const struct weft_request *request, const char *name)
{
    const struct weft_view *view = request->view;
    size_t i = find(view, name, strlen(name));
    WEFT_REQUIRE(i != SIZE_MAX, "view %s has no parameter %s", view->name, name);
    const char *value = request->settings ? request->settings[i] : NULL;
    return value ? value : view->parameters[i].fallback;
}

double weft_setting_number(const struct weft_request *request, const char *name)
{
    return strtod(weft_setting(request, name), NULL);
}

bool weft_setting_is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *at = choices; at && *at;) {
        size_t n = strcspn(at, "|");
        if (n == length && memcmp(at, value, n) == 0)
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

static bool check(const struct weft_parameter *parameter, const char *value,
                  struct weft_err *err)
{
    char *end;
    switch (parameter->kind) {
    case WEFT_PARAMETER_CHOICE:
    case WEFT_PARAMETER_WHEEL:
        return weft_setting_is_choice(parameter->choices, value)
               || weft_fail(err, WEFT_ERR_USAGE, "%s=%s (right: %s=%s)", parameter->name,
                            value, parameter->name, parameter->choices);
    case WEFT_PARAMETER_FLAG:
        return weft_setting_is_choice("on|off", value)
               || weft_fail(err, WEFT_ERR_USAGE, "%s=%s (right: %s=on|off)",
                            parameter->name, value, parameter->name);
    case WEFT_PARAMETER_SCROLL:
    case WEFT_PARAMETER_ZOOM:
    case WEFT_PARAMETER_TALL:
    case WEFT_PARAMETER_PLACE_X:
    case WEFT_PARAMETER_PLACE_Y:
    case WEFT_PARAMETER_NUMBER: {
        double number = strtod(value, &end);
        return (*value && !*end && number >= parameter->minimum
                && number <= parameter->maximum)
               || weft_fail(err, WEFT_ERR_USAGE, "%s=%s (right: a number from %g to %g)",
                            parameter->name, value, parameter->minimum, parameter->maximum);
    }
    case WEFT_PARAMETER_ENTITIES: {
        struct weft_entity_set set;
        bool ok = weft_entity_set_parse(&set, value, err);
        weft_entity_set_free(&set);
        return ok;
    }
    case WEFT_PARAMETER_TEXT:
    case WEFT_PARAMETER_FILE:
    case WEFT_PARAMETER_CONTAINER:
    case WEFT_PARAMETER_CONTAINERS:
    case WEFT_PARAMETER_ENTITY:
    case WEFT_PARAMETER_ORDER: break; /* the view checks it against the schema */
    }
    return true;
}

/* Checks that all of a range is in the trace. */
static bool check_range(const struct weft_schema *schema, struct weft_entity_range range,
                        struct weft_err *err)
{
    uint32_t track = weft_entity_track(range.last);
    uint64_t last = weft_entity_ordinal(range.last);
    if (weft_is_container_id(range.last))
        return (uint32_t)last < schema->n_containers
               || weft_fail(err, WEFT_ERR_USAGE, "no container is called '#%" PRIu32 "'",
                            (uint32_t)last);
    if (track >= schema->n_tracks)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "there is no track t%" PRIu32 " (there are %" PRIu32 ")", track,
                         schema->n_tracks);
    return last < schema->tracks[track].count
           || weft_fail(err, WEFT_ERR_USAGE,
                        "there is no t%" PRIu32 ":%" PRIu64 " (t%" PRIu32 " has %" PRIu64
                        " entities)",
                        track, last, track, schema->tracks[track].count);
}

/* Finds an item of a list that is not a number: "NAME" or "NAME+". */
static bool find_named(const struct weft_schema *schema, const char *item, size_t length,
                       struct weft_entity_range *range, struct weft_err *err)
{
    char name[512];
    bool all = length > 1 && item[length - 1] == '+', ambiguous;
    length -= all;
    if (length >= sizeof name)
        return weft_fail(err, WEFT_ERR_USAGE, "a container's name is too long");
    memcpy(name, item, length);
    name[length] = '\0';
    uint32_t container = weft_find_container(schema, name, &ambiguous);
    if (container == WEFT_NONE)
        return weft_fail(err, WEFT_ERR_USAGE,
                         ambiguous ? "several containers are called '%s'"
                                   : "no container is called '%s'",
                         name);
    range->first = range->last = weft_container_id(container, all);
    return true;
}

bool weft_setting_containers(const struct weft_schema *schema, const char *list,
                             uint8_t *member, struct weft_err *err)
{
    memset(member, 0, schema->n_containers);
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        struct weft_entity_range range;
        if (n) {
            bool ok = *at == '#' ? weft_container_range_parse(at, n, &range, err)
                                       && check_range(schema, range, err)
                                 : find_named(schema, at, n, &range, err);
            if (!ok)
                return false;
            bool all = weft_entity_ordinal(range.first) >> 32;
            memset(member + (uint32_t)range.first, all ? 2 : 1,
                   range.last - range.first + 1);
        }
        at += n + (at[n] == ',');
    }
    return true;
}

/* Returns true if CONTAINER has states, events or samples itself. */
static bool has_own(const struct weft_schema *schema, uint32_t container)
{
    uint32_t order = schema->containers[container].order;
    for (uint32_t i = schema->track_begin[order]; i < schema->track_begin[order + 1]; i++) {
        const struct weft_track *track = &schema->tracks[schema->track_at[i]];
        if (track->count && schema->types[track->type].kind != WEFT_LINK)
            return true;
    }
    return false;
}

bool weft_setting_subtrees(const struct weft_schema *schema, const char *list,
                           uint8_t *member, struct weft_err *err)
{
    if (!weft_setting_containers(schema, list, member, err))
        return false;
    for (uint32_t p = 0; p < schema->n_containers; p++) {
        uint32_t c = schema->preorder[p], parent = schema->containers[c].parent;
        if ((parent != WEFT_NONE && member[parent] == 2)
            || (member[c] == 1 && !has_own(schema, c)))
            member[c] = 2;
    }
    return true;
}

bool weft_setting_entities(const struct weft_schema *schema, const char *text,
                           struct weft_entity_set *set, struct weft_err *err)
{
    if (!weft_entity_set_parse(set, text, err))
        return false;
    for (size_t i = 0; i < set->n_ranges; i++)
        if (!check_range(schema, set->ranges[i], err)) {
            weft_entity_set_free(set);
            return false;
        }
    return true;
}

static const char *parameter_name(size_t i, void *view)
{
    return ((const struct weft_view *)view)->parameters[i].name;
}

/* Fails for a setting that the view does not have, and suggests one. */
static bool fail_unknown(const struct weft_view *view, const char *text,
                         struct weft_err *err)
{
    char name[64], names[300] = "";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    size_t i = find(view, name, strlen(name));
    if (i != SIZE_MAX)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "the setting '%s' has no value (right: %s=...)", text, name);
    const char *nearest =
        weft_nearest(name, view->n_parameters, parameter_name, (void *)view);
    if (nearest)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "view %s has no setting '%s' (did you mean %s?)", view->name, name,
                         nearest);
    for (size_t p = 0; p < view->n_parameters; p++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", p ? ", " : "",
                 view->parameters[p].name);
    }
    return weft_fail(err, WEFT_ERR_USAGE, "view %s has no setting '%s' (it has: %s)",
                     view->name, name, names[0] ? names : "none");
}

const struct weft_parameter *weft_setting_parameter(const struct weft_view *view,
                                                    const char *text)
{
    size_t i = find(view, text, strcspn(text, "="));
    return i == SIZE_MAX ? NULL : &view->parameters[i];
}

bool weft_setting_parse(const struct weft_view *view, const char *text,
                        const char **settings, struct weft_err *err)
{
    const char *equals = strchr(text, '=');
    size_t i = equals ? find(view, text, (size_t)(equals - text)) : SIZE_MAX;
    if (i == SIZE_MAX)
        return fail_unknown(view, text, err);
    if (!check(&view->parameters[i], equals + 1, err))
        return false;
    settings[i] = equals + 1;
    return true;
}
