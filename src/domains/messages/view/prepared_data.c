/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepared data of the displays of message passing; each holds the data it was made from.
 */
#include "domains/messages/view/prepared_data.h"

#include <stdlib.h>

static const struct weft_held *hold(const struct weft_prepare_args *args,
                                    const struct weft_preparation *preparation,
                                    struct weft_err *err)
{
    const struct weft_set one = { args->set->sources, 1 };
    return weft_prepare(args->shelf, preparation, &one, NULL, 0, args->job, err);
}

static const void *use_of_first(struct weft_use *use,
                                const struct weft_preparation *preparation,
                                const void *parameters, size_t size, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    return weft_use_get(use, preparation, &one, parameters, size, err);
}

/* ---- Processors ---- */

static bool make_processors(const struct weft_prepare_args *args, void **thing,
                            size_t *bytes, struct weft_err *err)
{
    struct weft_processors *processors =
        weft_processors_make(args->set->sources[0], args->job, err);
    if (!processors)
        return false;
    *thing = processors;
    *bytes = weft_processors_bytes(processors);
    return true;
}

static void free_processors(void *thing)
{
    weft_processors_free(thing);
}

const struct weft_preparation weft_prepared_processors = { "processors", make_processors,
                                                           free_processors };

const struct weft_processors *weft_use_processors(struct weft_use *use,
                                                  struct weft_err *err)
{
    return use_of_first(use, &weft_prepared_processors, NULL, 0, err);
}

bool weft_set_has_processors(const struct weft_set *set)
{
    return weft_has_processors(set->sources[0]);
}

/* ---- Shares of the classes ---- */

struct mips {
    struct weft_class_mips *of;
    const struct weft_held *processors;
};

static bool make_mips(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    const struct weft_held *held = hold(args, &weft_prepared_processors, err);
    if (!held)
        return false;
    struct weft_class_mips *of = weft_class_mips_make(held->thing, 0, args->job, err);
    if (!of) {
        weft_release(held);
        return false;
    }
    struct mips *made = weft_alloc(sizeof *made);
    *made = (struct mips){ of, held };
    *thing = made;
    *bytes = weft_class_mips_bytes(of);
    return true;
}

static void free_mips(void *thing)
{
    struct mips *made = thing;
    weft_class_mips_free(made->of);
    weft_release(made->processors);
    free(made);
}

static const struct weft_preparation prepared_mips = { "shares of classes", make_mips,
                                                       free_mips };

const struct weft_class_mips *weft_use_class_mips(struct weft_use *use,
                                                  struct weft_err *err)
{
    const struct mips *made = use_of_first(use, &prepared_mips, NULL, 0, err);
    return made ? made->of : NULL;
}

/* ---- Utilization ---- */

struct utilization {
    struct weft_utilization *of;
    const struct weft_held *processors;
};

static bool make_utilization(const struct weft_prepare_args *args, void **thing,
                             size_t *bytes, struct weft_err *err)
{
    const struct weft_held *held = hold(args, &weft_prepared_processors, err);
    if (!held)
        return false;
    struct weft_utilization *of = weft_utilization_make(held->thing, args->job, err);
    if (!of) {
        weft_release(held);
        return false;
    }
    struct utilization *made = weft_alloc(sizeof *made);
    *made = (struct utilization){ of, held };
    *thing = made;
    *bytes = weft_utilization_bytes(of);
    return true;
}

static void free_utilization(void *thing)
{
    struct utilization *made = thing;
    weft_utilization_free(made->of);
    weft_release(made->processors);
    free(made);
}

static const struct weft_preparation prepared_utilization = { "utilization",
                                                              make_utilization,
                                                              free_utilization };

const struct weft_utilization *weft_use_utilization(struct weft_use *use,
                                                    struct weft_err *err)
{
    const struct utilization *made = use_of_first(use, &prepared_utilization, NULL, 0, err);
    return made ? made->of : NULL;
}

/* ---- Moving averages ---- */

struct average_key { /* no padding: keys are compared as bytes */
    int64_t width, with_overhead;
};

struct averages {
    struct weft_averages *of;
    const struct weft_held *utilization;
};

static bool make_averages(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                          struct weft_err *err)
{
    const struct average_key *key = args->parameters;
    const struct weft_held *held = hold(args, &prepared_utilization, err);
    if (!held)
        return false;
    const struct utilization *utilization = held->thing;
    struct weft_averages *of =
        weft_averages_make(utilization->of, key->width, key->with_overhead, args->job, err);
    if (!of) {
        weft_release(held);
        return false;
    }
    struct averages *made = weft_alloc(sizeof *made);
    *made = (struct averages){ of, held };
    *thing = made;
    *bytes = weft_averages_bytes(of);
    return true;
}

static void free_averages(void *thing)
{
    struct averages *made = thing;
    weft_averages_free(made->of);
    weft_release(made->utilization);
    free(made);
}

static const struct weft_preparation prepared_averages = { "averages of utilization",
                                                           make_averages, free_averages };

const struct weft_averages *weft_use_averages(struct weft_use *use, int64_t width,
                                              bool with_overhead, struct weft_err *err)
{
    const struct average_key key = { width, with_overhead };
    const struct averages *made =
        use_of_first(use, &prepared_averages, &key, sizeof key, err);
    return made ? made->of : NULL;
}

/* ---- Concurrency ---- */

struct concurrency_key {
    uint64_t under;
};

struct concurrency {
    struct weft_concurrency *of;
    const struct weft_held *utilization;
};

static bool make_concurrency(const struct weft_prepare_args *args, void **thing,
                             size_t *bytes, struct weft_err *err)
{
    const struct concurrency_key *key = args->parameters;
    const struct weft_held *held = hold(args, &prepared_utilization, err);
    if (!held)
        return false;
    const struct utilization *utilization = held->thing;
    const struct weft_processors *p = utilization->of->processors;
    const struct weft_container *containers = p->source->schema->containers;
    const struct weft_container *root = &containers[key->under];
    uint32_t *index = weft_alloc(((size_t)p->n + 1) * sizeof *index), n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t order = containers[p->processors[i].container].order;
        if (order >= root->order && order < root->subtree_end)
            index[n++] = i;
    }
    struct weft_concurrency *of = weft_concurrency_make(
        utilization->of, (struct weft_processor_list){ index, n }, NULL, args->job, err);
    free(index);
    if (!of) {
        weft_release(held);
        return false;
    }
    struct concurrency *made = weft_alloc(sizeof *made);
    *made = (struct concurrency){ of, held };
    *thing = made;
    *bytes = weft_concurrency_bytes(of);
    return true;
}

static void free_concurrency(void *thing)
{
    struct concurrency *made = thing;
    weft_concurrency_free(made->of);
    weft_release(made->utilization);
    free(made);
}

static const struct weft_preparation prepared_concurrency = { "concurrency",
                                                              make_concurrency,
                                                              free_concurrency };

const struct weft_concurrency *weft_use_concurrency(struct weft_use *use,
                                                    struct weft_err *err)
{
    const struct concurrency_key key = { use->request->under };
    const struct concurrency *made =
        use_of_first(use, &prepared_concurrency, &key, sizeof key, err);
    return made ? made->of : NULL;
}

/* ---- Tasks ---- */

struct tasks {
    struct weft_tasks *of;
    const struct weft_held *processors;
};

static bool make_tasks(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const struct weft_held *held = hold(args, &weft_prepared_processors, err);
    if (!held)
        return false;
    struct weft_tasks *of = weft_tasks_make(held->thing, args->job, err);
    if (!of) {
        weft_release(held);
        return false;
    }
    struct tasks *made = weft_alloc(sizeof *made);
    *made = (struct tasks){ of, held };
    *thing = made;
    *bytes = weft_tasks_bytes(of);
    return true;
}

static void free_tasks(void *thing)
{
    struct tasks *made = thing;
    weft_tasks_free(made->of);
    weft_release(made->processors);
    free(made);
}

static const struct weft_preparation prepared_tasks = { "tasks", make_tasks, free_tasks };

const struct weft_tasks *weft_use_tasks(struct weft_use *use, struct weft_err *err)
{
    const struct tasks *made = use_of_first(use, &prepared_tasks, NULL, 0, err);
    return made ? made->of : NULL;
}

bool weft_set_has_tasks(const struct weft_set *set)
{
    return weft_has_tasks(set->sources[0]);
}

/* ---- Work of tasks ---- */

struct work_key {
    uint64_t processor;
};

static bool make_work(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    const struct work_key *key = args->parameters;
    const struct weft_held *held = hold(args, &prepared_tasks, err);
    if (!held)
        return false;
    const struct tasks *tasks = held->thing;
    struct weft_work *work =
        weft_work_make(tasks->of, (uint32_t)key->processor, args->job, err);
    weft_release(held);
    if (!work)
        return false;
    *thing = work;
    *bytes = weft_work_bytes(work);
    return true;
}

static void free_work(void *thing)
{
    weft_work_free(thing);
}

static const struct weft_preparation prepared_work = { "work of tasks", make_work,
                                                       free_work };

const struct weft_work *weft_use_work(struct weft_use *use, uint32_t processor,
                                      struct weft_err *err)
{
    const struct work_key key = { processor };
    return use_of_first(use, &prepared_work, &key, sizeof key, err);
}

/* ---- Messages ---- */

struct kept_traffic {
    struct weft_traffic *traffic;
    const struct weft_held *processors; /* the traffic refers to them */
};

static void free_traffic(void *thing)
{
    struct kept_traffic *kept = thing;
    weft_traffic_free(kept->traffic);
    weft_release(kept->processors);
    free(kept);
}

static bool make_traffic(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    struct kept_traffic kept;
    kept.processors = weft_prepare(args->shelf, &weft_prepared_processors, args->set, NULL,
                                   0, args->job, err);
    if (!kept.processors)
        return false;
    kept.traffic =
        weft_traffic_make(args->set->sources[0], kept.processors->thing, args->job, err);
    if (!kept.traffic) {
        weft_release(kept.processors);
        return false;
    }
    struct kept_traffic *out = weft_alloc(sizeof *out);
    *out = kept;
    *thing = out;
    *bytes = sizeof *out + weft_traffic_bytes(kept.traffic);
    return true;
}

const struct weft_preparation weft_prepared_traffic = { "traffic", make_traffic,
                                                        free_traffic };

const struct weft_traffic *weft_use_traffic(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    const struct kept_traffic *kept =
        weft_use_get(use, &weft_prepared_traffic, &one, NULL, 0, err);
    return kept ? kept->traffic : NULL;
}

const struct weft_traffic *weft_traffic_of_held(const struct weft_held *held)
{
    return ((const struct kept_traffic *)held->thing)->traffic;
}

bool weft_set_has_traffic(const struct weft_set *set)
{
    return weft_set_has_processors(set) && weft_has_traffic(set->sources[0]->schema);
}
