/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/view/view_skeleton.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/view/prepared.h"

bool arrays_fills(const struct weft_set *set)
{
    return weft_profile_fills(set->sources[0]);
}

/* ---- Quantities ---- */

static size_t place_of_choice(const char *choices, const char *text)
{
    size_t place = 0, length = strlen(text);
    for (const char *at = choices; *at; place++) {
        size_t n = strcspn(at, "|");
        if (n == length && memcmp(at, text, n) == 0)
            break;
        at += n + (at[n] == '|');
    }
    return place;
}

enum arrays_quantity arrays_quantity_of(const char *text)
{
    return (enum arrays_quantity)place_of_choice(ARRAYS_QUANTITY_CHOICES, text);
}

enum arrays_statistic arrays_statistic_of(const char *text)
{
    return (enum arrays_statistic)place_of_choice("cumulative|average|step", text);
}

const char *arrays_quantity_name(enum arrays_quantity quantity)
{
    static const char *const names[ARRAYS_QUANTITIES] = {
        [ARRAYS_ALL] = "all references",
        [ARRAYS_READS] = "reads",
        [ARRAYS_WRITES] = "writes",
        [ARRAYS_LOCAL] = "local references",
        [ARRAYS_REMOTE] = "remote references",
        [ARRAYS_LOCAL_READS] = "local reads",
        [ARRAYS_REMOTE_READS] = "remote reads",
        [ARRAYS_LOCAL_WRITES] = "local writes",
        [ARRAYS_REMOTE_WRITES] = "remote writes",
        [ARRAYS_UNOWNED_READS] = "reads for nobody",
    };
    return names[quantity];
}

const char *arrays_statistic_word(enum arrays_statistic statistic)
{
    static const char *const words[] = { "so far", "average", "in this step" };
    return words[statistic];
}

uint64_t arrays_quantity_value(enum arrays_quantity quantity,
                               const struct weft_reference_counts *counts)
{
    switch (quantity) {
    case ARRAYS_READS:
        return counts->local_reads + counts->remote_reads + counts->unowned_reads;
    case ARRAYS_WRITES: return counts->local_writes + counts->remote_writes;
    case ARRAYS_LOCAL: return counts->local_reads + counts->local_writes;
    case ARRAYS_REMOTE: return counts->remote_reads + counts->remote_writes;
    case ARRAYS_LOCAL_READS: return counts->local_reads;
    case ARRAYS_REMOTE_READS: return counts->remote_reads;
    case ARRAYS_LOCAL_WRITES: return counts->local_writes;
    case ARRAYS_REMOTE_WRITES: return counts->remote_writes;
    case ARRAYS_UNOWNED_READS: return counts->unowned_reads;
    case ARRAYS_ALL:
    case ARRAYS_QUANTITIES: break;
    }
    return counts->local_reads + counts->remote_reads + counts->local_writes
           + counts->remote_writes + counts->unowned_reads;
}

enum arrays_quantity arrays_quantity_scale(enum arrays_quantity quantity)
{
    switch (quantity) {
    case ARRAYS_READS:
    case ARRAYS_LOCAL_READS:
    case ARRAYS_REMOTE_READS:
    case ARRAYS_UNOWNED_READS: return ARRAYS_READS;
    case ARRAYS_WRITES:
    case ARRAYS_LOCAL_WRITES:
    case ARRAYS_REMOTE_WRITES: return ARRAYS_WRITES;
    default: return ARRAYS_ALL;
    }
}

/* ---- Settings ---- */

static const char *setting(const struct arrays_question *q, const char *name)
{
    return weft_setting(q->request, name);
}

/* Not every view of arrays has all parameters. */
static bool has_setting(const struct arrays_question *q, const char *name)
{
    for (size_t i = 0; i < q->request->view->n_parameters; i++)
        if (strcmp(q->request->view->parameters[i].name, name) == 0)
            return true;
    return false;
}

static bool read_array(struct arrays_question *q, bool all_arrays, struct weft_err *err)
{
    const char *name = setting(q, "array");
    if (weft_profile_arrays(q->profile) == 0)
        return weft_fail(err, WEFT_ERR_USAGE, "the trace declares no array");
    q->number = 0;
    if (all_arrays && strcmp(name, "*") == 0)
        q->number = WEFT_NONE;
    else if (*name)
        q->number = weft_profile_array_named(q->profile, name);
    if (*name && strcmp(name, "*") != 0 && q->number == WEFT_NONE) {
        char names[200] = "";
        for (uint32_t i = 0; i < weft_profile_arrays(q->profile); i++) {
            size_t used = strlen(names);
            const char *other = weft_profile_array(q->profile, i)->name;
            if (used + strlen(other) + 3 < sizeof names)
                strcat(strcat(names, i ? ", " : ""), other);
        }
        return weft_fail(err, WEFT_ERR_USAGE,
                         "array=%.60s: there is no such array (right: %s)", name, names);
    }
    if (strcmp(name, "*") == 0 && !all_arrays)
        return weft_fail(err, WEFT_ERR_USAGE, "array=*: %s shows one array at a time",
                         q->request->view->name);
    q->array = weft_profile_array(q->profile, q->number == WEFT_NONE ? 0 : q->number);
    return true;
}

static bool read_step(struct arrays_question *q, struct weft_err *err)
{
    const char *text = setting(q, "step");
    q->steps = weft_profile_steps(q->profile);
    q->step = q->steps - 1;
    if (!*text) {
        if (q->request->has_at)
            q->step = weft_profile_step_at(q->profile, q->request->at);
        q->step = q->step < q->steps ? q->step : q->steps - 1;
        return true;
    }
    char *end;
    errno = 0;
    unsigned long step = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || step >= q->steps)
        return weft_fail(err, WEFT_ERR_USAGE, "step=%.40s (right: 0 to %u)", text,
                         q->steps - 1);
    q->step = (uint32_t)step;
    return true;
}

static bool read_rule(struct arrays_question *q, struct weft_err *err)
{
    const char *rule = setting(q, "compute");
    double processor = weft_setting_number(q->request, "processor");
    q->rule = strcmp(rule, "left") == 0    ? WEFT_COMPUTE_OWNER_OF_LEFT
              : strcmp(rule, "right") == 0 ? WEFT_COMPUTE_OWNER_OF_RIGHT
                                           : WEFT_COMPUTE_PROCESSOR;
    /* Ignored settings must not change the cache key. */
    q->processor = q->rule == WEFT_COMPUTE_PROCESSOR ? (uint64_t)processor : 0;
    uint64_t own = q->distributions ? weft_distributions_processors(q->distributions) : 0;
    if (own && q->processor >= own)
        return weft_fail(err, WEFT_ERR_USAGE, "processor=%.0f (right: 0 to %llu)",
                         processor, (unsigned long long)own - 1);
    const struct weft_count_query query = arrays_query(q, 0);
    uint64_t n = weft_count_all_processors(&query);
    if (n > ARRAYS_PROCESSORS_MAX)
        return weft_fail(err, WEFT_ERR_LIMIT, "%llu processors (at most %u are shown)",
                         (unsigned long long)n, ARRAYS_PROCESSORS_MAX);
    q->processors = (uint32_t)n;
    return true;
}

/* Reads one item of `slice`: an index, or a star, whose index is 0. */
static bool read_index(const char **at, uint64_t extent, uint64_t *index, bool *star)
{
    char *end;
    *star = **at == '*';
    if (*star) {
        *index = 0;
        ++*at;
        return true;
    }
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *index = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *index < extent;
}

/* Fills in the indices, and in DRAWN the dimensions with a star; returns their number. */
static int read_slice(const struct arrays_question *q, const char *text, uint64_t *index,
                      uint32_t drawn[WEFT_ARRAY_RANK])
{
    const struct weft_array *array = q->array;
    int n = 0;
    for (uint32_t d = 0; d < array->rank; d++) {
        index[d] = 0;
        if (!*text && d + 2 < array->rank)
            continue;
        if (!*text) {
            drawn[n++] = d;
            continue;
        }
    }
    for (uint32_t d = 0; *text && d < array->rank; d++) {
        bool star;
        if (!read_index(&text, array->shape[d], &index[d], &star))
            return -1;
        if (star)
            drawn[n++] = d;
        if (d + 1 < array->rank && *text++ != ',')
            return -1;
        if (d + 1 == array->rank && *text)
            return -1;
    }
    return n;
}

static bool read_plane(struct arrays_question *q, struct weft_err *err)
{
    const struct weft_array *array = q->array;
    struct arrays_plane *plane = &q->plane;
    uint64_t stride[WEFT_ARRAY_RANK], of = 1;
    uint32_t drawn[WEFT_ARRAY_RANK];
    const char *text = has_setting(q, "slice") ? setting(q, "slice") : "";
    for (uint32_t d = array->rank; d-- > 0;) {
        stride[d] = of;
        of *= array->shape[d];
    }
    int n = read_slice(q, text, plane->index, drawn);
    if (n != (array->rank < 2 ? 1 : 2))
        return weft_fail(
            err, WEFT_ERR_USAGE,
            "slice=%.60s (right: for each of the %u dimensions of %.60s an index "
            "below its extent, and * for %s)",
            text, array->rank, array->name,
            array->rank < 2 ? "the only one" : "two of them");
    plane->row_dimension = n == 2 ? drawn[0] : WEFT_NONE;
    plane->column_dimension = drawn[n - 1];
    plane->rows = n == 2 ? array->shape[drawn[0]] : 1;
    plane->columns = array->shape[drawn[n - 1]];
    if (plane->rows > ARRAYS_ELEMENTS_MAX || plane->columns > ARRAYS_ELEMENTS_MAX)
        return weft_fail(err, WEFT_ERR_LIMIT,
                         "%.60s has %llu rows and %llu columns (at most %d are shown)",
                         array->name, (unsigned long long)plane->rows,
                         (unsigned long long)plane->columns, ARRAYS_ELEMENTS_MAX);
    plane->row_stride = n == 2 ? stride[drawn[0]] : 0;
    plane->column_stride = stride[drawn[n - 1]];
    plane->first = 0;
    for (uint32_t d = 0; d < array->rank; d++)
        plane->first += plane->index[d] * stride[d];
    return true;
}

/* ---- Owners ---- */

/* The factor of an axis's coordinate in a processor's number. */
static uint64_t weight_of_axis(const struct weft_distribution *distribution, uint32_t axis)
{
    uint64_t weight = 1;
    for (uint32_t a = axis + 1; a < distribution->rank; a++)
        weight *= distribution->extent[a];
    return weight;
}

/*
 * Each coordinate of a processor depends on one dimension, so owners are sums of two lists.
 */
static void read_owners(struct arrays_question *q)
{
    const struct weft_distribution *distribution = q->distribution;
    const struct arrays_plane *plane = &q->plane;
    if (distribution->map) {
        q->owners.of_element = distribution->map;
        return;
    }
    uint32_t *of_row = weft_arena_zalloc(q->arena, plane->rows, sizeof *of_row);
    uint32_t *of_column = weft_arena_zalloc(q->arena, plane->columns, sizeof *of_column);
    uint64_t same = 0;
    for (uint32_t a = 0; a < distribution->rank; a++) {
        const struct weft_distribution_axis *axis = &distribution->axis[a];
        uint64_t weight = weight_of_axis(distribution, a);
        if (axis->kind == WEFT_AXIS_ARRAY && axis->dimension == plane->row_dimension)
            for (uint64_t r = 0; r < plane->rows; r++)
                of_row[r] += (uint32_t)(weight * weft_distribution_coordinate(axis, r));
        else if (axis->kind == WEFT_AXIS_ARRAY
                 && axis->dimension == plane->column_dimension)
            for (uint64_t c = 0; c < plane->columns; c++)
                of_column[c] += (uint32_t)(weight * weft_distribution_coordinate(axis, c));
        else if (axis->kind == WEFT_AXIS_ARRAY)
            same +=
                weight * weft_distribution_coordinate(axis, plane->index[axis->dimension]);
        else if (axis->kind == WEFT_AXIS_CONSTANT)
            same += weight * axis->coordinate;
    }
    for (uint64_t r = 0; r < plane->rows; r++)
        of_row[r] += (uint32_t)same;
    q->owners.of_row = of_row;
    q->owners.of_column = of_column;
}

static bool read_distribution(struct arrays_question *q, struct weft_err *err)
{
    const char *text = setting(q, "distribution");
    q->text = "";
    if (strcmp(text, "found") != 0) {
        q->text = text;
        if (!(q->distributions = arrays_use_distributions(q->request->use, text, err)))
            return false;
        q->distribution = weft_distributions_of(
            q->distributions, q->number == WEFT_NONE ? 0 : q->number, q->step);
        q->known = q->distribution || q->number == WEFT_NONE;
        if (q->distribution)
            read_owners(q);
    } else if (weft_profile_as_found(q->profile)) {
        const struct arrays_found *found = arrays_use_found(
            q->request->use, q->number == WEFT_NONE ? 0 : q->number, q->step, err);
        if (!found)
            return false;
        q->owners.of_element = found->owner;
        q->known = true;
    }
    return true;
}

bool arrays_begin(struct arrays_question *q, const struct weft_request *request,
                  struct weft_err *err)
{
    bool all_arrays = arrays_display_of(request)->all_arrays;
    *q = (struct arrays_question){ .request = request, .arena = request->arena };
    q->schema = request->set->sources[0]->schema;
    q->profile = arrays_use_profile(request->use, err);
    bool ok = q->profile && read_array(q, all_arrays, err) && read_step(q, err)
              && read_plane(q, err) && read_distribution(q, err) && read_rule(q, err);
    if (ok && has_setting(q, "statistic"))
        q->statistic = arrays_statistic_of(setting(q, "statistic"));
    if (ok && has_setting(q, "quantity"))
        q->quantity = arrays_quantity_of(setting(q, "quantity"));
    ok = ok
         && (!has_setting(q, "lit")
             || weft_entity_set_parse(&q->lit, setting(q, "lit"), err));
    if (!ok)
        arrays_end(q);
    return ok;
}

void arrays_end(struct arrays_question *q)
{
    weft_entity_set_free(&q->lit);
}

const char *arrays_missing(const struct arrays_question *q)
{
    return q->known ? NULL
           : *q->text
               ? "The distribution says nothing of this array: give it a DISTRIBUTE or ALIGN."
               : "It needs a distribution: a file with lines like PROCESSORS P(2,8) and "
                 "DISTRIBUTE B(CYCLIC,CYCLIC) ONTO P (distribution=FILE).";
}

/* ---- What is asked ---- */

uint32_t arrays_first_step(const struct arrays_question *q, enum arrays_statistic statistic)
{
    return statistic == ARRAYS_STEP ? q->step : 0;
}

double arrays_divisor(const struct arrays_question *q, enum arrays_statistic statistic)
{
    return statistic == ARRAYS_AVERAGE ? (double)q->step + 1 : 1;
}

struct weft_count_query arrays_query(const struct arrays_question *q, uint32_t first)
{
    return (struct weft_count_query){ .profile = q->profile,
                                      .distributions = q->distributions,
                                      .rule = q->rule,
                                      .processor = q->processor,
                                      .first_step = first,
                                      .after_step = q->step + 1 };
}

struct arrays_arrangement arrays_arrangement(const struct arrays_question *q)
{
    enum { LONGEST_ROW = 32 }; /* processors in a vector that is not folded */
    const struct weft_distribution *distribution = q->distribution;
    struct arrays_arrangement of = { 1, q->processors, false };
    if (distribution && distribution->rank > 1
        && weft_distribution_processors(distribution) == q->processors) {
        of.columns = (uint32_t)distribution->extent[distribution->rank - 1];
        of.rows = q->processors / of.columns;
    } else if (q->processors > LONGEST_ROW) {
        of.folded = true;
        of.columns = LONGEST_ROW;
        while ((double)of.columns * of.columns < q->processors)
            of.columns *= 2;
        of.rows = (q->processors - 1) / of.columns + 1;
    }
    return of;
}

/* ---- Texts ---- */

const char *arrays_element_name(const struct arrays_question *q, uint64_t row,
                                uint64_t column)
{
    const char *name = q->array->name;
    for (uint32_t d = 0; d < q->array->rank; d++) {
        uint64_t index = d == q->plane.row_dimension      ? row
                         : d == q->plane.column_dimension ? column
                                                          : q->plane.index[d];
        name = weft_arena_printf(q->arena, "%s[%llu]", name, (unsigned long long)index);
    }
    return name;
}

const char *arrays_processor_name(const struct arrays_question *q, uint32_t processor)
{
    const struct weft_distribution *distribution = q->distribution;
    if (processor == WEFT_NONE)
        return "owner not known";
    const char *name = weft_arena_printf(q->arena, "processor %u", processor);
    if (!distribution || distribution->rank < 2)
        return name;
    uint64_t rest = processor;
    for (uint32_t a = 0; a < distribution->rank; a++) {
        uint64_t weight = weight_of_axis(distribution, a);
        name = weft_arena_printf(q->arena, "%s%s%llu", name, a ? "," : " (",
                                 (unsigned long long)(rest / weight));
        rest %= weight;
    }
    return weft_arena_printf(q->arena, "%s)", name);
}

/* Returns TITLE, and behind it the share of the reads for nobody. */
static const char *with_nobody(const struct arrays_question *q, const char *title)
{
    uint64_t nobody, reads = weft_profile_reads(q->profile, &nobody);
    if (!nobody || !q->known || q->rule != WEFT_COMPUTE_OWNER_OF_LEFT)
        return title;
    return weft_arena_printf(q->arena, "%s · %.1f %% of all reads are for nobody", title,
                             100 * (double)nobody / (double)reads);
}

const char *arrays_title(const struct arrays_question *q)
{
    if (q->number == WEFT_NONE)
        return with_nobody(q, weft_arena_printf(q->arena, "%u arrays on %u processors",
                                                weft_profile_arrays(q->profile),
                                                q->processors));
    const char *title = q->array->name;
    for (uint32_t d = 0; q->array->rank > 2 && d < q->array->rank; d++)
        title = d == q->plane.row_dimension || d == q->plane.column_dimension
                    ? weft_arena_printf(q->arena, "%s[*]", title)
                    : weft_arena_printf(q->arena, "%s[%llu]", title,
                                        (unsigned long long)q->plane.index[d]);
    for (uint32_t d = 0; d < q->array->rank; d++)
        title =
            weft_arena_printf(q->arena, "%s%s%s", title,
                              d                    ? " × "
                              : q->array->rank > 2 ? " of "
                                                   : " ",
                              weft_number_text(q->arena, (double)q->array->shape[d], 0));
    return with_nobody(q, weft_arena_printf(q->arena, "%s, %s", title,
                                            q->distribution ? q->distribution->text
                                            : q->known      ? "owners as the trace has them"
                                                            : "not distributed"));
}

const char *arrays_steps_text(const struct arrays_question *q,
                              enum arrays_statistic statistic)
{
    return weft_arena_printf(q->arena, "%s %u of 0 to %u",
                             statistic == ARRAYS_STEP      ? "step"
                             : statistic == ARRAYS_AVERAGE ? "average up to step"
                                                           : "up to step",
                             q->step, q->steps - 1);
}

const char *arrays_value_text(const struct arrays_question *q, double value)
{
    int decimals = value == floor(value) ? 0 : value < 1 ? 3 : value < 100 ? 2 : 0;
    return weft_number_text(q->arena, value, decimals);
}

void arrays_put_lines(struct arrays_question *q, struct weft_table *table,
                      const char *title)
{
    static const char mark[] = " · ";
    for (const char *at = title; at;) {
        const char *end = strstr(at, mark);
        const char *line =
            end ? weft_arena_printf(q->arena, "%.*s", (int)(end - at), at) : at;
        const struct weft_cell cells[] = { weft_text_cell(line), weft_text_cell("") };
        table->row(table, cells);
        at = end ? end + sizeof mark - 1 : NULL;
    }
}

void arrays_say_missing(struct arrays_question *q, struct weft_scene *scene,
                        const char *text)
{
    struct weft_frame frame;
    weft_frame_begin(&frame, scene, q->request, 0, false, NULL, 0, arrays_title(q));
    weft_frame_empty(&frame, text);
}

/* ---- Steps and moments ---- */

/* The first time at which the picture shows STEP. */
static int64_t moment_of_step(const struct arrays_question *q, uint32_t step)
{
    int64_t begin = q->schema->span.begin;
    int64_t at = step ? weft_profile_step_end(q->profile, step - 1) : begin;
    return at < begin ? begin : at;
}

void arrays_tell_steps(const struct arrays_question *q, struct weft_scene *scene)
{
    struct weft_scene_frame *frame = &scene->frame;
    frame->has_moments = true;
    frame->previous = frame->next = moment_of_step(q, q->step);
    /* Steps of no duration have no time of their own and are skipped. */
    for (uint32_t s = q->step; s-- > 0;) {
        int64_t at = moment_of_step(q, s);
        if (weft_profile_step_at(q->profile, at) < q->step) {
            frame->previous = at;
            break;
        }
    }
    for (uint32_t s = q->step + 1; s < q->steps; s++) {
        int64_t at = moment_of_step(q, s);
        if (weft_profile_step_at(q->profile, at) > q->step) {
            frame->next = at;
            break;
        }
    }
}

static struct weft_cell count_cell(const struct arrays_question *q, uint64_t value)
{
    return q->statistic == ARRAYS_AVERAGE
               ? weft_real_cell((double)value / arrays_divisor(q, q->statistic), 6)
               : weft_integer_cell((int64_t)value);
}

void arrays_count_cells(const struct arrays_question *q,
                        const struct weft_reference_counts *counts,
                        struct weft_cell cells[4], struct weft_cell *unowned)
{
    const uint64_t values[] = { counts->local_reads, counts->remote_reads,
                                counts->local_writes, counts->remote_writes };
    for (int i = 0; i < 4; i++)
        cells[i] = count_cell(q, values[i]);
    *unowned = count_cell(q, counts->unowned_reads);
}
