/* SPDX-License-Identifier: Apache-2.0 */
/* The family of references to arrays: makes the profile of the trace from its records. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/format/records.h"
#include "domains/arrays/join/row_major.h"
#include "domains/arrays/model/reference_profile.h"
#include "read/recording/join/join.h"

/* Limit of the patterns that renumbering makes: a record of a hundred bytes may become as
   many as the array has columns. */
enum { MAX_TURNED = 1 << 20 };

#define NUMBER(kind) ((kind)-WEFT_FIRST_KIND(WEFT_FAMILY_ARRAYS))

static const uint8_t words[] = {
    [NUMBER(WEFT_RECORD_ARRAY)] = 2,
    [NUMBER(WEFT_RECORD_ARRAY_MEMORY)] = 2,
    [NUMBER(WEFT_RECORD_ARRAY_STEP)] = 1,
    [NUMBER(WEFT_RECORD_ARRAY_PATTERN)] = WEFT_RECORD_PATTERN_WORDS,
    [NUMBER(WEFT_RECORD_ARRAY_LOST)] = 1,
};

/* An array of an image; added to the profile at its first reference. */
struct declared_array {
    uint32_t image, number;
    uint32_t in_profile; /* its number in the profile; WEFT_NONE before that */
    int64_t time;
    struct weft_array array;
};

struct array_key {
    uint32_t image, number;
};

struct arrays_join {
    struct join *join;
    struct weft_profile_writer *writer;
    uint32_t image; /* image of the profile and the root of its forks, or WEFT_NONE */
    struct declared_array *declared;
    size_t n_declared, capacity;
    struct weft_text_map numbers; /* from struct array_key to the latest in declared */
    uint32_t room;                /* patterns that renumbering may still make */
    struct join_place
        undeclared; /* threads that refer to an array whose declaration was not read yet */
    uint32_t step;
    uint32_t latest; /* latest step with references */
    int64_t last;    /* time of the latest record */
    uint64_t lost[WEFT_ARRAY_LOSSES];
    uint64_t outside, scattered, unknown, others;
    bool referred; /* there was a reference to an array */
};

static void *begin(struct join *join)
{
    struct arrays_join *arrays = weft_zalloc(1, sizeof *arrays);

    arrays->join = join;
    arrays->image = WEFT_NONE;
    arrays->room = MAX_TURNED;
    return arrays;
}

/* ---- Arrays ---- */

/* Returns true if the image is, or was forked (also indirectly) from, a given one. */
static bool is_of(const struct arrays_join *arrays, uint32_t image, uint32_t from)
{
    while (image != from && image != WEFT_NONE)
        image = arrays->join->recording->images[image].inherits;
    return image == from && image != WEFT_NONE;
}

/*
 * Finds the array of the image, else of the images it was forked from; NULL if none has it.
 */
static struct declared_array *find_array(struct arrays_join *arrays, uint32_t image,
                                         uint32_t number)
{
    while (image != WEFT_NONE) {
        struct array_key key = { image, number };
        uint32_t index = weft_text_map_get(&arrays->numbers, &key, sizeof key);
        if (index != WEFT_MAP_NONE)
            return &arrays->declared[index];
        image = arrays->join->recording->images[image].inherits;
    }
    return NULL;
}

static void declare(struct arrays_join *arrays, const struct join_thread *thread,
                    const struct record *record, int64_t time)
{
    uint32_t number = (uint32_t)record->words[0];
    uint32_t rank = (uint32_t)(record->words[0] >> 32) & 0xff;
    struct array_key key = { thread->image, number };
    struct declared_array *declared;
    char text[RECORD_TEXT];

    if (rank < 1 || rank > WEFT_ARRAY_RANK || record->n_words < 1 + rank) {
        arrays->unknown++;
        return;
    }
    if (arrays->image == WEFT_NONE)
        arrays->image = thread->image;
    arrays->declared = weft_grow(arrays->declared, &arrays->capacity,
                                 arrays->n_declared + 1, sizeof *arrays->declared);
    weft_text_map_put(&arrays->numbers, &key, sizeof key, (uint32_t)arrays->n_declared);
    declared = &arrays->declared[arrays->n_declared++];
    *declared = (struct declared_array){
        .image = thread->image,
        .number = number,
        .in_profile = WEFT_NONE,
        .time = time,
        .array = { .rank = rank,
                   .element_bytes = sizeof(double),
                   .name = weft_arena_strdup(&arrays->join->arena,
                                             record_text(record, 1 + rank, text)) }
    };
    for (uint32_t i = 0; i < rank; i++)
        declared->array.shape[i] = record->words[1 + i];
    join_let_go(arrays->join, &arrays->undeclared, time);
}

static void place(struct arrays_join *arrays, const struct join_thread *thread,
                  const struct record *record)
{
    struct declared_array *declared = find_array(arrays, thread->image, record->argument);

    if (!declared)
        return;
    if (record->words[0] > 0)
        declared->array.element_bytes = record->words[0];
    declared->array.column_major = record->words[1] != 0;
}

/* Its number in the profile; WEFT_NONE if it is invalid there. */
static uint32_t number_in_profile(struct arrays_join *arrays,
                                  struct declared_array *declared)
{
    struct join *join = arrays->join;

    if (!arrays->writer)
        arrays->writer = weft_profile_writer_new(
            join->builder,
            join->processes[join->recording->images[arrays->image].process].container,
            join->process_type);
    if (declared->in_profile == WEFT_NONE)
        declared->in_profile =
            weft_profile_writer_array(arrays->writer, &declared->array, declared->time);
    return declared->in_profile;
}

/* ---- References ---- */

static void give(void *user, const struct weft_pattern *pattern)
{
    struct arrays_join *arrays = user;

    if (!weft_profile_writer_add(arrays->writer, pattern))
        arrays->outside++;
}

/* The number of loops in a record of a pattern; too many mean that it is damaged. */
static uint32_t loops_of(const struct record *record)
{
    uint32_t loops = (uint32_t)(record->words[0] >> 32) & 0xff;

    return loops <= WEFT_PATTERN_LOOPS
                   && record->n_words >= WEFT_RECORD_PATTERN_WORDS + 3 * loops
               ? loops
               : UINT32_MAX;
}

static struct weft_pattern pattern_of(const struct record *record, uint32_t loops)
{
    struct weft_pattern pattern = {
        .step = (uint32_t)record->words[0],
        .operation = (record->words[0] >> 40 & 0xff) != 0 ? WEFT_REFERENCE_WRITE
                                                          : WEFT_REFERENCE_READ,
        .owner_processor = -1,
        .requester_processor = -1,
        .local = -1,
        .times = record->words[3],
        .element = record->words[4],
        .owner = record->words[5],
    };
    const uint64_t *loop = record->words + WEFT_RECORD_PATTERN_WORDS;

    for (uint32_t i = 0; i < WEFT_PATTERN_LOOPS; i++) {
        pattern.extent[i] = i < loops ? loop[3 * i] : 1;
        pattern.stride[i] = i < loops ? (int64_t)loop[3 * i + 1] : 0;
        pattern.owner_stride[i] = i < loops ? (int64_t)loop[3 * i + 2] : 0;
    }
    return pattern;
}

/*
 * Adds a pattern, after converting column-major numbers to row-major ones: those of
 * elements if BY_COLUMNS, their array, is not NULL, and those of owners if OWNER is not
 * NULL.
 */
static void add(struct arrays_join *arrays, const struct weft_pattern *pattern,
                const struct weft_array *by_columns, const struct weft_array *owner)
{
    if (!by_columns && !owner) {
        give(arrays, pattern);
        return;
    }
    switch (order_by_rows(pattern, by_columns, owner, &arrays->room, give, arrays)) {
    case ORDER_OUTSIDE: arrays->outside++; break;
    case ORDER_SCATTERED: arrays->scattered++; break;
    default: break;
    }
}

/* Returns false if one of its arrays has not been declared. */
static bool refer(struct arrays_join *arrays, const struct join_thread *thread,
                  const struct record *record)
{
    uint32_t loops = loops_of(record), of = (uint32_t)record->words[1] & 0xffff;
    uint32_t order = (uint32_t)(record->words[1] >> 16);
    struct declared_array *array, *owner = NULL;
    struct weft_pattern pattern;

    if (loops == UINT32_MAX) {
        arrays->unknown++;
        return true;
    }
    array = find_array(arrays, thread->image, (uint32_t)(record->words[0] >> 48));
    if (of != WEFT_RECORD_ARRAY_UNKNOWN)
        owner = find_array(arrays, thread->image, of);
    if (!array || (!owner && of != WEFT_RECORD_ARRAY_UNKNOWN))
        return false;
    if (!is_of(arrays, thread->image, arrays->image)) {
        arrays->others++;
        return true;
    }
    arrays->referred = true;
    pattern = pattern_of(record, loops);
    arrays->latest = pattern.step > arrays->latest ? pattern.step : arrays->latest;
    pattern.array = number_in_profile(arrays, array);
    pattern.owner_array = owner ? number_in_profile(arrays, owner) : WEFT_NONE;
    pattern.site = sites_find(arrays->join->sites, thread->image, record->words[2]);
    if (pattern.array == WEFT_NONE || (owner && pattern.owner_array == WEFT_NONE))
        arrays->outside++;
    else
        add(arrays, &pattern, order & WEFT_ARRAY_BY_COLUMNS ? &array->array : NULL,
            owner && order & WEFT_ARRAY_OWNER_BY_COLUMNS ? &owner->array : NULL);
    return true;
}

/* Begins a step, which ends the steps before. */
static void begin_step(struct arrays_join *arrays, const struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    uint64_t step = record->words[0];

    if (step <= arrays->step
        || (arrays->image != WEFT_NONE && !is_of(arrays, thread->image, arrays->image)))
        return;
    if (step >= WEFT_PROFILE_STEPS) {
        arrays->outside++;
        return;
    }
    if (arrays->image != WEFT_NONE && arrays->n_declared > 0) {
        (void)number_in_profile(arrays, &arrays->declared[0]);
        /* Skipped steps end with the one before them. */
        weft_profile_writer_step(arrays->writer, arrays->step, time);
    }
    arrays->step = (uint32_t)step;
}

static struct join_place *join_record(void *user, struct join_thread *thread,
                                      const struct record *record, int64_t time)
{
    struct arrays_join *arrays = user;

    arrays->last = time;
    switch (record->kind) {
    case WEFT_RECORD_ARRAY: declare(arrays, thread, record, time); break;
    case WEFT_RECORD_ARRAY_MEMORY: place(arrays, thread, record); break;
    case WEFT_RECORD_ARRAY_STEP: begin_step(arrays, thread, record, time); break;
    case WEFT_RECORD_ARRAY_PATTERN:
        if (refer(arrays, thread, record))
            break;
        if (!thread->forced)
            return &arrays->undeclared;
        arrays->unknown++;
        break;
    case WEFT_RECORD_ARRAY_LOST:
        if (record->argument < WEFT_ARRAY_LOSSES)
            arrays->lost[record->argument] += record->words[0];
        break;
    default: break;
    }
    return NULL;
}

/* ---- The end ---- */

static void report(struct arrays_join *arrays, const char *kind, uint64_t n,
                   const char *what)
{
    if (n > 0)
        weft_builder_problem(arrays->join->builder, WEFT_WARNING, kind, 0, "%" PRIu64 " %s",
                             n, what);
}

static void finish(void *user)
{
    struct arrays_join *arrays = user;
    const uint64_t *lost = arrays->lost;
    uint64_t impossible = 0;

    /* Declared arrays without references are in the profile, too. */
    for (size_t i = 0; i < arrays->n_declared; i++)
        if (is_of(arrays, arrays->declared[i].image, arrays->image))
            impossible += number_in_profile(arrays, &arrays->declared[i]) == WEFT_NONE;
    report(arrays, "references-outside", lost[WEFT_ARRAY_OUTSIDE] + arrays->outside,
           "references to arrays name indices outside of them, a step before 0 or beyond "
           "16,777,215, or no operation that there is: they are left out");
    report(
        arrays, "references-scattered", arrays->scattered,
        "patterns of references to arrays that lie column by column fall into more parts "
        "than are kept: what is beyond 1,048,576 of them is left out");
    report(arrays, "references-without-array",
           lost[WEFT_ARRAY_UNDECLARED] + arrays->unknown,
           "references are to no array that was declared before: they are left out");
    report(arrays, "array-of-two-shapes", lost[WEFT_ARRAY_OTHER_SHAPE] + impossible,
           "declarations of arrays have no shape that can be, or another one than before: "
           "they are left out");
    report(arrays, "references-interrupted", lost[WEFT_ARRAY_INTERRUPTED],
           "references of signal handlers came when others were being recorded: they are "
           "left out");
    report(
        arrays, "other-hooks", lost[WEFT_ARRAY_OTHER_HOOKS],
        "libraries with hooks cannot be recorded: they are linked with another version's "
        "libweft-array (link them again), or are too many");
    report(arrays, "other-profiles", arrays->others,
           "patterns of references are of other processes: a trace has the references of "
           "the first that declared an array");
    if (arrays->n_declared > 0 && !arrays->referred)
        report(arrays, "arrays-without-references", arrays->n_declared,
               "arrays are declared, and nothing refers to them: TRACE says what does; or "
               "the program has hooks, says where they lie by weft_array_at(), and is "
               "recorded --with arrays");
    /* The step that began last counts only if it has references. */
    if (arrays->writer && arrays->latest >= arrays->step)
        weft_profile_writer_step(arrays->writer, arrays->step, arrays->last);
}

static bool write_profile(void *user, struct weft_job *job, struct weft_err *err)
{
    struct arrays_join *arrays = user;
    struct weft_profile_writer *writer = arrays->writer;

    arrays->writer = NULL;
    return !writer || weft_profile_writer_finish(writer, job, err);
}

static void end(void *user)
{
    struct arrays_join *arrays = user;

    weft_profile_writer_abandon(arrays->writer);
    weft_text_map_free(&arrays->numbers);
    free(arrays->declared);
    free(arrays);
}

extern const struct join_family join_arrays;
const struct join_family join_arrays = {
    .number = WEFT_FAMILY_ARRAYS,
    .kinds = { words, NUMBER(WEFT_RECORD_ARRAYS_END) },
    .begin = begin,
    .join_record = join_record,
    .finish = finish,
    .write = write_profile,
    .end = end,
};
