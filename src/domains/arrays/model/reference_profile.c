/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/reference_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/hash_map.h"
#include "domains/arrays/model/pattern_check.h"
#include "domains/arrays/model/pattern_storage_columns.h"

/* Memory is used only for steps in the trace: a single step number may claim millions. */
struct step_end {
    uint32_t step;
    int64_t time;
};

struct step_begin {
    uint32_t step;
    uint64_t first; /* first of its patterns */
};

struct weft_profile {
    const struct weft_source *source;
    struct weft_array *arrays;
    uint32_t n_arrays;
    struct weft_id_map numbers; /* from array numbers in the file */
    uint32_t n_steps;
    struct step_end *ends; /* ends given in the trace, sorted by step */
    size_t n_ends;
    struct step_begin *begins; /* steps with patterns, sorted by step */
    size_t n_begins;
    uint64_t n, left_out;
    uint64_t *rows; /* [n], row in the grid of each pattern; NULL if pattern i is row i */
    bool as_found, nameless;
    uint64_t processors; /* highest processor named, + 1 */
    uint64_t reads, unowned_reads;
};

bool weft_profile_fills(const struct weft_source *source)
{
    return source->ops->grid_rows(source, WEFT_GRID_ARRAY_PATTERNS) != 0;
}

void weft_profile_close(struct weft_profile *profile)
{
    if (!profile)
        return;
    free(profile->arrays);
    weft_id_map_free(&profile->numbers);
    free(profile->ends);
    free(profile->begins);
    free(profile->rows);
    free(profile);
}

/* ---- Arrays ---- */

static bool arrangement_fits(const struct weft_array *array)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < array->arrangement_rank; d++) {
        if (!array->arrangement[d] || array->arrangement[d] > WEFT_PROFILE_PROCESSORS / n)
            return false;
        n *= array->arrangement[d];
    }
    return true;
}

static struct weft_array array_of(const struct weft_schema *schema, uint32_t container)
{
    size_t n;
    const struct weft_field_value *facts = weft_container_facts(schema, container, &n);
    struct weft_array array = { .name = schema->containers[container].name,
                                .element_bytes = 8,
                                .container = container };
    for (size_t i = 0; i < n; i++) {
        const struct weft_field *field = &schema->fields[facts[i].field];
        if (field->kind != WEFT_FIELD_INTEGER)
            continue;
        uint64_t value = facts[i].integer > 0 ? (uint64_t)facts[i].integer : 0;
        if (field->role == WEFT_ROLE_SHAPE && array.rank < WEFT_ARRAY_RANK)
            array.shape[array.rank++] = value;
        else if (field->role == WEFT_ROLE_ELEMENT_BYTES)
            array.element_bytes = value;
        else if (field->role == WEFT_ROLE_COLUMN_MAJOR)
            array.column_major = value == 1;
        else if (field->role == WEFT_ROLE_ARRANGEMENT
                 && array.arrangement_rank < WEFT_ARRAY_RANK)
            array.arrangement[array.arrangement_rank++] = value;
    }
    if (!arrangement_fits(&array))
        array.arrangement_rank = 0;
    return array;
}

static void find_arrays(struct weft_profile *profile)
{
    const struct weft_schema *schema = profile->source->schema;
    size_t capacity = 0;
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_field_value *number =
            weft_container_fact(schema, c, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER);
        uint32_t type = schema->containers[c].type;
        if (!number || !weft_role_is(schema->types[type].role, WEFT_ROLE_ARRAY)
            || profile->n_arrays == WEFT_PROFILE_ARRAYS)
            continue;
        struct weft_array array = array_of(schema, c);
        uint64_t key = (uint64_t)number->integer;
        if (!array_shape_fits(&array)
            || weft_id_map_get(&profile->numbers, key) != WEFT_MAP_NONE)
            continue;
        profile->arrays = weft_grow(profile->arrays, &capacity, profile->n_arrays + 1,
                                    sizeof *profile->arrays);
        weft_id_map_put(&profile->numbers, key, profile->n_arrays);
        profile->arrays[profile->n_arrays++] = array;
    }
}

/* ---- Patterns ---- */

static const unsigned char *block_of(const struct weft_profile *profile, uint64_t block)
{
    return profile->source->ops->grid_block(profile->source, WEFT_GRID_ARRAY_PATTERNS,
                                            block);
}

/* The array with a number in the file, which may be any value. */
static uint32_t array_number(const struct weft_profile *profile, int64_t number)
{
    return weft_id_map_get(&profile->numbers, (uint64_t)number);
}

/* Decodes a number that is stored + 1, with 0 for none. */
static int64_t number_or_none(int64_t cell)
{
    return cell <= 0 || cell > UINT32_MAX ? -1 : cell - 1;
}

/* Decodes a row; returns false if it is not a valid pattern. */
static bool decode(const struct weft_profile *profile, const unsigned char *block,
                   size_t row, struct weft_pattern *out)
{
    int64_t cells[ARRAY_COLUMNS];
    for (size_t c = 0; c < ARRAY_COLUMNS; c++)
        cells[c] = weft_grid_cell(block, c, row);
    int64_t step = cells[ARRAY_STEP], owner = number_or_none(cells[ARRAY_OWNER_NUMBER]);
    int64_t site = number_or_none(cells[ARRAY_SITE]), flags = cells[ARRAY_FLAGS];
    if (step < 0 || step >= WEFT_PROFILE_STEPS || flags < 0 || flags >> 1 > 2)
        return false;
    *out = (struct weft_pattern){
        .step = (uint32_t)step,
        .array = array_number(profile, cells[ARRAY_NUMBER]),
        .owner_array = owner < 0 ? WEFT_NONE : array_number(profile, owner),
        .operation = (enum weft_reference_operation)(flags & 1),
        .site = site < profile->source->schema->n_sites ? (uint32_t)site : WEFT_NONE,
        .owner_processor = number_or_none(cells[ARRAY_OWNER_PROCESSOR]),
        .requester_processor = number_or_none(cells[ARRAY_REQUESTER_PROCESSOR]),
        .local = (int8_t)((flags >> 1) - 1),
        .times = (uint64_t)cells[ARRAY_TIMES],
        .element = (uint64_t)cells[ARRAY_ELEMENT],
        .owner = (uint64_t)cells[ARRAY_OWNER],
    };
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        out->extent[k] = (uint64_t)cells[ARRAY_LOOPS + 3 * k] + 1;
        out->stride[k] = cells[ARRAY_LOOPS + 3 * k + 1];
        out->owner_stride[k] = cells[ARRAY_LOOPS + 3 * k + 2];
    }
    return array_pattern_normalize(out, profile->arrays, profile->n_arrays);
}

/* State of the check of all patterns. */
struct pattern_check {
    struct weft_profile *profile;
    uint64_t n_rows, references;
    size_t begin_capacity, row_capacity;
};

/*
 * Returns true if STEP is not before the step of the row before; rows are sorted by step.
 */
static bool follows(const struct weft_profile *profile, uint32_t step)
{
    return !profile->n_begins || step >= profile->begins[profile->n_begins - 1].step;
}

/* Notes that the next pattern is of STEP. */
static void begin_step(struct pattern_check *check, uint32_t step)
{
    struct weft_profile *profile = check->profile;
    if (profile->n_begins && profile->begins[profile->n_begins - 1].step == step)
        return;
    profile->begins = weft_grow(profile->begins, &check->begin_capacity,
                                profile->n_begins + 1, sizeof *profile->begins);
    profile->begins[profile->n_begins++] = (struct step_begin){ step, profile->n };
}

/* Begins the list of valid rows at the first row that is left out. */
static void leave_out(struct pattern_check *check)
{
    struct weft_profile *profile = check->profile;
    if (!profile->left_out++) {
        profile->rows =
            weft_grow(NULL, &check->row_capacity, check->n_rows, sizeof *profile->rows);
        for (uint64_t i = 0; i < profile->n; i++)
            profile->rows[i] = i;
    }
}

static void note_processors(struct weft_profile *profile,
                            const struct weft_pattern *pattern)
{
    int64_t highest = pattern->owner_processor > pattern->requester_processor
                          ? pattern->owner_processor
                          : pattern->requester_processor;
    profile->as_found |= pattern->owner_processor >= 0;
    profile->nameless |=
        pattern->owner_array == WEFT_NONE && pattern->requester_processor < 0;
    if (highest >= 0 && (uint64_t)highest >= profile->processors)
        profile->processors = (uint64_t)highest + 1;
}

static void note_reads(struct weft_profile *profile, const struct weft_pattern *pattern)
{
    uint64_t n = weft_pattern_references(pattern);
    if (pattern->operation != WEFT_REFERENCE_READ)
        return;
    profile->reads += n;
    if (weft_pattern_is_unowned(pattern))
        profile->unowned_reads += n;
}

uint64_t weft_profile_reads(const struct weft_profile *profile, uint64_t *unowned)
{
    *unowned = profile->unowned_reads;
    return profile->reads;
}

static void check_row(struct pattern_check *check, const unsigned char *block, uint64_t row)
{
    struct weft_profile *profile = check->profile;
    struct weft_pattern pattern;
    bool good = block && decode(profile, block, row % WEFT_BLOCK_ROWS, &pattern)
                && follows(profile, pattern.step)
                && array_count_references(&check->references, &pattern);
    if (!good) {
        leave_out(check);
        return;
    }
    begin_step(check, pattern.step);
    note_processors(profile, &pattern);
    note_reads(profile, &pattern);
    if (profile->rows)
        profile->rows[profile->n] = row;
    profile->n++;
}

static bool check_patterns(struct pattern_check *check, struct weft_job *job,
                           struct weft_err *err)
{
    const struct weft_profile *profile = check->profile;
    for (uint64_t row = 0; row < check->n_rows;) {
        if (!weft_job_step(job, row, check->n_rows, err))
            return false;
        const unsigned char *block = block_of(profile, row / WEFT_BLOCK_ROWS);
        uint64_t end = row + WEFT_BLOCK_ROWS;
        for (; row < end && row < check->n_rows; row++)
            check_row(check, block, row);
    }
    return true;
}

uint64_t weft_profile_patterns(const struct weft_profile *profile)
{
    return profile->n;
}

uint64_t weft_profile_left_out(const struct weft_profile *profile)
{
    return profile->left_out;
}

/* The number of steps before STEP with patterns. */
static size_t begins_before(const struct weft_profile *profile, uint32_t step)
{
    if (step < profile->n_begins && profile->begins[step].step == step)
        return step; /* true if every step has patterns */
    return WEFT_FIRST(i, 0, profile->n_begins, profile->begins[i].step >= step);
}

uint64_t weft_profile_first(const struct weft_profile *profile, uint32_t step)
{
    size_t at = begins_before(profile, step);
    return at < profile->n_begins ? profile->begins[at].first : profile->n;
}

uint32_t weft_profile_next_step(const struct weft_profile *profile, uint32_t step)
{
    size_t at = begins_before(profile, step);
    return at < profile->n_begins ? profile->begins[at].step : profile->n_steps;
}

void weft_profile_pattern(const struct weft_profile *profile, uint64_t number,
                          struct weft_pattern *out)
{
    uint64_t row = profile->rows ? profile->rows[number] : number;
    const unsigned char *block = block_of(profile, row / WEFT_BLOCK_ROWS);
    if (block && decode(profile, block, row % WEFT_BLOCK_ROWS, out)
        && out->step < profile->n_steps)
        return;
    /* The file was overwritten since it was checked: returns a pattern without effect. */
    *out = (struct weft_pattern){ .owner_array = WEFT_NONE,
                                  .site = WEFT_NONE,
                                  .owner_processor = -1,
                                  .requester_processor = -1,
                                  .local = -1 };
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
        out->extent[k] = 1;
}

/* ---- Steps ---- */

struct step_end_list {
    struct step_end *ends; /* by ordinal of their events; after number_ends() by step */
    size_t n, capacity;
    size_t numbered; /* ends that number_ends() has given their step, at the front */
    size_t at;       /* index of the next end to be numbered */
};

static bool add_step_end(void *user, const struct weft_event *event)
{
    struct step_end_list *list = user;
    uint64_t ordinal = weft_entity_ordinal(event->id);
    if (ordinal >= WEFT_PROFILE_STEPS)
        return false;
    list->ends = weft_grow(list->ends, &list->capacity, list->n + 1, sizeof *list->ends);
    list->ends[list->n++] = (struct step_end){ (uint32_t)ordinal, event->time };
    return true;
}

/* Compacts the ends that have a step number, in place; leaves out steps that do not
   increase. */
static bool number_ends(void *user, const struct weft_field_run *run)
{
    struct step_end_list *list = user;
    struct step_end *ends = list->ends;
    for (size_t i = 0; i < run->n; i++) {
        int64_t step = run->values[i], before = -1;
        if (list->numbered)
            before = ends[list->numbered - 1].step;
        while (list->at < list->n && ends[list->at].step < run->ordinals[i])
            list->at++;
        if (list->at == list->n)
            return false;
        if (ends[list->at].step != run->ordinals[i])
            continue;
        int64_t time = ends[list->at++].time;
        if (step > before && step < WEFT_PROFILE_STEPS)
            ends[list->numbered++] = (struct step_end){ (uint32_t)step, time };
    }
    return true;
}

/* The step ends in the events of a track; without a number field, each is the end of the
   next step. */
static struct step_end_list ends_of(const struct weft_source *source, uint32_t track)
{
    const struct weft_span all = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT - 1 };
    uint32_t type = source->schema->tracks[track].type;
    uint32_t field =
        weft_field_of_type(source->schema, type, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER);
    struct step_end_list list = { 0 };
    source->ops->events(source, track, all, add_step_end, &list);
    if (field != WEFT_NONE) {
        source->ops->column(source, track, field, number_ends, &list);
        list.n = list.numbered;
    }
    return list;
}

static void find_steps(struct weft_profile *profile)
{
    const struct weft_source *source = profile->source;
    const struct weft_schema *schema = source->schema;
    for (uint32_t t = 0; t < schema->n_tracks && !profile->n_ends; t++) {
        if (!weft_role_is(schema->types[schema->tracks[t].type].role, WEFT_ROLE_STEP))
            continue;
        struct step_end_list list = ends_of(source, t);
        free(profile->ends);
        profile->ends = list.ends;
        profile->n_ends = list.n;
    }
    profile->n_steps = 1;
    if (profile->n_begins)
        profile->n_steps = profile->begins[profile->n_begins - 1].step + 1;
    if (profile->n_ends && profile->ends[profile->n_ends - 1].step >= profile->n_steps)
        profile->n_steps = profile->ends[profile->n_ends - 1].step + 1;
}

uint32_t weft_profile_steps(const struct weft_profile *profile)
{
    return profile->n_steps;
}

/* Between two given ends, the steps are equally long. */
static int64_t between(const struct step_end *before, const struct step_end *after,
                       uint32_t step)
{
    if (after->time <= before->time)
        return before->time;
    uint64_t time = (uint64_t)after->time - (uint64_t)before->time;
    uint64_t n = after->step - before->step, part = step - before->step;
    return before->time + (int64_t)(time / n * part + time % n * part / n);
}

int64_t weft_profile_step_end(const struct weft_profile *profile, uint32_t step)
{
    const struct step_end *ends = profile->ends;
    if (step >= profile->n_steps)
        step = profile->n_steps - 1;
    if (step < profile->n_ends && ends[step].step == step)
        return ends[step].time; /* true if every step's end is given */
    size_t at = WEFT_FIRST(i, 0, profile->n_ends, ends[i].step >= step);
    if (at < profile->n_ends)
        return at == 0 || ends[at].step == step ? ends[at].time
                                                : between(&ends[at - 1], &ends[at], step);
    /* Steps after the last given end take one tick each. */
    if (!at)
        return weft_time_clamp(profile->source->schema->span.begin + step + 1);
    return weft_time_clamp(ends[at - 1].time + (step - ends[at - 1].step));
}

uint32_t weft_profile_step_at(const struct weft_profile *profile, int64_t time)
{
    return WEFT_FIRST(step, 0, profile->n_steps - 1,
                      weft_profile_step_end(profile, step) > time);
}

/* ---- All ---- */

struct weft_profile *weft_profile_open(const struct weft_source *source,
                                       struct weft_job *job, struct weft_err *err)
{
    uint64_t n_rows = source->ops->grid_rows(source, WEFT_GRID_ARRAY_PATTERNS);
    if (!n_rows) {
        weft_fail(err, WEFT_ERR_FORMAT, "the trace has no references to arrays");
        return NULL;
    }
    struct weft_profile *profile = weft_zalloc(1, sizeof *profile);
    profile->source = source;
    find_arrays(profile);
    struct pattern_check check = { .profile = profile, .n_rows = n_rows };
    if (!check_patterns(&check, job, err)) {
        weft_profile_close(profile);
        return NULL;
    }
    find_steps(profile);
    return profile;
}

uint32_t weft_profile_arrays(const struct weft_profile *profile)
{
    return profile->n_arrays;
}

const struct weft_array *weft_profile_array(const struct weft_profile *profile,
                                            uint32_t number)
{
    return &profile->arrays[number];
}

uint32_t weft_profile_array_named(const struct weft_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->n_arrays; i++)
        if (strcmp(profile->arrays[i].name, name) == 0)
            return i;
    return WEFT_NONE;
}

bool weft_profile_as_found(const struct weft_profile *profile)
{
    return profile->as_found;
}

bool weft_profile_names_requesters(const struct weft_profile *profile)
{
    return !profile->nameless;
}

uint64_t weft_profile_processors(const struct weft_profile *profile)
{
    return profile->processors;
}
