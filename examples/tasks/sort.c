/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge sort: quarters are sorted by tasks and merged by tasks, each of which divides the longer
 * run in the middle and looks for the place in the other.  At the end there is only the last
 * merge, which has little to do at once.
 */
#include <string.h>

#include "tasks.h"

enum { SORT_ALONE = 512, MERGE_ALONE = 512 }; /* elements: less is not worth a task */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void merge_alone(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
                        uint32_t *to)
{
    while (n_a > 0 && n_b > 0)
        if (*a <= *b) {
            *to++ = *a++;
            n_a--;
        } else {
            *to++ = *b++;
            n_b--;
        }
    memcpy(to, a, n_a * sizeof *to);
    memcpy(to + n_a, b, n_b * sizeof *to);
}

/* How many of A are below VALUE. */
static size_t below(const uint32_t *a, size_t n, uint32_t value)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (a[middle] < value)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void merge(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
                  uint32_t *to)
{
    size_t half_a, half_b;

    if (n_a < n_b) {
        merge(b, n_b, a, n_a, to);
        return;
    }
    if (n_a + n_b <= MERGE_ALONE) {
        merge_alone(a, n_a, b, n_b, to);
        return;
    }
    half_a = n_a / 2;
    half_b = below(b, n_b, a[half_a]);
    count_task();
#pragma omp task
    merge(a, half_a, b, half_b, to);
    count_task();
#pragma omp task
    merge(a + half_a, n_a - half_a, b + half_b, n_b - half_b, to + half_a + half_b);
#pragma omp taskwait
}

static void sort(uint32_t *data, size_t n, uint32_t *room)
{
    size_t quarter = n / 4, rest = n - 3 * quarter;

    if (n <= SORT_ALONE) {
        qsort(data, n, sizeof *data, compare);
        return;
    }
    for (int i = 0; i < 4; i++) {
        count_task();
#pragma omp task firstprivate(i)
        sort(data + (size_t)i * quarter, i < 3 ? quarter : rest,
             room + (size_t)i * quarter);
    }
#pragma omp taskwait
    count_task();
#pragma omp task
    merge(data, quarter, data + quarter, quarter, room);
    count_task();
#pragma omp task
    merge(data + 2 * quarter, quarter, data + 3 * quarter, rest, room + 2 * quarter);
#pragma omp taskwait
    merge(room, 2 * quarter, room + 2 * quarter, quarter + rest, data);
}

int main(int argc, char **argv)
{
    int size = size_of(argc, argv, 1000000);
    size_t n = size > 0 ? (size_t)size : 1;
    uint32_t *data = malloc(n * sizeof *data), *room = malloc(n * sizeof *room);
    uint64_t before = 0, after = 0;
    bool right = data && room;

    if (!right)
        return 1;
    for (size_t i = 0; i < n; i++) {
        data[i] = (uint32_t)mix(i);
        before += mix(data[i]);
    }
#pragma omp parallel
#pragma omp single
    sort(data, n, room);
    for (size_t i = 0; i < n; i++) {
        after += mix(data[i]);
        right = right && (i == 0 || data[i - 1] <= data[i]);
    }
    right = right && before == after;
    size = (int)n;
    (void)report("sort", size, data[n / 2], right);
    free(data);
    free(room);
    return !right;
}
