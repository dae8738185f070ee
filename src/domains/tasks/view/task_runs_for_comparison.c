/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/view/task_runs_for_comparison.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/file.h"
#include "domains/tasks/view/dag_facts.h"
#include "store/time.h"

/* ---- What is prepared ---- */

static bool make_time(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    struct weft_dag *dag = weft_dag_open(args->set->sources[0], err);
    struct weft_dag_time *time = weft_zalloc(1, sizeof *time);
    bool ok = dag && weft_dag_time_read(dag, args->set->sources[0], args->job, time, err);
    weft_dag_close(dag);
    *thing = time;
    *bytes = sizeof *time;
    if (!ok)
        free(time);
    return ok;
}

/*
 * Bytes of files that stay mapped between two requests.  A picture of a whole trace with 18
 * million nodes reads places all over 280 MiB, and the same ones again when it is moved;
 * mapping them anew would take half of the frame.
 */
enum { MAX_BETWEEN_BYTES = 292 << 20 };

void weft_dag_use_end(struct weft_use *use)
{
    weft_use_end(use);
    weft_mappings_rest(MAX_BETWEEN_BYTES);
}

void weft_dag_make_room(size_t bytes)
{
    weft_mappings_rest(bytes < MAX_BETWEEN_BYTES ? MAX_BETWEEN_BYTES - bytes : 0);
}

const struct weft_preparation weft_prepared_dag_time = { "where workers' time went",
                                                         make_time, free };

const struct weft_dag_time *weft_use_dag_time(struct weft_use *use, size_t source,
                                              struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources + source, 1 };
    return weft_use_get(use, &weft_prepared_dag_time, &one, "", 0, err);
}

struct profile {
    struct weft_dag *dag;
    struct weft_dag_profile *profile;
};

static void free_profile(void *thing)
{
    struct profile *profile = thing;
    weft_dag_profile_free(profile->profile);
    weft_dag_close(profile->dag);
    free(profile);
}

static bool make_profile(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    struct profile *profile = weft_zalloc(1, sizeof *profile);
    uint32_t depth;
    memcpy(&depth, args->parameters, sizeof depth);
    profile->dag = weft_dag_open(source, err);
    if (profile->dag)
        profile->profile =
            weft_dag_profile_new(profile->dag, source, depth, args->job, err);
    if (!profile->profile) {
        free_profile(profile);
        return false;
    }
    *thing = profile;
    *bytes = sizeof *profile + weft_dag_profile_bytes(profile->profile);
    return true;
}

static const struct weft_preparation profile_preparation = { "parallelism of a DAG",
                                                             make_profile, free_profile };

const struct weft_dag_profile *weft_use_dag_profile(struct weft_use *use, uint32_t depth,
                                                    struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    const struct profile *profile =
        weft_use_get(use, &profile_preparation, &one, &depth, sizeof depth, err);
    return profile ? profile->profile : NULL;
}

bool weft_set_has_dags(const struct weft_set *set)
{
    for (size_t i = 0; i < set->n_sources; i++)
        if (!weft_dag_fills(set->sources[i]))
            return false;
    return true;
}

const char *weft_contraction_remark(const struct weft_request *request)
{
    const char *counts = NULL;
    for (size_t i = 0; i < request->set->n_sources; i++) {
        struct weft_err err = { 0 };
        struct weft_dag *dag = weft_dag_open(request->set->sources[i], &err);
        uint64_t inside = dag ? weft_dag_contracted(dag) : 0;
        if (inside)
            counts = weft_arena_printf(
                request->arena, "%s%s%s of %s nodes%s", counts ? counts : "",
                counts ? " and " : "", weft_number_text(request->arena, (double)inside, 0),
                weft_number_text(request->arena, (double)(inside + weft_dag_size(dag)), 0),
                request->set->n_sources < 2 ? ""
                : i == 0                    ? " of the first run"
                                            : " of the other");
        weft_dag_close(dag);
    }
    if (!counts)
        return NULL;
    return weft_arena_printf(request->arena,
                             "%s are contracted into others and count at their lines: weft "
                             "record --contract off keeps all apart",
                             counts);
}

/* ---- Runs ---- */

static const char *note_of(const struct weft_schema *schema, const char *key)
{
    for (uint32_t i = 0; i < schema->n_notes; i++)
        if (strcmp(schema->notes[i].key, key) == 0)
            return schema->notes[i].text;
    return "";
}

/* The name of the program that made the tasks, if the trace says it, else of the recorded
   one: "sort" of "/usr/bin/sort -n". */
static const char *program_of(const struct weft_schema *schema, struct weft_arena *arena)
{
    const char *programs = note_of(schema, WEFT_DAG_NOTE_PROGRAMS);
    if (*programs)
        return programs;
    const char *command = note_of(schema, "command");
    char *name = weft_arena_strdup(arena, command);
    name[strcspn(name, " ")] = '\0';
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* The I-th of "a,b,c"; the last one also for higher I.  NULL if the list is empty. */
static const char *nth_of(const char *list, size_t i, struct weft_arena *arena)
{
    const char *comma;
    if (!*list)
        return NULL;
    while (i-- && (comma = strchr(list, ',')))
        list = comma + 1;
    return weft_arena_printf(arena, "%.*s", (int)strcspn(list, ","), list);
}

/* Reads the seconds of the setting `serial` for run I, as nanoseconds; 0: none. */
static bool read_serial(const struct weft_request *request, size_t i, double *ns,
                        struct weft_err *err)
{
    const char *text = nth_of(weft_setting(request, "serial"), i, request->arena);
    char *end;
    *ns = 0;
    if (!text)
        return true;
    *ns = 1e9 * strtod(text, &end);
    return (end != text && *end == '\0' && *ns > 0 && *ns < 9e18)
           || weft_fail(
               err, WEFT_ERR_USAGE,
               "serial=%s: seconds are right, with commas between those of the runs", text);
}

bool weft_task_run_base(const struct weft_task_run *run, double *work, double *elapsed)
{
    *work = run->serial > 0 ? run->serial : run->alone ? (double)run->alone->work : 0;
    *elapsed = run->serial > 0 ? run->serial : run->alone ? (double)run->alone->elapsed : 0;
    return run->serial > 0 || run->alone;
}

static int compare_runs(const void *left, const void *right)
{
    const struct weft_task_run *a = left, *b = right;
    return strcmp(a->app, b->app) ?: strcmp(a->type, b->type)
           ?: WEFT_COMPARE(a->workers, b->workers) ?: WEFT_COMPARE(a->source, b->source);
}

static bool same_kind(const struct weft_task_run *a, const struct weft_task_run *b)
{
    return strcmp(a->app, b->app) == 0 && strcmp(a->type, b->type) == 0;
}

/* Reads the processor time; negative if unknown. */
static bool read_processor_time(const struct weft_source *source, int64_t *time,
                                struct weft_err *err)
{
    struct weft_dag *dag = weft_dag_open(source, err);
    bool ok = dag && weft_dag_has_figures(dag, err);
    if (ok)
        *time = weft_dag_processor_time(dag, source);
    weft_dag_close(dag);
    return ok;
}

static bool read_run(const struct weft_request *request, size_t i,
                     struct weft_task_run *run, struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    const struct weft_schema *schema = request->set->sources[i]->schema;
    struct weft_use use; /* separate, since there may be more runs than one use can hold */
    weft_use_begin(&use, request);
    const struct weft_dag_time *time = weft_use_dag_time(&use, i, err);
    int64_t processor = -1;
    double serial = 0;
    bool ok = time && read_processor_time(request->set->sources[i], &processor, err)
              && read_serial(request, i, &serial, err);
    if (ok) {
        const char *app = nth_of(weft_setting(request, "app"), i, arena);
        const char *type = nth_of(weft_setting(request, "type"), i, arena);
        *run = (struct weft_task_run){
            .app = app ? app : program_of(schema, arena),
            .type = type ? type : note_of(schema, "runtime"),
            .workers = time->workers,
            .source = i,
            .file = request->set->names ? request->set->names[i] : "",
            .serial = serial,
            .work = weft_ticks_to_ns(schema, time->work),
            .waiting = weft_ticks_to_ns(schema, time->waiting),
            .delay = weft_ticks_to_ns(schema, time->delay),
            .no_work = weft_ticks_to_ns(schema, time->no_work),
            .create_delay = time->lost || time->create_delay < 0
                                ? -1
                                : weft_ticks_to_ns(schema, time->create_delay),
            .damaged = time->lost > 0,
            .elapsed = weft_ticks_to_ns(schema, time->elapsed),
            .processor = processor,
        };
    }
    weft_use_end(&use);
    return ok;
}

static bool is_before(const struct weft_task_run *a, const struct weft_task_run *b)
{
    return a->elapsed != b->elapsed ? a->elapsed < b->elapsed : a->source < b->source;
}

/* Chooses the run that counts among repeated runs, which differ in their times only. */
static void choose(struct weft_task_run *alike, size_t n, bool median)
{
    size_t wanted = median ? (n - 1) / 2 : 0;
    for (size_t i = 0; i < n; i++) {
        size_t quicker = 0;
        for (size_t k = 0; k < n; k++)
            quicker += is_before(&alike[k], &alike[i]);
        alike[i].alike = n;
        alike[i].counts = quicker == wanted;
    }
}

static void choose_runs(struct weft_task_runs *runs)
{
    for (size_t i = 0, n; i < runs->n; i += n) {
        struct weft_task_run *first = &runs->list[i];
        for (n = 1; i + n < runs->n; n++)
            if (!same_kind(first, first + n) || first->workers != first[n].workers)
                break;
        choose(first, n, runs->median);
        if (n > runs->most_alike)
            runs->most_alike = n;
    }
}

/* Finds the run on one worker of each group, which is among the first of the group. */
static void find_alone(struct weft_task_runs *runs)
{
    const struct weft_task_run *alone = NULL;
    for (size_t i = 0, n; i < runs->n; i += n) {
        struct weft_task_run *first = &runs->list[i];
        alone = NULL;
        for (n = 0; i + n < runs->n && same_kind(first, first + n); n++)
            if (first[n].workers == 1 && first[n].counts)
                alone = first + n;
        for (size_t k = 0; k < n; k++)
            first[k].alone = alone;
    }
}

bool weft_task_runs_read(const struct weft_request *request, struct weft_task_runs *out,
                         struct weft_err *err)
{
    size_t n = request->set->n_sources;
    *out = (struct weft_task_runs){
        .n = n,
        .one_app = true,
        .one_type = true,
        .median = strcmp(weft_setting(request, "repeated"), "median") == 0
    };
    out->list = weft_arena_zalloc(request->arena, n, sizeof *out->list);
    for (size_t i = 0; i < n; i++)
        if (!read_run(request, i, &out->list[i], err))
            return false;
    qsort(out->list, n, sizeof *out->list, compare_runs);
    for (size_t i = 0; i < n; i++) {
        out->one_app &= strcmp(out->list[i].app, out->list->app) == 0;
        out->one_type &= strcmp(out->list[i].type, out->list->type) == 0;
    }
    choose_runs(out);
    find_alone(out);
    return true;
}

const char *weft_task_run_name(const struct weft_task_runs *runs,
                               const struct weft_task_run *run, struct weft_arena *arena)
{
    const char *file = run->alike > 1 ? run->file : "";
    return weft_arena_printf(arena, "%s%s%s%s%" PRIu32 " worker%s%s%s",
                             runs->one_app ? "" : run->app, runs->one_app ? "" : " · ",
                             runs->one_type ? "" : run->type, runs->one_type ? "" : " · ",
                             run->workers, run->workers == 1 ? "" : "s", *file ? " · " : "",
                             file);
}

/* ---- Looks ---- */

const char *const weft_share_names[WEFT_SHARES] = { "work", "work stretch", "waiting",
                                                    "delay", "no work" };

/* In order of use: stacked neighbours differ. */
static const enum weft_hatch hatches[] = {
    WEFT_HATCH_NONE,          WEFT_HATCH_DIAGONAL,   WEFT_HATCH_DOTS, WEFT_HATCH_CROSS,
    WEFT_HATCH_BACK_DIAGONAL, WEFT_HATCH_HORIZONTAL, WEFT_HATCH_GRID, WEFT_HATCH_VERTICAL,
};

void weft_hue_swatches(const struct weft_theme *theme, const weft_color *colors, size_t n,
                       struct weft_swatch *out)
{
    static const weft_color greys[] = { 0xff444444, 0xffbbbbbb, 0xff777777, 0xffe2e2e2,
                                        0xff5c5c5c, 0xffa0a0a0, 0xff303030, 0xffcccccc };
    enum { LOOKS = sizeof greys / sizeof *greys };
    for (size_t i = 0; i < n; i++) {
        struct weft_swatch swatch = { .fill = colors[i] };
        if (theme->name == WEFT_THEME_GREY)
            swatch.fill = greys[i % LOOKS];
        if (theme->name == WEFT_THEME_MONO) {
            swatch.fill = i ? 0xffffffff : 0xff000000;
            swatch.hatch = hatches[i % LOOKS];
        }
        swatch.tone = swatch.fill;
        swatch.ink = weft_ink(swatch.fill);
        out[i] = swatch;
    }
}

void weft_share_swatches(const struct weft_theme *theme,
                         struct weft_swatch swatches[WEFT_SHARES])
{
    static const enum weft_role roles[WEFT_SHARES] = {
        [WEFT_SHARE_WORK] = WEFT_ROLE_BUSY,
        [WEFT_SHARE_STRETCH] = WEFT_ROLE_OVERHEAD,
        [WEFT_SHARE_WAITING] = WEFT_ROLE_BLOCKED,
        [WEFT_SHARE_DELAY] = WEFT_ROLE_READY,
        [WEFT_SHARE_NO_WORK] = WEFT_ROLE_SLEEPING,
    };
    for (int i = 0; i < WEFT_SHARES; i++) {
        swatches[i] = weft_role_swatch(theme, roles[i]);
        if (theme->name == WEFT_THEME_MONO) { /* a role alone does not tell them apart */
            swatches[i].fill = i ? 0xffffffff : 0xff000000;
            swatches[i].hatch = hatches[i];
        }
    }
}
