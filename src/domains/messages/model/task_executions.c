/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/task_executions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"

/* ---- Reading ---- */

/* The task of an execution, while it has no index yet. */
struct label {
    bool numbered;
    int64_t number;
    const char *name;     /* of the value, and place of a construct */
    uint32_t value, site; /* of a construct, or WEFT_NONE */
    size_t execution;
};

struct reader {
    struct weft_tasks *tasks;
    const struct weft_source *source;
    struct weft_job *job;
    bool constructs;            /* tracks are those of constructs, not of tasks */
    struct weft_id_map name_of; /* by value << 32 | site: index in names */
    const char **names;         /* [n_names] of constructs */
    size_t n_names, name_capacity;
    struct weft_task_execution *executions; /* [n], as weft_tasks has them */
    struct label *labels;                   /* [n] */
    uint16_t *depths;                       /* [n] */
    size_t n, capacity;
    size_t total; /* states on all tracks */
};

/* The numbers of a field of one track's entities, by ordinal. */
struct column {
    double *reals;
    int64_t *integers;
    uint8_t *known;
    enum weft_field_kind kind;
    size_t n; /* of the arrays */
};

static bool copy_run(void *user, const struct weft_field_run *run)
{
    struct column *column = user;
    for (size_t i = 0; i < run->n; i++) {
        uint64_t at = run->ordinals[i];
        if (at >= column->n)
            continue;
        column->known[at] = 1;
        if (column->integers)
            column->integers[at] = run->values[i];
        else if (column->kind == WEFT_FIELD_REAL)
            memcpy(&column->reals[at], &run->values[i], sizeof column->reals[at]);
        else
            column->reals[at] = (double)run->values[i];
    }
    return true;
}

static void read_column(struct reader *r, uint32_t track, enum weft_role role,
                        enum weft_field_kind kind, struct column *column)
{
    uint32_t field = weft_field_of_type(r->source->schema,
                                        r->source->schema->tracks[track].type, role, kind);
    column->kind = kind;
    if (field != WEFT_NONE)
        r->source->ops->column(r->source, track, field, copy_run, column);
}

/* The track that is read, and the fields of its states, by ordinal. */
struct track_columns {
    uint32_t track;
    struct column numbers, works, sites;
};

/* Returns the name of a construct, "task heat.c:41"; the same pointer for the same one. */
static const char *construct_name(struct reader *r, uint32_t value, uint32_t site)
{
    const struct weft_schema *schema = r->source->schema;
    uint64_t key = (uint64_t)value << 32 | site;
    uint32_t at = weft_id_map_get(&r->name_of, key);
    if (at != WEFT_MAP_NONE)
        return r->names[at];
    const char *name = schema->values[value].name;
    if (site != WEFT_NONE && *schema->sites[site].file) {
        const char *file = schema->sites[site].file, *slash = strrchr(file, '/');
        name = weft_arena_printf(&r->tasks->arena, "%s %s:%u", name,
                                 slash ? slash + 1 : file, schema->sites[site].line);
    }
    r->names = weft_grow(r->names, &r->name_capacity, r->n_names + 1, sizeof *r->names);
    weft_id_map_put(&r->name_of, key, (uint32_t)r->n_names);
    return r->names[r->n_names++] = name;
}

/* Returns the label of STATE, which is execution r->n. */
static struct label label_of(struct reader *r, const struct weft_state *state,
                             const struct track_columns *columns)
{
    uint64_t at = weft_entity_ordinal(state->id);
    const struct weft_schema *schema = r->source->schema;
    bool known = state->value < schema->n_values;
    struct label label = { .name = known ? schema->values[state->value].name : "",
                           .value = WEFT_NONE,
                           .site = WEFT_NONE,
                           .execution = r->n };
    if (!r->constructs) {
        label.numbered = columns->numbers.known[at];
        label.number = columns->numbers.integers[at];
        return label;
    }
    bool placed = columns->sites.known[at] && columns->sites.integers[at] >= 0
                  && columns->sites.integers[at] < schema->n_sites;
    label.value = state->value;
    label.site = placed ? (uint32_t)columns->sites.integers[at] : WEFT_NONE;
    label.name = construct_name(r, label.value, label.site);
    return label;
}

/* Returns true if a state on a track of constructs is one, not a wait between them. */
static bool is_construct(const struct weft_schema *schema, const struct weft_state *state)
{
    return state->value < schema->n_values
           && weft_role_is(schema->values[state->value].role, WEFT_ROLE_COMPUTING);
}

static void add_state(struct reader *r, const struct weft_state *state,
                      const struct track_columns *columns)
{
    uint64_t at = weft_entity_ordinal(state->id);
    const struct column *works = &columns->works;
    double work = works->known[at] && isfinite(works->reals[at]) ? works->reals[at] : NAN;
    if (r->constructs && !is_construct(r->source->schema, state))
        return;
    r->executions[r->n] = (struct weft_task_execution){
        .begin = state->begin, .end = state->end, .work = work, .id = state->id
    };
    r->labels[r->n] = label_of(r, state, columns);
    r->depths[r->n] = state->depth;
    r->tasks->any_work |= !isnan(work);
    r->n++;
}

static void read_columns(struct reader *r, uint32_t track, struct track_columns *columns)
{
    size_t n = (size_t)r->source->schema->tracks[track].count;
    *columns = (struct track_columns){
        .track = track,
        .numbers = { .integers = weft_zalloc(n, sizeof(int64_t)), .n = n },
        .works = { .reals = weft_zalloc(n, sizeof(double)), .n = n },
        .sites = { .integers = weft_zalloc(n, sizeof(int64_t)), .n = n },
    };
    columns->numbers.known = weft_zalloc(n, 1);
    columns->works.known = weft_zalloc(n, 1);
    columns->sites.known = weft_zalloc(n, 1);
    read_column(r, track, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER, &columns->numbers);
    read_column(r, track, WEFT_ROLE_WORK, WEFT_FIELD_INTEGER, &columns->works);
    read_column(r, track, WEFT_ROLE_WORK, WEFT_FIELD_REAL, &columns->works);
    if (r->constructs)
        read_column(r, track, WEFT_ROLE_SITE, WEFT_FIELD_SITE, &columns->sites);
}

static void free_columns(struct track_columns *columns)
{
    struct column *all[] = { &columns->numbers, &columns->works, &columns->sites };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]->integers);
        free(all[i]->reals);
        free(all[i]->known);
    }
}

static bool read_track(struct reader *r, uint32_t track, struct weft_err *err)
{
    size_t count = (size_t)r->source->schema->tracks[track].count;
    struct track_columns columns;
    struct weft_run *run = weft_alloc(sizeof *run);
    bool ok = true;
    read_columns(r, track, &columns);
    for (uint64_t at = 0; ok && at < count; at = run->after) {
        r->source->ops->run(r->source, track, at, run);
        for (size_t i = 0; i < run->n && r->n < r->total; i++)
            add_state(r, &run->states[i], &columns);
        ok = weft_job_step(r->job, r->n, r->total, err);
    }
    free(run);
    free_columns(&columns);
    return ok;
}

/* ---- Which task each execution is of ---- */

static int by_task(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    if (x->numbered != y->numbered)
        return x->numbered ? -1 : 1;
    if (x->numbered && x->number != y->number)
        return x->number < y->number ? -1 : 1;
    int names = x->numbered ? 0 : strcmp(x->name, y->name);
    return names ? names : (x->execution > y->execution) - (x->execution < y->execution);
}

static bool same_task(const struct label *a, const struct label *b)
{
    return a->numbered == b->numbered
           && (a->numbered ? a->number == b->number : !strcmp(a->name, b->name));
}

static void name_task(struct weft_tasks *tasks, const struct label *label)
{
    struct weft_task *task = &tasks->tasks[tasks->n];
    *task = (struct weft_task){ .numbered = label->numbered,
                                .number = label->number,
                                .name = label->name,
                                .value = label->value,
                                .site = label->site,
                                .color = tasks->n,
                                .begin = INT64_MAX,
                                .end = INT64_MIN };
    if (label->numbered) {
        task->name = weft_arena_printf(&tasks->arena, "%" PRId64, label->number);
        task->color = (uint32_t)label->number;
    }
    tasks->n++;
}

static void find_tasks(struct reader *r)
{
    struct weft_tasks *tasks = r->tasks;
    size_t n = 0;
    qsort(r->labels, r->n, sizeof *r->labels, by_task);
    for (size_t i = 0; i < r->n; i++)
        n += i == 0 || !same_task(&r->labels[i - 1], &r->labels[i]);
    tasks->tasks = weft_zalloc(n + 1, sizeof *tasks->tasks);
    for (size_t i = 0; i < r->n; i++) {
        if (i == 0 || !same_task(&r->labels[i - 1], &r->labels[i]))
            name_task(tasks, &r->labels[i]);
        r->executions[r->labels[i].execution].task = tasks->n - 1;
    }
}

/* ---- Stretches ---- */

/* The executions that a processor is in, while they are walked in order of begin. */
struct nest {
    struct reader *r;
    uint32_t *open; /* [capacity]: indices of executions, the outermost first */
    size_t n, capacity;
    uint32_t *inside; /* by task: how many of the open ones are of it */
    int64_t now;      /* stretches are known until then */
    uint32_t n_stretches;
};

static void add_stretch(struct nest *nest, int64_t end, uint32_t execution)
{
    struct weft_tasks *tasks = nest->r->tasks;
    tasks->stretches[nest->n_stretches++] =
        (struct weft_task_stretch){ nest->now, end, execution };
}

/* Ends the innermost open execution. */
static void leave(struct nest *nest)
{
    uint32_t execution = nest->open[--nest->n];
    const struct weft_task_execution *of = &nest->r->tasks->executions[execution];
    nest->inside[of->task]--;
    if (of->end > nest->now) {
        add_stretch(nest, of->end, execution);
        nest->now = of->end;
    }
}

static void enter(struct nest *nest, uint32_t execution, unsigned depth)
{
    struct weft_task_execution *of = &nest->r->tasks->executions[execution];
    while (nest->n
           && (nest->n > depth
               || nest->r->tasks->executions[nest->open[nest->n - 1]].end <= of->begin))
        leave(nest);
    if (nest->n && of->begin > nest->now)
        add_stretch(nest, of->begin, nest->open[nest->n - 1]);
    nest->now = of->begin > nest->now ? of->begin : nest->now;
    of->again = nest->inside[of->task] > 0;
    if (of->end <= of->begin) {
        add_stretch(nest, nest->now, execution);
        return;
    }
    nest->open = weft_grow(nest->open, &nest->capacity, nest->n + 1, sizeof *nest->open);
    nest->open[nest->n++] = execution;
    nest->inside[of->task]++;
}

static void note_execution(struct weft_tasks *tasks, uint32_t execution, uint32_t processor,
                           uint32_t *seen)
{
    const struct weft_task_execution *of = &tasks->executions[execution];
    struct weft_task *task = &tasks->tasks[of->task];
    task->begin = of->begin < task->begin ? of->begin : task->begin;
    task->end = of->end > task->end ? of->end : task->end;
    task->processors += seen[of->task] != processor + 1;
    seen[of->task] = processor + 1;
}

static bool find_stretches(struct reader *r, struct weft_err *err)
{
    struct weft_tasks *tasks = r->tasks;
    struct nest nest = { .r = r,
                         .inside = weft_zalloc((size_t)tasks->n + 1, sizeof *nest.inside) };
    uint32_t *seen = weft_zalloc((size_t)tasks->n + 1, sizeof *seen);
    bool ok = true;
    /* Each begin and each end ends one stretch at most. */
    tasks->stretches = weft_alloc((2 * r->n + 1) * sizeof *tasks->stretches);
    for (uint32_t p = 0; ok && p < tasks->processors->n; p++) {
        tasks->first_stretch[p] = nest.n_stretches;
        nest.now = INT64_MIN;
        for (uint32_t i = tasks->first_execution[p]; i < tasks->first_execution[p + 1];
             i++) {
            note_execution(tasks, i, p, seen);
            enter(&nest, i, r->depths[i]);
        }
        while (nest.n)
            leave(&nest);
        ok = weft_job_step(r->job, nest.n_stretches, 2 * r->n, err);
    }
    tasks->first_stretch[tasks->processors->n] = nest.n_stretches;
    free(nest.open);
    free(nest.inside);
    free(seen);
    return ok;
}

/* ---- All ---- */

static uint32_t track_of(const struct reader *r, const struct weft_processor *processor)
{
    return r->constructs ? processor->construct_track : processor->task_track;
}

static bool read_all(struct reader *r, struct weft_err *err)
{
    const struct weft_processors *processors = r->tasks->processors;
    const struct weft_schema *schema = r->source->schema;
    r->constructs = true;
    for (uint32_t p = 0; p < processors->n; p++)
        r->constructs &= processors->processors[p].task_track == WEFT_NONE;
    for (uint32_t p = 0; p < processors->n; p++) {
        uint32_t track = track_of(r, &processors->processors[p]);
        r->total += track != WEFT_NONE ? (size_t)schema->tracks[track].count : 0;
    }
    if (r->total >= INT32_MAX)
        return weft_fail(err, WEFT_ERR_LIMIT, "the trace has 2^31 tasks or more");
    r->executions = weft_alloc((r->total + 1) * sizeof *r->executions);
    r->labels = weft_alloc((r->total + 1) * sizeof *r->labels);
    r->depths = weft_alloc((r->total + 1) * sizeof *r->depths);
    r->tasks->executions = r->executions;
    for (uint32_t p = 0; p < processors->n; p++) {
        r->tasks->first_execution[p] = (uint32_t)r->n;
        uint32_t track = track_of(r, &processors->processors[p]);
        if (track != WEFT_NONE && !read_track(r, track, err))
            return false;
    }
    r->tasks->first_execution[processors->n] = (uint32_t)r->n;
    return true;
}

struct weft_tasks *weft_tasks_make(const struct weft_processors *processors,
                                   struct weft_job *job, struct weft_err *err)
{
    struct weft_tasks *tasks = weft_zalloc(1, sizeof *tasks);
    struct reader r = { .tasks = tasks, .source = processors->source, .job = job };
    tasks->processors = processors;
    tasks->first_execution =
        weft_zalloc((size_t)processors->n + 1, sizeof *tasks->first_execution);
    tasks->first_stretch =
        weft_zalloc((size_t)processors->n + 1, sizeof *tasks->first_stretch);
    bool ok = read_all(&r, err);
    if (ok) {
        find_tasks(&r);
        ok = find_stretches(&r, err);
    }
    free(r.labels);
    free(r.depths);
    free(r.names);
    weft_id_map_free(&r.name_of);
    if (ok)
        return tasks;
    weft_tasks_free(tasks);
    return NULL;
}

void weft_tasks_free(struct weft_tasks *tasks)
{
    if (!tasks)
        return;
    free(tasks->tasks);
    free(tasks->executions);
    free(tasks->stretches);
    free(tasks->first_execution);
    free(tasks->first_stretch);
    weft_arena_free(&tasks->arena);
    free(tasks);
}

size_t weft_tasks_bytes(const struct weft_tasks *tasks)
{
    uint32_t n = tasks->processors->n;
    return sizeof *tasks + tasks->n * (sizeof *tasks->tasks + sizeof(uint64_t))
           + tasks->first_execution[n] * sizeof *tasks->executions
           + (2 * (size_t)tasks->first_execution[n] + 1) * sizeof *tasks->stretches
           + 2 * ((size_t)n + 1) * sizeof *tasks->first_stretch;
}

/* ---- Questions ---- */

uint32_t weft_task_stretch_from(const struct weft_tasks *tasks, uint32_t index,
                                int64_t time)
{
    uint32_t low = tasks->first_stretch[index], high = tasks->first_stretch[index + 1],
             after = high;
    while (low < high) { /* the first that does not end before TIME */
        uint32_t middle = low + (high - low) / 2;
        if (tasks->stretches[middle].end < time)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < after && tasks->stretches[low].end == time
           && tasks->stretches[low].begin < time)
        low++;
    return low;
}

const struct weft_task_stretch *weft_task_stretch_at(const struct weft_tasks *tasks,
                                                     uint32_t index, int64_t time)
{
    uint32_t at = weft_task_stretch_from(tasks, index, time),
             after = tasks->first_stretch[index + 1];
    while (at < after && tasks->stretches[at].end <= time)
        at++; /* without length */
    return at < after && tasks->stretches[at].begin <= time ? &tasks->stretches[at] : NULL;
}

double weft_task_speed(const struct weft_tasks *tasks,
                       const struct weft_task_execution *execution)
{
    const struct weft_schema *schema = tasks->processors->source->schema;
    double seconds = (double)(execution->end - execution->begin)
                     * (double)schema->ticks_denominator / (double)schema->ticks_numerator;
    return seconds > 0 ? execution->work / seconds : NAN;
}
