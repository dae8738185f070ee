/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/count_priv.h"

struct count_roles count_roles_of(const struct weft_count_query *query,
                                  const struct weft_pattern *pattern)
{
    const struct weft_profile *profile = query->profile;
    const struct weft_distributions *distributions = query->distributions;
    struct count_roles roles = { .pattern = *pattern, .requester = -1, .local = -1 };
    bool owner_known = pattern->owner_array != WEFT_NONE;
    roles.array = weft_profile_array(profile, pattern->array);
    if (owner_known)
        roles.owner_array = weft_profile_array(profile, pattern->owner_array);
    if (distributions)
        roles.served_by =
            weft_distributions_of(distributions, pattern->array, pattern->step);
    else if (pattern->owner_processor >= 0)
        roles.server = (uint32_t)pattern->owner_processor;
    bool placed = distributions ? roles.served_by != NULL : pattern->owner_processor >= 0;

    roles.requester = pattern->requester_processor;
    if (query->rule == WEFT_COMPUTE_PROCESSOR) {
        roles.requester = (int64_t)query->processor;
    } else if (query->rule == WEFT_COMPUTE_OWNER_OF_RIGHT
               && pattern->operation == WEFT_REFERENCE_READ) {
        roles.self = true;
    } else if (owner_known && distributions) {
        roles.asked_by =
            weft_distributions_of(distributions, pattern->owner_array, pattern->step);
        roles.requester = 0;
    }
    bool told = !distributions && query->rule == WEFT_COMPUTE_OWNER_OF_LEFT;
    if (told && pattern->local >= 0)
        roles.local = pattern->local;
    else if (!roles.self && !roles.asked_by && roles.requester < 0)
        roles.local = pattern->local != 0;
    if (!placed)
        roles.local = 1;
    roles.unowned =
        query->rule == WEFT_COMPUTE_OWNER_OF_LEFT && weft_pattern_is_unowned(pattern);
    return roles;
}

static void index_of(const struct weft_array *array, uint64_t element, uint64_t *index)
{
    for (uint32_t d = array->rank; d-- > 0; element /= array->shape[d])
        index[d] = element % array->shape[d];
}

struct count_reference count_reference_of(const struct count_roles *roles, uint64_t element,
                                          uint64_t owner)
{
    struct count_reference reference = { .element = element,
                                         .server = roles->server,
                                         .requester = roles->requester };
    uint64_t index[WEFT_ARRAY_RANK], owner_index[WEFT_ARRAY_RANK];
    if (roles->served_by) {
        index_of(roles->array, element, index);
        reference.server =
            (uint32_t)weft_distribution_owner(roles->served_by, roles->array, index);
    }
    if (roles->self) {
        reference.requester = reference.server;
    } else if (roles->asked_by) {
        index_of(roles->owner_array, owner, owner_index);
        reference.requester = (int64_t)weft_distribution_owner(
            roles->asked_by, roles->owner_array, owner_index);
    }
    if (roles->local >= 0)
        reference.local = roles->local == 1;
    else if (roles->served_by)
        reference.local = weft_distribution_owns(roles->served_by, roles->array, index,
                                                 (uint64_t)reference.requester);
    else
        reference.local = reference.requester == reference.server;
    if (roles->local < 0 && reference.local)
        reference.server = (uint32_t)reference.requester; /* its own copy */
    return reference;
}

bool count_is_local(const struct count_roles *roles, uint32_t server, uint32_t requester)
{
    const struct weft_distribution *distribution = roles->served_by;
    if (server == requester)
        return true;
    if (!distribution || distribution->map
        || requester >= weft_distribution_processors(distribution))
        return false;
    /* The server is the first owner; other owners differ from it in replicated coordinates
       only. */
    for (uint32_t k = distribution->rank; k-- > 0;) {
        uint32_t extent = (uint32_t)distribution->extent[k];
        if (distribution->axis[k].kind != WEFT_AXIS_REPLICATED
            && server % extent != requester % extent)
            return false;
        server /= extent;
        requester /= extent;
    }
    return true;
}

void count_axes(const struct count_roles *roles, const struct array_box *box,
                struct parts *parts)
{
    parts_begin(parts, box);
    parts_add(parts, roles->served_by, roles->array, false, false);
    if (roles->asked_by)
        parts_add(parts, roles->asked_by, roles->owner_array, true, true);
}

void count_parts(const struct count_roles *roles, const struct array_box *box,
                 struct parts *parts)
{
    count_axes(roles, box, parts);
    parts_make(parts, roles->array);
}

void count_turn_begin(struct count_turn *turn, const struct weft_pattern *pattern)
{
    *turn = (struct count_turn){ .element = pattern->element, .owner = pattern->owner };
}

bool count_turn_next(struct count_turn *turn, const struct weft_pattern *pattern)
{
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        turn->element += (uint64_t)pattern->stride[k];
        turn->owner += (uint64_t)pattern->owner_stride[k];
        if (++turn->at[k] < pattern->extent[k])
            return true;
        turn->element -= turn->at[k] * (uint64_t)pattern->stride[k];
        turn->owner -= turn->at[k] * (uint64_t)pattern->owner_stride[k];
        turn->at[k] = 0;
    }
    return false;
}
