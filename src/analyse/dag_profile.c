/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/dag_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/parallel.h"
#include "store/mips.h"
#include "store/sort.h"
#include "store/time.h"

enum {
    STEP = 1 << 12, /* nodes, or blocks, between two steps of the job: a millisecond */
    BLOCK = WEFT_RUN_MOST, /* points, of which the area is known: as the store keeps them */
};

/* From TIME on the curve is at VALUE. */
struct point {
    int64_t time;
    double value;
};

/* Some points side by side. */
struct block {
    int64_t begin, end; /* of what its points hold for */
    uint64_t first;     /* point, or sample of the track */
    double area;        /* in ticks, under all blocks before it */
};

/* Times of what begins, or of what ends. */
struct edges {
    uint64_t *keys;
    size_t n, capacity;
};

/* A curve of steps, whose points are here or those of a track. */
struct curve {
    /* While it is made: what is as high as 1, which is most; and the rest, with its height. */
    struct edges begins, ends;
    struct weft_sort_item *changes; /* time, and bits of a double */
    size_t n_changes, capacity;
    struct point *points;
    size_t n;
    uint32_t track;
    struct block *blocks;
    size_t n_blocks, block_capacity;
};

struct weft_dag_profile {
    const struct weft_source *source;
    struct weft_job *job; /* while it is made */
    bool is_whole;        /* of all depths: the points are the store's */
    struct curve curves[WEFT_DAG_CURVES];
};

/* ---- Making curves ---- */

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t key_of(int64_t time)
{
    return (uint64_t)time ^ UINT64_C(1) << 63;
}

static void add_edge(struct edges *edges, int64_t time)
{
    edges->keys =
        weft_grow(edges->keys, &edges->capacity, edges->n + 1, sizeof *edges->keys);
    edges->keys[edges->n++] = key_of(time);
}

/* AMOUNT ticks are spread evenly from BEGIN to END. */
static void spread(struct curve *curve, int64_t begin, int64_t end, int64_t amount)
{
    if (end <= begin || !amount)
        return;
    if (amount == end - begin) {
        add_edge(&curve->begins, begin);
        add_edge(&curve->ends, end);
        return;
    }
    double height = (double)amount / (double)(end - begin);
    curve->changes = weft_grow(curve->changes, &curve->capacity, curve->n_changes + 2,
                               sizeof *curve->changes);
    curve->changes[curve->n_changes++] =
        (struct weft_sort_item){ key_of(begin), bits_of(height) };
    curve->changes[curve->n_changes++] =
        (struct weft_sort_item){ key_of(end), bits_of(-height) };
}

static void add_node(struct weft_dag_profile *profile, const struct weft_dag_node *node)
{
    spread(&profile->curves[WEFT_DAG_ACTUAL], node->begin, node->end, node->work);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        spread(&profile->curves[WEFT_DAG_AVAILABLE + k], node->first_ready,
               node->last_start, node->ready[k]);
}

/* Nodes side by side that are still to be looked at. */
struct run {
    uint32_t first, n, depth;
};

struct walk {
    const struct weft_dag *dag;
    uint32_t limit;
    struct run *runs;
    size_t n, capacity;
    uint64_t seen;
};

static void push(struct walk *walk, uint32_t first, uint32_t n, uint32_t depth)
{
    walk->runs = weft_grow(walk->runs, &walk->capacity, walk->n + 1, sizeof *walk->runs);
    walk->runs[walk->n++] = (struct run){ first, n, depth };
}

static void look_at(struct walk *walk, struct weft_dag_profile *profile, uint32_t number,
                    uint32_t depth)
{
    struct weft_dag_node node;
    weft_dag_shape(walk->dag, number, &node);
    if (node.created != WEFT_NONE)
        push(walk, node.created, 1, depth);
    if (node.n && depth < walk->limit) {
        push(walk, node.first, node.n, depth + 1);
        return;
    }
    weft_dag_node(walk->dag, number, &node);
    add_node(profile, &node);
}

static bool collect(struct walk *walk, struct weft_dag_profile *profile,
                    struct weft_job *job, struct weft_err *err)
{
    push(walk, 0, 1, 0);
    while (walk->n) {
        struct run run = walk->runs[--walk->n];
        for (uint32_t i = 0; i < run.n; i++) {
            look_at(walk, profile, run.first + i, run.depth);
            if (++walk->seen % STEP == 0
                && !weft_job_step(job, walk->seen, weft_dag_size(walk->dag), err))
                return false;
        }
    }
    return true;
}

static void add_block(struct curve *curve, struct block block)
{
    curve->blocks = weft_grow(curve->blocks, &curve->block_capacity, curve->n_blocks + 1,
                              sizeof *curve->blocks);
    curve->blocks[curve->n_blocks++] = block;
}

static void cut_into_blocks(struct curve *curve)
{
    double area = 0;
    for (size_t i = 0; i < curve->n; i++) {
        if (i % BLOCK == 0)
            add_block(
                curve,
                (struct block){ .begin = curve->points[i].time, .first = i, .area = area });
        int64_t end = curve->points[i + 1 < curve->n ? i + 1 : i].time;
        area += curve->points[i].value * (double)(end - curve->points[i].time);
        curve->blocks[curve->n_blocks - 1].end = end;
    }
}

static void free_changes(struct curve *curve)
{
    free(curve->begins.keys);
    free(curve->ends.keys);
    free(curve->changes);
    curve->begins = curve->ends = (struct edges){ 0 };
    curve->changes = NULL;
}

/* Some sorted lists of changes that are gone through together. */
struct merge {
    const struct curve *curve;
    size_t begun, ended, changed; /* so far */
    double parts;                 /* the sum of those that are open and not as high as 1 */
    int64_t open;
};

/* The next time at which anything changes; false: nothing does any more. */
static bool next_key(const struct merge *merge, uint64_t *key)
{
    const struct curve *curve = merge->curve;
    *key = UINT64_MAX;
    if (merge->begun < curve->begins.n)
        *key = curve->begins.keys[merge->begun];
    if (merge->ended < curve->ends.n && curve->ends.keys[merge->ended] < *key)
        *key = curve->ends.keys[merge->ended];
    if (merge->changed < curve->n_changes && curve->changes[merge->changed].key < *key)
        *key = curve->changes[merge->changed].key;
    return *key != UINT64_MAX; /* which no time within the limits has */
}

/* The value from then on.  Where no part is open any more, no error of rounding stays. */
static double value_from(struct merge *merge, uint64_t key)
{
    const struct curve *curve = merge->curve;
    while (merge->begun < curve->begins.n && curve->begins.keys[merge->begun] == key)
        merge->begun++;
    while (merge->ended < curve->ends.n && curve->ends.keys[merge->ended] == key)
        merge->ended++;
    for (; merge->changed < curve->n_changes && curve->changes[merge->changed].key == key;
         merge->changed++) {
        double change = from_bits(curve->changes[merge->changed].payload);
        merge->open += change > 0 ? 1 : -1;
        merge->parts += change;
    }
    merge->parts = merge->open ? merge->parts : 0;
    return (double)(merge->begun - merge->ended) + merge->parts;
}

/* Put the changes in order and add them up. */
static void settle(struct curve *curve)
{
    size_t most = curve->begins.n + curve->ends.n + curve->n_changes + 1;
    struct merge merge = { .curve = curve };
    uint64_t key;
    weft_sort_keys(curve->begins.keys, curve->begins.n);
    weft_sort_keys(curve->ends.keys, curve->ends.n);
    weft_sort(curve->changes, curve->n_changes);
    curve->points = weft_alloc(most * sizeof *curve->points);
    while (next_key(&merge, &key)) {
        double value = value_from(&merge, key);
        if (curve->n && curve->points[curve->n - 1].value == value)
            continue;
        curve->points[curve->n++] =
            (struct point){ (int64_t)(key ^ UINT64_C(1) << 63), value };
    }
    curve->points = weft_realloc(curve->points, (curve->n + 1) * sizeof *curve->points);
    free_changes(curve);
    cut_into_blocks(curve);
}

/* The blocks of a track are the store's; what is damaged is in none. */
static void add_up_track(struct weft_dag_profile *profile, struct curve *curve)
{
    const struct weft_source *source = profile->source;
    uint64_t n = source->schema->tracks[curve->track].count;
    struct weft_run *run = weft_zalloc(1, sizeof *run);
    double area = 0;
    for (uint64_t at = 0; at < n && !weft_job_cancelled(profile->job); at = run->after) {
        source->ops->run(source, curve->track, at, run);
        if (run->after <= at)
            break;
        if (!run->n)
            continue;
        add_block(curve, (struct block){ run->samples[0].begin,
                                         run->samples[run->n - 1].end, run->first, area });
        for (size_t i = 0; i < run->n; i++)
            area += run->samples[i].value
                    * (double)(run->samples[i].end - run->samples[i].begin);
    }
    free(run);
}

static void finish_curve(void *user, size_t index)
{
    struct weft_dag_profile *profile = user;
    struct curve *curve = &profile->curves[index];
    if (!profile->is_whole)
        settle(curve);
    else if (curve->track != WEFT_NONE)
        add_up_track(profile, curve);
}

static void find_tracks(struct weft_dag_profile *profile, const struct weft_dag *dag)
{
    profile->curves[WEFT_DAG_ACTUAL].track = weft_dag_running(dag);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        profile->curves[WEFT_DAG_AVAILABLE + k].track =
            weft_dag_ready(dag, (enum weft_dag_edge)k);
}

struct weft_dag_profile *weft_dag_profile_new(const struct weft_dag *dag,
                                              const struct weft_source *source,
                                              uint32_t depth, struct weft_job *job,
                                              struct weft_err *err)
{
    struct weft_dag_profile *profile = weft_zalloc(1, sizeof *profile);
    struct walk walk = { .dag = dag, .limit = depth };
    profile->source = source;
    profile->job = job;
    profile->is_whole = depth == WEFT_DAG_ALL_DEPTHS;
    find_tracks(profile, dag);
    bool ok = profile->is_whole || collect(&walk, profile, job, err);
    free(walk.runs);
    if (!profile->is_whole)
        weft_mappings_rest(0); /* the curves take their place */
    if (ok)
        weft_parallel(WEFT_DAG_CURVES, 1, finish_curve, profile);
    ok = ok && weft_job_step(job, 1, 1, err);
    profile->job = NULL;
    if (ok)
        return profile;
    weft_dag_profile_free(profile);
    return NULL;
}

void weft_dag_profile_free(struct weft_dag_profile *profile)
{
    for (int k = 0; profile && k < WEFT_DAG_CURVES; k++) {
        free_changes(&profile->curves[k]);
        free(profile->curves[k].points);
        free(profile->curves[k].blocks);
    }
    free(profile);
}

size_t weft_dag_profile_bytes(const struct weft_dag_profile *profile)
{
    size_t bytes = sizeof *profile;
    for (int k = 0; k < WEFT_DAG_CURVES; k++)
        bytes += profile->curves[k].n * sizeof(struct point)
                 + profile->curves[k].n_blocks * sizeof(struct block);
    return bytes;
}

/* ---- Means ---- */

/* Reads a curve's blocks, the last one of them only once. */
struct reader {
    const struct curve *curve;
    const struct weft_source *source; /* of a track, else NULL */
    struct weft_run *run;
    size_t block; /* that is in RUN */
};

static struct reader begin_reading(const struct weft_dag_profile *profile, size_t k)
{
    struct reader reader = { .curve = &profile->curves[k], .block = SIZE_MAX };
    if (profile->is_whole) {
        reader.source = profile->source;
        reader.run = weft_zalloc(1, sizeof *reader.run);
    }
    return reader;
}

/* How many points a block has; those of a track are read. */
static size_t load(struct reader *reader, size_t block)
{
    const struct curve *curve = reader->curve;
    if (!reader->source) {
        reader->block = block;
        size_t first = curve->blocks[block].first;
        return curve->n - first < BLOCK ? curve->n - first : BLOCK;
    }
    if (block != reader->block)
        reader->source->ops->run(reader->source, curve->track, curve->blocks[block].first,
                                 reader->run);
    reader->block = block;
    return reader->run->n;
}

/* A point of the block that was loaded. */
static struct point point_of(const struct reader *reader, size_t i)
{
    if (!reader->source)
        return reader->curve->points[reader->curve->blocks[reader->block].first + i];
    const struct weft_sample *sample = &reader->run->samples[i];
    return (struct point){ sample->begin, sample->value };
}

/* How many blocks begin at or before TIME. */
static size_t blocks_until(const struct curve *curve, int64_t time)
{
    size_t low = 0, high = curve->n_blocks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (curve->blocks[middle].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A moment on a curve: the block that it lies in, and the area under the block before it. */
struct place {
    size_t block; /* SIZE_MAX: before all blocks */
    double area;
};

/* Goes along a curve from edge to edge of a picture's parts; times only grow. */
struct ruler {
    struct reader reader;
    struct place place;
    size_t i; /* the point of the block that the place lies behind */
    size_t n; /* points of the block */
};

/*
 * Where TIME is.  Areas are counted from the begin of a block, since a sum over hours would
 * round nanoseconds away.
 */
static struct place measure(struct ruler *ruler, int64_t time)
{
    const struct curve *curve = ruler->reader.curve;
    size_t block = blocks_until(curve, time) - 1;
    if (block == SIZE_MAX)
        return (struct place){ SIZE_MAX, 0 };
    if (block != ruler->place.block) {
        ruler->n = load(&ruler->reader, block);
        ruler->place = (struct place){ block, 0 };
        ruler->i = 0;
    }
    for (; ruler->i < ruler->n; ruler->i++) {
        struct point point = point_of(&ruler->reader, ruler->i);
        int64_t end = ruler->i + 1 < ruler->n ? point_of(&ruler->reader, ruler->i + 1).time
                                              : curve->blocks[block].end;
        if (end > time)
            return (struct place){ block, ruler->place.area
                                              + point.value * (double)(time - point.time) };
        ruler->place.area += point.value * (double)(end - point.time);
    }
    return ruler->place;
}

static double area_between(const struct curve *curve, struct place from, struct place to)
{
    double area = to.area - from.area;
    if (from.block != to.block)
        area += curve->blocks[to.block].area
                - (from.block == SIZE_MAX ? 0 : curve->blocks[from.block].area);
    return area;
}

struct asking {
    const struct weft_dag_profile *profile;
    const struct weft_span *parts; /* [n], side by side */
    size_t n;
    double *out;
};

enum { PARTS = 64 }; /* of a curve that a thread does at once: some 100 microseconds */

/* Some parts of a curve. */
static void find_means(void *user, size_t index)
{
    const struct asking *asking = user;
    size_t runs = (asking->n + PARTS - 1) / PARTS, k = index / runs;
    size_t first = index % runs * PARTS;
    size_t after = first + PARTS < asking->n ? first + PARTS : asking->n;
    struct ruler ruler = { .reader = begin_reading(asking->profile, k),
                           .place.block = SIZE_MAX };
    struct place from = measure(&ruler, asking->parts[first].begin);
    for (size_t c = first; c < after; c++) {
        struct weft_span part = asking->parts[c];
        struct place to = measure(&ruler, part.end);
        double *out = &asking->out[k * asking->n + c];
        *out = 0;
        if (part.end > part.begin)
            *out = area_between(ruler.reader.curve, from, to)
                   / (double)(part.end - part.begin);
        from = to;
    }
    free(ruler.reader.run);
}

void weft_dag_profile_means(const struct weft_dag_profile *profile, struct weft_span window,
                            size_t n, double *out)
{
    WEFT_REQUIRE(n, "no part of a window is asked for");
    if (window.end <= window.begin) { /* of a run that took no time */
        memset(out, 0, WEFT_DAG_CURVES * n * sizeof *out);
        return;
    }
    struct weft_span *parts = weft_alloc(n * sizeof *parts);
    struct weft_edges edges = weft_edges_begin(window, n);
    int64_t begin = window.begin;
    for (size_t c = 0; c < n; c++) {
        int64_t end = c + 1 < n ? edges.edge : window.end;
        parts[c] = (struct weft_span){ begin, end };
        begin = end;
        weft_edges_next(&edges);
    }
    struct asking asking = { profile, parts, n, out };
    weft_parallel(WEFT_DAG_CURVES * ((n + PARTS - 1) / PARTS), 1, find_means, &asking);
    free(parts);
}

/* ---- Changes ---- */

/* The change of a curve that comes next. */
struct cursor {
    struct reader reader;
    size_t block, at, n; /* point AT of N in the block */
    int64_t time;        /* INT64_MAX: there is none */
    double value;
};

static void advance(struct cursor *cursor)
{
    while (cursor->at == cursor->n) {
        if (cursor->block + 1 >= cursor->reader.curve->n_blocks) {
            cursor->time = INT64_MAX;
            return;
        }
        cursor->n = load(&cursor->reader, ++cursor->block);
        cursor->at = 0;
    }
    struct point point = point_of(&cursor->reader, cursor->at++);
    cursor->time = point.time;
    cursor->value = point.value;
}

static void begin_cursor(const struct weft_dag_profile *profile, size_t k, int64_t time,
                         struct cursor *cursor)
{
    *cursor = (struct cursor){ .reader = begin_reading(profile, k), .time = INT64_MAX };
    const struct curve *curve = cursor->reader.curve;
    if (!curve->n_blocks)
        return;
    cursor->block = blocks_until(curve, time);
    cursor->block -= cursor->block > 0;
    cursor->n = load(&cursor->reader, cursor->block);
    advance(cursor);
}

void weft_dag_profile_changes(const struct weft_dag_profile *profile,
                              struct weft_span window,
                              bool (*visit)(void *user, int64_t time,
                                            const double values[WEFT_DAG_CURVES]),
                              void *user)
{
    struct cursor cursors[WEFT_DAG_CURVES];
    double values[WEFT_DAG_CURVES] = { 0 };
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
        begin_cursor(profile, k, window.begin, &cursors[k]);
    for (int64_t time = window.begin, next; time < window.end; time = next) {
        next = INT64_MAX;
        for (size_t k = 0; k < WEFT_DAG_CURVES; k++) {
            for (; cursors[k].time <= time; advance(&cursors[k]))
                values[k] = cursors[k].value;
            next = cursors[k].time < next ? cursors[k].time : next;
        }
        if (!visit(user, time, values))
            break;
    }
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
        free(cursors[k].reader.run);
}
