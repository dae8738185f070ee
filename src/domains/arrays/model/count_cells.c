/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/count_cells.h"

#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/count_priv.h"
#include "domains/arrays/model/pattern_boxes.h"

enum {
    PARTS_MAX = 1 << 27, /* entries of a dimension: half a gigabyte */
};

/* A processor's number as a sum over the array's dimensions, if coordinates come from
   formulas and no element is replicated. */
struct owner_parts {
    const struct weft_distribution *of;
    uint64_t same;
    uint32_t *part[WEFT_ARRAY_RANK]; /* [extent], summand by index; NULL if 0 */
};

/* Requesters of an element in the latest step with any, one bit each. */
struct asked_cell {
    uint64_t by;
    uint32_t step, most;
};

struct cell_counter {
    struct weft_array_plane plane;
    uint64_t columns; /* cells in a row */
    uint32_t (*cells)[WEFT_REFERENCE_KINDS];
    bool full;
    struct array_work work;
    struct asked_cell *asked_cells; /* for requesters; else NULL */
    struct owner_parts parts[4];    /* cache across patterns; the oldest is replaced */
    size_t next_parts;

    /* For the current pattern. */
    struct count_roles roles;
    const struct owner_parts *served, *asked; /* NULL if the processor is always the same */
};

/* ---- Owners ---- */

static bool has_parts(const struct weft_distribution *distribution,
                      const struct weft_array *array)
{
    for (uint32_t a = 0; a < distribution->rank; a++) {
        const struct weft_distribution_axis *axis = &distribution->axis[a];
        if (axis->kind == WEFT_AXIS_REPLICATED
            || (axis->kind == WEFT_AXIS_ARRAY && array->shape[axis->dimension] > PARTS_MAX))
            return false;
    }
    return !distribution->map;
}

static void free_parts(struct owner_parts *parts)
{
    for (size_t d = 0; d < WEFT_ARRAY_RANK; d++)
        free(parts->part[d]);
    *parts = (struct owner_parts){ .of = NULL };
}

static void make_parts(struct cell_counter *counter, struct owner_parts *parts,
                       const struct weft_distribution *of, const struct weft_array *array)
{
    uint64_t weight = 1;
    parts->of = of;
    for (uint32_t a = of->rank; a-- > 0; weight *= of->extent[a]) {
        const struct weft_distribution_axis *axis = &of->axis[a];
        if (axis->kind != WEFT_AXIS_ARRAY) {
            parts->same += weight * axis->coordinate;
            continue;
        }
        uint64_t n = array->shape[axis->dimension];
        uint32_t **part = &parts->part[axis->dimension];
        if (!*part)
            *part = weft_zalloc(n, sizeof **part);
        for (uint64_t i = 0; i < n && array_work_report(&counter->work, 1); i++)
            (*part)[i] += (uint32_t)(weight * weft_distribution_coordinate(axis, i));
    }
}

static const struct owner_parts *parts_of(struct cell_counter *counter,
                                          const struct weft_distribution *of,
                                          const struct weft_array *array)
{
    const size_t n = sizeof counter->parts / sizeof *counter->parts;
    for (size_t i = 0; i < n; i++)
        if (counter->parts[i].of == of)
            return &counter->parts[i];
    struct owner_parts *parts;
    do { /* skip the entry that the pattern's servers use */
        parts = &counter->parts[counter->next_parts];
        counter->next_parts = (counter->next_parts + 1) % n;
    } while (parts == counter->served);
    free_parts(parts);
    make_parts(counter, parts, of, array);
    return parts;
}

static uint64_t owner_of(const struct owner_parts *parts, const uint64_t *index,
                         uint32_t rank)
{
    uint64_t owner = parts->same;
    for (uint32_t d = 0; d < rank; d++)
        owner += parts->part[d] ? parts->part[d][index[d]] : 0;
    return owner;
}

/* ---- Cells ---- */

static void add_to(struct cell_counter *counter, uint32_t *count, uint64_t more)
{
    uint64_t sum = *count + more;
    if (sum < more || sum > UINT32_MAX) {
        counter->full = true;
        sum = UINT32_MAX;
    }
    *count = (uint32_t)sum;
}

static bool in_plane(const struct cell_counter *counter, const uint64_t *index)
{
    const struct weft_array_plane *plane = &counter->plane;
    for (uint32_t d = 0; d < counter->roles.array->rank; d++)
        if (d != plane->row_dimension && d != plane->column_dimension
            && index[d] != plane->index[d])
            return false;
    return true;
}

static uint64_t number_of_cell(const struct cell_counter *counter, const uint64_t *index)
{
    const struct weft_array_plane *plane = &counter->plane;
    uint64_t row = plane->row_dimension == WEFT_NONE ? 0 : index[plane->row_dimension];
    uint64_t column = index[plane->column_dimension];
    return (row >> plane->shift) * counter->columns + (column >> plane->shift);
}

static uint32_t *cell_at(const struct cell_counter *counter, const uint64_t *index)
{
    return counter->cells[number_of_cell(counter, index)];
}

static void ask_for(struct cell_counter *counter, uint64_t cell, uint64_t requester)
{
    struct asked_cell *asked = &counter->asked_cells[cell];
    if (asked->step != counter->roles.pattern.step) {
        asked->step = counter->roles.pattern.step;
        asked->by = 0;
    }
    asked->by |= UINT64_C(1) << requester;
    uint32_t n = (uint32_t)__builtin_popcountll(asked->by);
    asked->most = n > asked->most ? n : asked->most;
}

static bool is_local(const struct cell_counter *counter, const uint64_t *element,
                     const uint64_t *owner)
{
    const struct count_roles *roles = &counter->roles;
    if (roles->local >= 0 || roles->self) /* with SELF alone, LOCAL is -1: all local */
        return roles->local != 0;
    uint64_t server = counter->served
                          ? owner_of(counter->served, element, roles->array->rank)
                          : roles->server;
    uint64_t asks = counter->asked
                        ? owner_of(counter->asked, owner, roles->owner_array->rank)
                        : (uint64_t)roles->requester;
    return server == asks;
}

static uint64_t requester_of(const struct cell_counter *counter, const uint64_t *element,
                             const uint64_t *owner)
{
    const struct count_roles *roles = &counter->roles;
    if (roles->self)
        return counter->served ? owner_of(counter->served, element, roles->array->rank)
                               : roles->server;
    return counter->asked ? owner_of(counter->asked, owner, roles->owner_array->rank)
                          : (uint64_t)roles->requester;
}

/* ---- The turns of a box ---- */

/* The only dimension in which a stride is not 0; RANK if none, WEFT_NONE if several. */
static uint32_t only_dimension(const int64_t *stride, uint32_t rank)
{
    uint32_t found = rank;
    for (uint32_t d = 0; d < rank; d++)
        if (stride[d]) {
            if (found != rank)
                return WEFT_NONE;
            found = d;
        }
    return found;
}

static void move(uint64_t *index, const int64_t *stride, uint32_t rank)
{
    for (uint32_t d = 0; d < rank; d++)
        index[d] += (uint64_t)stride[d];
}

static void move_back(uint64_t *index, const int64_t *stride, uint32_t rank, uint64_t turns)
{
    for (uint32_t d = 0; d < rank; d++)
        index[d] -= turns * (uint64_t)stride[d];
}

/* Counts a run of iterations from one element on, with any stride. */
static void count_run(struct cell_counter *counter, const struct array_box *box, int loop,
                      const uint64_t *from, const uint64_t *owner_from)
{
    const struct count_roles *roles = &counter->roles;
    uint32_t rank = roles->array->rank;
    uint32_t owner_rank = roles->owner_array ? roles->owner_array->rank : 0;
    uint64_t element[WEFT_ARRAY_RANK], owner[WEFT_ARRAY_RANK];
    memcpy(element, from, sizeof element);
    memcpy(owner, owner_from, sizeof owner);
    for (uint64_t i = 0;; i++) {
        if (!array_work_report(&counter->work, 1))
            return;
        if (in_plane(counter, element) && counter->asked_cells)
            ask_for(counter, number_of_cell(counter, element),
                    requester_of(counter, element, owner));
        else if (in_plane(counter, element))
            add_to(counter,
                   &cell_at(counter,
                            element)[count_kind(roles, is_local(counter, element, owner))],
                   roles->pattern.times);
        if (loop < 0 || i + 1 == box->extent[loop])
            return;
        move(element, box->stride[loop], rank);
        move(owner, box->owner_stride[loop], owner_rank);
    }
}

/* Iterates over one side's summand of the processor's number. */
struct summand_iterator {
    const uint32_t *part; /* NULL if constant */
    uint64_t same, at;
    int64_t stride;
};

static struct summand_iterator iterator_of(const struct owner_parts *parts,
                                           uint64_t otherwise, const uint64_t *index,
                                           const int64_t *stride, uint32_t rank,
                                           uint32_t dimension)
{
    struct summand_iterator iterator = { .same = otherwise };
    if (!parts)
        return iterator;
    iterator.same = owner_of(parts, index, rank);
    if (dimension >= rank || !parts->part[dimension])
        return iterator;
    iterator.part = parts->part[dimension];
    iterator.at = index[dimension];
    iterator.stride = stride[dimension];
    iterator.same -= iterator.part[iterator.at];
    return iterator;
}

static uint64_t number_at(const struct summand_iterator *iterator)
{
    return iterator->same + (iterator->part ? iterator->part[iterator->at] : 0);
}

/* Elements along a row or a column of the plane, or a single one repeatedly. */
struct line {
    uint64_t from;  /* cell of the first element */
    uint64_t at;    /* the element's index along the line */
    uint64_t step;  /* distance to the next index */
    uint64_t cells; /* distance between adjacent cells on the line */
    uint64_t turns;
};

static uint64_t cell_along(const struct cell_counter *counter, const struct line *line,
                           uint64_t at)
{
    unsigned shift = counter->plane.shift;
    return line->from + ((at >> shift) - (line->at >> shift)) * line->cells;
}

/* Called before iteration I of a line: accounts for the iterations up to the next check. */
static inline bool report_turns(struct cell_counter *counter, const struct line *line,
                                uint64_t i)
{
    uint64_t left = line->turns - i;
    return i % ARRAY_WORK_STRIDE != 0
           || array_work_report(&counter->work,
                                left < ARRAY_WORK_STRIDE ? left : ARRAY_WORK_STRIDE);
}

static void add_along(struct cell_counter *counter, const struct line *line, int fixed,
                      struct summand_iterator serves, struct summand_iterator asks)
{
    const struct weft_pattern *pattern = &counter->roles.pattern;
    uint64_t at = line->at;
    for (uint64_t i = 0; i < line->turns && report_turns(counter, line, i); i++) {
        bool local = fixed >= 0 ? fixed : number_at(&serves) == number_at(&asks);
        uint32_t *cell = counter->cells[cell_along(counter, line, at)];
        add_to(counter, &cell[count_kind(&counter->roles, local)], pattern->times);
        if (i + 1 == line->turns)
            break; /* the next position may be outside of the array */
        at += line->step;
        serves.at += (uint64_t)serves.stride;
        asks.at += (uint64_t)asks.stride;
    }
}

static void ask_along(struct cell_counter *counter, const struct line *line,
                      struct summand_iterator asks)
{
    uint64_t at = line->at;
    for (uint64_t i = 0; i < line->turns && report_turns(counter, line, i); i++) {
        ask_for(counter, cell_along(counter, line, at), number_at(&asks));
        if (i + 1 == line->turns)
            break;
        at += line->step;
        asks.at += (uint64_t)asks.stride;
    }
}

/*
 * Like count_run(), faster, if elements move along at most one dimension of the plane, and
 * owners along at most one of theirs, which is nearly always true.  Returns false if not.
 */
static bool count_straight_run(struct cell_counter *counter, const struct array_box *box,
                               int loop, const uint64_t *element, const uint64_t *owner)
{
    const struct count_roles *roles = &counter->roles;
    const struct weft_array_plane *plane = &counter->plane;
    uint32_t rank = roles->array->rank;
    uint32_t owner_rank = roles->owner_array ? roles->owner_array->rank : 0;
    uint32_t d = only_dimension(box->stride[loop], rank);
    uint32_t e = only_dimension(box->owner_stride[loop], owner_rank);
    bool on_row = d == plane->column_dimension, still = d == rank;
    if (d == WEFT_NONE || e == WEFT_NONE
        || (!on_row && !still && d != plane->row_dimension))
        return false;
    if (!in_plane(counter, element))
        return true;
    int fixed = roles->local < 0 && roles->self ? 1 : roles->local;
    struct summand_iterator serves =
        iterator_of(counter->served, roles->server, element, box->stride[loop], rank, d);
    struct summand_iterator asks =
        iterator_of(counter->asked, (uint64_t)roles->requester, owner,
                    box->owner_stride[loop], owner_rank, e);
    const struct line line = {
        .from = number_of_cell(counter, element),
        .at = still ? 0 : element[d],
        .step = still ? 0 : (uint64_t)box->stride[loop][d],
        .cells = on_row ? 1 : counter->columns,
        .turns = box->extent[loop],
    };
    if (counter->asked_cells)
        ask_along(counter, &line, roles->self ? serves : asks);
    else
        add_along(counter, &line, fixed, serves, asks);
    return true;
}

static bool count_box(void *user, const struct array_box *box)
{
    struct cell_counter *counter = user;
    const struct count_roles *roles = &counter->roles;
    uint32_t rank = roles->array->rank;
    uint32_t owner_rank = roles->owner_array ? roles->owner_array->rank : 0;
    uint64_t element[WEFT_ARRAY_RANK], owner[WEFT_ARRAY_RANK], at[ARRAY_BOX_LOOPS] = { 0 };
    memcpy(element, box->element, sizeof element);
    memcpy(owner, box->owner, sizeof owner);
    int inner = box->loops ? 0 : -1; /* the innermost loop, counted in runs */
    for (int k = 1; k < box->loops; k++)
        if (box->extent[k] > box->extent[inner])
            inner = k;
    for (;;) {
        if (inner < 0 || !count_straight_run(counter, box, inner, element, owner))
            count_run(counter, box, inner, element, owner);
        if (!array_work_report(&counter->work, 1))
            return false;
        int k = 0;
        for (; k < box->loops; k++) {
            if (k == inner)
                continue;
            move(element, box->stride[k], rank);
            move(owner, box->owner_stride[k], owner_rank);
            if (++at[k] < box->extent[k])
                break;
            move_back(element, box->stride[k], rank, at[k]);
            move_back(owner, box->owner_stride[k], owner_rank, at[k]);
            at[k] = 0;
        }
        if (k == box->loops)
            return true;
    }
}

/* ---- Patterns ---- */

/* Counts references one by one, for replicated elements and owners from a map. */
static bool count_one_by_one(struct cell_counter *counter)
{
    const struct count_roles *roles = &counter->roles;
    struct count_turn turn;
    count_turn_begin(&turn, &roles->pattern);
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        uint64_t index[WEFT_ARRAY_RANK], element = reference.element;
        for (uint32_t d = roles->array->rank; d-- > 0; element /= roles->array->shape[d])
            index[d] = element % roles->array->shape[d];
        if (in_plane(counter, index) && counter->asked_cells)
            ask_for(counter, number_of_cell(counter, index), (uint64_t)reference.requester);
        else if (in_plane(counter, index))
            add_to(counter, &cell_at(counter, index)[count_kind(roles, reference.local)],
                   roles->pattern.times);
        if (!array_work_report(&counter->work, 1))
            return false;
    } while (count_turn_next(&turn, &roles->pattern));
    return true;
}

static bool count_pattern(struct cell_counter *counter)
{
    const struct count_roles *roles = &counter->roles;
    bool depends = counter->asked_cells || (roles->local < 0 && !roles->self);
    counter->served = counter->asked = NULL;
    if (counter->asked_cells && !roles->self && !roles->asked_by && roles->requester < 0)
        return true; /* the requester is unknown */
    if (depends
        && ((roles->served_by && !has_parts(roles->served_by, roles->array))
            || (roles->asked_by && !has_parts(roles->asked_by, roles->owner_array))))
        return count_one_by_one(counter);
    if (depends && roles->served_by)
        counter->served = parts_of(counter, roles->served_by, roles->array);
    if (depends && roles->asked_by)
        counter->asked = parts_of(counter, roles->asked_by, roles->owner_array);
    return array_boxes(&roles->pattern, roles->array,
                       counter->asked ? roles->owner_array : NULL, count_box, counter);
}

static bool count_patterns(struct cell_counter *counter,
                           const struct weft_count_query *query, uint32_t array,
                           struct weft_job *job, struct weft_err *err)
{
    uint64_t first = weft_profile_first(query->profile, query->first_step);
    uint64_t after = weft_profile_first(query->profile, query->after_step);
    const struct weft_array *of = weft_profile_array(query->profile, array);
    const struct weft_array_plane *plane = &counter->plane;
    bool ok = true;
    array_work_begin(&counter->work, query->profile, job, NULL);
    counter->columns = weft_array_cells(of->shape[plane->column_dimension], plane->shift);
    for (uint64_t i = first; ok && i < after; i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(query->profile, i, &pattern);
        if (pattern.array != array)
            continue;
        counter->roles = count_roles_of(query, &pattern);
        ok = count_pattern(counter);
        if (ok && i % 1024 == 0)
            ok = weft_job_step(job, i - first, after - first, err);
    }
    for (size_t i = 0; i < sizeof counter->parts / sizeof *counter->parts; i++)
        free_parts(&counter->parts[i]);
    return array_work_end(&counter->work, err) && ok;
}

bool weft_count_cells(const struct weft_count_query *query, uint32_t array,
                      const struct weft_array_plane *plane,
                      uint32_t (*cells)[WEFT_REFERENCE_KINDS], bool *full,
                      struct weft_job *job, struct weft_err *err)
{
    struct cell_counter counter = { .plane = *plane, .cells = cells };
    bool ok = count_patterns(&counter, query, array, job, err);
    *full |= counter.full;
    return ok;
}

/* For many processors: counts all elements, and takes those of the plane. */
static bool count_many_requesters(const struct weft_count_query *query, uint32_t array,
                                  const struct weft_array_plane *plane, uint32_t *out,
                                  struct weft_job *job, struct weft_err *err)
{
    const struct weft_array *of = weft_profile_array(query->profile, array);
    uint32_t *all = weft_zalloc(weft_array_elements(of), sizeof *all);
    uint64_t first = 0, stride[WEFT_ARRAY_RANK], below = 1;
    for (uint32_t d = of->rank; d-- > 0; below *= of->shape[d]) {
        stride[d] = below;
        if (d != plane->row_dimension && d != plane->column_dimension)
            first += plane->index[d] * below;
    }
    bool vector = plane->row_dimension == WEFT_NONE;
    uint64_t rows = vector ? 1 : of->shape[plane->row_dimension];
    uint64_t columns = of->shape[plane->column_dimension];
    bool ok = weft_count_requesters(query, array, all, job, err);
    for (uint64_t r = 0; ok && r < rows; r++)
        for (uint64_t c = 0; c < columns; c++)
            out[r * columns + c] =
                all[first + (vector ? 0 : r * stride[plane->row_dimension])
                    + c * stride[plane->column_dimension]];
    free(all);
    return ok;
}

bool weft_count_plane_requesters(const struct weft_count_query *query, uint32_t array,
                                 const struct weft_array_plane *plane, uint32_t *out,
                                 struct weft_job *job, struct weft_err *err)
{
    const struct weft_array *of = weft_profile_array(query->profile, array);
    bool vector = plane->row_dimension == WEFT_NONE;
    uint64_t n =
        (vector ? 1 : of->shape[plane->row_dimension]) * of->shape[plane->column_dimension];
    if (weft_count_all_processors(query) > WEFT_FEW_PROCESSORS)
        return count_many_requesters(query, array, plane, out, job, err);
    struct cell_counter counter = { .plane = *plane };
    counter.asked_cells = weft_zalloc(n, sizeof *counter.asked_cells);
    bool ok = count_patterns(&counter, query, array, job, err);
    for (uint64_t i = 0; i < n; i++)
        out[i] = counter.asked_cells[i].most;
    free(counter.asked_cells);
    return ok;
}
