/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of the cells of a plane.  Counting visits patterns, which may take a second for
 * 10^9 references, but a frame has only milliseconds.  So counts are cached: for all steps
 * together if these fit into memory, else for the steps asked for.  Both have levels, each
 * with half as many rows and columns as the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/count_cells.h"
#include "domains/arrays/view/prepared_priv.h"

enum {
    LEVELS = 28,
    HISTORY_CELLS = 1 << 23, /* cells of all steps together, at the finest level: 160 MiB */
    HISTORY_STEPS = 1 << 16,
    HISTORY_SIDE = 64,      /* a coarser history is useless */
    COARSE_CELLS = 1 << 22, /* cells of one step, if the picture has no more pixels */
    MAX_CELLS = 1 << 27,    /* cells of one step at most: 3.5 GiB */
};
struct level {
    unsigned shift;
    uint64_t rows, columns;
    uint32_t (*counts)[WEFT_REFERENCE_KINDS]; /* [n_frames][rows][columns] */
    struct arrays_most *most;                 /* [n_frames] */
};

struct cell_counts {
    uint32_t n_frames; /* 1, or one for each step, from the first step up to it */
    size_t n_levels;
    struct level level[LEVELS];
    bool full;
};

struct cells_key {
    uint64_t processor, rows, columns, index[WEFT_ARRAY_RANK];
    uint32_t row_dimension, column_dimension;
    uint32_t array, rule, first, after; /* of a history, AFTER is all steps */
    uint32_t shift, history;
};

static uint64_t cells_of(const struct arrays_plane *plane, unsigned shift)
{
    return weft_array_cells(plane->rows, shift) * weft_array_cells(plane->columns, shift);
}

/* ---- Making ---- */

static uint32_t add_up(uint32_t a, uint64_t b, bool *full)
{
    uint64_t sum = a + b;
    *full |= sum < b || sum >= UINT32_MAX;
    return sum < b || sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/* Computes the coarser levels of a frame. */
static void reduce(struct cell_counts *counts, uint32_t frame)
{
    for (size_t l = 1; l < counts->n_levels; l++) {
        const struct level *fine = &counts->level[l - 1], *level = &counts->level[l];
        uint32_t(*from)[WEFT_REFERENCE_KINDS] =
            fine->counts + frame * fine->rows * fine->columns;
        uint32_t(*to)[WEFT_REFERENCE_KINDS] =
            level->counts + frame * level->rows * level->columns;
        for (uint64_t r = 0; r < fine->rows; r++)
            for (uint64_t c = 0; c < fine->columns; c++) {
                uint32_t *cell = to[(r >> 1) * level->columns + (c >> 1)];
                const uint32_t *part = from[r * fine->columns + c];
                for (int k = 0; k < WEFT_REFERENCE_KINDS; k++)
                    cell[k] = add_up(cell[k], part[k], &counts->full);
            }
    }
}

/* Raises each maximum to the cell's quantity (in the order of enum arrays_quantity). */
static void raise_most(uint64_t most[ARRAYS_QUANTITIES], const uint32_t *now,
                       const uint32_t *before)
{
    static const uint32_t none[WEFT_REFERENCE_KINDS];
    before = before ? before : none;
    uint64_t local_reads = now[0] - before[0], remote_reads = now[1] - before[1];
    uint64_t local_writes = now[2] - before[2], remote_writes = now[3] - before[3];
    uint64_t unowned = now[WEFT_UNOWNED_READS] - before[WEFT_UNOWNED_READS];
    const uint64_t values[ARRAYS_QUANTITIES] = {
        [ARRAYS_ALL] = local_reads + remote_reads + local_writes + remote_writes + unowned,
        [ARRAYS_READS] = local_reads + remote_reads + unowned,
        [ARRAYS_WRITES] = local_writes + remote_writes,
        [ARRAYS_LOCAL] = local_reads + local_writes,
        [ARRAYS_REMOTE] = remote_reads + remote_writes,
        [ARRAYS_LOCAL_READS] = local_reads,
        [ARRAYS_REMOTE_READS] = remote_reads,
        [ARRAYS_LOCAL_WRITES] = local_writes,
        [ARRAYS_REMOTE_WRITES] = remote_writes,
        [ARRAYS_UNOWNED_READS] = unowned,
    };
    for (int i = 0; i < ARRAYS_QUANTITIES; i++)
        most[i] = values[i] > most[i] ? values[i] : most[i];
}

/* Finds the maximum over cells of the mean of an element. */
static void find_most_of_cells(const struct level *level, const struct cells_key *key,
                               const uint32_t (*now)[WEFT_REFERENCE_KINDS],
                               const uint32_t (*before)[WEFT_REFERENCE_KINDS],
                               double most[ARRAYS_QUANTITIES])
{
    uint64_t full_rows = key->rows >> level->shift;
    uint64_t full_columns = key->columns >> level->shift;
    for (int part = 0; part < 4; part++) { /* whole cells; cut at the right; below; both */
        uint64_t r0 = part & 2 ? full_rows : 0, r1 = part & 2 ? level->rows : full_rows;
        uint64_t c0 = part & 1 ? full_columns : 0;
        uint64_t c1 = part & 1 ? level->columns : full_columns;
        uint64_t sums[ARRAYS_QUANTITIES] = { 0 };
        for (uint64_t r = r0; r < r1; r++)
            for (uint64_t c = c0; c < c1; c++) {
                size_t i = r * level->columns + c;
                raise_most(sums, now[i], before ? before[i] : NULL);
            }
        if (r0 == r1 || c0 == c1)
            continue;
        double elements = arrays_part(key->rows, r0, level->shift)
                          * arrays_part(key->columns, c0, level->shift);
        for (int i = 0; i < ARRAYS_QUANTITIES; i++)
            if ((double)sums[i] / elements > most[i])
                most[i] = (double)sums[i] / elements;
    }
}

/* Finds the maxima of the cells' means: of all steps so far, and of the step alone. */
static void find_most(struct cell_counts *counts, const struct cells_key *key,
                      uint32_t frame)
{
    for (size_t l = 0; l < counts->n_levels; l++) {
        const struct level *level = &counts->level[l];
        size_t each = level->rows * level->columns;
        const uint32_t(*now)[WEFT_REFERENCE_KINDS] =
            (const uint32_t(*)[WEFT_REFERENCE_KINDS])level->counts + frame * each;
        struct arrays_most *most = &level->most[frame];
        find_most_of_cells(level, key, now, NULL, most->so_far);
        if (key->history)
            find_most_of_cells(level, key, now, frame ? now - each : NULL, most->step);
    }
}

static void free_counted(void *thing)
{
    struct cell_counts *counts = thing;
    for (size_t l = 0; l < counts->n_levels; l++) {
        free(counts->level[l].counts);
        free(counts->level[l].most);
    }
    free(counts);
}

static struct cell_counts *new_counted(const struct cells_key *key, uint32_t n_frames,
                                       size_t *bytes)
{
    struct cell_counts *counts = weft_zalloc(1, sizeof *counts);
    counts->n_frames = n_frames;
    *bytes = sizeof *counts;
    for (unsigned shift = key->shift; counts->n_levels < LEVELS; shift++) {
        struct level *level = &counts->level[counts->n_levels++];
        level->shift = shift;
        level->rows = weft_array_cells(key->rows, shift);
        level->columns = weft_array_cells(key->columns, shift);
        size_t n = n_frames * level->rows * level->columns;
        level->counts = weft_zalloc(n, sizeof *level->counts);
        level->most = weft_zalloc(n_frames, sizeof *level->most);
        *bytes += n * sizeof *level->counts + n_frames * sizeof *level->most;
        if (level->rows == 1 && level->columns == 1)
            break;
    }
    return counts;
}

static bool count_frames(struct cell_counts *counts, const struct cells_key *key,
                         struct weft_count_query *query, struct weft_job *job,
                         struct weft_err *err)
{
    const struct level *level = &counts->level[0];
    size_t each = level->rows * level->columns;
    struct weft_array_plane plane = { key->row_dimension, key->column_dimension,
                                      .shift = key->shift };
    memcpy(plane.index, key->index, sizeof plane.index);
    for (uint32_t f = 0; f < counts->n_frames; f++) {
        uint32_t(*cells)[WEFT_REFERENCE_KINDS] = level->counts + f * each;
        query->first_step = key->history ? f : key->first;
        query->after_step = key->history ? f + 1 : key->after;
        if (f)
            memcpy(cells, cells - each, each * sizeof *cells);
        if (!weft_job_step(job, f, counts->n_frames, err)
            || !weft_count_cells(query, key->array, &plane, cells, &counts->full, job, err))
            return false;
        reduce(counts, f);
        find_most(counts, key, f);
    }
    return true;
}

static bool make_counted(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    struct cells_key key;
    struct arrays_held held;
    memcpy(&key, args->parameters, sizeof key);
    if (!arrays_hold(args, sizeof key, &held, err))
        return false;
    held.query.rule = (enum weft_compute_rule)key.rule;
    held.query.processor = key.processor;
    struct cell_counts *counts = new_counted(&key, key.history ? key.after : 1, bytes);
    bool ok = count_frames(counts, &key, &held.query, args->job, err);
    arrays_let_go(&held);
    if (!ok) {
        free_counted(counts);
        return false;
    }
    *thing = counts;
    return true;
}

static const struct weft_preparation counted_preparation = { "references of elements",
                                                             make_counted, free_counted };

/* ---- Asking ---- */

/* The finest level at which a history of all steps fits; LEVELS if none does. */
static unsigned history_shift(const struct arrays_question *q)
{
    const struct arrays_plane *plane = &q->plane;
    unsigned shift = 0;
    if (q->steps > HISTORY_STEPS)
        return LEVELS;
    while (cells_of(plane, shift) > HISTORY_CELLS / q->steps) {
        shift++;
        uint64_t rows = weft_array_cells(plane->rows, shift),
                 columns = weft_array_cells(plane->columns, shift);
        if ((rows > columns ? rows : columns) < HISTORY_SIDE)
            return LEVELS;
    }
    return shift;
}

static unsigned coarse_shift(const struct arrays_question *q)
{
    unsigned shift = 0;
    while (cells_of(&q->plane, shift) > COARSE_CELLS)
        shift++;
    return shift;
}

static const struct cell_counts *
use_counted(struct arrays_question *q, const struct cells_key *key, struct weft_err *err)
{
    const struct weft_set one = { q->request->set->sources, 1 };
    size_t size;
    const void *bytes = arrays_make_key(q, key, sizeof *key, &size);
    return weft_use_get(q->request->use, &counted_preparation, &one, bytes, size, err);
}

bool arrays_use_cells(struct arrays_question *q, enum arrays_statistic statistic,
                      unsigned wanted, struct arrays_cells *cells, struct weft_err *err)
{
    const struct arrays_plane *plane = &q->plane;
    unsigned history = history_shift(q), coarse = coarse_shift(q);
    struct cells_key key = { .processor = q->processor,
                             .rows = plane->rows,
                             .columns = plane->columns,
                             .row_dimension = plane->row_dimension,
                             .column_dimension = plane->column_dimension,
                             .array = q->number,
                             .rule = q->rule };
    memcpy(key.index, plane->index, sizeof key.index);
    key.history = history <= wanted;
    key.first = key.history ? 0 : arrays_first_step(q, statistic);
    key.after = key.history ? q->steps : q->step + 1;
    key.shift = key.history ? history : wanted >= coarse ? coarse : 0;
    if (cells_of(plane, key.shift) > MAX_CELLS)
        return weft_fail(err, WEFT_ERR_LIMIT,
                         "%llu x %llu elements are too many to be shown one by one "
                         "(at most %d): zoom out",
                         (unsigned long long)plane->rows,
                         (unsigned long long)plane->columns, MAX_CELLS);
    const struct cell_counts *counts = use_counted(q, &key, err);
    if (!counts)
        return false;
    size_t l = 0;
    while (l + 1 < counts->n_levels && counts->level[l].shift < wanted)
        l++;
    const struct level *level = &counts->level[l];
    size_t each = level->rows * level->columns;
    *cells = (struct arrays_cells){ .shift = level->shift,
                                    .rows = level->rows,
                                    .columns = level->columns,
                                    .now = level->counts,
                                    .most = level->most[0].so_far,
                                    .full = counts->full };
    if (key.history) {
        const struct arrays_most *most = &level->most[q->step];
        cells->now += q->step * each;
        cells->most = statistic == ARRAYS_STEP ? most->step : most->so_far;
        if (statistic == ARRAYS_STEP && q->step)
            cells->before = cells->now - each;
    }
    return true;
}
