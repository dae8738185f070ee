/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "dag_looks.h"
#include "tests/test.h"

bool is_here(const struct weft_dag_node *node)
{
    return !node->n;
}

uint32_t first_of(const struct random_dag *dag, uint32_t node)
{
    while (dag->nodes[node].n)
        node = dag->nodes[node].first;
    return node;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

size_t list_times(const struct random_dag *dag, int64_t *times)
{
    size_t n = 0;
    for (uint32_t i = 0; i < dag->n; i++) {
        times[n++] = dag->nodes[i].begin;
        times[n++] = dag->nodes[i].end;
        times[n++] = dag->nodes[i].first_ready;
        times[n++] = dag->nodes[i].last_start;
    }
    qsort(times, n, sizeof *times, compare_times);
    return n;
}

void assert_near(double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * (1 + fabs(expected)))
        fail_msg("%.12g instead of %.12g", got, expected);
}
