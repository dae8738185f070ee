/* SPDX-License-Identifier: Apache-2.0 */
/* Writes reference profiles: arrays as containers, steps as events, patterns in a grid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/arrays/model/pattern_check.h"
#include "domains/arrays/model/pattern_merge.h"
#include "domains/arrays/model/pattern_storage_columns.h"
#include "store/build/sort_runs.h"

struct step_end {
    uint32_t step;
    int64_t time;
};

struct weft_profile_writer {
    struct weft_builder *builder;
    uint32_t process;
    uint32_t array_type, step_type;
    uint32_t number, element_bytes, column_major; /* fields; and one for each dimension: */
    uint32_t shape[WEFT_ARRAY_RANK], arrangement[WEFT_ARRAY_RANK];
    struct weft_array *arrays;
    size_t n_arrays, array_capacity;
    uint32_t step_number; /* field of step events */
    struct step_end *ends;
    size_t n_ends, end_capacity;
    uint32_t *referred; /* steps with patterns, ascending */
    size_t n_referred, referred_capacity;
    uint64_t references;
    struct array_join *join;
    struct weft_spill patterns;  /* joined patterns */
    struct weft_sort_runs order; /* by step; index in the spill */
    uint64_t n_patterns;
};

static void keep(void *user, const struct weft_pattern *pattern)
{
    struct weft_profile_writer *writer = user;
    const char *folder = weft_builder_folder(writer->builder);
    weft_spill_append(&writer->patterns, folder, pattern, sizeof *pattern);
    weft_sort_runs_add(&writer->order, pattern->step, writer->n_patterns++);
}

static uint32_t new_type(struct weft_builder *builder, enum weft_kind kind, uint32_t parent,
                         const char *name, enum weft_role role)
{
    return weft_builder_type(builder, &(struct weft_type){ .kind = kind,
                                                           .parent = parent,
                                                           .name = name,
                                                           .role = role,
                                                           .start_type = WEFT_NONE,
                                                           .end_type = WEFT_NONE });
}

static uint32_t new_field(struct weft_builder *builder, uint32_t type, const char *name,
                          enum weft_role role)
{
    uint32_t field = weft_builder_field(builder, type, name, WEFT_FIELD_INTEGER);
    weft_builder_field_role(builder, field, role);
    return field;
}

static uint32_t new_fact(struct weft_profile_writer *writer, const char *name,
                         enum weft_role role)
{
    return new_field(writer->builder, writer->array_type, name, role);
}

struct weft_profile_writer *weft_profile_writer_new(struct weft_builder *builder,
                                                    uint32_t process, uint32_t process_type)
{
    struct weft_profile_writer *writer = weft_zalloc(1, sizeof *writer);
    writer->builder = builder;
    writer->process = process;
    writer->array_type =
        new_type(builder, WEFT_CONTAINER, process_type, "Array", WEFT_ROLE_ARRAY);
    writer->step_type = new_type(builder, WEFT_EVENT, process_type, "Step", WEFT_ROLE_STEP);
    writer->step_number = new_field(builder, writer->step_type, "number", WEFT_ROLE_NUMBER);
    writer->number = new_fact(writer, "number", WEFT_ROLE_NUMBER);
    writer->element_bytes = new_fact(writer, "element bytes", WEFT_ROLE_ELEMENT_BYTES);
    writer->column_major = new_fact(writer, "column major", WEFT_ROLE_COLUMN_MAJOR);
    for (int d = 0; d < WEFT_ARRAY_RANK; d++)
        writer->shape[d] = writer->arrangement[d] = WEFT_NONE;
    writer->join = array_join_new(keep, writer);
    weft_spill_init(&writer->patterns);
    weft_sort_runs_begin(&writer->order, weft_builder_folder(builder));
    return writer;
}

void weft_profile_writer_abandon(struct weft_profile_writer *writer)
{
    if (!writer)
        return;
    array_join_abandon(writer->join);
    weft_spill_free(&writer->patterns);
    weft_sort_runs_end(&writer->order);
    free(writer->arrays);
    free(writer->ends);
    free(writer->referred);
    free(writer);
}

/* ---- Arrays ---- */

static void add_fact(const struct weft_profile_writer *writer, uint32_t container,
                     uint32_t field, uint64_t value)
{
    weft_builder_container_field(
        writer->builder, container,
        &(struct weft_field_value){ .field = field, .integer = (int64_t)value });
}

/* Writes the extents; the field of a dimension is created when an array first has it. */
static void add_extents(struct weft_profile_writer *writer, uint32_t container,
                        const char *name, enum weft_role role, uint32_t *fields,
                        const uint64_t *extents, uint32_t n)
{
    for (uint32_t d = 0; d < n; d++) {
        char text[32];
        snprintf(text, sizeof text, "%s %u", name, d);
        if (fields[d] == WEFT_NONE)
            fields[d] = new_fact(writer, text, role);
        add_fact(writer, container, fields[d], extents[d]);
    }
}

uint32_t weft_profile_writer_array(struct weft_profile_writer *writer,
                                   const struct weft_array *array, int64_t time)
{
    if (writer->n_arrays == WEFT_PROFILE_ARRAYS || !array_shape_fits(array))
        return WEFT_NONE;
    writer->arrays = weft_grow(writer->arrays, &writer->array_capacity,
                               writer->n_arrays + 1, sizeof *writer->arrays);
    uint32_t number = (uint32_t)writer->n_arrays++;
    uint32_t container = weft_builder_container(writer->builder, writer->array_type,
                                                writer->process, array->name, NULL, time);
    writer->arrays[number] = *array;
    writer->arrays[number].name = NULL;
    add_fact(writer, container, writer->number, number);
    add_fact(writer, container, writer->element_bytes, array->element_bytes);
    if (array->column_major)
        add_fact(writer, container, writer->column_major, 1);
    add_extents(writer, container, "shape", WEFT_ROLE_SHAPE, writer->shape, array->shape,
                array->rank);
    add_extents(writer, container, "processors", WEFT_ROLE_ARRANGEMENT, writer->arrangement,
                array->arrangement, array->arrangement_rank);
    return number;
}

/* ---- Steps ---- */

void weft_profile_writer_step(struct weft_profile_writer *writer, uint32_t step,
                              int64_t time)
{
    if (step >= WEFT_PROFILE_STEPS)
        return;
    writer->ends = weft_grow(writer->ends, &writer->end_capacity, writer->n_ends + 1,
                             sizeof *writer->ends);
    writer->ends[writer->n_ends++] = (struct step_end){ step, weft_time_clamp(time) };
}

static int by_step(const void *left, const void *right)
{
    const struct step_end *a = left, *b = right;
    return WEFT_COMPARE(a->step, b->step) ?: WEFT_COMPARE(a->time, b->time);
}

struct step_writer {
    struct weft_profile_writer *writer;
    uint32_t track;
    int64_t step, time; /* step and time of the latest event */
};

static void write_end(struct step_writer *at, int64_t step, int64_t time)
{
    const struct weft_field_value number = { .field = at->writer->step_number,
                                             .integer = step };
    (void)weft_builder_event(at->writer->builder, at->track, time, WEFT_NONE, &number, 1,
                             NULL);
    at->step = step;
    at->time = time;
}

/*
 * Writes the ends of the steps between the latest event and STEP, which have none given:
 * for the first of them at FROM, for the last at TO; the reader interpolates the others.
 */
static void write_gap(struct step_writer *at, int64_t step, int64_t from, int64_t to)
{
    if (at->step + 1 < step - 1)
        write_end(at, at->step + 1, from);
    if (at->step + 1 < step)
        write_end(at, step - 1, to);
}

/*
 * Writes an event for the end of each step that has patterns or a given end; the latest end
 * given for a step counts.  For other steps it writes only the events needed: between two
 * ends the reader spreads steps evenly.
 */
static void write_steps(struct weft_profile_writer *writer)
{
    struct step_writer at = {
        .writer = writer,
        .track = weft_builder_track(writer->builder, writer->process, writer->step_type),
        .step = -1,
    };
    if (writer->n_ends) {
        qsort(writer->ends, writer->n_ends, sizeof *writer->ends, by_step);
        at.time = writer->ends[0].time;
    }
    for (size_t referred = 0, said = 0;
         referred < writer->n_referred || said < writer->n_ends;) {
        uint32_t step = UINT32_MAX;
        if (referred < writer->n_referred)
            step = writer->referred[referred];
        if (said < writer->n_ends && writer->ends[said].step < step)
            step = writer->ends[said].step;
        if (writer->n_ends)
            write_gap(&at, step, at.time, at.time);
        else
            write_gap(&at, step, at.step + 2, step);
        int64_t time = writer->n_ends ? at.time : (int64_t)step + 1;
        for (; said < writer->n_ends && writer->ends[said].step == step; said++)
            time = writer->ends[said].time > time ? writer->ends[said].time : time;
        if (referred < writer->n_referred && writer->referred[referred] == step)
            referred++;
        write_end(&at, step, time);
    }
}

/* ---- Patterns ---- */

bool weft_profile_writer_add(struct weft_profile_writer *writer,
                             const struct weft_pattern *pattern)
{
    struct weft_pattern normal = *pattern;
    if (!array_pattern_normalize(&normal, writer->arrays, (uint32_t)writer->n_arrays)
        || !array_count_references(&writer->references, &normal))
        return false;
    array_join_add(writer->join, &normal);
    return true;
}

static void write_row(struct weft_builder *builder, const struct weft_pattern *pattern)
{
    int64_t cells[ARRAY_COLUMNS] = { 0 };
    cells[ARRAY_STEP] = pattern->step;
    cells[ARRAY_FLAGS] = (int64_t)pattern->operation | (pattern->local + 1) << 1;
    cells[ARRAY_NUMBER] = pattern->array;
    cells[ARRAY_OWNER_NUMBER] =
        pattern->owner_array == WEFT_NONE ? 0 : (int64_t)pattern->owner_array + 1;
    cells[ARRAY_SITE] = pattern->site == WEFT_NONE ? 0 : (int64_t)pattern->site + 1;
    cells[ARRAY_TIMES] = (int64_t)pattern->times;
    cells[ARRAY_ELEMENT] = (int64_t)pattern->element;
    cells[ARRAY_OWNER] = (int64_t)pattern->owner;
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        cells[ARRAY_LOOPS + 3 * k] = (int64_t)pattern->extent[k] - 1;
        cells[ARRAY_LOOPS + 3 * k + 1] = pattern->stride[k];
        cells[ARRAY_LOOPS + 3 * k + 2] = pattern->owner_stride[k];
    }
    cells[ARRAY_OWNER_PROCESSOR] = pattern->owner_processor + 1;
    cells[ARRAY_REQUESTER_PROCESSOR] = pattern->requester_processor + 1;
    weft_builder_grid_row(builder, WEFT_GRID_ARRAY_PATTERNS, cells, ARRAY_COLUMNS);
}

static void note_step(struct weft_profile_writer *writer, uint32_t step)
{
    if (writer->n_referred && writer->referred[writer->n_referred - 1] == step)
        return;
    writer->referred = weft_grow(writer->referred, &writer->referred_capacity,
                                 writer->n_referred + 1, sizeof *writer->referred);
    writer->referred[writer->n_referred++] = step;
}

static bool write_patterns(struct weft_profile_writer *writer, struct weft_job *job,
                           struct weft_err *err)
{
    enum { BETWEEN = 4096 }; /* rows between two checks of the job */
    uint64_t size, done = 0;
    const struct weft_pattern *patterns = weft_spill_read(&writer->patterns, &size, err);
    writer->order.job = job;
    if (!patterns || !weft_sort_runs_merge(&writer->order, err))
        return false;
    struct weft_sort_item item;
    while (weft_sort_runs_next(&writer->order, &item)) {
        if (done % BETWEEN == 0 && !weft_job_step(job, done, writer->n_patterns, err))
            return false;
        write_row(writer->builder, &patterns[item.payload]);
        note_step(writer, patterns[item.payload].step);
        done++;
    }
    return true;
}

bool weft_profile_writer_finish(struct weft_profile_writer *writer, struct weft_job *job,
                                struct weft_err *err)
{
    array_join_finish(writer->join);
    writer->join = NULL;
    bool ok = write_patterns(writer, job, err);
    if (ok)
        write_steps(writer);
    weft_profile_writer_abandon(writer);
    return ok;
}
