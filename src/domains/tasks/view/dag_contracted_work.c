/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/view/dag_contracted_work.h"

#include <math.h>
#include <stdlib.h>

/* By worker: the share of the time of its contracted nodes in which they worked. */
struct dag_contracted {
    uint32_t n; /* number of workers */
    struct {
        double work, lasted;
    } of[];
};

static bool make_contracted(const struct weft_prepare_args *args, void **thing,
                            size_t *bytes, struct weft_err *err)
{
    enum { STEP = 1 << 14 };
    struct weft_dag *dag = weft_dag_open(args->set->sources[0], err);
    uint32_t limit = dag ? weft_dag_worker_limit(dag) : 0;
    uint32_t n = dag && weft_dag_contracted(dag) ? weft_dag_size(dag) : 0;
    *bytes = sizeof(struct dag_contracted) + limit * sizeof(double) * 2;
    struct dag_contracted *contracted = weft_zalloc(1, *bytes);
    bool ok = dag;
    contracted->n = limit;
    for (uint32_t i = 0; i < n && ok; i++) {
        struct weft_dag_node node;
        ok = i % STEP || weft_job_step(args->job, i, n, err);
        weft_dag_shape(dag, i, &node);
        if (node.n || node.kind < WEFT_DAG_LEAF_KINDS)
            continue;
        weft_dag_node(dag, i, &node);
        if (node.worker < 0)
            continue;
        contracted->of[node.worker].work += (double)node.work;
        contracted->of[node.worker].lasted += (double)(node.end - node.begin);
    }
    weft_dag_close(dag);
    *thing = contracted;
    if (!ok)
        free(contracted);
    return ok;
}

static const struct weft_preparation preparation = { "contracted nodes", make_contracted,
                                                     free };

const struct dag_contracted *dag_contracted_of(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    return weft_use_get(use, &preparation, &one, "", 0, err);
}

void dag_contracted_weigh(const struct dag_contracted *contracted,
                          const struct weft_schema *schema, uint32_t type,
                          const uint32_t *workers, size_t n, double *weights)
{
    uint32_t slots = schema->types[type].slots;
    double work = 0, lasted = 0;
    for (size_t i = 0; i < n; i++)
        if (workers[i] < contracted->n) {
            work += contracted->of[workers[i]].work;
            lasted += contracted->of[workers[i]].lasted;
        }
    for (uint32_t s = 0; s < slots; s++)
        weights[s] = 1;
    for (uint32_t v = 0; v < schema->n_values && lasted > 0; v++) {
        const struct weft_value *value = &schema->values[v];
        if (value->type == type && value->rank < slots
            && (weft_role_is(value->role, WEFT_ROLE_WHOLE_SECTION)
                || weft_role_is(value->role, WEFT_ROLE_WHOLE_TASK)))
            weights[value->rank] = fmin(1, work / lasted);
    }
}
