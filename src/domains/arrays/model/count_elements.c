/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by element.  While counting, each row of the result holds the differences between
   neighbours, so that a run of elements in a row costs two additions. */
#include <string.h>

#include "domains/arrays/model/count_priv.h"

struct element_counter {
    const struct count_roles *roles;
    uint64_t steps;   /* number of steps with the pattern */
    uint64_t columns; /* length of a row of the array */
    struct weft_reference_counts *out;
    struct parts parts; /* axes only */
};

/* Adds to each of N consecutive elements in a row. */
static void add_run(const struct element_counter *c, uint64_t element, uint64_t n,
                    bool local, uint64_t turns)
{
    uint64_t references = c->roles->pattern.times * turns * c->steps;
    *count_field(c->roles, &c->out[element], local) += references;
    if (element % c->columns + n < c->columns)
        *count_field(c->roles, &c->out[element + n], local) -= references;
}

/* Converts to differences, or back; both modulo 2^64. */
static void change(struct weft_reference_counts *out, const struct weft_array *array,
                   bool to_differences)
{
    uint64_t columns = array->shape[array->rank - 1], n = weft_array_elements(array);
    for (uint64_t row = 0; row < n; row += columns)
        for (uint64_t i = 1; i < columns; i++) {
            uint64_t at = row + (to_differences ? columns - i : i);
            const struct weft_reference_counts *before = &out[at - 1];
            uint64_t sign = to_differences ? UINT64_MAX : 1;
            out[at].local_reads += sign * before->local_reads;
            out[at].remote_reads += sign * before->remote_reads;
            out[at].local_writes += sign * before->local_writes;
            out[at].remote_writes += sign * before->remote_writes;
            out[at].unowned_reads += sign * before->unowned_reads;
        }
}

/* Returns true if all references of a box are local, or all remote; sets *LOCAL. */
static bool all_alike(const struct count_roles *roles, const struct array_box *box,
                      bool *local)
{
    *local = roles->local != 0;
    if (roles->local >= 0 || roles->self)
        return true;
    return roles->array == roles->owner_array && roles->served_by == roles->asked_by
           && roles->asked_by && memcmp(box->element, box->owner, sizeof box->element) == 0
           && memcmp(box->stride, box->owner_stride,
                     (size_t)box->loops * sizeof box->stride[0])
                  == 0;
}

/* The movement of elements in a loop. */
enum movement { MOVES_NOTHING, MOVES_IN_ROW, MOVES };

static enum movement movement_of(const struct array_box *box, int loop, uint32_t rank)
{
    for (uint32_t d = 0; d + 1 < rank; d++)
        if (box->stride[loop][d])
            return MOVES;
    int64_t stride = box->stride[loop][rank - 1];
    return !stride ? MOVES_NOTHING : stride == 1 || stride == -1 ? MOVES_IN_ROW : MOVES;
}

/* The loop to count in runs: one that stays at an element, since its iterations are counted
   at once, else one along a row.  -1 if there is none. */
static int innermost(const struct array_box *box, uint32_t rank)
{
    int best = -1;
    for (int k = 0; k < box->loops; k++) {
        enum movement movement = movement_of(box, k, rank);
        if (movement == MOVES_NOTHING)
            return k;
        if (movement == MOVES_IN_ROW)
            best = k;
    }
    return best;
}

static uint64_t element_at(const struct array_box *box, const struct weft_array *array,
                           const uint64_t *at)
{
    uint64_t number = 0;
    for (uint32_t d = 0; d < array->rank; d++) {
        uint64_t index = box->element[d];
        for (int k = 0; k < box->loops; k++)
            index += (uint64_t)box->stride[k][d] * at[k];
        number = number * array->shape[d] + index;
    }
    return number;
}

/* Adds N iterations of the innermost loop from AT on: elements of a row, or one element. */
static void add_turns(const struct element_counter *c, const struct array_box *box,
                      int loop, uint64_t element, uint64_t n, bool local)
{
    int64_t stride = loop < 0 ? 0 : box->stride[loop][c->roles->array->rank - 1];
    if (!stride)
        add_run(c, element, 1, local, n);
    else
        add_run(c, stride > 0 ? element : element - (n - 1), n, local, 1);
}

/* Counts all iterations of the innermost loop, in runs between changes of a coordinate. */
static void count_row(const struct element_counter *c, const struct array_box *box,
                      int loop, const uint64_t *at)
{
    const struct count_roles *roles = c->roles;
    const struct parts *parts = &c->parts;
    uint64_t element = element_at(box, roles->array, at);
    uint64_t extent = loop < 0 ? 1 : box->extent[loop];
    int64_t stride = loop < 0 ? 0 : box->stride[loop][roles->array->rank - 1];
    for (uint64_t from = 0, n; from < extent && array_work_report(parts->work, 1);
         from += n) {
        uint32_t number[2] = { parts->server, parts->requester };
        n = extent - from;
        for (int a = 0; a < parts->n_axes; a++) {
            const struct part_axis *axis = &parts->axes[a];
            int64_t place = axis->place;
            for (int k = 0; k < box->loops; k++)
                place += axis->stride[k] * (int64_t)(k == loop ? from : at[k]);
            uint64_t alike =
                loop < 0 ? 1 : part_turns_alike(axis, place, axis->stride[loop]);
            n = alike < n ? alike : n;
            number[axis->asks] += (uint32_t)(part_coordinate(axis, place) * axis->weight);
        }
        uint32_t server = roles->served_by ? number[0] : roles->server;
        int64_t requester = roles->asked_by ? (int64_t)number[1] : roles->requester;
        add_turns(c, box, loop, element + (uint64_t)(stride * (int64_t)from), n,
                  count_pair_is_local(roles, server, requester));
    }
}

static bool count_box(void *user, const struct array_box *box)
{
    struct element_counter *c = user;
    uint32_t rank = c->roles->array->rank;
    uint64_t at[ARRAY_BOX_LOOPS] = { 0 };
    int loop = innermost(box, rank), k;
    bool local, alike = all_alike(c->roles, box, &local);
    count_axes(c->roles, box, &c->parts);
    do {
        if (alike)
            add_turns(c, box, loop, element_at(box, c->roles->array, at),
                      loop < 0 ? 1 : box->extent[loop], local);
        else
            count_row(c, box, loop, at);
        for (k = 0; k < box->loops; at[k++] = 0)
            if (k != loop && ++at[k] < box->extent[k])
                break;
    } while (k < box->loops && array_work_report(c->parts.work, 1));
    return array_work_goes_on(c->parts.work);
}

bool weft_count_elements(const struct weft_count_query *query, uint32_t array,
                         struct weft_reference_counts *out, struct weft_job *job,
                         struct weft_err *err)
{
    const struct weft_array *is = weft_profile_array(query->profile, array);
    struct element_counter c = { .columns = is->shape[is->rank - 1], .out = out };
    struct count_patterns patterns;
    struct count_roles roles;
    change(out, is, true);
    count_patterns_begin(&patterns, query, array, job, err);
    c.parts.work = &patterns.work;
    while (count_patterns_next(&patterns, &roles)) {
        c.roles = &roles;
        c.steps = patterns.steps[patterns.step].times;
        array_boxes(&roles.pattern, roles.array, roles.asked_by ? roles.owner_array : NULL,
                    count_box, &c);
    }
    change(out, is, false);
    parts_free(&c.parts);
    return count_patterns_end(&patterns);
}
